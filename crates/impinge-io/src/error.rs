//! The one error type of this crate.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The reason why a file could not be read, with the place and advice.
///
/// ```
/// use impinge_io::{ErrorKind, Location, load_bytes};
///
/// let error = load_bytes(b"v 0 0 0\nf 1 2 3\n", None, "part.obj").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::IndexOutOfBounds);
/// assert_eq!(error.location(), Location::Line(2));
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    location: Location,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The cause of an [`Error`], for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file does not exist.
    NotFound,
    /// The file could not be read or written.
    Io,
    /// The format cannot be detected from the name or the content.
    UnknownFormat,
    /// The text or structure violates the rules of its format.
    Syntax,
    /// The data end before the declared number of elements.
    UnexpectedEnd,
    /// A face references a vertex that does not exist.
    IndexOutOfBounds,
    /// A coordinate or a pose is NaN or infinite.
    NotFinite,
    /// The file is valid but uses a feature that this crate does not support.
    Unsupported,
    /// A count exceeds the limits of this crate or what the file can contain.
    TooLarge,
    /// A reference (to a buffer, node, part or file) is not allowed or has no target.
    BadReference,
    /// Two parts of a scene have the same name.
    Duplicate,
    /// The file contains no geometry.
    Empty,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Location {
    /// The whole file, or unknown.
    #[default]
    Whole,
    /// A line of a text file, counted from 1.
    Line(u64),
    /// A byte of a binary file, counted from 0.
    Offset(u64),
    /// An entry of a table in the file, counted from 0.
    Item(ItemKind, u64),
}

/// The table of an [item](Location::Item).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ItemKind {
    /// Accessors of glTF.
    Accessor,
    /// Buffers of glTF.
    Buffer,
    /// Rules of a scene file about pairs that are ignored.
    Ignore,
    /// Meshes of glTF.
    Mesh,
    /// Nodes of glTF.
    Node,
    /// Parts of a scene file.
    Part,
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accessor => "accessor",
            Self::Buffer => "buffer",
            Self::Ignore => "ignore",
            Self::Mesh => "mesh",
            Self::Node => "node",
            Self::Part => "part",
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("the whole file"),
            Self::Line(n) => write!(f, "line {n}"),
            Self::Offset(n) => write!(f, "byte {n}"),
            Self::Item(kind, n) => write!(f, "{kind} {n}"),
        }
    }
}

impl Error {
    /// An error of `kind` at `location`. The path is added later with [`Error::in_file`].
    pub(crate) fn new(kind: ErrorKind, location: Location, message: impl Into<String>) -> Self {
        Self { kind, path: None, location, message: message.into(), source: None }
    }

    /// The same error with the error that caused it.
    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error in `path`, unless it has a path already.
    pub(crate) fn in_file(mut self, path: impl Into<PathBuf>) -> Self {
        if self.path.is_none() {
            self.path = Some(path.into());
        }
        self
    }

    /// The same error with `context` in front of its message.
    pub(crate) fn within(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The cause, for programs.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The file with the error, if known.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The place in the file.
    #[must_use]
    pub fn location(&self) -> Location {
        self.location
    }

    /// The message without path and location.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
            if self.location != Location::Whole {
                write!(f, ", {}", self.location)?;
            }
            f.write_str(": ")?;
        } else if self.location != Location::Whole {
            write!(f, "{}: ", self.location)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|s| &**s as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_contain_file_and_location() {
        let error = Error::new(ErrorKind::Syntax, Location::Line(7), "`x` is not a number")
            .in_file("a.obj");
        assert_eq!(error.to_string(), "a.obj, line 7: `x` is not a number");
        let kept = error.in_file("b.obj");
        assert_eq!(kept.path(), Some(Path::new("a.obj")));
        let bare = Error::new(ErrorKind::Empty, Location::Whole, "no geometry");
        assert_eq!(bare.to_string(), "no geometry");
    }
}
