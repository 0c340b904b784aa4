//! Trees of balls: that they cover, decided in integers from their plain data, and how far their
//! balls reach out of bodies for which that is known exactly.

use std::cmp::Ordering;

use impinge::internals::next_down;
use impinge::spheres::{
    Ball, BuildOptions, CoverOptions, NO_PARENT, Node, Parts, ReachOptions, SphereTree, reach,
    verify,
};
use impinge::{ErrorKind, MAX_COORDINATE, Mesh, Vec3};
use impinge_oracles::vector::{cross, dot, sub};
use num_bigint::BigInt;

use super::{Case, Row};
use crate::Random;
use crate::checker::Checker;
use crate::oracle::distance::Distances;
use crate::oracle::units::{Int3, Square, Units, integer};
use crate::sample::Soup;

pub(super) const ROWS: &[Row] = &[
    Row { name: "covers of balls", covers: &["spheres::verify"], interval: 4, run: covers },
    Row {
        name: "built covers of balls",
        covers: &["spheres::SphereTree::build"],
        interval: 96,
        run: builds,
    },
    Row {
        name: "reach of balls",
        covers: &["spheres::reach", "spheres::SphereTree::reach"],
        interval: 4,
        run: reaches,
    },
];

/// Cuts below one triangle that a tree may have.
const MAX_CUTS: u32 = 48;

fn covers(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut random = Random::new(case.sample.index);
    for mesh in [&case.a, &case.b] {
        let levels = some_levels(mesh, &mut random);
        let tree = SphereTree::from_levels(mesh, &levels, &CoverOptions::default());
        // Balls around a body at the limit may lie beyond it.
        let is_beyond = |node: &Node| node.ball.center.abs().max_element() > MAX_COORDINATE;
        if levels.iter().flatten().any(is_beyond) && !mesh.is_empty() {
            let kind = tree.map_err(|error| error.kind()).err();
            checker.case(&kind);
            checker.check(kind == Some(ErrorKind::OutOfRange), || {
                format!("balls beyond the limit: {kind:?}")
            });
            continue;
        }
        checker.check(tree.is_ok() != mesh.is_empty(), || format!("{:?}", tree.as_ref().err()));
        if let Ok(tree) = tree {
            check_tree(mesh, &tree, &mut random, checker);
        }
    }
}

/// The largest number of entries of a tree's cuts that the judge reads; there are more where a few
/// rounds of the builder leave holes.
const MAX_JUDGED_CUTS: usize = 20_000;

fn builds(case: &Case<'_>, checker: &mut Checker<'_>) {
    let options = BuildOptions::default().balls([2, 5]).rounds(1);
    for mesh in [&case.a, &case.b] {
        let tree = SphereTree::build(mesh, &options);
        checker.check(tree.is_ok() != mesh.is_empty(), || format!("{:?}", tree.as_ref().err()));
        let Ok(tree) = tree else { continue };
        let parts = tree.parts();
        checker.case(parts);
        checker.check(verify(mesh, parts).is_ok(), || format!("{:?}", verify(mesh, parts)));
        let sizes: Vec<usize> = parts.levels.iter().map(Vec::len).collect();
        let fits = matches!(*sizes, [1, first, second] if first <= 2 && second <= 5);
        checker.check(fits, || format!("levels of {sizes:?} balls"));
        if parts.cuts.len() <= MAX_JUDGED_CUTS {
            let covers = covers_exactly(mesh, parts);
            checker.check(covers, || "balls do not contain their patches".to_owned());
        }
    }
}

/// A root, and a few balls of any kind below it: some tight, some far too small.
fn some_levels(mesh: &Mesh, random: &mut Random) -> Vec<Vec<Node>> {
    let bounds = mesh.bounds();
    let (middle, size) = if mesh.is_empty() {
        (Vec3::ZERO, 1.0)
    } else {
        (bounds.center(), bounds.extent().max_element())
    };
    let mut ball =
        |share: f64| Ball { center: middle + random.point() * (0.5 * size), radius: size * share };
    let first = vec![Node::root(ball(0.9)), Node::root(ball(0.3))];
    let below = (0..5).map(|k| Node::child(ball(0.1 + 0.1 * f64::from(k)), u32::from(k as u8) % 2));
    vec![first, below.collect()]
}

