//! The engine as a user has it: a package outside of the workspace, with default features.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The examples compile in a package that depends on `impinge` alone, so they need no `internals`.
#[test]
fn examples_compile_outside_of_the_workspace() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let examples = package.join("examples");
    // Files of examples that no longer exist must go. The build outputs are beside them.
    let _ = fs::remove_dir_all(&examples);
    fs::create_dir_all(&examples).expect("a folder");
    fs::create_dir_all(package.join("src")).expect("a folder");
    let engine = root.join("crates/impinge");
    let manifest = format!(
        "[package]\nname = \"outside\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         impinge = {{ path = {:?} }}\n",
        engine.to_str().expect("UTF-8")
    );
    fs::write(package.join("Cargo.toml"), manifest).expect("a file");
    fs::write(package.join("src/lib.rs"), "").expect("a file");
    // With the versions of the workspace nothing has to be downloaded.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).expect("a file");
    let mut count = 0;
    for entry in fs::read_dir(engine.join("examples")).expect("the examples") {
        let file = entry.expect("an example");
        fs::copy(file.path(), examples.join(file.file_name())).expect("a file");
        count += 1;
    }
    assert!(count > 0);
    let check = |arguments: &[&str]| {
        Command::new(env!("CARGO"))
            .args(["check", "--offline", "--quiet"])
            .args(arguments)
            .arg("--target-dir")
            .arg(package.join("target"))
            .current_dir(&package)
            .output()
            .expect("cargo runs")
    };
    let output = check(&["--examples"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The package does not have what the workspace's own crates use.
    fs::write(package.join("src/lib.rs"), "pub use impinge::internals;").expect("a file");
    let output = check(&["--lib"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("internals"), "{errors}");
}
