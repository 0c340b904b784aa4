//! All shapes by name, with the number of polygons as the only parameter. Experiments iterate over
//! them.
//!
//! Zachmann 1994, sections 3.6 and 8.1, and Klosowski et al. 1998, section 5.2, measure as a
//! function of the number of polygons, from ten to a hundred thousand.

use std::fmt;

use super::aircraft::{aircraft_polygons, aircraft_surface};
use super::blocks::{axis_surface, cube_array_surface};
use super::deformed::deformed_surface;
use super::fields::{stalagmites_surface, tetrahedra_surface};
use super::flake::flake_surface;
use super::gear::Gear;
use super::hand::{hand_polygons, hand_surface};
use super::hills::hills_surface;
use super::hyperboloid::hyperboloid_surface;
use super::interior::{interior_surface, items_for};
use super::lamp::lamp_surface;
use super::pipes::pipes_surface;
use super::spiral::spiral_outline;
use impinge::Error;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::grid::plane_surface;
use impinge::internals::shapes::params::count;
use impinge::internals::shapes::prism::{prism_surface, star_outline};
use impinge::internals::shapes::revolve::{capsule_profile, refine, revolve_surface, tube_profile};
use impinge::internals::shapes::solids::cuboid_surface;
use impinge::internals::shapes::sphere::{ellipsoid_surface, icosphere_surface};
use impinge::internals::shapes::sweep::coil_surface;
use impinge::internals::shapes::torus::torus_surface;
use impinge::math::{Aabb, Vec3};
use impinge::mesh::Mesh;

/// Minimum number of polygons of [`Model::generate`].
pub const MIN_POLYGONS: usize = 4;

/// A kind of generated shape.
///
/// ```
/// use impinge_samples::shapes::Model;
///
/// for shape in Model::ALL {
///     let mesh = shape.generate(500, 1)?;
///     assert!(mesh.triangles().len() >= 250, "{shape}");
/// }
/// assert_eq!(Model::from_name("tetra-flake"), Some(Model::TetraFlake));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Model {
    /// A box with a grid on its faces, [`cuboid_grid`](super::cuboid_grid).
    Box,
    /// A flat sheet, [`plane`](super::plane). Open.
    Plane,
    /// A hilly sheet, [`hills`](super::hills). Open, seeded.
    Hills,
    /// A sphere with poles, [`uv_sphere`](super::uv_sphere).
    Sphere,
    /// A sphere of nearly equal triangles, [`icosphere`](super::icosphere).
    Icosphere,
    /// An ellipsoid of three different half axes, [`ellipsoid`](super::ellipsoid).
    Ellipsoid,
    /// A torus, [`torus`](super::torus).
    Torus,
    /// A bumpy torus, [`deformed_torus`](super::deformed_torus). Seeded.
    DeformedTorus,
    /// A cylinder.
    Cylinder,
    /// A cone.
    Cone,
    /// A capsule.
    Capsule,
    /// A straight pipe with a wall, [`tube`](super::tube).
    Tube,
    /// A hyperboloid of one sheet, [`hyperboloid`](super::hyperboloid).
    Hyperboloid,
    /// A tetra-flake, [`tetra_flake`](super::tetra_flake). Its last level may be incomplete.
    TetraFlake,
    /// A lattice of cubes, [`cube_array`](super::cube_array).
    CubeArray,
    /// Three crossed bars, [`axis_body`](super::axis_body).
    AxisBody,
    /// A coil spring, [`coil`](super::coil).
    Coil,
    /// A system of pipes, [`pipes`](super::pipes). Seeded.
    Pipes,
    /// Stalagmites on a floor, [`stalagmites`](super::stalagmites). Seeded.
    Stalagmites,
    /// Disjoint tetrahedra, [`tetrahedra_field`](super::tetrahedra_field). Seeded.
    Tetrahedra,
    /// A star prism, [`star_prism`](super::star_prism).
    StarPrism,
    /// A spiral prism, [`spiral_prism`](super::spiral_prism).
    SpiralPrism,
    /// A gear with a bore, [`Gear`].
    Gear,
    /// A table lamp, [`lamp`](super::lamp).
    Lamp,
    /// A hand, [`hand`](super::hand).
    Hand,
    /// An airliner, [`aircraft`](super::aircraft).
    Aircraft,
    /// A crowded room, [`interior`](super::interior). Seeded.
    Interior,
}

