//! Every public query of the library has a row in the table of queries.
//!
//! The test reads the library's source: all public functions and methods that take an argument
//! other than `self` and return a value that is not of their own type. Each must be listed by a
//! row, or be listed below with the reason why it is not a query. A query added without a row fails
//! here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use impinge_adversary::queries::rows;
use quote::ToTokens;
use syn::{
    Attribute, FnArg, ImplItem, Item, ReturnType, Signature, TraitItem, UseTree, Visibility,
};

/// Public functions that are not queries of two bodies, or of a point and a body, by reason. A name
/// that ends in `::` stands for all names that begin with it.
const NOT_QUERIES: &[(&str, &[&str])] = &[
    (
        "makes a mesh, a scene or a motion from parameters",
        &[
            "shapes::",
            "scene::Scene::add",
            "scene::Scene::add_scaled",
            "scene::Scene::load",
            "scene::Scene::load_with",
            "scene::Scene::is_ignored",
            "zachmann::broad::phase_by_name",
            "method_by_name",
        ],
    ),
    (
        "reads one entry of a mesh's own lists, by its index",
        &[
            "mesh::Topology::",
            "mesh::Edges::",
            "mesh::Components::",
            "mesh::Mesh::polygon",
            "mesh::Mesh::polygon_of",
            "mesh::Mesh::triangles_of",
            "mesh::Mesh::shell_of",
            "convex::Hull::face",
            "convex::Hull::neighbors",
            "spheres::SphereTree::children",
            "spheres::SphereTree::level",
            "spheres::SphereTree::triangles",
            "broad::BroadPhase::pair_at",
            "broad::BroadPhase::pair_count",
        ],
    ),
    ("spends units of a budget, which a caller may do too", &["Budget::take", "Budget::part"]),
    ("allocates memory for later updates", &["broad::BroadPhase::reserve"]),
    (
        "makes points, cells or balls about one mesh, and is tested with its own oracle",
        &[
            "hubbard::delaunay::Delaunay::",
            "hubbard::spheres::annealed",
            "hubbard::spheres::medial",
            "hubbard::spheres::reaches",
        ],
    ),
    (
        "is tested with a body that approaches another one, by its own test",
        &["hubbard::broad_phase::BroadPhase::detect"],
    ),
    ("is a trait method that an application implements", &["hubbard::broad_phase::Bodies::"]),
    ("is tested with the polygons of meshes, with its own oracle", &["mesh::triangulate_polygon"]),
    (
        "stores or returns data of the application, or changes the state of a world",
        &[
            "world::World::add",
            "world::World::attach",
            "world::World::apply",
            "world::World::contains",
            "world::World::geometry",
            "world::World::local_pose",
            "world::World::move_to",
            "world::World::on_pair",
            "world::World::pair_user",
            "world::World::parent",
            "world::World::pose",
            "world::World::remove",
            "world::World::replace",
            "world::World::set_groups",
            "world::World::set_motion",
            "world::World::expire_motion",
            "world::World::has_motion",
            "world::World::motion_bound",
            "world::World::set_resolution",
            "world::World::set_class",
            "world::Interest::set_groups",
            "world::Command::supersedes",
            "world::World::set_interest",
            "world::World::set_pair_user",
            "world::World::user",
            "world::Detached::add",
            "world::Detached::contains",
            "world::FrameReport::pose",
            "world::Geometry::is_same",
            "world::Snapshot::",
            "motion::Scheduler::add_to_group",
        ],
    ),
    ("counts the work of a query, whose rows set budgets", &["Budget::take"]),
    (
        "approximates a contact while a search is open; the engine's tests compare it with the \
         closest points",
        &["pair::FirstSearch::contact"],
    ),
    ("changes the type of an answer", &["answer::Within::map"]),
    (
        "adds up measured times",
        &["klosowski::bv_tree::Counts::cost", "klosowski::bv_tree::BvQuery::measure"],
    ),
    (
        "is a step of a search whose answer a row checks",
        &[
            "leung::separating::HalfPlanes::insert",
            "leung::separating::Hemisphere::insert",
            "leung::separating::Rule::next",
            "leung::separating::Search::finish",
            "convex::Support::furthest",
            "convex::Support::mark",
            "convex::Support::point_of_mark",
            "broad::FrameInput::of",
            "broad::FrameInput::overlap",
        ],
    ),
    (
        "is a trait method that callers implement; the rows implement it",
        &[
            "Sink::",
            "NearSink::",
            "world::PairChecker::",
            "world::PairMethod::",
            "leung::HullTest::",
            "zachmann::box_tree::LeafOperation::",
            "zachmann::box_tree::TraversalCounts::",
            "klosowski::bv_tree::Counter::",
            "klosowski::bv_tree::Tumble::",
        ],
    ),
    (
        "rotates a direction or lists corners, without a verdict",
        &[
            "math::Pose::transform_vector",
            "math::convert::",
            "math::OrientedBox::motion",
            "klosowski::volume::Dop::vertices",
        ],
    ),
    (
        "makes a volume; the row of bounding volumes checks what it contains",
        &[
            "klosowski::volume::Volume::around",
            "klosowski::volume::Volume::around_triangles",
            "klosowski::volume::Volume::motion",
        ],
    ),
];

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// Public functions found in the source, by path, with their signatures.
type Found = BTreeMap<String, String>;

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        let text = a.to_token_stream().to_string();
        text.contains("hidden") || text.contains("cfg (test)")
    })
}

