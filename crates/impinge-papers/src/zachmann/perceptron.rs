//! Search for a plane that separates two hulls, by the perceptron rule of Zachmann 1994, section
//! 3.4.2.
//!
//! A plane is a vector `w` of four numbers. Each vertex of A becomes a vector `z = (p, -1)`, each
//! vertex of B `z = (-q, 1)`. A plane separates the bodies if all `z` are in front of it, `w . z >
//! 0`. The algorithm cycles through the vertices. Each vertex behind the plane turns the plane: `w
//! += eta z`. If the bodies are separated, fewer than `1 / D^2` turns are needed, where `D` is the
//! distance of the vectors `z` from the best plane (equation 3.3). Otherwise the iteration does not
//! end, so it has a limit.
//!
//! Vertices are translated to a common middle and scaled first, so that all `z` have lengths up to
//! one, as the proof of the bound assumes. `eta` refers to the scaled vectors.
//!
//! **Certainty.** A plane that is found is verified, rounding included, so "separated" is certain.
//! "Colliding" only means that the limit was reached: [`Bias::TowardsCollision`].
//!
//! **Not implemented.** The thesis suggests to use only vertices in the intersection of the two
//! bodies' boxes. That would be correct for all points of the bodies, but is wrong for vertices:
//! two crossed bars have none there.

use impinge::convex::Hull;
use impinge::internals::decide::SeparationCertificate;
use impinge::math::{Aabb, Pose, Vec3};
use impinge::pair::Bias;
use impinge::{Error, ErrorKind};

/// The step by which a vertex on the wrong side turns the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Learning {
    /// A step of `eta`, which is multiplied by `relaxation` after each turn.
    Relaxed {
        /// The first step. Positive.
        eta: f64,
        /// The factor. Positive, at most one; one means no relaxation. In the thesis 0.97 was best
        /// for few iterations, and one for many.
        relaxation: f64,
    },
    /// A step equal to the violation, measured by the cosine of the angle between plane and vertex
    /// vector.
    Adaptive,
}

/// The first plane of a pair without a cached plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FirstPlane {
    /// Perpendicular to the x axis: the trivial plane of the thesis, `w = (1, 0, 0, 0)`.
    Axis,
    /// The bisector plane of the means of the vertices.
    Centroids,
    /// The bisector plane of the centres of the boxes.
    Boxes,
}

/// Options of the search for a plane. Validated by [`Options::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    learning: Learning,
    first: FirstPlane,
    max_iterations: u32,
}

impl Options {
    /// At most 1000 turns with `eta` 0.007, starting with the plane between the boxes: the most
    /// reliable setting of the thesis.
    pub const THESIS: Self = Self {
        learning: Learning::Relaxed { eta: 0.007, relaxation: 1.0 },
        first: FirstPlane::Boxes,
        max_iterations: 1000,
    };

