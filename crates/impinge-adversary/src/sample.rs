//! A sample: two bodies of a family in a regime, and a motion of a few steps near their contact.

use impinge::{MAX_COORDINATE, Mesh, Pose, Vec3};

use crate::Random;
use crate::family::{FAMILIES, Family, GridMesh, Placement};
use crate::regime::Regime;

/// The number of poses of a sample: a first one, and others that differ from it by a few units in
/// the last place.
const STEPS: usize = 3;

/// Two triangle meshes and poses of B in A's frame.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its index. Seed and index determine the sample.
    pub index: u64,
    /// The name of its family.
    pub family: &'static str,
    /// Scale, offset and rotation.
    pub regime: Regime,
    /// A's vertices and triangles.
    pub a: Soup,
    /// B's vertices and triangles, in its own frame.
    pub b: Soup,
    /// The poses of B, in order.
    pub poses: Vec<Pose>,
}

/// Vertices and triangles.
#[derive(Clone, Debug, Default)]
pub struct Soup {
    /// The vertices.
    pub vertices: Vec<Vec3>,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    fn new(local: &GridMesh, scale: f64, offset: Vec3) -> Self {
        let place = |p: &Vec3| within_range(*p * scale + offset);
        Self {
            vertices: local.points.iter().map(place).collect(),
            triangles: local.triangles.clone(),
        }
    }

    /// Converts the soup to a mesh of the library.
    ///
    /// # Panics
    /// If the library rejects the mesh, which is an error of the library.
    #[must_use]
    pub fn mesh(&self) -> Mesh {
        Mesh::from_triangles(self.vertices.clone(), self.triangles.clone())
            .expect("finite coordinates in range and indices that exist")
    }
}

fn within_range(p: Vec3) -> Vec3 {
    p.clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE))
}

/// `x`, which is finite, moved by some units in the last place.
#[must_use]
pub fn add_ulps(x: f64, by: i32) -> f64 {
    // Positive numbers are ordered as their bits are, negative ones the other way round.
    let next_up = |x: f64| match x {
        0.0 => f64::from_bits(1),
        x if x > 0.0 => f64::from_bits(x.to_bits() + 1),
        x => f64::from_bits(x.to_bits() - 1),
    };
    (0..by.abs()).fold(x, |x, _| if by > 0 { next_up(x) } else { -next_up(-x) })
}

impl Sample {
    /// The sample with this seed and index.
    #[must_use]
    pub fn new(seed: u64, index: u64) -> Self {
        let mut random = Random::new(
            seed.wrapping_mul(0xd134_2543_de82_ef95) ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        );
        // Scrambled once, because neighbouring states of the generator give overlapping streams.
        let random = &mut Random::new(random.bits());
        let family = &FAMILIES[(index % FAMILIES.len() as u64) as usize];
        Self::of(family, index, random)
    }

    fn of(family: &Family, index: u64, random: &mut Random) -> Self {
        let regime = Regime::draw(random);
        let [local_a, local_b] = family.bodies.map(|body| body(random));
        let b = Soup::new(&local_b, regime.scale_b, regime.offset_of_b());
        let mut a = Soup::new(&local_a, regime.scale_a, regime.offset_of_a());
        let pose = regime.pose(random);
        place(&mut a, &b, &pose, family.placement, regime.scale_a, random);
        let mut poses = vec![pose];
        for _ in 1..STEPS {
            let last = poses[poses.len() - 1];
            poses.push(stepped(&last, random));
        }
        Self { index, family: family.name, regime, a, b, poses }
    }

    /// B's vertices at a pose.
    #[must_use]
    pub fn posed(&self, pose: &Pose) -> Vec<Vec3> {
        self.b.vertices.iter().map(|v| pose.transform_point(*v)).collect()
    }
}

/// The pose with one component of the translation changed by a few units in the last place.
fn stepped(pose: &Pose, random: &mut Random) -> Pose {
    let mut rows = pose.to_matrix();
    let by = [-2, -1, 1, 2][random.below(4)];
    let t = &mut rows[random.below(3)][3];
    *t = add_ulps(*t, by).clamp(-MAX_COORDINATE, MAX_COORDINATE);
    Pose::from_matrix(rows).expect("the same rotation")
}

/// Moves corners of a triangle of A onto a triangle of B. In half of the cases, then changes one
/// coordinate of a corner by a few units in the last place.
fn place(
    a: &mut Soup,
    b: &Soup,
    pose: &Pose,
    placement: Placement,
    scale: f64,
    random: &mut Random,
) {
    if a.triangles.is_empty() || b.triangles.is_empty() {
        return;
    }
    if placement == Placement::Same {
        *a = Soup {
            vertices: b.vertices.iter().map(|v| pose.transform_point(*v)).collect(),
            triangles: b.triangles.clone(),
        };
        a.vertices.iter_mut().for_each(|v| *v = within_range(*v));
    }
    let [u, v, w] = a.triangles[random.below(a.triangles.len())].map(|k| k as usize);
    let [p, q, r] = b.triangles[random.below(b.triangles.len())]
        .map(|k| pose.transform_point(b.vertices[k as usize]));
    let d = random.grid_point(2) * scale;
    let e = random.grid_point(2) * scale;
    let i = random.grid(2);
    let j = random.grid(2);
    match placement {
        Placement::Free | Placement::Same => {}
        Placement::Vertex => a.vertices[u] = p,
        Placement::Edge => (a.vertices[u], a.vertices[v]) = (p, q),
        Placement::Face => (a.vertices[u], a.vertices[v], a.vertices[w]) = (p, q, r),
        Placement::VertexOnEdge => (a.vertices[u], a.vertices[v]) = (p + d, p - d),
        Placement::VertexOnFace => {
            (a.vertices[u], a.vertices[v], a.vertices[w]) = (p + d, p + e, p - d - e);
        }
        Placement::EdgesCross => {
            let middle = p + (q - p) * 0.5;
            (a.vertices[u], a.vertices[v]) = (middle + d, middle - d);
        }
        Placement::Plane => {
            let (f, g) = (q - p, r - p);
            (a.vertices[u], a.vertices[v], a.vertices[w]) = (p + f * i, p + g * j, p + f * j + g);
        }
    }
    for vertex in &mut a.vertices {
        *vertex = within_range(*vertex);
    }
    if random.below(2) == 0 {
        let axis = random.below(3);
        let by = [-3, -2, -1, 1, 2, 3][random.below(6)];
        let x = &mut a.vertices[u][axis];
        *x = add_ulps(*x, by).clamp(-MAX_COORDINATE, MAX_COORDINATE);
    }
}
