//! Commands that write reports, on scenes small enough for every test run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of this test's own, removed at its end.
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
    assert!(!output.stderr.is_empty(), "progress is told");
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
fn growth_writes_its_table_and_charts() {
    let folder = Folder::new("growth");
    lab(&["growth", "--most", "3200", "--poses", "3", "--budget", "0.05"], &folder.0);
    let text = read(&folder.0, "growth.md");
    assert!(text.contains("| 1024 |") && text.contains("| 3136 |"), "{text}");
    for figure in ["first-hit", "all-pairs", "distance"] {
        assert!(read(&folder.0, &format!("growth-{figure}.svg")).ends_with("</svg>\n"));
    }
}

#[test]
fn threads_writes_its_table_and_chart() {
    let folder = Folder::new("threads");
    let small = ["--triangles", "4000", "--most", "2", "--poses", "2", "--passes", "2"];
    lab(&[&["threads"], &small[..]].concat(), &folder.0);
    let text = read(&folder.0, "threads.md");
    assert!(text.contains("| 1 |") && text.contains("| 2 |"), "{text}");
    assert!(read(&folder.0, "threads-gain.svg").ends_with("</svg>\n"));
}