/// Compares `verify` with the judge on a tree, and on the tree with a ball that was made smaller.
fn check_tree(mesh: &Mesh, tree: &SphereTree, random: &mut Random, checker: &mut Checker<'_>) {
    let parts = tree.parts();
    checker.case(parts);
    checker.check(covers_exactly(mesh, parts), || "balls do not contain their patches".to_owned());
    checker.check(verify(mesh, parts).is_ok(), || format!("{:?}", verify(mesh, parts)));
    for share in [0.0, 1e-15, 1e-9, 1e-3] {
        let mut forged = parts.clone();
        let level = random.below(forged.levels.len());
        let ball = random.below(forged.levels[level].len());
        let radius = &mut forged.levels[level][ball].ball.radius;
        *radius = if share == 0.0 { next_down(*radius).max(0.0) } else { *radius * (1.0 - share) };
        let expected = covers_exactly(mesh, &forged);
        let found = verify(mesh, &forged);
        checker.case(&expected);
        checker.check(found.is_ok() == expected, || {
            format!("ball {ball} of level {level} smaller by {share:e}: {found:?}, not {expected}")
        });
        let read = SphereTree::from_parts(mesh, forged);
        checker.check(read.is_ok() == expected, || format!("from_parts: {:?}", read.err()));
    }
}

/// Whether parts are a tree of balls that contain their patches, decided in integers.
fn covers_exactly(mesh: &Mesh, parts: &Parts) -> bool {
    let point = |p: Vec3| p.to_array().map(integer);
    let levels: Vec<Vec<(Int3, BigInt, u32)>> = (parts.levels.iter())
        .map(|nodes| {
            let node = |n: &Node| (point(n.ball.center), integer(n.ball.radius), n.parent);
            nodes.iter().map(node).collect()
        })
        .collect();
    let Some(deepest) = levels.last() else { return false };
    for (level, nodes) in levels.iter().enumerate() {
        let above = if level == 0 { 0 } else { levels[level - 1].len() };
        let parents: Vec<u32> = nodes.iter().map(|node| node.2).collect();
        let fits = match level {
            0 => !parents.is_empty() && parents.iter().all(|p| *p == NO_PARENT),
            _ => parents.is_sorted() && (0..above as u32).all(|p| parents.contains(&p)),
        };
        if !fits || level > 0 && parents.iter().any(|p| *p as usize >= above) {
            return false;
        }
    }
    let mut lists = vec![Vec::new(); deepest.len()];
    let mut cuts = parts.cuts.iter();
    for t in 0..mesh.triangles().len() {
        // Corners times two to the power of the number of cuts.
        let mut open = vec![(mesh.triangle(t).map(point), 0_u32)];
        while let Some((corners, depth)) = open.pop() {
            let Some(cut) = cuts.next() else { return false };
            if *cut < 3 {
                if depth == MAX_CUTS {
                    return false;
                }
                let (e, f) = (*cut as usize, (*cut as usize + 1) % 3);
                let middle = [0, 1, 2].map(|k| &corners[e][k] + &corners[f][k]);
                let doubled = corners.map(|p| p.map(|x| x << 1_u32));
                let (mut first, mut second) = (doubled.clone(), doubled);
                first[f].clone_from(&middle);
                second[e] = middle;
                open.push((second, depth + 1));
                open.push((first, depth + 1));
                continue;
            }
            let mut ball = *cut as usize - 3;
            let Some(list) = lists.get_mut(ball) else { return false };
            if list.last() != Some(&(t as u32)) {
                list.push(t as u32);
            }
            for nodes in levels.iter().rev() {
                let (center, radius, parent) = &nodes[ball];
                let radius = radius << depth;
                for corner in &corners {
                    let way = [0, 1, 2].map(|k| &corner[k] - (&center[k] << depth));
                    let square: BigInt = way.iter().map(|x| x * x).sum();
                    if square > &radius * &radius {
                        return false;
                    }
                }
                ball = *parent as usize;
            }
        }
    }
    cuts.next().is_none() && lists == parts.triangles
}

fn reaches(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut random = Random::new(case.sample.index);
    for (mesh, soup) in [(&case.a, &case.sample.a), (&case.b, &case.sample.b)] {
        let size = mesh.bounds().extent().max_element();
        for share in [0.0, 1e-9, 0.3, 2.0, 1e6] {
            if mesh.is_empty() {
                let found = reach(mesh, &[], &ReachOptions::default());
                checker.check(found.is_err(), || format!("no triangles: {found:?}"));
                break;
            }
            let ball = Ball {
                center: mesh.bounds().center() + random.point() * size,
                radius: size * share,
            };
            let options = ReachOptions::default().max_cells(400);
            match reach(mesh, &[ball], &options) {
                Ok(found) => {
                    checker.case(&found);
                    let wrong = wrong_reach(mesh, soup, &ball, [found.lower, found.upper]);
                    checker.check(wrong.is_none(), || {
                        format!("{ball:?}: {found:?}: {}", wrong.unwrap_or_default())
                    });
                }
                Err(error) => checker.check(false, || format!("{ball:?}: {error:?}")),
            }
        }
        let levels = some_levels(mesh, &mut random);
        if let Ok(tree) = SphereTree::from_levels(mesh, &levels, &CoverOptions::default()) {
            let options = ReachOptions::default().max_cells(400);
            let balls: Vec<Ball> = tree.level(1).iter().map(|node| node.ball).collect();
            let (own, same) = (tree.reach(mesh, 1, &options), reach(mesh, &balls, &options));
            checker.check(own.as_ref().ok() == same.as_ref().ok(), || format!("{own:?} {same:?}"));
        }
    }
}

