//! Detection of file formats by content and extension.

use std::fmt;
use std::path::Path;

use serde::de::IgnoredAny;

use crate::error::{Error, ErrorKind, Location};
use crate::text::{Cursor, TextSyntax, excerpt, without_bom};

/// The supported formats, for messages.
fn supported() -> String {
    let of = |scenes: bool| -> Vec<String> {
        let formats = Format::ALL.iter().filter(|format| format.is_scene() == scenes);
        formats.map(|format| format!(".{}", format.extensions()[0])).collect()
    };
    format!("supported are {} and scene files {}", of(false).join(", "), of(true).join(", "))
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// Stereolithography, ASCII or binary.
    Stl,
    /// Stanford polygon file, ASCII or binary.
    Ply,
    /// Object File Format of Geomview, ASCII.
    Off,
    /// glTF 2.0 as JSON.
    Gltf,
    /// glTF 2.0 in its binary container.
    Glb,
    /// A scene of parts in other files, as TOML.
    SceneToml,
    /// A scene of parts in other files, as JSON.
    SceneJson,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Off => "OFF",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
            Self::SceneToml => "scene (TOML)",
            Self::SceneJson => "scene (JSON)",
        })
    }
}

impl Format {
    /// All formats.
    pub const ALL: &[Self] = &[
        Self::Obj,
        Self::Stl,
        Self::Ply,
        Self::Off,
        Self::Gltf,
        Self::Glb,
        Self::SceneToml,
        Self::SceneJson,
    ];

    /// The extensions of its files, in lower case, the most common one first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Obj => &["obj"],
            Self::Stl => &["stl", "stla", "stlb"],
            Self::Ply => &["ply"],
            Self::Off => &["off", "coff", "noff", "cnoff", "stoff"],
            Self::Gltf => &["gltf"],
            Self::Glb => &["glb"],
            Self::SceneToml => &["toml"],
            Self::SceneJson => &["json"],
        }
    }

    /// Whether its files are scenes of parts in other files.
    #[must_use]
    pub fn is_scene(self) -> bool {
        match self {
            Self::SceneToml | Self::SceneJson => true,
            Self::Obj | Self::Stl | Self::Ply | Self::Off | Self::Gltf | Self::Glb => false,
        }
    }

    /// The format of an extension, in upper or lower case.
    ///
    /// ```
    /// use impinge_io::Format;
    /// assert_eq!(Format::from_extension("STL"), Some(Format::Stl));
    /// assert_eq!(Format::from_extension("3mf"), None);
    /// ```
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        let is_its = |known: &&'static str| known.eq_ignore_ascii_case(extension);
        Self::ALL.iter().copied().find(|format| format.extensions().iter().any(is_its))
    }

    /// The format of a magic word in the first bytes. GLB, PLY and OFF have one.
    #[must_use]
    pub fn from_magic(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"glTF") {
            return Some(Self::Glb);
        }
        let mut words = Cursor::new(bytes, TextSyntax { comments: true, continuation: false });
        let first = words.word_across_lines()?;
        let second = words.word();
        // A second word is checked because the header of a binary STL file may begin with these
        // words, too.
        let counts = |word: &[u8]| word == b"BINARY" || word[0].is_ascii_digit();
        match first {
            b"ply" if second.is_none() => Some(Self::Ply),
            word if off_keyword(word) && second.is_none_or(counts) => Some(Self::Off),
            _ => None,
        }
    }

    /// The format of the file `name` with content `bytes`: by the magic word if there is one, else
    /// by the extension, else by the structure of the content.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownFormat`] if none of them determines the format.
    pub fn detect(bytes: &[u8], name: &str) -> Result<Self, Error> {
        let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or("");
        let by_extension = Self::from_extension(extension);
        if by_extension == Some(Self::Stl) && fits_binary_stl(bytes) {
            return Ok(Self::Stl);
        }
        if let Some(format) = Self::from_magic(bytes) {
            return Ok(format);
        }
        match by_extension {
            Some(Self::Glb) if first_byte(bytes) == Some(b'{') => Ok(Self::Gltf),
            Some(Self::SceneJson) => json_format(bytes),
            Some(format) => Ok(format),
            None => from_structure(bytes).ok_or_else(|| {
                let problem = match extension {
                    "" => "the file has no extension and no known format".to_string(),
                    _ => format!("`.{}` files are not supported", excerpt(extension.as_bytes())),
                };
                Error::new(
                    ErrorKind::UnknownFormat,
                    Location::Whole,
                    format!("{problem}; {}", supported()),
                )
            }),
        }
    }
}

