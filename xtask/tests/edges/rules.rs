//! The order of modules and crates in ARCHITECTURE.md.
//!
//! - The modules: the first fenced block below the heading `## The way of the data`. A line of it
//!   that starts with a lower-case letter is a row; its first word is the name of a module (`a+b`
//!   names two that may use each other). Lines before the first row that names a module of the
//!   engine, and lines that start with a space, are ignored.
//! - The crates: the table below `## The crates`; the name of a row is the text between the first
//!   two backquotes of the line.
//! - Exceptions: any line below one of these headings that begins with ``- `a` uses `b`: ``,
//!   followed by the reason.

use std::collections::{BTreeMap, BTreeSet};

/// Uses (from, to), and the files or tables that contain them.
pub(crate) type Edges = BTreeMap<(String, String), Vec<String>>;

/// The order and its exceptions.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    heading: &'static str,
    /// Row of each name.
    rows: BTreeMap<String, usize>,
    exceptions: BTreeSet<(String, String)>,
}

/// The lines between a heading of the second level and the next one.
fn section<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|l| *l != heading).skip(1);
    let lines: Vec<&str> = lines.take_while(|l| !l.starts_with("## ")).collect();
    assert!(!lines.is_empty(), "ARCHITECTURE.md has no section `{heading}`");
    lines
}

/// The texts in backquotes.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn exceptions(lines: &[&str]) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for line in lines.iter().filter(|l| l.starts_with("- `") && l.contains("` uses `")) {
        let mut names = quoted(line);
        let (Some(a), Some(b)) = (names.next(), names.next()) else {
            panic!("this exception must name two modules or crates in backquotes: {line}");
        };
        let reason = line.split_once("`: ").map_or("", |(_, reason)| reason);
        assert!(
            !reason.trim().is_empty(),
            "this exception must state its reason after the colon: {line}"
        );
        all.insert((a.to_owned(), b.to_owned()));
    }
    all
}

/// The rules for the modules of the engine.
pub(crate) fn of_modules(text: &str) -> Rules {
    let heading = "## The way of the data";
    let lines = section(text, heading);
    let block = lines.iter().skip_while(|l| !l.starts_with("```")).skip(1);
    let mut rows = BTreeMap::new();
    for (row, line) in block.take_while(|l| !l.starts_with("```")).enumerate() {
        let word = line.split(' ').next().unwrap_or("");
        for name in word.split('+') {
            if !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                let before = rows.insert(name.to_owned(), row);
                assert!(before.is_none(), "`{name}` has two rows");
            }
        }
    }
    Rules { heading, rows, exceptions: exceptions(&lines) }
}

/// The rules for the crates.
pub(crate) fn of_crates(text: &str) -> Rules {
    let heading = "## The crates";
    let lines = section(text, heading);
    let table = lines.iter().filter(|l| l.starts_with("| `"));
    let names = table.filter_map(|l| quoted(l).next().map(str::to_owned));
    let rows = names.enumerate().map(|(row, name)| (name, row)).collect();
    Rules { heading, rows, exceptions: exceptions(&lines) }
}

/// Fails with the list of all violations.
pub(crate) fn check(rules: &Rules, names: &BTreeSet<String>, edges: &Edges) {
    let wrong = violations(rules, names, edges);
    assert!(
        wrong.is_empty(),
        "violations of ARCHITECTURE.md, section `{}`:\n{}",
        rules.heading,
        wrong.join("\n")
    );
}

/// The violations of the rules, each as a line of text.
pub(crate) fn violations(rules: &Rules, names: &BTreeSet<String>, edges: &Edges) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in names.iter().filter(|n| !rules.rows.contains_key(*n)) {
        wrong.push(format!("`{name}` has no row"));
    }
    let first = names.iter().filter_map(|n| rules.rows.get(n)).min();
    for (name, row) in &rules.rows {
        if Some(row) > first && !names.contains(name) {
            wrong.push(format!("the row `{name}` names no existing module or crate"));
        }
    }
    for ((from, to), places) in edges {
        let (Some(a), Some(b)) = (rules.rows.get(from), rules.rows.get(to)) else { continue };
        if b > a && !rules.exceptions.contains(&(from.clone(), to.clone())) {
            wrong.push(format!("`{from}` uses `{to}`, which is below it: {}", places.join(", ")));
        }
    }
    for (from, to) in &rules.exceptions {
        if !edges.contains_key(&(from.clone(), to.clone())) {
            wrong.push(format!("the exception \"`{from}` uses `{to}`\" is not used"));
        }
    }
    wrong
}
