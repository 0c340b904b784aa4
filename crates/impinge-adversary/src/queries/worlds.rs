//! Worlds of moving bodies.

use std::sync::Arc;

use impinge::pair::{Bias, Budget};
use impinge::world::{Body, BoxKind, DetachedOptions, Geometry, MethodKind, World, WorldOptions};
use impinge::{Shape, Vec3};
use impinge_papers::METHODS;
use impinge_papers::zachmann::broad::BROAD_PHASES;

use super::{Case, Row};
use crate::checker::Checker;
use crate::truth::{HullTruth, in_tetrahedron};

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "worlds",
        covers: &[
            "world::World::update",
            "world::World::meet",
            "world::World::collisions",
            "world::World::witness_of",
            "world::World::distance",
            "world::World::contact",
            "world::World::explain",
            "world::World::bounds",
            "world::World::update_calling",
            "world::World::update_calling_in_parallel",
            "world::World::update_until_no_changes",
            "world::Geometry::bounds_at",
            "world::Geometry::tight_bounds_at",
            "world::Geometry::rotation_proof_bounds_at",
        ],
        interval: 2,
        run: worlds,
    },
    Row {
        name: "worlds by every method",
        covers: &["world::World::set_method"],
        interval: 6,
        run: methods,
    },
    Row {
        name: "worlds by published methods",
        covers: &["world::World::set_method"],
        interval: 24,
        run: published,
    },
    Row {
        name: "worlds within budgets",
        covers: &["world::World::update_within"],
        interval: 4,
        run: within_budgets,
    },
    Row {
        name: "deforming worlds",
        covers: &["world::World::deform"],
        interval: 4,
        run: deforming,
    },
    Row {
        name: "detached worlds",
        covers: &[
            "world::World::detach_with",
            "world::Detached::send",
            "world::Detached::receive",
            "world::Detached::reattach",
        ],
        interval: 24,
        run: detached,
    },
];

/// Two bodies and whether they meet at each step.
pub(super) struct Pairing {
    pub(super) name: &'static str,
    pub(super) a: Shape,
    pub(super) b: Shape,
    pub(super) meet: Vec<bool>,
}

pub(super) fn pairings(case: &Case<'_>) -> Vec<Pairing> {
    let mesh = |m: &impinge::Mesh| Shape::from(Arc::new(m.clone()));
    let mut all = vec![Pairing {
        name: "meshes",
        a: mesh(&case.a),
        b: mesh(&case.b),
        meet: case.steps().map(|(_, _, truth)| truth.meet()).collect(),
    }];
    if let Some(hulls) = case.hulls() {
        all.push(Pairing {
            name: "hulls",
            a: hulls.a.clone().into(),
            b: hulls.b.clone().into(),
            meet: case.hull_steps(hulls).map(|(_, _, truth)| truth.meet).collect(),
        });
    }
    if case.are_tetrahedra() {
        let solid = |m: &impinge::Mesh| Shape::solid(Arc::new(m.clone())).expect("closed");
        let corners = &case.sample.a.vertices;
        let meet = |posed: &[Vec3]| HullTruth::new(corners.clone(), posed.to_vec()).meet;
        // A solid without volume is only its surface.
        let is_solid = |points: &[Vec3]| {
            <[Vec3; 4]>::try_from(points).is_ok_and(|t| in_tetrahedron(t[0], &t).is_some())
        };
        let solids = case.steps().all(|(_, _, truth)| is_solid(&truth.posed)) && is_solid(corners);
        if solids {
            all.push(Pairing {
                name: "solids",
                a: solid(&case.a),
                b: solid(&case.b),
                meet: case.steps().map(|(_, _, truth)| meet(&truth.posed)).collect(),
            });
        }
    }
    all
}

/// Every method of the engine that can check a pair.
fn methods(case: &Case<'_>, checker: &mut Checker<'_>) {
    for Pairing { name, a, b, meet } in pairings(case) {
        for method in MethodKind::ALL.iter().copied() {
            let mut world = World::with_options(options(case));
            let first = world.add(Body::new(a.clone())).expect("a body");
            let second = world.add(Body::new(b.clone())).expect("a body");
            world.set_method(first, second, Some(method)).expect("both exist");
            for (step, pose, _) in case.steps() {
                world.move_to(second, *pose).expect("it exists");
                world.update();
                let found = world.meet(first, second).expect("both exist");
                checker.case(&found);
                checker.check(found == meet[step], || {
                    format!("step {step}: {name} by {method}: {found}, expected {}", meet[step])
                });
            }
        }
    }
}