impl Model {
    /// Every kind, in the order of their declaration.
    pub const ALL: [Self; 27] = [
        Self::Box,
        Self::Plane,
        Self::Hills,
        Self::Sphere,
        Self::Icosphere,
        Self::Ellipsoid,
        Self::Torus,
        Self::DeformedTorus,
        Self::Cylinder,
        Self::Cone,
        Self::Capsule,
        Self::Tube,
        Self::Hyperboloid,
        Self::TetraFlake,
        Self::CubeArray,
        Self::AxisBody,
        Self::Coil,
        Self::Pipes,
        Self::Stalagmites,
        Self::Tetrahedra,
        Self::StarPrism,
        Self::SpiralPrism,
        Self::Gear,
        Self::Lamp,
        Self::Hand,
        Self::Aircraft,
        Self::Interior,
    ];

    /// The name on the command line: lower case, words joined by hyphens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Plane => "plane",
            Self::Hills => "hills",
            Self::Sphere => "sphere",
            Self::Icosphere => "icosphere",
            Self::Ellipsoid => "ellipsoid",
            Self::Torus => "torus",
            Self::DeformedTorus => "deformed-torus",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Capsule => "capsule",
            Self::Tube => "tube",
            Self::Hyperboloid => "hyperboloid",
            Self::TetraFlake => "tetra-flake",
            Self::CubeArray => "cube-array",
            Self::AxisBody => "axis-body",
            Self::Coil => "coil",
            Self::Pipes => "pipes",
            Self::Stalagmites => "stalagmites",
            Self::Tetrahedra => "tetrahedra",
            Self::StarPrism => "star-prism",
            Self::SpiralPrism => "spiral-prism",
            Self::Gear => "gear",
            Self::Lamp => "lamp",
            Self::Hand => "hand",
            Self::Aircraft => "aircraft",
            Self::Interior => "interior",
        }
    }

    /// The kind with this [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
    }

    /// Whether the mesh consists of closed pieces, each consistently oriented outward.
    #[must_use]
    pub fn is_closed(self) -> bool {
        !matches!(self, Self::Plane | Self::Hills)
    }

    /// Whether the shape depends on the seed.
    #[must_use]
    pub fn is_seeded(self) -> bool {
        matches!(
            self,
            Self::Hills
                | Self::DeformedTorus
                | Self::Pipes
                | Self::Stalagmites
                | Self::Tetrahedra
                | Self::Interior
        )
    }

    /// Generates a mesh with about `polygons` polygons, about as large as the ball of radius 1
    /// around the origin.
    ///
    /// From 50 polygons on, the number is correct within a factor of 2, and from 1000 on within a
    /// quarter, usually much closer. Below 50 it may be larger if a shape needs more. The number of
    /// triangles is up to about twice as large, because most polygons are quads. The same shape,
    /// number and seed yield the same bits on one platform (see the [module](super)).
    ///
    /// # Errors
    /// `BadParameter` unless `polygons` is from [`MIN_POLYGONS`] to
    /// [`MAX_POLYGONS`](super::MAX_POLYGONS) over four.
    pub fn generate(self, polygons: usize, seed: u64) -> Result<Mesh, Error> {
        count("the number of polygons", polygons, MIN_POLYGONS)?;
        impinge::internals::shapes::params::total(
            "shape (within a factor of four)",
            &[4, polygons],
        )?;
        let mut surface = self.surface(polygons, seed)?;
        self.fit(&mut surface);
        surface.finish()
    }

    /// Moves and scales shapes with another position or size into the ball of radius 1.
    fn fit(self, surface: &mut Surface) {
        if matches!(
            self,
            Self::Pipes
                | Self::SpiralPrism
                | Self::Gear
                | Self::Lamp
                | Self::Hand
                | Self::Aircraft
                | Self::Interior
        ) {
            let bounds = Aabb::from_points(surface.vertices().iter().copied());
            let (middle, half) = (bounds.center(), 0.5 * (bounds.max - bounds.min).max_element());
            surface.map(|v| (v - middle) / half);
        }
    }

    fn surface(self, n: usize, seed: u64) -> Result<Surface, Error> {
        match self {
            Self::Box => cuboid_surface(Vec3::splat(1.2), box_cells(n, 1.0)),
            Self::Plane => {
                let [u, v] = split(n, 1.0, [1, 1]);
                plane_surface([2.0, 2.0], [u, v])
            }
            Self::Hills => {
                let [u, v] = split(n / 2, 1.0, [1, 1]);
                hills_surface([2.0, 2.0], [u, v], 0.3, seed)
            }
            Self::Sphere => {
                let [segments, rings] = split(n, 2.0, [3, 2]);
                ellipsoid_surface(Vec3::ONE, rings, segments)
            }
            Self::Icosphere => icosphere_surface(1.0, round(real(n) / 20.0, 0.5).max(1)),
            Self::Ellipsoid => {
                let [segments, rings] = split(n, 2.0, [3, 2]);
                ellipsoid_surface(Vec3::new(1.0, 0.7, 0.4), rings, segments)
            }
            Self::Torus => {
                let [around, across] = split(n, 2.0, [3, 3]);
                torus_surface(0.7, 0.3, around, across)
            }
            Self::DeformedTorus => {
                let [around, across] = split(n / 2, 2.0, [3, 3]);
                deformed_surface(0.65, 0.25, [around, across], 0.35, seed)
            }
            Self::Cylinder => {
                let [segments, bands] = split(n.saturating_sub(2), 2.0, [3, 1]);
                revolve_surface(&refine(&[[0.6, -0.8], [0.6, 0.8]], bands), segments)
            }
            Self::Cone => {
                let [segments, bands] = split(n.saturating_sub(1), 2.0, [3, 1]);
                revolve_surface(&refine(&[[0.7, -0.7], [0.0, 1.0]], bands), segments)
            }
            Self::Capsule => {
                // The number of bands is odd: 2 * rings + 1.
                let bands = round(real(n) / 2.0, 0.5).max(3);
                let rings = (bands - 1) / 2;
                let segments = (n / (2 * rings + 1)).max(3);
                revolve_surface(&capsule_profile(0.5, 0.5, 1.0, rings)?, segments)
            }
            Self::Tube => {
                let pieces = (round(real(n) / 2.0, 0.5) / 4).max(1);
                let profile = tube_profile(0.6, 0.45, 1.6)?;
                revolve_surface(&refine(&profile, pieces), (n / (4 * pieces)).max(3))
            }
            Self::Hyperboloid => {
                let [segments, rings] = split(n.saturating_sub(2), 1.5, [3, 2]);
                hyperboloid_surface(0.3, 0.6, 1.6, rings, segments)
            }
            Self::TetraFlake => flake_surface(1.0, (n - 4) / 5),
            Self::CubeArray => {
                let cubes = (n / 6).max(1);
                let side = round(real(cubes), 1.0 / 3.0).max(1);
                let counts = [side, side, (cubes / (side * side)).max(1)];
                let pitch = 2.0 / real(side.max(counts[2]));
                cube_array_surface(counts, pitch, 0.6 * pitch)
            }
            Self::AxisBody => {
                let [along, across, _] = box_cells(n / 3, 10.0);
                axis_surface(1.8, 0.18, along, across)
            }
            Self::Coil => {
                let segments = round(real(n) / 24.0, 0.5).clamp(4, 64);
                let runs = (n.saturating_sub(2) / segments).max(6);
                let turns = (real(runs) / 6.0).min(6.0);
                let steps = (runs / round(turns, 1.0).max(1)).max(6);
                let turns = real(runs) / real(steps);
                let pitch = 1.6 / turns.max(1.0);
                coil_surface([0.7, (0.4 * pitch).min(0.15), pitch], turns, steps, segments)
            }
            Self::Pipes => {
                let pipes = round(real(n) / 200.0, 1.0).max(1);
                let each = n / pipes;
                let segments = if each < 150 { 6 } else { 8 };
                let runs = (each / segments + 5) / 4;
                pipes_surface(pipes, runs.max(1), segments, seed)
            }
            Self::Stalagmites => {
                let spikes = round(real(n) / 60.0, 1.0).max(1);
                let each = n.saturating_sub(6) / spikes;
                let segments = if each < 30 { 6 } else { 8 };
                let rings = round(real(each) / real(segments), 1.0).max(1);
                stalagmites_surface(spikes, rings, segments, seed)
            }
            Self::Tetrahedra => {
                let space = Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(1.0));
                let tetrahedra = (n / 4).max(1);
                let near = round(real(tetrahedra), 1.0 / 3.0);
                let side = if near * near * near < tetrahedra { near + 1 } else { near };
                tetrahedra_surface(tetrahedra, seed, space, 0.7 / real(side))
            }
            Self::StarPrism => {
                let [corners, layers] = split(n.saturating_sub(2), 4.0, [10, 1]);
                let points = (corners / 2).clamp(5, 200);
                let layers = layers.max(n / (2 * points)).max(1);
                prism_surface(&star_outline(points, 1.0, 0.5)?, 0.6, layers)
            }
            Self::SpiralPrism => {
                let [sides, _] = split(n.saturating_sub(2), 8.0, [26, 1]);
                let steps = (sides / 2 - 1).clamp(12, 600);
                let layers = (n / (2 * steps + 2)).max(1);
                let turns = (real(steps) / 12.0).min(4.0);
                prism_surface(&spiral_outline(1.0, 0.5, turns, steps)?, 2.0, layers)
            }
            Self::Gear => {
                let flank_points = if n < 400 { 2 } else { 6 };
                let teeth = round(real(n) * 0.6, 0.5).clamp(6, 200);
                let layers = (n / teeth / (2 * flank_points + 1)).max(1);
                let each = (2 * flank_points + 1) * layers + 2;
                let gear = Gear {
                    teeth: (n / each).max(6),
                    flank_points,
                    bore_pieces: 1,
                    layers,
                    ..Gear::default()
                };
                Gear {
                    bore: 0.5 * gear.root_radius(),
                    thickness: 0.3 * gear.pitch_radius(),
                    ..gear
                }
                .surface()
            }
            Self::Lamp => {
                let pieces = (round(real(n) / 2.0, 0.5) / 10).max(1);
                lamp_surface(1.0, (n.saturating_sub(4) / (10 * pieces + 1)).max(3), pieces)
            }
            Self::Hand => {
                let bands = (round(real(n) / 17.0, 0.5) * 3 / 4).max(1);
                let least = hand_polygons(3, bands);
                let more = n.saturating_sub(least) / (17 * bands);
                hand_surface(1.0, 0.25, 3 + more, bands)
            }
            Self::Aircraft => {
                let fine = n >= aircraft_polygons(4, 1, true);
                let each = if fine { 25 } else { 12 };
                let pieces = (round(real(n) / real(each), 0.5) / 4).max(1);
                let segments = (n.saturating_sub(18) / (2 * each * pieces)).max(2) * 2;
                aircraft_surface(1.0, segments, pieces, fine)
            }
            Self::Interior => interior_surface(items_for(n), seed),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

fn real(n: usize) -> f64 {
    n as f64
}

/// `x` to a power, to the nearest whole number.
fn round(x: f64, power: f64) -> usize {
    x.powf(power).round() as usize
}

/// Two counts with a product near `n`, the first about `aspect` times the second, each at least its
/// minimum in `least`.
fn split(n: usize, aspect: f64, least: [usize; 2]) -> [usize; 2] {
    let v = round(real(n) / aspect, 0.5).max(least[1]);
    let u = round(real(n) / real(v), 1.0).max(least[0]);
    [u, v]
}

/// The cells of a box `aspect` times as long as wide, with about `n` squares on its faces, the long
/// axis first.
fn box_cells(n: usize, aspect: f64) -> [usize; 3] {
    let across = round(real(n) / (2.0 + 4.0 * aspect), 0.5).max(1);
    let along = round(real(n.saturating_sub(2 * across * across)) / real(4 * across), 1.0).max(1);
    [along, across, across]
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    #[test]
    fn every_shape_has_about_the_requested_number_of_polygons() {
        let mut wrong = Vec::new();
        for shape in Model::ALL {
            for n in [
                50, 64, 77, 100, 123, 150, 200, 333, 404, 500, 750, 1000, 2000, 5000, 10_000,
                50_000,
            ] {
                let got = shape.surface(n, 1).unwrap().polygon_count();
                let ratio = real(got) / real(n);
                let allowed = if n < 1000 { 2.0 } else { 1.25 };
                if ratio > allowed || ratio < 1.0 / allowed {
                    wrong.push(format!("{shape} {n}: {got}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn every_shape_is_sound_closed_as_documented_and_of_unit_size() {
        for shape in Model::ALL {
            for n in [4, 5, 7, 20, 50, 300, 1234] {
                let mesh = shape.generate(n, 7).unwrap_or_else(|e| panic!("{shape} {n}: {e}"));
                if shape.is_closed() {
                    assert_closed(&mesh);
                } else {
                    assert_sound(&mesh);
                }
                let size = mesh.bounds().extent().max_element();
                let far = mesh.bounds().max.abs().max(mesh.bounds().min.abs()).max_element();
                assert!(size > 0.5 && far < 1.5, "{shape} {n}: {:?}", mesh.bounds());
            }
        }
    }

    #[test]
    fn the_seed_determines_the_mesh() {
        for shape in Model::ALL {
            let [a, b, c] = [3, 3, 4].map(|seed| shape.generate(300, seed).unwrap());
            assert_same_bits(&a, &b);
            assert_eq!(shape.is_seeded(), a.vertices() != c.vertices(), "{shape}");
        }
    }

    #[test]
    fn names_are_unique_and_invertible() {
        for shape in Model::ALL {
            assert_eq!(Model::from_name(shape.name()), Some(shape));
            assert_eq!(format!("{shape:>16}").trim(), shape.name());
        }
        assert_eq!(Model::from_name("teapot"), None);
    }

    #[test]
    fn invalid_numbers_are_refused() {
        for shape in Model::ALL {
            assert_bad(shape.generate(3, 0), "polygons is 3");
            assert_bad(shape.generate(usize::MAX, 0), "polygons");
            assert_bad(shape.generate(1 << 23, 0), "factor of four");
        }
    }
}
