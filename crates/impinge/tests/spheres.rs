//! Sphere-trees: covers are proven at every scale, and forged trees are refused.

use impinge::math::Vec3;
use impinge::spheres::{Ball, CoverOptions, Flaw, NO_PARENT, Node, Parts, SphereTree, verify};
use impinge::{ErrorKind, Mesh, Pose, shapes};

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
