//! The directions of the k-DOPs (Klosowski et al. 1998, section 3.3.3) in the order they are
//! compared in (section 4.4).

/// The three axes, the four diagonals of the cube, the six diagonals of its faces.
///
/// Neighbouring directions tend to give the same answer, so each next one is as far from those
/// before as it can be: the axes are perpendicular, the cube's diagonals are 55 degrees from the
/// axes, the faces' diagonals 35 degrees from the nearest of all, in perpendicular pairs.
const ALL: [[i8; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 1],
    [1, -1, -1],
    [1, -1, 1],
    [1, 1, -1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
];

/// Where the faces' diagonals begin.
const EDGES: usize = 7;

/// The directions of the k-DOP with `k = 2 * HALF`. Does not compile for others than 6, 14, 18 and
/// 26.
pub(super) const fn directions<const HALF: usize>() -> [[i8; 3]; HALF] {
    assert!(
        HALF == 3 || HALF == 7 || HALF == 9 || HALF == 13,
        "there are 6-, 14-, 18- and 26-DOPs"
    );
    let mut result = [[0; 3]; HALF];
    let mut i = 0;
    while i < HALF {
        result[i] = ALL[if HALF == 9 && i >= 3 { EDGES + i - 3 } else { i }];
        i += 1;
    }
    result
}

/// The lengths of the directions, rounded to nearest.
pub(super) const fn lengths<const HALF: usize>() -> [f64; HALF] {
    let all = directions::<HALF>();
    let mut result = [1.0; HALF];
    let mut i = 0;
    while i < HALF {
        let [x, y, z] = all[i];
        result[i] = match x * x + y * y + z * z {
            1 => 1.0,
            2 => std::f64::consts::SQRT_2,
            _ => 1.732_050_807_568_877_2,
        };
        i += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sets as the paper lists them.
    #[test]
    fn the_directions_are_the_published_ones() {
        let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let corners = [[1, 1, 1], [1, -1, 1], [1, 1, -1], [1, -1, -1]];
        let edges = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, -1, 0], [1, 0, -1], [0, 1, -1]];
        let same = |found: &[[i8; 3]], parts: &[&[[i8; 3]]]| {
            let (mut p, mut q) = (found.to_vec(), parts.concat());
            p.sort_unstable();
            q.sort_unstable();
            assert_eq!(p, q);
        };
        same(&directions::<3>(), &[&axes]);
        same(&directions::<7>(), &[&axes, &corners]);
        same(&directions::<9>(), &[&axes, &edges]);
        same(&directions::<13>(), &[&axes, &corners, &edges]);
    }
}
