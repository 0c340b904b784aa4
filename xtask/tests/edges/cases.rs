//! The search for uses, on small crates: which uses it finds, and what it refuses.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Table;

use crate::modules::{self, Uses};
use crate::{crates, rules};

/// The root of the small crates. Each module may use those before it.
const LIB: &str = "mod exact; mod shape; mod world; pub mod internals;
    pub use glam;
    pub use shape::{Kind as ShapeKind, self as forms};
    pub use crate::world::World;
    #[cfg(all(doctest, feature = \"files\"))] struct Readme;";

/// The uses in a crate of these files; those that are missing are empty.
fn uses(files: &[(&str, &str)]) -> Uses {
    let names = ["exact.rs", "shape/mod.rs", "world.rs", "internals.rs"];
    let mut all: BTreeMap<&str, &str> = names.map(|name| (name, "")).into();
    all.insert("lib.rs", LIB);
    all.extend(files.iter().copied());
    let read = |file: &Path| all.get(file.to_str().expect("UTF-8")).map(|t| (*t).to_owned());
    modules::uses(&read)
}

/// The modules that code in `exact` uses.
fn used_by_exact(code: &str) -> Vec<String> {
    let uses = uses(&[("exact.rs", code)]);
    assert!(uses.refused.is_empty(), "{code}: {:?}", uses.refused);
    assert!(uses.edges.keys().all(|(from, _)| from == "exact"), "{code}: {:?}", uses.edges);
    uses.edges.into_keys().map(|(_, to)| to).collect()
}

#[test]
fn every_way_to_name_a_module_is_found() {
    for code in [
        "use crate::world;",
        "use crate::world::World as W;",
        "use crate::world::*;",
        "use {crate::world::X};",
        "use crate::{world::{X, Y}};",
        "use crate::{{world::X}};",
        "use crate::{self::world::X};",
        "use super::world::X;",
        "use self::super::world;",
        "use super::{world::X};",
        "use crate::{exact::Y, world::X};",
        "use crate::r#world::X;",
        "mod inner { use super::super::world::X; }",
        "mod inner { use super::{super::world::X}; }",
        "mod inner { mod deep { use super::super::{super::{world::X}}; } }",
        "fn f() { crate::world::g(); }",
        "fn f() { super::world::g::<u8>(); }",
        "fn f() { mod inner { fn g() { super::super::world::g(); } } }",
        "fn f() { use super::world::X; }",
        "fn f() -> super::world::X { <super::world::X as Default>::default() }",
        "fn f() { print!(\"{}\", [crate::world::X]); }",
        "macro_rules! m { () => { $crate::world::X }; }",
        "macro_rules! m { () => { use $crate::{world::X}; }; }",
        "import!(crate::{world::X, exact::Y});",
        "import!(super::world::*);",
        "impl crate::world::Trait for X {}",
        "#[serde(with = \"crate::world::serial\")] struct X;",
        "struct X { #[serde(serialize_with = \"super::world::f\")] y: u8 }",
        "#[cfg(any(test, feature = \"files\"))] use crate::world::X;",
        "#[cfg(not(test))] use crate::world::X;",
        // Names that the root re-exports.
        "use crate::World;",
        "use super::World as Other;",
        "fn f() { crate::World::new(); }",
    ] {
        assert_eq!(used_by_exact(code), ["world"], "{code}");
    }
    for code in ["use crate::ShapeKind;", "use crate::forms::X;", "use crate::{ShapeKind as K};"] {
        assert_eq!(used_by_exact(code), ["shape"], "{code}");
    }
    let both = used_by_exact("use crate::{shape::{X, Y as Z}, world::{self, V}};");
    assert_eq!(both, ["shape", "world"]);
}