/// Updates within budgets of steps, repeated until everything is decided: what is decided on the
/// way is right, and undecided pairs are reported.
fn within_budgets(case: &Case<'_>, checker: &mut Checker<'_>) {
    const MAX_UPDATES: usize = 100_000;
    for Pairing { name, a, b, meet } in pairings(case) {
        for steps in [12, 40, 1000] {
            let mut world = World::with_options(options(case).persisting(false));
            let first = world.add(Body::new(a.clone())).expect("a body");
            let second = world.add(Body::new(b.clone())).expect("a body");
            world.prepare();
            let mut before = false;
            for (step, pose, _) in case.steps() {
                let message =
                    |what: String| format!("step {step}: {name} within {steps} steps: {what}");
                world.move_to(second, *pose).expect("it exists");
                let mut updates = 0;
                while updates < MAX_UPDATES {
                    updates += 1;
                    let report = world.update_within(&mut Budget::steps(steps)).clone();
                    let now = world.meet(first, second).expect("both exist");
                    let [began, ended] = [report.began().count(), report.ended().count()];
                    let changes = (usize::from(now && !before), usize::from(before && !now));
                    checker.check((began, ended) == changes, || message(format!("{report:?}")));
                    before = now;
                    if report.is_complete() {
                        break;
                    }
                    // The last decided state is kept, or the answer is there already.
                    let is_open = report.open_bodies() > 0 || world.undecided().count() == 1;
                    checker.check(is_open, || message(format!("{report:?}")));
                }
                checker.case(&(updates, before));
                checker.check(updates < MAX_UPDATES && before == meet[step], || {
                    message(format!("{before} after {updates} updates, expected {}", meet[step]))
                });
            }
        }
    }
}

/// Every published method that applies to a pair. A method with a bias may only be wrong in its
/// direction.
fn published(case: &Case<'_>, checker: &mut Checker<'_>) {
    for Pairing { name, a, b, meet } in pairings(case) {
        for kind in METHODS.iter().copied() {
            let method = kind.make().expect("published methods are external");
            let mut world = World::with_options(options(case));
            let first = world.add(Body::new(a.clone())).expect("a body");
            let second = world.add(Body::new(b.clone())).expect("a body");
            let traits = world.explain(first, second).expect("both exist").traits;
            if !method.applies(&traits) {
                continue;
            }
            world.set_method(first, second, Some(kind)).expect("both exist");
            for (step, pose, _) in case.steps() {
                world.move_to(second, *pose).expect("it exists");
                world.update();
                if !world.report().undecided().is_empty() {
                    continue;
                }
                let found = world.meet(first, second).expect("both exist");
                checker.case(&found);
                let holds = found == meet[step]
                    || match method.bias() {
                        None => false,
                        Some(Bias::TowardsCollision) => found,
                        Some(Bias::TowardsNoCollision) => !found,
                    };
                checker.check(holds, || {
                    format!("step {step}: {name} by {kind}: {found}, expected {}", meet[step])
                });
            }
        }
    }
}

pub(super) fn options(case: &Case<'_>) -> WorldOptions {
    let kinds = [BoxKind::Tight, BoxKind::RotationProof];
    // Successive samples of a family use different options. There are 29 families.
    let round = (case.sample.index / 29) as usize;
    let phases = BROAD_PHASES.len();
    WorldOptions::default()
        .phase(BROAD_PHASES[round % phases])
        .boxes(kinds[round / phases % 2])
        .oriented(round / (2 * phases) % 2 == 1)
        .persisting(true)
}

