//! The body of a PLY file, read scalar by scalar.

use super::header::{Element, Encoding, Scalar};
use crate::error::{Error, ErrorKind, Location};
use crate::text::{Cursor, excerpt, parse_f64};

/// A reader of scalars. Each is widened to `f64`, which represents every PLY type exactly.
pub(super) enum Body<'a> {
    Text(Cursor<'a>),
    Binary { bytes: &'a [u8], at: usize, big: bool },
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], cursor: Cursor<'a>, encoding: Encoding) -> Self {
        match encoding {
            Encoding::Ascii => Self::Text(cursor),
            Encoding::LittleEndian => Self::Binary { bytes, at: cursor.offset(), big: false },
            Encoding::BigEndian => Self::Binary { bytes, at: cursor.offset(), big: true },
        }
    }

    pub(super) fn here(&self) -> Location {
        match self {
            Self::Text(cursor) => cursor.here(),
            Self::Binary { at, .. } => Location::Offset(*at as u64),
        }
    }

    pub(super) fn remaining(&self) -> usize {
        match self {
            Self::Text(cursor) => cursor.remaining(),
            Self::Binary { bytes, at, .. } => bytes.len() - at,
        }
    }

    /// An upper bound on the rows of `element` in the remaining bytes. In text, a value takes at
    /// least two bytes with its separator.
    pub(super) fn rows_left(&self, element: &Element) -> usize {
        match self {
            Self::Text(cursor) => cursor.remaining() / (2 * element.properties.len()).max(2) + 1,
            Self::Binary { .. } => self.remaining() / element.min_row_size().max(1),
        }
    }

    /// Moves to the start of a row: in text, to the next line that is not blank. `false` at the end
    /// of the text.
    pub(super) fn begin_row(&mut self) -> bool {
        match self {
            Self::Text(cursor) => cursor.seek_word(),
            Self::Binary { .. } => true,
        }
    }

    /// Moves to the end of a row; returns the number of surplus values on its line.
    pub(super) fn end_row(&mut self) -> u64 {
        let Self::Text(cursor) = self else { return 0 };
        let mut extra = 0;
        while cursor.word().is_some() {
            extra += 1;
        }
        cursor.next_line();
        extra
    }

    /// The next value, which may be NaN or infinite.
    #[inline]
    pub(super) fn scalar(&mut self, kind: Scalar) -> Result<f64, Error> {
        match self {
            Self::Text(cursor) => {
                let Some(word) = cursor.word() else {
                    let (kind, message) = match cursor.remaining() {
                        0 => (ErrorKind::UnexpectedEnd, "the file ends within a row"),
                        _ => (ErrorKind::Syntax, "the line has fewer values than its element"),
                    };
                    return Err(Error::new(kind, cursor.here(), message));
                };
                parse_f64(word).ok_or_else(|| {
                    let message = format!("`{}` is not a number", excerpt(word));
                    Error::new(ErrorKind::Syntax, cursor.here(), message)
                })
            }
            Self::Binary { bytes, at, big } => {
                let size = kind.size();
                let Some(raw) = bytes[*at..].get(..size) else {
                    return Err(unexpected_end(bytes.len()));
                };
                *at += size;
                Ok(decode(raw, kind, *big))
            }
        }
    }

    /// Reads the next `count` values into `out`.
    pub(super) fn list(
        &mut self,
        kind: Scalar,
        count: u64,
        out: &mut Vec<f64>,
    ) -> Result<(), Error> {
        out.clear();
        if let Self::Binary { bytes, at, big } = self {
            let start = *at;
            let (bytes, big) = (*bytes, *big);
            self.skip(kind, count)?;
            let raw = bytes[start..].chunks_exact(kind.size()).take(count as usize);
            out.extend(raw.map(|raw| decode(raw, kind, big)));
            return Ok(());
        }
        for _ in 0..count {
            out.push(self.scalar(kind)?);
        }
        Ok(())
    }

    /// Skips `count` values.
    pub(super) fn skip(&mut self, kind: Scalar, count: u64) -> Result<(), Error> {
        match self {
            Self::Text(_) => {
                for _ in 0..count {
                    self.scalar(kind)?;
                }
            }
            Self::Binary { bytes, at, .. } => {
                let size = count.checked_mul(kind.size() as u64);
                match size.and_then(|n| usize::try_from(n).ok()) {
                    Some(n) if n <= bytes.len() - *at => *at += n,
                    _ => return Err(unexpected_end(bytes.len())),
                }
            }
        }
        Ok(())
    }

    /// Reads the count of a list.
    pub(super) fn count(&mut self, kind: Scalar) -> Result<u64, Error> {
        let here = self.here();
        let n = self.scalar(kind)?;
        if n < 0.0 || n > f64::from(u32::MAX) || n.fract() != 0.0 || n.is_nan() {
            let message = format!("the count of a list is {n}, not an unsigned integer");
            return Err(Error::new(ErrorKind::Syntax, here, message));
        }
        Ok(n as u64)
    }
}

fn unexpected_end(length: usize) -> Error {
    Error::new(
        ErrorKind::UnexpectedEnd,
        Location::Offset(length as u64),
        "the file ends before the last declared element; it is truncated or has another encoding",
    )
}

#[inline]
fn decode(raw: &[u8], kind: Scalar, big: bool) -> f64 {
    match kind {
        Scalar::I8 => f64::from(raw[0] as i8),
        Scalar::U8 => f64::from(raw[0]),
        Scalar::I16 => f64::from(i16::from_le_bytes(little_endian(raw, big))),
        Scalar::U16 => f64::from(u16::from_le_bytes(little_endian(raw, big))),
        Scalar::I32 => f64::from(i32::from_le_bytes(little_endian(raw, big))),
        Scalar::U32 => f64::from(u32::from_le_bytes(little_endian(raw, big))),
        Scalar::F32 => f64::from(f32::from_le_bytes(little_endian(raw, big))),
        Scalar::F64 => f64::from_le_bytes(little_endian(raw, big)),
    }
}

/// The first `N` bytes, the least significant first.
#[inline]
fn little_endian<const N: usize>(raw: &[u8], big: bool) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&raw[..N]);
    if big {
        bytes.reverse();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_in_both_byte_orders() {
        let check = |raw: &[u8], kind, value: f64| {
            assert_eq!(decode(raw, kind, false), value);
            let swapped: Vec<u8> = raw.iter().rev().copied().collect();
            assert_eq!(decode(&swapped, kind, true), value);
        };
        check(&(-5i8).to_le_bytes(), Scalar::I8, -5.0);
        check(&[250], Scalar::U8, 250.0);
        check(&(-300i16).to_le_bytes(), Scalar::I16, -300.0);
        check(&60000u16.to_le_bytes(), Scalar::U16, 60000.0);
        check(&(-70000i32).to_le_bytes(), Scalar::I32, -70000.0);
        check(&4_000_000_000u32.to_le_bytes(), Scalar::U32, 4e9);
        check(&0.1f32.to_le_bytes(), Scalar::F32, f64::from(0.1f32));
        check(&0.1f64.to_le_bytes(), Scalar::F64, 0.1);
    }
}
