//! `impinge sim` as seen by its user: events, figures, pictures, scene files and errors.
#![allow(clippy::unwrap_used, reason = "a failure in a test helper fails the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// A temporary folder of one test, removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-sim-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let this = Self(path);
        // A cube of side two around the origin, and a file of two such cubes side by side.
        this.write("cube.obj", &cube(0.0, 0));
        this.write("pair.obj", &format!("o left\n{}o right\n{}", cube(0.0, 0), cube(4.0, 8)));
        this
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }

    fn write(&self, file: &str, text: &str) -> String {
        fs::write(self.0.join(file), text).unwrap();
        self.path(file)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A cube of side two around `(x, 0, 0)` as OBJ, after `first_vertex` vertices of other objects.
fn cube(x: f64, first_vertex: usize) -> String {
    let mut text = String::new();
    for i in 0..8 {
        let side = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        text += &format!("v {} {} {}\n", x + side(0), side(1), side(2));
    }
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for face in faces {
        let [a, b, c, d] = face.map(|v| v + 1 + first_vertex);
        text += &format!("f {a} {b} {c} {d}\n");
    }
    text
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_impinge")).arg("sim").args(args).output().unwrap()
}

/// Runs `impinge sim`, asserts its exit status, and returns standard output and standard error.
#[track_caller]
fn expect(status: i32, args: &[&str]) -> (String, String) {
    let output = run(args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(status), "impinge sim {args:?}\n{out}\n{err}");
    assert!(!err.contains("panicked"), "{err}");
    (out, err)
}

fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object per line")).collect()
}

/// Frame, kind and the two bodies of events.
fn brief(text: &str) -> Vec<(u64, String, String, String)> {
    let word = |event: &Value, key: &str| event[key].as_str().unwrap().to_owned();
    events(text)
        .iter()
        .map(|e| (e["frame"].as_u64().unwrap(), word(e, "kind"), word(e, "a"), word(e, "b")))
        .collect()
}

#[test]
fn events_figures_and_summary_agree() {
    let folder = Folder::new("agree");
    for (sample, bodies) in
        [("billiard", "20"), ("brownian", "60"), ("falling", "20"), ("robot", "18")]
    {
        let (lines, csv) = (folder.path("e.jsonl"), folder.path("s.csv"));
        let args = ["--sample", sample, "--bodies", bodies, "--frames", "150"];
        let (out, _) = expect(1, &[&args[..], &["--events", &lines, "--stats", &csv]].concat());
        let mut meeting = BTreeSet::new();
        let events = events(&folder.read("e.jsonl"));
        let csv = folder.read("s.csv");
        let mut rows = csv.lines();
        let header: Vec<&str> = rows.next().unwrap().split(',').collect();
        let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
        let mut next = events.iter().peekable();
        let (mut frame, mut total_began) = (0, 0);
        for row in rows {
            frame += 1;
            let cells: Vec<&str> = row.split(',').collect();
            assert_eq!(cells.len(), header.len());
            let number = |name: &str| cells[column(name)].parse::<f64>().unwrap() as u64;
            assert_eq!(number("frame"), frame);
            let (mut began, mut ended) = (0, 0);
            while let Some(event) = next.next_if(|e| e["frame"] == frame) {
                let pair = (event["a"].to_string(), event["b"].to_string());
                let point = event.get("point");
                if event["kind"] == "began" {
                    began += 1;
                    assert!(meeting.insert(pair), "{event} has begun before");
                    assert!(point.unwrap().as_array().unwrap().iter().all(Value::is_f64));
                    assert!(event.get("triangle_a").is_some() && event.get("triangle_b").is_some());
                } else {
                    ended += 1;
                    assert!(event["kind"] == "ended" && meeting.remove(&pair) && point.is_none());
                }
            }
            assert_eq!([began, ended], [number("began"), number("ended")], "{sample} {frame}");
            assert_eq!(meeting.len() as u64, number("meeting"), "{sample} {frame}");
            assert!(
                number("by_hulls") <= number("checked") && number("checked") <= number("pairs")
            );
            total_began += began;
        }
        assert!(frame == 150 && next.next().is_none());
        let s = if total_began == 1 { "" } else { "s" };
        assert!(out.contains(&format!("{total_began} collision{s} began")), "{out}");
        assert!(out.contains("update, ms") && out.contains("150 frames"), "{out}");
    }
}

