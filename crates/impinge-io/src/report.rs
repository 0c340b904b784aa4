//! Reports about loaded files: what was read, and what was omitted and why.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Location;
use crate::format::Format;

/// The maximum number of different reasons per list; further reasons are counted together.
const MAX_REASONS: usize = 48;

/// The reports of all files of a document: the loaded file first, then the files it references.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadReport {
    /// One entry per file read.
    pub files: Vec<FileReport>,
}

/// The report of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// The path or name of the file.
    pub name: String,
    /// The format it was read as.
    pub format: Format,
    /// The variant of the format: `binary`, `ASCII`, `COFF`, ...; empty if the format has none.
    pub variant: String,
    /// Number of vertices of all meshes of this file.
    pub vertices: usize,
    /// Number of polygons of all meshes of this file.
    pub faces: usize,
    /// Number of parts (instances) of this file.
    pub parts: usize,
    /// Content that is omitted because it is not geometry: normals, colours, materials, ...
    pub ignored: Vec<Note>,
    /// Content that is omitted although it may be relevant: lines, points, free-form surfaces,
    /// faces with fewer than three corners, unknown keywords, rules that match nothing, ...
    pub skipped: Vec<Note>,
}

/// Items omitted for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The kind of the items.
    pub reason: Cow<'static, str>,
    /// The number of items.
    pub count: u64,
    /// The place of the first item.
    pub first: Location,
}

impl LoadReport {
    /// All skipped items with their files. Empty if all geometry of all files was read.
    pub fn skipped(&self) -> impl Iterator<Item = (&FileReport, &Note)> {
        self.files.iter().flat_map(|file| file.skipped.iter().map(move |note| (file, note)))
    }

    /// Whether nothing was skipped.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.skipped().next().is_none()
    }
}

impl FileReport {
    pub(crate) fn new(name: &str, format: Format) -> Self {
        Self {
            name: name.to_string(),
            format,
            variant: String::new(),
            vertices: 0,
            faces: 0,
            parts: 0,
            ignored: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// Adds `count` items that are not geometry.
    pub(crate) fn ignore(
        &mut self,
        reason: impl Into<Cow<'static, str>>,
        count: u64,
        first: Location,
    ) {
        add(&mut self.ignored, reason.into(), count, first);
    }

    /// Adds `count` skipped items.
    pub(crate) fn skip(
        &mut self,
        reason: impl Into<Cow<'static, str>>,
        count: u64,
        first: Location,
    ) {
        add(&mut self.skipped, reason.into(), count, first);
    }
}

fn add(notes: &mut Vec<Note>, reason: Cow<'static, str>, count: u64, first: Location) {
    if count == 0 {
        return;
    }
    if let Some(note) = notes.iter_mut().find(|note| note.reason == reason) {
        note.count += count;
    } else if notes.len() < MAX_REASONS {
        notes.push(Note { reason, count, first });
    } else {
        // The last note counts all further items, so that a malicious file cannot make the list
        // long and its search slow.
        const OTHER: &str = "items of other kinds";
        match notes.last_mut() {
            Some(last) if last.reason == OTHER => last.count += count,
            _ => notes.push(Note { reason: OTHER.into(), count, first }),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.count, self.reason)?;
        if self.first != Location::Whole {
            write!(f, " (first: {})", self.first)?;
        }
        Ok(())
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        write!(f, "{}: {}", self.name, self.format)?;
        if !self.variant.is_empty() {
            write!(f, " ({})", self.variant)?;
        }
        write!(
            f,
            ", {}, {}, {}",
            counted(self.parts, "part", "parts"),
            counted(self.vertices, "vertex", "vertices"),
            counted(self.faces, "face", "faces")
        )?;
        for note in &self.ignored {
            write!(f, "\n  ignored: {note}")?;
        }
        for note in &self.skipped {
            write!(f, "\n  SKIPPED: {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, file) in self.files.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{file}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ItemKind;

    #[test]
    fn notes_count_items_by_reason_and_have_the_first_location() {
        let mut file = FileReport::new("a.obj", Format::Obj);
        file.ignore("`vn` lines (normals)", 1, Location::Line(3));
        file.ignore("`vn` lines (normals)", 1, Location::Line(4));
        file.skip("`l` lines (line elements)", 1, Location::Line(9));
        file.skip("nothing", 0, Location::Whole);
        assert_eq!(
            file.to_string(),
            "a.obj: OBJ, 0 parts, 0 vertices, 0 faces\n  ignored: 2 x `vn` lines (normals) (first: line 3)\n  \
             SKIPPED: 1 x `l` lines (line elements) (first: line 9)"
        );
        let report = LoadReport { files: vec![file] };
        assert!(!report.is_complete());
        assert_eq!(report.skipped().count(), 1);
    }

    #[test]
    fn reports_are_equal_after_a_round_trip() {
        let mut file = FileReport::new("a.glb", Format::Glb);
        file.variant = "binary".into();
        file.ignore("normals", 2, Location::Item(ItemKind::Accessor, 4));
        file.skip("points", 1, Location::Line(9));
        file.skip("lines", 3, Location::Offset(80));
        file.skip("rules", 1, Location::Whole);
        let report = LoadReport { files: vec![file] };
        let text = serde_json::to_string(&report).unwrap();
        assert!(text.contains(r#""first":{"Item":["Accessor",4]}"#), "{text}");
        assert_eq!(serde_json::from_str::<LoadReport>(&text).unwrap(), report);
        let unknown = text.replace("Accessor", "Friend");
        assert!(serde_json::from_str::<LoadReport>(&unknown).is_err());
    }

    #[test]
    fn the_number_of_reasons_is_limited() {
        let mut file = FileReport::new("a.obj", Format::Obj);
        for i in 0..1000 {
            file.skip(format!("keyword {i}"), 1, Location::Line(i));
        }
        assert_eq!(file.skipped.len(), MAX_REASONS + 1);
        assert_eq!(file.skipped.iter().map(|n| n.count).sum::<u64>(), 1000);
    }
}
