//! A cursor over the lines and words of a text file, working on its bytes.

use crate::error::{Error, ErrorKind, Location};

const WORD: u8 = 0;
const BLANK: u8 = 1;
const LF: u8 = 2;
const CR: u8 = 3;
const BACKSLASH: u8 = 4;
const HASH: u8 = 5;

const CLASS: [u8; 256] = {
    let mut table = [WORD; 256];
    table[b' ' as usize] = BLANK;
    table[b'\t' as usize] = BLANK;
    table[0x0b] = BLANK;
    table[0x0c] = BLANK;
    table[b'\n' as usize] = LF;
    table[b'\r' as usize] = CR;
    table[b'\\' as usize] = BACKSLASH;
    table[b'#' as usize] = HASH;
    table
};

/// The special characters of a text format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextSyntax {
    /// `#` at the start of a word begins a comment.
    pub(crate) comments: bool,
    /// A backslash at the end of a line joins it with the next line.
    pub(crate) continuation: bool,
}

/// A position in a text, with its line number. Lines end with LF, CR LF, or a single CR.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    syntax: TextSyntax,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`, after the byte order mark if there is one.
    pub(crate) fn new(bytes: &'a [u8], syntax: TextSyntax) -> Self {
        let at = bytes.len() - without_bom(bytes).len();
        Self { bytes, at, line: 1, syntax }
    }

    pub(crate) fn here(&self) -> Location {
        Location::Line(self.line)
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// The number of bytes not yet read.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn class(&self, at: usize) -> u8 {
        self.bytes.get(at).map_or(LF, |&b| CLASS[b as usize])
    }

    /// The length of the line end at `at`; 0 if there is none.
    fn newline(&self, at: usize) -> usize {
        match self.bytes.get(at) {
            Some(b'\n') => 1,
            Some(b'\r') if self.bytes.get(at + 1) == Some(&b'\n') => 2,
            Some(b'\r') => 1,
            _ => 0,
        }
    }

    /// Whether the line continues after a backslash at `at`.
    fn is_continuation(&self, at: usize) -> bool {
        self.syntax.continuation && self.newline(at + 1) > 0
    }

    #[inline]
    fn skip_blank(&mut self) {
        loop {
            match self.class(self.at) {
                BLANK => self.at += 1,
                BACKSLASH if self.is_continuation(self.at) => {
                    self.at += 1 + self.newline(self.at + 1);
                    self.line += 1;
                }
                HASH if self.syntax.comments => {
                    while !matches!(self.class(self.at), LF | CR) {
                        self.at += 1;
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// The next word on this line.
    #[inline]
    pub(crate) fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_blank();
        let start = self.at;
        loop {
            match self.class(self.at) {
                WORD | HASH => self.at += 1,
                BACKSLASH if !self.is_continuation(self.at) => self.at += 1,
                _ => break,
            }
        }
        if self.at > start { Some(&self.bytes[start..self.at]) } else { None }
    }

    /// Moves to the start of the next line; `false` at the end of the text.
    #[inline]
    pub(crate) fn next_line(&mut self) -> bool {
        while self.word().is_some() {}
        self.end_line()
    }

    /// Skips the line end at the cursor; `false` if there is none.
    fn end_line(&mut self) -> bool {
        let n = self.newline(self.at);
        self.at += n;
        self.line += u64::from(n > 0);
        n > 0
    }

    /// Whether the rest of this line is blank and the line ends with a CR without LF.
    pub(crate) fn ends_with_lone_cr(&self) -> bool {
        let mut ahead = *self;
        ahead.skip_blank();
        ahead.class(ahead.at) == CR && ahead.newline(ahead.at) == 1
    }

    /// Moves to the end of this line and skips one byte of the line end.
    pub(crate) fn skip_one_byte_line_end(&mut self) {
        while self.word().is_some() {}
        if self.newline(self.at) > 0 {
            self.at += 1;
            self.line += 1;
        }
    }

    /// The next word on this or a later line.
    pub(crate) fn word_across_lines(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(word) = self.word() {
                return Some(word);
            }
            if !self.end_line() {
                return None;
            }
        }
    }

    /// Moves to the start of the next word on this or a later line; `false` if there is none.
    pub(crate) fn seek_word(&mut self) -> bool {
        loop {
            self.skip_blank();
            if self.at >= self.bytes.len() {
                return false;
            }
            if self.newline(self.at) == 0 {
                return true;
            }
            self.end_line();
        }
    }

    /// The rest of this line, trimmed, including comments.
    pub(crate) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let n = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        self.at += n;
        rest[..n].trim_ascii()
    }

    /// Parses the next word of this line as a finite number; `what` describes it in errors.
    #[inline]
    pub(crate) fn number(&mut self, what: &dyn Fn() -> String) -> Result<f64, Error> {
        let Some(word) = self.word() else {
            let kind = match self.remaining() {
                0 => ErrorKind::UnexpectedEnd,
                _ => ErrorKind::Syntax,
            };
            return Err(Error::new(kind, self.here(), format!("missing number: {}", what())));
        };
        finite(word, self.here(), what)
    }
}

/// Parses `word` as a finite number; `what` describes it in errors.
#[inline]
pub(crate) fn finite(word: &[u8], here: Location, what: &dyn Fn() -> String) -> Result<f64, Error> {
    match parse_f64(word) {
        Some(x) if x.is_finite() => Ok(x),
        Some(_) => Err(Error::new(
            ErrorKind::NotFinite,
            here,
            format!("`{}` is not a finite number: {}", excerpt(word), what()),
        )),
        None => Err(Error::new(
            ErrorKind::Syntax,
            here,
            format!("`{}` is not a number: {}", excerpt(word), what()),
        )),
    }
}

/// The nearest `f64`, rounded by the standard library.
#[inline]
pub(crate) fn parse_f64(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// An unsigned decimal number.
#[inline]
pub(crate) fn parse_u64(word: &[u8]) -> Option<u64> {
    let digits = word.strip_prefix(b"+").unwrap_or(word);
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |n, &b| {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        n.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// The text after the UTF-8 byte order mark, if it has one.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The start of a word for a message: at most 32 characters, control characters replaced.
pub(crate) fn excerpt(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(128)]);
    let mut short: String =
        text.chars().take(32).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(32).is_some() || word.len() > 128 {
        short.push_str("...");
    }
    short
}

/// A name from a file, invalid UTF-8 replaced; `None` if it is blank.
pub(crate) fn name_of(bytes: &[u8]) -> Option<String> {
    let name = String::from_utf8_lossy(bytes.trim_ascii());
    if name.is_empty() { None } else { Some(name.into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJ: TextSyntax = TextSyntax { comments: true, continuation: true };

    #[test]
    fn words_lines_comments_and_continuations() {
        let mut c = Cursor::new(b"\xef\xbb\xbfa b\\\r\nc\t# d \\\ne#f\r\rg\\h", OBJ);
        assert_eq!(c.word(), Some(&b"a"[..]));
        assert_eq!(c.word(), Some(&b"b"[..]));
        assert_eq!(c.here(), Location::Line(1));
        assert_eq!(c.word(), Some(&b"c"[..]));
        assert_eq!(c.here(), Location::Line(2));
        assert_eq!(c.word(), None);
        assert!(c.next_line());
        assert_eq!(c.word(), Some(&b"e#f"[..]));
        assert_eq!(c.here(), Location::Line(3));
        assert!(c.next_line());
        assert_eq!(c.word(), None);
        assert_eq!(c.word_across_lines(), Some(&b"g\\h"[..]));
        assert_eq!(c.here(), Location::Line(5));
        assert!(!c.next_line());
        assert!(!c.seek_word());
    }

    #[test]
    fn number_errors_have_the_right_kind() {
        let mut c = Cursor::new(b"1.5 +2e-3 nan 1e999 x", OBJ);
        let what = || "test".to_string();
        assert_eq!(c.number(&what).unwrap(), 1.5);
        assert_eq!(c.number(&what).unwrap(), 2e-3);
        assert_eq!(c.number(&what).unwrap_err().kind(), ErrorKind::NotFinite);
        assert_eq!(c.number(&what).unwrap_err().kind(), ErrorKind::NotFinite);
        assert_eq!(c.number(&what).unwrap_err().kind(), ErrorKind::Syntax);
        assert_eq!(c.number(&what).unwrap_err().kind(), ErrorKind::UnexpectedEnd);
        assert_eq!(parse_u64(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(parse_u64(b"18446744073709551616"), None);
        assert_eq!(parse_u64(b"-1"), None);
        assert_eq!(parse_u64(b""), None);
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt(b"a\x07b\xff"), "a\u{fffd}b\u{fffd}");
        assert!(excerpt(&[b'x'; 1000]).len() < 40);
        assert_eq!(name_of(b"  "), None);
        assert_eq!(name_of(b" a b "), Some("a b".into()));
    }
}
