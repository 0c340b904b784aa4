//! scratch
#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, reason = "scratch")]
use impinge::check::*;
use impinge::*;
use std::collections::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t = std::time::Instant::now();
    let loaded = Scene::load(&args[1]).unwrap();
    println!("{loaded}\nloaded {:?}", t.elapsed());
    let fcl: BTreeSet<(usize, usize)> = std::fs::read_to_string(&args[2]).unwrap().lines().skip(3).map(|l| { let f: Vec<&str> = l.split('\t').collect(); (f[0].parse().unwrap(), f[1].parse().unwrap()) }).collect();
    let s = &loaded.scene;
    let closed = s.parts().iter().filter(|p| p.mesh.is_solid()).count();
    println!("{} parts {} closed {:?}", s.parts().len(), closed, t.elapsed());
    let pairs = candidate_pairs(s, 0.0);
    println!("{} candidates {:?}", pairs.len(), t.elapsed());
    let mut counts: BTreeMap<(Relation, bool), usize> = BTreeMap::new();
    let mut slow = Vec::new();
    for (i, j) in pairs {
        let (a, b) = (&s.parts()[i], &s.parts()[j]);
        let t = std::time::Instant::now();
        let r = check_pair(&a.mesh, &b.mesh, &Pose::relative(&a.pose, &b.pose), &CheckOptions { distance: true, ..Default::default() });
        slow.push((t.elapsed(), i, j, r.relation, a.mesh.triangles().len(), b.mesh.triangles().len(), r.hit_count));
        let f = fcl.contains(&(i, j));
        *counts.entry((r.relation, f)).or_default() += 1;
        if f != r.relation.is_collision() {
            println!("{i} {j} {} {} {:?} fcl {f} hits {} dist {:?} closed {} {}", a.name, b.name, r.relation, r.hit_count, r.distance.map(|d| d.upper), a.mesh.is_solid(), b.mesh.is_solid());
        }
    }
    println!("{counts:?} {:?}", t.elapsed());
    slow.sort();
    for s in slow.iter().rev().take(12) { println!("{s:?}"); }
}
