//! The table of families: the shapes of two bodies and how they are brought into contact.

use impinge::Vec3;

use crate::Random;

/// Triangles with small integer coordinates, before scale and offset.
#[derive(Clone, Debug, Default)]
pub struct GridMesh {
    /// The vertices.
    pub points: Vec<Vec3>,
    /// Indices into `points`.
    pub triangles: Vec<[u32; 3]>,
}

/// How vertices of a triangle of A are moved onto a triangle of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// No vertex is moved.
    Free,
    /// One shared vertex.
    Vertex,
    /// One shared edge.
    Edge,
    /// Three shared vertices.
    Face,
    /// A vertex of B lies in the middle of an edge of A.
    VertexOnEdge,
    /// A vertex of B lies in the middle of a triangle of A.
    VertexOnFace,
    /// The midpoints of an edge of A and an edge of B coincide.
    EdgesCross,
    /// A triangle of A lies in the plane of a triangle of B.
    Plane,
    /// A is a copy of B at B's pose.
    Same,
}

/// A row of the table of families.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name in reports.
    pub name: &'static str,
    /// The generators of A and B.
    pub bodies: [fn(&mut Random) -> GridMesh; 2],
    /// How they are brought into contact.
    pub placement: Placement,
}

/// All families. Sample `i` uses family `i` modulo their number, so that all get the same share.
pub const FAMILIES: &[Family] = &[
    Family { name: "random triangles", bodies: [triangle, triangle], placement: Placement::Free },
    Family { name: "random soups", bodies: [soup, soup], placement: Placement::Free },
    Family { name: "large soups", bodies: [large_soup, soup], placement: Placement::Vertex },
    Family { name: "shared vertex", bodies: [triangle, triangle], placement: Placement::Vertex },
    Family {
        name: "shared vertex of solids",
        bodies: [tetrahedron, tetrahedron],
        placement: Placement::Vertex,
    },
    Family {
        name: "shared edge of solids",
        bodies: [tetrahedron, tetrahedron],
        placement: Placement::Edge,
    },
    Family {
        name: "shared face of solids",
        bodies: [tetrahedron, tetrahedron],
        placement: Placement::Face,
    },
    Family { name: "shared edge", bodies: [soup, triangle], placement: Placement::Edge },
    Family {
        name: "vertex on edge",
        bodies: [triangle, tetrahedron],
        placement: Placement::VertexOnEdge,
    },
    Family {
        name: "vertex on face",
        bodies: [tetrahedron, soup],
        placement: Placement::VertexOnFace,
    },
    Family {
        name: "edges cross",
        bodies: [tetrahedron, tetrahedron],
        placement: Placement::EdgesCross,
    },
    Family { name: "coplanar", bodies: [triangle, triangle], placement: Placement::Plane },
    Family { name: "coplanar sheets", bodies: [sheet, sheet], placement: Placement::Free },
    Family {
        name: "sheet and corner",
        bodies: [sheet, cuboid],
        placement: Placement::VertexOnFace,
    },
    Family { name: "boxes", bodies: [cuboid, cuboid], placement: Placement::Free },
    Family {
        name: "boxes with a shared vertex",
        bodies: [cuboid, tetrahedron],
        placement: Placement::Vertex,
    },
    Family { name: "needles", bodies: [needle, needle], placement: Placement::EdgesCross },
    Family {
        name: "needle and solid",
        bodies: [tetrahedron, needle],
        placement: Placement::VertexOnFace,
    },
    Family { name: "slivers", bodies: [sliver, sliver], placement: Placement::VertexOnEdge },
    Family {
        name: "sliver and vertex",
        bodies: [sliver, triangle],
        placement: Placement::VertexOnFace,
    },
    Family { name: "zero area", bodies: [flat, triangle], placement: Placement::VertexOnEdge },
    Family { name: "zero area, both", bodies: [flat, flat], placement: Placement::Vertex },
    Family { name: "points", bodies: [point, flat], placement: Placement::Vertex },
    Family { name: "copies", bodies: [copies, copies], placement: Placement::Free },
    Family { name: "copies that touch", bodies: [copies, copies], placement: Placement::Vertex },
    Family {
        name: "the same body",
        bodies: [tetrahedron, tetrahedron],
        placement: Placement::Same,
    },
    Family { name: "the same soup", bodies: [soup, soup], placement: Placement::Same },
    Family { name: "A is empty", bodies: [empty, soup], placement: Placement::Free },
    Family { name: "B is empty", bodies: [triangle, empty], placement: Placement::Free },
];

