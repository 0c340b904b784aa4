//! Generated moving scenes.

use std::f64::consts::TAU;
use std::fmt;
use std::sync::Arc;

use super::{Keyframe, Motion, MovingScene, Repeat, Steering};
use crate::shapes::{self, Model};
use impinge::internals::Random;
use impinge::math::{Aabb, Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::{Error, ErrorKind};

/// Maximum number of bodies of a sample.
const MAX_BODIES: usize = 1_000_000;

/// A generated moving scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sample {
    /// Bodies of ten shapes that fly in a cage and reverse their motion when they collide, as in
    /// Zachmann 1994, section 3.2.
    Billiard,
    /// Small convex bodies with random motion.
    Brownian,
    /// Bodies that fall on a plate, bounce and come to rest.
    Falling,
    /// Robot arms that swing over a table. Neighbouring links are not compared. The scene has
    /// complete arms of six bodies each, and the table.
    Robot,
    /// A ship that follows a script, and drones with random controls in a circle around it, all
    /// shaped like lamps of 616 triangles. A ship that is hit jumps back to its start (Hubbard
    /// 1995, section IX).
    Spaceships,
}

impl Sample {
    /// All samples.
    pub const ALL: [Self; 5] =
        [Self::Billiard, Self::Brownian, Self::Falling, Self::Robot, Self::Spaceships];

