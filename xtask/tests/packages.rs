//! The contents of the published packages: all files that a user of a single package needs, and no
//! links to files outside of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PUBLISHED: [&str; 6] =
    ["impinge-io", "impinge", "impinge-samples", "impinge-papers", "impinge-chart", "impinge-cli"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_path_buf()
}

fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(args)
        .current_dir(root())
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {args:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Whether the first table of a manifest has the key, set or inherited.
fn has_key(manifest: &str, key: &str) -> bool {
    let package = manifest.split("\n[").next().unwrap_or("");
    package
        .lines()
        .any(|l| l.starts_with(&format!("{key} =")) || l.starts_with(&format!("{key}.workspace")))
}

#[test]
fn packages_have_readme_and_licences() {
    for name in PUBLISHED {
        let list = cargo(&["package", "--list", "--allow-dirty", "--offline", "-p", name]);
        let files: BTreeSet<&str> = list.lines().collect();
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.toml"] {
            assert!(files.contains(file), "{name} lacks {file}: {files:?}");
        }
        let folder = root().join("crates").join(name);
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let text = |path: PathBuf| fs::read_to_string(&path).expect("a licence");
            assert_eq!(text(folder.join(licence)), text(root().join(licence)), "{name}");
        }
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        for key in [
            "name",
            "description",
            "version",
            "edition",
            "rust-version",
            "license",
            "repository",
            "documentation",
            "readme",
            "keywords",
            "categories",
        ] {
            assert!(has_key(&manifest, key), "{name}: no {key}");
        }
        assert!(!has_key(&manifest, "publish"), "{name} must not have the key `publish`");
        let readme = fs::read_to_string(folder.join("README.md")).expect("a README");
        assert!(
            readme.starts_with(&format!("# {name}\n")),
            "{name}: the title of README.md must be the crate's name"
        );
        assert!(readme.contains("LICENSE-MIT"), "{name}: README.md does not name the licences");
        // Links to files must not leave the package.
        for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let inside = link.starts_with("https://") || files.contains(link);
            assert!(inside, "{name}: README.md links to {link}, which is not in the package");
        }
    }
}

/// Every other crate has `publish = false`.
#[test]
fn the_list_of_published_crates_is_complete() {
    let mut published = BTreeSet::new();
    for entry in fs::read_dir(root().join("crates")).expect("the crates") {
        let folder = entry.expect("a crate").path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        if !manifest.contains("publish = false") {
            published.insert(folder.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    assert_eq!(published, PUBLISHED.map(str::to_owned).into());
}

/// All published crates can be packaged: dependencies have versions, no path leaves the package,
/// and no crate is published before its dependencies.
#[test]
fn published_crates_can_be_packaged() {
    let mut args = vec!["package", "--no-verify", "--allow-dirty", "--offline", "--quiet"];
    let target = root().join("target/packages-test");
    let target = target.to_str().expect("UTF-8");
    args.extend(["--target-dir", target]);
    for name in PUBLISHED {
        args.extend(["-p", name]);
    }
    cargo(&args);
    for (place, name) in PUBLISHED.iter().enumerate() {
        let crates = Path::new(target).join("package");
        let made = fs::read_dir(&crates).expect("packages").flatten().any(|e| {
            let file = e.file_name().to_string_lossy().into_owned();
            file == format!("{name}-{}.crate", env!("CARGO_PKG_VERSION"))
        });
        assert!(made, "{name} was not packaged in {}", crates.display());
        // The crates can be published in the order of the list.
        let manifest = root().join("crates").join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("a manifest");
        let needs = manifest.split("[dependencies]").nth(1).unwrap_or("");
        let needs = needs.split("\n[").next().unwrap_or("");
        for later in &PUBLISHED[place..] {
            let named = needs.lines().any(|l| l.split(['.', ' ', '=']).next() == Some(*later));
            assert!(!named, "{name} needs {later}, which comes later");
        }
    }
}

/// Every example is listed in the README of its crate, and a test runs it.
#[test]
fn examples_are_listed_and_run() {
    let folder = root().join("crates/impinge");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    let (manifest, readme) = (read("Cargo.toml"), read("README.md"));
    let mut count = 0;
    for entry in fs::read_dir(folder.join("examples")).expect("the examples") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let target = format!("[[example]]\nname = \"{name}\"\ntest = true\n");
        assert!(manifest.contains(&target), "{name}: no test in Cargo.toml");
        assert!(readme.contains(&format!("(examples/{name}.rs)")), "{name}: not in README.md");
        let text = fs::read_to_string(&path).expect("an example");
        assert!(text.contains("#[test]") && text.contains("main()"), "{name}: not run by a test");
        count += 1;
    }
    assert_eq!(count, 8);
}
