//! A steady frame allocates no memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(unsafe_code, reason = "a counting allocator; see its SAFETY notes")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

use impinge::convex::{Cuboid, HalfSpace, Hull, Sphere};
use impinge::pair::{
    AllSearch, Budget, DistanceSearch, FirstSearch, all_pairs_within, distance_within,
    first_hit_within,
};
use impinge::shape::{ShapeCache, ShapeDistanceSearch, ShapeSearch};
use impinge::world::{Body, Geometry, Handle, World, WorldOptions};
use impinge::{Pose, Shape, Vec3, shapes};

/// Counts the allocations of all threads.
struct CountingAllocator;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator with unchanged arguments.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A world of bodies near the points of a lattice; and the bodies with their positions.
fn lattice_world(forms: &[Geometry], count: usize) -> (World, Vec<(Handle, Vec3)>) {
    let mut world = World::with_options(WorldOptions::default().persisting(true));
    let side = (count as f64).cbrt().ceil() as usize;
    let mut places = Vec::new();
    for n in 0..count {
        let at = [n % side, n / side % side, n / side / side].map(|k| 0.95 * k as f64);
        // Slightly off the lattice, so that no bodies touch exactly.
        let at = Vec3::from_array(at) + Vec3::new(0.0137, 0.0071, 0.0093) * (n * n % 11) as f64;
        let body =
            Body::new(forms[n % forms.len()].clone()).at(Pose::from_translation(at).unwrap());
        places.push((world.add(body).unwrap(), at));
    }
    (world, places)
}

/// Moves every body slightly about its position, with a period of four frames.
fn oscillate(world: &mut World, places: &[(Handle, Vec3)], frame: usize) {
    for (n, (handle, at)) in places.iter().enumerate() {
        // Every pose repeats after four frames.
        let phase = (frame + n) % 4;
        let turn = [0.0, 0.02, 0.04, 0.02][phase];
        let own = (n * 7 % 31) as f64 / 31.0;
        let turned = [turn + own, 0.5 - own, 0.3, 1.0];
        let pose = Pose::from_quaternion(turned, *at + Vec3::splat(turn)).unwrap();
        world.move_to(*handle, pose).unwrap();
    }
}

fn check_allocations(forms: &[Geometry], name: &str) {
    for threads in [1, 2] {
        check_allocations_with(threads, forms, name);
    }
}

/// Every thread of the pool runs some frames alone, while the others wait. Each thread has its own
/// buffers; on a busy machine, a thread might otherwise process its first contact in a measured
/// frame.
fn warm_up_every_thread(
    pool: &rayon::ThreadPool,
    world: World,
    places: &[(Handle, Vec3)],
) -> World {
    let world = Mutex::new(world);
    let barrier = Barrier::new(pool.current_num_threads());
    pool.broadcast(|context| {
        for turn in 0..context.num_threads() {
            barrier.wait();
            if turn == context.index() {
                let mut world = world.lock().unwrap();
                for frame in 0..8 {
                    oscillate(&mut world, places, frame);
                    world.update();
                }
            }
            barrier.wait();
        }
    });
    world.into_inner().unwrap()
}

fn check_allocations_with(threads: usize, forms: &[Geometry], name: &str) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (world, places) = lattice_world(forms, 200);
    let world = warm_up_every_thread(&pool, world, &places);
    pool.install(|| {
        let mut world = world;
        for frame in 0..64 {
            oscillate(&mut world, &places, frame);
            world.update();
        }
        let stats = *world.report().stats();
        assert!(stats.checked > 100 && stats.meeting > 20, "{name}: {stats:?}");
        for frame in 64..80 {
            oscillate(&mut world, &places, frame);
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            world.update();
            let calls = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert_eq!(calls, 0, "{name}, {threads} threads, frame {frame}");
        }
    });
}

/// Queries of points and of a solid inside of another do not allocate once the trees are built.
fn queries_of_solids_do_not_allocate() {
    let (ball, ring) =
        (shapes::icosphere(1.0, 16).unwrap(), shapes::torus(0.4, 0.1, 32, 16).unwrap());
    let pose = Pose::from_quaternion([0.1, 0.2, 0.3, 1.0], [0.1, 0.0, 0.2]).unwrap();
    let shapes = [Shape::solid(ball.clone()).unwrap(), Shape::solid(ring).unwrap()];
    let mut cache = ShapeCache::default();
    let mut before = 0;
    for round in 0..3 {
        if round == 2 {
            before = ALLOCATIONS.load(Ordering::Relaxed);
        }
        for n in 0..200 {
            let p = Vec3::new(f64::from(n % 7), f64::from(n % 11), f64::from(n % 13)) * 0.15 - 0.9;
            assert!(impinge::solid::locate(&ball, p).is_ok());
        }
    }
    let calls = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(calls, 0, "200 points");
    for round in 0..3 {
        if round == 2 {
            before = ALLOCATIONS.load(Ordering::Relaxed);
        }
        let found = impinge::shape::intersects_cached(&shapes[0], &shapes[1], &pose, &mut cache);
        assert!(found.is_intersecting());
    }
    let calls = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(calls, 0, "a ring in a ball");
}

