//! Findings as text.

use std::fmt::Write;

use crate::family::FAMILIES;
use crate::run::Findings;

/// The number with its digits in groups of three.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, c) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k) % 3 == 0 {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// The report of a run: cases, wrong answers and digest of every row.
#[must_use]
pub fn page(findings: &Findings, seed: u64, first: u64, only: &str) -> String {
    let mut text = String::from("# Results of the adversary\n\n");
    let only = if only.is_empty() { String::new() } else { format!(" --only {only:?}") };
    let first = if first == 0 { String::new() } else { format!(" --first {first}") };
    let cases = findings.cases();
    let lines = format!(
        "`cargo run --release -p impinge-adversary -- --cases {cases} --seed {seed}{first}{only}`\n\n\
         {} cases: {} samples of {} families (arrangement, scale, offset and rotation drawn for each), three poses \
         of each, {} rows of queries. A case is one answer that was checked in integers: verdicts \
         must be equal, bounds must hold, certificates must verify.\n\n\
         **{} wrong answers.** Digest of all answers: `{:016x}`. The same command gives the same digest on any \
         number of threads.\n\n",
        grouped(cases),
        grouped(findings.samples),
        FAMILIES.len(),
        findings.results.len(),
        grouped(findings.failed()),
        findings.digest(),
    );
    text.push_str(&lines);
    text.push_str(
        "| queries | cases | wrong | digest | events |\n| --- | ---: | ---: | --- | --- |\n",
    );
    for (name, results) in &findings.results {
        let counts: Vec<String> =
            results.counts.iter().map(|(name, n)| format!("{name} {}", grouped(*n))).collect();
        writeln!(
            text,
            "| {name} | {} | {} | `{:016x}` | {} |",
            grouped(results.cases),
            grouped(results.failed),
            results.digest,
            counts.join(", ")
        )
        .expect("writing to a string succeeds");
    }
    text
}

/// The time spent in each row, the slowest first.
#[must_use]
pub fn times(findings: &Findings) -> String {
    let mut rows: Vec<_> =
        findings.results.iter().map(|(name, t)| (t.time, *name, t.cases)).collect();
    rows.sort_by(|a, b| b.cmp(a));
    let line = |(time, name, cases): &(std::time::Duration, &str, u64)| {
        format!("{:>8.1} s  {:>12} cases  {name}\n", time.as_secs_f64(), grouped(*cases))
    };
    rows.iter().map(line).collect()
}

/// The stored wrong answers, with the indices of their samples.
#[must_use]
pub fn failures(findings: &Findings) -> String {
    let mut text = String::new();
    for (name, results) in &findings.results {
        if results.failed > 0 {
            writeln!(text, "{name}: {} wrong", results.failed)
                .expect("writing to a string succeeds");
        }
        for (sample, message) in &results.failures {
            let message: String = message.chars().take(1500).collect();
            writeln!(text, "  sample {sample}: {message}").expect("writing to a string succeeds");
        }
    }
    text
}
