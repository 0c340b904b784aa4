//! `--cache`: trees are stored and reused; results do not depend on the content of the folder.
#![allow(clippy::unwrap_used, reason = "a failure in a test helper fails the test")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A temporary folder of one test, removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("impinge-cache-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }

    /// Writes a wavy sheet of `2 n^2` triangles at `height`.
    fn sheet(&self, file: &str, n: usize, height: f64) -> String {
        let mut text = String::from("o sheet\n");
        for i in 0..=n {
            for j in 0..=n {
                let (x, y) = (i as f64 / n as f64, j as f64 / n as f64);
                let z = height + 0.1 * (9.0 * x + 40.0 * height).sin() * (7.0 * y).cos();
                writeln!(text, "v {x} {y} {z}").unwrap();
            }
        }
        let at = |i: usize, j: usize| i * (n + 1) + j + 1;
        for i in 0..n {
            for j in 0..n {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
            }
        }
        let path = self.path(file);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn impinge(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impinge"));
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn json(status: i32, args: &[&str]) -> (Value, String) {
    let output = impinge(args).arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(status), "{}", stderr(&output));
    (serde_json::from_slice(&output.stdout).expect("one JSON document"), stderr(&output))
}

/// The document without its `cache` entry.
fn without_cache(mut document: Value) -> Value {
    document.as_object_mut().unwrap().remove("cache").unwrap();
    document
}

fn trees(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(Path::new(folder)).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn trees_are_stored_and_reused_without_effect_on_results() {
    let folder = Folder::new("reuse");
    let (a, b) = (folder.sheet("a.obj", 80, 0.0), folder.sheet("b.obj", 75, 0.05));
    let cache = folder.path("trees/of/sheets");
    let plain = json(1, &["check", &a, &b]).0;
    assert!(plain.get("cache").is_none());
    let args = ["check", &a, &b, "--cache", &cache];

    let (first, notes) = json(1, &args);
    assert_eq!(first["cache"]["stored"], 2);
    assert_eq!(first["cache"]["folder"], cache.as_str());
    assert!(!notes.contains("cache"), "{notes}");
    assert_eq!(without_cache(first), plain);
    let files = trees(&cache);
    assert_eq!(files.len(), 2);

    let (second, _) = json(1, &args);
    assert_eq!((&second["cache"]["reused"], &second["cache"]["stored"]), (&2.into(), &0.into()));
    assert_eq!(without_cache(second), plain);
    let text = impinge(&args).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("trees: 2 read from"), "{text}");

    // Every kind of damage is reported; the file is ignored and rewritten.
    let good = fs::read(&files[0]).unwrap();
    let mut altered = good.clone();
    altered[good.len() / 2] ^= 4;
    let mut newer = good.clone();
    newer[8] = 77;
    for (bad, message) in [
        (altered, "checksum"),
        (good[..good.len() / 3].to_vec(), "it ends after"),
        (Vec::new(), "it ends after 0 bytes"),
        (newer, "format 77"),
        (fs::read(&files[1]).unwrap(), "another mesh"),
        (
            b"text of some other program, with more bytes than the header of a tree".to_vec(),
            "not a tree",
        ),
    ] {
        fs::write(&files[0], &bad).unwrap();
        let (report, notes) = json(1, &args);
        assert!(notes.contains("note: cache") && notes.contains(message), "{message}: {notes}");
        let problem = report["cache"]["problems"][0].as_str().unwrap();
        assert!(problem.contains(message) && problem.contains("rewritten"), "{problem}");
        assert_eq!(
            (&report["cache"]["reused"], &report["cache"]["stored"]),
            (&1.into(), &1.into())
        );
        assert_eq!(without_cache(report), plain);
        assert_eq!(fs::read(&files[0]).unwrap(), good);
    }
    // No temporary files remain.
    assert_eq!(trees(&cache), files);
}

#[test]
fn small_and_unneeded_trees_are_not_stored() {
    let folder = Folder::new("small");
    let (a, b) = (folder.sheet("a.obj", 80, 0.0), folder.sheet("b.obj", 20, 0.05));
    let far = folder.sheet("far.obj", 76, 100.0);
    let cache = folder.path("trees");
    let report = json(1, &["check", &a, &b, &far, "--cache", &cache]).0;
    let c = &report["cache"];
    assert_eq!((&c["stored"], &c["built"], &c["reused"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!(trees(&cache).len(), 1);
}

#[test]
fn concurrent_runs_share_a_cache() {
    let folder = Folder::new("concurrent");
    let (a, b) = (folder.sheet("a.obj", 80, 0.0), folder.sheet("b.obj", 75, 0.05));
    let cache = folder.path("trees");
    let args = ["check", &a, &b, "--cache", &cache, "--json"];
    let running: Vec<_> = (0..4).map(|_| impinge(&args).spawn().unwrap()).collect();
    let mut answers = Vec::new();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(!stderr(&output).contains("cache"), "{}", stderr(&output));
        answers.push(without_cache(serde_json::from_slice(&output.stdout).unwrap()));
    }
    assert!(answers.windows(2).all(|w| w[0] == w[1]));
    assert_eq!(trees(&cache).len(), 2);
}

#[test]
fn an_invalid_cache_folder_is_an_error_and_an_unwritable_file_is_not() {
    let folder = Folder::new("cannot");
    let a = folder.sheet("a.obj", 80, 0.0);
    let output = impinge(&["info", &a, "--cache", &a]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--cache"), "{}", stderr(&output));
    // A folder in place of the tree file: it can neither be read nor replaced.
    let cache = folder.path("trees");
    assert_eq!(
        json(0, &["info", &a, "--cache", &cache]).0["files"][0]["parts"][0]["tree"]["source"],
        "built and stored"
    );
    let file = trees(&cache).remove(0);
    fs::remove_file(&file).unwrap();
    fs::create_dir_all(file.join("subfolder")).unwrap();
    let (document, notes) = json(0, &["info", &a, "--cache", &cache]);
    assert_eq!(document["files"][0]["parts"][0]["tree"]["source"], "built");
    assert!(notes.contains("cannot store the tree"), "{notes}");
    assert_eq!(trees(&cache), [file]);
}

#[test]
fn info_reports_size_and_source_of_trees() {
    let folder = Folder::new("info");
    let a = folder.sheet("a.obj", 80, 0.0);
    let cache = folder.path("trees");
    for (args, source) in [
        (&["info", &a][..], "built"),
        (&["info", &a, "--cache", &cache], "built and stored"),
        (&["info", &a, "--cache", &cache], "read from the cache"),
    ] {
        let document = json(0, args).0;
        let tree = &document["files"][0]["parts"][0]["tree"];
        assert_eq!(tree["source"], source);
        let number = |name: &str| tree[name].as_f64().unwrap();
        assert!(number("leaves") >= 1600.0 && number("nodes") >= 200.0 && number("depth") >= 3.0);
        assert_eq!(number("bytes") / 12_800.0, number("bytes_per_triangle"));
        assert!(number("seconds") > 0.0 && number("seconds") < 60.0);
        let text = String::from_utf8(impinge(args).output().unwrap().stdout).unwrap();
        assert!(text.contains("trees: ") && text.contains("per triangle); 1 "), "{text}");
    }
}
