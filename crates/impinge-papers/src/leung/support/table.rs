//! A table of supporting vertices for 8 x 16 directions: start vertices of a local search.
//!
//! Leung 1996, section 3.5: the sphere of directions is divided into 8 bands of the polar angle and
//! 16 sectors of the azimuth. For each region the table stores the vertex that supports the hull in
//! the direction of the region's middle. The region of a direction is computed in constant time.
//! Its vertex is an approximation, from which the search continues.

use std::f64::consts::PI;

use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::math::Vec3;

/// The number of bands from pole to pole.
const BANDS: usize = 8;

/// The number of sectors around the axis.
const SECTORS: usize = 16;

/// The cosines of 1, 2 and 3 eighths of pi: the boundaries between the bands of one hemisphere.
const BAND_COSINES: [f64; 3] =
    [0.923_879_532_511_286_7, std::f64::consts::FRAC_1_SQRT_2, 0.382_683_432_365_089_8];

/// The tangent of pi / 8: the boundary between the two sectors of an octant.
const SECTOR_TANGENT: f64 = std::f64::consts::SQRT_2 - 1.0;

/// The supporting vertices of a hull for 8 x 16 directions, in the hull's frame.
///
/// ```
/// use impinge::Vec3;
/// use impinge::convex::Hull;
/// use impinge_papers::leung::DirectionTable;
///
/// let hull = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let table = DirectionTable::new(&hull);
/// let start = table.near(Vec3::new(0.1, 0.0, 7.0));
/// assert_eq!(hull.vertices()[start as usize], Vec3::Z);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectionTable {
    vertices: [u32; BANDS * SECTORS],
}

impl DirectionTable {
    /// Computes the vertices, each by an exact climb from that of the previous region.
    #[must_use]
    pub fn new(hull: &Hull) -> Self {
        let mut climb = Climb::default();
        let mut vertices = [0; BANDS * SECTORS];
        let mut last = 0;
        for band in 0..BANDS {
            for step in 0..SECTORS {
                // Alternates the order of the sectors, so that each region is adjacent to the
                // previous one.
                let sector = if band % 2 == 0 { step } else { SECTORS - 1 - step };
                last = hull.climb(Self::middle(band, sector), last, &mut climb);
                vertices[band * SECTORS + sector] = last;
            }
        }
        Self { vertices }
    }

    /// The vertex of the region that contains `direction` (in the hull's frame, of any length). It
    /// is close to the furthest vertex.
    ///
    /// Returns some vertex for a direction that is zero or not finite.
    #[inline]
    #[must_use]
    pub fn near(&self, direction: Vec3) -> u32 {
        self.vertices[region(direction)]
    }

    /// The size of the table in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self)
    }

    /// Whether all indices in the table are vertices of `hull`.
    pub(super) fn fits(&self, hull: &Hull) -> bool {
        self.vertices.iter().all(|v| (*v as usize) < hull.vertices().len())
    }

    /// The direction in the middle of a region.
    fn middle(band: usize, sector: usize) -> Vec3 {
        let polar = (band as f64 + 0.5) * (PI / BANDS as f64);
        let azimuth = (sector as f64 + 0.5) * (2.0 * PI / SECTORS as f64);
        let (around, up) = polar.sin_cos();
        Vec3::new(around * azimuth.cos(), around * azimuth.sin(), up)
    }
}

/// The index of the region that contains a direction, by comparison with the boundaries, without
/// trigonometric functions.
#[inline]
fn region(direction: Vec3) -> usize {
    let Vec3 { x, y, z } = direction;
    // The band: the number of band boundaries of its hemisphere that lie above the direction.
    let length = direction.length();
    let below = |cosine: &f64| usize::from(z.abs() < cosine * length);
    let from_pole: usize = BAND_COSINES.iter().map(below).sum();
    let band = if z < 0.0 { BANDS - 1 - from_pole } else { from_pole };
    // The sector within the quadrant: 0 to 3 from the x axis to the y axis.
    let (s, t) = (x.abs(), y.abs());
    let within = if t < s {
        usize::from(t >= SECTOR_TANGENT * s)
    } else {
        3 - usize::from(s >= SECTOR_TANGENT * t)
    };
    let sector = match (x < 0.0, y < 0.0) {
        (false, false) => within,
        (true, false) => 7 - within,
        (true, true) => 8 + within,
        (false, true) => 15 - within,
    };
    band * SECTORS + sector
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;

    #[test]
    fn the_middle_of_a_region_falls_into_it() {
        for band in 0..BANDS {
            for sector in 0..SECTORS {
                assert_eq!(region(DirectionTable::middle(band, sector)), band * SECTORS + sector);
            }
        }
    }

    #[test]
    fn regions_are_those_of_the_angles() {
        let mut random = Random::new(5);
        for _ in 0..20_000 {
            let d = random.direction();
            let (polar, azimuth) = (d.z.acos(), d.y.atan2(d.x).rem_euclid(2.0 * PI));
            let (band, sector) = (polar / (PI / 8.0), azimuth / (PI / 8.0));
            // Skip boundaries, where either side is correct.
            if [band, sector].iter().all(|c| (c - c.round()).abs() > 1e-9) {
                assert_eq!(region(d), band as usize * SECTORS + sector as usize, "{d}");
            }
            let scale = 10_f64.powi(random.index(200) as i32 - 100);
            assert_eq!(region(d * scale), region(d));
        }
    }

    #[test]
    fn any_direction_has_a_region() {
        let odd = [0.0, -0.0, f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX, 5e-324];
        for x in odd {
            for y in odd {
                for z in odd {
                    assert!(region(Vec3::new(x, y, z)) < BANDS * SECTORS);
                }
            }
        }
    }
}
