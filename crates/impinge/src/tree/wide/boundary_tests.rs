//! Tests every `f32` kernel of the tree against exact integers, a few ulps from the boundary where
//! its answer changes.
//!
//! A case has eight patches of two triangles in each mesh. Patch `k` of A is constructed from patch
//! `k` of B after the transformation, so that the two touch up to the last bits, or have a gap of a
//! few ulps of `f64` or `f32`, or of about the kernels' margins. The other pairs of patches have
//! arbitrary positions.
//!
//! Each kernel runs with its margin, with the smaller one that `docs/notes/tree.md` or
//! `docs/notes/distance.md` derives, and without a margin. The first two must be right in every
//! case. The third must be wrong in some cases; otherwise the cases would not be close enough to
//! the boundary to test the margin.

use std::array::from_fn;

use crate::exact::stats::FilterStats;
use crate::exact::triangle::triangles_intersect_counted;
use crate::exact::triangles_intersect;
use crate::math::{Pose, Random, Vec3};
use crate::mesh::Mesh;
use crate::wide::dispatch::{self, Task};
use crate::wide::{Lanes3, Portable, Wide, Wide3};
use impinge_oracles::points as oracle;

use super::Tree;
use super::disc::{Disc, WideDiscs};
use super::frame::Frame;
use super::leaf::Leaf;
use super::node::{Link, LocalBox, Node};
use super::relative::{Relative, UNIT_ROUNDOFF_F32};
use super::traverse::Work;
use super::triangles::{compare, decide, near_box};

mod near;

/// Sizes from the smallest number to nearly the largest coordinate.
const SCALES: [f64; 14] = [
    5e-324, 1e-320, 1e-314, 1e-310, 1e-307, 1e-300, 1e-162, 1e-100, 1e-30, 1.0, 3.7, 1e30, 1e50,
    5e58,
];

type Triangle = [Vec3; 3];

/// Patches in each mesh.
const PATCHES: usize = 8;

/// Two meshes of eight patches of two triangles each; patches with the same number touch, exactly
/// or nearly.
struct Case {
    a: Mesh,
    b: Mesh,
    pose: Pose,
    here: Vec<Triangle>,
    /// After the transformation.
    there: Vec<Triangle>,
}

/// The data that the tree stores for a patch.
struct Part {
    bounds: LocalBox,
    disc: Disc,
    /// The leaf of both triangles.
    leaf: Leaf,
}

/// The data that the tree stores for a mesh.
struct Side {
    tree: Tree,
    parts: Vec<Part>,
    node: Node,
    /// The slots of the node that are not empty; patches beyond them are in no slot.
    real: u32,
    /// The leaf of the first triangle of each patch.
    leaf: Leaf,
}

fn mesh_of(triangles: &[Triangle]) -> Mesh {
    let faces = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Mesh::from_triangles(triangles.as_flattened().to_vec(), faces).unwrap()
}

fn nudged(x: f64, ulps: i64) -> f64 {
    let mut x = x;
    for _ in 0..ulps.abs() {
        x = if ulps > 0 { x.next_up() } else { x.next_down() };
    }
    x
}

