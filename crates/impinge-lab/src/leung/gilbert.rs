//! The improved Gilbert algorithm with Johnson's sub-algorithm (Leung 1996, sections 5.1 to 5.4), as a rival for the figures.

use impinge::convex::separating::Body;
use impinge::convex::{Climb, LocalSearch, VertexSearch};
use impinge::{Pose, Vec3};

/// Up to four pairs of vertices to begin with.
#[derive(Clone, Debug, Default)]
pub(super) struct Simplex {
    pub(super) pairs: Vec<[u32; 2]>,
}

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// From the closest point of A to that of B; zero if the bodies meet, to rounding.
    pub(super) vector: Vec3,
    pub(super) meet: bool,
    pub(super) steps: u32,
}

/// The closest points, from the simplex of the last frame on, which is left for the next.
pub(super) fn closest(
    a: &Body<'_>,
    b: &Body<'_>,
    pose: &Pose,
    simplex: &mut Simplex,
    climb: &mut Climb,
) -> Found {
    let difference = |[i, j]: [u32; 2]| {
        pose.transform_point(b.hull().vertices()[j as usize]) - a.hull().vertices()[i as usize]
    };
    let back = pose.rotation().transpose();
    if simplex.pairs.is_empty() {
        let between = pose.transform_point(b.centroid()) - a.centroid();
        simplex.pairs.push([a.start(between), b.start(back * -between)]);
    }
    let pairs = &mut simplex.pairs;
    pairs.truncate(4);
    let mut seen: Vec<[u32; 2]> = Vec::with_capacity(16);
    let (mut p, mut q) = (pairs[0][0], pairs[0][1]);
    let mut steps = 0;
    loop {
        steps += 1;
        let points: Vec<Vec3> = pairs.iter().map(|pair| difference(*pair)).collect();
        let (members, weights) = johnson(&points);
        let v: Vec3 = members.iter().zip(&weights).map(|(i, w)| points[*i] * *w).sum();
        *pairs = members.iter().map(|i| pairs[*i]).collect();
        let size = points.iter().fold(0.0_f64, |m, p| m.max(p.length_squared()));
        if pairs.len() == 4 || v.length_squared() <= 1e-28 * size {
            return Found { vector: Vec3::ZERO, meet: true, steps };
        }
        p = LocalSearch::exact(a.hull()).search(v, p, climb);
        q = LocalSearch::exact(b.hull()).search(back * -v, q, climb);
        if seen.contains(&[p, q]) || pairs.contains(&[p, q]) {
            return Found { vector: v, meet: false, steps };
        }
        seen.push([p, q]);
        pairs.push([p, q]);
    }
}

/// The subset of one to four points whose hull has the point closest to the origin, with the weights: equations (5.3) to (5.6), and (5.7) where rounding leaves none.
fn johnson(points: &[Vec3]) -> (Vec<usize>, Vec<f64>) {
    let n = points.len();
    let mut dots = [[0.0; 4]; 4];
    for (i, p) in points.iter().enumerate() {
        for (j, q) in points.iter().enumerate() {
            dots[i][j] = p.dot(*q);
        }
    }
    // deltas[s][i] for every subset s, as bits, and every member i.
    let mut deltas = [[0.0; 4]; 16];
    let is_in = |s: usize, i: usize| s >> i & 1 == 1;
    for s in 1..1_usize << n {
        if s.is_power_of_two() {
            deltas[s][s.trailing_zeros() as usize] = 1.0;
        }
        let k = s.trailing_zeros() as usize;
        for j in (0..n).filter(|j| !is_in(s, *j)) {
            deltas[s | 1 << j][j] = (0..n)
                .filter(|i| is_in(s, *i))
                .map(|i| deltas[s][i] * (dots[i][k] - dots[i][j]))
                .sum();
        }
    }
    let is_inside = |s: usize| (0..n).filter(|i| is_in(s, *i)).all(|i| deltas[s][i] > 0.0);
    let is_closest =
        |s: usize| (0..n).filter(|j| !is_in(s, *j)).all(|j| deltas[s | 1 << j][j] <= 0.0);
    let total = |s: usize| (0..n).filter(|i| is_in(s, *i)).map(|i| deltas[s][i]).sum::<f64>();
    let distance = |s: usize| {
        let k = s.trailing_zeros() as usize;
        let sum: f64 = (0..n).filter(|i| is_in(s, *i)).map(|i| deltas[s][i] * dots[i][k]).sum();
        sum / total(s)
    };
    let subsets = 1..1_usize << n;
    let best = subsets.clone().find(|s| is_inside(*s) && is_closest(*s)).or_else(|| {
        subsets.filter(|s| is_inside(*s)).min_by(|s, t| distance(*s).total_cmp(&distance(*t)))
    });
    let s = best.unwrap_or(1);
    let members: Vec<usize> = (0..n).filter(|i| is_in(s, *i)).collect();
    let weights = members.iter().map(|i| deltas[s][*i] / total(s)).collect();
    (members, weights)
}

#[cfg(test)]
mod tests {
    use super::super::world::{Setting, Shape, record};
    use super::*;
    use impinge::convex::decide::{Hint, closest as exact};

    #[test]
    fn distances_are_exact_to_rounding() {
        let recording = record(&Setting::usual(&Shape::ALL, 20, 40, 30, 2)).unwrap();
        let bodies: Vec<Body<'_>> = recording.hulls.iter().map(Body::new).collect();
        let mut simplices = vec![Simplex::default(); recording.episodes];
        let mut climb = Climb::default();
        for request in recording.frames.iter().flatten() {
            let (a, b) = (&bodies[request.a as usize], &bodies[request.b as usize]);
            let moved: Vec<Vec3> =
                b.hull().vertices().iter().map(|v| request.pose.transform_point(*v)).collect();
            let truth = exact(a.hull().vertices(), &moved, &Hint::NONE).unwrap().upper;
            let simplex = &mut simplices[request.episode as usize];
            let found = closest(a, b, &request.pose, simplex, &mut climb);
            assert!((found.vector.length() - truth).abs() < 1e-7, "{found:?} {truth}");
            assert!(found.meet == (truth == 0.0) || truth < 1e-7);
        }
    }
}