fn first_byte(bytes: &[u8]) -> Option<u8> {
    without_bom(bytes).trim_ascii_start().first().copied()
}

/// Whether `word` is `OFF` with any of the prefixes `ST`, `C`, `N`, `4`, `n`, in this order.
pub(crate) fn off_keyword(word: &[u8]) -> bool {
    let Some(prefix) = word.strip_suffix(b"OFF") else { return false };
    let prefix = prefix.strip_prefix(b"ST").unwrap_or(prefix);
    let prefix = prefix.strip_prefix(b"C").unwrap_or(prefix);
    let prefix = prefix.strip_prefix(b"N").unwrap_or(prefix);
    let prefix = prefix.strip_prefix(b"4").unwrap_or(prefix);
    matches!(prefix, b"" | b"n")
}

/// Whether the length is exactly that of a binary STL with the count in its header.
pub(crate) fn fits_binary_stl(bytes: &[u8]) -> bool {
    match bytes.get(80..84).and_then(|b| <[u8; 4]>::try_from(b).ok()) {
        Some(count) => bytes.len() as u64 == 84 + 50 * u64::from(u32::from_le_bytes(count)),
        None => false,
    }
}

/// The format of a JSON file, by its top-level keys.
fn json_format(bytes: &[u8]) -> Result<Format, Error> {
    let unknown = |problem: String| {
        Error::new(
            ErrorKind::UnknownFormat,
            Location::Whole,
            format!("{problem}; a JSON scene is an object with the key `part`; {}", supported()),
        )
    };
    if first_byte(bytes) != Some(b'{') {
        return Err(unknown("the JSON file is not an object".into()));
    }
    let Ok(top) = serde_json::from_slice::<TopLevelKeys>(without_bom(bytes)) else {
        // The scene reader reports the place of the syntax error.
        return Ok(Format::SceneJson);
    };
    let has = |key: &str| top.0.iter().any(|k| k == key);
    if has("part") || has("ignore") || has("unit") || top.0.is_empty() {
        Ok(Format::SceneJson)
    } else if has("asset") {
        Ok(Format::Gltf)
    } else {
        let keys: Vec<String> =
            top.0.iter().take(4).map(|k| format!("`{}`", excerpt(k.as_bytes()))).collect();
        Err(unknown(format!("the JSON object has the keys {}", keys.join(", "))))
    }
}

/// The keys of a JSON object, without its values.
struct TopLevelKeys(Vec<String>);

impl<'de> serde::Deserialize<'de> for TopLevelKeys {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> serde::de::Visitor<'de> for Keys {
            type Value = TopLevelKeys;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<TopLevelKeys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
                    keys.push(key);
                }
                Ok(TopLevelKeys(keys))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// The format of a file without a known extension or magic word, if its structure determines it.
