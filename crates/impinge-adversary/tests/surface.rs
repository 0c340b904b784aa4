//! Every public query of the library has a row in the adversary's table.
//!
//! The test reads the library's source, follows its public modules and re-exports are ignored: a public function in a public or re-exporting file counts by the
//! file it stands in.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::{FnArg, ImplItem, Item, ReturnType, Signature, Visibility};

struct Found {
    path: String,
    signature: String,
}

fn is_query(s: &Signature) -> bool {
    let has_output = !matches!(s.output, ReturnType::Default);
    let inputs = s.inputs.iter().filter(|a| matches!(a, FnArg::Typed(_))).count();
    let out = s.output.to_token_stream().to_string();
    let constructor = out.contains("Self");
    let sink = s.inputs.to_token_stream().to_string().contains("& mut dyn");
    (has_output || sink) && inputs > 0 && !constructor
}

fn scan(file: &Path, module: &str, found: &mut Vec<Found>) {
    let text = fs::read_to_string(file).unwrap();
    let parsed = syn::parse_file(&text).unwrap();
    items(&parsed.items, module, found);
}

fn items(list: &[Item], module: &str, found: &mut Vec<Found>) {
    for item in list {
        match item {
            Item::Fn(f) if matches!(f.vis, Visibility::Public(_)) && is_query(&f.sig) => {
                found.push(Found { path: format!("{module}::{}", f.sig.ident), signature: f.sig.to_token_stream().to_string() });
            }
            Item::Impl(i) if i.trait_.is_none() => {
                let ty = i.self_ty.to_token_stream().to_string();
                for it in &i.items {
                    if let ImplItem::Fn(f) = it {
                        if matches!(f.vis, Visibility::Public(_)) && is_query(&f.sig) {
                            found.push(Found { path: format!("{module}::{}::{}", ty.split('<').next().unwrap().trim(), f.sig.ident), signature: f.sig.to_token_stream().to_string() });
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for e in fs::read_dir(dir).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() { files(&p, out) } else if p.extension().is_some_and(|e| e == "rs") { out.push(p) }
    }
}

#[test]
fn list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../impinge/src");
    let mut all = Vec::new();
    files(&root, &mut all);
    all.sort();
    let mut found = Vec::new();
    for f in &all {
        let rel = f.strip_prefix(&root).unwrap();
        let m = rel.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        scan(f, &m, &mut found);
    }
    let set: BTreeSet<_> = found.iter().map(|f| format!("{}    {}", f.path, f.signature)).collect();
    for s in &set { println!("{s}"); }
    println!("{}", set.len());
}
