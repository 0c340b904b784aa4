//! Octrees tightened by simulated annealing (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi 1983).

use impinge::internals::Random;
use impinge::mesh::Mesh;
use impinge::spheres::{NO_PARENT, Node, SphereTree};
use impinge::{Aabb, Error, Vec3};

use super::merge::{Sphere, covering_radius, looseness};
use super::surface::Surface;
use super::{SphereOptions, finish};

/// The temperature at the start, as a share of the mean looseness, and at the end.
const TEMPERATURES: (f64, f64) = (0.3, 0.003);

/// The share of proposals that move a centre; the others give a point to a sibling.
const MOVES: f64 = 0.7;

/// The tree of octants, tightened: the spheres of the octants of a sphere are changed at random,
/// and a change is kept if it makes them tighter, and with a probability that falls from step to
/// step if it makes them looser. Every sphere keeps covering its points of the surface. Looseness
/// is the distance by which a sphere reaches beyond the surface.
///
/// # Errors
/// As [`octree`](super::octree).
pub fn annealed(mesh: &Mesh, options: &SphereOptions) -> Result<SphereTree, Error> {
    options.check(mesh)?;
    let surface = Surface::new(mesh);
    let mut random = Random::new(options.seed);
    let points = surface.samples(2 * options.sample_count(), &mut random);
    let all: Vec<u32> = (0..points.len() as u32).collect();
    let mut above = vec![Sphere { center: surface.bounds().center(), radius: 0.0, points: all }];
    let mut levels: Vec<Vec<Node>> = Vec::new();
    for level in 0..options.levels {
        let (mut nodes, mut spheres) = (Vec::new(), Vec::new());
        for (number, sphere) in above.iter().enumerate() {
            let parent = if level == 0 { NO_PARENT } else { number as u32 };
            let group = start(sphere, &points);
            for child in anneal(group, &points, &surface, options.steps, &mut random) {
                nodes.push(Node { ball: surface.ball(child.center, child.radius), parent });
                spheres.push(child);
            }
        }
        levels.push(nodes);
        above = spheres;
    }
    finish(mesh, &levels, options)
}

/// The spheres of the octants of the smallest cube around the points of a sphere, some of them
/// without points.
fn start(sphere: &Sphere, points: &[Vec3]) -> Vec<Sphere> {
    let own = sphere.points.iter().map(|p| points[*p as usize]);
    let bounds = Aabb::from_points(own);
    let (middle, half) = (bounds.center(), 0.25 * bounds.extent().max_element());
    let mut octants: [Vec<u32>; 8] = Default::default();
    for p in &sphere.points {
        let from = points[*p as usize] - middle;
        let bit = |axis: usize| usize::from(from[axis] >= 0.0) << axis;
        octants[bit(0) | bit(1) | bit(2)].push(*p);
    }
    let sphere = |(corner, own): (usize, Vec<u32>)| {
        let sign = |bit: u32| if corner >> bit & 1 == 1 { half } else { -half };
        let center = middle + Vec3::new(sign(0), sign(1), sign(2));
        Sphere { center, radius: covering_radius(center, &own, points), points: own }
    };
    octants.into_iter().enumerate().map(sphere).collect()
}

