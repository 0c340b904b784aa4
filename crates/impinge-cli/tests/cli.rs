//! The command as seen by its user: arguments, exit status, output and files.
#![allow(clippy::unwrap_used, reason = "a failure in a test helper fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A temporary folder of one test, removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }

    /// Writes an OBJ file of axis-aligned cubes, one object each: name, minimum corner, side.
    fn cubes(&self, file: &str, cubes: &[(&str, [f64; 3], f64)]) -> String {
        let mut text = String::new();
        for (n, (name, [x, y, z], side)) in cubes.iter().enumerate() {
            text += &format!("o {name}\n");
            for i in 0..8 {
                let step = |bit: usize| if i >> bit & 1 == 1 { *side } else { 0.0 };
                text += &format!("v {} {} {}\n", x + step(0), y + step(1), z + step(2));
            }
            let faces = [
                [0, 2, 3, 1],
                [4, 5, 7, 6],
                [0, 1, 5, 4],
                [2, 6, 7, 3],
                [0, 4, 6, 2],
                [1, 3, 7, 5],
            ];
            for f in faces {
                let [a, b, c, d] = f.map(|v| v + 1 + 8 * n);
                text += &format!("f {a} {b} {c} {d}\n");
            }
        }
        let path = self.path(file);
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes two files with one unit cube each, in the same place.
    fn two_cubes(&self) -> (String, String) {
        (
            self.cubes("fixed.obj", &[("fixed", [0.0; 3], 1.0)]),
            self.cubes("moved.obj", &[("moved", [0.0; 3], 1.0)]),
        )
    }

    /// Writes an assembly: two cubes that cross, a distant one, one inside a big one, and one on
    /// top of the first.
    fn assembly(&self) -> String {
        self.cubes(
            "assembly.obj",
            &[
                ("first", [0.0; 3], 1.0),
                ("second", [0.5, 0.25, 0.125], 1.0),
                ("far, \"far\" away", [9.0; 3], 1.0),
                ("big", [20.0; 3], 5.0),
                ("small", [22.0; 3], 1.0),
                ("top", [0.0, 0.0, 1.0], 0.1),
            ],
        )
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_impinge")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs the command, asserts its exit status, and returns its output; for status 2, its messages.
#[track_caller]
fn expect(status: i32, args: &[&str]) -> String {
    let output = run(args);
    let (out, err) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(status), "impinge {args:?}\n{out}\n{err}");
    assert!(!err.contains("panicked") && !err.contains("backtrace"), "{err}");
    if status == 2 { err } else { out }
}

#[track_caller]
fn json(status: i32, args: &[&str]) -> Value {
    serde_json::from_str(&expect(status, args)).expect("one JSON document")
}

#[test]
fn help_has_examples_and_short_lines() {
    let commands =
        ["check", "info", "decompose", "spheres", "sim", "sample"].map(|c| vec![c, "--help"]);
    for args in commands.iter().map(Vec::as_slice).chain([&["--help"][..]]) {
        let text = expect(0, args);
        assert!(text.contains("Examples:") && text.contains("  impinge "), "{text}");
        assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    }
    assert!(expect(0, &["--version"]).starts_with("impinge "));
}

#[test]
fn bad_arguments_are_errors() {
    let folder = Folder::new("bad");
    let (a, b) = folder.two_cubes();
    for args in [
        &["chek"][..],
        &["check"],
        &["info"],
        &["check", &a, &b, "--pose", "1 2"],
        &["check", &a, &b, "--pose", "0 0 0 0 0 0 0"],
        &["check", &a, &b, "--pose-matrix", "2 0 0 0 0 2 0 0 0 0 2 0"],
        &["check", &a, &b, "--pose", "0 0 0", "--pose-matrix", "1 0 0 0 0 1 0 0 0 0 1 0"],
        &["check", &a, "--pose", "0 0 1"],
        &["check", &a, &b, "--clearance", "-1"],
        &["check", &a, &b, "--ignore", "nocolon"],
        &["check", &a, &b, "--size", "0x0"],
        &["check", &a, &b, "--view", "north"],
        &["check", &a, &b, "--threads", "0"],
        &["check", &a, &b, "--fail-on", "clear"],
        &["check", &a, &b, "--png", &folder.path("no/such/folder/x.png")],
        &["check", &a, &b, "--pairs", &folder.path("no/such/folder/x.csv")],
    ] {
        let message = expect(2, args);
        assert!(message.contains("error:"), "{message}");
    }
}

#[test]
fn errors_name_the_missing_file() {
    let folder = Folder::new("missing");
    let (a, _) = folder.two_cubes();
    let missing = folder.path("not-there.obj");
    for args in [&["check", &missing][..], &["check", &a, &missing], &["info", &missing]] {
        let message = expect(2, args);
        assert!(message.starts_with("error:") && message.contains("not-there.obj"), "{message}");
    }
    let message = expect(2, &["check", &a, &a, "--pose-file", &missing]);
    assert!(message.contains("not-there.obj"), "{message}");
}

#[test]
fn overlapping_cubes_collide_and_distant_ones_do_not() {
    let folder = Folder::new("two");
    let (a, b) = folder.two_cubes();
    let found = expect(1, &["check", &a, &b, "--pose", "0.5 0.25 0.125"]);
    assert!(
        found.contains("crossing") && found.contains("fixed") && found.contains("moved"),
        "{found}"
    );
    let clear = expect(0, &["check", &a, &b, "--pose", "5 0 0"]);
    assert!(clear.contains("0 crossing") && clear.contains("1 clear"), "{clear}");
    let quarter_turn = "0 -1 0 0.5  1 0 0 0.25  0 0 1 0.125";
    expect(1, &["check", &a, &b, "--pose-matrix", quarter_turn]);
    let file = folder.path("pose.txt");
    fs::write(&file, "# away\n0 0 7\n").unwrap();
    expect(0, &["check", &a, &b, "--pose-file", &file]);
}

#[test]
fn every_relation_is_reported_and_counted() {
    let folder = Folder::new("relations");
    let (a, b) = folder.two_cubes();
    let result = |status, pose: &str| {
        let document =
            json(status, &["check", &a, &b, "--pose", pose, "--clearance", "1", "--all", "--json"]);
        document["pairs"][0]["relation"].as_str().unwrap().to_owned()
    };
    assert_eq!(result(1, "0.5 0.25 0.125"), "crossing");
    assert_eq!(result(1, "0 0 0"), "duplicate");
    assert_eq!(result(1, "1 0 0"), "touching");
    assert_eq!(result(0, "1.5 0 0"), "near");

    let assembly = folder.assembly();
    let document = json(1, &["check", &assembly, "--json"]);
    let count = |what: &str| document["summary"][what].as_u64().unwrap();
    assert_eq!((count("parts"), count("pairs")), (6, 15));
    assert_eq!((count("crossing"), count("contained"), count("touching")), (1, 1, 1));
    assert_eq!((count("clear"), count("near"), count("duplicate")), (12, 0, 0));
    assert_eq!(count("checked") + count("pruned_by_boxes") + count("ignored"), count("pairs"));
    let pairs = document["pairs"].as_array().unwrap();
    let results: Vec<&str> = pairs.iter().map(|p| p["relation"].as_str().unwrap()).collect();
    assert_eq!(results, ["crossing", "contained", "touching"], "the worst must be first");
    assert_eq!(
        (pairs[1]["inside"].as_str(), pairs[1]["name_b"].as_str()),
        (Some("b"), Some("small"))
    );
    let point: Vec<f64> =
        pairs[0]["point"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    for (axis, low) in [0.5, 0.25, 0.125].into_iter().enumerate() {
        assert!((low - 1e-9..=1.0 + 1e-9).contains(&point[axis]), "{point:?}");
    }
}

#[test]
fn the_exit_status_follows_fail_on() {
    let folder = Folder::new("fail");
    let (a, b) = folder.two_cubes();
    let touching = ["check", &a, &b, "--pose", "1 0 0"];
    expect(1, &touching);
    expect(0, &[&touching[..], &["--fail-on", "crossing"]].concat());
    let near = ["check", &a, &b, "--pose", "1.5 0 0", "--clearance", "1"];
    expect(0, &near);
    expect(1, &[&near[..], &["--fail-on", "near"]].concat());
}

#[test]
fn distances_are_reported_with_the_option() {
    let folder = Folder::new("distance");
    let (a, b) = folder.two_cubes();
    let document = json(0, &["check", &a, &b, "--pose", "3.5 0 0", "--distance", "--json"]);
    let distance = &document["pairs"][0]["distance"];
    let (lower, upper) = (distance["lower"].as_f64().unwrap(), distance["upper"].as_f64().unwrap());
    assert!(lower <= 2.5 && 2.5 <= upper && upper - lower < 1e-6, "{distance}");
    assert!((distance["point_a"][0].as_f64().unwrap() - 1.0).abs() < 1e-6, "{distance}");
    assert!((distance["point_b"][0].as_f64().unwrap() - 3.5).abs() < 1e-6, "{distance}");
    assert!(expect(0, &["check", &a, &b, "--pose", "3.5 0 0", "--distance"]).contains("2.5"));
}

#[test]
fn pairs_can_be_ignored() {
    let folder = Folder::new("ignore");
    let assembly = folder.assembly();
    let args = [
        "check",
        &assembly,
        "--ignore",
        "first:second",
        "--ignore",
        "top:*",
        "--ignore",
        "small:b*",
    ];
    let document = json(0, &[&args[..], &["--json"]].concat());
    assert_eq!(document["summary"]["ignored"], 1 + 5 + 1);
    let listed = json(0, &[&args[..], &["--json", "--all"]].concat());
    let others = listed["pairs"].as_array().unwrap().len();
    assert_eq!(others, 15 - 7, "every other pair must be listed");
    let output = run(&["check", &assembly, "--ignore", "missing:*"]);
    assert!(stderr(&output).contains("missing"), "a note must name a pattern without effect");
    let output = run(&["check", &assembly, "--ignore", "missing:*", "--quiet"]);
    assert!(!stderr(&output).contains("missing"));
}

#[test]
fn the_pairs_file_has_one_row_for_every_pair_of_triangles() {
    let folder = Folder::new("csv");
    let (assembly, csv) = (folder.assembly(), folder.path("pairs.csv"));
    let document = json(1, &["check", &assembly, "--json", "--pairs", &csv]);
    let pairs = document["pairs"].as_array().unwrap();
    let expected: u64 = pairs.iter().map(|p| p["triangle_pairs"].as_u64().unwrap()).sum();
    let text = fs::read_to_string(&csv).unwrap();
    assert!(text.starts_with("part_a,part_b,name_a,name_b,triangle_a,triangle_b,contact,x,y,z\n"));
    assert_eq!(text.lines().count() as u64, expected + 1);
    assert!(expected > 0);
}

#[test]
fn triangles_are_counted_on_request_only() {
    let folder = Folder::new("count");
    let assembly = folder.assembly();
    let [without, with] = [&[][..], &["--count-triangles"]].map(|more| {
        let document = json(1, &[&["check", &assembly, "--json"], more].concat());
        let table = expect(1, &[&["check", &assembly], more].concat());
        (document["pairs"].as_array().unwrap().clone(), table)
    });
    assert!(!without.1.contains("triangles") && with.1.contains("triangles"));
    assert_eq!(without.0.len(), with.0.len());
    let mut counted = 0;
    for (without, with) in without.0.iter().zip(&with.0) {
        let names = ["name_a", "name_b", "relation", "inside", "distance"];
        assert!(names.iter().all(|name| without[name] == with[name]), "{without} {with}");
        let pairs = with["triangle_pairs"].as_u64().unwrap();
        assert_eq!(without["triangle_pairs"].is_null(), pairs > 0, "{without} {with}");
        counted += pairs;
    }
    assert!(counted > 0);
}

#[test]
fn an_output_option_without_its_file_name_replaces_no_model() {
    let folder = Folder::new("outputs");
    let assembly = folder.assembly();
    let before = fs::read(&assembly).unwrap();
    for args in [
        vec!["check", "--pairs", &assembly, &assembly],
        vec!["check", &assembly, "--png", &assembly],
        vec!["decompose", &assembly, "-o", &assembly],
        vec!["sim", "--sample", "billiard", "--frames", "2", "--events", &assembly],
        vec!["check", &assembly, "--threads", "100000"],
    ] {
        expect(2, &args);
        assert!(fs::read(&assembly).unwrap() == before, "{args:?}");
    }
}

#[test]
fn the_readme_shows_the_report_of_the_sample() {
    let readme =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let (_, block) = readme.split_once("```text\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let printed = expect(0, &[]);
    let lines = |text: &str| -> Vec<String> {
        text.trim().lines().map(|line| line.trim_end().to_owned()).collect()
    };
    assert_eq!(lines(block), lines(&printed));
}

#[test]
fn results_do_not_depend_on_the_thread_count() {
    let folder = Folder::new("threads");
    let assembly = folder.assembly();
    let outputs = ["1", "2", "5"].map(|n| {
        let csv = folder.path(&format!("{n}.csv"));
        let text =
            expect(1, &["check", &assembly, "--all", "--json", "--threads", n, "--pairs", &csv]);
        (text, fs::read_to_string(csv).unwrap())
    });
    assert!(outputs.iter().all(|o| *o == outputs[0]));
}

#[test]
fn pictures_are_written() {
    let folder = Folder::new("pictures");
    let assembly = folder.assembly();
    let (png, svg) = (folder.path("a.png"), folder.path("a.svg"));
    let drawing = ["--png", &png, "--svg", &svg, "--size", "640x480"];
    for view in ["iso", "front", "top", "side", "-1 2 -0.5"] {
        expect(1, &[&["check", &assembly, "--view", view][..], &drawing].concat());
    }
    let bytes = fs::read(&png).unwrap();
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(bytes[16..24], [0, 0, 2, 128, 0, 0, 1, 224], "640 by 480");
    let text = fs::read_to_string(&svg).unwrap();
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    assert!(
        text.contains("<title>first crosses second")
            && text.contains("data:image/png;base64,iVBOR")
    );
    fs::remove_file(&png).unwrap();
    expect(0, &[&["info", &assembly][..], &drawing].concat());
    assert!(Path::new(&png).exists());
}

#[test]
fn info_describes_every_part() {
    let folder = Folder::new("info");
    let (assembly, (a, _)) = (folder.assembly(), folder.two_cubes());
    let text = expect(0, &["info", &assembly, &a]);
    assert!(text.contains("first") && text.contains("1 x 1 x 1"), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    let document = json(0, &["info", &assembly, &a, "--json"]);
    let parts = document["files"][0]["parts"].as_array().unwrap();
    assert_eq!((parts.len(), document["files"].as_array().unwrap().len()), (6, 2));
    let first = &parts[0];
    assert_eq!((&first["name"], &first["triangles"]), (&"first".into(), &12.into()));
    for property in ["closed", "manifold", "oriented", "planar_polygons", "convex"] {
        assert_eq!(first["class"][property], true, "{property}");
    }
    assert_eq!((&first["hull"]["vertices"], &first["hull"]["faces"]), (&8.into(), &6.into()));
    assert!(text.contains("cmopvx") && text.contains(" 8/6 "), "{text}");
    assert_eq!(first["defects"]["open_edges"].as_array().map(Vec::len), Some(0));
    assert!((first["volume"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!((first["area"].as_f64().unwrap() - 6.0).abs() < 1e-12);
}

#[test]
fn without_arguments_the_sample_is_checked_and_examples_are_printed() {
    let output = run(&[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(
        text.contains("parts")
            && text.contains("impinge check ")
            && text.contains("impinge --help"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "output to a pipe must have no colours");

    let folder = Folder::new("sample");
    let written = expect(0, &["sample", "--write", &folder.path("demo")]);
    let command = written.lines().last().unwrap().rsplit_once("impinge check ").unwrap();
    let words: Vec<&str> = ["check"].into_iter().chain(command.1.split(' ')).collect();
    let from_files = expect(1, &words);
    let counts = |text: &str| {
        text.lines().find(|l| l.contains(" clear") && l.contains(" pairs")).unwrap().to_owned()
    };
    assert_eq!(counts(&from_files), counts(&text), "the written files must give the same counts");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = Folder::new("pipe");
    let many: Vec<(String, [f64; 3])> =
        (0..60).map(|i| (format!("cube {i}"), [f64::from(i) * 0.01, 0.0, 0.0])).collect();
    let cubes: Vec<(&str, [f64; 3], f64)> =
        many.iter().map(|(n, p)| (n.as_str(), *p, 1.0)).collect();
    let file = folder.cubes("many.obj", &cubes);
    let mut child = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(["check", &file, "--all", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(1), "the exit status must show the result");
}

#[test]
fn a_note_names_parts_that_are_not_closed() {
    let folder = Folder::new("open");
    let inner = folder.cubes("inner.obj", &[("inner", [0.25; 3], 0.5)]);
    let outer = folder.cubes("outer.obj", &[("outer", [0.0; 3], 1.0)]);
    let text = fs::read_to_string(&outer).unwrap();
    let open = folder.path("open.obj");
    fs::write(&open, text.trim_end().rsplit_once('\n').unwrap().0).unwrap();
    let output = run(&["check", &open, &inner]);
    assert_eq!(output.status.code(), Some(0));
    let note = stderr(&output);
    assert!(note.contains("open is not closed"), "{note}");
    assert_eq!(stderr(&run(&["check", &open, &inner, "--quiet"])), "");
    assert_eq!(stderr(&run(&["check", &outer, &inner])), "");
    let document: Value =
        serde_json::from_slice(&run(&["check", &open, &inner, "--json"]).stdout).unwrap();
    assert_eq!(document["parts"][0]["closed"], Value::Bool(false));
    assert_eq!(document["parts"][1]["closed"], Value::Bool(true));
}

#[test]
fn info_reports_inward_normals() {
    let folder = Folder::new("inward");
    let path = folder.cubes("cube.obj", &[("cube", [0.0; 3], 1.0)]);
    assert!(!stdout(&run(&["info", &path])).contains("inside out"));
    let reversed: Vec<String> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| match line.strip_prefix("f ") {
            Some(face) => format!("f {}", face.split(' ').rev().collect::<Vec<_>>().join(" ")),
            None => line.to_owned(),
        })
        .collect();
    fs::write(&path, reversed.join("\n")).unwrap();
    assert!(stdout(&run(&["info", &path])).contains("cube: inside out"));
}

#[test]
fn solids_are_cut_into_convex_pieces() {
    let folder = Folder::new("decompose");
    // A prism over an L-shaped outline.
    let l = folder.path("l.obj");
    let outline = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    let mut text = String::from("o bracket\n");
    for z in 0..2 {
        for [x, y] in outline {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    text += "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n";
    for i in 0..6 {
        let j = (i + 1) % 6;
        text += &format!("f {} {} {} {}\n", i + 1, j + 1, j + 7, i + 7);
    }
    fs::write(&l, text).unwrap();
    let pieces = folder.path("pieces.obj");
    let png = folder.path("pieces.png");
    for options in [&["--exact"][..], &["--tolerance", "0.01"]] {
        let args = [&["decompose", &l, "-o", &pieces, "--png", &png][..], options].concat();
        let out = expect(0, &args);
        assert!(out.contains("bracket: 2 pieces, exact"), "{out}");
        assert!(fs::metadata(&png).unwrap().len() > 1_000);
        // The pieces are closed convex solids that touch and do not cross.
        let found = json(0, &["check", &pieces, "--json", "--fail-on", "crossing"]);
        assert_eq!(found["pairs"][0]["relation"], "touching", "{found}");
        let info = json(0, &["info", &pieces, "--json"]);
        let parts = info["files"][0]["parts"].as_array().unwrap();
        assert!(parts.len() == 2 && parts.iter().all(|p| p["class"]["convex"] == true), "{info}");
    }
    let glb = folder.path("pieces.glb");
    let out = expect(0, &["decompose", &l, "-o", &glb, "--pieces", "1"]);
    assert!(out.contains("bracket: 1 piece, error at most"), "{out}");
    assert!(out.contains("above the tolerance"), "{out}");
    let info = json(0, &["info", &glb, "--json"]);
    assert_eq!(info["files"][0]["parts"].as_array().unwrap().len(), 1);
    expect(2, &["decompose", &l, "-o", &folder.path("pieces.txt")]);
    expect(2, &["decompose", &l, "--exact", "--pieces", "1"]);
    let open = folder.path("open.obj");
    fs::write(&open, "o leaf\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let error = expect(2, &["decompose", &open]);
    assert!(error.contains("leaf") && error.contains("closed"), "{error}");
}

#[test]
fn parts_are_covered_by_balls() {
    let folder = Folder::new("spheres");
    let cubes = folder.cubes("part.obj", &[("a \"cube\": 1", [1.0, 2.0, 3.0], 2.0)]);
    let (file, png) = (folder.path("balls.json"), folder.path("balls.png"));
    let few = ["--balls", "4,8", "--quiet"];
    let args = [&["spheres", &cubes, "-o", &file, "--png", &png, "--size", "320x240"][..], &few];
    let out = expect(0, &args.concat());
    assert!(out.contains("solid, 12 triangles") && out.contains("level 2: 8 balls"), "{out}");
    for level in ["1", "2"] {
        assert!(fs::metadata(folder.path(&format!("balls-{level}.png"))).unwrap().len() > 1_000);
    }
    let found: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let part = &found["parts"][0];
    assert_eq!((&part["name"], &part["closed"]), (&"a \"cube\": 1".into(), &true.into()));
    let levels = part["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 3);
    for level in levels {
        let reach = |bound: &str| level["reach"][bound].as_f64().unwrap();
        assert!(0.0 < reach("lower") && reach("lower") <= reach("upper"), "{level}");
        // Every corner of the cube is in a ball.
        for i in 0..8 {
            let corner = [0, 1, 2].map(|k| [1.0, 2.0, 3.0][k] + f64::from(i >> k & 1) * 2.0);
            let contains = |ball: &Value| {
                let square: f64 =
                    (0..3).map(|k| (ball["center"][k].as_f64().unwrap() - corner[k]).powi(2)).sum();
                square <= ball["radius"].as_f64().unwrap().powi(2) * (1.0 + 1e-12)
            };
            assert!(level["balls"].as_array().unwrap().iter().any(contains), "{level}");
        }
    }
    let yaml = folder.path("balls.yaml");
    expect(0, &[&["spheres", &cubes, "-o", &yaml][..], &few].concat());
    let text = fs::read_to_string(&yaml).unwrap();
    assert!(text.contains("collision_spheres:\n  \"a \\\"cube\\\": 1\":\n"), "{text}");
    assert_eq!(text.matches("      radius: ").count(), 8);
    let lula = ["spheres", &cubes, "-o", &yaml, "--format", "lula"];
    expect(0, &[&lula[..], &few].concat());
    assert!(fs::read_to_string(&yaml).unwrap().contains("\n  - \"a \\\"cube\\\": 1\":\n"));
    expect(0, &[&["spheres", &cubes, "-o", &file, "--format", "foam"][..], &few].concat());
    let found: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(found[2]["spheres"].as_array().unwrap().len(), 8);
    expect(2, &["spheres", &cubes, "-o", &yaml, "--format", "foam"]);
    expect(2, &["spheres", &cubes, "--format", "foam"]);
    // Errors before any work: a wrong extension, an input as output, levels that do not exist.
    expect(2, &["spheres", &cubes, "-o", &folder.path("balls.txt")]);
    expect(2, &["spheres", &cubes, "--png", &cubes]);
    expect(2, &["spheres", &cubes, "--levels", "0"]);
    expect(2, &["spheres", &cubes, "--balls", "8,4"]);
}
