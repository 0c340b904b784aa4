//! Exact checks of the invariants of a hull.

use std::collections::HashMap;

use super::Hull;
use crate::exact::{Sign, compare_along, orient2d, orient3d};
use crate::math::{Vec3, drop_axis};

impl Hull {
    /// Checks the hull against the points it was built from. Every vertex is the point of its
    /// source. No point lies above a face (for flat hulls, outside the polygon or segment). The
    /// faces are strictly convex planar polygons that meet at strictly convex edges and form one
    /// closed surface. Euler's formula holds. The neighbours are those of the faces, in order. All
    /// with exact predicates. For tests: takes time proportional to points times faces.
    ///
    /// # Errors
    /// If an invariant does not hold; the message names the first one.
    pub(crate) fn validate(&self, points: &[Vec3]) -> Result<(), String> {
        ensure(self.sources.len() == self.vertices.len(), || "vertices without source".into())?;
        let mut sorted = self.sources.clone();
        sorted.sort_unstable();
        ensure(sorted.windows(2).all(|w| w[0] < w[1]), || {
            "two vertices have the same source".into()
        })?;
        for (v, source) in self.sources.iter().enumerate() {
            let same = points.get(*source as usize) == Some(&self.vertices[v]);
            ensure(same, || format!("vertex {v} is not point {source}"))?;
        }
        self.check_rows()?;
        match self.dimension {
            0 => self.check_point(points),
            1 => self.check_segment(points),
            2 => {
                self.check_surface()?;
                self.check_polygon(points)
            }
            3 => {
                self.check_surface()?;
                self.check_solid(points)
            }
            d => Err(format!("a hull of dimension {d}")),
        }
    }

    fn check_rows(&self) -> Result<(), String> {
        let t = &self.topology;
        for (starts, values, rows) in [
            (&t.face_starts, &t.face_vertices, None),
            (&t.neighbor_starts, &t.neighbors, Some(self.vertices.len())),
        ] {
            let fits = starts.first() == Some(&0)
                && starts.last() == Some(&(values.len() as u32))
                && starts.windows(2).all(|w| w[0] <= w[1])
                && rows.is_none_or(|r| starts.len() == r + 1)
                && values.iter().all(|v| (*v as usize) < self.vertices.len());
            ensure(fits, || "compressed rows are inconsistent".into())?;
        }
        Ok(())
    }

    fn check_point(&self, points: &[Vec3]) -> Result<(), String> {
        let counts = (self.vertices.len(), self.edge_count(), self.face_count());
        ensure(counts == (1, 0, 0), || format!("a point with {counts:?} features"))?;
        ensure(points.iter().all(|p| *p == self.vertices[0]), || "points differ".into())
    }

    fn check_segment(&self, points: &[Vec3]) -> Result<(), String> {
        let counts = (self.vertices.len(), self.edge_count(), self.face_count());
        ensure(counts == (2, 1, 0), || format!("a segment with {counts:?} features"))?;
        ensure(self.topology.neighbors == [1, 0], || "ends that are not neighbours".into())?;
        let (a, b) = (self.vertices[0], self.vertices[1]);
        ensure(a != b, || "ends that coincide".into())?;
        for (i, p) in points.iter().enumerate() {
            ensure(on_line(a, b, *p) && (a.min(b).cmple(*p) & p.cmple(a.max(b))).all(), || {
                format!("point {i} is not on the segment")
            })?;
        }
        Ok(())
    }

    /// Checks that the faces form a closed connected surface: every side is in one face in each
    /// direction, and the faces around every vertex form one ring.
    fn check_surface(&self) -> Result<(), String> {
        // For each directed side, the vertex before its start in the face of the side.
        let mut sides = HashMap::with_capacity(self.topology.face_vertices.len());
        for (f, face) in self.faces().enumerate() {
            ensure(face.len() >= 3, || format!("face {f} has {} corners", face.len()))?;
            for i in 0..face.len() {
                let before = face[(i + face.len() - 1) % face.len()];
                let side = (face[i], face[(i + 1) % face.len()]);
                let twice = sides.insert(side, before).is_some();
                ensure(!twice, || format!("side {side:?} is in two faces"))?;
            }
        }
        ensure(sides.len() == self.topology.neighbors.len(), || "edges without neighbours".into())?;
        for v in 0..self.vertices.len() as u32 {
            let around = self.neighbors(v);
            ensure(around.len() >= self.dimension, || {
                format!("vertex {v} has too few neighbours")
            })?;
            for (i, next) in around.iter().enumerate() {
                let following = around[(i + 1) % around.len()];
                ensure(sides.contains_key(&(*next, v)), || format!("edge {v} {next} is open"))?;
                ensure(sides.get(&(v, *next)) == Some(&following), || {
                    format!("the neighbours of {v} are out of order at {next}")
                })?;
            }
        }
        let (v, e, f) = (self.vertices.len(), self.edge_count(), self.face_count());
        ensure(v + f == e + 2, || format!("Euler: {v} vertices, {e} edges, {f} faces"))?;
        let mut seen = vec![false; v];
        let mut queue = vec![0_u32];
        while let Some(u) = queue.pop() {
            if !std::mem::replace(&mut seen[u as usize], true) {
                queue.extend(self.neighbors(u));
            }
        }
        ensure(seen.into_iter().all(|s| s), || "the surface is not connected".into())
    }