#[test]
fn events_do_not_depend_on_threads_broad_phase_or_method_but_on_the_seed() {
    let events = |more: &[&str]| {
        let args = ["--sample", "billiard", "--bodies", "24", "--frames", "90", "--dt", "0.03"];
        expect(1, &[&args[..], &["--events", "-", "--quiet"], more].concat()).0
    };
    let one = events(&["--threads", "1"]);
    assert!(one.lines().count() > 10);
    assert_eq!(one, events(&["--threads", "2"]));
    assert_eq!(one, events(&["--threads", "3"]));
    for phase in impinge_papers::zachmann::broad::BROAD_PHASES {
        assert_eq!(one, events(&["--phase", phase.name()]), "{phase}");
    }
    // Methods without a bias give exact results, so their events are the same.
    for method in impinge::world::MethodKind::ALL.iter().chain(impinge_papers::METHODS) {
        if method.make().is_none_or(|method| method.bias().is_none()) {
            assert_eq!(one, events(&["--method", method.name()]), "{method}");
        }
    }
    assert_ne!(one, events(&["--seed", "2"]));
}

const SCENE: &str = r#"
ignore_links = 1

[[part]]
name = "wall"
file = "cube.obj"
pose = { translation = [10, 0, 0] }

[[part]]
name = "cart"
file = "pair.obj"

[part.motion]
kind = "keyframes"
repeat = "back-and-forth"
keyframe = [
    { time = 0 },
    { time = 0.5, pose = { translation = [8, 0, 0] } },
]

[[part]]
name = "flag"
file = "cube.obj"
scale = 0.5
parent = "cart"
pose = { translation = [0, 0, 1] }
motion = { kind = "keyframes", keyframe = [
    { time = 0, pose = { translation = [0, 0, 1] } },
    { time = 1, pose = { translation = [0, 0, 1], axis = [0, 0, 1], angle_deg = 180 } },
] }

[[part]]
name = "stone"
file = "cube.obj"
pose = { translation = [0, 0, 7] }
motion = { kind = "falling", gravity = [0, 0, -10], floor = -1, restitution = 0 }
"#;

#[test]
fn a_scene_file_defines_the_motions_of_its_parts() {
    let folder = Folder::new("scene");
    let scene = folder.write("scene.toml", SCENE);
    let args = [&scene, "--frames", "21", "--dt", "0.0625", "--events", "-"];
    let (out, err) = expect(1, &args);
    // The right cube of the cart starts at x = 4 and moves one unit per frame. It touches the wall,
    // whose face is at x = 9, from x = 8 on. The cart turns back after the 8th and the 16th step.
    // By then the stone has fallen on the flag and on the left cube.
    let found = brief(&out);
    let wall: Vec<(u64, &str)> = found
        .iter()
        .filter(|(_, _, a, b)| a == "wall" && b == "cart")
        .map(|(frame, kind, ..)| (*frame, kind.as_str()))
        .collect();
    assert_eq!(wall, [(5, "began"), (14, "ended"), (21, "began")], "{out}");
    assert!(found.iter().all(|(_, _, a, b)| !(a == "cart" && b == "flag")), "{out}");
    for (frame, a) in [(16, "flag"), (17, "cart")] {
        let began = (frame, "began".to_owned(), a.to_owned(), "stone".to_owned());
        assert!(found.contains(&began), "{a} {out}");
    }
    let first = events(&out)
        .into_iter()
        .find(|e| e["a"] == "wall" && e["b"] == "cart")
        .expect("the cart meets the wall");
    assert_eq!(first["part_a"], "wall");
    assert_eq!(first["part_b"], "cart/right");
    assert_eq!(first["point"][0], 9.0);
    assert!(err.contains("21 frames"), "the summary must be on standard error: {err}");
    // A scene in JSON, in the same folder.
    let json = r#"{"part":[{"name":"a","file":"cube.obj"},
        {"name":"b","file":"cube.obj","pose":{"translation":[5,0,0]},
         "motion":{"kind":"billiard","velocity":[-6,0,0],"spin_deg":0,"axis":[0,0,1],"cage":[[-9,-9,-9],[9,9,9]]}}]}"#;
    let scene = folder.write("scene.json", json);
    let (out, _) = expect(1, &[&scene, "--frames", "13", "--dt", "0.125", "--events", "-"]);
    let found = brief(&out);
    let kinds: Vec<(u64, &str)> = found.iter().map(|(f, k, ..)| (*f, k.as_str())).collect();
    // The positions are 5, 4.25, 3.5, 2.75 and 2, where b touches a and turns back at once.
    assert_eq!(kinds, [(5, "began"), (6, "ended")], "{out}");
    // `impinge check` ignores the motions and uses the poses of the file.
    let check =
        Command::new(env!("CARGO_BIN_EXE_impinge")).args(["check", &scene]).output().unwrap();
    assert_eq!(check.status.code(), Some(0));
}

