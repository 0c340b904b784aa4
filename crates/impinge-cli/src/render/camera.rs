//! An orthographic camera fitted to the scene.

use std::fmt;

use clap::ValueEnum;
use impinge::scene::Scene;
use impinge::{Aabb, Vec3};
use rayon::prelude::*;

/// The largest side of a picture, in pixels.
const MAX_SIDE: usize = 16_384;

/// Where to look from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum View {
    /// From the front, the right and above.
    #[default]
    Iso,
    /// From the front.
    Front,
    /// From above.
    Top,
    /// From the right.
    Side,
    /// Along a direction in the scene's frame.
    Along(Vec3),
}

impl View {
    /// A view by its name or by three numbers.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.trim() {
            "iso" => return Ok(Self::Iso),
            "front" => return Ok(Self::Front),
            "top" => return Ok(Self::Top),
            "side" => return Ok(Self::Side),
            _ => {}
        }
        let numbers: Option<Vec<f64>> = text
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|w| !w.is_empty())
            .map(|w| w.parse().ok())
            .collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) => {
                let direction = Vec3::new(x, y, z);
                let size = direction.abs().max_element();
                if direction.is_finite() && size > 0.0 {
                    Ok(Self::Along((direction / size).normalize()))
                } else {
                    Err("a direction has finite components, not all zero".to_owned())
                }
            }
            _ => {
                Err("expected iso, front, top, side or a direction such as \"1 1 -0.5\"".to_owned())
            }
        }
    }
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Axis {
    /// As in glTF.
    Y,
    /// As in most CAD systems.
    #[default]
    Z,
}

/// The size of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Default for Size {
    fn default() -> Self {
        Self { width: 1600, height: 1200 }
    }
}

impl Size {
    /// `1600x1200`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let side = |t: &str| t.trim().parse::<usize>().ok().filter(|n| (16..=MAX_SIDE).contains(n));
        match text.split_once(['x', 'X']).map(|(w, h)| (side(w), side(h))) {
            Some((Some(width), Some(height))) => Ok(Self { width, height }),
            _ => {
                Err(format!("expected WIDTHxHEIGHT, each from 16 to {MAX_SIDE}, such as 1600x1200"))
            }
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Viewport {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Points of the scene to pixels: x to the right, y down, depth away from the viewer, all in
/// pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    center: Vec3,
    unit: f64,
    scale: f64,
    offset: [f64; 2],
}

impl Camera {
    /// The camera that sees all of `scene` in `viewport`. A scene without extent is put in the
    /// middle.
    pub(crate) fn fit(scene: &Scene, view: View, axis: Axis, viewport: Viewport) -> Self {
        let boxes: Vec<Aabb> =
            (0..scene.parts().len()).into_par_iter().map(|i| scene.bounds_of(i)).collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b));
        let mut camera = Self::towards(&bounds, view, axis);
        let seen = scene
            .parts()
            .par_iter()
            .map(|part| {
                let points = part.mesh.triangles().iter().flatten();
                points
                    .map(|v| {
                        camera.project(part.pose.transform_point(part.mesh.vertices()[*v as usize]))
                    })
                    .fold(Aabb::EMPTY, |b, p| b.union(&Aabb::from_corners(p, p)))
            })
            .reduce(|| Aabb::EMPTY, |a, b| a.union(&b));
        camera.frame(&seen, viewport);
        camera
    }

    /// The camera that sees all of many boxes.
    pub(crate) fn fit_boxes(boxes: &[Aabb], view: View, axis: Axis, viewport: Viewport) -> Self {
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b));
        let mut camera = Self::towards(&bounds, view, axis);
        let corners = boxes.iter().filter(|b| !b.is_empty()).flat_map(|b| {
            (0..8).map(move |i| {
                let side = |k: usize| if i >> k & 1 == 1 { b.max[k] } else { b.min[k] };
                Vec3::new(side(0), side(1), side(2))
            })
        });
        let seen = Aabb::from_points(corners.map(|c| camera.project(c)));
        camera.frame(&seen, viewport);
        camera
    }

    /// Looks at the middle of `bounds`, with a scale of one.
    fn towards(bounds: &Aabb, view: View, axis: Axis) -> Self {
        let (right, up, forward) = basis(view, axis);
        let (center, half) = if bounds.is_empty() {
            (Vec3::ZERO, 0.0)
        } else {
            (bounds.center(), (bounds.extent() * 0.5).max_element())
        };
        // Everything is divided by the scene's size first, so that neither 1e60 nor 1e-300 is too
        // much.
        let unit = if half > 0.0 { half } else { 1.0 };
        Self { right, up, forward, center, unit, scale: 1.0, offset: [0.0; 2] }
    }

    /// Scales and shifts so that what is `seen` fills the viewport.
    fn frame(&mut self, seen: &Aabb, viewport: Viewport) {
        let (middle, extent) =
            if seen.is_empty() { (Vec3::ZERO, Vec3::ZERO) } else { (seen.center(), seen.extent()) };
        let fill = 0.94;
        self.scale =
            fill * (viewport.width / extent.x.max(1e-9)).min(viewport.height / extent.y.max(1e-9));
        if extent.x.max(extent.y) < 1e-9 {
            self.scale = 1.0;
        }
        self.offset = [
            viewport.x + 0.5 * viewport.width - self.scale * middle.x,
            viewport.y + 0.5 * viewport.height - self.scale * middle.y,
        ];
    }

    /// A point of the scene in pixels.
    pub(crate) fn project(&self, p: Vec3) -> Vec3 {
        let q = (p - self.center) / self.unit;
        Vec3::new(
            self.offset[0] + self.scale * q.dot(self.right),
            self.offset[1] - self.scale * q.dot(self.up),
            self.scale * q.dot(self.forward),
        )
    }

    /// The direction the viewer looks along, in the scene's frame.
    pub(crate) fn forward(&self) -> Vec3 {
        self.forward
    }

    /// A difference of points of the scene, scaled so that products of several cannot overflow or
    /// vanish.
    pub(crate) fn unitless(&self, v: Vec3) -> Vec3 {
        v / self.unit
    }
}

