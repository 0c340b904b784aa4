//! The uses between the modules of a crate, by paths: `crate::other::...`, `crate::Name` for a name
//! that `lib.rs` re-exports, and `super::...` where that leads to the root. Code below
//! `#[cfg(test)]` does not count.
//!
//! Paths are searched in the tokens of the items, not in their syntax trees, so that paths in
//! arguments of macros are found as well.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, File, Item, UseTree};

use crate::rules::Edges;

/// Modules of the root without a row: they only re-export items of other modules.
const REEXPORTING_MODULES: [&str; 1] = ["internals"];

fn parse(file: &Path) -> File {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
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

fn is_for_tests(item: &Item) -> bool {
    attributes(item).iter().any(|a| a.to_token_stream().to_string() == "# [cfg (test)]")
}

/// The modules at the root, without those that only re-export.
pub(crate) fn names(source: &Path) -> BTreeSet<String> {
    let items = parse(&source.join("lib.rs")).items;
    let modules = items.iter().filter(|i| !is_for_tests(i)).filter_map(|i| match i {
        Item::Mod(m) => Some(m.ident.to_string()),
        _ => None,
    });
    modules.filter(|m| !REEXPORTING_MODULES.contains(&m.as_str())).collect()
}

/// The names that the root re-exports, and the module of each.
fn exports(items: &[Item]) -> BTreeMap<String, String> {
    fn leaves(tree: &UseTree, module: Option<&str>, found: &mut BTreeMap<String, String>) {
        match (tree, module) {
            (UseTree::Path(path), None) => {
                leaves(&path.tree, Some(&path.ident.to_string()), found);
            }
            (UseTree::Path(path), Some(m)) => leaves(&path.tree, Some(m), found),
            (UseTree::Name(name), Some(m)) => {
                drop(found.insert(name.ident.to_string(), m.to_owned()));
            }
            (UseTree::Rename(name), Some(m)) => {
                drop(found.insert(name.rename.to_string(), m.to_owned()));
            }
            (UseTree::Group(group), m) => group.items.iter().for_each(|t| leaves(t, m, found)),
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    for item in items {
        if let Item::Use(i) = item {
            leaves(&i.tree, None, &mut found);
        }
    }
    found
}

/// The uses between the root's modules.
pub(crate) fn edges(source: &Path) -> Edges {
    let items = parse(&source.join("lib.rs")).items;
    let mut reader =
        Reader { source, exports: exports(&items), modules: names(source), edges: Edges::new() };
    for name in reader.modules.clone() {
        reader.file(&name, source, &name, 1);
    }
    reader.edges
}

struct Reader<'a> {
    source: &'a Path,
    exports: BTreeMap<String, String>,
    modules: BTreeSet<String>,
    edges: Edges,
}

impl Reader<'_> {
    /// Reads the file of the module `name`, which is declared in `folder`, `depth` levels below the
    /// root.
    fn file(&mut self, name: &str, folder: &Path, root_module: &str, depth: usize) {
        let flat = folder.join(format!("{name}.rs"));
        let below = folder.join(name);
        let file = if flat.exists() { flat } else { below.join("mod.rs") };
        let items = parse(&file).items;
        self.items(&items, &file, &below, root_module, depth);
    }

    fn items(&mut self, items: &[Item], file: &Path, below: &Path, from: &str, depth: usize) {
        for item in items.iter().filter(|i| !is_for_tests(i)) {
            match item {
                Item::Mod(module) => match &module.content {
                    Some((_, inner)) => {
                        let below = below.join(module.ident.to_string());
                        self.items(inner, file, &below, from, depth + 1);
                    }
                    None => self.file(&module.ident.to_string(), below, from, depth + 1),
                },
                _ => {
                    let mut used = BTreeSet::new();
                    paths(item.to_token_stream(), depth, &mut used);
                    for name in used {
                        self.add_edge(from, &name, file);
                    }
                }
            }
        }
    }

    /// Records that a file of the module `from` uses `crate::name`.
    fn add_edge(&mut self, from: &str, name: &str, file: &Path) {
        let to = self.exports.get(name).map_or(name, String::as_str);
        if to == from || !self.modules.contains(to) {
            return;
        }
        let place = file.strip_prefix(self.source).map(PathBuf::from).unwrap_or_default();
        let places = self.edges.entry((from.to_owned(), to.to_owned())).or_default();
        let place = place.display().to_string();
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
}

/// The names directly below the root, in paths that begin with `crate` or with `depth` times
/// `super`.
fn paths(tokens: TokenStream, depth: usize, used: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => paths(group.stream(), depth, used),
            TokenTree::Ident(word) if word == "crate" && separated(&tokens, at + 1) => {
                first_names(&tokens[at + 3..], used);
            }
            TokenTree::Ident(word) if word == "super" => {
                let mut levels = 1;
                while separated(&tokens, at + 1)
                    && matches!(tokens.get(at + 3), Some(TokenTree::Ident(w)) if w == "super")
                {
                    levels += 1;
                    at += 3;
                }
                if levels == depth && separated(&tokens, at + 1) {
                    first_names(&tokens[at + 3..], used);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether the tokens at `at` are `::`.
fn separated(tokens: &[TokenTree], at: usize) -> bool {
    let colon =
        |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == ':');
    colon(tokens.get(at)) && colon(tokens.get(at + 1))
}

/// The first name of the rest of a path, or the first names of the group it consists of.
fn first_names(rest: &[TokenTree], used: &mut BTreeSet<String>) {
    match rest.first() {
        Some(TokenTree::Ident(word)) => drop(used.insert(word.to_string())),
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let mut is_first = true;
            for token in group.stream() {
                match token {
                    TokenTree::Ident(word) if is_first => {
                        used.insert(word.to_string());
                        is_first = false;
                    }
                    TokenTree::Punct(p) if p.as_char() == ',' => is_first = true,
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
