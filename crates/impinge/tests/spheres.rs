//! Sphere-trees: covers are proven at every scale, and forged trees are refused.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use impinge::exact::Location;
use impinge::internals::Random;
use impinge::math::Vec3;
use impinge::spheres::{
    Ball, BuildOptions, CoverOptions, Flaw, NO_PARENT, Node, Parts, ReachOptions, SphereTree,
    reach, verify,
};
use impinge::{ErrorKind, Mesh, Pose, closest, shapes, solid};

/// Levels of balls around the cells of grids that meet the box of the mesh; they overlap only just.
fn grid_levels(mesh: &Mesh, levels: u32) -> Vec<Vec<Node>> {
    let bounds = mesh.bounds();
    let extent = bounds.extent();
    // Squares of tiny lengths would vanish.
    let unit = extent.max_element();
    let length = |v: Vec3| (v / unit).length() * unit;
    (0..levels)
        .map(|level| {
            let n = 1_u32 << level;
            let cell = extent / f64::from(n);
            let mut nodes = Vec::new();
            for i in 0..n * n * n {
                let at = [i / (n * n), i / n % n, i % n];
                let low = Vec3::from(at.map(f64::from)) * cell + bounds.min;
                let center = low + cell * 0.5;
                let ball = Ball { center, radius: length(cell) * 0.5 };
                let half = at.map(|x| x / 2);
                let m = n / 2;
                let parent =
                    if level == 0 { NO_PARENT } else { (half[0] * m + half[1]) * m + half[2] };
                nodes.push(Node::child(ball, parent));
            }
            nodes
        })
        .collect()
}

fn tree_of(mesh: &Mesh, levels: &[Vec<Node>]) -> SphereTree {
    let tree = SphereTree::from_levels(mesh, levels, &CoverOptions::default()).unwrap();
    assert_eq!(verify(mesh, tree.parts()), Ok(()));
    tree
}

#[test]
fn grids_of_balls_cover_at_every_scale_and_offset() {
    let ring = shapes::torus(1.0, 0.4, 24, 12).unwrap();
    for (scale, offset) in [(1.0, 0.0), (1e-300, 0.0), (4e-322, 0.0), (1e58, 0.0), (1.0, 1e9)] {
        let moved = Pose::from_translation([offset, -offset, 0.5 * offset]).unwrap();
        let mesh = ring.scaled(scale).unwrap().transformed(&moved);
        let levels = grid_levels(&mesh, 4);
        let tree = tree_of(&mesh, &levels);
        assert_eq!(tree.levels(), 4);
        // Empty cells are dropped; the others grow by rounding at most.
        assert!(tree.level(3).len() < levels[3].len());
        let ulp = f64::EPSILON * (mesh.bounds().max.abs().max_element() + 2.0 * scale) + 5e-323;
        for (level, given) in levels.iter().enumerate() {
            for node in tree.level(level) {
                let grown = node.ball.radius - given[0].ball.radius;
                assert!(grown <= 8.0 * ulp, "{scale} {offset} {level}: {grown:e}");
            }
        }
        // Every ball below the first level is the child of its parent.
        for level in 1..4 {
            for (i, node) in tree.level(level).iter().enumerate() {
                assert!(tree.children(level - 1, node.parent as usize).contains(&i));
            }
        }
    }
}

#[test]
fn holes_are_closed_by_enlarging_balls() {
    let ball = shapes::icosphere(1.0, 3).unwrap();
    // Balls at the corners of an octahedron that cover a third of the sphere, and a root that is
    // too small.
    let mut corners = Vec::new();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        corners.extend([axis, -axis].map(|c| Node::child(Ball { center: c, radius: 0.6 }, 0)));
    }
    let levels = [vec![Node::root(Ball { center: Vec3::ZERO, radius: 0.5 })], corners];
    let tree = tree_of(&ball, &levels);
    let root = tree.level(0)[0].ball.radius;
    assert!((1.0..1.01).contains(&root), "{root}");
    // The farthest point from the six corners is at the middle of a face.
    let needed = (Vec3::ONE.normalize() - Vec3::X).length();
    let largest = tree.level(1).iter().map(|n| n.ball.radius).fold(0.0, f64::max);
    assert!((needed - 0.02..1.1 * needed).contains(&largest), "{largest} {needed}");
    // Points grow too, and a limit on the pieces is kept.
    let point = |x: f64| Node::root(Ball { center: Vec3::X * x, radius: 0.0 });
    let points = [vec![point(-0.5), point(0.5)]];
    let tree = tree_of(&ball, &points);
    assert!(tree.level(0).iter().all(|n| n.ball.radius < 1.2));
    let options = CoverOptions::default().max_pieces(0);
    let tree = SphereTree::from_levels(&ball, &points, &options).unwrap();
    assert_eq!(tree.parts().cuts.len(), ball.triangles().len());
}

