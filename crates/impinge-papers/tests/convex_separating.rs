//! The separating-vector search compared with exact results, and tests of its lemmas.

use impinge::convex::{ClosestOptions, Hull};
use impinge::internals::decide::{Hint, decide};
use impinge::{Pose, Vec3};
use impinge_oracles::convex_scenes::{
    Random, Relation, check_gap, exact_gap, meet, moved, relation_of_integer_hulls,
};
use impinge_papers::leung::LocalSearch;
use impinge_papers::leung::closest::{Variant, closest_points};
use impinge_papers::leung::separating::{
    self, Options, Prepared, Query, Reason, Rule, Scratch, Search, SeparatingCache,
    SeparatingOutput, Termination, Verdict, separate,
};
use num_traits::Signed;

fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for termination in [Termination::Hemisphere, Termination::HalfPlanes] {
        for alpha in [1.0, 0.6, 0.2, 0.0] {
            let rule = Rule::mixed(alpha).expect("from 0 to 1");
            all.push(Options::THESIS.rule(rule).termination(termination));
        }
    }
    all
}

/// The number of rounds of slow tests: `default`, or the value of `IMPINGE_CONVEX_ROUNDS`.
fn rounds(default: usize) -> usize {
    std::env::var("IMPINGE_CONVEX_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn run_search(a: &Hull, b: &Hull, pose: &Pose, options: Options) -> SeparatingOutput {
    let (a, b) = (Prepared::new(a), Prepared::new(b));
    separate(
        Query { a: &a, b: &b, pose, options },
        &mut SeparatingCache::default(),
        &mut Scratch::default(),
    )
}

/// Checks the output against the truth. Returns whether the verdict is "separated".
fn check_output(
    output: &SeparatingOutput,
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    truth: Relation,
) -> bool {
    let points = moved(b, pose);
    match output.verdict {
        Verdict::Separated(proof) => {
            assert_eq!(truth, Relation::Apart);
            assert!(proof.verify(a.vertices(), &points));
            check_gap(proof.direction, proof.lower * (1.0 - 1e-14), a.vertices(), &points);
            true
        }
        Verdict::Intersecting(proof) => {
            assert_ne!(truth, Relation::Apart);
            assert!(proof.verify(a.vertices(), &points));
            false
        }
        Verdict::Undecided(reason) => {
            assert_ne!(reason, Reason::Limit);
            let exact = decide(a.vertices(), &points, &output.hint);
            assert!(exact.verify(a.vertices(), &points));
            assert_eq!(exact.is_intersecting(), truth != Relation::Apart);
            false
        }
    }
}

/// Points, segments, polygons and solids with coplanar faces and parallel edges, with exact
/// contacts of every kind.
#[test]
fn verdicts_are_exact_for_integer_coordinates() {
    let mut random = Random::new(1);
    let mut seen = [0; 3];
    let mut proven = 0;
    for _ in 0..250 {
        let (a, b) = (random.integer_hull(4), random.integer_hull(4));
        let pose = random.integer_pose(3);
        let truth = relation_of_integer_hulls(a.vertices(), &moved(&b, &pose));
        seen[truth as usize] += 1;
        for options in all_options() {
            let output = run_search(&a, &b, &pose, options);
            let separated = check_output(&output, &a, &b, &pose, truth);
            // With such small integer coordinates, bodies that do not touch are further apart than
            // rounding errors.
            assert_eq!(separated, truth == Relation::Apart, "{options:?} {a:?} {b:?} {pose:?}");
            let solid = a.dimension() == 3 && b.dimension() == 3;
            if truth == Relation::Overlapping && solid {
                proven += i32::from(output.verdict.decided().is_some());
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 10) && proven > 40, "{seen:?} {proven}");
}

/// The centres are on a grid, so that first directions point exactly at vertices, faces and edges.
#[test]
fn cubes_in_all_contacts_are_decided() {
    let corners = |s: f64| -> Vec<Vec3> {
        let bit = |i: u32, k: u32| if i >> k & 1 == 1 { s } else { -s };
        (0..8).map(|i| Vec3::new(bit(i, 0), bit(i, 1), bit(i, 2))).collect()
    };
    let (a, b) = (Hull::new(&corners(1.0)).unwrap(), Hull::new(&corners(2.0)).unwrap());
    for x in -4..=4 {
        for y in -4..=4 {
            for z in 0..=4 {
                let t = Vec3::new(f64::from(x), f64::from(y), f64::from(z));
                let pose = Pose::from_translation(t).unwrap();
                let distance = t.abs().max_element();
                let truth = match distance {
                    m if m > 3.0 => Relation::Apart,
                    m if m < 3.0 => Relation::Overlapping,
                    _ => Relation::Touching,
                };
                for options in all_options() {
                    let output = run_search(&a, &b, &pose, options);
                    let separated = check_output(&output, &a, &b, &pose, truth);
                    assert_eq!(separated, truth == Relation::Apart, "{t} {options:?} {output:?}");
                }
            }
        }
    }
}

/// Gaps and overlaps down to the level of rounding, compared with rational arithmetic.
#[test]
fn verdicts_are_exact_near_first_contact() {
    let mut random = Random::new(2);
    let (mut certain, mut undecided) = (0, 0);
    for round in 0..rounds(3) {
        let scale = [1.0, 1e-6, 1e6][round % 3];
        let a = random.ellipsoid(6, Vec3::new(1.0, 0.8, 0.5) * scale);
        let b = random.ellipsoid(6, Vec3::new(1.0, 0.2, 0.2) * scale);
        let turn = random.pose(Vec3::ZERO);
        let direction = random.direction() * scale;
        let at = |r: f64| Pose::from_translation(direction * r).unwrap().compose(&turn).unwrap();
        // Find the first contact by bisection.
        let (mut low, mut high) = (0.0, 3.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let apart = matches!(
                run_search(&a, &b, &at(middle), Options::THESIS).verdict,
                Verdict::Separated(_)
            );
            if apart { high = middle } else { low = middle }
        }
        for offset in [1e-3, 1e-8, 1e-12, 1e-15, 2e-16, 0.0, -2e-16, -1e-15, -1e-12, -1e-8, -1e-3] {
            let pose = at(high + offset);
            let b_moved = Hull::new(&moved(&b, &pose)).unwrap();
            if b_moved.vertices().len() != b.vertices().len() {
                continue;
            }
            let truth = if meet(&a, &b_moved) { Relation::Overlapping } else { Relation::Apart };
            for options in [Options::THESIS, all_options()[5]] {
                let output = run_search(&a, &b, &pose, options);
                check_output(&output, &a, &b, &pose, truth);
                if output.verdict.decided().is_some() {
                    certain += 1;
                } else {
                    undecided += 1;
                }
                assert!(
                    output.verdict.decided().is_some() || offset.abs() < 1e-13,
                    "{offset} {output:?}"
                );
            }
        }
    }
    assert!(certain > undecided, "{certain} {undecided}");
}

/// The directions of a search and the vectors between their supporting vertices.
struct Trace {
    directions: Vec<Vec3>,
    vectors: Vec<Vec3>,
    pairs: Vec<(u32, u32)>,
    verdict: Verdict,
}

fn trace(a: &Hull, b: &Hull, pose: &Pose, options: Options) -> Trace {
    let (body_a, body_b) = (Prepared::new(a), Prepared::new(b));
    let query = Query { a: &body_a, b: &body_b, pose, options };
    let (mut scratch, cache) = (Scratch::default(), SeparatingCache::default());
    let mut search = Search::new(query, &cache, &mut scratch);
    let (mut directions, mut vectors, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        directions.push(search.direction());
        let verdict = search.step();
        let (i, j) = search.vertices();
        vectors.push(pose.transform_point(b.vertices()[j as usize]) - a.vertices()[i as usize]);
        pairs.push((i, j));
        // `w` must be in front of all kept vectors.
        if verdict.is_none() {
            let w = search.middle();
            assert!(vectors.iter().all(|m| w.dot(m.normalize()) > -1e-12));
        }
        if let Some(verdict) = verdict {
            return Trace { directions, vectors, pairs, verdict };
        }
    }
}

/// Calls `each` with random pairs of round, long and flat bodies close to each other.
fn close_pairs(count: usize, seed: u64, mut each: impl FnMut(&Hull, &Hull, &Pose, &mut Random)) {
    let mut random = Random::new(seed);
    let axes = [Vec3::new(1.0, 0.8, 0.6), Vec3::new(1.0, 0.05, 0.05), Vec3::new(1.0, 1.0, 0.05)];
    for round in 0..count {
        let n = [8, 30, 100][round % 3];
        let (x, y) = (axes[random.below(3)], axes[random.below(3)]);
        let (a, b) = (random.ellipsoid(n, x), random.ellipsoid(n, y));
        let center = random.point() * 1.2;
        let pose = random.pose(center);
        each(&a, &b, &pose, &mut random);
    }
}

/// Lemma 1: a direction with a positive product separates. Lemmas 2, 5 and 7: every step of the
/// rule decreases the angle to every separating vector.
#[test]
fn lemmas_1_2_5_7_directions_converge() {
    let mut steps = 0;
    close_pairs(300, 3, |a, b, pose, random| {
        let points = moved(b, pose);
        let found = trace(a, b, pose, Options::THESIS);
        let Verdict::Separated(proof) = found.verdict else { return };
        let vector = proof.direction;
        check_gap(vector, proof.lower * (1.0 - 1e-14), a.vertices(), &points);
        // Other separating vectors, at various distances from the one found.
        let mut others = vec![vector.normalize()];
        for k in 0..30 {
            let w = (vector + random.point() * f64::from(k) * 0.03).normalize();
            if exact_gap(w, a.vertices(), &points).is_positive() {
                others.push(w);
            }
        }
        for options in all_options() {
            let trace = trace(a, b, pose, options);
            let mut seen = std::collections::HashSet::new();
            for i in 0..trace.directions.len() - 1 {
                let (s, next, m) = (trace.directions[i], trace.directions[i + 1], trace.vectors[i]);
                // The rule applies to new pairs behind the direction.
                if !seen.insert(trace.pairs[i]) || s.dot(m) >= -1e-9 {
                    break;
                }
                for w in &others {
                    assert!(next.dot(*w) > s.dot(*w) - 1e-15, "{options:?} {s} {next} {w}");
                }
                steps += 1;
            }
        }
    });
    assert!(steps > 1000, "{steps}");
}

/// Lemma 3: with greedy directions, if a pair supports two consecutive directions, the second one
/// separates.
#[test]
fn lemma_3_a_pair_twice_in_a_row_separates() {
    let mut seen = 0;
    close_pairs(2000, 4, |a, b, pose, _| {
        let trace = trace(a, b, pose, Options::THESIS);
        let twice = trace.pairs.windows(2).position(|p| p[0] == p[1]);
        // Earlier recurrences change the origin of the directions, so they are excluded.
        let is_first = |i: usize| !trace.pairs[..i].contains(&trace.pairs[i]);
        if let Some(i) = twice.filter(|i| is_first(*i)) {
            assert_eq!(i + 2, trace.pairs.len());
            assert!(matches!(trace.verdict, Verdict::Separated(_)));
            let before = trace.directions[i].dot(trace.vectors[i]);
            let after = trace.directions[i + 1].dot(trace.vectors[i]);
            assert!((before + after).abs() < 1e-14, "{before} {after}");
            seen += 1;
        }
    });
    assert!(seen > 50, "{seen}");
}

/// Lemmas 4 and 6: while both products are negative, |m' - m| > |m'| for greedy directions, and
/// |m|^2 >= m . m' for conservative ones.
#[test]
fn lemmas_4_and_6_successive_vectors() {
    let mut counts = [0; 2];
    close_pairs(400, 5, |a, b, pose, _| {
        for (k, rule) in [Rule::GREEDY, Rule::CONSERVATIVE].into_iter().enumerate() {
            let trace = trace(a, b, pose, Options::THESIS.rule(rule));
            let mut seen = std::collections::HashSet::new();
            for i in 0..trace.vectors.len() - 1 {
                let (m, next) = (trace.vectors[i], trace.vectors[i + 1]);
                let is_behind = |j: usize| trace.directions[j].dot(trace.vectors[j]) < -1e-12;
                if !seen.insert(trace.pairs[i]) || !is_behind(i) || !is_behind(i + 1) {
                    break;
                }
                if k == 0 {
                    assert!((next - m).length() > next.length() - 1e-12);
                } else {
                    assert!(m.length_squared() >= m.dot(next) - 1e-12);
                }
                counts[k] += 1;
            }
        }
    });
    assert!(counts.iter().all(|n| *n > 200), "{counts:?}");
}

/// Lemma 8 and section 4.3: after a recurrence the next pair is new or the search ends. So the
/// number of steps is bounded by the number of pairs. The verdict does not depend on the rule.
#[test]
fn lemma_8_every_search_ends_and_all_rules_agree() {
    let (mut repeats, mut max_steps, mut uncertain) = (0, 0, 0);
    close_pairs(600, 6, |a, b, pose, _| {
        let verdicts: Vec<bool> = all_options()
            .into_iter()
            .filter_map(|options| {
                let output = run_search(a, b, pose, options);
                let pairs = a.vertices().len() * b.vertices().len();
                assert!((output.kept as usize) <= pairs);
                // Between two new pairs there are at most three steps: a recurrence, the
                // termination's `w` and the strict vector.
                assert!(output.steps <= 3 * output.kept + 3);
                repeats += output.repeats;
                max_steps = max_steps.max(output.steps);
                uncertain += u32::from(output.verdict.decided().is_none());
                output.verdict.decided().map(|d| d.is_intersecting())
            })
            .collect();
        assert!(verdicts.windows(2).all(|v| v[0] == v[1]), "{verdicts:?}");
    });
    assert!(repeats > 20 && max_steps < 400 && uncertain < 60, "{repeats} {max_steps} {uncertain}");
}

/// Both termination methods have the same verdict and, unless a pair recurs, the same number of
/// steps.
#[test]
fn half_planes_agree_with_hemispheres() {
    let mut intersecting = 0;
    close_pairs(600, 7, |a, b, pose, _| {
        let of = |termination| run_search(a, b, pose, Options::THESIS.termination(termination));
        let (x, y) = (of(Termination::Hemisphere), of(Termination::HalfPlanes));
        let is_separated = |v: &Verdict| matches!(v, Verdict::Separated(_));
        assert_eq!(is_separated(&x.verdict), is_separated(&y.verdict));
        if x.repeats == 0 && y.repeats == 0 {
            assert_eq!((x.steps, x.kept), (y.steps, y.kept));
        }
        intersecting += usize::from(!is_separated(&x.verdict));
    });
    assert!(intersecting > 100, "{intersecting}");
}

/// Section 3.2: for two balls the greedy direction separates at the second step. For polytopes with
/// many vertices it usually does at the third.
#[test]
fn balls_are_separated_in_three_steps() {
    let mut random = Random::new(8);
    let (mut within, mut all) = (0, 0);
    for _ in 0..300 {
        let (a, b) = (random.ellipsoid(300, Vec3::ONE), random.ellipsoid(300, Vec3::ONE));
        let pose = {
            let t = random.direction() * 2.1;
            random.pose(t)
        };
        let (a, b) = (Prepared::new(&a), Prepared::new(&b));
        let query = Query { a: &a, b: &b, pose: &pose, options: Options::THESIS };
        // Start with a random direction.
        let mut cache = SeparatingCache::from_closest(random.direction(), 0, 0);
        let output = separate(query, &mut cache, &mut Scratch::default());
        if matches!(output.verdict, Verdict::Separated(_)) {
            all += 1;
            within += i32::from(output.steps <= 3);
        }
    }
    assert!(all > 290 && within * 10 > all * 9, "{within} of {all}");
}

#[test]
fn the_cached_vector_separates_in_the_next_frame() {
    let mut random = Random::new(9);
    let (a, b) =
        (random.ellipsoid(200, Vec3::ONE), random.ellipsoid(200, Vec3::new(1.0, 0.3, 0.3)));
    let (a, b) = (Prepared::new(&a), Prepared::new(&b));
    let (mut cache, mut scratch) = (SeparatingCache::default(), Scratch::default());
    let mut steps = [0; 2];
    for frame in 0..200 {
        let t = f64::from(frame) * 0.01;
        let turn = Pose::from_axis_angle([1.0, 2.0, 3.0], t).unwrap();
        let pose = Pose::from_translation([2.1, t, 0.0]).unwrap().compose(&turn).unwrap();
        let query = Query { a: &a, b: &b, pose: &pose, options: Options::THESIS };
        let cold = separate(query, &mut SeparatingCache::default(), &mut scratch);
        let warm = separate(query, &mut cache, &mut scratch);
        assert!(matches!(warm.verdict, Verdict::Separated(_)));
        let again = separate(query, &mut cache, &mut scratch);
        assert_eq!((again.steps, again.verdict), (1, warm.verdict));
        steps[0] += cold.steps;
        steps[1] += warm.steps;
    }
    assert!(steps[1] < 220 && steps[1] <= steps[0], "{steps:?}");
    // The cache of another pair is ignored if its vertices do not exist, and does not change the
    // result otherwise.
    let small = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap();
    let small = Prepared::new(&small);
    let pose = Pose::from_translation([5.0, 0.0, 0.0]).unwrap();
    let query = Query { a: &small, b: &small, pose: &pose, options: Options::THESIS };
    assert!(matches!(separate(query, &mut cache, &mut scratch).verdict, Verdict::Separated(_)));
}

#[test]
fn an_iteration_limit_is_not_a_verdict() {
    let cube: Vec<Vec3> = (0..8_u32)
        .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
        .collect();
    let cube = Hull::new(&cube).unwrap();
    let body = Prepared::new(&cube);
    let pose = Pose::from_translation([0.5, 0.25, 0.125]).unwrap();
    for max_steps in [0, 1, 2] {
        let options = Options::THESIS.max_steps(max_steps);
        let query = Query { a: &body, b: &body, pose: &pose, options };
        let mut cache = SeparatingCache::default();
        let output = separate(query, &mut cache, &mut Scratch::default());
        assert_eq!(output.verdict, Verdict::Undecided(Reason::Limit));
        assert!(cache.is_empty() && output.steps == max_steps);
    }
}

#[test]
fn verdicts_are_exact_at_every_scale() {
    let mut random = Random::new(10);
    for scale in [1e-300, 1e-160, 1e-30, 1.0, 1e30, 1e58] {
        let (a, b) =
            (random.ellipsoid(20, Vec3::ONE * scale), random.ellipsoid(20, Vec3::ONE * scale));
        for (distance, apart) in [(2.5, true), (1.0, false)] {
            let pose = random.pose(Vec3::new(0.6, 0.8, 0.0) * scale * distance);
            let output = run_search(&a, &b, &pose, Options::THESIS);
            assert_eq!(
                matches!(output.verdict, Verdict::Separated(_)),
                apart,
                "{scale} {output:?}"
            );
            if scale > 1e-50 {
                assert!(output.verdict.decided().is_some());
            }
        }
    }
}

/// A common vertex is a certain intersection.
#[test]
fn a_common_vertex_is_certain() {
    let point = Hull::new(&[Vec3::new(0.1, 0.2, 0.3)]).unwrap();
    let output = run_search(&point, &point, &Pose::IDENTITY, Options::THESIS);
    assert!(output.verdict.is_intersecting());
    assert_eq!(output.hint.pairs.as_slice(), [[0, 0]]);
}

/// Hints contain valid vertices, and the exact decision with a hint agrees with the one without.
#[test]
fn hints_do_not_change_the_exact_decision() {
    let mut certain = 0;
    close_pairs(300, 11, |a, b, pose, _| {
        let output = run_search(a, b, pose, Options::THESIS);
        for pairs in [output.seeds, output.hint.pairs] {
            assert!(!pairs.is_empty());
            for [i, j] in pairs.as_slice() {
                assert!((*i as usize) < a.vertices().len() && (*j as usize) < b.vertices().len());
            }
        }
        let points = moved(b, pose);
        let alone = decide(a.vertices(), &points, &Hint::NONE);
        let (body_a, body_b) = (Prepared::new(a), Prepared::new(b));
        let query = Query { a: &body_a, b: &body_b, pose, options: Options::THESIS };
        let both =
            separating::decide(query, &mut SeparatingCache::default(), &mut Scratch::default());
        assert!(both.verify(a.vertices(), &points));
        assert_eq!(both.is_intersecting(), alone.is_intersecting());
        if let Some(decision) = output.verdict.decided() {
            assert_eq!(decision, both);
            certain += 1;
        }
    });
    assert!(certain > 290, "{certain}");
}

/// Section 5.5: each algorithm provides the start of the other.
#[test]
fn closest_points_and_separating_vectors_start_each_other() {
    let mut steps = [0; 2];
    let mut queries = 0;
    close_pairs(200, 12, |a, b, pose, _| {
        let output = run_search(a, b, pose, Options::THESIS);
        if !output.verdict.is_separated() {
            return;
        }
        let (x, y) = (LocalSearch::exact(a), LocalSearch::exact(b));
        let mut start = output.closest_start();
        let options = ClosestOptions::default().tolerance(0.0);
        let found = closest_points(&x, &y, pose, &options, Variant::PUBLISHED, &mut start);
        let cold = &mut Default::default();
        let cold = closest_points(&x, &y, pose, &options, Variant::PUBLISHED, cold);
        let (upper, known) = (found.answer.upper, cold.answer.upper);
        assert!((upper - known).abs() < 0.05 * known + 1e-9);
        steps[0] += cold.iterations;
        steps[1] += found.iterations;
        queries += 1;
        // The reverse: the direction of the closest points separates at once.
        let (Some(i), Some(j)) = (start.a.last(), start.b.last()) else {
            panic!("the cache of the closest points is empty")
        };
        let mut cache = SeparatingCache::from_closest(found.direction, i, j);
        let (body_a, body_b) = (Prepared::new(a), Prepared::new(b));
        let query = Query { a: &body_a, b: &body_b, pose, options: Options::THESIS };
        let again = separate(query, &mut cache, &mut Scratch::default());
        assert!(again.verdict.is_separated() && again.steps <= 2);
    });
    assert!(queries > 60 && steps[1] <= steps[0], "{queries} {steps:?}");
}
