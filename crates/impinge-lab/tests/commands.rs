//! Commands that write reports, on scenes small enough for every test run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-lab-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for results");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn lab(arguments: &[&str], out: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-lab"))
        .args(arguments)
        .arg("--out")
        .arg(out)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!output.stderr.is_empty(), "no progress on standard error");
}

fn read(folder: &Path, file: &str) -> String {
    let text = fs::read_to_string(folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    assert!(!text.contains("NaN") && !text.contains("inf "), "{file}");
    text
}

#[test]
fn klosowski_writes_every_table_and_figure() {
    let folder = Folder::new("klosowski");
    lab(&["klosowski", "--quick"], &folder.0);
    let text = read(&folder.0, "klosowski.md");
    for heading in ["Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Table 7"] {
        assert!(text.contains(&format!("## {heading}: ")), "{heading}");
    }
    assert!(text.contains("--quick") && text.contains("Measured on 2"));
    for figure in ["cost-model", "figure-3", "figure-3-production", "table-6", "table-7"] {
        assert!(text.contains(&format!("(klosowski-{figure}.svg)")));
        assert!(read(&folder.0, &format!("klosowski-{figure}.svg")).ends_with("</svg>\n"));
    }
}

#[test]
fn hubbard_motion_writes_its_figures_and_misses_nothing() {
    let folder = Folder::new("hubbard-motion");
    lab(&["hubbard-motion", "--quick"], &folder.0);
    let text = read(&folder.0, "hubbard-motion.md");
    for figure in ["figure-7", "figure-11", "figure-12"] {
        assert!(text.contains(&format!("(hubbard-motion-{figure}.svg)")));
        assert!(read(&folder.0, &format!("hubbard-motion-{figure}.svg")).ends_with("</svg>\n"));
    }
    // Methods that compare the intervals between frames miss no contact.
    for method in ["swept boxes, every frame", "heap of pair urgencies", "`motion::Scheduler`"] {
        let row = text.lines().find(|line| line.starts_with(&format!("| {method} |")));
        assert!(row.is_some_and(|row| row.contains("| 0 of ")), "{method}: {text}");
    }
}

#[test]
fn growth_writes_its_table_and_charts() {
    let folder = Folder::new("growth");
    lab(&["growth", "--max", "3200", "--poses", "3", "--budget", "0.05"], &folder.0);
    let text = read(&folder.0, "growth.md");
    assert!(text.contains("| 1024 |") && text.contains("| 3136 |"), "{text}");
    for figure in ["first-hit", "all-pairs", "distance"] {
        assert!(read(&folder.0, &format!("growth-{figure}.svg")).ends_with("</svg>\n"));
    }
}

#[test]
fn overshoot_writes_its_tables() {
    let folder = Folder::new("overshoot");
    lab(&["overshoot", "--quick"], &folder.0);
    let text = read(&folder.0, "overshoot.md");
    for scene in ["nested, nearly touching", "touching, coplanar", "nested, cold caches"] {
        assert!(text.contains(&format!("| {scene} | 10 |")), "{text}");
    }
    assert!(
        text.contains("| distance |")
            && text.contains("at most 1.05")
            && text.contains("| open subtrees |"),
        "{text}"
    );
}

#[test]
fn frames_are_never_wrong_and_their_chart_is_written() {
    let folder = Folder::new("frames");
    lab(&["frames", "--quick"], &folder.0);
    let text = read(&folder.0, "frames.md");
    assert!(text.contains(", 0 of them wrong"), "{text}");
    for heading in ["Degradation", "Lateness"] {
        assert!(text.contains(&format!("## {heading}")), "{text}");
    }
    assert!(text.contains("| 1000 | 50 | 10 |") || text.contains("| 1000 | 50 | 3 |"), "{text}");
    assert!(read(&folder.0, "frames-load.svg").ends_with("</svg>\n"));
}

#[test]
fn threads_writes_its_table_and_chart() {
    let folder = Folder::new("threads");
    let small = ["--triangles", "4000", "--max", "2", "--poses", "2", "--passes", "2"];
    lab(&[&["threads"], &small[..]].concat(), &folder.0);
    let text = read(&folder.0, "threads.md");
    assert!(text.contains("| 1 |") && text.contains("| 2 |"), "{text}");
    assert!(read(&folder.0, "threads-gain.svg").ends_with("</svg>\n"));
}

#[test]
fn hubbard_spheres_writes_its_tables_and_charts() {
    let folder = Folder::new("hubbard-spheres");
    lab(&["hubbard-spheres", "--quick"], &folder.0);
    let text = read(&folder.0, "hubbard-spheres.md");
    for figure in ["Figure 13", "Figure 14", "Figure 15", "Figures 16 and 17"] {
        assert!(text.contains(&format!("## {figure}: ")), "{figure}");
    }
    assert!(text.contains("| 1 | 50,042 | 60 |") && text.contains("same verdict"), "{text}");
    for figure in ["speedups", "cases", "bounds", "frames", "frames-published", "graded-1"] {
        assert!(read(&folder.0, &format!("hubbard-spheres-{figure}.svg")).ends_with("</svg>\n"));
    }
}

#[test]
fn support_writes_its_tables_and_charts() {
    let folder = Folder::new("support");
    lab(&["support", "--quick", "--directions", "200"], &folder.0);
    let text = read(&folder.0, "support.md");
    assert!(text.contains("| rod | 100 |") && text.contains("## Memory and preparation"), "{text}");
    for shape in ["ellipsoid", "rod", "plate", "random"] {
        assert!(read(&folder.0, &format!("support-{shape}.svg")).ends_with("</svg>\n"));
    }
}

#[test]
fn convex_batch_measures_every_query() {
    let folder = Folder::new("batch");
    lab(&["convex-batch", "--quick", "--hulls", "8"], &folder.0);
    let text = read(&folder.0, "convex-batch.md");
    for query in ["intersects", "distance", "contact"] {
        assert!(text.contains(&format!("| `convex::{query}` |")), "{text}");
    }
}

#[test]
fn convex_growth_writes_its_table_and_chart() {
    let folder = Folder::new("convex-growth");
    lab(&["convex-growth", "--quick"], &folder.0);
    let text = read(&folder.0, "convex-growth.md");
    assert!(text.contains("| 10 |") && text.contains("| 20 |"), "{text}");
    assert!(read(&folder.0, "convex-growth-n.svg").ends_with("</svg>\n"));
}

#[test]
fn hulls_are_compared_with_peers() {
    let folder = Folder::new("hulls");
    let peers = folder.0.join("other.jsonl");
    let line = "{\"peer\":\"other\",\"set\":\"grid-5-cubed\",\"ms\":1e3,\"vertices\":9}\n";
    fs::write(&peers, line).expect("a line");
    let peers = peers.to_str().expect("a path in UTF-8");
    lab(&["hulls", "--quick", "--budget", "0.01", "--peers", peers], &folder.0);
    let text = read(&folder.0, "hulls.md");
    assert!(text.contains("| grid-5-cubed | 125 | 8 | 6 |"), "{text}");
    assert!(text.contains("Compared with other, on 1 sets"), "{text}");
}

/// Two tetrahedra at three consecutive poses: apart, touching and penetrating.
fn convex_workload(folder: &Path) {
    let work = folder.join("work/convex/two");
    fs::create_dir_all(&work).expect("a folder for the workload");
    let body = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    for name in ["a.obj", "b.obj"] {
        fs::write(work.join(name), body).expect("a body");
    }
    let poses: String = ["2", "1", "0.25"].map(|x| format!("1 0 0 {x} 0 1 0 0 0 0 1 0\n")).concat();
    fs::write(work.join("poses-coherent.txt"), poses).expect("poses");
}

#[test]
fn hull_queries_are_rows_of_the_peers_table() {
    let folder = Folder::new("peers-convex");
    convex_workload(&folder.0);
    let (work, answers) = (folder.0.join("work"), folder.0.join("answers"));
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-lab"))
        .args(["peers-convex", "--budget", "0.001", "two"])
        .env("PEER_WORK", &work)
        .env("PEER_OUT", &answers)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("text");
    let modes = ["bool", "dist", "signed", "bool-warm", "dist-warm", "signed-warm"];
    assert_eq!(lines.lines().count(), modes.len(), "{lines}");
    let answer_file = |mode: &str| read(&answers, &format!("impinge/two.coherent.{mode}.txt"));
    for warm in ["", "-warm"] {
        assert_eq!(answer_file(&format!("bool{warm}")), "0\n1\n1\n");
        let numbers = |mode: &str| -> Vec<f64> {
            let text = answer_file(&format!("{mode}{warm}"));
            text.lines().map(|l| l.parse().expect("a number")).collect()
        };
        let (distances, signed) = (numbers("dist"), numbers("signed"));
        assert!((distances[0] - 1.0).abs() < 1e-12 && distances[1..] == [0.0, 0.0]);
        assert!((signed[0] - 1.0).abs() < 1e-12 && signed[1].abs() < 1e-9, "{signed:?}");
        // The shortest way out is through A's slanted face, in direction (1, 1, 1): the sum of the
        // coordinates of B's corner in A grows from 1/4 to 1.
        assert!((signed[2] + 0.75 / 3.0_f64.sqrt()).abs() < 1e-9, "{signed:?}");
    }

    // The table needs a second peer: a copy of our rows under another name.
    let lines_folder = folder.0.join("lines");
    fs::create_dir_all(&lines_folder).expect("a folder for lines");
    fs::write(lines_folder.join("ours.jsonl"), &lines).expect("our lines");
    fs::write(lines_folder.join("other.jsonl"), lines.replace("impinge", "other")).expect("lines");
    fs::create_dir_all(answers.join("other")).expect("a folder for answers");
    for mode in modes {
        let file = format!("two.coherent.{mode}.txt");
        fs::copy(answers.join("impinge").join(&file), answers.join("other").join(&file))
            .expect("answers");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-lab"))
        .arg("convex-table")
        .arg(&lines_folder)
        .arg("--answers")
        .arg(&answers)
        .arg("--out")
        .arg(&folder.0)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = read(&folder.0, "convex-pairs.md");
    assert!(text.contains("| two | coherent |") && text.contains("| 1.00 |"), "{text}");
    assert!(text.contains("| `signed-warm`, other | 0 | 3 |"), "{text}");
}

#[test]
fn broad_scenes_writes_its_table() {
    let folder = Folder::new("broad-scenes");
    lab(
        &["broad-scenes", "--frames", "4", "--passes", "1", "--phases", "neighbours,tree", "n-1k"],
        &folder.0,
    );
    let text = read(&folder.0, "broad-scenes.md");
    assert!(
        text.contains("| brownian-1k | neighbours |") && text.contains("| brownian-1k | tree |")
    );
}

#[test]
fn scenes_of_boxes_are_written_and_read_back() {
    let folder = Folder::new("broad-files");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_impinge-lab"))
            .args(arguments)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let path = folder.0.to_str().expect("a plain path");
    run(&["broad-scenes", "--frames", "5", "--write", path, "--", "brownian-1k"]);
    let lines = run(&["peers-broad", "--work", path, "--phases", "neighbours,all-pairs,sweep"]);
    let rows: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["peer"], "impinge-neighbours");
    assert!(rows.iter().all(|row| row["frames"] == 5 && row["pairs"] == rows[0]["pairs"]));
}

#[test]
fn methods_writes_its_tables() {
    let folder = Folder::new("methods");
    lab(&["methods", "--max", "40", "--poses", "2", "--budget", "0.001"], &folder.0);
    let text = read(&folder.0, "methods.md");
    assert!(text.contains("TREES_NS_PER_DOUBLING") && text.contains("| 2 \u{d7} 2 |"));
    assert!(read(&folder.0, "methods-flight.svg").ends_with("</svg>\n"));
}
