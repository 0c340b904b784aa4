//! Do two hulls lie on different sides of a plane? The perceptron rule of Zachmann 1994, section
//! 3.4.2.
//!
//! A plane is a vector `w` of four numbers. Each vertex of A becomes `(p, -1)`, each of B
//! `(-q, 1)`; a plane separates the bodies if it is in front of all of these vectors `z`. Going
//! round the vertices, each one behind the plane turns it: `w += eta z`. If the bodies are apart,
//! fewer than `1 / D^2` turns do, where `D` is how well the best plane separates them (equation
//! 3.3); if they are not, it would turn for ever, so there is a limit.
//!
//! Vertices are brought to a common middle and size first, so that all `z` have lengths up to one,
//! as the proof of the bound assumes; `eta` is in this unit.
//!
//! **Which way it can be wrong.** A plane that is found is verified, rounding included, so
//! "separated" is certain. "Colliding" only says that the limit was reached:
//! [`Bias::TowardsCollision`].
//!
//! **Left out.** The thesis suggests to look only at vertices within the common part of both
//! bodies' boxes. For vertices, unlike for all points, that is wrong: two crossed bars have none
//! there.

use impinge::convex::Hull;
use impinge::internals::decide::Gap;
use impinge::math::{Aabb, Pose, Vec3};
use impinge::pair::Bias;
use impinge::{Error, ErrorKind};

/// How far a vertex on the wrong side turns the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Learning {
    /// By `eta`, which is multiplied by `relaxation` after each turn.
    Relaxed {
        /// The first step. Positive.
        eta: f64,
        /// The factor. Positive, at most one; one is no relaxation. The thesis found 0.97 best for
        /// few iterations, and one for many.
        relaxation: f64,
    },
    /// By how far the vertex is on the wrong side: the cosine between plane and vertex.
    Adaptive,
}

/// The first plane of a pair, where none is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FirstPlane {
    /// Across the x axis: the thesis' trivial one, `w = (1, 0, 0, 0)`.
    Axis,
    /// Half-way between the means of the vertices, across the line through them.
    Centroids,
    /// The same between the middles of the boxes.
    Boxes,
}

/// How to look for a plane. Checked by [`Options::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    learning: Learning,
    first: FirstPlane,
    max_iterations: u32,
}

impl Options {
    /// At most 1000 turns of 0.007 from a plane between the boxes: the thesis' most reliable
    /// setting.
    pub const THESIS: Self = Self {
        learning: Learning::Relaxed { eta: 0.007, relaxation: 1.0 },
        first: FirstPlane::Boxes,
        max_iterations: 1000,
    };

    /// These options, where an iteration is one turn of the plane.
    ///
    /// # Errors
    /// If `eta` or `relaxation` makes no sense.
    pub fn new(learning: Learning, first: FirstPlane, max_iterations: u32) -> Result<Self, Error> {
        if let Learning::Relaxed { eta, relaxation } = learning {
            let is_step = eta > 0.0 && eta.is_finite();
            let is_factor = relaxation > 0.0 && relaxation <= 1.0;
            if !is_step || !is_factor {
                return Err(Error::new(
                    ErrorKind::BadParameter,
                    format!(
                        "a perceptron with eta {eta} and relaxation {relaxation}; eta must be positive, relaxation above 0 and at most 1"
                    ),
                ));
            }
        }
        Ok(Self { learning, first, max_iterations })
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::THESIS
    }
}

/// The plane that the last query of a pair ended up with, in A's frame; one per pair, kept by the
/// caller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cache {
    /// The plane `normal . x = offset`.
    plane: Option<(Vec3, f64)>,
}

impl Cache {
    /// The plane `normal . x = offset`, with A in front of it if it separates.
    #[must_use]
    pub fn plane(&self) -> Option<(Vec3, f64)> {
        self.plane
    }

    /// Forgets.
    pub fn clear(&mut self) {
        self.plane = None;
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Output {
    /// Whether it says "collision": no plane was found within the limit.
    pub collision: bool,
    /// Which way that can be wrong.
    pub bias: Bias,
    /// The proof, if it says "no collision".
    pub separation: Option<Gap>,
    /// How often the plane was turned.
    pub iterations: u32,
    /// How many vertices were looked at.
    pub looked_at: u64,
}

impl Output {
    /// Whether the answer is certain, in spite of the bias.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.collision == (self.bias == Bias::TowardsNoCollision)
    }
}

/// Looks for a plane between two hulls, B at `pose` in A's frame.
///
/// ```
/// use impinge::{Pose, Vec3};
/// use impinge::convex::Hull;
/// use impinge_papers::zachmann::perceptron::{Cache, Options, separate};
///
/// let hull = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let mut cache = Cache::default();
/// let pose = Pose::from_translation([1.5, 0.5, 0.0])?;
/// let output = separate(&hull, &hull, &pose, Options::THESIS, &mut cache);
/// assert!(!output.collision && output.is_certain());
/// // The plane is still good in the next frame, after one pass over the vertices.
/// let pose = Pose::from_translation([1.49, 0.5, 0.0])?;
/// assert_eq!(separate(&hull, &hull, &pose, Options::THESIS, &mut cache).iterations, 0);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn separate(a: &Hull, b: &Hull, pose: &Pose, options: Options, cache: &mut Cache) -> Output {
    let mut perceptron = Perceptron::new(a, b, pose, options, cache);
    loop {
        if let Some(output) = perceptron.step() {
            perceptron.keep(cache);
            return output;
        }
    }
}