#[test]
fn innocent_code_uses_nothing() {
    for code in [
        "",
        "use std::collections::{BTreeMap, btree_map::*};",
        "use ::world::X;",
        "use crate::exact::X;",
        "use crate::glam::DVec3;",
        "use self::inner::world; mod inner { pub mod world {} }",
        "mod inner { use super::*; use super::world; use super::{self as outer}; }",
        "mod world {} fn f() { world::g(); }",
        "pub(crate) struct X; pub(super) struct Y; pub(in crate::exact) struct Z;",
        "#[cfg(test)] mod tests { use crate::world::X; }",
        "#[cfg(all(test, feature = \"files\"))] use crate::world::X;",
        "#[cfg(test)] mod tests;",
        "#[doc = \"crate::world::X\"] struct X;",
        "/// Used by [`crate::world::X`].\nstruct X;",
        "const TEXT: &str = \"use crate::world::X;\";",
        "fn f(x: X) -> impl Iterator + use<'_> { x.world() }",
        "struct X { world: u8 } fn f(x: X) -> u8 { x.world }",
    ] {
        let uses = used_by_exact(code);
        assert!(uses.is_empty(), "{code}: {uses:?}");
    }
}

#[test]
fn modules_in_files_are_searched_at_their_depth() {
    let uses = uses(&[
        ("shape/mod.rs", "mod core; mod deep;"),
        ("shape/core.rs", "use super::super::exact::X; use super::world;"),
        ("shape/deep/mod.rs", "mod end { mod inside; }"),
        ("shape/deep/end/inside.rs", "use super::super::super::super::world::X;"),
    ]);
    assert!(uses.refused.is_empty(), "{:?}", uses.refused);
    let edges: Vec<_> = uses.edges.iter().map(|((a, b), at)| (&**a, &**b, &*at[0])).collect();
    let expected =
        [("shape", "exact", "shape/core.rs"), ("shape", "world", "shape/deep/end/inside.rs")];
    assert_eq!(edges, expected);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let root = "imports the root";
    for (file, code, why) in [
        ("exact.rs", "use crate as root;", root),
        ("exact.rs", "use crate::{self as root};", root),
        ("exact.rs", "use super as root;", root),
        ("exact.rs", "use crate::*; fn f() { world::g(); }", root),
        ("exact.rs", "use super::*;", root),
        ("exact.rs", "use {crate::*};", root),
        ("exact.rs", "mod inner { use super::super::*; }", root),
        ("exact.rs", "mod inner { use super::{super::*}; }", root),
        ("exact.rs", "import!(crate::*);", root),
        ("exact.rs", "fn f() { use crate::*; }", root),
        ("exact.rs", "extern crate self as me;", "another name"),
        ("exact.rs", "fn f() { extern crate self as me; }", "another name"),
        ("exact.rs", "use crate::internals::X;", "for other crates only"),
        ("exact.rs", "fn f() { crate::internals::pair::g(); }", "for other crates only"),
        ("exact.rs", "use crate::unknown;", "neither a module nor a re-exported name"),
        ("exact.rs", "use super::super::X;", "out of the crate"),
        ("exact.rs", "#[path = \"../world.rs\"] mod other;", "cannot be followed"),
        ("exact.rs", "#[cfg_attr(unix, path = \"x.rs\")] mod other;", "cannot be followed"),
        ("exact.rs", "#[macro_use] mod macros {}", "cannot be followed"),
        ("exact.rs", "#[macro_export] macro_rules! m { () => {}; }", "macro_export"),
        ("exact.rs", "macro_rules! m { ($p:path) => { use $p; }; }", "cannot be followed"),
        ("exact.rs", "macro_rules! m { ($n:ident) => { mod $n {} }; }", "cannot be followed"),
        ("exact.rs", "fn f() { mod inner; }", "cannot be followed"),
        ("exact.rs", "include!(\"../world.rs\");", "include!"),
        ("exact.rs", "mod missing;", "no such file"),
        ("exact.rs", "fn f( {", "exact.rs: "),
        ("lib.rs", "mod exact; pub use exact::*;", "one by one"),
        ("lib.rs", "mod exact; pub use crate::{exact::inner::{A, *}};", "one by one"),
        ("lib.rs", "mod exact; mod world; pub use self::world::*;", "one by one"),
        ("lib.rs", "mod exact; use crate as root;", "another name"),
        ("lib.rs", "mod exact; extern crate self as me;", "only modules and re-exports"),
        ("lib.rs", "mod exact; fn f() { world::g(); }", "only modules and re-exports"),
        ("lib.rs", "#[path = \"world.rs\"] mod exact;", "cannot be followed"),
    ] {
        let uses = uses(&[(file, code)]);
        let text = uses.refused.join("\n");
        assert!(
            text.starts_with(&format!("{file}: ")) || why == "no such file",
            "{code}: {text:?}"
        );
        assert!(text.contains(why), "{code}: {text:?}");
    }
}