    /// The name of the sample.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Billiard => "billiard",
            Self::Brownian => "brownian",
            Self::Falling => "falling",
            Self::Robot => "robot",
            Self::Spaceships => "spaceships",
        }
    }

    /// The sample with a given name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sample| sample.name() == name)
    }

    /// A suitable number of bodies for an example.
    #[must_use]
    pub fn usual_bodies(self) -> usize {
        match self {
            Self::Billiard => 40,
            Self::Brownian => 300,
            Self::Falling => 60,
            Self::Robot => 12,
            Self::Spaceships => 11,
        }
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Generates the scene.
pub(super) fn make(sample: Sample, bodies: usize, seed: u64) -> Result<MovingScene, Error> {
    check_count(bodies)?;
    match sample {
        Sample::Billiard => billiard(bodies, seed),
        Sample::Brownian => brownian(bodies, seed),
        Sample::Falling => falling(bodies, seed),
        Sample::Robot => robots(bodies.div_ceil(6), seed),
        Sample::Spaceships => spaceships(bodies, seed, Steering::parse(USER_SCRIPT)?),
    }
}

fn check_count(bodies: usize) -> Result<(), Error> {
    if (1..=MAX_BODIES).contains(&bodies) {
        return Ok(());
    }
    let message =
        format!("the number of bodies of a sample is {bodies}: it must be from 1 to {MAX_BODIES}");
    Err(Error::new(ErrorKind::BadParameter, message))
}

/// The script of the user's ship, if no other is given: it climbs out of the circle, turns, and
/// flies back through it.
const USER_SCRIPT: &str = "\
# seconds  thrust  degrees per second about the ship's x, y and z
0.0  2.5    0   0   0
1.2  1.5  140  20   0
2.4  3.0    0   0  60
4.0  2.0  -90  60   0
5.5  3.5    0  45   0
8.0  2.5  100   0  30
";

/// The user's ship in the middle of a circle of drones.
pub(super) fn spaceships(bodies: usize, seed: u64, user: Steering) -> Result<MovingScene, Error> {
    check_count(bodies)?;
    let mut random = Random::new(seed);
    let lamp = Arc::new(shapes::lamp(1.0, 26, 1)?);
    let drones = bodies - 1;
    // Ships start 1.2 apart, more than the diagonal of a lamp.
    let radius = (1.2 * drones as f64 / TAU).max(1.6);
    let half = radius + 1.0;
    let cage = Aabb::from_corners(Vec3::new(-half, -half, -1.5), Vec3::new(half, half, 1.5));
    let ship =
        |steering: Steering| Motion::Ship { steering, drag: None, cage: Some(cage), seed: None };
    let mut scene = MovingScene::default();
    // The lamp stands on z = 0.
    let middle = Vec3::new(0.0, 0.0, -0.5);
    scene.add("user", lamp.clone(), Pose::from_translation(middle)?, None, ship(user))?;
    for drone in 0..drones {
        let angle = TAU * drone as f64 / drones as f64;
        let place = Vec3::new(radius * angle.cos(), radius * angle.sin(), 0.0) + middle;
        let turn = Pose::from_axis_angle(Vec3::Z, angle)?;
        let start = Pose::from_translation(place)?.compose(&turn)?;
        let steering = Steering::Random {
            thrust: random.range(3.0, 6.0),
            spin: random.range(1.0, 2.5),
            hold: 0.8,
        };
        scene.add(format!("drone {}", drone + 1), lamp.clone(), start, None, ship(steering))?;
    }
    Ok(scene)
}

/// The shapes in the cage, each with a radius of about one.
const FORMS: [(Model, usize); 10] = [
    (Model::Icosphere, 320),
    (Model::Torus, 480),
    (Model::TetraFlake, 256),
    (Model::Gear, 280),
    (Model::Lamp, 350),
    (Model::Ellipsoid, 420),
    (Model::Hand, 450),
    (Model::Aircraft, 500),
    (Model::DeformedTorus, 480),
    (Model::Box, 150),
];

/// The cell centres of a cubic lattice in a cube, in random order.
fn cells(bodies: usize, half: f64, random: &mut Random) -> Vec<Vec3> {
    let side = (1..).find(|n| n * n * n >= bodies).unwrap_or(1);
    let middle = |k: usize| half * ((2 * k + 1) as f64 / side as f64 - 1.0);
    let order = random.permutation(side * side * side);
    order
        .into_iter()
        .take(bodies)
        .map(|c| Vec3::new(middle(c % side), middle(c / side % side), middle(c / side / side)))
        .collect()
}

fn random_rotation_at(random: &mut Random, position: Vec3) -> Result<Pose, Error> {
    Pose::from_quaternion(random.rotation().to_array(), position)
}

fn billiard(bodies: usize, seed: u64) -> Result<MovingScene, Error> {
    let mut random = Random::new(seed);
    let mut forms: Vec<(&str, Arc<Mesh>)> = Vec::new();
    for (form, polygons) in FORMS.iter().take(bodies) {
        forms.push((form.name(), Arc::new(form.generate(*polygons, seed)?)));
    }
    let half = 1.55 * (bodies as f64).cbrt().max(1.2);
    let cage = Aabb::from_corners(Vec3::splat(-half), Vec3::splat(half));
    let mut scene = MovingScene::default();
    for (i, place) in cells(bodies, half, &mut random).into_iter().enumerate() {
        let (form, mesh) = &forms[i % forms.len()];
        let motion = Motion::Billiard {
            velocity: Some(random.direction() * random.range(0.6, 2.0)),
            speed: None,
            axis: Some(random.direction()),
            spin: Some(random.range(-1.5, 1.5)),
            cage: Some(cage),
            bounce: true,
            seed: None,
        };
        let name = format!("{form} {}", i / forms.len() + 1);
        scene.add(name, mesh.clone(), random_rotation_at(&mut random, place)?, None, motion)?;
    }
    Ok(scene)
}

fn brownian(bodies: usize, seed: u64) -> Result<MovingScene, Error> {
    let mut random = Random::new(seed);
    let forms = [
        ("ball", Arc::new(shapes::icosphere(0.45, 4)?)),
        ("brick", Arc::new(shapes::cuboid([1.0, 0.6, 0.4])?)),
        ("die", Arc::new(shapes::octahedron(0.6)?)),
        ("rod", Arc::new(shapes::cylinder(0.2, 1.1, 16)?)),
    ];
    let half = 0.72 * (bodies as f64).cbrt().max(1.2);
    let cage = Aabb::from_corners(Vec3::splat(-half), Vec3::splat(half));
    let motion =
        Motion::Brownian { step: Some(0.06), turn: Some(0.1), cage: Some(cage), seed: None };
    let mut scene = MovingScene::default();
    for (i, place) in cells(bodies, half, &mut random).into_iter().enumerate() {
        let (form, mesh) = &forms[i % forms.len()];
        let name = format!("{form} {}", i / forms.len() + 1);
        scene.add(
            name,
            mesh.clone(),
            random_rotation_at(&mut random, place)?,
            None,
            motion.clone(),
        )?;
    }
    Ok(scene)
}

fn falling(bodies: usize, seed: u64) -> Result<MovingScene, Error> {
    let mut random = Random::new(seed);
    let forms = [
        ("ring", Arc::new(shapes::torus(0.45, 0.15, 24, 12)?)),
        ("star", Arc::new(shapes::star_prism(5, 0.6, 0.25, 0.3)?)),
        ("ball", Arc::new(shapes::icosphere(0.4, 4)?)),
        ("box", Arc::new(shapes::cuboid([0.8, 0.5, 0.5])?)),
        ("capsule", Arc::new(shapes::capsule(0.25, 0.6, 16, 4)?)),
    ];
    let half = 0.85 * (bodies as f64).sqrt().max(2.0);
    let mut scene = MovingScene::default();
    let plate = shapes::cuboid([2.0 * half + 1.5, 2.0 * half + 1.5, 0.4])?;
    scene.add("plate", plate, Pose::from_translation([0.0, 0.0, -0.2])?, None, Motion::Still)?;
    for i in 0..bodies {
        let (form, mesh) = &forms[i % forms.len()];
        let (x, y) = (random.range(-half, half), random.range(-half, half));
        let place = Vec3::new(x, y, random.range(1.0, 5.0));
        let motion = Motion::Falling {
            gravity: None,
            // Slightly below the top of the plate, so that resting bodies touch it in spite of
            // rounding.
            floor: Some(-0.01),
            restitution: Some(random.range(0.4, 0.7)),
            velocity: Some(Vec3::new(random.range(-0.4, 0.4), random.range(-0.4, 0.4), 0.0)),
            axis: Some(random.direction()),
            spin: Some(random.range(-3.0, 3.0)),
            seed: None,
        };
        let name = format!("{form} {}", i / forms.len() + 1);
        scene.add(name, mesh.clone(), random_rotation_at(&mut random, place)?, None, motion)?;
    }
    Ok(scene)
}

/// A link of an arm: its name, the joint in the frame of the previous link, the axis of rotation,
/// and the range of angles.
type Link<'a> = (&'a str, Vec3, Vec3, [f64; 2]);

