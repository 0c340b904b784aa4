//! The thesis' closed environment: bodies of three shapes that move, rotate and bounce, and the
//! pairs whose boxes overlap in each frame.

use std::collections::HashMap;

use anyhow::Result;
use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::{Aabb, Pose, Vec3};
use impinge_papers::leung::separating::{self, Options, Prepared, Query, Scratch, SeparatingCache};

use impinge::internals::Random;

/// The thesis' three shapes: points on the surface of an ellipsoid, which is round, long or flat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Ellipsoid,
    Rod,
    Plate,
}

impl Shape {
    pub(super) const ALL: [Self; 3] = [Self::Ellipsoid, Self::Rod, Self::Plate];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ellipsoid => "ellipsoid",
            Self::Rod => "rod",
            Self::Plate => "plate",
        }
    }

    /// The half axes; the radius is one.
    fn axes(self) -> Vec3 {
        match self {
            Self::Ellipsoid => Vec3::new(1.0, 0.75, 0.6),
            Self::Rod => Vec3::new(1.0, 0.05, 0.05),
            Self::Plate => Vec3::new(1.0, 1.0, 0.05),
        }
    }

    /// A hull of `n` vertices.
    fn hull(self, n: usize, random: &mut Random) -> Result<Hull> {
        let points: Vec<Vec3> = (0..n).map(|_| direction(random) * self.axes()).collect();
        Ok(Hull::new(&points)?)
    }
}

fn direction(random: &mut Random) -> Vec3 {
    loop {
        let v = random.in_cube();
        if (0.01..=1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// The parameters of a flight.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// The shapes of the bodies, assigned in turn.
    pub(super) shapes: Vec<Shape>,
    /// Vertices of each body.
    pub(super) vertices: usize,
    pub(super) bodies: usize,
    pub(super) frames: usize,
    /// In radii per frame.
    pub(super) velocity: f64,
    /// In degrees per frame.
    pub(super) rotation: f64,
    /// The share of the room that the bodies' bounding spheres fill.
    pub(super) density: f64,
    pub(super) seed: u64,
}

impl Setting {
    /// The default of the thesis: 5 % of the radius and 10 degrees per frame.
    pub(super) fn thesis(
        shapes: &[Shape],
        vertices: usize,
        bodies: usize,
        frames: usize,
        seed: u64,
    ) -> Self {
        Self {
            shapes: shapes.to_vec(),
            vertices,
            bodies,
            frames,
            velocity: 0.05,
            rotation: 10.0,
            density: 0.1,
            seed,
        }
    }
}

/// A pair to test: two hulls, the pose of the second in the first one's frame, and the number of
/// the episode. An episode lasts from the first frame in which the boxes of a pair overlap to the
/// last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) episode: u32,
    pub(super) pose: Pose,
}

/// The requests of a flight, the same for every method.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) hulls: Vec<Hull>,
    pub(super) frames: Vec<Vec<Request>>,
    pub(super) episodes: usize,
    /// The number of requests with intersecting bodies.
    pub(super) hits: usize,
}

impl Recording {
    pub(super) fn requests(&self) -> usize {
        self.frames.iter().map(Vec::len).sum()
    }
}

struct MovingBody {
    hull: u32,
    position: Vec3,
    velocity: Vec3,
    start: Pose,
    axis: Vec3,
    angle: f64,
    spin: f64,
    /// Support vertices of the box, where the climbs of the next frame start.
    support: [u32; 6],
}

impl MovingBody {
    fn pose(&self) -> Result<Pose> {
        let rotation = Pose::from_axis_angle(self.axis, self.angle)?.compose(&self.start)?;
        Ok(Pose::from_translation(self.position)?.compose(&rotation)?)
    }

    /// The tightest box, by six climbs.
    fn bounds(&mut self, hull: &Hull, pose: &Pose, climb: &mut Climb) -> Aabb {
        let to_local = pose.rotation().transpose();
        for (k, support) in self.support.iter_mut().enumerate() {
            let direction = to_local.col(k % 3) * if k < 3 { 1.0 } else { -1.0 };
            *support = hull.climb(direction, *support, climb);
        }
        Aabb::from_points(self.support.map(|v| pose.transform_point(hull.vertices()[v as usize])))
    }
}

/// The number of different hulls of each shape.
const HULLS_PER_SHAPE: usize = 8;