/// A rotation: the identity, a quarter turn, a random one, or a random one with nearly the largest
/// error that poses may have.
fn rotation(random: &mut Random) -> [[f64; 3]; 3] {
    match random.index(5) {
        0 => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        1 => [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        kind => {
            let m = glam::DMat3::from_quat(random.rotation()).transpose().to_cols_array_2d();
            let off = if kind == 2 { 1.5e-10 } else { 0.0 };
            m.map(|row| row.map(|x| x + random.range(-off, off)))
        }
    }
}

/// A triangle that touches a (transformed) triangle at a point, and the direction away from it.
fn touching(random: &mut Random, [p, q, r]: Triangle, length: f64) -> (Triangle, Vec3) {
    // In a unit in which squares neither overflow nor underflow.
    let size = (q - p).abs().max((r - p).abs()).max_element();
    let flat = |v: Vec3, n: Vec3| v - n * v.dot(n);
    let unit = |v: Vec3| v.try_normalize().unwrap_or(Vec3::Z);
    let (e, f) = if size > 0.0 { ((q - p) / size, (r - p) / size) } else { (Vec3::X, Vec3::Y) };
    let (e, f) = if e.is_finite() && f.is_finite() { (e, f) } else { (Vec3::X, Vec3::Y) };
    let normal = unit(e.cross(f)) * if random.index(2) == 0 { 1.0 } else { -1.0 };
    let across = unit(flat(random.direction(), normal));
    let other = normal.cross(across);
    let middle = p + (q - p) * 0.3 + (r - p) * 0.3;
    let spread = |at: Vec3, n: Vec3, t: Vec3| {
        [at, at + (n + t) * length, at + (n + unit(flat(-t + n.cross(t), n))) * length]
    };
    match random.index(8) {
        // A corner on a corner.
        0 => {
            let n = unit(-(e + f));
            (spread(p, n, unit(flat(random.direction(), n))), n)
        }
        // A corner on the face, and one of B on the face of A.
        1 => (spread(middle, normal, across), normal),
        2 => {
            let n = unit(-(e + f));
            let t = unit(flat(random.direction(), n)) * length;
            let s = n.cross(t);
            ([p + t, p - t * 0.5 + s, p - t * 0.5 - s], n)
        }
        // Side on side.
        3 => {
            let n = unit(flat(e * 0.5 - f, unit(e)));
            let m = p + (q - p) * 0.5;
            let t = unit(unit(e).cross(n) + unit(e) * random.range(-0.5, 0.5)) * length;
            ([m + t, m - t, m + n * length], n)
        }
        // Face on face.
        4 => {
            let (s, t) = (across * length, other * length);
            ([middle - s, middle + t, middle + s - t], normal)
        }
        // Corner on corner, both extremal along an axis.
        5 => {
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][random.index(3)];
            let top = [p, q, r].into_iter().max_by(|x, y| x.dot(axis).total_cmp(&y.dot(axis)));
            (spread(top.unwrap(), axis, axis.any_orthonormal_vector()), axis)
        }
        // A point.
        6 => ([[p, middle, q][random.index(3)]; 3], normal),
        // Through the face.
        _ => {
            let tip = middle - normal * (0.5 * length);
            let (s, t) = (across * length, other * length);
            ([tip, tip + normal * length * 1.5 + s, tip + normal * length * 1.5 + t], normal)
        }
    }
}

