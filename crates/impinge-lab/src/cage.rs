//! Objects that fly in a cage and bounce: the scenario of Zachmann 1994, sections 3.2 and 3.5.

use std::sync::Arc;

use anyhow::Result;
use impinge::{Mesh, Pose, Vec3, first_hit};
use impinge_samples::shapes::{self, Model};

use impinge::internals::Random;

/// Polygons of each object. The thesis' ten objects have 120 to 1450 polygons, 4121 together.
const POLYGONS: [usize; 10] = [120, 150, 180, 220, 280, 350, 420, 450, 501, 1450];
/// The shape of each object.
const SHAPES: [Model; 10] = [
    Model::Sphere,
    Model::Torus,
    Model::TetraFlake,
    Model::Hyperboloid,
    Model::Gear,
    Model::Lamp,
    Model::Ellipsoid,
    Model::Hand,
    Model::Aircraft,
    Model::DeformedTorus,
];

/// Half the inner side of the cage. The objects have a radius of about one, so the cage is crowded,
/// as in the thesis.
const HALF_SIDE: f64 = 2.75;

/// A flying object.
struct Body {
    mesh: Arc<Mesh>,
    position: Vec3,
    axis: Vec3,
    angle: f64,
    velocity: Vec3,
    spin: f64,
}

/// A pair of meshes in one frame, with B's pose in A's frame.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) a: Arc<Mesh>,
    pub(crate) b: Arc<Mesh>,
    pub(crate) pose: Pose,
}

/// The requests of a flight in the cage.
#[derive(Debug)]
pub(crate) struct Flight {
    /// The requests of each frame: each object against each later one and against the six walls.
    pub(crate) frames: Vec<Vec<Request>>,
    /// The total number of polygons of the ten objects.
    pub(crate) polygons: usize,
}

/// Simulates `frames` frames.
pub(crate) fn flight(frames: usize, seed: u64) -> Result<Flight> {
    let mut random = Random::new(seed);
    let mut bodies = Vec::new();
    for (i, (shape, polygons)) in SHAPES.into_iter().zip(POLYGONS).enumerate() {
        let corner = Vec3::new((i % 2) as f64, (i / 2 % 2) as f64, (i / 4) as f64 / 1.25);
        bodies.push(Body {
            mesh: Arc::new(shape.generate(polygons, seed)?),
            position: (corner * 2.0 - Vec3::ONE) * 1.6,
            axis: random.in_cube() + Vec3::splat(1e-3),
            angle: 0.0,
            velocity: random.in_cube() * 0.06,
            spin: random.signed() * 0.05,
        });
    }
    let wall = Arc::new(shapes::cuboid([0.2, 2.0 * HALF_SIDE, 2.0 * HALF_SIDE])?);
    let walls = wall_poses()?;
    let mut flight = Vec::with_capacity(frames);
    for _ in 0..frames {
        for body in &mut bodies {
            body.position += body.velocity;
            body.angle += body.spin;
        }
        let poses: Vec<Pose> = bodies
            .iter()
            .map(|b| {
                let turn = Pose::from_axis_angle(b.axis, b.angle)?;
                Pose::from_translation(b.position)?.compose(&turn)
            })
            .collect::<Result<_, impinge::Error>>()?;
        let mut requests = Vec::new();
        let mut bounced = vec![false; bodies.len()];
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                let pose = Pose::relative(&poses[i], &poses[j]);
                let request =
                    Request { a: bodies[i].mesh.clone(), b: bodies[j].mesh.clone(), pose };
                if first_hit(&request.a, &request.b, &request.pose).is_some() {
                    (bounced[i], bounced[j]) = (true, true);
                }
                requests.push(request);
            }
            for at in &walls {
                let pose = Pose::relative(&poses[i], at);
                let request = Request { a: bodies[i].mesh.clone(), b: wall.clone(), pose };
                bounced[i] |= first_hit(&request.a, &request.b, &request.pose).is_some();
                requests.push(request);
            }
        }
        for (body, bounced) in bodies.iter_mut().zip(bounced) {
            if bounced {
                body.velocity = -body.velocity;
                body.spin = -body.spin;
            }
            // Two objects that reverse in the same frame may stay in contact and leave the cage;
            // the limit prevents that.
            let limit = Vec3::splat(HALF_SIDE - 0.5);
            body.position = body.position.clamp(-limit, limit);
        }
        flight.push(requests);
    }
    Ok(Flight { frames: flight, polygons: bodies.iter().map(|b| b.mesh.polygon_count()).sum() })
}

fn wall_poses() -> Result<Vec<Pose>> {
    let mut poses = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let mut offset = Vec3::ZERO;
            offset[axis] = side * (HALF_SIDE + 0.1);
            let quarter = std::f64::consts::FRAC_PI_2;
            let turn = match axis {
                0 => Pose::IDENTITY,
                1 => Pose::from_axis_angle(Vec3::Z, quarter)?,
                _ => Pose::from_axis_angle(Vec3::Y, quarter)?,
            };
            poses.push(Pose::from_translation(offset)?.compose(&turn)?);
        }
    }
    Ok(poses)
}