/// Simulates a flight and records its requests.
pub(super) fn record(setting: &Setting) -> Result<Recording> {
    let mut random = Random::new(setting.seed);
    let mut hulls = Vec::new();
    for i in 0..HULLS_PER_SHAPE * setting.shapes.len() {
        let shape = setting.shapes[i % setting.shapes.len()];
        hulls.push(shape.hull(setting.vertices, &mut random)?);
    }
    let bodies: Vec<Prepared<'_>> = hulls.iter().map(Prepared::new).collect();
    let spheres = setting.bodies as f64 * 4.0 / 3.0 * std::f64::consts::PI;
    let half_side = 0.5 * (spheres / setting.density).cbrt();
    let mut moving: Vec<MovingBody> = (0..setting.bodies)
        .map(|i| MovingBody {
            hull: (i % hulls.len()) as u32,
            position: random.in_cube() * half_side,
            velocity: direction(&mut random) * setting.velocity,
            start: Pose::from_axis_angle(direction(&mut random), 3.0 * random.signed())
                .unwrap_or(Pose::IDENTITY),
            axis: direction(&mut random),
            angle: 0.0,
            spin: setting.rotation.to_radians(),
            support: [0; 6],
        })
        .collect();
    let mut climb = Climb::default();
    let mut scratch = Scratch::default();
    let mut active: HashMap<(u32, u32), (u32, SeparatingCache, bool)> = HashMap::new();
    let (mut frames, mut episodes, mut hits) = (Vec::new(), 0, 0);
    for _ in 0..setting.frames {
        let mut poses = Vec::with_capacity(moving.len());
        let mut boxes = Vec::with_capacity(moving.len());
        for body in &mut moving {
            body.position += body.velocity;
            body.angle += body.spin;
            for k in 0..3 {
                if body.position[k].abs() > half_side {
                    body.velocity[k] = -body.position[k].signum() * body.velocity[k].abs();
                }
            }
            let pose = body.pose()?;
            boxes.push(body.bounds(&hulls[body.hull as usize], &pose, &mut climb));
            poses.push(pose);
        }
        let mut requests = Vec::new();
        let mut next = HashMap::new();
        let mut reversed = vec![false; moving.len()];
        for (i, j) in overlaps(&boxes) {
            let (episode, mut cache, was_intersecting) =
                active.remove(&(i, j)).unwrap_or_else(|| {
                    episodes += 1;
                    (episodes - 1, SeparatingCache::default(), false)
                });
            let pose = Pose::relative(&poses[i as usize], &poses[j as usize]);
            let (a, b) = (moving[i as usize].hull, moving[j as usize].hull);
            let query = Query {
                a: &bodies[a as usize],
                b: &bodies[b as usize],
                pose: &pose,
                options: Options::THESIS,
            };
            let is_intersecting =
                separating::decide(query, &mut cache, &mut scratch).is_intersecting();
            hits += usize::from(is_intersecting);
            // Bodies reverse once per contact. If they still intersect in the next frame, a second
            // reversal would drive them into each other again.
            if is_intersecting && !was_intersecting {
                (reversed[i as usize], reversed[j as usize]) = (true, true);
            }
            next.insert((i, j), (episode, cache, is_intersecting));
            requests.push(Request { a, b, episode, pose });
        }
        active = next;
        for (body, reversed) in moving.iter_mut().zip(reversed) {
            if reversed {
                body.velocity = -body.velocity;
                body.spin = -body.spin;
            }
        }
        frames.push(requests);
    }
    drop(bodies);
    Ok(Recording { hulls, frames, episodes: episodes as usize, hits })
}

/// The pairs of boxes that overlap, by a sweep along x; the smaller number first, in a fixed order.
fn overlaps(boxes: &[Aabb]) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    order.sort_unstable_by(|i, j| {
        boxes[*i as usize].min.x.total_cmp(&boxes[*j as usize].min.x).then(i.cmp(j))
    });
    let mut pairs = Vec::new();
    for (k, i) in order.iter().enumerate() {
        let a = &boxes[*i as usize];
        for j in &order[k + 1..] {
            let b = &boxes[*j as usize];
            if b.min.x > a.max.x {
                break;
            }
            if a.overlaps(b) {
                pairs.push((*i.min(j), *i.max(j)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flight_is_deterministic_and_has_hits() {
        let setting = Setting::thesis(&Shape::ALL, 30, 60, 40, 1);
        let (x, y) = (record(&setting).unwrap(), record(&setting).unwrap());
        assert_eq!((x.requests(), x.hits, x.episodes), (y.requests(), y.hits, y.episodes));
        assert!(
            x.hits > 10 && x.requests() > 5 * x.hits && x.episodes > 20,
            "{} {} {}",
            x.requests(),
            x.hits,
            x.episodes
        );
        assert!(x.hulls.iter().all(|h| h.vertices().len() == 30));
    }
}