impl Case {
    /// With `is_far`, all of A may also be moved away from B, by up to `3e5` sizes.
    fn new(random: &mut Random, size: f64, is_far: bool) -> Self {
        let rows = rotation(random);
        let rotate = |v: Vec3| Vec3::from_array(rows.map(|row| Vec3::from_array(row).dot(v)));
        // Far from the origin: up to 1e16 sizes, within the limit for coordinates.
        let far = match random.index(3) {
            0 => random.in_cube() * size * 2.0,
            _ => random.in_cube() * (size * 10.0_f64.powf(random.range(0.0, 16.0))).min(2e59),
        };
        let (origin, shift) = match random.index(4) {
            0 => (Vec3::ZERO, Vec3::ZERO),
            1 => (far, Vec3::ZERO),
            2 => (Vec3::ZERO, far),
            _ => (far, random.in_cube() * size - rotate(far)),
        };
        let [x, y, z] = from_fn(|k| {
            let [x, y, z] = rows[k];
            [x, y, z, shift[k]]
        });
        let pose = Pose::from_matrix([x, y, z]).unwrap();
        let radius = 10.0_f64.powf(random.range(-3.0, 0.0));
        // Where the sides follow a few directions, the tree has its own axes.
        let axes = (random.index(3) == 0).then(|| glam::DMat3::from_quat(random.rotation()));
        let b: Vec<Triangle> = (0..PATCHES)
            .flat_map(|_| {
                let center = random.in_cube();
                let [p, mut q, mut r] = from_fn(|_| center + random.in_cube() * radius);
                let mut fold = q + r - p + random.in_cube() * (0.3 * radius);
                if let Some(axes) = axes {
                    let k = random.index(3);
                    q = p + axes.col(k) * radius * random.range(0.1, 1.0);
                    r = p + axes.col((k + 1) % 3) * radius * random.range(0.1, 1.0);
                    fold = q + axes.col((k + 1) % 3) * radius * random.range(0.1, 1.0);
                }
                [[p, q, r], [q, r, fold]].map(|t| t.map(|v| v * size + origin))
            })
            .collect();
        let b = mesh_of(&b);
        let count = b.triangles().len();
        let there: Vec<Triangle> =
            (0..count).map(|t| b.triangle(t).map(|v| pose.transform_point(v))).collect();
        let ratio = [1.0, 1.0 / 16.0, if size < 1e55 { 16.0 } else { 1.0 }][random.index(3)];
        let away = if is_far && size < 1e50 && random.index(2) == 0 {
            random.direction() * (size * 10.0_f64.powf(random.range(0.0, 5.5)))
        } else {
            Vec3::ZERO
        };
        let here: Vec<Triangle> = (0..PATCHES)
            .flat_map(|k| {
                let length = radius * size * ratio * random.range(0.3, 1.0);
                let (triangle, normal) = touching(random, there[2 * k], length);
                let sign = if random.index(4) == 0 { -1.0 } else { 1.0 };
                let gap = match random.index(5) {
                    0 | 1 => 0.0,
                    2 => {
                        size * f64::from(UNIT_ROUNDOFF_F32) * random.range(-2.0, 2.0).exp2() * sign
                    }
                    3 => {
                        size * f64::from(UNIT_ROUNDOFF_F32) * random.range(0.0, 14.0).exp2() * sign
                    }
                    _ => length * random.range(-0.2, 0.6),
                };
                let most = [0, 0, 1, 2][random.index(4)];
                let moved = triangle.map(|v| {
                    let ulps = [(); 3].map(|()| random.index(2 * most + 1) as i64 - most as i64);
                    let v = v + normal * gap + away;
                    Vec3::from_array(from_fn(|k| nudged(v[k], ulps[k])))
                });
                let [p, q, r] = moved;
                let fold = q + (r - p) + random.in_cube() * (0.3 * length);
                [moved, [q, r, fold]]
            })
            .collect();
        Self { a: mesh_of(&here), b, pose, here, there }
    }

    /// The squared distance of two triangles in integers, and the frame of these integers.
    fn square(&self, t: usize, u: usize) -> (oracle::Frame, oracle::Fraction) {
        let (a, b) = (&self.here[t], &self.there[u]);
        let frame = oracle::Frame::of([*a, *b].as_flattened());
        let square = oracle::triangle_triangle(&frame.points(a), &frame.points(b));
        (frame, square)
    }

    /// Whether the first triangles of two patches share a point.
    fn triangles_meet(&self, i: usize, j: usize) -> bool {
        let found = triangles_intersect(&self.here[2 * i], &self.there[2 * j]);
        if i == j {
            assert_eq!(found, self.square(2 * i, 2 * j).1.is_zero(), "{:?}", self.here[2 * i]);
        }
        found
    }

    /// Whether two patches share a point.
    fn patches_meet(&self, i: usize, j: usize) -> bool {
        self.triangles_meet(i, j)
            || [(0, 1), (1, 0), (1, 1)]
                .iter()
                .any(|(x, y)| triangles_intersect(&self.here[2 * i + x], &self.there[2 * j + y]))
    }

    fn sides(&self, random: &mut Random) -> Option<(Side, Side, Relative)> {
        let (a, b) = (Side::new(&self.a, random), Side::new(&self.b, random));
        let relative = Relative::new(&a.tree, &b.tree, &self.pose)?;
        Some((a, b, relative))
    }
}