fn from_structure(bytes: &[u8]) -> Option<Format> {
    if fits_binary_stl(bytes) {
        return Some(Format::Stl);
    }
    let mut text = Cursor::new(bytes, TextSyntax { comments: true, continuation: true });
    let first = text.word_across_lines()?;
    if first.eq_ignore_ascii_case(b"solid") {
        let _name = text.rest_of_line();
        let second = text.word_across_lines().unwrap_or_default();
        let stl = [&b"facet"[..], b"endsolid"].iter().any(|k| second.eq_ignore_ascii_case(k));
        return stl.then_some(Format::Stl);
    }
    if first_byte(bytes) == Some(b'{') {
        return json_format(bytes).ok();
    }
    // OBJ: the first lines have common keywords only, and one of them is a vertex.
    let mut has_vertex = false;
    let mut word = Some(first);
    for _ in 0..OBJ_LINES_TO_DETECT {
        match word {
            Some(b"v") => has_vertex = true,
            Some(
                b"vn" | b"vt" | b"f" | b"o" | b"g" | b"s" | b"mtllib" | b"usemtl" | b"l" | b"p",
            ) => {}
            Some(_) => return None,
            None => break,
        }
        if !text.next_line() {
            break;
        }
        word = text.word_across_lines();
    }
    has_vertex.then_some(Format::Obj)
}

/// The number of lines that are examined to detect OBJ.
const OBJ_LINES_TO_DETECT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_takes_precedence_over_the_extension() {
        let detect = |bytes: &[u8], name| Format::detect(bytes, name).ok();
        assert_eq!(detect(b"ply\nformat ascii 1.0\n", "a.obj"), Some(Format::Ply));
        assert_eq!(detect(b"glTF....", "a.gltf"), Some(Format::Glb));
        assert_eq!(detect(b"{}", "a.glb"), Some(Format::Gltf));
        assert_eq!(detect(b"# c\nCOFF\n", "a.STL"), Some(Format::Off));
        assert_eq!(detect(b"solid x\n", "a.STL"), Some(Format::Stl));
        assert_eq!(detect(b"OFF to STL by a converter", "a.stl"), Some(Format::Stl));
        let mut header = b"ply\n".to_vec();
        header.resize(84, 0);
        assert_eq!(detect(&header, "a.stl"), Some(Format::Stl));
        assert_eq!(detect(b"v 0 0 0", "a.Obj"), Some(Format::Obj));
        assert_eq!(detect(b"{\"asset\":{}}", "a.json"), Some(Format::Gltf));
        assert_eq!(detect(b"{\"part\":[]}", "a.json"), Some(Format::SceneJson));
    }

    #[test]
    fn files_without_a_known_extension_are_detected_or_rejected() {
        let detect = |bytes: &[u8]| Format::detect(bytes, "mesh").ok();
        assert_eq!(detect(b"# x\nmtllib a.mtl\nv 0 0 0\nf 1 1 1\n"), Some(Format::Obj));
        assert_eq!(detect(b"solid a\n facet normal 0 0 1\n"), Some(Format::Stl));
        assert_eq!(detect(b"solid ground is what we need\nhere\n"), None);
        assert_eq!(detect(b"newmtl a\n"), None);
        assert_eq!(detect(b""), None);
        let mut stl = vec![0u8; 84 + 50];
        stl[80] = 1;
        assert_eq!(detect(&stl), Some(Format::Stl));
        for (bytes, name) in [
            (&b"PK\x03\x04"[..], "a.3MF"),
            (b"<robot/>", "a.urdf"),
            (b"[[1,2]]", "a.json"),
            (b"{\"cases\":[]}", "a.json"),
        ] {
            let error = Format::detect(bytes, name).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownFormat);
            assert!(error.to_string().contains("supported are .obj"), "{error}");
        }
    }

    #[test]
    fn extensions_determine_one_format_each() {
        for format in Format::ALL {
            for extension in format.extensions() {
                assert_eq!(Format::from_extension(extension), Some(*format));
                let upper = extension.to_uppercase();
                assert_eq!(Format::from_extension(&upper), Some(*format));
            }
        }
        assert_eq!(
            supported(),
            "supported are .obj, .stl, .ply, .off, .gltf, .glb and scene files .toml, .json"
        );
    }

    #[test]
    fn off_keywords() {
        for word in ["OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCN4nOFF", "4OFF", "nOFF"] {
            assert!(off_keyword(word.as_bytes()), "{word}");
        }
        for word in ["off", "XOFF", "NCOFF", "OFFX", ""] {
            assert!(!off_keyword(word.as_bytes()), "{word}");
        }
    }
}
