//! Bodies that move independently of contacts, so that every library gets the same poses.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use impinge::convex::Hull;
use impinge::world::Geometry;
use impinge::{Mesh, Pose, Vec3};

use crate::bodies::{Shape, direction};
use crate::growth::torus;
use impinge::internals::Random;

/// The kind of the bodies of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// Hulls of 20 to 100 vertices: ellipsoids, rods, plates and hulls of random points.
    Hulls,
    /// Bumpy tori of this many triangles.
    Meshes(usize),
}

/// The motion of the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    /// Random steps of 2 % of the radius on each axis and turns of two degrees.
    Brownian,
    /// Straight motion, `velocity` times the radius and `rotation` degrees per frame, reflected at
    /// the walls of a box.
    Billiard { velocity: f64, rotation: f64 },
    /// A fall from a column four times as tall as the box onto a heap, where the bodies rest.
    Fall,
}

/// A shape that several bodies share.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Hull(Arc<Hull>),
    Mesh(Arc<Mesh>),
}

impl Form {
    pub(super) fn geometry(&self) -> Geometry {
        match self {
            Self::Hull(hull) => hull.clone().into(),
            Self::Mesh(mesh) => mesh.clone().into(),
        }
    }

    /// The convex hull of the form.
    pub(super) fn hull(&self) -> Result<Arc<Hull>> {
        match self {
            Self::Hull(hull) => Ok(hull.clone()),
            Self::Mesh(mesh) => Ok(Arc::new(Hull::new(mesh.vertices())?)),
        }
    }
}

/// Bodies and their poses in every frame.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) name: String,
    pub(super) forms: Vec<Form>,
    /// The form of each body.
    pub(super) of: Vec<usize>,
    /// The poses of all bodies, for each frame.
    pub(super) poses: Vec<Vec<Pose>>,
}

/// The number of different forms in a scene of hulls.
const HULL_FORMS: usize = 20;
/// Standard deviation of a Brownian step on each axis, in radii.
const BROWNIAN_STEP: f64 = 0.02;
/// Rotation of a Brownian step and of falling bodies, in degrees per frame.
const ROTATION_DEGREES: f64 = 2.0;
/// The number of frames in which a body falls four times the height of the box.
const FALL_FRAMES: f64 = 70.0;

struct Mover {
    position: Vec3,
    velocity: Vec3,
    rotation_pose: Pose,
    axis: Vec3,
    rest_height: f64,
}

impl Scene {
    /// A scene of `bodies` bodies over `frames` frames. The density is such that the box of a body
    /// overlaps about two others.
    pub(super) fn new(
        kind: BodyKind,
        motion: Motion,
        bodies: usize,
        frames: usize,
        seed: u64,
    ) -> Result<Self> {
        let mut random = Random::new(seed);
        let (kind_name, forms) = match kind {
            BodyKind::Hulls => {
                let hull = |i: usize| -> Result<Form> {
                    let vertices = 20 + (random.bits() % 81) as usize;
                    Ok(Form::Hull(Arc::new(Shape::ALL[i % 4].hull(vertices, &mut random)?)))
                };
                ("hulls", (0..HULL_FORMS).map(hull).collect::<Result<Vec<Form>>>()?)
            }
            BodyKind::Meshes(triangles) => {
                ("meshes", vec![Form::Mesh(Arc::new(torus(triangles)?))])
            }
        };
        let motion_name = match motion {
            Motion::Brownian => "brownian",
            Motion::Billiard { .. } => "billiard",
            Motion::Fall => "fall",
        };
        let of: Vec<usize> = (0..bodies).map(|i| i % forms.len()).collect();
        let extents: Vec<Vec3> = forms.iter().map(|f| f.geometry().bounds().extent()).collect();
        // Boxes of rotated bodies are about 1.3 times as wide.
        let mean_extent = 1.3 * extents.iter().sum::<Vec3>() / extents.len() as f64;
        let box_side = (bodies as f64 * (2.0 * mean_extent).element_product() / 2.0).cbrt();
        let mut movers: Vec<Mover> = (0..bodies)
            .map(|_| -> Result<Mover> {
                let position = 0.5 * box_side * (random.in_cube() + Vec3::ONE);
                let rotation_pose =
                    Pose::from_axis_angle(direction(&mut random), 3.0 * random.signed())?;
                let mut mover = Mover {
                    position,
                    velocity: direction(&mut random),
                    rotation_pose,
                    axis: direction(&mut random),
                    rest_height: position.z,
                };
                if motion == Motion::Fall {
                    mover.velocity = Vec3::ZERO;
                    mover.position.z = 4.0 * position.z + 0.2 * box_side;
                }
                Ok(mover)
            })
            .collect::<Result<_>>()?;
        let mut poses = Vec::with_capacity(frames);
        for _ in 0..frames.max(2) {
            let pose = |m: &Mover| -> Result<Pose> {
                Ok(Pose::from_translation(m.position)?.compose(&m.rotation_pose)?)
            };
            poses.push(movers.iter().map(pose).collect::<Result<Vec<Pose>>>()?);
            for mover in &mut movers {
                mover.step(motion, box_side, &mut random)?;
            }
        }
        Ok(Self { name: format!("{kind_name}-{motion_name}"), forms, of, poses })
    }

