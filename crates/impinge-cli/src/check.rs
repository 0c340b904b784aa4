//! `impinge check`: load, check every pair, report.

use std::io::Write;
use std::path::PathBuf;

use anstyle::Style;
use anyhow::{Result, bail};
use impinge::check::CheckOptions;

use crate::args::{CheckArgs, FailOn};
use crate::cache::Cache;
use crate::job::Job;
use crate::outputs::{self, Output};
use crate::pair_result::{Kind, PairResult};
use crate::pairs::{self, Plan, Summary};
use crate::render::{self, Curves, Picture};
use crate::report::csv::{PairsFile, Parts};
use crate::report::table::{Align, Cell, Table};
use crate::report::{LINE_WIDTH, count, json, number, plural, point};
use crate::trees::{self, CacheReport};
use crate::{Status, ignore_broken_pipe, note, pose_arg};

/// Runs `impinge check`.
pub(crate) fn run(args: &CheckArgs) -> Result<Status> {
    if pose_arg::is_given(&args.query) && args.files.len() != 2 {
        bail!(
            "a pose option moves the second of two files, but there {}; give two files, or put poses into a scene file",
            if args.files.len() == 1 {
                "is one".to_owned()
            } else {
                format!("are {}", args.files.len())
            }
        );
    }
    let (output, picture) = (&args.output, &args.picture);
    let inputs = args.files.iter().chain(&args.query.pose_file).map(PathBuf::as_path);
    let outputs = [
        Output { option: "--pairs", path: output.pairs.as_deref(), extensions: &["csv"] },
        Output { option: "--png", path: picture.png.as_deref(), extensions: &["png"] },
        Output { option: "--svg", path: picture.svg.as_deref(), extensions: &["svg"] },
    ];
    outputs::check(&outputs, inputs)?;
    let pose = pose_arg::from_args(&args.query)?;
    let job = Job::load(&args.files, &pose)?;
    if !args.output.quiet {
        job.notes.iter().for_each(|n| note(n));
    }
    run_job(&job, args)
}

/// Checks a loaded job.
pub(crate) fn run_job(job: &Job, args: &CheckArgs) -> Result<Status> {
    let (query, output) = (&args.query, &args.output);
    let plan = Plan::new(job, query);
    if !output.quiet {
        print_notes(job, args, &plan);
    }
    let keep_hits = output.pairs.is_some() || args.picture.requested();
    let options = CheckOptions::default()
        .clearance(query.clearance)
        .distance(query.distance)
        .keep_hits(keep_hits)
        .relation_only(!keep_hits && !output.count_triangles);
    let mut file = output.pairs.as_deref().map(PairsFile::create).transpose()?;
    let pool = pairs::pool(query)?;
    let cache = query.cache.as_deref().map(Cache::open).transpose()?;
    let cached = trees::prepare(&pool, job, &plan, cache.as_ref());
    if let (Some(cached), false) = (&cached, output.quiet) {
        cached.problems.iter().for_each(|problem| note(&format!("cache: {problem}")));
    }
    let mut curves = Curves::default();
    let mut results = Vec::with_capacity(plan.pairs.len());
    pairs::run(job, &plan, &options, &pool, output.quiet || output.json, |result, report| {
        let (a, b) = (&job.scene.parts()[result.a], &job.scene.parts()[result.b]);
        if let Some(file) = &mut file {
            let parts =
                Parts { a: (result.a, &job.names[result.a]), b: (result.b, &job.names[result.b]) };
            file.write(parts, &report.hits, |p| a.pose.transform_point(p))?;
        }
        if args.picture.requested() {
            curves.add(a, b, &report.hits);
        }
        results.push(result);
        Ok(())
    })?;
    if let Some(file) = file {
        file.finish()?;
    }
    let summary = Summary::new(job, &plan, &results);
    if output.all {
        results.extend(plan.pruned_results(job));
    }
    results.sort_by_key(|v| (v.kind(), v.a, v.b));
    let status = status(&summary, query.fail_on);

    if args.picture.requested() {
        let picture = Picture {
            scene: &job.scene,
            names: &job.names,
            title: format!("{}: {}", job.title(), headline(&summary)),
            results: &results,
            curves: &curves,
            summary: Some(&summary),
        };
        render::write(&picture, &args.picture)?;
    }
    let listed: Vec<&PairResult> = results
        .iter()
        .filter(|v| output.all || query.distance || v.kind() != Kind::Clear)
        .collect();
    let mut out = anstream::stdout().lock();
    let written = if output.json {
        json::write_check(&mut out, job, args, &listed, &summary, status, cached.as_ref())
    } else {
        write_report(&mut out, job, &listed, &summary, output.count_triangles)
            .and_then(|()| cached.as_ref().map_or(Ok(()), |cached| write_cached(&mut out, cached)))
    };
    // A closed pipe does not change the exit status.
    ignore_broken_pipe(written.and_then(|()| Ok(out.flush()?)))?;
    Ok(status)
}

