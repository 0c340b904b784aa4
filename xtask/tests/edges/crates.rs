//! The dependencies between the crates of the workspace. Dependencies of tests do not count: tests
//! may use any crate as a reference.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toml::Table;

use crate::rules::Edges;

fn manifest(file: &Path) -> Table {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// The names of the crates and the dependencies between them.
pub(crate) fn edges(root: &Path) -> (BTreeSet<String>, Edges) {
    let folders = fs::read_dir(root.join("crates")).expect("the folder of crates can be read");
    let mut files: Vec<_> =
        folders.map(|f| f.expect("an entry").path().join("Cargo.toml")).collect();
    files.push(root.join("xtask/Cargo.toml"));
    files.sort();
    let manifests: Vec<(String, Table)> = files
        .iter()
        .filter(|f| f.exists())
        .map(|f| {
            let table = manifest(f);
            let name = table["package"]["name"].as_str().expect("a package has a name").to_owned();
            (name, table)
        })
        .collect();
    let names: BTreeSet<String> = manifests.iter().map(|(name, _)| name.clone()).collect();
    let mut edges = Edges::new();
    for (from, table) in &manifests {
        for kind in ["dependencies", "build-dependencies"] {
            let Some(dependencies) = table.get(kind).and_then(toml::Value::as_table) else {
                continue;
            };
            for to in dependencies.keys().filter(|to| names.contains(*to)) {
                let place = format!("[{kind}] of {from}");
                edges.entry((from.clone(), to.clone())).or_default().push(place);
            }
        }
    }
    (names, edges)
}
