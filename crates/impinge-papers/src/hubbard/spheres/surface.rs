//! A mesh in the frame of the builders: around the origin and about one in size. Computations are
//! rounded; the covers of the trees are proven afterwards.

use impinge::exact::Location;
use impinge::internals::{Random, unit_scale};
use impinge::math::MAX_COORDINATE;
use impinge::mesh::Mesh;
use impinge::spheres::Ball;
use impinge::{Aabb, Vec3, solid};

/// Triangles of a leaf.
const LEAF: usize = 4;

/// The surface of a mesh, with a tree for closest points.
#[derive(Debug)]
pub(super) struct Surface {
    /// The mesh in this frame, for points inside: its coordinates have a size at which predicates
    /// are fast.
    mesh: Mesh,
    origin: Vec3,
    /// Two powers of two whose product is the scale.
    scale: [f64; 2],
    triangles: Vec<[Vec3; 3]>,
    bounds: Aabb,
    nodes: Vec<Node>,
    /// The triangles in the order of the leaves.
    order: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    bounds: Aabb,
    /// The second child, the first one being the next node; or zero for a leaf.
    second: u32,
    start: u32,
    end: u32,
}

impl Surface {
    /// The surface of a mesh with triangles.
    pub(super) fn new(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        let origin = bounds.center();
        let reach = (bounds.max - origin).max(origin - bounds.min).max_element();
        let (s, t) = if reach > 0.0 { unit_scale(reach) } else { (1.0, 1.0) };
        let local = |v: Vec3| (v - origin) * s * t;
        let triangles: Vec<[Vec3; 3]> =
            (0..mesh.triangles().len()).map(|i| mesh.triangle(i).map(local)).collect();
        let bounds = Aabb::from_points(triangles.iter().flatten().copied());
        let order = (0..triangles.len() as u32).collect();
        let scale = [s, t];
        let vertices = mesh.vertices().iter().map(|v| local(*v)).collect();
        let mesh = Mesh::from_triangles(vertices, mesh.triangles().to_vec())
            .expect("coordinates of at most two and the triangles of a mesh");
        let mut this = Self { mesh, origin, scale, triangles, bounds, nodes: Vec::new(), order };
        this.build(0, this.order.len());
        this
    }

    fn build(&mut self, start: usize, end: usize) {
        let at = |order: &[u32]| {
            let corners = order.iter().flat_map(|t| self.triangles[*t as usize]);
            Aabb::from_points(corners)
        };
        let bounds = at(&self.order[start..end]);
        let node = self.nodes.len();
        self.nodes.push(Node { bounds, second: 0, start: start as u32, end: end as u32 });
        if end - start <= LEAF {
            return;
        }
        let size = bounds.extent();
        let axis = (0..3).fold(0, |best, i| if size[i] > size[best] { i } else { best });
        let triangles = &self.triangles;
        let middle = |t: &u32| triangles[*t as usize].iter().map(|v| v[axis]).sum::<f64>();
        let half = (end - start) / 2;
        self.order[start..end]
            .select_nth_unstable_by(half, |t, u| middle(t).total_cmp(&middle(u)).then(t.cmp(u)));
        self.build(start, start + half);
        self.nodes[node].second = self.nodes.len() as u32;
        self.build(start + half, end);
    }

    /// The triangles.
    pub(super) fn triangles(&self) -> &[[Vec3; 3]] {
        &self.triangles
    }

    /// The box around all triangles.
    pub(super) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// A ball of this frame in the frame of the mesh.
    pub(super) fn ball(&self, center: Vec3, radius: f64) -> Ball {
        let [s, t] = self.scale;
        // Balls of the builders are at most some times as large as the mesh.
        let limit = Vec3::splat(MAX_COORDINATE);
        let center = (self.origin + center / t / s).clamp(-limit, limit);
        Ball { center, radius: radius / t / s }
    }

    /// The closest point of the surface.
    pub(super) fn closest(&self, p: Vec3) -> Vec3 {
        let (mut best, mut point) = (f64::INFINITY, p);
        let mut open: Vec<(f64, u32)> = vec![(0.0, 0)];
        while let Some((bound, node)) = open.pop() {
            if bound >= best {
                continue;
            }
            let at = &self.nodes[node as usize];
            if at.second == 0 {
                for t in &self.order[at.start as usize..at.end as usize] {
                    let q = closest_of_triangle(p, &self.triangles[*t as usize]);
                    let d = q.distance_squared(p);
                    if d < best {
                        (best, point) = (d, q);
                    }
                }
                continue;
            }
            let mut children = [node + 1, at.second].map(|child| {
                let bounds = &self.nodes[child as usize].bounds;
                (p.clamp(bounds.min, bounds.max).distance_squared(p), child)
            });
            if children[0].0 < children[1].0 {
                children.swap(0, 1);
            }
            open.extend(children);
        }
        point
    }

    /// Whether a point is inside the solid; true everywhere if the mesh is no solid, because its
    /// surface then has no outside.
    pub(super) fn is_inside(&self, p: Vec3) -> bool {
        match solid::locate(&self.mesh, p) {
            Ok(location) => location != Location::Outside,
            Err(_) => true,
        }
    }

    /// Whether the mesh bounds a solid.
    pub(super) fn is_solid(&self) -> bool {
        self.mesh.is_solid()
    }

    /// Whether a point is inside the solid; false everywhere if the mesh is no solid.
    pub(super) fn is_in_solid(&self, p: Vec3) -> bool {
        self.is_solid() && self.is_inside(p)
    }

