//! Broad phases: the boxes of all triangles of both bodies, as B moves.

use impinge::broad::{BoxF32, BroadPhase, Changes, FrameInput, Moved, Pair};
use impinge::{Aabb, Vec3};
use impinge_papers::klosowski::dynamic_tree::DynamicTree;
use impinge_papers::zachmann::broad::BROAD_PHASES;

use super::{Case, Row};
use crate::checker::Checker;

pub(super) const ROWS: &[Row] = &[Row {
    name: "broad phases",
    covers: &[
        "broad::BroadPhase::update",
        "broad::BroadPhase::update_unlimited",
        "broad::BroadPhase::pairs",
        "broad::BoxF32::overlaps",
        "broad::BoxF32::contains",
        "klosowski::dynamic_tree::DynamicTree::validate",
    ],
    interval: 2,
    run: phases,
}];

/// The boxes of a step: one for each triangle, an infinite one, and one that is empty except at
/// step 1. The first list has the boxes of the triangles in `f64`.
fn boxes(case: &Case<'_>, posed: &[Vec3], step: usize) -> (Vec<Aabb>, Vec<BoxF32>) {
    let a = case.sample.a.triangles.iter().map(|t| t.map(|v| case.sample.a.vertices[v as usize]));
    let b = case.sample.b.triangles.iter().map(|t| t.map(|v| posed[v as usize]));
    let exact: Vec<Aabb> = a.chain(b).map(Aabb::from_points).collect();
    let mut rounded: Vec<BoxF32> = exact.iter().map(|b| BoxF32::from(*b)).collect();
    let edge = exact.first().map_or(0.0, |b| b.max.x) as f32;
    rounded.push(BoxF32 {
        min: [edge, f32::NEG_INFINITY, -1.0],
        max: [f32::INFINITY, f32::INFINITY, 1.0],
    });
    rounded.push(if step == 1 {
        BoxF32::from(Aabb::from_points([Vec3::ZERO]))
    } else {
        BoxF32::EMPTY
    });
    (exact, rounded)
}

fn overlap(a: &BoxF32, b: &BoxF32) -> bool {
    let is_nonempty = |b: &BoxF32| (0..3).all(|k| b.min[k] <= b.max[k]);
    is_nonempty(a) && is_nonempty(b) && (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
}

fn phases(case: &Case<'_>, checker: &mut Checker<'_>) {
    let steps: Vec<(Vec<Aabb>, Vec<BoxF32>)> =
        case.steps().map(|(step, _, truth)| boxes(case, &truth.posed, step)).collect();
    let all: Vec<Vec<Pair>> = steps
        .iter()
        .map(|(exact, rounded)| {
            let mut pairs = Vec::new();
            for i in 0..rounded.len() {
                for j in i + 1..rounded.len() {
                    if overlap(&rounded[i], &rounded[j]) {
                        pairs.push(Pair::new(i as u32, j as u32));
                    } else if let (Some(p), Some(q)) = (exact.get(i), exact.get(j)) {
                        checker.check(!p.overlaps(q), || {
                            format!("separated by rounding: {p:?} {q:?}")
                        });
                    }
                }
            }
            pairs
        })
        .collect();
    let (mut dynamic, mut ignored) = (DynamicTree::new(), Changes::default());
    for (step, (_, bounds)) in steps.iter().enumerate() {
        dynamic.update_unlimited(
            &FrameInput { bounds, oriented: None, moved: Moved::All },
            &mut ignored,
        );
        checker.check(dynamic.validate(bounds).is_ok(), || {
            format!("step {step}: {:?}", dynamic.validate(bounds))
        });
        for pair in bounds.windows(2) {
            let both = pair[0].union(&pair[1]);
            let holds = pair.iter().all(|b| both.contains(b));
            let same = pair[0].overlaps(&pair[1]) == overlap(&pair[0], &pair[1]);
            checker.check(holds && same, || format!("step {step}: {pair:?}"));
        }
    }
    for choice in BROAD_PHASES {
        let mut phase = choice.make();
        let mut changes = Changes::default();
        let mut before: &[Pair] = &[];
        for (step, (_, bounds)) in steps.iter().enumerate() {
            // In the last step, only the boxes of B are reported as moved.
            let movers: Vec<u32> =
                (case.sample.a.triangles.len() as u32..bounds.len() as u32).collect();
            let moved = if step == 2 { Moved::Only(&movers) } else { Moved::All };
            phase.update_unlimited(&FrameInput { bounds, oriented: None, moved }, &mut changes);
            changes.sort();
            let mut pairs = Vec::new();
            phase.pairs(&mut pairs);
            pairs.sort_unstable();
            checker.case(&pairs.len());
            checker.check(pairs == all[step], || {
                format!(
                    "step {step}: {choice} has {pairs:?}, expected {:?} of {bounds:?}",
                    all[step]
                )
            });
            let difference = |x: &[Pair], y: &[Pair]| -> Vec<Pair> {
                x.iter().filter(|p| y.binary_search(p).is_err()).copied().collect()
            };
            let (began, ended) = (difference(&all[step], before), difference(before, &all[step]));
            checker.check(changes.began == began && changes.ended == ended, || {
                format!("step {step}: {choice} reports {changes:?}, expected {began:?} {ended:?}")
            });
            before = &all[step];
        }
    }
}
