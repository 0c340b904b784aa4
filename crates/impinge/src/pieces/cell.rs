//! Convex polyhedra with rational corners, cut by planes without error.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::rational::{Plane, Point};
use crate::arrays::{MapEach, MapToVec};
use crate::exact::Sign;
use crate::exact::integer::sign;
use crate::sink::sort_key;

/// All corners created so far; loops refer to them by index.
#[derive(Debug, Default)]
pub(super) struct Corners {
    all: Vec<Point>,
}

impl Corners {
    pub(super) fn add(&mut self, p: Point) -> u32 {
        self.all.push(p);
        (self.all.len() - 1) as u32
    }

    pub(super) fn get(&self, i: u32) -> &Point {
        &self.all[i as usize]
    }
}

/// A convex polyhedron with an inside.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) faces: Vec<Face>,
}

/// A face of a cell.
#[derive(Clone, Debug)]
pub(super) struct Face {
    /// The index of its plane.
    pub(super) plane: u32,
    /// Whether the cell is below the plane.
    pub(super) below: bool,
    /// Its corners, counter-clockwise seen from outside.
    pub(super) corners: Vec<u32>,
}

/// Cuts loops of corners at a plane. Keeps the heights of the corners and the crossings of the
/// edges, so that each is computed once.
pub(super) struct Cutter<'a> {
    plane: &'a Plane,
    heights: HashMap<u32, BigInt>,
    crossings: HashMap<[u32; 2], u32>,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(plane: &'a Plane) -> Self {
        Self { plane, heights: HashMap::new(), crossings: HashMap::new() }
    }

    pub(super) fn side(&mut self, corner: u32, corners: &Corners) -> Sign {
        let height =
            self.heights.entry(corner).or_insert_with(|| self.plane.height(corners.get(corner)));
        sign(height)
    }

    /// The parts of a convex loop below and above; empty where there is no area.
    pub(super) fn cut(&mut self, ring: &[u32], corners: &mut Corners) -> [Vec<u32>; 2] {
        let sides: Vec<Sign> = ring.map_to_vec(|c| self.side(*c, corners));
        let has = |s: Sign| sides.contains(&s);
        match (has(Sign::Negative), has(Sign::Positive)) {
            (_, false) => return [ring.to_vec(), Vec::new()],
            (false, _) => return [Vec::new(), ring.to_vec()],
            _ => {}
        }
        let mut parts = [Vec::new(), Vec::new()];
        for (i, corner) in ring.iter().enumerate() {
            let j = (i + 1) % ring.len();
            match sides[i] {
                Sign::Negative => parts[0].push(*corner),
                Sign::Positive => parts[1].push(*corner),
                Sign::Zero => parts.iter_mut().for_each(|p| p.push(*corner)),
            }
            if sides[i] * sides[j] == Sign::Negative {
                let crossing = self.crossing(*corner, ring[j], corners);
                parts.iter_mut().for_each(|p| p.push(crossing));
            }
        }
        parts
    }

    fn crossing(&mut self, a: u32, b: u32, corners: &mut Corners) -> u32 {
        let key = [a.min(b), a.max(b)];
        if let Some(known) = self.crossings.get(&key) {
            return *known;
        }
        let (low, high) = if sign(&self.heights[&a]) == Sign::Negative { (a, b) } else { (b, a) };
        let point = Point::crossing(
            corners.get(low),
            corners.get(high),
            &self.heights[&low],
            &self.heights[&high],
        );
        let new = corners.add(point);
        self.heights.insert(new, BigInt::ZERO);
        self.crossings.insert(key, new);
        new
    }
}

impl Cell {
    /// The box between two corners of the unit's grid; `planes` takes the planes of its faces.
    pub(super) fn cuboid(
        low: &[BigInt; 3],
        high: &[BigInt; 3],
        planes: &mut Vec<Plane>,
        corners: &mut Corners,
    ) -> Self {
        let ids: Vec<u32> = (0..8_u32).map_to_vec(|i| {
            let pick = |a: usize| if i >> a & 1 == 1 { &high[a] } else { &low[a] }.clone();
            corners.add(Point { x: [pick(0), pick(1), pick(2)], w: BigInt::from(1) })
        });
        let loops: [[usize; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let faces = loops.iter().enumerate().map(|(f, ring)| {
            let (axis, below) = (f / 2, f % 2 == 1);
            let at = if below { &high[axis] } else { &low[axis] };
            planes.push(Plane::level(axis, at.clone()));
            let corners = ring.map_to_vec(|i| ids[*i]);
            Face { plane: (planes.len() - 1) as u32, below, corners }
        });
        Self { faces: faces.collect() }
    }

    /// The parts of the cell below and above a plane, each if it has an inside.
    pub(super) fn cut(
        &self,
        number: u32,
        cutter: &mut Cutter<'_>,
        corners: &mut Corners,
    ) -> [Option<Self>; 2] {
        let (mut below, mut above) = (false, false);
        for corner in self.faces.iter().flat_map(|f| &f.corners) {
            match cutter.side(*corner, corners) {
                Sign::Negative => below = true,
                Sign::Positive => above = true,
                Sign::Zero => {}
            }
        }
        match (below, above) {
            (true, false) => return [Some(self.clone()), None],
            (false, _) => return [None, Some(self.clone())],
            _ => {}
        }
        let mut parts = [Vec::new(), Vec::new()];
        for face in &self.faces {
            let rings = cutter.cut(&face.corners, corners);
            for (part, ring) in parts.iter_mut().zip(rings) {
                if ring.len() >= 3 {
                    part.push(Face { corners: ring, ..*face });
                }
            }
        }
        let mut below = true;
        parts.map_each(|mut faces| {
            // Every face next to the cut has one edge in it; these edges, reversed, bound the new
            // face.
            let mut next = Vec::new();
            for face in &faces {
                let n = face.corners.len();
                for i in 0..n {
                    let (a, b) = (face.corners[i], face.corners[(i + 1) % n]);
                    let on = |c: u32, cutter: &mut Cutter<'_>| cutter.side(c, corners).is_zero();
                    if on(a, cutter) && on(b, cutter) {
                        next.push((b, a));
                    }
                }
            }
            next.sort_unstable_by_key(sort_key);
            let mut ring: Vec<u32> = Vec::with_capacity(next.len());
            let mut at = next.first().map(|(corner, _)| *corner);
            while let Some(corner) = at.filter(|c| Some(c) != ring.first()) {
                let edge = next.binary_search_by_key(&corner, |(b, _)| *b);
                at = edge.ok().map(|i| next[i].1).filter(|_| ring.len() < next.len());
                if at.is_some() {
                    ring.push(corner);
                }
            }
            debug_assert!(ring.len() == next.len() && ring.len() >= 3, "the cut is one loop");
            faces.push(Face { plane: number, below, corners: ring });
            below = false;
            Some(Self { faces })
        })
    }

    /// The indices of all corners, ascending.
    pub(super) fn corners(&self) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::new();
        for face in &self.faces {
            all.extend_from_slice(&face.corners);
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}