/// A triangle whose corners are exactly 5 from the origin, and a smaller tree for it.
fn tight() -> (Mesh, SphereTree) {
    let corners = [[3.0, 4.0, 0.0], [-3.0, 4.0, 0.0], [0.0, 0.0, 5.0]].map(Vec3::from);
    let mesh = Mesh::from_triangles(corners.to_vec(), vec![[0, 1, 2], [0, 1, 2]]).unwrap();
    let around = Ball { center: Vec3::ZERO, radius: 5.0 };
    let levels = [
        vec![Node::root(Ball { radius: 6.0, ..around }); 2],
        vec![Node::child(around, 0), Node::child(around, 1)],
    ];
    // Balls that contain everything: the first takes both triangles, so the second is dropped. The
    // parts are written by hand instead.
    let parts = Parts {
        levels: levels.to_vec(),
        cuts: vec![3, 1, 4, 0, 4, 4],
        triangles: vec![vec![0], vec![1]],
    };
    let tree = SphereTree::from_parts(&mesh, parts).unwrap();
    (mesh, tree)
}

#[test]
fn forged_trees_are_refused() {
    let (mesh, tree) = tight();
    let forge = |change: &dyn Fn(&mut Parts)| {
        let mut parts = tree.parts().clone();
        change(&mut parts);
        let flaw = verify(&mesh, &parts).err();
        let error = SphereTree::from_parts(&mesh, parts).err().map(|e| e.kind());
        assert_eq!(error, flaw.map(|_| ErrorKind::Damaged));
        flaw
    };
    let covered = |level, ball, triangle| Some(Flaw::NotCovered { level, ball, triangle });
    assert_eq!(forge(&|_| ()), None);
    // A radius one unit in the last place too small; a larger one is no flaw.
    assert_eq!(forge(&|p| p.levels[1][0].ball.radius = 5.0_f64.next_down()), covered(1, 0, 0));
    assert_eq!(forge(&|p| p.levels[1][1].ball.radius = 5.0_f64.next_down()), covered(1, 1, 1));
    assert_eq!(forge(&|p| p.levels[1][1].ball.radius = 7.0), None);
    assert_eq!(forge(&|p| p.levels[0][1].ball.radius = 4.0), covered(0, 1, 1));
    // A moved ball.
    assert_eq!(forge(&|p| p.levels[1][0].ball.center.y = -1e-300), covered(1, 0, 0));
    // No ball.
    let not_a_ball = Some(Flaw::NotABall { level: 1, ball: 0 });
    assert_eq!(forge(&|p| p.levels[1][0].ball.radius = -1.0), not_a_ball);
    assert_eq!(forge(&|p| p.levels[1][0].ball.radius = f64::NAN), not_a_ball);
    assert_eq!(forge(&|p| p.levels[1][0].ball.radius = f64::INFINITY), not_a_ball);
    assert_eq!(forge(&|p| p.levels[1][0].ball.center.x = f64::NAN), not_a_ball);
    // A piece that moved to another patch, whose ball contains it but whose list lacks it.
    let lists = |ball| Some(Flaw::WrongTriangles { ball });
    assert_eq!(forge(&|p| p.cuts[0] = 4), lists(1));
    assert_eq!(forge(&|p| p.triangles[1].insert(0, 0)), lists(1));
    // A triangle dropped from a list, added to a list, or listed twice.
    assert_eq!(forge(&|p| p.triangles[1].clear()), lists(1));
    assert_eq!(forge(&|p| p.triangles[0].push(1)), lists(0));
    assert_eq!(forge(&|p| p.triangles[0].push(0)), lists(0));
    assert_eq!(forge(&|p| p.triangles.truncate(1)), lists(1));
    // Cuts that end too early, go on, or name a ball that does not exist.
    let cuts = |triangle| Some(Flaw::WrongCuts { triangle });
    assert_eq!(forge(&|p| p.cuts.truncate(1)), cuts(1));
    assert_eq!(forge(&|p| p.cuts.truncate(5)), cuts(1));
    assert_eq!(forge(&|p| p.cuts.push(3)), cuts(2));
    assert_eq!(forge(&|p| p.cuts[0] = 5), cuts(0));
    assert_eq!(forge(&|p| p.cuts = vec![0; 100]), cuts(0));
    // Wrong parents.
    let parent = |level, ball| Some(Flaw::WrongParent { level, ball });
    assert_eq!(forge(&|p| p.levels[1][1].parent = 0), parent(1, 1));
    assert_eq!(forge(&|p| p.levels[1][0].parent = 1), parent(1, 0));
    assert_eq!(forge(&|p| p.levels[1][1].parent = 2), parent(1, 1));
    assert_eq!(forge(&|p| p.levels[0][1].parent = 0), parent(0, 1));
    assert_eq!(forge(&|p| p.levels[1].clear()), Some(Flaw::Empty));
    assert_eq!(forge(&|p| p.levels.clear()), Some(Flaw::Empty));
}

