//! The subdivision method (section V.B.2): cells of space and time, divided like an octree in four
//! dimensions until few faces are left in a cell.

use impinge::motion::{Linear, SpaceTimeBound};

use super::figure_8::Crossing;
use super::lines::{Meeting, Start};
use super::{Best, Counts, Earliest, Planes};

/// Cells are not divided further at this depth: faces that touch share all cells of a point. The
/// paper does not name a limit.
const MAX_DEPTH: u32 = 6;

/// The earliest intersection among the bounds from the time `from` on, by subdivision. Cells with
/// at most `leaf_faces` faces (`n_b` in the paper) are not divided further.
///
/// # Panics
/// If a bound does not hold yet at `from`.
#[must_use]
pub fn by_subdivision(
    bounds: &[SpaceTimeBound],
    from: f64,
    leaf_faces: usize,
    planes: Planes,
    counts: &mut Counts,
) -> Option<Earliest> {
    let (best, starts) = Best::begin(bounds, from, planes, counts)?;
    let faces: Vec<Face> = (0..starts.len())
        .flat_map(|bound| {
            (0..6).map(move |n| Face { bound: bound as u32, axis: n / 2, side: n % 2 })
        })
        .collect();
    let mut root =
        Cell { space: [[f64::INFINITY, f64::NEG_INFINITY]; 3], time: [0.0, best.until - from] };
    for start in &starts {
        for k in 0..3 {
            let low = range(start.min[k], root.time)[0];
            let high = range(start.max[k], root.time)[1];
            root.space[k] = [root.space[k][0].min(low), root.space[k][1].max(high)];
        }
    }
    let mut search = Search { starts: &starts, leaf_faces, best, counts };
    search.visit(&root, &faces, 0);
    search.best.found
}

/// A face of a box.
#[derive(Clone, Copy, Debug)]
struct Face {
    bound: u32,
    axis: u8,
    side: u8,
}

/// A box of space and time. Times are those since the start.
#[derive(Clone, Copy, Debug)]
struct Cell {
    space: [[f64; 2]; 3],
    time: [f64; 2],
}

/// The values of a line during some time, enlarged by more than rounding.
fn range(line: Linear, time: [f64; 2]) -> [f64; 2] {
    let [a, b] = time.map(|after| line.base + line.rate * after);
    let error = 1e-14 * (line.base.abs() + line.rate.abs() * time[1]);
    [a.min(b) - error, a.max(b) + error]
}

struct Search<'a, 'c> {
    starts: &'a [Start],
    leaf_faces: usize,
    best: Best<'a>,
    counts: &'c mut Counts,
}

impl Search<'_, '_> {
    /// Searches a cell in which these faces are.
    fn visit(&mut self, cell: &Cell, faces: &[Face], depth: u32) {
        let begins = self.best.from + cell.time[0] * (1.0 - 1e-14);
        let is_one_box = faces.iter().all(|face| face.bound == faces[0].bound);
        if begins > self.best.limit() || is_one_box {
            return;
        }
        self.counts.cells += 1;
        if faces.len() <= self.leaf_faces || depth == MAX_DEPTH {
            self.compare(faces);
            return;
        }
        let halves = |[low, high]: [f64; 2]| {
            let middle = 0.5 * low + 0.5 * high;
            [[low, middle], [middle, high]]
        };
        let (times, space) = (halves(cell.time), cell.space.map(halves));
        for time in times {
            for octant in 0..8 {
                let child = Cell { space: [0, 1, 2].map(|k| space[k][octant >> k & 1]), time };
                let inside: Vec<Face> =
                    faces.iter().copied().filter(|face| self.is_in(face, &child)).collect();
                self.visit(&child, &inside, depth + 1);
            }
        }
    }

    /// Whether a face may have points in a cell.
    fn is_in(&self, face: &Face, cell: &Cell) -> bool {
        let start = &self.starts[face.bound as usize];
        (0..3).all(|k| {
            let [low, high] = if k == usize::from(face.axis) {
                range(start.face(k, usize::from(face.side)), cell.time)
            } else {
                [range(start.min[k], cell.time)[0], range(start.max[k], cell.time)[1]]
            };
            low <= cell.space[k][1] && cell.space[k][0] <= high
        })
    }

    /// Compares all pairs of faces that are normal to the same axis.
    fn compare(&mut self, faces: &[Face]) {
        for (n, first) in faces.iter().enumerate() {
            for second in &faces[n + 1..] {
                if first.bound != second.bound && first.axis == second.axis {
                    self.compare_faces(*first, *second);
                }
            }
        }
    }

    fn compare_faces(&mut self, first: Face, second: Face) {
        self.counts.crossings += 1;
        let axis = usize::from(first.axis);
        let line = |face: Face| self.starts[face.bound as usize].face(axis, usize::from(face.side));
        let (a, b) = (line(first), line(second));
        let meeting = if a.base <= b.base { Meeting::new(a, b) } else { Meeting::new(b, a) };
        let Some(meeting) = meeting else { return };
        let after = meeting.after();
        if self.best.from + after * (1.0 - 1e-14) > self.best.limit() {
            return;
        }
        let pair = [first.bound as usize, second.bound as usize];
        if self.starts[pair[0]].squares_overlap(&self.starts[pair[1]], axis, after) {
            self.counts.faces += 1;
            let sides = [first, second].map(|face| usize::from(face.side));
            self.best.try_faces(&Crossing { axis, sides, after }, pair);
        }
    }
}
