#[test]
fn digest() {
    let start = std::time::Instant::now();
    let findings = impinge_adversary::run::run(1, 0..5000, "bounds of motions");
    println!("{:?} {}", start.elapsed(), impinge_adversary::report::failures(&findings));
    println!("{}", impinge_adversary::digests::lines(&findings));
    for (_, r) in &findings.results {
        println!("{:?}", r.counts);
    }
}
