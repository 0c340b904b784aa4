//! The dependencies between the crates of the workspace. Dependencies of tests do not count: tests
//! may use any crate as a reference.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::rules::Edges;

fn manifest(file: &Path) -> Table {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// The names of the crates and the dependencies between them.
pub(crate) fn edges(root: &Path) -> (BTreeSet<String>, Edges) {
    let workspace = manifest(&root.join("Cargo.toml"));
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
        for (place, to) in dependencies(table, &workspace) {
            if names.contains(&to) {
                let place = format!("[{place}] of {from}");
                edges.entry((from.clone(), to)).or_default().push(place);
            }
        }
    }
    (names, edges)
}

/// The packages that a manifest depends on, each with the table that says so: for all targets or
/// for some, and under its own name or another one.
pub(crate) fn dependencies(manifest: &Table, workspace: &Table) -> Vec<(String, String)> {
    let mut found = of_tables(manifest, "", workspace);
    let targets = manifest.get("target").and_then(Value::as_table);
    for (target, tables) in targets.into_iter().flatten() {
        if let Some(tables) = tables.as_table() {
            found.extend(of_tables(tables, &format!("target.'{target}'."), workspace));
        }
    }
    found
}

fn of_tables(tables: &Table, prefix: &str, workspace: &Table) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for kind in ["dependencies", "build-dependencies", "build_dependencies"] {
        let entries = tables.get(kind).and_then(Value::as_table);
        for (name, entry) in entries.into_iter().flatten() {
            found.push((format!("{prefix}{kind}"), package(name, entry, workspace)));
        }
    }
    found
}

/// The package of a dependency, which may have another name in the manifest, or in that of the
/// workspace if the dependency is inherited.
fn package(name: &str, entry: &Value, workspace: &Table) -> String {
    let key = |table: &Value| table.get("package").and_then(Value::as_str).map(str::to_owned);
    let inherited = || {
        let inherits = entry.get("workspace").and_then(Value::as_bool) == Some(true);
        inherits.then(|| workspace.get("workspace")?.get("dependencies")?.get(name)).flatten()
    };
    key(entry).or_else(|| key(inherited()?)).unwrap_or_else(|| name.to_owned())
}
