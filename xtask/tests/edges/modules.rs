//! The uses between the modules of a crate. Code below `#[cfg(test)]` does not count.
//!
//! The files of the modules are read from the root down; [`paths`](super::paths) finds the paths in
//! them. A path counts as a use of the module of the root that it leads to, by itself or by a name
//! that the root re-exports. What an import brings into scope is used where it is imported. So that
//! no use is missed, forms that cannot be followed are refused: see [`Uses::refused`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, File, Item, Meta, Token, UseTree};

use crate::paths::{self, Found};
use crate::rules::Edges;

/// Modules of the root without a row: they only re-export items of other modules, for other crates.
const REEXPORTING_MODULES: [&str; 1] = ["internals"];

/// What the modules of a crate use.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// The modules at the root, without those that only re-export.
    pub(crate) modules: BTreeSet<String>,
    pub(crate) edges: Edges,
    /// Code that could hide a use, with its file and the reason.
    pub(crate) refused: Vec<String>,
}

/// The text of a file of the crate, by its path relative to `lib.rs`; `None` if there is none.
pub(crate) type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// The uses between the root's modules.
pub(crate) fn uses(read: Read<'_>) -> Uses {
    let mut reader = Reader { read, names: Names::default(), uses: Uses::default() };
    let lib = Path::new("lib.rs");
    let Some(File { items, .. }) = reader.parse(lib) else {
        return reader.uses;
    };
    reader.root(&items);
    for item in items.iter().filter(|i| !is_for_tests(attributes(i))) {
        if let Item::Mod(module) = item {
            if !REEXPORTING_MODULES.contains(&module.ident.to_string().as_str()) {
                reader.module(module, lib, Path::new(""), &[]);
            }
        }
    }
    reader.uses
}

/// The names at the root that are not modules.
#[derive(Default)]
struct Names {
    /// Names of items that the root re-exports, and the module of each.
    exports: BTreeMap<String, String>,
    /// Names of other crates and of their items.
    external: BTreeSet<String>,
}

struct Reader<'a> {
    read: Read<'a>,
    names: Names,
    uses: Uses,
}

