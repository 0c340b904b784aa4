//! A moving scene in a world.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Mover, MovingScene, Surroundings};
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::shape::Shape;
use impinge::world::{Body, EventKind, Geometry, Handle, Interest, Report, World, WorldOptions};
use impinge::{Error, ErrorKind};

/// The bodies of a [`MovingScene`] in a [`World`], on their paths. See the [module](super).
///
/// Closed meshes are solids. The same scene and seed yield the same poses and events.
#[derive(Debug)]
pub struct Stage {
    world: World,
    handles: Vec<Handle>,
    movers: Vec<Mover>,
    parents: Vec<Option<usize>>,
    /// The body in each slot of the world.
    body_of: Vec<usize>,
    /// For each part its body, and its pose in the body's frame.
    parts: Vec<(usize, Pose)>,
    /// The names of the bodies.
    names: Vec<String>,
    partly_ignored: usize,
    time: f64,
}

impl Stage {
    /// Creates a stage with the scene at time zero. Collisions are detected from the first
    /// [update](Stage::update) on.
    ///
    /// # Errors
    /// If a parent does not come before its children, a part does not exist, or a motion is
    /// invalid. The message contains the body.
    pub fn new(scene: &MovingScene, options: &WorldOptions, seed: u64) -> Result<Self, Error> {
        let mut world = World::with_options(options.clone());
        let mut rules = Interest::everything();
        rules.ignore_links(scene.ignore_links);
        world.set_rules(rules);
        let bounds = scene.bounds();
        let parts = scene.scene.parts();
        let mut places = vec![(usize::MAX, Pose::IDENTITY); parts.len()];
        // Bodies with the same mesh share its geometry.
        let mut shared: BTreeMap<*const Mesh, Geometry> = BTreeMap::new();
        let (mut handles, mut movers, mut body_of) = (Vec::new(), Vec::new(), Vec::new());
        let mut frames: Vec<Pose> = Vec::new();
        for (i, body) in scene.bodies.iter().enumerate() {
            let bad = |what: &str| {
                Error::new(ErrorKind::BadParameter, format!("body {}: {what}", body.name))
            };
            let own = parts
                .get(body.parts.clone())
                .ok_or_else(|| bad("some of its parts do not exist"))?;
            let around = match body.parent {
                None => Pose::IDENTITY,
                Some(parent) => {
                    *frames.get(parent).ok_or_else(|| bad("its parent does not come before it"))?
                }
            };
            let named = |e: Error| e.within(format_args!("body {}", body.name));
            let frame = match body.parent {
                None => body.origin,
                Some(_) => around.compose(&body.origin).map_err(named)?,
            };
            // The pose of a part in the body's frame, and in the parent frame.
            let within = |pose: &Pose| {
                if *pose == frame { Pose::IDENTITY } else { Pose::relative(&frame, pose) }
            };
            let mut points: Vec<Vec3> = Vec::new();
            for (part, place) in own.iter().zip(&mut places[body.parts.clone()]) {
                *place = (i, within(&part.pose));
                // For parts far from their body the sum may leave the range of coordinates. Only
                // the size of the body is needed here.
                let pose = impinge::internals::compose_unchecked(&body.origin, &place.1);
                let vertices = part.mesh.used_vertices().iter();
                points.extend(
                    vertices.map(|v| pose.transform_point(part.mesh.vertices()[*v as usize])),
                );
            }
            let geometry = match own {
                [part] if part.pose == frame => match shared.get(&Arc::as_ptr(&part.mesh)) {
                    Some(geometry) => geometry.clone(),
                    None => {
                        let geometry = Geometry::from(shape(&part.mesh).map_err(named)?);
                        shared.insert(Arc::as_ptr(&part.mesh), geometry.clone());
                        geometry
                    }
                },
                // A body without parts may have children.
                [] => Mesh::from_triangles(Vec::new(), Vec::new())?.into(),
                own => {
                    let shapes: Result<Vec<(Shape, Pose)>, Error> =
                        own.iter().map(|p| Ok((shape(&p.mesh)?, within(&p.pose)))).collect();
                    shapes.and_then(Geometry::compound).map_err(named)?
                }
            };
            let mover = Mover::new(body, &points, &Surroundings { bounds, seed, body: i })?;
            let start = mover.pose().map_err(named)?;
            let mut described = Body::new(geometry).at(start).user(i as u64);
            if let Some(parent) = body.parent {
                described = described.attached_to(handles[parent]);
            }
            let handle = world.add(described).map_err(named)?;
            body_of.resize(body_of.len().max(handle.slot() + 1), usize::MAX);
            body_of[handle.slot()] = i;
            handles.push(handle);
            movers.push(mover);
            frames.push(frame);
        }
        let partly_ignored = ignore(scene, &places, &mut world, &handles)?;
        let parents = scene.bodies.iter().map(|body| body.parent).collect();
        let names = scene.bodies.iter().map(|body| body.name.clone()).collect();
        let (parts, time) = (places, 0.0);
        Ok(Self { world, handles, movers, parents, body_of, parts, names, partly_ignored, time })
    }