/// A query in progress, turn by turn.
#[derive(Debug)]
pub struct Perceptron<'h> {
    a: &'h Hull,
    moved: Vec<Vec3>,
    middle: Vec3,
    scale: f64,
    options: Options,
    eta: f64,
    normal: Vec3,
    offset: f64,
    at: usize,
    iterations: u32,
    looked_at: u64,
}

impl<'h> Perceptron<'h> {
    /// Moves B and begins with the cached plane, or with the first one of the options.
    #[must_use]
    pub fn new(a: &'h Hull, b: &Hull, pose: &Pose, options: Options, cache: &Cache) -> Self {
        let moved: Vec<Vec3> = b.vertices().iter().map(|v| pose.transform_point(*v)).collect();
        let boxes = [a.vertices(), &moved].map(|p| Aabb::from_points(p.iter().copied()));
        let both = boxes[0].union(&boxes[1]);
        let middle = both.center();
        // The furthest corner, so that no vector is longer than one; a single point has any scale.
        let radius = (both.extent() * 0.5).length();
        let scale = if radius > f64::MIN_POSITIVE { radius.recip() } else { 1.0 };
        let eta = match options.learning {
            Learning::Relaxed { eta, .. } => eta,
            Learning::Adaptive => 0.0,
        };
        let mut this = Self {
            a,
            moved,
            middle,
            scale,
            options,
            eta,
            normal: Vec3::X,
            offset: 0.0,
            at: 0,
            iterations: 0,
            looked_at: 0,
        };
        this.first_plane(boxes, cache);
        this
    }

    fn first_plane(&mut self, boxes: [Aabb; 2], cache: &Cache) {
        if let Some((normal, offset)) = cache.plane {
            self.normal = normal;
            self.offset = (offset - normal.dot(self.middle)) * self.scale;
            return;
        }
        let ends = match self.options.first {
            FirstPlane::Axis => return,
            FirstPlane::Boxes => boxes.map(|b| b.center()),
            FirstPlane::Centroids => [self.a.vertices(), &self.moved]
                .map(|points| points.iter().map(|p| *p / points.len() as f64).sum()),
        };
        let [p, q] = ends.map(|c: Vec3| (c - self.middle) * self.scale);
        // From B to A, because A is to be in front.
        if let Some(normal) = (p - q).try_normalize() {
            self.normal = normal;
            self.offset = normal.dot((p + q) * 0.5);
        }
    }

    /// Looks on from vertex to vertex until one turns the plane or all have been looked at since
    /// the last turn; an output ends the query.
    pub fn step(&mut self) -> Option<Output> {
        if self.iterations >= self.options.max_iterations && self.options.max_iterations > 0 {
            return Some(self.output(None));
        }
        let split = self.a.vertices().len();
        let count = split + self.moved.len();
        for _ in 0..count {
            let (point, side) = if self.at < split {
                (self.a.vertices()[self.at], 1.0)
            } else {
                (self.moved[self.at - split], -1.0)
            };
            self.at = (self.at + 1) % count;
            self.looked_at += 1;
            let z = (point - self.middle) * (self.scale * side * HALF_ROOT);
            let product = self.normal.dot(z) - self.offset * side * HALF_ROOT;
            // Not `<= 0`: what is not a number is behind, too.
            let is_in_front = product > 0.0;
            if !is_in_front {
                if self.options.max_iterations == 0 {
                    return Some(self.output(None));
                }
                self.turn(z, side * HALF_ROOT, product);
                return None;
            }
        }
        // The plane's far side is where B is.
        match Gap::along(-self.normal.normalize_or_zero(), self.a.vertices(), &self.moved) {
            Some(gap) => Some(self.output(Some(gap))),
            // In front of all only to rounding: no plane that this method can name.
            None => Some(self.output(None)),
        }
    }

