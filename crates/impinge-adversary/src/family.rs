//! The table of families: what two bodies look like and how they are brought into contact.

use impinge::Vec3;

use crate::Random;

/// Triangles in small integer coordinates.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// The points.
    pub points: Vec<Vec3>,
    /// Their triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// How a triangle of A is put onto a triangle of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glue {
    /// Not at all.
    Free,
    /// One vertex of both.
    Vertex,
    /// An edge of both.
    Edge,
    /// Three vertices of both.
    Face,
    /// A vertex of B in the middle of an edge of A.
    VertexOnEdge,
    /// A vertex of B in the middle of a triangle of A.
    VertexOnFace,
    /// The middles of an edge of A and an edge of B.
    EdgesCross,
    /// A triangle of A in the plane of one of B.
    Plane,
    /// A is B where it is.
    Same,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name in reports.
    pub name: &'static str,
    /// A and B.
    pub bodies: [fn(&mut Random) -> Local; 2],
    /// How they meet.
    pub glue: Glue,
}

/// All families. The index of a sample chooses one, so that each gets the same share.
pub const FAMILIES: &[Family] = &[
    Family { name: "random triangles", bodies: [triangle, triangle], glue: Glue::Free },
    Family { name: "random soups", bodies: [soup, soup], glue: Glue::Free },
    Family { name: "large soups", bodies: [large_soup, soup], glue: Glue::Vertex },
    Family { name: "shared vertex", bodies: [triangle, triangle], glue: Glue::Vertex },
    Family {
        name: "shared vertex of solids",
        bodies: [tetrahedron, tetrahedron],
        glue: Glue::Vertex,
    },
    Family { name: "shared edge of solids", bodies: [tetrahedron, tetrahedron], glue: Glue::Edge },
    Family { name: "shared face of solids", bodies: [tetrahedron, tetrahedron], glue: Glue::Face },
    Family { name: "shared edge", bodies: [soup, triangle], glue: Glue::Edge },
    Family { name: "vertex on edge", bodies: [triangle, tetrahedron], glue: Glue::VertexOnEdge },
    Family { name: "vertex on face", bodies: [tetrahedron, soup], glue: Glue::VertexOnFace },
    Family { name: "edges cross", bodies: [tetrahedron, tetrahedron], glue: Glue::EdgesCross },
    Family { name: "coplanar", bodies: [triangle, triangle], glue: Glue::Plane },
    Family { name: "coplanar sheets", bodies: [sheet, sheet], glue: Glue::Free },
    Family { name: "sheet and corner", bodies: [sheet, cuboid], glue: Glue::VertexOnFace },
    Family { name: "boxes", bodies: [cuboid, cuboid], glue: Glue::Free },
    Family {
        name: "boxes with a shared vertex",
        bodies: [cuboid, tetrahedron],
        glue: Glue::Vertex,
    },
    Family { name: "needles", bodies: [needle, needle], glue: Glue::EdgesCross },
    Family { name: "needle and solid", bodies: [tetrahedron, needle], glue: Glue::VertexOnFace },
    Family { name: "slivers", bodies: [sliver, sliver], glue: Glue::VertexOnEdge },
    Family { name: "sliver and vertex", bodies: [sliver, triangle], glue: Glue::VertexOnFace },
    Family { name: "zero area", bodies: [flat, triangle], glue: Glue::VertexOnEdge },
    Family { name: "zero area, both", bodies: [flat, flat], glue: Glue::Vertex },
    Family { name: "points", bodies: [point, flat], glue: Glue::Vertex },
    Family { name: "copies", bodies: [copies, copies], glue: Glue::Free },
    Family { name: "copies that touch", bodies: [copies, copies], glue: Glue::Vertex },
    Family { name: "the same body", bodies: [tetrahedron, tetrahedron], glue: Glue::Same },
    Family { name: "the same soup", bodies: [soup, soup], glue: Glue::Same },
    Family { name: "nothing", bodies: [empty, soup], glue: Glue::Free },
    Family { name: "nothing, other side", bodies: [triangle, empty], glue: Glue::Free },
];

fn corner(random: &mut Random) -> Vec3 {
    random.grid_point(2)
}

fn triangle(random: &mut Random) -> Local {
    Local { points: (0..3).map(|_| corner(random)).collect(), triangles: vec![[0, 1, 2]] }
}

/// Triangles over a few common points; mostly more than one leaf of a tree holds.
fn soup(random: &mut Random) -> Local {
    let (points, triangles) = (4 + random.below(6), 2 + random.below(14));
    soup_of(random, points, triangles)
}

/// Enough for a tree of several levels.
fn large_soup(random: &mut Random) -> Local {
    soup_of(random, 12, 70)
}

fn soup_of(random: &mut Random, points: usize, triangles: usize) -> Local {
    let any = |random: &mut Random| random.below(points) as u32;
    Local {
        points: (0..points).map(|_| random.grid_point(3)).collect(),
        triangles: (0..triangles).map(|_| [any(random), any(random), any(random)]).collect(),
    }
}

fn tetrahedron(random: &mut Random) -> Local {
    let mut points: Vec<Vec3> = (0..4).map(|_| corner(random)).collect();
    let volume = (points[1] - points[0]).cross(points[2] - points[0]).dot(points[3] - points[0]);
    if volume < 0.0 {
        points.swap(2, 3);
    }
    // Faces point outward if the volume is positive.
    Local { points, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
}

fn cuboid(random: &mut Random) -> Local {
    let (low, size) = (corner(random), random.grid_point(1) + Vec3::splat(2.0));
    let point =
        |k: u32| low + size * Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Local {
        points: (0..8).map(point).collect(),
        triangles: quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect(),
    }
}

/// A flat grid of 3 x 3 squares, perpendicular to an axis.
fn sheet(random: &mut Random) -> Local {
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
    Local { points, triangles: (0..9).flat_map(square).collect() }
}

/// A tetrahedron a thousand times to a million times as long as wide.
fn needle(random: &mut Random) -> Local {
    let mut body = tetrahedron(random);
    let (axis, length) = (random.below(3), [1e3, 65536.0, 1e6][random.below(3)]);
    for p in &mut body.points {
        p[axis] *= length;
    }
    body
}

/// Triangles whose corners are nearly on a line.
fn sliver(random: &mut Random) -> Local {
    let (a, d) = (corner(random), corner(random));
    let (near, far) = (a + d * 1000.0 + corner(random), a + d * 2000.0 + random.grid_point(1));
    Local { points: vec![a, near, far, corner(random)], triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

/// Triangles without area: three points on a line, two points, one point.
fn flat(random: &mut Random) -> Local {
    let (a, d) = (corner(random), corner(random));
    Local {
        points: vec![a, a + d, a + d * 2.0, a],
        triangles: vec![[0, 1, 2], [0, 1, 1], [0, 3, 2], [2, 2, 2]],
    }
}

fn point(random: &mut Random) -> Local {
    Local { points: vec![corner(random)], triangles: vec![[0, 0, 0]] }
}

/// One or two triangles again and again, more than a leaf of a tree holds.
fn copies(random: &mut Random) -> Local {
    let mut body = Local::default();
    let kinds = [triangle(random), triangle(random)];
    for copy in 0..9 + random.below(4) {
        let first = body.points.len() as u32;
        body.points.extend(&kinds[copy % 2].points);
        body.triangles.push([first, first + 1, first + 2]);
    }
    body
}

fn empty(_: &mut Random) -> Local {
    Local::default()
}
