//! The buffers of a glTF document: chunks of a GLB file, data URIs, and other files.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::json::Root;
use crate::error::{Error, ErrorKind, ItemKind, Location};
use crate::report::FileReport;
use crate::text::excerpt;

/// The JSON chunk of a GLB file and its binary chunk.
pub(super) struct Chunks<'a> {
    pub(super) json: &'a [u8],
    pub(super) binary: Option<&'a [u8]>,
}

/// Splits a GLB file (glTF 2.0 specification, section 4).
pub(super) fn split_glb<'a>(bytes: &'a [u8], report: &mut FileReport) -> Result<Chunks<'a>, Error> {
    let word = |at: usize| {
        bytes
            .get(at..at.checked_add(4)?)
            .and_then(|b| <[u8; 4]>::try_from(b).ok())
            .map(u32::from_le_bytes)
    };
    let unexpected_end = |at: usize, what: &str| {
        let message = format!("the file ends within {what}; it is truncated");
        Error::new(ErrorKind::UnexpectedEnd, Location::Offset(at as u64), message)
    };
    if !bytes.starts_with(b"glTF") {
        let message = "a GLB file must begin with the letters `glTF`";
        return Err(Error::new(ErrorKind::Syntax, Location::Offset(0), message));
    }
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        return Err(unexpected_end(bytes.len(), "the header"));
    };
    if version != 2 {
        let message =
            format!("GLB version {version} is not supported; export the file as glTF 2.0");
        return Err(Error::new(ErrorKind::Unsupported, Location::Offset(4), message));
    }
    let length = length as usize;
    if length > bytes.len() {
        let message = format!(
            "the header declares {length} bytes, the file has {}; it is truncated",
            bytes.len()
        );
        return Err(Error::new(ErrorKind::UnexpectedEnd, Location::Offset(8), message));
    }
    let trailing = (bytes.len() - length) as u64;
    report.skip(
        "bytes after the end of the GLB container",
        trailing,
        Location::Offset(length as u64),
    );

    let mut chunks = Chunks { json: &[], binary: None };
    let mut at = 12;
    let mut first = true;
    while at < length {
        let (Some(size), Some(kind)) = (word(at), word(at + 4)) else {
            return Err(unexpected_end(at, "a chunk header"));
        };
        let start = at + 8;
        let end = start + size as usize;
        if end > length {
            return Err(unexpected_end(at, "a chunk"));
        }
        let data = &bytes[start..end];
        match (&kind.to_le_bytes(), first) {
            (b"JSON", true) => chunks.json = data,
            (b"BIN\0", false) if chunks.binary.is_none() => chunks.binary = Some(data),
            (_, true) => {
                let message = "the first chunk is not JSON";
                return Err(Error::new(ErrorKind::Syntax, Location::Offset(at as u64), message));
            }
            _ => report.skip("chunks of an unknown kind", 1, Location::Offset(at as u64)),
        }
        first = false;
        at = end;
    }
    if first {
        let message = "the file has no JSON chunk; it is truncated";
        return Err(Error::new(ErrorKind::UnexpectedEnd, Location::Offset(length as u64), message));
    }
    Ok(chunks)
}

/// The bytes of a buffer.
#[derive(Clone)]
pub(super) enum Bytes<'a> {
    /// The binary chunk of a GLB file.
    Chunk(&'a [u8]),
    /// Of a data URI, or of a file, which several buffers may share.
    Loaded(Rc<Vec<u8>>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Chunk(bytes) => bytes,
            Self::Loaded(bytes) => bytes,
        }
    }
}

/// The buffers of a document.
pub(super) struct Buffers<'a> {
    /// The bytes of each buffer; `None` for a buffer without data, which is an error only if an
    /// accessor uses it.
    pub(super) bytes: Vec<Option<Bytes<'a>>>,
    /// The sum of the sizes of all data, with each file counted once.
    pub(super) size: usize,
}

/// Decodes and reads the data of all buffers. A file that several buffers name is read once, so
/// that a short document cannot ask for many times the memory of its files.
pub(super) fn load<'a>(
    root: &'a Root,
    binary: Option<&'a [u8]>,
    directory: Option<&Path>,
) -> Result<Buffers<'a>, Error> {
    let mut buffers = Buffers { bytes: Vec::with_capacity(root.buffers.len()), size: 0 };
    let mut files: BTreeMap<PathBuf, Rc<Vec<u8>>> = BTreeMap::new();
    for (i, buffer) in root.buffers.iter().enumerate() {
        let here = Location::Item(ItemKind::Buffer, i as u64);
        let mut loaded = |bytes: Vec<u8>| {
            buffers.size = buffers.size.saturating_add(bytes.len());
            Rc::new(bytes)
        };
        let data: Option<Bytes<'a>> = match &buffer.uri {
            None if i == 0 => binary.map(Bytes::Chunk),
            None => None,
            Some(uri) => Some(Bytes::Loaded(match uri.strip_prefix("data:") {
                Some(data) => loaded(decode_data_uri(data, here)?),
                None => {
                    let path = external_path(uri, directory, here)?;
                    let key = path.canonicalize().unwrap_or_else(|_| path.clone());
                    match files.entry(key) {
                        Entry::Occupied(entry) => Rc::clone(entry.get()),
                        Entry::Vacant(entry) => {
                            let bytes = crate::read_referenced(&path);
                            let bytes = bytes.map_err(|e| e.within("its data"))?;
                            Rc::clone(entry.insert(loaded(bytes)))
                        }
                    }
                }
            })),
        };
        if let Some(data) = &data {
            if data.len() < buffer.byte_length {
                let message =
                    format!("it must have {} bytes, but has {}", buffer.byte_length, data.len());
                return Err(Error::new(ErrorKind::UnexpectedEnd, here, message));
            }
        }
        buffers.bytes.push(data);
    }
    buffers.size = buffers.size.saturating_add(binary.map_or(0, <[u8]>::len));
    Ok(buffers)
}