impl Side {
    /// Discs are either those of leaves, or those that a node has for the leaves below it.
    fn new(mesh: &Mesh, random: &mut Random) -> Self {
        let tree = Tree::build(mesh);
        let of_node = random.index(2) == 0;
        let parts: Vec<Part> = (0..PATCHES as u32)
            .map(|k| {
                let (leaf, bounds) = tree.fit_leaf(mesh, &[2 * k, 2 * k + 1]);
                let leaves = [2 * k, 2 * k + 1].map(|t| tree.fit_leaf(mesh, &[t]).0);
                let disc = if of_node { Disc::around(&bounds, &leaves) } else { leaf.disc };
                Part { bounds, disc, leaf }
            })
            .collect();
        let mut node = Node::EMPTY;
        node.bounds = tree.root.unwrap().0;
        let count = if random.index(3) == 0 { 2 + random.index(PATCHES - 2) } else { PATCHES };
        for (slot, part) in parts[..count].iter().enumerate() {
            node.set(slot, &part.bounds, &part.disc, Link::leaf(slot));
        }
        let firsts: [u32; PATCHES] = from_fn(|k| 2 * k as u32);
        let leaf = tree.fit_leaf(mesh, &firsts).0;
        Self { tree, parts, node, real: (1 << count) - 1, leaf }
    }
}

/// With margins of `units` times `u S` in place of `128 u S`; without a margin if `units` is zero.
fn with_margin(relative: &Relative, units: f64) -> Relative {
    let mut relative = relative.clone();
    if units == 0.0 {
        (relative.to_a.margin, relative.to_b.margin) = (0.0, 0.0);
    } else {
        let less = (128.0 - units) * f64::from(UNIT_ROUNDOFF_F32) * relative.span;
        let unit = f64::from(relative.to_b.unit);
        relative.to_a.margin = (f64::from(relative.to_a.margin) - less) as f32;
        relative.to_b.margin = (f64::from(relative.to_b.margin) - less * unit) as f32;
    }
    relative
}

/// By all backends: the best of this machine, the baseline of the architecture, and arrays.
fn by_all_backends<T: Task + Copy>(task: T) -> [T::Output; 3] {
    [dispatch::run(task), task.run::<dispatch::Baseline>(), task.run::<Portable>()]
}

/// Calls `each` with cases at all scales.
fn cases(seed: u64, count: usize, far: bool, mut each: impl FnMut(&Case, &mut Random)) {
    let mut random = Random::new(seed);
    for _ in 0..oracle::cases(count) {
        for size in SCALES {
            let case = Case::new(&mut random, size, far);
            each(&case, &mut random);
        }
    }
}

/// Kernels that test whether two patches may meet.
const OVERLAP_KERNELS: [&str; 9] = [
    "boxes of A's node",
    "boxes of B's node",
    "discs of A's node",
    "discs of B's node",
    "discs and boxes",
    "triangles of A and boxes",
    "triangles of B and boxes",
    "two nodes",
    "two nodes, ranked",
];

/// The first kernels, whose derived margin is that of boxes, 22 units; discs have 40.
const BOX_KERNELS: usize = 2;

/// Computes, for each kernel and each patch of A, the patches of B that may meet it.
#[derive(Clone, Copy)]
struct Overlap<'a> {
    a: &'a Side,
    b: &'a Side,
    relative: &'a Relative,
}

