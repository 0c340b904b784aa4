//! The dependencies between modules and crates follow ARCHITECTURE.md.
//!
//! The test reads two lists of ARCHITECTURE.md (see `rules` for their format): the block of modules
//! in "The way of the data" and the table in "The crates". A module of the engine may use only
//! modules above it in the block, and a crate may depend only on crates above it in the table,
//! except where an exception is listed below the list. An exception that is not used fails too, and
//! so does code that cannot be followed (see `modules`).

mod cases;
mod crates;
mod modules;
mod paths;
mod rules;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace").to_owned()
}

fn architecture() -> String {
    let file = root().join("ARCHITECTURE.md");
    std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

#[test]
fn modules_use_only_modules_above_them() {
    let rules = rules::of_modules(&architecture());
    let source = root().join("crates/impinge/src");
    let uses = modules::uses(&modules::on_disk(&source));
    let refused = uses.refused.join("\n");
    assert!(refused.is_empty(), "code that could hide a use of a module:\n{refused}");
    assert!(uses.modules.len() > 15 && uses.edges.len() > 50, "{uses:?}");
    rules::check(&rules, &uses.modules, &uses.edges);
}

#[test]
fn crates_depend_only_on_crates_above_them() {
    let rules = rules::of_crates(&architecture());
    let (names, edges) = crates::edges(&root());
    rules::check(&rules, &names, &edges);
}
