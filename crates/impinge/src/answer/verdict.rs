//! Whether two bodies share a point.

use std::fmt;

/// Whether two bodies share a point, with the evidence.
///
/// The parameters are the evidence of each verdict; the [module](super) lists them. With
/// `U =` [`Never`] the query always decides, and a `match` on a value (not behind a reference) has
/// two arms:
///
/// ```
/// use impinge::{Pose, Verdict, shapes};
///
/// let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
/// let away = Pose::from_translation([0.0, 3.0, 0.0])?;
/// match impinge::intersects(&cube, &cube, &away) {
///     Verdict::Separated(proof) => println!("free: {proof}"),
///     Verdict::Intersecting(hit) => println!("they share the point {}", hit.point),
/// }
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict<S, W, U = Never> {
    /// They share no point, with the evidence.
    Separated(S),
    /// They share a point, with the evidence.
    Intersecting(W),
    /// The query did not decide, with the known bounds.
    Undecided(U),
}

/// The evidence of a verdict that does not occur: it has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Never {}

impl<S, W, U> Verdict<S, W, U> {
    /// Whether the bodies certainly share no point.
    #[must_use]
    pub fn is_separated(&self) -> bool {
        matches!(self, Self::Separated(_))
    }

    /// Whether the bodies certainly share a point.
    #[must_use]
    pub fn is_intersecting(&self) -> bool {
        matches!(self, Self::Intersecting(_))
    }

    /// Whether the query did not decide.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        matches!(self, Self::Undecided(_))
    }

    /// The evidence that they share no point, if that is the verdict.
    #[must_use]
    pub fn separated(self) -> Option<S> {
        match self {
            Self::Separated(evidence) => Some(evidence),
            Self::Intersecting(_) | Self::Undecided(_) => None,
        }
    }

    /// The evidence that they share a point, if that is the verdict.
    #[must_use]
    pub fn intersecting(self) -> Option<W> {
        match self {
            Self::Intersecting(evidence) => Some(evidence),
            Self::Separated(_) | Self::Undecided(_) => None,
        }
    }

    /// The same verdict, of a type that is always decided; `None` if the query did not decide.
    #[must_use]
    pub fn decided(self) -> Option<Verdict<S, W>> {
        match self {
            Self::Separated(evidence) => Some(Verdict::Separated(evidence)),
            Self::Intersecting(evidence) => Some(Verdict::Intersecting(evidence)),
            Self::Undecided(_) => None,
        }
    }

    /// The known bounds, if the query did not decide.
    #[must_use]
    pub fn undecided(self) -> Option<U> {
        match self {
            Self::Undecided(known) => Some(known),
            Self::Separated(_) | Self::Intersecting(_) => None,
        }
    }
}

impl<S: fmt::Display, W: fmt::Display, U: fmt::Display> fmt::Display for Verdict<S, W, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Separated(evidence) => evidence.fmt(f),
            Self::Intersecting(evidence) => evidence.fmt(f),
            Self::Undecided(known) => write!(f, "undecided: {known}"),
        }
    }
}

impl fmt::Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_evidence_belongs_to_its_verdict() {
        type All = Verdict<u8, char, f64>;
        let of = |v: All| (v.separated(), v.intersecting(), v.undecided());
        assert_eq!(of(Verdict::Separated(1)), (Some(1), None, None));
        assert_eq!(of(Verdict::Intersecting('x')), (None, Some('x'), None));
        assert_eq!(of(Verdict::Undecided(0.5)), (None, None, Some(0.5)));
        assert_eq!(All::Separated(1).decided(), Some(Verdict::Separated(1)));
        assert_eq!(All::Intersecting('x').decided(), Some(Verdict::Intersecting('x')));
        assert_eq!(All::Undecided(0.5).decided(), None);
        assert_eq!(All::Undecided(0.5).to_string(), "undecided: 0.5");
    }

    #[test]
    fn a_verdict_without_undecided_is_as_small_as_a_result() {
        assert_eq!(size_of::<Verdict<u64, u64>>(), size_of::<Result<u64, u64>>());
        let decided: Verdict<u8, char> = Verdict::Separated(7);
        match decided {
            Verdict::Separated(n) => assert_eq!(n, 7),
            Verdict::Intersecting(_) => panic!("{decided:?}"),
        }
    }
}