impl Task for Overlap<'_> {
    type Output = [[u32; PATCHES]; 9];

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let Relative { to_a, to_b, .. } = self.relative;
        let mut seen = [[0; PATCHES]; 9];
        let discs_a = WideDiscs::<W>::load(&self.a.node.discs);
        for j in 0..PATCHES {
            let Part { bounds, disc, leaf } = &self.b.parts[j];
            let boxes = self.a.node.meets_box::<W>(bounds, to_a, to_b).bits();
            let center = Wide3::splat(to_a.point(&bounds.center));
            let delta = Wide3::<W>::load(&self.a.node.center).sub(center);
            let one = WideDiscs::splat(&disc.moved(to_a));
            let discs = discs_a.heights(delta, &one, W::splat(to_a.margin)).meet().bits();
            for i in 0..PATCHES {
                seen[0][i] |= (boxes >> i & 1) << j;
                seen[2][i] |= (discs >> i & 1) << j;
                let near = near_box::<W>(leaf, &self.a.parts[i].bounds, to_a);
                seen[6][i] |= u32::from(near & 3 != 0) << j;
            }
        }
        let discs_b = WideDiscs::<W>::load(&self.b.node.discs);
        let halves_b = Wide3::<W>::load(&self.b.node.half);
        let zero = Wide3::<W>::splat([0.0; 3]);
        let normals_b = Wide3::<W>::load(&self.b.node.discs.normal).mapped(&to_a.rotation, zero);
        for i in 0..PATCHES {
            let Part { bounds, disc, leaf } = &self.a.parts[i];
            seen[1][i] = self.b.node.meets_box::<W>(bounds, to_b, to_a).bits();
            let center = Wide3::splat(to_b.point(&bounds.center));
            let delta = Wide3::<W>::load(&self.b.node.center).sub(center);
            let one = WideDiscs::splat(&disc.moved(to_b));
            seen[3][i] = discs_b.heights(delta, &one, W::splat(to_b.margin)).meet().bits();
            let above = one.may_meet_boxes(delta, halves_b, to_b.margin);
            let halves = Wide3::splat(bounds.half);
            seen[4][i] =
                above.and(discs_b.may_meet_boxes_of_other(delta, (normals_b, halves), to_b)).bits();
            for j in 0..PATCHES {
                let near = near_box::<W>(leaf, &self.b.parts[j].bounds, to_b);
                seen[5][i] |= u32::from(near & 3 != 0) << j;
            }
        }
        for ranked in [false, true] {
            let mut work = Work::take();
            work.leaves.reserve();
            work.steps.reserve();
            let (a, b) = (&self.a.node, &self.b.node);
            if ranked {
                self.relative.two_nodes::<W, true>(a, b, &mut work);
            } else {
                self.relative.two_nodes::<W, false>(a, b, &mut work);
            }
            for k in 0..work.leaves.count {
                let (i, j) = work.leaves.get(k);
                seen[7 + usize::from(ranked)][i.index()] |= 1 << j.index();
            }
            work.give_back();
        }
        seen
    }
}

#[test]
fn touching_boxes_and_discs_are_never_reported_apart() {
    // For each kernel: patches that meet, that are apart and reported apart, that are apart and not
    // reported apart, and that meet and would be lost without a margin.
    let mut counts = [[0_u32; 4]; OVERLAP_KERNELS.len()];
    let (mut taken, mut declined, mut with_own_axes) = (0, 0, 0);
    cases(1, 60, false, |case, random| {
        let Some((a, b, relative)) = case.sides(random) else {
            declined += 1;
            return;
        };
        taken += 1;
        let truth: [u32; PATCHES] =
            from_fn(|i| (0..PATCHES).map(|j| u32::from(case.patches_meet(i, j)) << j).sum());
        with_own_axes += u32::from(Frame::rounding_factor(&a.tree.frame, &b.tree.frame) > 1.0);
        for units in [128.0, 40.0, 22.0, 0.0] {
            let relative = with_margin(&relative, units);
            for seen in by_all_backends(Overlap { a: &a, b: &b, relative: &relative }) {
                for (kernel, seen) in seen.iter().enumerate() {
                    let counts = &mut counts[kernel];
                    for i in 0..PATCHES {
                        // Patches without a slot are never reported by kernels that compare boxes
                        // of nodes.
                        let is_real = a.real >> i & 1 != 0;
                        let real = if is_real { b.real } else { 0 };
                        let slots = match kernel {
                            0 if is_real => 255,
                            1 => b.real,
                            0 | 7 | 8 => real,
                            _ => 255,
                        };
                        assert_eq!(seen[i] & !slots, 0, "{}", OVERLAP_KERNELS[kernel]);
                        let lost = (truth[i] & !seen[i] & real).count_ones();
                        if units == 0.0 {
                            counts[3] += lost;
                        } else if units > 22.0 || kernel < BOX_KERNELS {
                            let name = OVERLAP_KERNELS[kernel];
                            assert_eq!(lost, 0, "{name}, {units} units, {i}: {:?}", case.pose);
                        }
                        if units == 128.0 {
                            counts[0] += (truth[i] & seen[i]).count_ones();
                            counts[1] += (!truth[i] & !seen[i] & real).count_ones();
                            counts[2] += (!truth[i] & seen[i]).count_ones();
                        }
                    }
                }
            }
        }
    });
    for (name, counts) in OVERLAP_KERNELS.iter().zip(&counts) {
        assert!(counts.iter().all(|n| *n > 0), "{name}: {counts:?}");
    }
    assert!(
        taken > 300 && declined > 50 && with_own_axes > 50,
        "{taken} {declined} {with_own_axes}"
    );
}

