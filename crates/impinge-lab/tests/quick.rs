//! Every command runs with `--quick`, and writes below `--out` and nowhere else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that need more arguments than `--quick` and `--out`.
const EXTRA_ARGUMENTS: &[(&str, &[&str])] = &[
    ("broad-scenes", &["n-1k"]),
    ("peers", &["--work", "work", "--answers", "answers"]),
    ("peers-broad", &["--work", "work"]),
    ("peers-convex", &["--work", "work", "--answers", "answers"]),
    ("convex-table", &["lines", "--answers", "answers"]),
];

/// Commands whose result file is not the name of the command with `.md`.
const RESULT_FILES: &[(&str, &str)] = &[
    ("box-tree", "zachmann-3-6.md"),
    ("convex-table", "convex-pairs.md"),
    ("deform", "deformation.md"),
    ("peers", "peers-mesh.jsonl"),
    ("peers-broad", "peers-broad.jsonl"),
    ("peers-convex", "peers-convex.jsonl"),
    ("pre-checks", "zachmann-3-2.md"),
    ("workloads", "work/mesh/torus-torus/a.obj"),
];

/// Commands that take seconds even with `--quick`; tests in `commands.rs` run them.
const TESTED_IN_COMMANDS: &[&str] = &["hubbard-spheres", "klosowski", "support"];

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("impinge-lab-quick-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for results");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the program in a folder and returns its standard output.
fn lab(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-lab"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The commands in the help text of the program.
fn commands(folder: &Path) -> Vec<String> {
    let help = lab(&["--help"], folder);
    let list = help.split("Commands:").nth(1).and_then(|t| t.split("Options:").next());
    let lines = list.expect("a list of commands").lines();
    // Continuation lines of a description are indented further.
    let names = lines.filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let names = names.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help");
    names.map(str::to_owned).collect()
}

/// Workloads of the peer measurements: a tetrahedron and its copy at two poses, and moving boxes.
fn workloads(folder: &Path) {
    for kind in ["mesh", "convex"] {
        let work = folder.join("work").join(kind).join("two");
        fs::create_dir_all(&work).expect("a folder for the workload");
        let body = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        for name in ["a.obj", "b.obj"] {
            fs::write(work.join(name), body).expect("a body");
        }
        let poses = "1 0 0 2 0 1 0 0 0 0 1 0\n1 0 0 0.25 0 1 0 0 0 0 1 0\n";
        fs::write(work.join("poses-coherent.txt"), poses).expect("poses");
    }
    lab(&["broad-scenes", "--quick", "--write", "work", "brownian-1k"], folder);
}

/// The input of `convex-table`: our rows, and a copy of them under another peer's name.
fn peer_rows(folder: &Path) {
    let ours = fs::read_to_string(folder.join("out/peers-convex.jsonl")).expect("our rows");
    fs::create_dir_all(folder.join("lines")).expect("a folder for rows");
    fs::write(folder.join("lines/ours.jsonl"), &ours).expect("rows");
    fs::write(folder.join("lines/other.jsonl"), ours.replace("impinge", "other")).expect("rows");
    fs::create_dir_all(folder.join("answers/other")).expect("a folder for answers");
    for entry in fs::read_dir(folder.join("answers/impinge")).expect("our answers") {
        let file = entry.expect("an entry").path();
        let name = file.file_name().expect("a name");
        fs::copy(&file, folder.join("answers/other").join(name)).expect("answers");
    }
}

#[test]
fn every_command_has_a_quick_run_that_writes_only_below_out() {
    let folder = Folder::new();
    let folder = folder.0.as_path();
    workloads(folder);
    let mut commands = commands(folder);
    // The table reads the output of `peers-convex`.
    commands.sort_by_key(|name| name == "convex-table");
    assert!(commands.len() > 20 && commands.last().is_some_and(|n| n == "convex-table"));
    for name in commands.iter().filter(|name| !TESTED_IN_COMMANDS.contains(&name.as_str())) {
        if name == "convex-table" {
            peer_rows(folder);
        }
        let extra = EXTRA_ARGUMENTS.iter().find(|n| n.0 == name).map_or(&[][..], |n| n.1);
        let start = std::time::Instant::now();
        lab(&[&[name.as_str(), "--quick", "--out", "out"], extra].concat(), folder);
        println!("{name}: {:.1} s", start.elapsed().as_secs_f64());
        let file = RESULT_FILES.iter().find(|w| w.0 == name);
        let file = file.map_or_else(|| format!("{name}.md"), |w| w.1.to_owned());
        let text = fs::read_to_string(folder.join("out").join(&file))
            .unwrap_or_else(|e| panic!("{name}: {file}: {e}"));
        assert!(!text.is_empty(), "{name}: {file}");
    }
    let mut written: Vec<_> = fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    written.sort();
    assert_eq!(written, ["answers", "lines", "out", "work"]);
}

#[test]
fn no_command_replaces_committed_pages_by_default() {
    let folder = std::env::temp_dir();
    for name in commands(&folder) {
        let help = lab(&[&name, "--help"], &folder);
        assert!(help.contains("--quick"), "{name}");
        let out = help.split("--out <DIR>").nth(1).unwrap_or_else(|| panic!("{name} has --out"));
        assert!(out.contains("[default: target/lab]"), "{name}");
    }
}