#[test]
fn a_child_given_to_another_parent_is_found_by_that_parents_ball() {
    let mesh = shapes::uv_sphere(1.0, 12, 24).unwrap();
    let tree = tree_of(&mesh, &grid_levels(&mesh, 3));
    let mut parts = tree.parts().clone();
    // The first child of the second ball goes to the first.
    let moved = tree.children(1, 1).start;
    parts.levels[2][moved].parent = 0;
    assert!(matches!(verify(&mesh, &parts), Err(Flaw::NotCovered { level: 1, ball: 0, .. })));
    // The tree of another mesh.
    let other = shapes::uv_sphere(1.25, 12, 24).unwrap();
    assert!(matches!(verify(&other, tree.parts()), Err(Flaw::NotCovered { .. })));
    let fewer = shapes::uv_sphere(1.0, 12, 23).unwrap();
    assert!(verify(&fewer, tree.parts()).is_err());
}

#[test]
fn invalid_levels_are_refused() {
    let cube = shapes::cuboid([1.0; 3]).unwrap();
    let empty = Mesh::from_triangles(vec![], vec![]).unwrap();
    let unit = Ball { center: Vec3::ZERO, radius: 1.0 };
    let kind = |mesh: &Mesh, levels: &[Vec<Node>]| {
        let made = SphereTree::from_levels(mesh, levels, &CoverOptions::default());
        made.map(|_| ()).map_err(|e| e.kind())
    };
    assert_eq!(kind(&cube, &[vec![Node::root(unit)]]), Ok(()));
    assert_eq!(kind(&empty, &[vec![Node::root(unit)]]), Err(ErrorKind::Empty));
    assert_eq!(kind(&cube, &[]), Err(ErrorKind::Empty));
    assert_eq!(kind(&cube, &[vec![]]), Err(ErrorKind::Empty));
    assert_eq!(kind(&cube, &[vec![Node::child(unit, 0)]]), Err(ErrorKind::IndexOutOfBounds));
    let levels = [vec![Node::root(unit)], vec![Node::child(unit, 1)]];
    assert_eq!(kind(&cube, &levels), Err(ErrorKind::IndexOutOfBounds));
    for radius in [-1.0, f64::NAN, 1e300] {
        let bad = [vec![Node::root(Ball { radius, ..unit })]];
        assert_eq!(kind(&cube, &bad), Err(ErrorKind::OutOfRange));
    }
    let far = Ball { center: Vec3::splat(f64::NAN), radius: 1.0 };
    assert_eq!(kind(&cube, &[vec![Node::root(far)]]), Err(ErrorKind::NotFinite));
    assert_eq!(kind(&cube, &vec![vec![Node::root(unit)]; 17]), Err(ErrorKind::TooLarge));
    // Far away or huge balls are grown or kept.
    let far = Ball { center: Vec3::splat(1e60), radius: 1e-300 };
    assert_eq!(kind(&cube, &[vec![Node::root(far)]]), Ok(()));
}

/// The distance of a point from the solid, or from an open surface, by all triangles.
fn distance_outside(mesh: &Mesh, p: Vec3) -> [f64; 2] {
    if mesh.is_solid() && solid::locate(mesh, p).unwrap() != Location::Outside {
        return [0.0; 2];
    }
    let all = (0..mesh.triangles().len()).map(|t| closest::point_triangle(p, &mesh.triangle(t)));
    all.fold([f64::INFINITY; 2], |[lower, upper], d| [lower.min(d.lower), upper.min(d.upper)])
}

