//! The error type of this crate.

use std::fmt;

/// The error of constructors, files and queries.
///
/// The message states what is wrong, where (file, line, vertex, polygon) and what to do about it.
/// Match on [`Error::kind`] to handle a particular cause.
///
/// ```
/// use impinge::{ErrorKind, Pose};
///
/// let error = Pose::from_translation([f64::NAN, 0.0, 0.0]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NotFinite);
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The cause of an [`Error`], for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A number is NaN or infinite.
    NotFinite,
    /// A number is finite but outside the range in which verdicts are exact,
    /// [`MAX_COORDINATE`](crate::math::MAX_COORDINATE).
    OutOfRange,
    /// A matrix is not a rotation, or a quaternion or axis is zero.
    NotARotation,
    /// A polygon refers to a vertex that does not exist.
    IndexOutOfBounds,
    /// A polygon has fewer than three corners.
    PolygonTooSmall,
    /// There are more vertices or triangles than `u32` can number.
    TooLarge,
    /// The mesh has no triangles where some are needed.
    Empty,
    /// The mesh lacks a property the operation needs (closed, for a question about its inside).
    NotSolid,
    /// The mesh is not the boundary of a convex body.
    NotConvex,
    /// A parameter of a generated shape or of a query is out of its range.
    BadParameter,
    /// A file could not be read or parsed.
    File,
    /// A file is truncated, or its contents were changed after it was written.
    Damaged,
    /// A file has a format version that this version does not read.
    WrongVersion,
    /// A value belongs to another mesh than the one it was passed with.
    WrongMesh,
    /// A handle refers to a body that was removed, or never was in this world.
    NoSuchBody,
    /// A thread could not be started, or it panicked.
    Thread,
}

impl Error {
    /// An error of `kind` with its `message`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same error with the error that caused it.
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error with `context` in front of its message.
    pub fn within(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The cause, for programs.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|s| &**s as &(dyn std::error::Error + 'static))
    }
}