    fn turn(&mut self, z: Vec3, side: f64, product: f64) {
        let step = match self.options.learning {
            Learning::Relaxed { relaxation, .. } => {
                let eta = self.eta;
                self.eta *= relaxation;
                eta
            }
            Learning::Adaptive => {
                let w = (self.normal.length_squared() + self.offset * self.offset).sqrt();
                let length = (z.length_squared() + side * side).sqrt();
                // A vertex just on the plane turns it a little, too.
                (-product / (w * length)).max(LEAST_STEP)
            }
        };
        self.normal += z * step;
        self.offset -= side * step;
        self.iterations += 1;
    }

    /// Leaves the plane for the next frame.
    pub fn keep(&self, cache: &mut Cache) {
        let length = self.normal.length();
        if length > 0.0 && length.is_finite() {
            let normal = self.normal / length;
            let offset = self.offset / length / self.scale + normal.dot(self.middle);
            cache.plane = offset.is_finite().then_some((normal, offset));
        }
    }

    fn output(&self, separation: Option<Gap>) -> Output {
        Output {
            collision: separation.is_none(),
            bias: Bias::TowardsCollision,
            separation,
            iterations: self.iterations,
            looked_at: self.looked_at,
        }
    }
}

/// Vectors `(p, -1)` with `|p| <= 1` are shortened to at most one.
const HALF_ROOT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The least step of [`Learning::Adaptive`]: a vertex exactly on the plane must turn it, too.
const LEAST_STEP: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        let with = |eta, relaxation| {
            Options::new(Learning::Relaxed { eta, relaxation }, FirstPlane::Axis, 10)
        };
        assert!(with(0.1, 0.97).is_ok());
        for (eta, relaxation) in [
            (0.0, 1.0),
            (f64::NAN, 1.0),
            (f64::INFINITY, 1.0),
            (0.1, 0.0),
            (0.1, 1.1),
            (0.1, f64::NAN),
        ] {
            assert_eq!(with(eta, relaxation).unwrap_err().kind(), ErrorKind::BadParameter);
        }
    }

    /// Equation 3.3: no more turns than one over the square of the best plane's distance.
    #[test]
    fn turns_are_bounded_by_the_gap() {
        let cube: Vec<Vec3> = (0..8_u32)
            .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5)
            .collect();
        let cube = Hull::new(&cube).unwrap();
        for gap in [0.5, 0.2, 0.1, 0.05] {
            let pose = Pose::from_translation([0.0, 0.0, 1.0 + gap]).unwrap();
            // From a plane that is no plane at all, as the proof does, with steps of one.
            let learning = Learning::Relaxed { eta: 1.0, relaxation: 1.0 };
            let options = Options::new(learning, FirstPlane::Axis, 100_000).unwrap();
            let mut perceptron = Perceptron::new(&cube, &cube, &pose, options, &Cache::default());
            perceptron.normal = Vec3::ZERO;
            let output = loop {
                if let Some(output) = perceptron.step() {
                    break output;
                }
            };
            assert!(output.separation.is_some());
            // The best plane lies in the middle of the gap.
            let d = gap * 0.5 * perceptron.scale * HALF_ROOT;
            assert!(f64::from(output.iterations) < 1.0 / (d * d), "{gap} {}", output.iterations);
        }
    }

    /// Two crossed bars have no vertex in the common part of their boxes, where the thesis would
    /// look.
    #[test]
    fn crossed_bars_are_not_separated() {
        let bar: Vec<Vec3> = (0..8_u32)
            .map(|i| {
                Vec3::new(
                    f64::from(i & 1) * 8.0 - 4.0,
                    f64::from(i >> 1 & 1) - 0.5,
                    f64::from(i >> 2) - 0.5,
                )
            })
            .collect();
        let bar = Hull::new(&bar).unwrap();
        let across = Pose::from_quaternion([0.0, 0.0, 1.0, 1.0], Vec3::ZERO).unwrap();
        let moved: Vec<Vec3> = bar.vertices().iter().map(|v| across.transform_point(*v)).collect();
        let boxes = [bar.vertices(), &moved].map(|p| Aabb::from_points(p.iter().copied()));
        let common = boxes[0].intersection(&boxes[1]);
        assert!(!bar.vertices().iter().chain(&moved).any(|v| common.contains(*v)));
        let output = separate(&bar, &bar, &across, Options::THESIS, &mut Cache::default());
        assert!(output.collision && !output.is_certain() && output.iterations == 1000);
    }

    #[test]
    fn no_limit_is_passed_and_zero_means_one_look() {
        let tetrahedron = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap();
        for (max, apart) in [(0, false), (0, true), (7, false)] {
            let options = Options::new(Learning::Adaptive, FirstPlane::Boxes, max).unwrap();
            let pose = Pose::from_translation([if apart { 3.0 } else { 0.1 }, 0.0, 0.0]).unwrap();
            let output =
                separate(&tetrahedron, &tetrahedron, &pose, options, &mut Cache::default());
            assert_eq!(output.collision, !apart);
            assert!(output.iterations <= max);
        }
    }
}