/// The path of the file that a URI names.
fn external_path(uri: &str, directory: Option<&Path>, here: Location) -> Result<PathBuf, Error> {
    let short = excerpt(uri.as_bytes());
    let fail = |kind, message: String| Err(Error::new(kind, here, message));
    let has_scheme = uri.split(['/', '?', '#']).next().is_some_and(|head| head.contains(':'));
    if has_scheme {
        let message =
            format!("`{short}` is not a relative path; download it and reference the local file");
        return fail(ErrorKind::Unsupported, message);
    }
    let Some(directory) = directory else {
        let message = format!(
            "its file `{short}` cannot be located; load the document from a path, not from bytes"
        );
        return fail(ErrorKind::BadReference, message);
    };
    let Some(path) = percent_decode(uri) else {
        return fail(ErrorKind::Syntax, format!("`{short}` is not a valid URI"));
    };
    let path = PathBuf::from(path);
    if path.is_absolute() {
        let message =
            format!("`{short}` is an absolute path; use a path relative to the glTF file");
        return fail(ErrorKind::BadReference, message);
    }
    Ok(directory.join(path))
}

fn percent_decode(uri: &str) -> Option<String> {
    let mut out = Vec::with_capacity(uri.len());
    let mut bytes = uri.bytes();
    while let Some(b) = bytes.next() {
        if b == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            out.push((16 * high + low) as u8);
        } else {
            out.push(b);
        }
    }
    String::from_utf8(out).ok()
}

/// Decodes the part of a data URI after `data:`.
fn decode_data_uri(data: &str, here: Location) -> Result<Vec<u8>, Error> {
    let bad = |message: &str| Error::new(ErrorKind::Syntax, here, message);
    let (head, body) = data.split_once(',').ok_or_else(|| bad("its data URI has no comma"))?;
    if !head.ends_with(";base64") {
        let message = "its data URI is not base64, the only supported encoding";
        return Err(Error::new(ErrorKind::Unsupported, here, message));
    }
    BASE64.decode(body).map_err(|_| bad("its data URI is not valid base64"))
}

/// The standard alphabet, with or without padding; bits after the last byte are ignored.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_and_percent_encoding_are_decoded() {
        assert_eq!(BASE64.decode(b"").unwrap(), b"");
        assert_eq!(BASE64.decode(b"Zg==").unwrap(), b"f");
        assert_eq!(BASE64.decode(b"Zm8=").unwrap(), b"fo");
        assert_eq!(BASE64.decode(b"Zm9v").unwrap(), b"foo");
        assert_eq!(BASE64.decode(b"Zm9vYg").unwrap(), b"foob");
        assert_eq!(BASE64.decode(b"Zm9v+/8=").unwrap(), b"foo\xfb\xff");
        assert!(BASE64.decode(b"Z").is_err());
        assert!(BASE64.decode(b"Zm-v").is_err());
        assert_eq!(percent_decode("a%20b").unwrap(), "a b");
        assert_eq!(percent_decode("a%2"), None);
        assert_eq!(percent_decode("%ff"), None);
    }

    /// A document of a few kilobytes could ask for thousands of copies of a large file.
    #[test]
    fn a_file_that_many_buffers_name_is_in_memory_once() {
        let directory = std::env::temp_dir();
        let name = format!("impinge-io-buffers-{}.bin", std::process::id());
        std::fs::write(directory.join(&name), [7; 100]).unwrap();
        let buffer = |uri: &str| format!(r#"{{"uri":"{uri}","byteLength":100}}"#);
        let list = [buffer(&name), buffer(&format!("./{name}")), buffer("data:;base64,Bwc=")];
        let json = format!(r#"{{"buffers":[{}]}}"#, list[..2].join(","));
        let root: Root = serde_json::from_str(&json).unwrap();
        let buffers = load(&root, Some(&[1, 2, 3]), Some(&directory)).unwrap();
        std::fs::remove_file(directory.join(&name)).unwrap();
        let [Some(Bytes::Loaded(a)), Some(Bytes::Loaded(b))] = &buffers.bytes[..] else {
            panic!("two buffers")
        };
        assert!(Rc::ptr_eq(a, b) && a.len() == 100);
        assert_eq!(buffers.size, 103);
        // Data URIs are part of the document, so their size is bounded by its size.
        let json = format!(r#"{{"buffers":[{}]}}"#, list[2]);
        let root: Root = serde_json::from_str(&json).unwrap();
        assert!(load(&root, None, None).is_err_and(|e| e.to_string().contains("100 bytes")));
    }
}