fn worlds(case: &Case<'_>, checker: &mut Checker<'_>) {
    let options = options(case);
    for Pairing { name, a, b, meet } in pairings(case) {
        let mut world = World::with_options(options.clone());
        let (geometry_a, geometry_b) = (Geometry::from(a.clone()), Geometry::from(b.clone()));
        let first = world.add(Body::new(geometry_a)).expect("a body");
        let second =
            world.add(Body::new(geometry_b.clone()).at(case.sample.poses[0])).expect("a body");
        let mut before = false;
        for (step, pose, truth) in case.steps() {
            let message = |what: String| {
                format!("step {step}: {name} in {options:?}: {what}; expected {}", meet[step])
            };
            world.move_to(second, *pose).expect("it exists");
            let report = match step {
                0 => world.update().clone(),
                1 => {
                    world.update_calling(|_, _| {});
                    world.report().clone()
                }
                _ => world.update_calling_in_parallel(|_| {}).clone(),
            };
            let began = report.began().count() > 0;
            let ended = report.ended().count() > 0;
            checker.case(&(began, ended, report.persisting().count()));
            let expected = (meet[step] && !before, before && !meet[step]);
            checker.check((began, ended) == expected, || message(format!("{report:?}")));
            before = meet[step];
            let found = world.meet(first, second).expect("both exist");
            checker.check(found == meet[step], || message(format!("meet: {found}")));
            checker.check(world.collisions().len() == usize::from(meet[step]), || {
                message(format!("{:?}", world.collisions()))
            });
            let witness = world.witness_of(first, second).expect("both exist");
            checker.check(witness.is_some() == meet[step], || message(format!("{witness:?}")));
            let explained = world.explain(first, second).expect("both exist");
            checker.check(explained.meeting.is_none_or(|m| m == meet[step]), || {
                message(format!("{explained}"))
            });
            let distance = world.distance(first, second).expect("both exist");
            checker.case(&distance);
            let holds = distance.is_none_or(|d| {
                (d.upper == 0.0) == meet[step]
                    && (name != "meshes" || truth.is_between(d.lower, d.upper))
            });
            checker.check(holds, || message(format!("{distance:?} at {:e}", truth.approximate())));
            let contact = world.contact(first, second).expect("both exist");
            checker.case(&contact);
            if let ("hulls", Some(hulls)) = (name, case.hulls()) {
                let (_, _, whole) =
                    case.hull_steps(hulls).nth(step).expect("as many steps as poses");
                let holds = distance.is_some_and(|d| whole.distance_is_between(d.lower, d.upper));
                checker.check(holds, || message(format!("{distance:?}: {}", whole.approximate())));
                let holds = contact.is_some_and(|c| {
                    if whole.meet {
                        whole.depth_is_between((-c.upper).max(0.0), -c.lower)
                    } else {
                        whole.distance_is_between(c.lower.max(0.0), c.upper)
                    }
                });
                checker.check(holds, || message(format!("{contact:?}: {}", whole.approximate())));
            }
            let used: Vec<Vec3> = case
                .sample
                .b
                .triangles
                .iter()
                .flatten()
                .map(|v| truth.posed[*v as usize])
                .collect();
            let boxes = [
                world.bounds(second).expect("it exists"),
                geometry_b.bounds_at(pose),
                geometry_b.tight_bounds_at(pose),
                geometry_b.rotation_proof_bounds_at(pose),
            ];
            // The boxes of a hull contain the vertices of the hull; rounding may place other
            // vertices of the mesh outside.
            if name == "meshes" {
                for bounds in boxes {
                    checker.check(used.iter().all(|p| bounds.contains(*p)), || {
                        message(format!("{bounds:?}"))
                    });
                }
            }
        }
        let repeated = world.update_until_no_changes(3, |_, _| {});
        checker.check(repeated.at_rest, || format!("{name}: {repeated:?}"));
    }
}

fn deforming(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut world = World::with_options(options(case));
    let mesh = |m: &impinge::Mesh| Shape::from(Arc::new(m.clone()));
    let first = world.add(Body::new(mesh(&case.a))).expect("a body");
    let second = world.add(Body::new(mesh(&case.b))).expect("a body");
    for (step, _, truth) in case.steps() {
        if truth.posed.iter().any(|p| p.abs().max_element() > impinge::MAX_COORDINATE) {
            return;
        }
        world.deform(second, &truth.posed).expect("as many vertices, in range");
        world.update();
        let found = world.meet(first, second).expect("both exist");
        checker.case(&found);
        checker.check(found == truth.meet(), || {
            format!("step {step}: deformed: {found}, expected {:?}", truth.pairs)
        });
    }
}

fn detached(case: &Case<'_>, checker: &mut Checker<'_>) {
    let last = case.steps().last().is_some_and(|(_, _, truth)| truth.meet());
    for steps in [None, Some(200)] {
        let mut world = World::with_options(options(case));
        let mesh = |m: &impinge::Mesh| Shape::from(Arc::new(m.clone()));
        let first = world.add(Body::new(mesh(&case.a))).expect("a body");
        let second = world.add(Body::new(mesh(&case.b)).at(case.sample.poses[0])).expect("a body");
        let options = DetachedOptions::default().steps(steps);
        let mut detached = world.detach_with(options).expect("a thread can be started");
        for (_, pose, _) in case.steps() {
            detached.move_to(second, *pose);
            detached.send().expect("the thread runs");
            // A report may not have arrived yet.
            let _ = detached.receive();
        }
        let (mut world, _) = detached.reattach().expect("the thread ends without a panic");
        if steps.is_some() {
            world.update();
        }
        let found = world.meet(first, second).expect("both exist");
        if steps.is_none() {
            checker.case(&found);
        }
        checker.check(found == last, || format!("detached, {steps:?}: {found}, expected {last}"));
    }
}
