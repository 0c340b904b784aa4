//! Queries with a cache along a motion, and queries on several threads, give the same answers as
//! plain queries.

#![allow(clippy::unwrap_used, reason = "a test that fails should say where")]

use impinge::pair::{
    MeshCache, first_hit, first_hit_cached, intersecting_pairs, par_intersecting_pairs,
};
use impinge::{Mesh, Pose, shapes};
use impinge_oracles::common::Random;

fn models() -> Vec<Mesh> {
    vec![
        shapes::torus(1.0, 0.4, 60, 30).unwrap(),
        shapes::icosphere(0.8, 12).unwrap(),
        shapes::cuboid_grid([1.0, 1.5, 2.0], [6, 6, 6]).unwrap(),
    ]
}

/// Poses of a random walk, with a jump at every 50th step.
fn random_walk(random: &mut Random, step: f64, count: usize) -> Vec<Pose> {
    let (mut turn, mut place) = ([0.0, 0.0, 0.0, 1.0], [1.6, 0.3, 0.0]);
    (0..count)
        .map(|i| {
            let size = if i % 50 == 49 { 2.0 } else { step };
            for x in &mut turn {
                *x += size * random.signed();
            }
            for x in &mut place {
                // Pulled towards the origin, so that the bodies keep meeting and separating.
                *x += size * (random.signed() - 0.1 * *x);
            }
            let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
            let unit = turn.map(|x| x / length);
            Pose::from_quaternion(unit, glam::DVec3::from(place)).unwrap()
        })
        .collect()
}

#[test]
fn cached_queries_give_the_same_verdicts() {
    let mut random = Random::new(5);
    let models = models();
    let (mut hits, mut queries) = (0, 0);
    for a in &models {
        for b in &models {
            for step in [0.0, 0.001, 0.01, 0.1] {
                let mut cache = MeshCache::default();
                for pose in random_walk(&mut random, step, 150) {
                    let plain = first_hit(a, b, &pose);
                    let cached = first_hit_cached(a, b, &pose, &mut cache);
                    assert_eq!(plain.is_some(), cached.is_some(), "{pose:?}");
                    if let Some(hit) = cached {
                        let pairs = intersecting_pairs(a, b, &pose);
                        assert!(pairs.binary_search(&(hit.triangle_a, hit.triangle_b)).is_ok());
                    }
                    hits += usize::from(plain.is_some());
                    queries += 1;
                }
            }
        }
    }
    assert!(hits > queries / 10 && hits < queries * 9 / 10, "{hits} of {queries}");
}

#[test]
fn a_cache_can_be_used_for_other_meshes() {
    let models = models();
    let mut random = Random::new(6);
    let mut cache = MeshCache::default();
    for (i, pose) in random_walk(&mut random, 0.02, 300).iter().enumerate() {
        let (a, b) = (&models[i % 3], &models[(i / 2) % 3]);
        let cached = first_hit_cached(a, b, pose, &mut cache);
        assert_eq!(first_hit(a, b, pose).is_some(), cached.is_some());
    }
}

#[test]
fn a_cache_works_for_size_ratios_that_the_trees_refuse() {
    let large = shapes::icosphere(1e9, 4).unwrap();
    let small = shapes::icosphere(1.0, 4).unwrap();
    let mut cache = MeshCache::default();
    for x in [0.0, 1e9, 2e9, 1e9] {
        let pose = Pose::from_translation([x, 0.0, 0.0]).unwrap();
        let cached = first_hit_cached(&large, &small, &pose, &mut cache);
        assert_eq!(first_hit(&large, &small, &pose).is_some(), cached.is_some());
    }
}

#[test]
fn parallel_queries_find_the_same_pairs() {
    let mut random = Random::new(7);
    let models = models();
    let mut pairs = 0;
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for a in &models {
            for b in &models {
                for pose in random_walk(&mut random, 0.3, 4) {
                    let plain = intersecting_pairs(a, b, &pose);
                    assert_eq!(plain, pool.install(|| par_intersecting_pairs(a, b, &pose)));
                    pairs += plain.len();
                }
            }
        }
    }
    assert!(pairs > 10_000, "{pairs}");
    let none = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    assert!(par_intersecting_pairs(&none, &models[0], &Pose::IDENTITY).is_empty());
}

/// A mesh of a few triangles and a mesh of thousands: the cached query uses the trees, the plain
/// query sweeps.
#[test]
fn cached_queries_agree_with_the_sweep_for_few_triangles() {
    let ring = shapes::torus(1.0, 0.4, 64, 32).unwrap();
    let mut hits = 0;
    for cells in [1, 2] {
        let sheet = shapes::plane([0.7, 0.9], [cells, 1]).unwrap();
        let mut caches = [MeshCache::default(), MeshCache::default()];
        for step in 0..200 {
            let t = f64::from(step) * 0.05;
            let at = [1.6 * t.sin(), 1.3 * (1.7 * t).cos(), 0.5 * (0.9 * t).sin()];
            let pose = Pose::from_quaternion([t.sin(), 0.3, t.cos(), 0.5], at).unwrap();
            let found = first_hit_cached(&ring, &sheet, &pose, &mut caches[0]).is_some();
            assert_eq!(found, first_hit(&ring, &sheet, &pose).is_some(), "{cells} {step}");
            let back = first_hit_cached(&sheet, &ring, &pose, &mut caches[1]).is_some();
            assert_eq!(back, first_hit(&sheet, &ring, &pose).is_some(), "{cells} {step}");
            hits += usize::from(found);
        }
    }
    assert!((50..350).contains(&hits), "{hits}");
}