    /// Creates options. An iteration is one turn of the plane.
    ///
    /// # Errors
    /// If `eta` or `relaxation` is out of range.
    pub fn new(learning: Learning, first: FirstPlane, max_iterations: u32) -> Result<Self, Error> {
        if let Learning::Relaxed { eta, relaxation } = learning {
            let is_step = eta > 0.0 && eta.is_finite();
            let is_factor = relaxation > 0.0 && relaxation <= 1.0;
            if !is_step || !is_factor {
                return Err(Error::new(
                    ErrorKind::BadParameter,
                    format!(
                        "a perceptron has eta {eta} and relaxation {relaxation}: eta must be positive and finite, relaxation above 0 and at most 1"
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

/// The last plane of the last query of a pair, in A's frame. The caller keeps one per pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerceptronCache {
    /// The plane `normal . x = offset`.
    plane: Option<(Vec3, f64)>,
}

impl PerceptronCache {
    /// The plane `normal . x = offset`. If it separates the bodies, A is in front of it.
    #[must_use]
    pub fn plane(&self) -> Option<(Vec3, f64)> {
        self.plane
    }

    /// Empties the cache.
    pub fn clear(&mut self) {
        self.plane = None;
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerceptronOutput {
    /// Whether the result is "collision": no plane was found within the limit.
    pub collision: bool,
    /// The result that can be wrong.
    pub bias: Bias,
    /// The proof, if the result is "no collision".
    pub separation: Option<SeparationCertificate>,
    /// The number of turns of the plane.
    pub iterations: u32,
    /// The number of vertices evaluated.
    pub vertices_evaluated: u64,
}

impl PerceptronOutput {
    /// Whether the result is certain, in spite of the bias.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.collision == (self.bias == Bias::TowardsNoCollision)
    }
}

/// Searches for a plane between two hulls, with B at `pose` in A's frame.
///
/// ```
/// use impinge::{Pose, Vec3};
/// use impinge::convex::Hull;
/// use impinge_papers::zachmann::perceptron::{PerceptronCache, Options, separate};
///
/// let hull = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let mut cache = PerceptronCache::default();
/// let pose = Pose::from_translation([1.5, 0.5, 0.0])?;
/// let output = separate(&hull, &hull, &pose, Options::THESIS, &mut cache);
/// assert!(!output.collision && output.is_certain());
/// // The plane is still good in the next frame, after one pass over the vertices.
/// let pose = Pose::from_translation([1.49, 0.5, 0.0])?;
/// assert_eq!(separate(&hull, &hull, &pose, Options::THESIS, &mut cache).iterations, 0);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn separate(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    options: Options,
    cache: &mut PerceptronCache,
) -> PerceptronOutput {
    let mut perceptron = Perceptron::new(a, b, pose, options, cache);
    loop {
        if let Some(output) = perceptron.step() {
            perceptron.store_plane(cache);
            return output;
        }
    }
}

/// A search that is advanced turn by turn.
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
    vertices_evaluated: u64,
}

impl<'h> Perceptron<'h> {
    /// Moves B and starts with the cached plane, or with the first plane of the options.
    #[must_use]
    pub fn new(
        a: &'h Hull,
        b: &Hull,
        pose: &Pose,
        options: Options,
        cache: &PerceptronCache,
    ) -> Self {
        let moved: Vec<Vec3> = b.vertices().iter().map(|v| pose.transform_point(*v)).collect();
        let boxes = [a.vertices(), &moved].map(|p| Aabb::from_points(p.iter().copied()));
        let both = boxes[0].union(&boxes[1]);
        let middle = both.center();
        // The distance of the furthest corner, so that no vector is longer than one. A single point
        // has any scale.
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
            vertices_evaluated: 0,
        };
        this.first_plane(boxes, cache);
        this
    }

    fn first_plane(&mut self, boxes: [Aabb; 2], cache: &PerceptronCache) {
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
        // The normal points from B to A, because A must be in front.
        if let Some(normal) = (p - q).try_normalize() {
            self.normal = normal;
            self.offset = normal.dot((p + q) * 0.5);
        }
    }

    /// Evaluates vertices until one turns the plane, or until all have been evaluated since the
    /// last turn. `Some` ends the search.
    pub fn step(&mut self) -> Option<PerceptronOutput> {
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
            self.vertices_evaluated += 1;
            let z = (point - self.middle) * (self.scale * side * VECTOR_SCALE);
            let product = self.normal.dot(z) - self.offset * side * VECTOR_SCALE;
            // Not `<= 0`, because NaN counts as behind.
            let is_in_front = product > 0.0;
            if !is_in_front {
                if self.options.max_iterations == 0 {
                    return Some(self.output(None));
                }
                self.turn(z, side * VECTOR_SCALE, product);
                return None;
            }
        }
        // B is behind the plane.
        match SeparationCertificate::along(
            -self.normal.normalize_or_zero(),
            self.a.vertices(),
            &self.moved,
        ) {
            Some(gap) => Some(self.output(Some(gap))),
            // All vertices are in front only up to rounding, so the plane is no proof.
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
                // A vertex exactly on the plane must turn it, too.
                (-product / (w * length)).max(MIN_STEP)
            }
        };
        self.normal += z * step;
        self.offset -= side * step;
        self.iterations += 1;
    }

    /// Stores the plane for the next frame.
    pub fn store_plane(&self, cache: &mut PerceptronCache) {
        let length = self.normal.length();
        if length > 0.0 && length.is_finite() {
            let normal = self.normal / length;
            let offset = self.offset / length / self.scale + normal.dot(self.middle);
            cache.plane = offset.is_finite().then_some((normal, offset));
        }
    }

    fn output(&self, separation: Option<SeparationCertificate>) -> PerceptronOutput {
        PerceptronOutput {
            collision: separation.is_none(),
            bias: Bias::TowardsCollision,
            separation,
            iterations: self.iterations,
            vertices_evaluated: self.vertices_evaluated,
        }
    }
}

/// Scales the vectors `(p, -1)` with `|p| <= 1` to a length of at most one.
const VECTOR_SCALE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The minimum step of [`Learning::Adaptive`]: a vertex exactly on the plane must turn it, too.
const MIN_STEP: f64 = 1e-3;

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

    /// Equation 3.3: the number of turns is at most one over the square of the best plane's
    /// distance.
    #[test]
    fn turns_are_bounded_by_the_gap() {
        let cube: Vec<Vec3> = (0..8_u32)
            .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5)
            .collect();
        let cube = Hull::new(&cube).unwrap();
        for gap in [0.5, 0.2, 0.1, 0.05] {
            let pose = Pose::from_translation([0.0, 0.0, 1.0 + gap]).unwrap();
            // Start with `w = 0`, as the proof does, with steps of one.
            let learning = Learning::Relaxed { eta: 1.0, relaxation: 1.0 };
            let options = Options::new(learning, FirstPlane::Axis, 100_000).unwrap();
            let mut perceptron =
                Perceptron::new(&cube, &cube, &pose, options, &PerceptronCache::default());
            perceptron.normal = Vec3::ZERO;
            let output = loop {
                if let Some(output) = perceptron.step() {
                    break output;
                }
            };
            assert!(output.separation.is_some());
            // The best plane lies in the middle of the gap.
            let d = gap * 0.5 * perceptron.scale * VECTOR_SCALE;
            assert!(f64::from(output.iterations) < 1.0 / (d * d), "{gap} {}", output.iterations);
        }
    }

    /// Two crossed bars have no vertex in the intersection of their boxes, where the thesis would
    /// search.
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
        let output =
            separate(&bar, &bar, &across, Options::THESIS, &mut PerceptronCache::default());
        assert!(output.collision && !output.is_certain() && output.iterations == 1000);
    }

    #[test]
    fn the_limit_holds_and_zero_means_one_pass() {
        let tetrahedron = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap();
        for (max, apart) in [(0, false), (0, true), (7, false)] {
            let options = Options::new(Learning::Adaptive, FirstPlane::Boxes, max).unwrap();
            let pose = Pose::from_translation([if apart { 3.0 } else { 0.1 }, 0.0, 0.0]).unwrap();
            let output = separate(
                &tetrahedron,
                &tetrahedron,
                &pose,
                options,
                &mut PerceptronCache::default(),
            );
            assert_eq!(output.collision, !apart);
            assert!(output.iterations <= max);
        }
    }
}