    /// Advances all bodies by `seconds`. The world uses the new poses in the next update.
    ///
    /// # Errors
    /// If the time is negative or not finite, or if a body has left the range of coordinates. The
    /// message contains the body.
    pub fn advance(&mut self, seconds: f64) -> Result<(), Error> {
        for (i, (mover, handle)) in self.movers.iter_mut().zip(&self.handles).enumerate() {
            if mover.moves() {
                let moved = mover.advance(seconds);
                let moved = moved.and_then(|pose| self.world.move_to(*handle, pose));
                moved.map_err(|e| e.within(format_args!("body {}", self.names[i])))?;
            }
        }
        self.time += seconds;
        Ok(())
    }

    /// Detects the collisions that began and ended, and passes hits to the motions of the bodies.
    pub fn update(&mut self) -> &Report {
        self.world.update();
        for event in self.world.report().events() {
            if event.kind == EventKind::Began {
                for handle in [event.a, event.b] {
                    let mut body = Some(self.body_of[handle.slot()]);
                    while let Some(i) = body {
                        self.movers[i].hit();
                        body = self.parents[i];
                    }
                }
            }
        }
        self.world.report()
    }

    /// Seconds since the start.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The bodies in the world, in the order of the scene.
    #[must_use]
    pub fn handles(&self) -> &[Handle] {
        &self.handles
    }

    /// The index in the scene of the body with a given handle.
    ///
    /// # Panics
    /// If the handle belongs to another world.
    #[must_use]
    pub fn body_of(&self, handle: Handle) -> usize {
        self.body_of[handle.slot()]
    }

    /// The poses of the parts as of the last update. Parts without a body have the identity.
    ///
    /// # Errors
    /// [`OutOfRange`](ErrorKind::OutOfRange) if a body or one of its parts is beyond the range of
    /// coordinates, including the motion of its parents. The message contains the body.
    pub fn part_poses(&self) -> Result<Vec<Pose>, Error> {
        let pose = |(body, within): &(usize, Pose)| match self.handles.get(*body) {
            None => Ok(Pose::IDENTITY),
            Some(handle) => {
                let pose = self.world.pose(*handle).and_then(|pose| {
                    if *within == Pose::IDENTITY { Ok(pose) } else { pose.compose(within) }
                });
                pose.map_err(|e| e.within(format_args!("body {}", self.names[*body])))
            }
        };
        self.parts.iter().map(pose).collect()
    }

    /// Whether a body or one of its ancestors may still move.
    #[must_use]
    pub fn moves(&self, body: usize) -> bool {
        let mut above = Some(body);
        while let Some(i) = above {
            if self.movers[i].moves() {
                return true;
            }
            above = self.parents[i];
        }
        false
    }

    /// The number of pairs of bodies of which only some pairs of parts are ignored. Such bodies are
    /// compared as a whole.
    #[must_use]
    pub fn partly_ignored(&self) -> usize {
        self.partly_ignored
    }
}

