//! The directions of the k-DOPs (Klosowski et al. 1998, section 3.3.3), in the order in which they
//! are compared (section 4.4).

/// The three axes, the four space diagonals of the cube and the six diagonals of its faces.
///
/// Comparisons along similar directions tend to have the same result. So each direction is as far
/// as possible from those before it: the axes are perpendicular, the space diagonals are 55 degrees
/// from the axes, and the face diagonals are 35 degrees from the nearest earlier direction, in
/// perpendicular pairs.
const ALL_DIRECTIONS: [[i8; 3]; 13] = [
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

/// The index of the first face diagonal.
const FIRST_FACE_DIAGONAL: usize = 7;

/// The directions of the k-DOP with `k = 2 * HALF`. Compiles for `k` = 6, 14, 18 and 26 only.
pub(super) const fn directions<const HALF: usize>() -> [[i8; 3]; HALF] {
    assert!(
        HALF == 3 || HALF == 7 || HALF == 9 || HALF == 13,
        "there are 6-, 14-, 18- and 26-DOPs"
    );
    let mut result = [[0; 3]; HALF];
    let mut i = 0;
    while i < HALF {
        result[i] =
            ALL_DIRECTIONS[if HALF == 9 && i >= 3 { FIRST_FACE_DIAGONAL + i - 3 } else { i }];
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

    /// The sets of directions as listed in the paper.
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
