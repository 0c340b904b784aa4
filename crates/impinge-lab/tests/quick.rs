//! Every command runs with `--quick`, and writes below `--out` and nowhere else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command needs beside `--quick` and `--out`; of the others nothing is needed.
const NEEDED: &[(&str, &[&str])] = &[
    ("broad-scenes", &["n-1k"]),
    ("peers", &["--work", "work", "--answers", "answers"]),
    ("peers-broad", &["--work", "work"]),
    ("peers-convex", &["--work", "work", "--answers", "answers"]),
    ("convex-table", &["lines", "--answers", "answers"]),
];

/// What a command writes, where that is not its name with `.md`.
const WRITTEN: &[(&str, &str)] = &[
    ("box-tree", "zachmann-3-6.md"),
    ("convex-table", "convex-pairs.md"),
    ("deform", "deformation.md"),
    ("peers", "peers-mesh.jsonl"),
    ("peers-broad", "peers-broad.jsonl"),
    ("peers-convex", "peers-convex.jsonl"),
    ("pre-checks", "zachmann-3-2.md"),
    ("workloads", "work/mesh/torus-torus/a.obj"),
];

/// Commands that take seconds even so, and that a test in `commands` runs with `--quick`.
const ELSEWHERE: &[&str] = &["klosowski", "support"];

/// A folder of this test's own, removed at its end.
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

/// Runs the program in a folder and gives what it printed.
fn lab(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-lab"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The commands, as the program lists them.
fn commands(folder: &Path) -> Vec<String> {
    let help = lab(&["--help"], folder);
    let list = help.split("Commands:").nth(1).and_then(|t| t.split("Options:").next());
    let lines = list.expect("a list of commands").lines();
    // Lines that go on with the text of the one above are further to the right.
    let names = lines.filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let names = names.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help");
    names.map(str::to_owned).collect()
}

/// What the peers are measured on: a tetrahedron and its copy at two poses, and two boxes.
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

/// What the peers' table is made of: our lines, and the same again in the name of another.
fn lines(folder: &Path) {
    let ours = fs::read_to_string(folder.join("out/peers-convex.jsonl")).expect("our lines");
    fs::create_dir_all(folder.join("lines")).expect("a folder for lines");
    fs::write(folder.join("lines/ours.jsonl"), &ours).expect("lines");
    fs::write(folder.join("lines/other.jsonl"), ours.replace("impinge", "other")).expect("lines");
    fs::create_dir_all(folder.join("answers/other")).expect("a folder for answers");
    for entry in fs::read_dir(folder.join("answers/impinge")).expect("our answers") {
        let file = entry.expect("an entry").path();
        let name = file.file_name().expect("a name");
        fs::copy(&file, folder.join("answers/other").join(name)).expect("answers");
    }
}

#[test]
fn every_command_is_quick_and_writes_where_it_is_told() {
    let folder = Folder::new();
    let folder = folder.0.as_path();
    workloads(folder);
    let mut commands = commands(folder);
    // The table is made of what another command writes.
    commands.sort_by_key(|name| name == "convex-table");
    assert!(commands.len() > 20 && commands.last().is_some_and(|n| n == "convex-table"));
    for name in commands.iter().filter(|name| !ELSEWHERE.contains(&name.as_str())) {
        if name == "convex-table" {
            lines(folder);
        }
        let needed = NEEDED.iter().find(|n| n.0 == name).map_or(&[][..], |n| n.1);
        let start = std::time::Instant::now();
        lab(&[&[name.as_str(), "--quick", "--out", "out"], needed].concat(), folder);
        println!("{name}: {:.1} s", start.elapsed().as_secs_f64());
        let file = WRITTEN.iter().find(|w| w.0 == name);
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
fn committed_pages_are_replaced_only_if_that_is_asked_for() {
    let folder = std::env::temp_dir();
    for name in commands(&folder) {
        let help = lab(&[&name, "--help"], &folder);
        assert!(help.contains("--quick"), "{name}");
        let out = help.split("--out <DIR>").nth(1).unwrap_or_else(|| panic!("{name} has --out"));
        assert!(out.contains("[default: target/lab]"), "{name}");
    }
}