/// Whether a function is a query: it takes an argument other than `self`, and returns a value that
/// is not of its own type, as its result or through a sink.
fn is_query(signature: &Signature) -> bool {
    let inputs: Vec<String> = signature
        .inputs
        .iter()
        .filter(|a| matches!(a, FnArg::Typed(_)))
        .map(|a| a.to_token_stream().to_string())
        .collect();
    let by_sink = inputs.iter().any(|a| a.contains("& mut dyn"));
    let by_result = !matches!(signature.output, ReturnType::Default);
    let is_constructor = signature.output.to_token_stream().to_string().contains("Self");
    !inputs.is_empty() && (by_sink || by_result) && !is_constructor
}

fn add(found: &mut Found, path: &str, signature: &Signature) {
    found.insert(path.to_owned(), signature.to_token_stream().to_string());
}

/// The names that a public module exports: its own types, and items that it re-exports by name.
fn exports(items: &[Item], names: &mut BTreeSet<String>) {
    fn leaves(tree: &UseTree, names: &mut BTreeSet<String>) {
        match tree {
            UseTree::Path(path) => leaves(&path.tree, names),
            UseTree::Name(name) => drop(names.insert(name.ident.to_string())),
            UseTree::Rename(rename) => drop(names.insert(rename.ident.to_string())),
            UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, names)),
            UseTree::Glob(_) => {}
        }
    }
    for item in items {
        match item {
            Item::Use(i) if is_public(&i.vis) => leaves(&i.tree, names),
            Item::Struct(i) if is_public(&i.vis) => drop(names.insert(i.ident.to_string())),
            Item::Enum(i) if is_public(&i.vis) => drop(names.insert(i.ident.to_string())),
            _ => {}
        }
    }
}

/// What a pass over a crate's modules collects.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Exports,
    Functions,
}

/// Reads one crate, module by module.
struct Reader {
    /// Exported names: the path of the public module, and the name.
    exported: BTreeSet<(String, String)>,
    found: Found,
}

/// The location of a module.
struct Place<'a> {
    file: &'a Path,
    /// The folder of its submodules.
    folder: &'a Path,
    /// The public path of its items. Items of a private module have the path of the nearest public
    /// module above, which exports them.
    path: &'a str,
    /// Whether this module and all modules above it are public. If not, only exported items are
    /// public.
    is_public: bool,
}