    /// Writes forms and poses for other libraries: `WLD1`; the numbers of forms, bodies and frames;
    /// for each form its kind (0 hull, 1 mesh), its numbers of vertices and triangles, and then
    /// these; the form of each body; the poses of all frames as twelve numbers each, the rows of
    /// the matrix. Integers are `u32`, coordinates `f64`, little-endian.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = File::create(path).with_context(|| format!("{}", path.display()))?;
        let mut to = BufWriter::new(file);
        to.write_all(b"WLD1")?;
        let number = |to: &mut BufWriter<File>, n: usize| -> Result<()> {
            Ok(to.write_all(&u32::try_from(n)?.to_le_bytes())?)
        };
        for n in [self.forms.len(), self.of.len(), self.poses.len()] {
            number(&mut to, n)?;
        }
        for form in &self.forms {
            let (kind, vertices, triangles): (usize, &[Vec3], &[[u32; 3]]) = match form {
                Form::Hull(hull) => (0, hull.vertices(), &[]),
                Form::Mesh(mesh) => (1, mesh.vertices(), mesh.triangles()),
            };
            for n in [kind, vertices.len(), triangles.len()] {
                number(&mut to, n)?;
            }
            for x in vertices.iter().flat_map(Vec3::to_array) {
                to.write_all(&x.to_le_bytes())?;
            }
            for i in triangles.iter().flatten() {
                to.write_all(&i.to_le_bytes())?;
            }
        }
        for form in &self.of {
            number(&mut to, *form)?;
        }
        for x in self.poses.iter().flatten().flat_map(|pose| pose.to_matrix().concat()) {
            to.write_all(&x.to_le_bytes())?;
        }
        Ok(to.flush()?)
    }
}

impl Mover {
    fn step(&mut self, motion: Motion, box_side: f64, random: &mut Random) -> Result<()> {
        match motion {
            Motion::Brownian => {
                // A uniform distribution with this standard deviation.
                self.position += random.in_cube() * (BROWNIAN_STEP * 3.0_f64.sqrt());
                self.rotation_pose =
                    Pose::from_axis_angle(direction(random), ROTATION_DEGREES.to_radians())?
                        .compose(&self.rotation_pose)?;
            }
            Motion::Billiard { velocity, rotation } => {
                self.position += self.velocity * velocity;
                self.rotation_pose = Pose::from_axis_angle(self.axis, rotation.to_radians())?
                    .compose(&self.rotation_pose)?;
            }
            Motion::Fall => {
                self.velocity.z -= 8.0 * box_side / (FALL_FRAMES * FALL_FRAMES);
                let height = (self.position.z + self.velocity.z).max(self.rest_height);
                if height > self.rest_height {
                    self.rotation_pose =
                        Pose::from_axis_angle(self.axis, ROTATION_DEGREES.to_radians())?
                            .compose(&self.rotation_pose)?;
                } else {
                    self.velocity.z = 0.0;
                }
                self.position.z = height;
                return Ok(());
            }
        }
        for k in 0..3 {
            if self.position[k] < 0.0 || self.position[k] > box_side {
                let inward = if self.position[k] < 0.0 { 1.0 } else { -1.0 };
                self.velocity[k] = inward * self.velocity[k].abs();
                self.position[k] = self.position[k].clamp(0.0, box_side);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_deterministic_and_written_completely() {
        let motion = Motion::Billiard { velocity: 0.05, rotation: 5.0 };
        let make = |kind| Scene::new(kind, motion, 30, 4, 3).unwrap();
        let (x, y) = (make(BodyKind::Hulls), make(BodyKind::Hulls));
        assert_eq!((x.name.as_str(), &x.poses), ("hulls-billiard", &y.poses));
        let scene = make(BodyKind::Meshes(100));
        let path =
            std::env::temp_dir().join(format!("impinge-lab-scene-{}.wld", std::process::id()));
        scene.write(&path).unwrap();
        let Form::Mesh(mesh) = &scene.forms[0] else { panic!("a mesh") };
        let form = 12 + 24 * mesh.vertices().len() + 12 * mesh.triangles().len();
        let bytes = std::fs::metadata(&path).unwrap().len();
        assert_eq!(bytes as usize, 16 + form + 4 * 30 + 4 * 30 * 96);
        std::fs::remove_file(&path).unwrap();
    }
}