/// Compares the triangles of two leaves: 0 apart, 1 undecided, 2 crossing.
#[derive(Clone, Copy)]
struct Compare<'a> {
    a: &'a Leaf,
    b: &'a Leaf,
    relative: &'a Relative,
}

impl Task for Compare<'_> {
    type Output = [[u8; PATCHES]; PATCHES];

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let mut seen = [[0; PATCHES]; PATCHES];
        compare::<W>(self.a, self.b, self.relative, |i, j, certain| {
            seen[i][j] = 1 + u8::from(certain);
            false
        });
        seen
    }
}

#[test]
fn triangles_are_reported_apart_or_crossing_only_if_they_are() {
    // By the truth (apart, meeting) and by the answer (apart, undecided, crossing); for leaves of
    // one patch and of the first triangles of all patches.
    let mut counts = [[[0_u32; 3]; 2]; 2];
    cases(2, 60, false, |case, random| {
        let Some((a, b, relative)) = case.sides(random) else {
            return;
        };
        let relative = &relative;
        for seen in by_all_backends(Compare { a: &a.leaf, b: &b.leaf, relative }) {
            for (i, row) in seen.iter().enumerate() {
                for (j, answer) in row.iter().enumerate() {
                    counts[0][usize::from(case.triangles_meet(i, j))][usize::from(*answer)] += 1;
                }
            }
        }
        for k in 0..PATCHES {
            let (one, other) = (&a.parts[k].leaf, &b.parts[k].leaf);
            for seen in by_all_backends(Compare { a: one, b: other, relative }) {
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let meet = case.square(2 * k + i, 2 * k + j).1.is_zero();
                    counts[1][usize::from(meet)][usize::from(seen[i][j])] += 1;
                }
            }
        }
    });
    for [apart, meet] in counts {
        assert_eq!([apart[2], meet[0]], [0, 0], "{counts:?}");
        assert!([apart[0], apart[1], meet[1], meet[2]].iter().all(|n| *n > 0), "{counts:?}");
    }
}

#[test]
fn the_exact_test_agrees_with_integers() {
    let mut stats = FilterStats::default();
    // Pairs that are apart and that meet; and pairs for which `f64` did not decide some sign.
    let (mut counts, mut undecided) = ([0; 2], 0);
    cases(3, 60, false, |case, _| {
        for k in 0..PATCHES {
            for (t, u) in [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(x, y)| (2 * k + x, 2 * k + y)) {
                let (a, b) = (&case.here[t], &case.there[u]);
                let mut own = FilterStats::default();
                let found = triangles_intersect_counted(a, b, &mut own);
                let meet = case.square(t, u).1.is_zero();
                assert_eq!([found, triangles_intersect(b, a)], [meet; 2], "{a:?} {b:?}");
                counts[usize::from(meet)] += 1;
                undecided += u32::from(own.adaptive + own.integer > 0);
                stats += own;
            }
        }
    });
    assert!(counts.iter().all(|n| *n > 1000) && undecided > 1000, "{counts:?} {undecided}");
    assert!(stats.filter > 0 && stats.adaptive > 0 && stats.integer > 0, "{stats}");
}