fn robots(arms: usize, seed: u64) -> Result<MovingScene, Error> {
    let mut random = Random::new(seed);
    let raised = |mesh: Mesh, height: f64| -> Result<Arc<Mesh>, Error> {
        Ok(Arc::new(mesh.transformed(&Pose::from_translation([0.0, 0.0, height])?)))
    };
    // Every link starts at its joint.
    let base = raised(shapes::cylinder(0.35, 0.4, 32)?, 0.2)?;
    let meshes = [
        raised(shapes::cylinder(0.25, 0.3, 24)?, 0.17)?,
        raised(shapes::cuboid([0.22, 0.3, 1.3])?, 0.6)?,
        raised(shapes::cuboid([0.18, 0.22, 1.1])?, 0.5)?,
        raised(shapes::capsule(0.1, 0.2, 16, 4)?, 0.15)?,
        raised(shapes::star_prism(3, 0.28, 0.1, 0.15)?, 0.02)?,
    ];
    let links: [Link<'_>; 5] = [
        ("shoulder", Vec3::new(0.0, 0.0, 0.4), Vec3::Z, [-0.9, 0.9]),
        ("upper arm", Vec3::new(0.0, 0.0, 0.3), Vec3::Y, [-0.2, 1.1]),
        ("forearm", Vec3::new(0.0, 0.0, 1.2), Vec3::Y, [0.4, 1.8]),
        ("wrist", Vec3::new(0.0, 0.0, 1.0), Vec3::Y, [-0.6, 0.8]),
        ("tool", Vec3::new(0.0, 0.0, 0.32), Vec3::Z, [-3.0, 3.0]),
    ];
    let mut scene = MovingScene { ignore_links: 1, ..MovingScene::default() };
    let radius = (arms as f64 * 0.3).max(1.25);
    let table = shapes::cylinder(0.5 * radius, 0.9, 48)?;
    scene.add("table", table, Pose::from_translation([0.0, 0.0, 0.45])?, None, Motion::Still)?;
    for arm in 0..arms {
        let angle = TAU * arm as f64 / arms as f64;
        let place = Vec3::new(-radius * angle.cos(), -radius * angle.sin(), 0.0);
        // The arms face the table.
        let turn = Pose::from_axis_angle(Vec3::Z, angle)?;
        let stand = Pose::from_translation(place)?.compose(&turn)?;
        let number = arm + 1;
        let mut last =
            scene.add(format!("arm {number} base"), base.clone(), stand, None, Motion::Still)?;
        for ((name, joint, axis, [low, high]), mesh) in links.iter().zip(&meshes) {
            let at = |angle: f64| -> Result<Pose, Error> {
                Pose::from_translation(*joint)?.compose(&Pose::from_axis_angle(*axis, angle)?)
            };
            let period = random.range(0.5, 1.3);
            let delay = random.range(0.0, 0.3);
            let keyframes = vec![
                Keyframe { time: 0.0, pose: at(*low)? },
                Keyframe { time: delay + 0.5 * period, pose: at(random.range(*low, *high))? },
                Keyframe { time: delay + period, pose: at(*high)? },
            ];
            let origin = keyframes[0].pose;
            let motion = Motion::Keyframes { keyframes, repeat: Repeat::BackAndForth };
            let name = format!("arm {number} {name}");
            last = scene.add(name, mesh.clone(), origin, Some(last), motion)?;
        }
    }
    Ok(scene)
}