/// What is wrong with bounds of the reach of a ball, from its centre's exact distance `d` from the
/// surface. The reach is at most `d + r`; at least `d - r`, and `d + r` for a triangle and for a
/// centre outside a tetrahedron; and `r - d` or zero for a centre inside.
fn wrong_reach(
    mesh: &Mesh,
    soup: &Soup,
    ball: &Ball,
    [lower, upper]: [f64; 2],
) -> Option<&'static str> {
    if !(0.0..=upper).contains(&lower) {
        return Some("the bounds are in the wrong order");
    }
    let units = Units::new(&soup.vertices, &[ball.center]);
    let distances = Distances::new(&units);
    let squares = soup.triangles.iter().map(|t| distances.squared(*t, [0; 3]));
    let d = squares.min_by(compare)?;
    let radius = integer(ball.radius);
    let convex = if mesh.triangles().len() == 1 { Some(false) } else { inside(mesh, ball.center) };
    let is_inside = convex == Some(true);
    // lower <= d + r, and for centres inside lower <= r - d.
    let above = integer(lower) - &radius;
    if !is_inside && above > BigInt::ZERO && is_less(&d, &above) {
        return Some("the lower bound is too large");
    }
    if is_inside && lower > 0.0 && (above > BigInt::ZERO || is_less(&-&above, &d)) {
        return Some("the lower bound is too large for a centre inside");
    }
    if upper == f64::INFINITY {
        return None;
    }
    let left = integer(upper) - &radius;
    match convex {
        // upper >= d + r
        Some(false) if left < BigInt::ZERO || is_less(&left, &d) => {
            Some("the upper bound is too small")
        }
        // upper >= r - d
        Some(true) if left < BigInt::ZERO && is_less(&d, &-&left) => {
            Some("the upper bound is too small for a centre inside")
        }
        // The nearest point of the ball.
        None if !mesh.is_solid() && is_less(&(&left + &radius + &radius), &d) => {
            Some("the upper bound is too small for the nearest point")
        }
        _ => None,
    }
}

/// Whether a point is in a tetrahedron; `None` for other meshes.
fn inside(mesh: &Mesh, p: Vec3) -> Option<bool> {
    let is_one = mesh.is_solid() && mesh.triangles().len() == 4 && mesh.used_vertices().len() == 4;
    let point = |p: Vec3| p.to_array().map(integer);
    let side = |t: usize| {
        let [a, b, c] = mesh.triangle(t).map(point);
        let normal = cross(&sub(&b, &a), &sub(&c, &a));
        dot(&sub(&point(p), &a), &normal).cmp(&BigInt::ZERO)
    };
    let sides: Vec<Ordering> = (0..mesh.triangles().len()).map(side).collect();
    let one_side = |of: Ordering| sides.iter().all(|s| *s == of || s.is_eq());
    let is_flat = sides.iter().all(|s| s.is_eq());
    is_one.then(|| !is_flat && (one_side(Ordering::Less) || one_side(Ordering::Greater)))
}

/// The order of two distances, as they are squared.
fn compare(a: &Square, b: &Square) -> Ordering {
    a.value.compare(&b.value)
}

/// A distance, or a length in the unit of [`integer`], to be compared with another.
trait Length {
    /// The square as a numerator and a denominator, in the square of that unit.
    fn square(&self) -> (BigInt, BigInt);
}

impl Length for Square {
    fn square(&self) -> (BigInt, BigInt) {
        let shift = 2 * (self.exponent + 1074);
        (&self.value.numerator << shift, self.value.denominator.clone())
    }
}

impl Length for BigInt {
    fn square(&self) -> (BigInt, BigInt) {
        (self * self, Self::from(1))
    }
}

/// Whether one length is certainly less than another; neither is negative.
fn is_less(a: &impl Length, b: &impl Length) -> bool {
    let ((p, q), (r, s)) = (a.square(), b.square());
    p * s < r * q
}
