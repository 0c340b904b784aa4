//! scratch
#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, reason = "scratch")]
use impinge::tree::*;
use impinge::*;
use std::ops::ControlFlow;
use std::time::Instant;
struct First(bool);
impl pair::Sink for First {
    fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
        self.0 = true;
        ControlFlow::Break(())
    }
}
struct All(Vec<(u32, u32)>);
impl pair::Sink for All {
    fn pair(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        self.0.push((a, b));
        ControlFlow::Continue(())
    }
}
fn load(p: &str) -> Mesh {
    let s = std::fs::read_to_string(p).unwrap();
    let (mut v, mut f) = (vec![], vec![]);
    for l in s.lines() {
        let mut w = l.split_whitespace();
        match w.next() {
            Some("v") => {
                let c: Vec<f64> = w.map(|x| x.parse().unwrap()).collect();
                v.push(Vec3::new(c[0], c[1], c[2]));
            }
            Some("f") => {
                let c: Vec<u32> = w.map(|x| x.parse().unwrap()).collect();
                f.push([c[0] - 1, c[1] - 1, c[2] - 1]);
            }
            _ => {}
        }
    }
    Mesh::from_triangles(v, f).unwrap()
}
fn main() {
    let root = "/root/peers-data/work/mesh";
    let oracle = "/root/peers-data/oracle";
    for w in std::env::args().skip(1) {
        let (a, b) = (load(&format!("{root}/{w}/a.obj")), load(&format!("{root}/{w}/b.obj")));
        let (ta, tb) = (Tree::build(&a), Tree::build(&b));
        let mut best = f64::MAX;
        for _ in 0..5 {
            let t = Instant::now();
            let _ = std::hint::black_box(Tree::build(&a));
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!(
            "{w}: build {:.1} ms, {:.1} bytes/tri",
            best * 1e3,
            ta.bytes() as f64 / a.triangles().len() as f64
        );
        let only = std::env::var("REGIME").ok();
        for regime in
            ["far", "near", "touch", "shallow", "deep", "rotated", "aligned", "random", "flight"]
        {
            if only.as_deref().is_some_and(|o| o != regime) {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(format!("{root}/{w}/poses-{regime}.txt")) else {
                continue;
            };
            let poses: Vec<Pose> = text
                .lines()
                .map(|l| {
                    let c: Vec<f64> = l.split_whitespace().map(|x| x.parse().unwrap()).collect();
                    Pose::from_matrix([
                        [c[0], c[1], c[2], c[3]],
                        [c[4], c[5], c[6], c[7]],
                        [c[8], c[9], c[10], c[11]],
                    ])
                    .unwrap()
                })
                .collect();
            let mut line = format!("  {regime:8}");
            for mode in ["first", "all"] {
                let mut times = vec![f64::MAX; poses.len()];
                let mut count = 0;
                for rep in 0..5 {
                    count = 0;
                    for (i, p) in poses.iter().enumerate() {
                        let t = Instant::now();
                        if mode == "first" {
                            let mut s = First(false);
                            traverse((&a, &ta), (&b, &tb), p, &mut s);
                            count += s.0 as usize;
                        } else {
                            let mut s = All(Vec::new());
                            traverse((&a, &ta), (&b, &tb), p, &mut s);
                            count += s.0.len();
                            if rep == 0 && i < 20 {
                                if let Ok(o) =
                                    std::fs::read_to_string(format!("{oracle}/{w}.{regime}.txt"))
                                {
                                    let n: usize = o.lines().nth(i).unwrap().parse().unwrap();
                                    if n != s.0.len() {
                                        println!("MISMATCH {w} {regime} {i} {} vs {n}", s.0.len());
                                    }
                                }
                            }
                        }
                        times[i] = times[i].min(t.elapsed().as_secs_f64());
                    }
                }
                times.sort_by(f64::total_cmp);
                line += &format!("  {mode}: {:9.3} us ({count})", times[times.len() / 2] * 1e6);
            }
            println!("{line}");
        }
    }
}
