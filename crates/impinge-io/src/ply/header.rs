//! The header of a PLY file: the elements of the body and their properties.

use crate::error::{Error, ErrorKind, Location};
use crate::text::{Cursor, TextSyntax, excerpt, parse_u64};

/// The encoding of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn from_word(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// The size in bytes in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) value: Scalar,
    /// The type of the count, if the property is a list.
    pub(super) list: Option<Scalar>,
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
    pub(super) line: Location,
}

impl Element {
    /// The minimum size of a row in a binary file, in bytes.
    pub(super) fn min_row_size(&self) -> usize {
        self.properties.iter().map(|p| p.list.map_or(p.value.size(), Scalar::size)).sum()
    }

    pub(super) fn position_of(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|p| p.name == name)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// The number of `comment` and `obj_info` lines, and the first of them.
    pub(super) comments: (u64, Location),
}

const SYNTAX: TextSyntax = TextSyntax { comments: false, continuation: false };

fn syntax(here: Location, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, here, message)
}

/// Reads the header. The returned cursor is at the first byte of the body.
pub(super) fn read(bytes: &[u8]) -> Result<(Header, Cursor<'_>), Error> {
    let mut cursor = Cursor::new(bytes, SYNTAX);
    if cursor.word() != Some(b"ply") {
        return Err(syntax(cursor.here(), "a PLY file must begin with the word `ply`"));
    }
    let lone_cr = cursor.ends_with_lone_cr();
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut comments = (0, Location::Whole);
    loop {
        if !cursor.next_line() {
            return Err(Error::new(
                ErrorKind::UnexpectedEnd,
                cursor.here(),
                "the file ends before `end_header`",
            ));
        }
        let here = cursor.here();
        match cursor.word() {
            None => {}
            Some(b"comment" | b"obj_info") => {
                if comments.0 == 0 {
                    comments.1 = here;
                }
                comments.0 += 1;
                cursor.rest_of_line();
            }
            Some(b"format") => {
                let word = cursor.word().unwrap_or_default();
                encoding = Some(match word {
                    b"ascii" => Encoding::Ascii,
                    b"binary_little_endian" => Encoding::LittleEndian,
                    b"binary_big_endian" => Encoding::BigEndian,
                    _ => {
                        let message = format!(
                            "`{}` is not a PLY encoding; expected ascii, binary_little_endian or binary_big_endian",
                            excerpt(word)
                        );
                        return Err(syntax(here, message));
                    }
                });
            }
            Some(b"element") => elements.push(element(&mut cursor, &elements)?),
            Some(b"property") => {
                let Some(element) = elements.last_mut() else {
                    return Err(syntax(here, "`property` must follow an `element` line"));
                };
                element.properties.push(property(&mut cursor)?);
            }
            Some(b"end_header") => break,
            Some(word) => {
                let message = format!("`{}` is not a PLY header keyword", excerpt(word));
                return Err(syntax(here, message));
            }
        }
    }
    let end = cursor.here();
    let Some(encoding) = encoding else {
        return Err(syntax(end, "the header has no `format` line"));
    };
    // If lines end with a single CR, an LF after the last one is the first byte of the body.
    if lone_cr {
        cursor.skip_one_byte_line_end();
    } else {
        cursor.next_line();
    }
    Ok((Header { encoding, elements, comments }, cursor))
}

fn element(cursor: &mut Cursor<'_>, before: &[Element]) -> Result<Element, Error> {
    let line = cursor.here();
    let name = cursor.word().map(|w| String::from_utf8_lossy(w).into_owned());
    let Some(name) = name else { return Err(syntax(line, "`element` needs a name and a count")) };
    let word = cursor.word().unwrap_or_default();
    let Some(count) = parse_u64(word) else {
        let message = format!(
            "the count of element `{}` is `{}`, not an unsigned integer",
            excerpt(name.as_bytes()),
            excerpt(word)
        );
        return Err(syntax(line, message));
    };
    if matches!(name.as_str(), "vertex" | "face" | "tristrips")
        && before.iter().any(|e| e.name == name)
    {
        return Err(syntax(line, format!("element `{name}` is declared twice")));
    }
    Ok(Element { name, count, properties: Vec::new(), line })
}

fn property(cursor: &mut Cursor<'_>) -> Result<Property, Error> {
    let here = cursor.here();
    let scalar = |word: Option<&[u8]>| {
        let word = word.unwrap_or_default();
        Scalar::from_word(word).ok_or_else(|| {
            let message = format!(
                "`{}` is not a PLY type; expected char, uchar, short, ushort, int, uint, float, double, or int8 to \
                 float64",
                excerpt(word)
            );
            syntax(here, message)
        })
    };
    let first = cursor.word();
    let (list, value) = if first == Some(b"list") {
        let count = scalar(cursor.word())?;
        if !count.is_integer() {
            return Err(syntax(here, "the count of a list must have an integer type"));
        }
        (Some(count), scalar(cursor.word())?)
    } else {
        (None, scalar(first)?)
    };
    let Some(name) = cursor.word() else { return Err(syntax(here, "the property has no name")) };
    Ok(Property { name: String::from_utf8_lossy(name).into_owned(), value, list })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_errors_have_kind_and_line() {
        for (text, kind, line) in [
            ("plx\n", ErrorKind::Syntax, 1),
            ("ply\nformat ascii 1.0\n", ErrorKind::UnexpectedEnd, 3),
            ("ply\nformat ebcdic 1.0\nend_header\n", ErrorKind::Syntax, 2),
            ("ply\nelement vertex 1\nend_header\n", ErrorKind::Syntax, 3),
            ("ply\nproperty float x\n", ErrorKind::Syntax, 2),
            ("ply\nelement vertex -1\n", ErrorKind::Syntax, 2),
            ("ply\nelement vertex\n", ErrorKind::Syntax, 2),
            ("ply\nelement\n", ErrorKind::Syntax, 2),
            ("ply\nelement face 1\nelement face 1\n", ErrorKind::Syntax, 3),
            ("ply\nelement vertex 1\nproperty quad x\n", ErrorKind::Syntax, 3),
            ("ply\nelement face 1\nproperty list float int i\n", ErrorKind::Syntax, 3),
            ("ply\nelement face 1\nproperty float\n", ErrorKind::Syntax, 3),
            ("ply\nhello\n", ErrorKind::Syntax, 2),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert_eq!((error.kind(), error.location()), (kind, Location::Line(line)), "{text}");
        }
    }

    #[test]
    fn the_body_begins_directly_after_the_header() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("ply{end}format binary_little_endian 1.0{end}end_header{end}\n\r\n");
            let (header, cursor) = read(text.as_bytes()).unwrap();
            assert_eq!(header.encoding, Encoding::LittleEndian);
            assert_eq!(cursor.remaining(), 3);
        }
    }
}