fn corner(random: &mut Random) -> Vec3 {
    random.grid_point(2)
}

fn triangle(random: &mut Random) -> GridMesh {
    GridMesh { points: (0..3).map(|_| corner(random)).collect(), triangles: vec![[0, 1, 2]] }
}

/// Triangles over a few shared points; usually more than fit in one leaf of a tree.
fn soup(random: &mut Random) -> GridMesh {
    let (points, triangles) = (4 + random.below(6), 2 + random.below(14));
    soup_of(random, points, triangles)
}

/// Enough triangles for a tree of several levels.
fn large_soup(random: &mut Random) -> GridMesh {
    soup_of(random, 12, 70)
}

fn soup_of(random: &mut Random, points: usize, triangles: usize) -> GridMesh {
    let any = |random: &mut Random| random.below(points) as u32;
    GridMesh {
        points: (0..points).map(|_| random.grid_point(3)).collect(),
        triangles: (0..triangles).map(|_| [any(random), any(random), any(random)]).collect(),
    }
}

fn tetrahedron(random: &mut Random) -> GridMesh {
    let mut points: Vec<Vec3> = (0..4).map(|_| corner(random)).collect();
    let volume = (points[1] - points[0]).cross(points[2] - points[0]).dot(points[3] - points[0]);
    if volume < 0.0 {
        points.swap(2, 3);
    }
    // Faces point outward if the volume is positive.
    GridMesh { points, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
}

fn cuboid(random: &mut Random) -> GridMesh {
    let (low, size) = (corner(random), random.grid_point(1) + Vec3::splat(2.0));
    let point =
        |k: u32| low + size * Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    GridMesh {
        points: (0..8).map(point).collect(),
        triangles: quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect(),
    }
}

/// A flat grid of 3 x 3 squares, perpendicular to an axis.
fn sheet(random: &mut Random) -> GridMesh {
    let (axis, low) = (random.below(3), corner(random));
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut points = Vec::new();
    for i in 0..4 {
        for j in 0..4 {
            let mut p = low;
            p[u] += f64::from(i);
            p[v] += f64::from(j);
            points.push(p);
        }
    }
    let square = |k: u32| {
        let first = k / 3 * 4 + k % 3;
        [[first, first + 1, first + 5], [first, first + 5, first + 4]]
    };
    GridMesh { points, triangles: (0..9).flat_map(square).collect() }
}

/// A tetrahedron stretched along an axis by a factor of a thousand to a million.
fn needle(random: &mut Random) -> GridMesh {
    let mut body = tetrahedron(random);
    let (axis, length) = (random.below(3), [1e3, 65536.0, 1e6][random.below(3)]);
    for p in &mut body.points {
        p[axis] *= length;
    }
    body
}

/// Triangles whose corners are nearly collinear.
fn sliver(random: &mut Random) -> GridMesh {
    let (a, d) = (corner(random), corner(random));
    let (near, far) = (a + d * 1000.0 + corner(random), a + d * 2000.0 + random.grid_point(1));
    GridMesh { points: vec![a, near, far, corner(random)], triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

/// Triangles of zero area: three collinear points, two points, one point.
fn flat(random: &mut Random) -> GridMesh {
    let (a, d) = (corner(random), corner(random));
    GridMesh {
        points: vec![a, a + d, a + d * 2.0, a],
        triangles: vec![[0, 1, 2], [0, 1, 1], [0, 3, 2], [2, 2, 2]],
    }
}

fn point(random: &mut Random) -> GridMesh {
    GridMesh { points: vec![corner(random)], triangles: vec![[0, 0, 0]] }
}

/// Copies of one or two triangles, more than fit in one leaf of a tree.
fn copies(random: &mut Random) -> GridMesh {
    let mut body = GridMesh::default();
    let kinds = [triangle(random), triangle(random)];
    for copy in 0..9 + random.below(4) {
        let first = body.points.len() as u32;
        body.points.extend(&kinds[copy % 2].points);
        body.triangles.push([first, first + 1, first + 2]);
    }
    body
}

fn empty(_: &mut Random) -> GridMesh {
    GridMesh::default()
}