/// Classifies eight pairs of triangles with `f32` corners, without further rounding.
#[derive(Clone, Copy)]
struct Decide<'a> {
    p: &'a [Lanes3; 3],
    q: &'a [Lanes3; 3],
    bound: f32,
}

impl Task for Decide<'_> {
    type Output = (u32, u32);

    #[inline(always)]
    fn run<W: Wide>(self) -> (u32, u32) {
        let Self { p, q, bound } = self;
        let p = [Wide3::<W>::load(&p[0]), Wide3::load(&p[1]), Wide3::load(&p[2])];
        let q = [Wide3::<W>::load(&q[0]), Wide3::load(&q[1]), Wide3::load(&q[2])];
        decide(&p, &q, bound, 255)
    }
}

/// With exact corners, only the rounding of the determinants remains: `32 u L^2 D`.
#[test]
fn the_error_bound_of_determinants_holds() {
    let mut random = Random::new(7);
    // By the truth (apart, meeting) and by the answer; and the number of wrong answers without a
    // bound.
    let (mut counts, mut wrong) = ([[0_u32; 3]; 2], 0);
    for _ in 0..oracle::cases(2000) {
        let size = [1.0, 0.1, 0.01, 1e-4][random.index(4)];
        let center = random.in_cube();
        let (mut p, mut q) = ([Lanes3::splat(0.0); 3], [Lanes3::splat(0.0); 3]);
        let (mut longest, mut far) = (0.0_f64, 0.0_f64);
        let mut truth = 0;
        for lane in 0..8 {
            let rounded = |t: Triangle| t.map(Vec3::as_vec3);
            let other = rounded(from_fn(|_| center + random.in_cube() * size));
            let exact = other.map(glam::Vec3::as_dvec3);
            let length = size * random.range(0.1, 1.0);
            let (one, normal) = touching(&mut random, exact, length);
            let gap = f64::from(UNIT_ROUNDOFF_F32) * random.range(-6.0, 6.0).exp2();
            let gap = gap * [0.0, 1.0, -1.0][random.index(3)];
            let one = rounded(one.map(|v| v + normal * gap));
            let here = one.map(glam::Vec3::as_dvec3);
            for k in 0..3 {
                p[k].set(lane, one[k].to_array());
                q[k].set(lane, other[k].to_array());
                longest = longest.max(here[k].distance(here[(k + 1) % 3]));
                longest = longest.max(exact[k].distance(exact[(k + 1) % 3]));
                far = far.max(here[k].length()).max(exact[k].length());
            }
            let frame = oracle::Frame::of([here, exact].as_flattened());
            let square = oracle::triangle_triangle(&frame.points(&here), &frame.points(&exact));
            truth |= u32::from(square.is_zero()) << lane;
        }
        // No two corners are further apart than twice the furthest from the origin.
        let bound =
            32.0 * f64::from(UNIT_ROUNDOFF_F32) * longest * longest * 2.0 * far * (1.0 + 1e-6);
        for (must, may) in by_all_backends(Decide { p: &p, q: &q, bound: bound as f32 }) {
            assert_eq!(must & !truth, 0, "reported crossing, but apart: {p:?} {q:?}");
            assert_eq!(truth & !(must | may), 0, "reported apart, but meeting: {p:?} {q:?}");
            for lane in 0..8 {
                let answer = 2 * (must >> lane & 1) + (may >> lane & 1);
                counts[(truth >> lane & 1) as usize][answer as usize] += 1;
            }
        }
        for (must, may) in by_all_backends(Decide { p: &p, q: &q, bound: 0.0 }) {
            wrong += ((must & !truth) | (truth & !(must | may))).count_ones();
        }
    }
    let [apart, meet] = counts;
    let reached = [apart[0], apart[1], meet[1], meet[2], wrong];
    assert!(reached.iter().all(|n| *n > 100), "{counts:?} {wrong}");
}