/// The shape of a mesh: a solid if it is closed.
fn shape(mesh: &Arc<Mesh>) -> Result<Shape, Error> {
    if mesh.is_solid() { Shape::solid(Arc::clone(mesh)) } else { Ok(Shape::from(Arc::clone(mesh))) }
}

/// Converts ignored pairs of parts to ignored pairs of bodies. Returns the number of pairs of
/// bodies that are only partly ignored.
fn ignore(
    scene: &MovingScene,
    places: &[(usize, Pose)],
    world: &mut World,
    handles: &[Handle],
) -> Result<usize, Error> {
    let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (a, b) in scene.scene.ignored() {
        let (Some((a, _)), Some((b, _))) = (places.get(a), places.get(b)) else { continue };
        if a != b && a.max(b) < &handles.len() {
            *pairs.entry((*a.min(b), *a.max(b))).or_default() += 1;
        }
    }
    let mut partly = 0;
    for ((a, b), count) in pairs {
        if count == scene.bodies[a].parts.len() * scene.bodies[b].parts.len() {
            world.set_interest(handles[a], handles[b], Some(false))?;
        } else {
            partly += 1;
        }
    }
    Ok(partly)
}

#[cfg(test)]
mod tests {
    use super::super::{Keyframe, Motion, Repeat, Sample};
    use super::*;
    use crate::shapes;
    use impinge::scene::Scene;

    fn at(x: f64) -> Pose {
        Pose::from_translation([x, 0.0, 0.0]).unwrap()
    }

    #[test]
    fn a_body_of_several_parts_moves_as_one_and_carries_others() {
        let cube = Arc::new(shapes::cuboid([1.0; 3]).unwrap());
        let mut scene = Scene::new();
        scene.add("cart/left", cube.clone(), at(0.0));
        scene.add("cart/right", cube.clone(), at(2.0));
        let mut moving = MovingScene { scene, ..MovingScene::default() };
        let keyframes = [0.0, 1.0].map(|t| Keyframe { time: t, pose: at(10.0 * t) }).to_vec();
        moving.bodies.push(super::super::MovingBody {
            name: "cart".into(),
            parts: 0..2,
            parent: None,
            origin: Pose::IDENTITY,
            motion: Motion::Keyframes { keyframes, repeat: Repeat::Once },
        });
        moving.add("load", cube.clone(), at(4.0), Some(0), Motion::Still).unwrap();
        moving.add("wall", cube, at(14.5), None, Motion::Still).unwrap();
        let mut stage = Stage::new(&moving, &WorldOptions::default(), 0).unwrap();
        assert!(stage.update().events().is_empty());
        stage.advance(1.0).unwrap();
        let event = stage.update().events()[0];
        assert_eq!((stage.body_of(event.a), stage.body_of(event.b)), (1, 2));
        assert_eq!(stage.world().pose(stage.handles()[1]).unwrap(), at(14.0));
        assert_eq!(stage.time(), 1.0);
    }

    #[test]
    fn pairs_of_bodies_are_ignored_if_all_their_parts_are() {
        let cube = Arc::new(shapes::cuboid([1.0; 3]).unwrap());
        let mut scene = Scene::new();
        for i in 0..4 {
            scene.add(format!("{i}"), cube.clone(), at(0.1 * f64::from(i)));
        }
        scene.ignore(0, 1);
        scene.ignore(2, 3);
        let mut moving = MovingScene::of_parts(scene, &Motion::Still);
        let mut stage = Stage::new(&moving, &WorldOptions::default(), 0).unwrap();
        assert_eq!((stage.update().stats().meeting, stage.partly_ignored()), (4, 0));
        // The last two become one body, so body 0 and this body are only partly ignored.
        moving.bodies.pop();
        moving.bodies[2].parts = 2..4;
        moving.scene.ignore(0, 2);
        let mut stage = Stage::new(&moving, &WorldOptions::default(), 0).unwrap();
        assert_eq!((stage.update().stats().meeting, stage.partly_ignored()), (2, 1));
    }