impl Reader<'_> {
    fn refuse(&mut self, file: &Path, what: impl std::fmt::Display) {
        self.uses.refused.push(format!("{}: {what}", file.display()));
    }

    fn parse(&mut self, file: &Path) -> Option<File> {
        let parsed = match (self.read)(file) {
            Some(text) => syn::parse_file(&text).map_err(|e| e.to_string()),
            None => Err("there is no such file".to_owned()),
        };
        match parsed {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.refuse(file, error);
                None
            }
        }
    }

    /// Collects the names of the root. It may contain only modules and re-exports of single names,
    /// so that its own code uses nothing.
    fn root(&mut self, items: &[Item]) {
        let lib = Path::new("lib.rs");
        let items = || items.iter().filter(|i| !is_for_tests(attributes(i)));
        for item in items() {
            if let Item::Mod(module) = item {
                let name = module.ident.to_string();
                if !REEXPORTING_MODULES.contains(&name.as_str()) {
                    self.uses.modules.insert(name);
                }
            }
        }
        for item in items() {
            match item {
                Item::Mod(_) => {}
                Item::Use(item) => self.export(&item.tree, &mut Vec::new(), lib),
                item => {
                    let text = item.to_token_stream().to_string();
                    let text: String = text.chars().take(60).collect();
                    let what = "the root may contain only modules and re-exports, not";
                    self.refuse(lib, format_args!("{what} `{text}`"));
                }
            }
        }
    }

    /// Collects the names of a `use` at the root, behind the names before it.
    fn export(&mut self, tree: &UseTree, before: &mut Vec<String>, lib: &Path) {
        let (name, last) = match tree {
            UseTree::Path(path) => {
                let name = path.ident.to_string();
                // The root itself.
                let is_step = before.is_empty() && (name == "crate" || name == "self");
                if !is_step {
                    before.push(name);
                }
                self.export(&path.tree, before, lib);
                if !is_step {
                    before.pop();
                }
                return;
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.export(tree, before, lib);
                }
                return;
            }
            UseTree::Glob(_) => {
                let of = before.join("::");
                let what = "cannot be followed: re-export the names one by one";
                return self.refuse(lib, format_args!("`use {of}::*` at the root {what}"));
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(name) => (name.rename.to_string(), name.ident.to_string()),
        };
        let (name, first) = match (before.first(), last.as_str()) {
            (None, "crate" | "self") => {
                let what = "gives the root another name, which cannot be followed";
                return self.refuse(lib, format_args!("`use {last} as {name}` {what}"));
            }
            (Some(_), "self") if name == "self" => {
                (before[before.len() - 1].clone(), before[0].clone())
            }
            (Some(first), _) => (name, first.clone()),
            (None, _) => (name, last),
        };
        if self.uses.modules.contains(&first) {
            self.names.exports.insert(name, first);
        } else {
            self.names.external.insert(name);
        }
    }

    /// Reads a module that `file` declares. `folder` is that of its own files, `around` the names
    /// of the modules around it, from the root.
    fn module(&mut self, module: &syn::ItemMod, file: &Path, folder: &Path, around: &[String]) {
        let name = module.ident.to_string();
        for attribute in &module.attrs {
            let text = attribute.meta.to_token_stream().to_string();
            let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let is_doc = attribute.path().is_ident("doc");
            if !is_doc && words.iter().any(|w| ["path", "macro_use"].contains(w)) {
                let what = "an attribute that cannot be followed";
                self.refuse(file, format_args!("`mod {name}` has {what}: `{text}`"));
                return;
            }
        }
        let own: Vec<String> = around.iter().cloned().chain([name.clone()]).collect();
        let below = folder.join(&name);
        if let Some((_, items)) = &module.content {
            return self.items(items, file, &below, &own);
        }
        let flat = folder.join(format!("{name}.rs"));
        let file = if (self.read)(&flat).is_some() { flat } else { below.join("mod.rs") };
        if let Some(File { items, .. }) = self.parse(&file) {
            self.items(&items, &file, &below, &own);
        }
    }

    fn items(&mut self, items: &[Item], file: &Path, folder: &Path, own: &[String]) {
        for item in items.iter().filter(|i| !is_for_tests(attributes(i))) {
            if let Item::Mod(module) = item {
                self.module(module, file, folder, own);
                continue;
            }
            for found in paths::in_tokens(item.to_token_stream(), own) {
                match found {
                    Found::Name(name) => self.add_edge(&own[0], &name, file),
                    Found::Refused(what) => self.refuse(file, what),
                }
            }
        }
    }

    /// Records that a file of the module `from` uses `crate::name`.
    fn add_edge(&mut self, from: &str, name: &str, file: &Path) {
        let to = self.names.exports.get(name).map_or(name, String::as_str).to_owned();
        if to == from || (to == name && self.names.external.contains(name)) {
            return;
        }
        if !self.uses.modules.contains(&to) {
            let why = if REEXPORTING_MODULES.contains(&&*to) {
                "which is for other crates only"
            } else {
                "which is neither a module nor a re-exported name"
            };
            return self.refuse(file, format_args!("it uses `crate::{to}`, {why}"));
        }
        let place = file.display().to_string();
        let places = self.uses.edges.entry((from.to_owned(), to)).or_default();
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::ExternCrate(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

/// Whether the attributes restrict an item to tests or documentation tests.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.path().is_ident("cfg").then(|| attribute.parse_args::<Meta>());
        condition.is_some_and(|c| c.is_ok_and(|c| holds_only_in_tests(&c)))
    })
}

fn holds_only_in_tests(condition: &Meta) -> bool {
    let Meta::List(list) = condition else {
        return condition.path().is_ident("test") || condition.path().is_ident("doctest");
    };
    let Ok(parts) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
        return false;
    };
    if list.path.is_ident("all") {
        parts.iter().any(holds_only_in_tests)
    } else {
        list.path.is_ident("any") && !parts.is_empty() && parts.iter().all(holds_only_in_tests)
    }
}

/// Reads the files below a folder.
pub(crate) fn on_disk(source: &Path) -> impl Fn(&Path) -> Option<String> {
    let source = PathBuf::from(source);
    move |file| std::fs::read_to_string(source.join(file)).ok()
}