impl Reader {
    /// Reads a module and the modules below it: exported names in the first pass, functions in the
    /// second.
    fn module(&mut self, place: &Place<'_>, pass: Pass) {
        let Place { file, folder, path, .. } = place;
        let text = read(file);
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        if pass == Pass::Exports && place.is_public {
            let mut names = BTreeSet::new();
            exports(&parsed.items, &mut names);
            self.exported.extend(names.into_iter().map(|name| ((*path).to_owned(), name)));
        }
        let at =
            |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") };
        let exported = self.exported.clone();
        // A module exports items of private modules below it. At the root, any export counts.
        let is_exported = |name: &str| {
            exported.iter().any(|(module, n)| n == name && (module == path || path.is_empty()))
        };
        let reached =
            |name: &str| pass == Pass::Functions && (place.is_public || is_exported(name));
        for item in &parsed.items {
            match item {
                Item::Fn(f) if is_public(&f.vis) && !is_hidden(&f.attrs) && is_query(&f.sig) => {
                    let name = f.sig.ident.to_string();
                    if reached(&name) {
                        add(&mut self.found, &at(&name), &f.sig);
                    }
                }
                Item::Impl(i) if i.trait_.is_none() => {
                    let of = i.self_ty.to_token_stream().to_string();
                    let of = of.split('<').next().unwrap_or("").trim();
                    let of = of.rsplit(' ').next().unwrap_or("");
                    for f in i.items.iter().filter_map(|x| match x {
                        ImplItem::Fn(f) => Some(f),
                        _ => None,
                    }) {
                        if reached(of)
                            && is_public(&f.vis)
                            && !is_hidden(&f.attrs)
                            && is_query(&f.sig)
                        {
                            add(&mut self.found, &at(&format!("{of}::{}", f.sig.ident)), &f.sig);
                        }
                    }
                }
                Item::Trait(t) if is_public(&t.vis) && reached(&t.ident.to_string()) => {
                    for f in t.items.iter().filter_map(|x| match x {
                        TraitItem::Fn(f) => Some(f),
                        _ => None,
                    }) {
                        // Methods of traits count for any return type.
                        let has_input = f.sig.inputs.iter().any(|a| matches!(a, FnArg::Typed(_)));
                        if has_input && !is_hidden(&f.attrs) {
                            let name = at(&format!("{}::{}", t.ident, f.sig.ident));
                            add(&mut self.found, &name, &f.sig);
                        }
                    }
                }
                // `internals` is not part of the public interface.
                Item::Mod(m)
                    if m.content.is_none() && !is_hidden(&m.attrs) && m.ident != "internals" =>
                {
                    let name = m.ident.to_string();
                    let below = if is_public(&m.vis) { at(&name) } else { (*path).to_owned() };
                    let single = folder.join(format!("{name}.rs"));
                    let inner = folder.join(&name);
                    let file: PathBuf = if single.exists() { single } else { inner.join("mod.rs") };
                    let is_public = place.is_public && is_public(&m.vis);
                    let inner = Place { file: &file, folder: &inner, path: &below, is_public };
                    self.module(&inner, pass);
                }
                _ => {}
            }
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The public functions of the engine and of the papers.
fn public_functions() -> Found {
    let mut found = Found::new();
    for krate in ["impinge", "impinge-papers"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("src");
        let mut reader = Reader { exported: BTreeSet::new(), found: Found::new() };
        let file = root.join("lib.rs");
        for pass in [Pass::Exports, Pass::Functions] {
            let place = Place { file: &file, folder: &root, path: "", is_public: true };
            reader.module(&place, pass);
        }
        found.append(&mut reader.found);
    }
    found
}

fn is_listed_as_not_query(path: &str) -> bool {
    let listed =
        |entry: &&str| *entry == path || (entry.ends_with("::") && path.starts_with(*entry));
    NOT_QUERIES.iter().flat_map(|(_, entries)| *entries).any(listed)
}

#[test]
fn every_public_query_has_a_row() {
    let covered: BTreeSet<&str> = rows().iter().flat_map(|r| r.covers.iter().copied()).collect();
    let missing: Vec<String> = public_functions()
        .iter()
        .filter(|(path, _)| !covered.contains(path.as_str()) && !is_listed_as_not_query(path))
        .map(|(path, signature)| format!("{path}    {signature}"))
        .collect();
    assert!(
        missing.is_empty(),
        "{} public functions have no row in impinge-adversary/src/queries; add a row that checks the answer, or \
         list the function in this test with the reason why it is not a query:\n{}",
        missing.len(),
        missing.join("\n")
    );
}

/// The source of all rows.
fn source_of_rows() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/queries");
    let mut text = String::new();
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries.flatten() {
        text.push_str(&read(&entry.path()));
    }
    text
}

/// A listed name without a function comes from a renamed function. A listed name that no row calls
/// is not tested.
#[test]
fn rows_list_existing_functions_and_call_them() {
    let found = public_functions();
    // Methods without an argument other than `self`, and constructors, which `is_query` excludes.
    let excluded = [
        "spheres::SphereTree::build",
        "world::World::update",
        "world::World::collisions",
        "world::World::detach_with",
        "world::World::due",
        "world::World::next_time",
        "world::Detached::send",
        "world::Detached::receive",
        "world::Detached::reattach",
        "zachmann::race::RaceMethod::step",
    ];
    for row in rows() {
        for path in row.covers {
            assert!(
                found.contains_key(*path) || excluded.contains(path),
                "the row {:?} lists {path}, which is not a public function",
                row.name
            );
        }
    }
    let source = source_of_rows();
    for row in rows() {
        for path in row.covers {
            let name = path.rsplit("::").next().unwrap_or(path);
            let called =
                [format!("{name}("), format!("{name}::<")].iter().any(|c| source.contains(c));
            assert!(called, "the row {:?} lists {path}, but no row calls it", row.name);
        }
    }
    for (reason, entries) in NOT_QUERIES {
        for entry in *entries {
            let exists = found.keys().any(|path| path == entry || path.starts_with(*entry));
            assert!(exists, "{entry} is listed as a function that {reason}, but it does not exist");
        }
    }
}
