//! Comments wrap at 100 columns, in `.rs` and `.toml` files, including code in documentation.
//! rustfmt does not check this.
//!
//! Two kinds of lines may be longer, because they cannot be broken: rows of Markdown tables, and
//! comments of a single word, such as a link.

use std::fs;
use std::path::{Path, PathBuf};

const MAX_COLUMNS: usize = 100;

/// The text of a line that is a comment, without its marker.
fn comment<'a>(line: &'a str, extension: &str) -> Option<&'a str> {
    let line = line.trim_start();
    match extension {
        "rs" => line.strip_prefix("//").map(|text| text.trim_start_matches(['/', '!'])),
        "toml" => line.strip_prefix('#'),
        _ => None,
    }
}

/// Whether the line is a comment that has to be wrapped.
fn is_too_long(line: &str, extension: &str) -> bool {
    line.chars().count() > MAX_COLUMNS
        && comment(line, extension).is_some_and(|text| {
            let text = text.trim();
            !text.starts_with('|') && text.contains(char::is_whitespace)
        })
}

/// The numbers of the lines that have to be wrapped, counted from one.
fn long_comments(text: &str, extension: &str) -> Vec<usize> {
    let lines = text.lines().enumerate();
    lines.filter(|(_, line)| is_too_long(line, extension)).map(|(i, _)| i + 1).collect()
}

/// Adds the sources in a folder and the folders below it.
fn add_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            // Build folders of crates outside of the workspace.
            if name != "target" && !name.starts_with("target-") {
                add_sources(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "toml")
        {
            files.push(path);
        }
    }
}

#[test]
fn comments_wrap() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut files = Vec::new();
    for folder in ["crates", "fuzz", "xtask", ".cargo"] {
        add_sources(&root.join(folder), &mut files);
    }
    files.extend(["Cargo.toml", "clippy.toml", "rustfmt.toml"].map(|name| root.join(name)));
    assert!(files.len() > 500, "only {} files were found", files.len());
    let mut long = String::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        let extension = file.extension().and_then(|extension| extension.to_str());
        for line in long_comments(&text, extension.unwrap_or_default()) {
            long.push_str(&format!(
                "{}:{line}\n",
                file.strip_prefix(root).unwrap_or(&file).display()
            ));
        }
    }
    assert!(long.is_empty(), "comments of more than {MAX_COLUMNS} columns:\n{long}");
}

#[test]
fn long_comments_are_found() {
    let words = "word ".repeat(20);
    let is_found = |line: &str, extension: &str| !long_comments(line, extension).is_empty();
    for marker in ["//", "///", "//!", "    //", "        ///"] {
        assert!(is_found(&format!("{marker} {words}"), "rs"), "{marker}");
        assert!(!is_found(&format!("{marker} {}", &words[..70]), "rs"), "{marker}");
    }
    assert!(is_found(&format!("# {words}"), "toml"));
    assert!(!is_found(&format!("#{}", "d".repeat(99)), "toml"));
    // Exactly 100 columns, and one more; columns are characters, not bytes.
    assert!(!is_found(&format!("// {}{}", "w ".repeat(48), "w"), "rs"));
    assert!(!is_found(&format!("// {}{}", "\u{3b5} ".repeat(48), "w"), "rs"));
    assert!(is_found(&format!("// {}{}", "w ".repeat(48), "www"), "rs"));
    assert_eq!(
        long_comments(&format!("// short\n// {words}\nfn f() {{}}\n// {words}"), "rs"),
        [2, 4]
    );
}

#[test]
fn other_long_lines_are_allowed() {
    let words = "word ".repeat(20);
    let is_found = |line: &str, extension: &str| !long_comments(line, extension).is_empty();
    // Code, rows of tables, links.
    assert!(!is_found(&format!("let text = \"{words}\";"), "rs"));
    assert!(!is_found(&format!("name = \"{words}\""), "toml"));
    assert!(!is_found(&format!("#[expect(clippy::all, reason = \"{words}\")]"), "rs"));
    assert!(!is_found(&format!("/// | {words} | {words} |"), "rs"));
    assert!(!is_found(&format!("// https://example.org/{}", "path/".repeat(20)), "rs"));
}