#[test]
fn all_parts_of_a_model_have_the_motion_of_the_option() {
    let folder = Folder::new("model");
    let model = folder.path("pair.obj");
    let (out, err) = expect(0, &[&model, "--frames", "5"]);
    assert!(err.contains("no body moves") && out.contains("0 collisions began"), "{out}{err}");
    let (_, err) = expect(0, &[&model, "--frames", "5", "--quiet"]);
    assert!(err.is_empty(), "{err}");
    let args = [&model, "--motion", "brownian", "--frames", "40", "--seed", "3", "--events", "-"];
    let (first, second) = (run(&args), run(&args));
    assert!(first.status.code().is_some_and(|code| code < 2));
    assert_eq!(first.stdout, second.stdout);
    for motion in ["billiard", "falling"] {
        let output = run(&[&model, "--motion", motion, "--frames", "40"]);
        assert!(output.status.code().is_some_and(|code| code < 2), "{motion}");
    }
}

#[test]
fn the_first_frame_has_the_collisions_of_a_check() {
    let folder = Folder::new("check");
    let impinge =
        |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_impinge")).args(args).output().unwrap();
    impinge(&["sample", "--write", &folder.path("demo")]);
    let scene = folder.path("demo/sample.toml");
    let pair = |a: &Value, b: &Value| {
        let mut names = [a, b].map(|name| name.as_str().unwrap().to_owned());
        names.sort();
        names
    };
    let (out, _) = expect(1, &[&scene, "--frames", "1", "--events", "-"]);
    let began: BTreeSet<[String; 2]> =
        events(&out).iter().map(|e| pair(&e["a"], &e["b"])).collect();
    let checked = impinge(&["check", &scene, "--json"]).stdout;
    let checked: Value = serde_json::from_slice(&checked).unwrap();
    let found = checked["pairs"].as_array().unwrap();
    let found: BTreeSet<[String; 2]> =
        found.iter().map(|p| pair(&p["name_a"], &p["name_b"])).collect();
    assert!(began.len() == 16 && began == found, "{began:?}\n{found:?}");
}

#[test]
fn ongoing_collisions_are_reported_with_persisting() {
    let args = ["--sample", "falling", "--bodies", "10", "--frames", "120", "--events", "-"];
    let (brief, _) = expect(1, &args);
    let (full, _) = expect(1, &[&args[..], &["--persisting"]].concat());
    assert!(!brief.contains("persists") && full.contains("\"persists\""));
    let rest: Vec<&str> = full.lines().filter(|line| !line.contains("\"persists\"")).collect();
    assert!(rest.iter().copied().eq(brief.lines()));
}

