//! Spur gears with involute teeth.
//!
//! Standard proportions: pressure angle 20 degrees, addendum one module, dedendum 1.25 modules. Two
//! such gears of the same module mesh at the sum of their pitch radii.

use std::f64::consts::{PI, TAU};

use impinge::Error;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{bad, count, length, total};
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// The pressure angle of the teeth, in radians.
const PRESSURE_ANGLE: f64 = 20.0 * PI / 180.0;

/// The difference between the widths of a gap and a tooth, in modules along the pitch circle.
const BACKLASH: f64 = 0.04;

/// A spur gear.
///
/// ```
/// use impinge_samples::shapes::Gear;
///
/// let wheel = Gear { teeth: 24, module: 2.5, thickness: 10.0, bore: 8.0, ..Gear::default() };
/// assert_eq!(wheel.pitch_radius(), 30.0);
/// assert!(wheel.mesh()?.triangles().len() > 1000);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gear {
    /// The number of teeth, at least 6. One tooth points along the x axis.
    pub teeth: usize,
    /// The module: pitch diameter over number of teeth.
    pub module: f64,
    /// The size along the z axis, from `-thickness / 2` to `thickness / 2`.
    pub thickness: f64,
    /// The radius of the hole along the z axis, smaller than the root radius. Zero for no hole:
    /// then each end is one non-convex polygon.
    pub bore: f64,
    /// The number of points of each flank from root to tip, at least 2.
    pub flank_points: usize,
    /// The number of straight pieces of the bore for every tooth, at least 1.
    pub bore_pieces: usize,
    /// The number of layers of polygons along the z axis, at least 1.
    pub layers: usize,
}

impl Default for Gear {
    /// A small gear of module 1 with 16 teeth.
    fn default() -> Self {
        Self {
            teeth: 16,
            module: 1.0,
            thickness: 4.0,
            bore: 3.0,
            flank_points: 6,
            bore_pieces: 2,
            layers: 1,
        }
    }
}

impl Gear {
    /// The radius of the pitch circle, which rolls on that of the mating gear: half of module times
    /// teeth.
    #[must_use]
    pub fn pitch_radius(&self) -> f64 {
        let teeth = self.teeth as f64;
        0.5 * self.module * teeth
    }

    /// The radius at the tips of the teeth.
    #[must_use]
    pub fn tip_radius(&self) -> f64 {
        self.pitch_radius() + self.module
    }

    /// The radius at the bottom of the gaps.
    #[must_use]
    pub fn root_radius(&self) -> f64 {
        self.pitch_radius() - 1.25 * self.module
    }

    /// The mesh: closed, all polygons planar.
    ///
    /// `teeth * ((2 * flank_points + bore_pieces) * layers + 2)` polygons with a bore, and
    /// `teeth * 2 * flank_points * layers + 2` without.
    ///
    /// # Errors
    /// `BadParameter` if a field is outside its documented range.
    pub fn mesh(&self) -> Result<Mesh, Error> {
        self.surface()?.finish()
    }

    pub(super) fn surface(&self) -> Result<Surface, Error> {
        length("the gear's module", self.module)?;
        length("the gear's thickness", self.thickness)?;
        count("the number of teeth", self.teeth, 6)?;
        count("the number of flank points", self.flank_points, 2)?;
        count("the number of bore pieces", self.bore_pieces, 1)?;
        count("the number of layers", self.layers, 1)?;
        total("gear", &[self.teeth, 2 * self.flank_points + self.bore_pieces, self.layers + 2])?;
        if !(self.bore == 0.0 || (self.bore > 0.0 && self.bore < self.root_radius())) {
            return Err(bad(format!(
                "the gear's bore is {}: it must be 0 for none, or a radius below the root radius {}",
                self.bore,
                self.root_radius()
            )));
        }
        if self.bore > 0.0 {
            length("the gear's bore", self.bore)?;
        }
        let mut surface = Surface::new();
        let outline = self.outline();
        let hole = if self.bore > 0.0 { self.hole() } else { Vec::new() };
        let layers: Vec<[Vec<u32>; 2]> = (0..=self.layers)
            .map(|i| {
                let z = self.thickness * (i as f64 / self.layers as f64 - 0.5);
                let mut raise = |points: &[[f64; 2]]| -> Vec<u32> {
                    points.iter().map(|[x, y]| surface.vertex(Vec3::new(*x, *y, z))).collect()
                };
                [raise(&outline), raise(&hole)]
            })
            .collect();
        for pair in layers.windows(2) {
            wall(&mut surface, &pair[0][0], &pair[1][0]);
            wall(&mut surface, &pair[1][1], &pair[0][1]);
        }
        for (layer, up) in [(&layers[0], false), (&layers[self.layers], true)] {
            self.face(&mut surface, layer, up);
        }
        Ok(surface)
    }