    /// The distance from the surface.
    pub(super) fn distance(&self, p: Vec3) -> f64 {
        self.closest(p).distance(p)
    }

    /// How deep a point is inside the solid; negative outside. For a mesh that is no solid, minus
    /// the distance from the surface.
    pub(super) fn depth(&self, p: Vec3) -> f64 {
        let distance = self.distance(p);
        if self.is_in_solid(p) { distance } else { -distance }
    }

    /// At most about `count` points on the surface, but at least two for every triangle: a corner
    /// and a random inner point of each piece of a subdivision of all triangles into pieces of
    /// similar length.
    pub(super) fn samples(&self, count: usize, random: &mut Random) -> Vec<Vec3> {
        // Long triangles need more pieces than their area says, so pieces are counted.
        let mut spacing = 2.0 * self.bounds.extent().length();
        loop {
            let mut pieces = 0;
            let finer = 0.85 * spacing;
            for triangle in &self.triangles {
                cut_triangle(triangle, finer, &mut |_| pieces += 1);
            }
            if 2 * pieces > count || finer < 1e-4 {
                break;
            }
            spacing = finer;
        }
        let mut points = Vec::with_capacity(2 * count);
        for triangle in &self.triangles {
            cut_triangle(triangle, spacing, &mut |[a, b, c]| {
                let (u, v) = (0.2 + 0.4 * random.unit(), 0.2 + 0.4 * random.unit());
                let (u, v) = if u + v > 0.9 { (0.9 - u, 0.9 - v) } else { (u, v) };
                points.push(a + (b - a) * u + (c - a) * v);
                points.push(a);
            });
        }
        let mut seen: Vec<[u64; 3]> = Vec::new();
        points.iter_mut().for_each(|p| *p = flushed(*p));
        seen.extend(points.iter().map(|p| p.to_array().map(f64::to_bits)));
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|i| (seen[*i], *i));
        order.dedup_by_key(|i| seen[*i]);
        order.sort_unstable();
        order.into_iter().map(|i| points[i]).collect()
    }
}

/// The point without coordinates too small for exact predicates on it.
pub(super) fn flushed(p: Vec3) -> Vec3 {
    // Adding zero turns -0.0 into 0.0.
    Vec3::from_array(p.to_array().map(|x| if x.abs() < 1e-30 { 0.0 } else { x })) + Vec3::ZERO
}

/// Calls `each` with pieces of a triangle whose longest edges are at most `spacing`.
fn cut_triangle(triangle: &[Vec3; 3], spacing: f64, each: &mut impl FnMut([Vec3; 3])) {
    let mut open = vec![*triangle];
    while let Some(t) = open.pop() {
        let length = |e: usize| t[e].distance_squared(t[(e + 1) % 3]);
        let e = (0..3).fold(0, |best, e| if length(e) > length(best) { e } else { best });
        if length(e) <= spacing * spacing || open.len() > 64 {
            each(t);
            continue;
        }
        let f = (e + 1) % 3;
        let middle = (t[e] + t[f]) * 0.5;
        for replaced in [f, e] {
            let mut half = t;
            half[replaced] = middle;
            open.push(half);
        }
    }
}

/// The closest point of a triangle (Ericson 2005, "Real-Time Collision Detection", section 5.1.5).
fn closest_of_triangle(p: Vec3, [a, b, c]: &[Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (*b - *a, *c - *a, p - *a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - *b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return *a + ab * (d1 / (d1 - d3));
    }
    let cp = p - *c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return *a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return *b + (*c - *b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    if sum > 0.0 { *a + ab * (vb / sum) + ac * (vc / sum) } else { *a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::closest::point_triangle;
    use impinge::shapes;

    #[test]
    fn closest_points_are_those_of_all_triangles() {
        let mesh = shapes::torus(1.0, 0.3, 16, 8).unwrap();
        let surface = Surface::new(&mesh);
        let mut random = Random::new(1);
        for _ in 0..300 {
            let p = random.in_cube() * 1.5;
            let found = surface.closest(p).distance(p);
            let all = surface.triangles().iter().map(|t| point_triangle(p, t));
            let least = all.fold(f64::INFINITY, |least, d| least.min(d.upper));
            assert!((found - least).abs() < 1e-12, "{found} {least}");
        }
        // The middle of the tube, and the hole.
        let scale = surface.ball(Vec3::X, 0.0).center.x;
        assert!((surface.depth(Vec3::X / scale) * scale - 0.3).abs() < 0.05);
        assert!((surface.depth(Vec3::ZERO) * scale + 0.7).abs() < 0.05);
    }

    #[test]
    fn samples_are_spread_over_the_surface() {
        let mesh = shapes::cuboid([1.0, 2.0, 0.1]).unwrap();
        let surface = Surface::new(&mesh);
        let samples = surface.samples(500, &mut Random::new(2));
        assert!((100..=500).contains(&samples.len()), "{}", samples.len());
        let off = samples.iter().map(|p| surface.distance(*p)).fold(0.0, f64::max);
        assert!(off < 1e-12, "{off}");
        let mut random = Random::new(3);
        for _ in 0..200 {
            let p = surface.closest(random.in_cube());
            let nearest = samples.iter().map(|s| s.distance(p)).fold(f64::INFINITY, f64::min);
            assert!(nearest < 0.4, "{nearest}");
        }
    }
}