/// Right, up and forward of the camera, in the scene's frame.
fn basis(view: View, axis: Axis) -> (Vec3, Vec3, Vec3) {
    // Named views are meant for z up; a frame with y up is turned about x to look the same.
    let turn = |v: Vec3| match axis {
        Axis::Z => v,
        Axis::Y => Vec3::new(v.x, v.z, -v.y),
    };
    let forward = match view {
        View::Iso => turn(Vec3::new(-0.55, 0.75, -0.55).normalize()),
        View::Front => turn(Vec3::Y),
        View::Top => turn(-Vec3::Z),
        View::Side => turn(-Vec3::X),
        View::Along(direction) => direction,
    };
    let mut vertical = turn(Vec3::Z);
    if forward.cross(vertical).length() < 1e-6 {
        vertical = turn(Vec3::Y);
    }
    let right = forward.cross(vertical).normalize();
    (right, right.cross(forward), forward)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{Mesh, Pose};

    const PORT: Viewport = Viewport { x: 10.0, y: 20.0, width: 100.0, height: 50.0 };

    fn scene(scale: f64, offset: f64) -> Scene {
        let corners = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 1.0]]
            .map(|p| Vec3::from(p) * scale + Vec3::splat(offset));
        let mut scene = Scene::new();
        let mesh = Mesh::from_triangles(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        scene.add("t", mesh, Pose::IDENTITY);
        scene
    }

    #[test]
    fn everything_lands_in_the_viewport_at_any_scale() {
        for (scale, offset) in
            [(1.0, 0.0), (1e59, 0.0), (1e-300, 0.0), (5e-324, 0.0), (1.0, 1e15), (0.0, 7.0)]
        {
            let scene = scene(scale, offset);
            for view in [View::Iso, View::Front, View::Top, View::Side, View::Along(Vec3::Z)] {
                for axis in [Axis::Y, Axis::Z] {
                    let camera = Camera::fit(&scene, view, axis, PORT);
                    for p in scene.parts()[0].mesh.vertices() {
                        let q = camera.project(*p);
                        assert!(q.is_finite(), "{scale} {view:?}");
                        assert!(
                            (10.0..=110.0).contains(&q.x) && (20.0..=70.0).contains(&q.y),
                            "{q}"
                        );
                    }
                }
            }
        }
        assert!(
            Camera::fit(&Scene::new(), View::Iso, Axis::Z, PORT).project(Vec3::ZERO).is_finite()
        );
    }

    #[test]
    fn views_put_the_axes_where_a_draughtsman_expects_them() {
        let check = |view, axis, up: Vec3, right: Vec3| {
            let (r, u, f) = basis(view, axis);
            assert!(u.distance(up) < 1e-12 && r.distance(right) < 1e-12, "{view:?} {axis:?}");
            assert!((r.cross(u) + f).length() < 1e-12, "right-handed, looking along forward");
        };
        check(View::Front, Axis::Z, Vec3::Z, Vec3::X);
        check(View::Top, Axis::Z, Vec3::Y, Vec3::X);
        check(View::Side, Axis::Z, Vec3::Z, Vec3::Y);
        check(View::Front, Axis::Y, Vec3::Y, Vec3::X);
        check(View::Top, Axis::Y, -Vec3::Z, Vec3::X);
    }

    #[test]
    fn views_and_sizes_are_parsed() {
        assert_eq!(View::parse("top"), Ok(View::Top));
        assert_eq!(View::parse("0 0 -2"), Ok(View::Along(-Vec3::Z)));
        for bad in ["", "north", "0 0 0", "1 2", "1 2 nan", "1e999 0 0"] {
            assert!(View::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Size::parse("640x480").map(|s| s.to_string()), Ok("640x480".to_owned()));
        for bad in ["", "640", "0x10", "10x99999", "x", "-1x5"] {
            assert!(Size::parse(bad).is_err(), "{bad}");
        }
    }
}