/// Prints notes on standard error about options without effect and parts with limited results.
fn print_notes(job: &Job, args: &CheckArgs, plan: &Plan) {
    for (i, pattern) in args.query.ignore.iter().enumerate() {
        if !plan.pattern_matches_a_pair(i) {
            note(&format!(
                "--ignore \"{}\" matches no pair of parts; `impinge info` lists the part names",
                pattern.as_str()
            ));
        }
    }
    if plan.total == 0 {
        note("there is no pair of parts to check; give an assembly or a second file");
    }
    if args.query.fail_on == FailOn::Near && args.query.clearance.is_none() {
        note("--fail-on near has no effect without --clearance");
    }
    for (i, part) in job.scene.parts().iter().enumerate() {
        if part.mesh.triangles().is_empty() {
            note(&format!("{} has no triangles and cannot collide", job.names[i]));
        }
    }
    if plan.total > 0 {
        note_open_parts(job);
    }
}

/// Notes which parts have no interior: for these, "clear" does not exclude that a part lies inside.
fn note_open_parts(job: &Job) {
    let parts = job.scene.parts().iter().zip(&job.names);
    let open: Vec<&String> = parts
        .filter(|(part, _)| !part.mesh.triangles().is_empty() && !part.mesh.is_solid())
        .map(|(_, name)| name)
        .collect();
    let subject = match open.as_slice() {
        [] => return,
        [one] => format!("{one} is not closed"),
        [one, ..] => {
            let (n, all) = (count(open.len()), count(job.names.len()));
            format!("{n} of {all} parts are not closed (the first: {one})")
        }
    };
    note(&format!(
        "{subject}; only its surface is checked, not what lies inside; `impinge info` lists open edges"
    ));
}

fn status(summary: &Summary, fail_on: FailOn) -> Status {
    let least_severe = match fail_on {
        FailOn::Crossing => Kind::Contained,
        FailOn::Touching => Kind::Touching,
        FailOn::Near => Kind::Near,
    };
    let found = Kind::ALL.iter().any(|k| *k <= least_severe && summary.of(*k) > 0);
    if found { Status::Found } else { Status::Clear }
}

/// The counts of all relations but "clear", or "all clear".
fn headline(summary: &Summary) -> String {
    let parts: Vec<String> = Kind::ALL[..5]
        .iter()
        .filter(|k| summary.of(**k) > 0)
        .map(|k| format!("{} {}", count(summary.of(*k)), k.name()))
        .collect();
    if parts.is_empty() { "all clear".to_owned() } else { parts.join(", ") }
}

fn write_report(
    out: &mut dyn Write,
    job: &Job,
    listed: &[&PairResult],
    summary: &Summary,
    count_triangles: bool,
) -> Result<()> {
    if !listed.is_empty() {
        let mut table = Table::new()
            .column("relation", Align::Left, 9)
            .column("part", Align::Left, 60)
            .column("other part", Align::Left, 60);
        if count_triangles {
            table = table.column("triangles", Align::Right, 12);
        }
        table = table.column("distance", Align::Right, 11).column("where", Align::Left, 40);
        for v in listed {
            let (first, second) = v.report_order();
            let mut cells = vec![
                Cell::styled(v.kind().name(), v.kind().style()),
                job.names[first].as_str().into(),
                job.names[second].as_str().into(),
            ];
            if count_triangles {
                let pairs = v.triangle_pairs.filter(|pairs| *pairs > 0);
                cells.push(pairs.map(count).unwrap_or_default().into());
            }
            cells.push(v.distance.map(|d| number(d.upper)).unwrap_or_default().into());
            cells.push(v.place().map(point).unwrap_or_default().into());
            table.row(cells);
        }
        table.shrink(&[1, 2], LINE_WIDTH);
        table.write(out, 0)?;
        if listed.iter().any(|v| v.kind() == Kind::Contained) {
            writeln!(out, "contained: \"part\" lies inside \"other part\"")?;
        }
        writeln!(out)?;
    }
    write_summary(out, summary)
}

/// One line about the use of the cache.
fn write_cached(out: &mut dyn Write, cached: &CacheReport) -> Result<()> {
    let CacheReport { folder, reused, stored, built, .. } = cached;
    let (reused, stored, built) = (count(*reused), count(*stored), count(*built));
    writeln!(
        out,
        "trees: {reused} read from {folder}, {stored} built and stored there, {built} built, not stored"
    )?;
    Ok(())
}

fn write_summary(out: &mut dyn Write, summary: &Summary) -> Result<()> {
    let bold = Style::new().bold();
    write!(out, "{}, {}: ", plural(summary.parts, "part"), plural(summary.pairs, "pair"))?;
    for (i, kind) in Kind::ALL.into_iter().enumerate() {
        let n = summary.of(kind);
        let style = match (n, kind) {
            (0, _) => Style::new().dimmed(),
            (_, Kind::Clear) => kind.style(),
            _ => kind.style().bold(),
        };
        let comma = if i == 0 { "" } else { ", " };
        write!(
            out,
            "{comma}{}{} {}{}",
            style.render(),
            count(n),
            kind.name(),
            style.render_reset()
        )?;
    }
    writeln!(out)?;
    let pruned = if summary.pruned > 0 {
        format!("; {} with disjoint bounding boxes", count(summary.pruned))
    } else {
        String::new()
    };
    let ignored = if summary.ignored > 0 {
        format!("; {} ignored", count(summary.ignored))
    } else {
        String::new()
    };
    writeln!(
        out,
        "{}{}{} checked exactly{pruned}{ignored}",
        bold.render(),
        plural(summary.checked, "pair"),
        bold.render_reset()
    )?;
    Ok(())
}