    fn check_polygon(&self, points: &[Vec3]) -> Result<(), String> {
        ensure(self.face_count() == 2, || "a flat hull without two faces".into())?;
        let corner = |i: u32| self.vertices[i as usize];
        let ring = self.face(0);
        let [a, b, c] = [ring[0], ring[1], ring[2]].map(corner);
        let Some(drop) = (0..3).find(|axis| !turn(a, b, c, *axis).is_zero()) else {
            return Err("the first three corners are on a line".into());
        };
        let left = turn(a, b, c, drop);
        for (i, p) in points.iter().enumerate() {
            ensure(orient3d(a, b, c, *p).is_zero(), || format!("point {i} is off the plane"))?;
            for k in 0..ring.len() {
                let (u, v) = (ring[k], ring[(k + 1) % ring.len()]);
                let inside = turn(corner(u), corner(v), *p, drop);
                let strictly = !ring.iter().any(|w| corner(*w) == *p && (*w == u || *w == v));
                ensure(inside == left || inside.is_zero(), || {
                    format!("point {i} is outside of side {u} {v}")
                })?;
                let is_vertex = self.sources.contains(&(i as u32));
                ensure(!(is_vertex && strictly && inside.is_zero()), || {
                    format!("vertex at point {i} is on side {u} {v}")
                })?;
            }
        }
        Ok(())
    }

    fn check_solid(&self, points: &[Vec3]) -> Result<(), String> {
        for (f, face) in self.faces().enumerate() {
            let corner = |i: usize| self.vertices[face[i % face.len()] as usize];
            // Strictly convex: every triple of consecutive corners turns the same way in a
            // projection along the normal.
            let [a, b, c] = [corner(0), corner(1), corner(2)];
            let Some(drop) = (0..3).find(|axis| !turn(a, b, c, *axis).is_zero()) else {
                return Err(format!("face {f} starts with three corners on a line"));
            };
            let left = turn(a, b, c, drop);
            for i in 0..face.len() {
                ensure(turn(corner(i), corner(i + 1), corner(i + 2), drop) == left, || {
                    format!("face {f} is not strictly convex at corner {}", i + 1)
                })?;
            }
            let mut strictly = false;
            for (v, p) in self.vertices.iter().enumerate() {
                let side = orient3d(a, b, c, *p);
                let on = face.contains(&(v as u32));
                ensure(side == if on { Sign::Zero } else { Sign::Negative }, || {
                    format!("vertex {v} and face {f}: {side:?}, corner: {on}")
                })?;
                strictly |= side == Sign::Negative;
            }
            ensure(strictly, || format!("all vertices are in the plane of face {f}"))?;
            for (i, p) in points.iter().enumerate() {
                ensure(orient3d(a, b, c, *p) != Sign::Positive, || {
                    format!("point {i} is above face {f}")
                })?;
            }
        }
        Ok(())
    }

    /// Checks that `vertex` lies furthest in `direction`, exactly. For tests: compares every
    /// vertex.
    ///
    /// # Errors
    /// If another lies further.
    pub(crate) fn validate_support(&self, direction: Vec3, vertex: u32) -> Result<(), String> {
        let p = self.vertices[vertex as usize];
        match self.vertices.iter().position(|q| compare_along(direction, p, *q) == Sign::Positive) {
            Some(v) => Err(format!("vertex {v} lies further along {direction} than {vertex}")),
            None => Ok(()),
        }
    }
}

fn ensure(condition: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

/// Which way `a`, `b`, `c` turn with the axis `drop` left out.
fn turn(a: Vec3, b: Vec3, c: Vec3, drop: usize) -> Sign {
    orient2d(drop_axis(a, drop), drop_axis(b, drop), drop_axis(c, drop))
}

/// Whether three points are on one line.
fn on_line(a: Vec3, b: Vec3, c: Vec3) -> bool {
    (0..3).all(|axis| turn(a, b, c, axis).is_zero())
}
