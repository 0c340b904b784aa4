//! An orthographic camera fitted to the scene.

use std::fmt;

use clap::ValueEnum;
use impinge::scene::Scene;
use impinge::{Aabb, Vec3};
use rayon::prelude::*;

/// The maximum width and height of a picture, in pixels.
const MAX_SIDE: usize = 16_384;

/// The direction of view.
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
    /// Parses a name or three numbers.
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
                    Err("a direction must have finite components, not all zero".to_owned())
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
    /// Parses a size such as `1600x1200`.
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

/// Maps points of the scene to pixels: x to the right, y down, depth away from the viewer, all in
/// pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    /// The point of the scene that is subtracted first.
    center: Vec3,
    /// Half the size of the scene; offsets from `center` are divided by it.
    unit: f64,
    /// Pixels per `unit`.
    scale: f64,
    offset: [f64; 2],
}

impl Camera {
    /// The camera that shows all of `scene` in `viewport`. A scene without extent is centred.
    pub(crate) fn fit(scene: &Scene, view: View, axis: Axis, viewport: Viewport) -> Self {
        let boxes: Vec<Aabb> =
            (0..scene.parts().len()).into_par_iter().map(|i| scene.bounds_of(i)).collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b));
        let mut camera = Self::looking_at(&bounds, view, axis);
        let projected = scene
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
        camera.fill_viewport(&projected, viewport);
        camera
    }

    /// The camera that shows all of `boxes`.
    pub(crate) fn fit_boxes(boxes: &[Aabb], view: View, axis: Axis, viewport: Viewport) -> Self {
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b));
        let mut camera = Self::looking_at(&bounds, view, axis);
        let corners = boxes.iter().filter(|b| !b.is_empty()).flat_map(|b| {
            (0..8).map(move |i| {
                let side = |k: usize| if i >> k & 1 == 1 { b.max[k] } else { b.min[k] };
                Vec3::new(side(0), side(1), side(2))
            })
        });
        let projected = Aabb::from_points(corners.map(|c| camera.project(c)));
        camera.fill_viewport(&projected, viewport);
        camera
    }

    /// A camera that looks at the centre of `bounds`, with a scale of one.
    fn looking_at(bounds: &Aabb, view: View, axis: Axis) -> Self {
        let (right, up, forward) = basis(view, axis);
        let (center, half) = if bounds.is_empty() {
            (Vec3::ZERO, 0.0)
        } else {
            (bounds.center(), (bounds.extent() * 0.5).max_element())
        };
        // Coordinates are divided by the scene's size first, so that products of them neither
        // overflow nor vanish at sizes such as 1e60 and 1e-300.
        let unit = if half > 0.0 { half } else { 1.0 };
        Self { right, up, forward, center, unit, scale: 1.0, offset: [0.0; 2] }
    }

    /// Sets scale and offset such that `projected`, the box of the scene in pixels, fills the
    /// viewport.
    fn fill_viewport(&mut self, projected: &Aabb, viewport: Viewport) {
        let (middle, extent) = if projected.is_empty() {
            (Vec3::ZERO, Vec3::ZERO)
        } else {
            (projected.center(), projected.extent())
        };
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

    /// The viewing direction, in the scene's frame.
    pub(crate) fn forward(&self) -> Vec3 {
        self.forward
    }

    /// A difference of points of the scene, divided by the scene's size, so that products of such
    /// differences neither overflow nor vanish.
    pub(crate) fn unitless(&self, v: Vec3) -> Vec3 {
        v / self.unit
    }
}

/// The right, up and forward vectors of the camera, in the scene's frame.
fn basis(view: View, axis: Axis) -> (Vec3, Vec3, Vec3) {
    // Named views are defined for z up. For y up they are rotated about x.
    let rotated = |v: Vec3| match axis {
        Axis::Z => v,
        Axis::Y => Vec3::new(v.x, v.z, -v.y),
    };
    let forward = match view {
        View::Iso => rotated(Vec3::new(-0.55, 0.75, -0.55).normalize()),
        View::Front => rotated(Vec3::Y),
        View::Top => rotated(-Vec3::Z),
        View::Side => rotated(-Vec3::X),
        View::Along(direction) => direction,
    };
    let mut vertical = rotated(Vec3::Z);
    if forward.cross(vertical).length() < 1e-6 {
        vertical = rotated(Vec3::Y);
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
    fn all_points_are_in_the_viewport_at_any_scale() {
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
    fn named_views_have_the_axes_of_technical_drawings() {
        let check = |view, axis, up: Vec3, right: Vec3| {
            let (r, u, f) = basis(view, axis);
            assert!(u.distance(up) < 1e-12 && r.distance(right) < 1e-12, "{view:?} {axis:?}");
            assert!((r.cross(u) + f).length() < 1e-12, "right x up must be -forward");
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