    #[test]
    fn all_samples_run_and_are_reproducible() {
        for sample in Sample::ALL {
            let scene = MovingScene::sample(sample, 14, 3).unwrap();
            assert!((14..=20).contains(&scene.bodies.len()), "{sample}: {}", scene.bodies.len());
            let run = || {
                let mut stage = Stage::new(&scene, &WorldOptions::default(), 3).unwrap();
                let mut events = Vec::new();
                for _ in 0..60 {
                    events.extend_from_slice(stage.update().events());
                    stage.advance(1.0 / 30.0).unwrap();
                }
                events
            };
            let events = run();
            assert!(events.len() > 3, "{sample}: {} events", events.len());
            assert_eq!(events, run(), "{sample}");
        }
        assert!(MovingScene::sample(Sample::Falling, 0, 1).is_err());
        assert!(MovingScene::sample(Sample::Robot, usize::MAX, 1).is_err());
    }

    /// Errors during the motion contain the name of the body.
    #[test]
    fn errors_during_motion_name_the_body() {
        let cube = || Arc::new(shapes::cuboid([1.0; 3]).unwrap());
        let falling = |g: f64| Motion::Falling {
            gravity: Some(Vec3::new(0.0, 0.0, -g)),
            floor: Some(-1e100),
            restitution: None,
            velocity: None,
            axis: None,
            spin: None,
            seed: None,
        };
        let mut moving = MovingScene::default();
        moving.add("feather", cube(), at(0.0), None, falling(1e-300)).unwrap();
        moving.add("stone", cube(), at(5.0), None, falling(1e60)).unwrap();
        let mut stage = Stage::new(&moving, &WorldOptions::default(), 0).unwrap();
        let error = (0..9).find_map(|_| stage.advance(1.0).err()).unwrap();
        assert!(error.to_string().starts_with("body stone: "), "{error}");
        assert_eq!(error.kind(), ErrorKind::OutOfRange);
        // A chain that starts out of range, or moves there.
        let mut moving = MovingScene::default();
        let base = moving.add("base", cube(), at(0.9e60), None, Motion::Still).unwrap();
        let error = moving.add("tip", cube(), at(0.9e60), Some(base), Motion::Still).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfRange);
        assert!(error.to_string().contains("body tip"), "{error}");
        let keyframes = [0.0, 1.0].map(|t| Keyframe { time: t, pose: at(0.9e60 * t) }).to_vec();
        let motion = Motion::Keyframes { keyframes, repeat: Repeat::Once };
        moving.add("tip", cube(), at(0.0), Some(base), motion).unwrap();
        let mut stage = Stage::new(&moving, &WorldOptions::default(), 0).unwrap();
        stage.update();
        assert_eq!(stage.part_poses().unwrap().len(), 2);
        stage.advance(1.0).unwrap();
        assert_eq!(stage.update().ended().count(), 1);
        let error = stage.part_poses().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfRange);
        assert!(error.to_string().contains("body tip"), "{error}");
    }

    #[test]
    fn broken_scenes_are_refused() {
        let cube = shapes::cuboid([1.0; 3]).unwrap();
        let mut moving = MovingScene::default();
        moving.add("a", cube, at(0.0), None, Motion::Still).unwrap();
        let mut parentless = moving.clone();
        parentless.bodies[0].parent = Some(0);
        let mut partless = moving.clone();
        partless.bodies[0].parts = 0..2;
        for scene in [parentless, partless] {
            let error = Stage::new(&scene, &WorldOptions::default(), 0).unwrap_err();
            assert!(error.to_string().contains("body a"), "{error}");
        }
        // A scene without parts is valid.
        moving.bodies[0].parts = 0..0;
        assert!(
            Stage::new(&moving, &WorldOptions::default(), 0).unwrap().update().events().is_empty()
        );
    }
}