#[test]
fn the_reach_of_simple_balls_is_enclosed_tightly() {
    let cube = shapes::cuboid([2.0; 3]).unwrap();
    let sheet = Mesh::from_triangles(
        [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]].map(Vec3::from).to_vec(),
        vec![[0, 1, 2]],
    )
    .unwrap();
    let shell = shapes::spherical_shell(4.0, 2.0, 24, 48).unwrap();
    let at = |x: f64, radius: f64| Ball { center: Vec3::X * x, radius };
    // The balls, and the reach of all of them.
    let cases: [(&Mesh, &[Ball], f64, f64); 7] = [
        (&cube, &[at(0.0, 1.0)], 0.0, 0.0),
        (&cube, &[at(0.0, 1.5)], 0.5, 0.5),
        (&cube, &[at(0.5, 0.75), at(-0.5, 0.625)], 0.25, 0.25),
        (&cube, &[at(4.0, 1.0)], 4.0, 4.0),
        // Both sides of an open surface count.
        (&sheet, &[Ball { center: Vec3::Z * 0.25, radius: 1.0 }], 1.25, 1.25),
        // The cavity is outside: its middle is the furthest point.
        (&shell, &[at(0.0, 3.0)], 1.9, 2.0),
        (&shell, &[at(0.0, 3.0), at(0.0, 7.0)], 3.0, 3.1),
    ];
    for (mesh, balls, low, high) in cases {
        for scale in [1.0, 2.0_f64.powi(-990), 2.0_f64.powi(180)] {
            let mesh = mesh.scaled(scale).unwrap();
            let balls: Vec<Ball> = (balls.iter())
                .map(|b| Ball { center: b.center * scale, radius: b.radius * scale })
                .collect();
            let found = reach(&mesh, &balls, &ReachOptions::default()).unwrap();
            let (lower, upper) = (found.lower / scale, found.upper / scale);
            assert!(lower <= high && low <= upper, "{found:?} {low} {high}");
            assert!(upper - lower <= 0.006 * upper + 1e-8, "{found:?}");
        }
    }
    let empty = Mesh::from_triangles(vec![], vec![]).unwrap();
    let error = reach(&empty, &[at(0.0, 1.0)], &ReachOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Empty);
    // A search that ends at once still bounds.
    let found = reach(&cube, &[at(0.0, 1.5)], &ReachOptions::default().max_cells(0)).unwrap();
    assert!(found.lower <= 0.5 && 0.5 <= found.upper && found.upper < 0.6);
}

#[test]
fn no_sampled_point_of_a_ball_is_beyond_the_reach() {
    let mut random = Random::new(11);
    let star = shapes::star_prism(7, 1.0, 0.5, 0.6).unwrap();
    let ring = shapes::torus(1.0, 0.3, 16, 8).unwrap();
    for mesh in [&star, &ring] {
        for _ in 0..6 {
            let ball = Ball { center: random.in_cube(), radius: 0.2 + random.unit() };
            let found = reach(mesh, &[ball], &ReachOptions::default()).unwrap();
            let mut furthest = 0.0_f64;
            for i in 0..300 {
                let r = if i % 3 == 0 { random.unit() } else { 1.0 };
                let p = ball.center + random.direction() * (ball.radius * r);
                let [lower, _] = distance_outside(mesh, p);
                furthest = furthest.max(lower);
            }
            assert!(furthest <= found.upper, "{ball:?} {found:?} {furthest}");
            assert!(found.lower <= found.upper && found.lower >= 0.9 * furthest);
        }
    }
}