/// The rules of a small ARCHITECTURE.md.
const ARCHITECTURE: &str = "# A\n\n## The way of the data\n\n```\nexact  signs\nshape  forms\n\
    world  bodies\n```\n\n- `exact` uses `shape`: a reason.\n\n## The crates\n\n| `low` | a |\n| `high` | b |\n";

#[test]
fn an_upward_edge_is_reported_with_its_file() {
    let rules = rules::of_modules(ARCHITECTURE);
    let exception = "use crate::shape::X;";
    let correct = uses(&[("exact.rs", exception), ("world.rs", "use crate::{exact, shape};")]);
    assert_eq!(rules::violations(&rules, &correct.modules, &correct.edges), [""; 0]);
    let upward = uses(&[
        ("exact.rs", exception),
        ("shape/mod.rs", "mod a;"),
        ("shape/a.rs", "use super::super::World;"),
    ]);
    assert_eq!(
        rules::violations(&rules, &upward.modules, &upward.edges),
        ["`shape` uses `world`, which is below it: shape/a.rs"]
    );
    let unused = uses(&[]);
    assert_eq!(
        rules::violations(&rules, &unused.modules, &unused.edges),
        ["the exception \"`exact` uses `shape`\" is not used"]
    );
    let lib = "mod exact; mod other; mod world;";
    let wrong = uses(&[("lib.rs", lib), ("other.rs", ""), ("exact.rs", "")]);
    let found = rules::violations(&rules, &wrong.modules, &wrong.edges);
    assert_eq!(found[0], "`other` has no row");
    assert_eq!(found[1], "the row `shape` names no existing module or crate");
}

#[test]
fn every_way_to_depend_on_a_crate_is_found() {
    let workspace = "[workspace.dependencies]\nhigh = { path = \"h\" }\n\
        renamed = { package = \"high\", path = \"h\" }\n";
    let workspace: Table = workspace.parse().expect("a manifest");
    for text in [
        "[dependencies]\nhigh = \"1\"",
        "[dependencies]\nhigh.workspace = true",
        "[dependencies.high]\npath = \"../high\"",
        "[dependencies]\nother = { package = \"high\", path = \"../high\" }",
        "[dependencies]\nrenamed = { workspace = true, optional = true }",
        "[build-dependencies]\nhigh = \"1\"",
        "[target.'cfg(unix)'.dependencies]\nhigh = \"1\"",
        "[target.wasm32-unknown-unknown.build-dependencies]\nx = { package = \"high\" }",
    ] {
        let manifest: Table = text.parse().expect("a manifest");
        let found = crates::dependencies(&manifest, &workspace);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].1, "high", "{text}: {found:?}");
    }
    for text in [
        "[dev-dependencies]\nhigh = \"1\"",
        "[target.'cfg(unix)'.dev-dependencies]\nhigh = \"1\"",
        "[features]\nhigh = []",
    ] {
        let manifest: Table = text.parse().expect("a manifest");
        assert!(crates::dependencies(&manifest, &workspace).is_empty(), "{text}");
    }
    let other: Table = "[dependencies]\nhigh = { package = \"x\" }".parse().expect("a manifest");
    assert_eq!(crates::dependencies(&other, &workspace)[0].1, "x");
}