/// Queries within a budget do not allocate once their states are warm: whether they are decided or
/// not, and with a new pose each time.
fn budgeted_queries_do_not_allocate() {
    let (ball, ring) =
        (shapes::icosphere(1.0, 16).unwrap(), shapes::torus(1.0, 0.3, 48, 24).unwrap());
    let speck = shapes::icosphere(1e-8, 3).unwrap();
    for mesh in [&ball, &ring, &speck] {
        mesh.prepare();
    }
    let (mut first, mut all, mut near) =
        (FirstSearch::new(), AllSearch::new(), DistanceSearch::new());
    let mut undecided = 0;
    let mut before = 0;
    for round in 0..3 {
        if round == 2 {
            before = ALLOCATIONS.load(Ordering::Relaxed);
        }
        for n in 0..60 {
            let shift = Vec3::new(f64::from(n % 7), f64::from(n % 5), f64::from(n % 3)) * 0.4;
            let pose = Pose::from_translation(shift).unwrap();
            let b = if n % 10 == 9 { &speck } else { &ring };
            for steps in [20, 1 << 40] {
                let budget = || Budget::steps(steps);
                let hit = first_hit_within(&ball, b, &pose, &mut budget(), &mut first);
                let found = all_pairs_within(&ball, b, &pose, &mut budget(), &mut all);
                let known = distance_within(&ball, b, &pose, &mut budget(), &mut near);
                undecided += usize::from(hit.is_undecided())
                    + usize::from(!found.is_complete())
                    + usize::from(!known.is_final());
            }
        }
    }
    let calls = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(calls, 0, "360 queries within a budget");
    assert!(undecided > 100, "{undecided}");
}

/// The same for shapes: meshes against bodies and half-spaces in parts, and pairs that the first
/// piece decides.
fn budgeted_queries_of_shapes_do_not_allocate() {
    let shapes: Vec<Shape> = vec![
        shapes::torus(1.0, 0.3, 48, 24).unwrap().into(),
        Shape::solid(shapes::icosphere(1.0, 6).unwrap()).unwrap(),
        Sphere::new(0.5).unwrap().into(),
        Cuboid::new([0.5, 0.75, 1.0]).unwrap().into(),
        Shape::from(Cuboid::new([0.5, 0.75, 1.0]).unwrap()).rounded(0.25).unwrap(),
        HalfSpace::new([0.3, 0.2, 1.0], -0.5).unwrap().into(),
    ];
    for shape in &shapes {
        shape.prepare();
    }
    let pairs: Vec<(&Shape, &Shape)> =
        shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))).collect();
    let mut states: Vec<(ShapeSearch, ShapeDistanceSearch, ShapeCache)> =
        pairs.iter().map(|_| Default::default()).collect();
    let (mut undecided, mut before) = (0, 0);
    for round in 0..3 {
        if round == 2 {
            before = ALLOCATIONS.load(Ordering::Relaxed);
        }
        for ((a, b), (verdicts, distances, cache)) in pairs.iter().zip(&mut states) {
            for n in 0..20 {
                let shift = Vec3::new(f64::from(n % 7), f64::from(n % 5), f64::from(n % 3)) * 0.41;
                let turn = [0.1, 0.2, 0.3 + f64::from(n) * 0.1, 1.0];
                let pose = Pose::from_quaternion(turn, shift).unwrap();
                for steps in [3, 20, 1 << 40] {
                    let budget = || Budget::steps(steps);
                    verdicts.run_cached(a, b, &pose, cache, &mut budget());
                    let found = distances.run_cached(a, b, &pose, cache, &mut budget());
                    undecided +=
                        usize::from(!verdicts.is_finished()) + usize::from(!found.is_final());
                }
            }
        }
    }
    let calls = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(calls, 0, "queries of shapes within a budget");
    assert!(undecided > 500, "{undecided}");
}

#[test]
fn a_steady_frame_does_not_allocate() {
    // A single test, because the allocations of all threads are counted.
    queries_of_solids_do_not_allocate();
    budgeted_queries_do_not_allocate();
    budgeted_queries_of_shapes_do_not_allocate();
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|v| v - 0.25);
    let convex: Vec<Geometry> = vec![
        Sphere::new(0.5).unwrap().into(),
        Cuboid::new([0.4, 0.5, 0.45]).unwrap().into(),
        Hull::new(&tetrahedron).unwrap().into(),
    ];
    check_allocations(&convex, "convex bodies");
    let meshes: Vec<Geometry> = vec![
        shapes::torus(0.5, 0.2, 32, 16).unwrap().into(),
        shapes::icosphere(0.55, 8).unwrap().into(),
    ];
    check_allocations(&meshes, "meshes");
    let ends = [-0.3, 0.3].map(|z| Pose::from_translation([0.0, 0.0, z]).unwrap());
    let ball = Shape::from(Sphere::new(0.4).unwrap());
    let compound = Geometry::compound([(ball.clone(), ends[0]), (ball, ends[1])]).unwrap();
    check_allocations(&[compound], "compounds");
}
