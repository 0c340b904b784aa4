//! Two faces that intersect, and the cutting planes of their bounds, as Figure 8 of the paper
//! treats them (sections V.C and V.D).
//!
//! It computes with plain numbers, without bounds of their rounding.

use impinge::Vec3;
use impinge::motion::{Linear, SpaceTimeBound};

/// Two faces normal to one axis that intersect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) axis: usize,
    /// Which face of each bound it is: 0 for the smaller one.
    pub(super) sides: [usize; 2],
    /// The time of the intersection since the start.
    pub(super) after: f64,
}

/// A half-space `normal . p <= limit`.
#[derive(Clone, Copy, Debug)]
struct HalfSpace {
    normal: Vec3,
    limit: Linear,
}

/// The value of a line after some time.
fn at(line: Linear, after: f64) -> f64 {
    line.base + line.rate * after
}

/// The time after the start, up to `until`, that the figure takes for the intersection of two
/// bounds whose faces intersect, if any.
pub(super) fn earliest(bounds: &[SpaceTimeBound; 2], faces: &Crossing, until: f64) -> Option<f64> {
    let planes = bounds.map(|bound| {
        bound.cutting_plane().map(|plane| HalfSpace { normal: plane.normal, limit: plane.limit })
    });
    let corners = rectangle(bounds, faces);
    let is_cut_off = planes.iter().flatten().any(|plane| {
        corners.iter().all(|corner| plane.normal.dot(*corner) > at(plane.limit, faces.after))
    });
    if !is_cut_off {
        return Some(faces.after);
    }
    let boxes = bounds.map(|bound| half_spaces(&bound));
    let all_of_boxes: Vec<HalfSpace> = boxes.concat();
    // The face of one bound against the plane of the other.
    let mut first: Option<f64> = None;
    for side in 0..2 {
        let Some(plane) = planes[1 - side] else { continue };
        let mut normal = Vec3::ZERO;
        normal[faces.axis] = 1.0;
        let [min, max] = bounds[side].faces()[faces.axis];
        let limit = if faces.sides[side] == 0 { min } else { max };
        let mut constraints = all_of_boxes.clone();
        constraints.extend(planes[side]);
        let face = HalfSpace { normal, limit };
        if let Some(time) = on_both(&face, &plane, &constraints, until) {
            first = Some(first.map_or(time, |first| first.min(time)));
        }
    }
    if first.is_some() {
        return first;
    }
    match planes {
        [Some(p), Some(q)] => on_both(&p, &q, &all_of_boxes, until),
        _ => None,
    }
}

/// The corners of the intersection of two faces.
fn rectangle(bounds: &[SpaceTimeBound; 2], faces: &Crossing) -> [Vec3; 4] {
    let side = |k: usize| {
        let [p, q] = bounds.map(|bound| bound.faces()[k]);
        let low = at(p[0], faces.after).max(at(q[0], faces.after));
        (low, at(p[1], faces.after).min(at(q[1], faces.after)))
    };
    let axis = faces.axis;
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let place = at(bounds[0].faces()[axis][faces.sides[0]], faces.after);
    [0, 1, 2, 3].map(|corner| {
        let mut p = Vec3::ZERO;
        p[axis] = place;
        p[j] = if corner & 1 == 0 { side(j).0 } else { side(j).1 };
        p[k] = if corner & 2 == 0 { side(k).0 } else { side(k).1 };
        p
    })
}

fn half_spaces(bound: &SpaceTimeBound) -> Vec<HalfSpace> {
    let faces = bound.faces();
    let pairs = (0..3).map(|k| {
        let mut normal = Vec3::ZERO;
        normal[k] = 1.0;
        let [min, max] = faces[k];
        let below = Linear { base: -min.base, rate: -min.rate };
        [HalfSpace { normal, limit: max }, HalfSpace { normal: -normal, limit: below }]
    });
    pairs.flatten().collect()
}

/// The earliest time of a common point of two planes within constraints: a linear program in time
/// and the position along the line in which the planes intersect.
fn on_both(p: &HalfSpace, q: &HalfSpace, constraints: &[HalfSpace], until: f64) -> Option<f64> {
    let along = p.normal.cross(q.normal);
    let size = along.length_squared();
    if size <= 1e-24 * p.normal.length_squared() * q.normal.length_squared() {
        return None;
    }
    // The point of the line that is nearest to the origin, for unit limits of each plane.
    let of_p = q.normal.cross(along) / size;
    let of_q = along.cross(p.normal) / size;
    let point = of_p * p.limit.base + of_q * q.limit.base;
    let velocity = of_p * p.limit.rate + of_q * q.limit.rate;
    // Each constraint is `k * along + rate * t <= room`.
    let (mut above, mut below) = (Vec::new(), Vec::new());
    let (mut low, mut high) = (0.0_f64, until);
    let mut require = |rate: f64, room: f64| {
        if rate > 0.0 {
            high = high.min(room / rate);
        } else if rate < 0.0 {
            low = low.max(room / rate);
        } else if room < 0.0 {
            high = f64::NEG_INFINITY;
        }
    };
    for half in constraints {
        let along = half.normal.dot(along);
        let rate = half.normal.dot(velocity) - half.limit.rate;
        let room = half.limit.base - half.normal.dot(point);
        let scale = half.normal.length() * size.sqrt();
        if along > 1e-12 * scale {
            above.push((rate / along, room / along));
        } else if along < -1e-12 * scale {
            below.push((rate / -along, room / -along));
        } else {
            // The planes' own half-spaces hold on the line up to rounding.
            let slack = 1e-12 * (half.limit.base.abs() + half.normal.length() * point.length());
            require(rate, room + slack);
        }
    }
    for (rate, room) in &above {
        for (other_rate, other_room) in &below {
            require(rate + other_rate, room + other_room);
        }
    }
    (low <= high).then_some(low)
}
