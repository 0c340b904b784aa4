//! The thesis' closed environment: bodies of three shapes that fly, turn and bounce, and the pairs
//! whose boxes overlap, frame by frame.

use std::collections::HashMap;

use anyhow::Result;
use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::{Aabb, Pose, Vec3};
use impinge_papers::leung::separating::{self, Cache, Options, Prepared, Query, Scratch};

use crate::random::Random;

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
        let v = random.vector();
        if (0.01..=1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// What is to fly.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// The shapes, in turn.
    pub(super) shapes: Vec<Shape>,
    /// Vertices of each body.
    pub(super) vertices: usize,
    pub(super) bodies: usize,
    pub(super) frames: usize,
    /// Radii a frame.
    pub(super) velocity: f64,
    /// Degrees a frame.
    pub(super) rotation: f64,
    /// The bodies' bounding spheres' share of the room.
    pub(super) density: f64,
    pub(super) seed: u64,
}

impl Setting {
    /// What the thesis takes unless it says otherwise: 5 % of the radius and 10 degrees a frame.
    pub(super) fn usual(
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

/// A pair to ask about: two hulls, the pose of the second in the first one's frame, and the number
/// of the episode, from the frame in which their boxes first overlap to the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) episode: u32,
    pub(super) pose: Pose,
}

/// A flight, to be asked about by every method in the same way.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) hulls: Vec<Hull>,
    pub(super) frames: Vec<Vec<Request>>,
    pub(super) episodes: usize,
    /// How many requests are about bodies that meet.
    pub(super) hits: usize,
}

impl Recording {
    pub(super) fn requests(&self) -> usize {
        self.frames.iter().map(Vec::len).sum()
    }
}

struct Flyer {
    hull: u32,
    position: Vec3,
    velocity: Vec3,
    start: Pose,
    axis: Vec3,
    angle: f64,
    spin: f64,
    /// Vertices that support the box, for the next frame's climbs.
    support: [u32; 6],
}

impl Flyer {
    fn pose(&self) -> Result<Pose> {
        let turn = Pose::from_axis_angle(self.axis, self.angle)?.compose(&self.start)?;
        Ok(Pose::from_translation(self.position)?.compose(&turn)?)
    }

    /// The tightest box, by six climbs.
    fn bounds(&mut self, hull: &Hull, pose: &Pose, climb: &mut Climb) -> Aabb {
        let back = pose.rotation().transpose();
        for (k, support) in self.support.iter_mut().enumerate() {
            let direction = back.col(k % 3) * if k < 3 { 1.0 } else { -1.0 };
            *support = hull.climb(direction, *support, climb);
        }
        Aabb::from_points(self.support.map(|v| pose.transform_point(hull.vertices()[v as usize])))
    }
}

/// How many different hulls there are of each shape.
const HULLS: usize = 8;

/// Lets them fly.
pub(super) fn record(setting: &Setting) -> Result<Recording> {
    let mut random = Random::new(setting.seed);
    let mut hulls = Vec::new();
    for i in 0..HULLS * setting.shapes.len() {
        let shape = setting.shapes[i % setting.shapes.len()];
        hulls.push(shape.hull(setting.vertices, &mut random)?);
    }
    let bodies: Vec<Prepared<'_>> = hulls.iter().map(Prepared::new).collect();
    let spheres = setting.bodies as f64 * 4.0 / 3.0 * std::f64::consts::PI;
    let half = 0.5 * (spheres / setting.density).cbrt();
    let mut flyers: Vec<Flyer> = (0..setting.bodies)
        .map(|i| Flyer {
            hull: (i % hulls.len()) as u32,
            position: random.vector() * half,
            velocity: direction(&mut random) * setting.velocity,
            start: Pose::from_axis_angle(direction(&mut random), 3.0 * random.unit())
                .unwrap_or(Pose::IDENTITY),
            axis: direction(&mut random),
            angle: 0.0,
            spin: setting.rotation.to_radians(),
            support: [0; 6],
        })
        .collect();
    let mut climb = Climb::default();
    let mut scratch = Scratch::default();
    let mut open: HashMap<(u32, u32), (u32, Cache, bool)> = HashMap::new();
    let (mut frames, mut episodes, mut hits) = (Vec::new(), 0, 0);
    for _ in 0..setting.frames {
        let mut poses = Vec::with_capacity(flyers.len());
        let mut boxes = Vec::with_capacity(flyers.len());
        for flyer in &mut flyers {
            flyer.position += flyer.velocity;
            flyer.angle += flyer.spin;
            for k in 0..3 {
                if flyer.position[k].abs() > half {
                    flyer.velocity[k] = -flyer.position[k].signum() * flyer.velocity[k].abs();
                }
            }
            let pose = flyer.pose()?;
            boxes.push(flyer.bounds(&hulls[flyer.hull as usize], &pose, &mut climb));
            poses.push(pose);
        }
        let mut requests = Vec::new();
        let mut next = HashMap::new();
        let mut reversed = vec![false; flyers.len()];
        for (i, j) in overlaps(&boxes) {
            let (episode, mut cache, met) = open.remove(&(i, j)).unwrap_or_else(|| {
                episodes += 1;
                (episodes - 1, Cache::default(), false)
            });
            let pose = Pose::relative(&poses[i as usize], &poses[j as usize]);
            let (a, b) = (flyers[i as usize].hull, flyers[j as usize].hull);
            let query = Query {
                a: &bodies[a as usize],
                b: &bodies[b as usize],
                pose: &pose,
                options: Options::THESIS,
            };
            let meet = separating::decide(query, &mut cache, &mut scratch).is_intersecting();
            hits += usize::from(meet);
            // Once a contact, or bodies that turned too late would turn back into each other.
            if meet && !met {
                (reversed[i as usize], reversed[j as usize]) = (true, true);
            }
            next.insert((i, j), (episode, cache, meet));
            requests.push(Request { a, b, episode, pose });
        }
        open = next;
        for (flyer, reversed) in flyers.iter_mut().zip(reversed) {
            if reversed {
                flyer.velocity = -flyer.velocity;
                flyer.spin = -flyer.spin;
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
    fn a_flight_is_the_same_each_time_and_has_hits() {
        let setting = Setting::usual(&Shape::ALL, 30, 60, 40, 1);
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