#[test]
fn built_trees_cover_closely_and_do_not_depend_on_threads() {
    let cube = shapes::cuboid([1.0; 3]).unwrap();
    let ring = shapes::torus(1.0, 0.4, 16, 12).unwrap();
    let sheet = shapes::icosphere(1.0, 3).unwrap();
    // Half a sphere: an open surface.
    let upper = sheet.triangles().iter().enumerate().filter(|(t, _)| sheet.triangle(*t)[0].z > 0.1);
    let sheet =
        Mesh::from_triangles(sheet.vertices().to_vec(), upper.map(|(_, t)| *t).collect()).unwrap();
    let options = BuildOptions::default().balls([8, 24]).rounds(16);
    // Upper limits of reach over radius at both levels: an octree of the cube has 0.2114 at 8
    // balls, from which more rounds than these lead.
    for (mesh, limits) in [(&cube, [0.216, 0.21]), (&ring, [0.19, 0.08]), (&sheet, [0.75, 0.6])] {
        let tree = SphereTree::build(mesh, &options).unwrap();
        assert_eq!(verify(mesh, tree.parts()), Ok(()));
        assert_eq!((tree.levels(), tree.level(0).len()), (3, 1));
        assert!(tree.level(1).len() <= 8 && tree.level(2).len() <= 24);
        let radius = tree.level(0)[0].ball.radius;
        for (level, limit) in limits.into_iter().enumerate() {
            let found = tree.reach(mesh, level + 1, &ReachOptions::default()).unwrap();
            assert!(found.upper / radius < limit, "{level}: {}", found.upper / radius);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = pool.install(|| SphereTree::build(mesh, &options).unwrap());
        assert!(tree == again);
    }
}

#[test]
fn a_stopped_build_is_a_proven_tree_with_fewer_levels() {
    let ring = shapes::torus(1.0, 0.4, 12, 8).unwrap();
    let options = BuildOptions::default().balls([4, 16]).rounds(20);
    let mut calls = 0;
    let mut totals = Vec::new();
    let tree = SphereTree::build_watched(&ring, &options, &mut |done, work| {
        calls += 1;
        totals.push((done, work));
        if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    assert!(totals.iter().all(|(done, work)| done <= work));
    assert_eq!(tree.levels(), 2);
    assert_eq!(verify(&ring, tree.parts()), Ok(()));
    let kind = |options: BuildOptions| SphereTree::build(&ring, &options).unwrap_err().kind();
    for balls in [vec![], vec![0], vec![8, 4], vec![1 << 20], vec![1; 16]] {
        assert_eq!(kind(BuildOptions::default().balls(balls)), ErrorKind::BadParameter);
    }
    let empty = Mesh::from_triangles(vec![], vec![]).unwrap();
    assert_eq!(SphereTree::build(&empty, &options).unwrap_err().kind(), ErrorKind::Empty);
}

#[test]
fn degenerate_meshes_have_trees_at_every_scale() {
    let options = BuildOptions::default().balls([2, 4]).rounds(6);
    for scale in [1.0, 5e-324, 1e-200, 1e60] {
        let p = |x: f64, y: f64| Vec3::new(x, y, 0.0) * scale;
        for vertices in [vec![p(0.0, 0.0); 3], vec![p(0.0, 0.0), p(1.0, 0.0), p(0.5, 0.0)]] {
            let mesh = Mesh::from_triangles(vertices, vec![[0, 1, 2]]).unwrap();
            let tree = SphereTree::build(&mesh, &options).unwrap();
            assert_eq!(verify(&mesh, tree.parts()), Ok(()));
            let found = tree.reach(&mesh, 0, &ReachOptions::default()).unwrap();
            // A point has no size that bounds could be relative to.
            let limit =
                if mesh.bounds().extent() == Vec3::ZERO { 1e-70 } else { 4.0 * scale + 2e-322 };
            assert!(found.lower <= found.upper && found.upper <= limit, "{found:?}");
        }
    }
}

/// Pieces far from all balls were cut to the finest size, millions of them, although a ball had
/// grown already that contains them.
#[test]
fn holes_larger_than_their_balls_are_not_cut_to_the_finest_pieces() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y].to_vec();
    let mesh = Mesh::from_triangles(corners, vec![[0, 1, 2]]).unwrap();
    let small = |center: Vec3| Node::root(Ball { center, radius: 0.01 });
    let levels = [vec![small(Vec3::ZERO), small(Vec3::X)]];
    let options = CoverOptions::default().finest(1e-4).in_holes(1e-4);
    let tree = SphereTree::from_levels(&mesh, &levels, &options).unwrap();
    assert!(tree.parts().cuts.len() < 100_000, "{}", tree.parts().cuts.len());
    // The balls grow as far as they have to: to the middle between them, and not much further.
    let largest = tree.level(0).iter().map(|n| n.ball.radius).fold(0.0, f64::max);
    assert!((1.0..1.3).contains(&largest), "{largest}");
}

/// The builder did not end within minutes where a few rounds leave holes, and took a hundred
/// directions from each edge of a soup.
#[test]
fn needles_soups_and_points_are_built_with_few_pieces() {
    let needle = [[0.0; 3], [1e6, 0.0, 1.0], [1e6, 1.0, 0.0], [0.0, 1.0, 1.0]].map(Vec3::from);
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let copies = (0..40).flat_map(|_| faces.clone()).collect::<Vec<_>>();
    let line = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0].to_vec();
    let meshes = [
        Mesh::from_triangles(needle.to_vec(), faces).unwrap(),
        Mesh::from_triangles(needle.map(|p| p * 5e-324).to_vec(), copies).unwrap(),
        Mesh::from_triangles(line, vec![[0, 1, 2], [0, 0, 1]]).unwrap(),
        Mesh::from_triangles(vec![Vec3::ONE], vec![[0, 0, 0]]).unwrap(),
    ];
    for mesh in meshes {
        let options = BuildOptions::default().balls([3, 9]).rounds(2);
        let tree = SphereTree::build(&mesh, &options).unwrap();
        assert_eq!(verify(&mesh, tree.parts()), Ok(()));
        assert!(tree.parts().cuts.len() < 100_000, "{}", tree.parts().cuts.len());
    }
}