    /// The outline of the teeth, counter-clockwise: `2 * flank_points` points per tooth.
    fn outline(&self) -> Vec<[f64; 2]> {
        let (teeth, steps) = (self.teeth as f64, (self.flank_points - 1) as f64);
        let base = self.pitch_radius() * PRESSURE_ANGLE.cos();
        // The angle from the middle of a tooth to its flank: half a tooth at the pitch circle,
        // decreasing along the involute.
        let at_pitch = (0.5 * PI - 0.5 * BACKLASH) / teeth + involute(PRESSURE_ANGLE);
        let half_angle = |r: f64| at_pitch - involute((base / r).min(1.0).acos());
        // The flanks of small gears would intersect below the tip circle. Such teeth are cut off
        // below that point.
        let (root, mut tip) = (self.root_radius(), self.tip_radius());
        while half_angle(tip) < 0.1 * at_pitch {
            tip -= 0.05 * self.module;
        }
        // Below the base circle the flank is a straight line to the root, given by its two ends.
        let skipped = usize::from(root < base && self.flank_points > 2);
        let foot = if skipped == 1 { base } else { root };
        let flank: Vec<[f64; 2]> = (0..self.flank_points)
            .map(|k| {
                let r = if k == 0 {
                    root
                } else {
                    foot + (tip - foot) * ((k - skipped) as f64 / (steps - skipped as f64))
                };
                [r, half_angle(r)]
            })
            .collect();
        let mut outline = Vec::with_capacity(2 * self.flank_points * self.teeth);
        for tooth in 0..self.teeth {
            let middle = TAU * (tooth as f64 / teeth);
            let point = |r: f64, angle: f64| {
                let (sin, cos) = (middle + angle).sin_cos();
                [r * cos, r * sin]
            };
            outline.extend(flank.iter().map(|[r, angle]| point(*r, -angle)));
            outline.extend(flank.iter().rev().map(|[r, angle]| point(*r, *angle)));
        }
        outline
    }

    /// The points of the bore. Every `bore_pieces`-th point is at the angle of the middle of a gap.
    fn hole(&self) -> Vec<[f64; 2]> {
        let pieces = self.bore_pieces;
        let start = -PI / self.teeth as f64;
        (0..self.teeth * pieces)
            .map(|i| {
                let angle = start + TAU * (i as f64 / (self.teeth * pieces) as f64);
                let (sin, cos) = angle.sin_cos();
                [self.bore * cos, self.bore * sin]
            })
            .collect()
    }

    /// Adds one end: a polygon per tooth down to the bore, or one polygon without a bore.
    fn face(&self, surface: &mut Surface, [outline, hole]: &[Vec<u32>; 2], up: bool) {
        let mut add = |mut polygon: Vec<u32>| {
            if !up {
                polygon.reverse();
            }
            surface.polygon(polygon);
        };
        if hole.is_empty() {
            add(outline.clone());
            return;
        }
        let (per_tooth, pieces) = (2 * self.flank_points, self.bore_pieces);
        for tooth in 0..self.teeth {
            let teeth = (0..=per_tooth).map(|k| outline[(tooth * per_tooth + k) % outline.len()]);
            let bore = (0..=pieces).rev().map(|k| hole[(tooth * pieces + k) % hole.len()]);
            add(teeth.chain(bore).collect());
        }
    }
}

/// The involute function, `tan a - a`.
fn involute(angle: f64) -> f64 {
    angle.tan() - angle
}

fn wall(surface: &mut Surface, below: &[u32], above: &[u32]) {
    for i in 0..below.len() {
        let k = (i + 1) % below.len();
        surface.polygon([below[i], below[k], above[k], above[i]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    #[test]
    fn gears_are_closed_counted_and_planar() {
        for teeth in [6, 7, 16, 24, 100] {
            for (bore, layers) in [(0.0, 1), (1.0, 3)] {
                let gear = Gear { teeth, bore, layers, ..Gear::default() };
                let surface = gear.surface().unwrap();
                let expected =
                    if bore > 0.0 { teeth * (14 * layers + 2) } else { teeth * 12 * layers + 2 };
                assert_eq!(surface.polygon_count(), expected);
                assert_planar(&surface);
                let mesh = surface.finish().unwrap();
                assert_eq!(assert_closed(&mesh), 1);
                let full = PI * gear.thickness;
                let v = volume(&mesh) + full * bore * bore;
                assert!(v > full * gear.root_radius().powi(2) * 0.8, "{teeth}");
                assert!(v < full * gear.tip_radius().powi(2));
            }
        }
    }

    #[test]
    fn tooth_and_gap_are_equal_on_the_pitch_circle_except_backlash() {
        let gear = Gear { teeth: 20, flank_points: 200, ..Gear::default() };
        let outline = gear.outline();
        let at = outline[..200]
            .iter()
            .min_by(|a, b| {
                let off = |p: &[f64; 2]| (p[0].hypot(p[1]) - gear.pitch_radius()).abs();
                off(a).total_cmp(&off(b))
            })
            .unwrap();
        let half = -at[1].atan2(at[0]) * gear.pitch_radius();
        assert!((half - (PI / 4.0 - 0.01 * 1.0)).abs() < 0.01, "{half}");
    }

    #[test]
    fn invalid_parameters_are_refused() {
        let bad = |gear: Gear, what: &str| assert_bad(gear.mesh(), what);
        bad(Gear { teeth: 5, ..Gear::default() }, "teeth is 5");
        bad(Gear { teeth: usize::MAX, ..Gear::default() }, "teeth");
        bad(Gear { module: f64::NAN, ..Gear::default() }, "module is NaN");
        bad(Gear { thickness: 0.0, ..Gear::default() }, "thickness is 0");
        bad(Gear { bore: 7.0, ..Gear::default() }, "below the root radius");
        bad(Gear { bore: f64::NAN, ..Gear::default() }, "bore is NaN");
        bad(Gear { flank_points: 1, ..Gear::default() }, "flank points is 1");
        bad(Gear { bore_pieces: 0, ..Gear::default() }, "bore pieces is 0");
        bad(Gear { layers: 0, ..Gear::default() }, "layers is 0");
        bad(Gear { layers: 1 << 22, ..Gear::default() }, "polygons");
    }
}