/// The tightest state of siblings that annealing found.
fn anneal(
    mut spheres: Vec<Sphere>,
    points: &[Vec3],
    surface: &Surface,
    steps: usize,
    random: &mut Random,
) -> Vec<Sphere> {
    // Weighted by points, so that emptying spheres is no improvement.
    let loose = |sphere: &Sphere| match sphere.points.len() {
        0 => 0.0,
        count => count as f64 * looseness(sphere.center, sphere.radius, surface),
    };
    let mut energies: Vec<f64> = spheres.iter().map(loose).collect();
    let total = |energies: &[f64]| energies.iter().sum::<f64>();
    let (mut best, mut best_energy) = (spheres.clone(), total(&energies));
    let steps = steps * spheres.len();
    let scale = best_energy / spheres.len().max(1) as f64;
    let cooling = (TEMPERATURES.1 / TEMPERATURES.0).powf(1.0 / steps.max(1) as f64);
    let mut temperature = TEMPERATURES.0 * scale;
    for _ in 0..steps {
        temperature *= cooling;
        let i = random.index(spheres.len());
        let mut changed: Vec<(usize, Sphere)> = Vec::new();
        if spheres[i].points.is_empty() {
            let Some(parts) = split(&spheres, &energies, points) else { continue };
            let (from, [near, far]) = parts;
            changed.extend([(from, near), (i, far)]);
        } else if random.unit() < MOVES || spheres.len() == 1 {
            // Steps shrink with the temperature.
            let mut moved = spheres[i].clone();
            let share = 0.5 * (temperature / (TEMPERATURES.0 * scale)).sqrt();
            moved.center += random.in_cube() * (share * moved.radius);
            moved.radius = covering_radius(moved.center, &moved.points, points);
            changed.push((i, moved));
        } else {
            let mut giver = spheres[i].clone();
            let far = |p: &u32| points[*p as usize].distance_squared(giver.center);
            let place = (0..giver.points.len())
                .max_by(|a, b| far(&giver.points[*a]).total_cmp(&far(&giver.points[*b])));
            let Some(place) = place else { continue };
            let point = giver.points.swap_remove(place);
            let at = points[point as usize];
            let growth = |s: &Sphere| s.center.distance(at) - s.radius;
            let taker = (0..spheres.len())
                .filter(|j| *j != i)
                .min_by(|a, b| growth(&spheres[*a]).total_cmp(&growth(&spheres[*b])));
            let Some(taker) = taker else { continue };
            giver.radius = covering_radius(giver.center, &giver.points, points);
            let mut took = spheres[taker].clone();
            took.radius = took.radius.max(took.center.distance(at));
            took.points.push(point);
            changed.extend([(i, giver), (taker, took)]);
        }
        let new: Vec<f64> = changed.iter().map(|(_, sphere)| loose(sphere)).collect();
        let change: f64 =
            changed.iter().zip(&new).map(|((i, _), energy)| energy - energies[*i]).sum();
        if change > 0.0 && random.unit() >= (-change / temperature).exp() {
            continue;
        }
        for ((i, sphere), energy) in changed.into_iter().zip(new) {
            spheres[i] = sphere;
            energies[i] = energy;
        }
        let energy = total(&energies);
        if energy < best_energy {
            best_energy = energy;
            best.clone_from(&spheres);
        }
    }
    best.retain(|sphere| !sphere.points.is_empty());
    best
}

/// The sphere with the largest energy, and the two spheres into which its points can be divided:
/// those closer to its centre, and those closer to its farthest point.
fn split(spheres: &[Sphere], energies: &[f64], points: &[Vec3]) -> Option<(usize, [Sphere; 2])> {
    let from = (0..spheres.len()).max_by(|i, j| energies[*i].total_cmp(&energies[*j]))?;
    let sphere = &spheres[from];
    let at = |p: &u32| points[*p as usize];
    let distance = |p: &u32| at(p).distance_squared(sphere.center);
    let far = at(sphere.points.iter().max_by(|p, q| distance(p).total_cmp(&distance(q)))?);
    let is_near = |p: &u32| distance(p) <= at(p).distance_squared(far);
    let (near, far): (Vec<u32>, Vec<u32>) = sphere.points.iter().partition(|p| is_near(p));
    if near.is_empty() || far.is_empty() {
        return None;
    }
    let around = |own: Vec<u32>, center: Vec3| {
        let radius = covering_radius(center, &own, points);
        Sphere { center, radius, points: own }
    };
    let middle = far.iter().map(at).sum::<Vec3>() / far.len() as f64;
    Some((from, [around(near, sphere.center), around(far, middle)]))
}