#[test]
fn a_pair_is_explained() {
    let args = ["--sample", "robot", "--frames", "3", "--explain"];
    let output = run(&[&args[..], &["arm 1 forearm", "arm 1 upper arm"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("a is arm 1 upper arm, b is arm 1 forearm"), "{text}");
    assert!(text.contains("is not compared") && text.contains("links"), "{text}");
    let (_, err) = expect(2, &[&args[..], &["table", "chair"]].concat());
    assert!(err.contains("no body \"chair\"") && err.contains("arm 1 base"), "{err}");
    expect(2, &[&args[..], &["table", "table"]].concat());
}

#[test]
fn pictures_are_written() {
    let folder = Folder::new("pictures");
    let [plot, png, svg, animation] =
        ["p.svg", "a.png", "a.svg", "animation.png"].map(|f| folder.path(f));
    let args = ["--sample", "falling", "--bodies", "6", "--frames", "60"];
    let output =
        ["--plot", &plot, "--picture", &png, "--animation", &animation, "--size", "400x300"];
    let small = ["--animation-size", "80x60"];
    expect(1, &[&args[..], &output[..], &small[..]].concat());
    expect(1, &[&args[..], &["--picture", &svg, "--size", "400x300"]].concat());
    assert!(folder.read("p.svg").contains("milliseconds"));
    assert!(folder.read("a.svg").contains("falling sample, frame"));
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let bytes = fs::read(&animation).unwrap();
    let at = bytes.windows(4).position(|w| w == b"acTL").expect("an acTL chunk");
    assert_eq!(bytes[at + 4..at + 8], 60_u32.to_be_bytes());
    assert!(bytes.len() < 200_000, "{}", bytes.len());
    for bad in
        [["--picture", "x.jpg"], ["--animation", "x.gif"], ["--plot", "no/such/folder/x.svg"]]
    {
        let (_, err) = expect(2, &["--sample", "robot", "--frames", "2", bad[0], bad[1]]);
        assert!(err.contains(bad[1]), "{err}");
    }
}

#[test]
fn bad_arguments_are_errors() {
    let folder = Folder::new("bad");
    let model = folder.path("cube.obj");
    for args in [
        &[][..],
        &["--sample", "tennis"],
        &["--sample", "billiard", "--bodies", "0"],
        &["--sample", "billiard", "--bodies", "-3"],
        &["--sample", "billiard", "--frames", "0"],
        &["--sample", "billiard", "--dt", "0"],
        &["--sample", "billiard", "--dt", "-1"],
        &["--sample", "billiard", "--dt", "nan"],
        &["--sample", "billiard", "--phase", "gird"],
        &["--sample", "billiard", "--method", "box-three"],
        &["--sample", "billiard", "--threads", "0"],
        &["--sample", "billiard", "--motion", "still"],
        &["--sample", "billiard", "--persisting"],
        &["--sample", "billiard", "--events", "no/such/folder/e.jsonl"],
        &["--sample", "billiard", "--stats", "no/such/folder/s.csv"],
        &["--sample", "billiard", &model],
        &[&model, "--bodies", "3"],
        &[&model, "--motion", "keyframes"],
        &["no such file.toml"],
    ] {
        let (out, err) = expect(2, args);
        assert!(out.is_empty() && err.contains("error"), "{args:?}: {out}{err}");
    }
}

#[test]
fn bad_scenes_are_errors_that_name_file_part_and_field() {
    let folder = Folder::new("scenes");
    let part = |motion: &str| {
        format!("[[part]]\nname = \"ball\"\nfile = \"cube.obj\"\nmotion = {{ {motion} }}\n")
    };
    let cases = [
        (part("speed = 1"), "motion.kind is missing"),
        (part("kind = \"swimming\""), "motion.kind is \"swimming\""),
        (part("kind = \"brownian\", speed = 1"), "motion.speed is not a field of"),
        (part("kind = \"still\", seed = 1"), "motion.seed is not a field of"),
        (part("kind = \"brownian\", stepp = 1"), "stepp"),
        (part("kind = \"brownian\", step = -1"), "motion.step is negative"),
        (part("kind = \"brownian\", step = nan"), "motion.step is not finite"),
        (part("kind = \"brownian\", step = \"far\""), "string"),
        (part("kind = \"billiard\", speed = 1, velocity = [1, 0, 0]"), "both velocity and speed"),
        (part("kind = \"billiard\", velocity = [1, 0, inf]"), "motion.velocity is not finite"),
        (part("kind = \"billiard\", axis = [0, 0, 0]"), "motion.axis is zero"),
        (part("kind = \"billiard\", cage = [[0, 0, 0], [1, 0, 1]]"), "motion.cage"),
        (part("kind = \"falling\", gravity = [0, 0, 0]"), "motion.gravity is zero"),
        (part("kind = \"falling\", restitution = 1.5"), "motion.restitution"),
        (part("kind = \"keyframes\""), "motion.keyframe is missing"),
        (part("kind = \"keyframes\", keyframe = []"), "motion.keyframe is missing"),
        (
            part("kind = \"keyframes\", keyframe = [{ time = 1 }, { time = 1 }]"),
            "motion.keyframe 1",
        ),
        (part("kind = \"keyframes\", keyframe = [{ time = nan }]"), "motion.keyframe 0"),
        (
            part(
                "kind = \"keyframes\", keyframe = [{ time = 0, pose = { axis = [0, 0, 0], angle_deg = 1 } }]",
            ),
            "motion.keyframe 0",
        ),
        (
            part(
                "kind = \"keyframes\", keyframe = [{ time = 0, pose = { matrix = [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]] } }]",
            ),
            "motion.keyframe 0, pose",
        ),
        (
            part("kind = \"keyframes\", repeat = \"twice\", keyframe = [{ time = 0 }]"),
            "motion.repeat",
        ),
        (part("kind = \"still\" }\nparent = \"base\"#"), "`base` is not an earlier part"),
        (part("kind = \"still\" }\nparent = \"ball\"#"), "`ball` is not an earlier part"),
    ];
    for (text, message) in &cases {
        let scene = folder.write("bad.toml", text);
        let (out, err) = expect(2, &[&scene]);
        assert!(
            out.is_empty() && err.contains("bad.toml") && err.contains(message),
            "{text}\n{err}"
        );
        // `impinge check` reports the same errors in motions, except poses of keyframes that are
        // not rigid: only a simulation needs these.
        let check = Command::new(env!("CARGO_BIN_EXE_impinge")).args(["check", &scene]).output();
        let rigid = message.ends_with("pose");
        assert_eq!(check.unwrap().status.code(), Some(if rigid { 0 } else { 2 }), "{text}");
    }
    let common = "[motion]\nkind = \"keyframes\"\nkeyframe = [{ time = 0 }]\n[[part]]\nfile = \"cube.obj\"\n";
    let (_, err) = expect(2, &[&folder.write("bad.toml", common)]);
    assert!(err.contains("keyframes in [motion]"), "{err}");
    let far = part("kind = \"brownian\", step = 1e300");
    let (_, err) = expect(2, &[&folder.write("far.toml", &far), "--frames", "20"]);
    assert!(err.contains("error"), "{err}");
}

/// Every broad phase finds collisions of parts with coordinates far beyond the range of single
/// precision.
#[test]
fn parts_beyond_the_range_of_single_precision_collide() {
    let folder = Folder::new("far");
    let part = |name: &str, x: f64, motion: &str| {
        let pose = format!("pose = {{ translation = [{x:e}, 0, 0] }}");
        format!("[[part]]\nname = \"{name}\"\nfile = \"cube.obj\"\n{pose}\n{motion}\n")
    };
    for far in [1.1e30, 1e31, 1e39, 1e59] {
        let text = part("a", far, "") + &part("b", far, "") + &part("c", -far, "");
        let scene = folder.write("scene.toml", &text);
        for phase in ["neighbours", "auto", "all-pairs", "grid", "octree", "slabs", "sweep", "tree"]
        {
            let args = [&scene, "--frames", "3", "--phase", phase, "--events", "-", "--quiet"];
            let (out, _) = expect(1, &args);
            let began = (1, "began".to_owned(), "a".to_owned(), "b".to_owned());
            assert_eq!(brief(&out), [began], "{far:e} {phase}");
        }
    }
    // A gravity whose square underflows to zero is valid. An error names its body.
    let fall = |g: &str| format!("motion = {{ kind = \"falling\", gravity = [0, 0, {g}] }}");
    let text = part("feather", 0.0, &fall("-1e-300")) + &part("b", 9.0, "");
    expect(0, &[&folder.write("light.toml", &text), "--frames", "9", "--quiet"]);
    let motion = "motion = { kind = \"billiard\", velocity = [1e300, 0, 0], spin_deg = 0, cage = \
                  [[-1e60, -1, -1], [1e60, 1, 1]] }";
    let fast_body = part("stone", 0.0, &fall("-1e62").replace(" }", ", floor = -1e200 }"));
    let text = fast_body + &part("b", 9.0, motion);
    let (_, err) = expect(2, &[&folder.write("fast_body.toml", &text), "--frames", "9", "--quiet"]);
    assert!(err.contains("body stone"), "{err}");
}
