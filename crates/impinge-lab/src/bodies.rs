//! Hulls with a given number of vertices, and poses that bring two of them to a given distance.

use anyhow::Result;
use impinge::convex::{self, Hull};
use impinge::{Pose, Vec3};

use impinge::internals::Random;

/// Families of hulls: those of the peer measurements, and random points in a ball.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Points on an ellipsoid with half axes 1, 0.8 and 0.6.
    Ellipsoid,
    /// Points on an ellipsoid with half axes 1, 0.2 and 0.2.
    Rod,
    /// Points on an ellipsoid with half axes 1, 1 and 0.2.
    Plate,
    /// Vertices of the hull of random points in a ball.
    Random,
}

impl Shape {
    pub(crate) const ALL: [Self; 4] = [Self::Ellipsoid, Self::Rod, Self::Plate, Self::Random];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ellipsoid => "ellipsoid",
            Self::Rod => "rod",
            Self::Plate => "plate",
            Self::Random => "random",
        }
    }

    /// A hull of `n` vertices.
    pub(crate) fn hull(self, n: usize, random: &mut Random) -> Result<Hull> {
        let axes = match self {
            Self::Ellipsoid => Vec3::new(1.0, 0.8, 0.6),
            Self::Rod => Vec3::new(1.0, 0.2, 0.2),
            Self::Plate => Vec3::new(1.0, 1.0, 0.2),
            Self::Random => return random_hull(n, random),
        };
        let points: Vec<Vec3> = (0..n).map(|_| direction(random) * axes).collect();
        Ok(Hull::new(&points)?)
    }
}

/// The hull of `n` random vertices of the hull of random points in a ball.
fn random_hull(n: usize, random: &mut Random) -> Result<Hull> {
    let mut points = Vec::new();
    // About 3 times the square root of the number of points are vertices.
    let mut target = (n * n / 8).max(4 * n).max(8);
    loop {
        while points.len() < target {
            let p = random.in_cube();
            if p.length_squared() <= 1.0 {
                points.push(p);
            }
        }
        let hull = Hull::new(&points)?;
        let mut corners = hull.vertices().to_vec();
        if corners.len() >= n {
            // A random choice, so that the vertices are spread over the whole ball.
            for i in 0..n {
                let rest = (corners.len() - i) as u64;
                corners.swap(i, i + (random.bits() % rest) as usize);
            }
            return Ok(Hull::new(&corners[..n])?);
        }
        target *= 2;
    }
}

/// A random unit vector.
pub(crate) fn direction(random: &mut Random) -> Vec3 {
    loop {
        let v = random.in_cube();
        if (0.01..=1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// B in a random orientation, moved along a random direction until it is `gap` beyond the first
/// contact with A.
pub(crate) fn approach(a: &Hull, b: &Hull, gap: f64, random: &mut Random) -> Result<Pose> {
    let turn = Pose::from_axis_angle(direction(random), std::f64::consts::PI * random.signed())?;
    let axis = direction(random);
    let at = |r: f64| -> Result<Pose> { Ok(Pose::from_translation(axis * r)?.compose(&turn)?) };
    let size = |hull: &Hull| hull.bounds().extent().length();
    let (mut hit, mut free) = (0.0, size(a) + size(b));
    while free - hit > 1e-9 * free {
        let middle = 0.5 * (hit + free);
        if convex::intersects(a, b, &at(middle)?).is_intersecting() {
            hit = middle;
        } else {
            free = middle;
        }
        if hit == 0.0 && free < 1e-6 {
            break;
        }
    }
    at(free + gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls_have_the_requested_vertices() {
        let mut random = Random::new(1);
        for shape in Shape::ALL {
            for n in [10, 60] {
                assert_eq!(shape.hull(n, &mut random).unwrap().vertices().len(), n, "{shape:?}");
            }
        }
    }

    #[test]
    fn an_approach_ends_at_its_gap() {
        let mut random = Random::new(2);
        let a = Shape::Ellipsoid.hull(30, &mut random).unwrap();
        let b = Shape::Rod.hull(20, &mut random).unwrap();
        for _ in 0..10 {
            let apart = approach(&a, &b, 0.1, &mut random).unwrap();
            let gap = convex::distance(&a, &b, &apart).upper;
            assert!(gap > 0.0 && gap < 0.100_001, "{gap}");
            let inside = approach(&a, &b, -0.1, &mut random).unwrap();
            assert!(convex::intersects(&a, &b, &inside).is_intersecting());
        }
    }
}
