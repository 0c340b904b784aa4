//! `impinge info`: properties and defects of meshes.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use impinge::Pose;
use impinge::tree::TreeSize;

use crate::args::InfoArgs;
use crate::cache::{Cache, Source};
use crate::facts::{self, InfoRow, TreeFacts};
use crate::job::Job;
use crate::render::{self, Curves, Picture};
use crate::report::table::{Align, Cell, Table};
use crate::report::{LINE_WIDTH, count, digits, json_info, plural};
use crate::{Status, note};

/// Runs `impinge info`.
pub(crate) fn run(args: &InfoArgs) -> Result<Status> {
    let jobs: Vec<Job> = args
        .files
        .iter()
        .map(|path| Job::load(std::slice::from_ref(path), &Pose::IDENTITY))
        .collect::<Result<_>>()?;
    let cache = args.cache.as_deref().map(Cache::open).transpose()?;
    let mut rows: Vec<Vec<InfoRow<'_>>> = Vec::with_capacity(jobs.len());
    for job in &jobs {
        let (trees, problems) = facts::trees(&job.scene, cache.as_ref());
        problems.iter().for_each(|problem| note(&format!("cache: {problem}")));
        let row = |(i, tree)| InfoRow::of(&job.scene, i, &job.names[i], tree);
        rows.push(trees.into_iter().enumerate().map(row).collect());
    }
    if args.picture.requested() {
        let all = Job::merge(&jobs);
        let triangles: usize = rows.iter().flatten().map(|r| r.triangles).sum();
        let picture = Picture {
            scene: &all.scene,
            names: &all.names,
            title: format!(
                "{}: {}, {}",
                all.title(),
                plural(all.names.len(), "part"),
                plural(triangles, "triangle")
            ),
            results: &[],
            curves: &Curves::default(),
            summary: None,
        };
        render::write(&picture, &args.picture)?;
    }
    let mut out = anstream::stdout().lock();
    if args.json {
        json_info::write_info(&mut out, &jobs, &rows)?;
    } else {
        for (i, (job, rows)) in jobs.iter().zip(&rows).enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            write_file(&mut out, job, rows)?;
        }
    }
    out.flush()?;
    Ok(Status::Clear)
}

fn write_file(out: &mut dyn Write, job: &Job, rows: &[InfoRow<'_>]) -> Result<()> {
    let bold = Style::new().bold();
    let total: usize = rows.iter().map(|r| r.triangles).sum();
    writeln!(
        out,
        "{}{}{}: {}, {}",
        bold.render(),
        job.files.join(", "),
        bold.render_reset(),
        plural(rows.len(), "part"),
        plural(total, "triangle")
    )?;
    for note in &job.notes {
        writeln!(out, "  note: {note}")?;
    }
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = Table::new()
        .column("part", Align::Left, 60)
        .column("verts", Align::Right, 10)
        .column("polys", Align::Right, 10)
        .column("tris", Align::Right, 10)
        .column("size", Align::Left, 40)
        .column("traits", Align::Left, 6)
        .column("hull", Align::Right, 11)
        .column("area", Align::Right, 9)
        .column("volume", Align::Right, 9);
    for row in rows {
        table.row(cells(row));
    }
    table.shrink(&[0], LINE_WIDTH - 2);
    table.write(out, 2)?;
    writeln!(
        out,
        "  traits: c closed, m manifold, o oriented, p planar polygons, v convex polygons, x convex"
    )?;
    if rows.iter().any(|row| row.hull.is_some()) {
        writeln!(out, "  hull: corners/faces of a convex part, coplanar faces merged")?;
    }
    writeln!(out, "  verts: vertices with equal coordinates count once")?;
    let warn = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    let mut no_defects = true;
    for row in rows {
        let mut defects = row.defects.to_string();
        if row.solid.is_some_and(|s| s.volume < 0.0) {
            let inward = "inside out: its normals point inward, its volume is negative";
            defects = if defects == "no defects" {
                inward.to_owned()
            } else {
                format!("{defects}; {inward}")
            };
        }
        if defects != "no defects" {
            no_defects = false;
            writeln!(out, "  {}{}{}: {defects}", warn.render(), row.name, warn.render_reset())?;
        }
    }
    if no_defects {
        writeln!(out, "  no defects")?;
    }
    write_trees(out, rows)
}

/// One line about the trees of a file. Parts that share a mesh share its tree, which counts once.
fn write_trees(out: &mut dyn Write, rows: &[InfoRow<'_>]) -> Result<()> {
    let distinct: Vec<&TreeFacts> = rows.iter().map(|r| &r.tree).filter(|t| !t.shared).collect();
    let sum = |what: fn(&TreeSize) -> usize| distinct.iter().map(|t| what(&t.size)).sum::<usize>();
    let (bytes, triangles) = (sum(|s| s.bytes), sum(|s| s.triangles));
    let sources =
        [Source::Built, Source::Stored, Source::Reused].into_iter().filter_map(|source| {
            let seconds: Vec<f64> =
                distinct.iter().filter(|t| t.source == source).map(|t| t.seconds).collect();
            let time = digits(seconds.iter().sum::<f64>() * 1e3, 3);
            (!seconds.is_empty())
                .then(|| format!("{} {} in {time} ms", count(seconds.len()), source.name()))
        });
    writeln!(
        out,
        "  trees: {}, {}, depth {}, {} bytes ({} per triangle); {}",
        plural(sum(|s| s.nodes), "node"),
        plural(sum(|s| s.leaves), "leaf").replace("leafs", "leaves"),
        distinct.iter().map(|t| t.size.depth).max().unwrap_or(0),
        count(bytes),
        digits(bytes as f64 / triangles.max(1) as f64, 3),
        sources.collect::<Vec<_>>().join(", ")
    )?;
    Ok(())
}

fn cells(row: &InfoRow<'_>) -> Vec<Cell> {
    let size = row.bounds.map(|b| b.extent().to_array().map(|x| digits(x, 4)).join(" x "));
    vec![
        row.name.into(),
        count(row.vertices).into(),
        count(row.polygons).into(),
        count(row.triangles).into(),
        size.unwrap_or_default().into(),
        traits(row).into(),
        row.hull.map(|h| format!("{}/{}", h.vertices, h.faces)).unwrap_or_default().into(),
        digits(row.area, 5).into(),
        row.solid.map(|s| digits(s.volume, 5)).unwrap_or_default().into(),
    ]
}

/// One letter for each trait of the mesh, a dash for each missing one.
fn traits(row: &InfoRow<'_>) -> String {
    [
        (row.class.closed, 'c'),
        (row.class.manifold, 'm'),
        (row.class.oriented, 'o'),
        (row.class.nearly_planar_polygons, 'p'),
        (row.class.convex_polygons, 'v'),
        (row.class.convex, 'x'),
    ]
    .into_iter()
    .map(|(has, letter)| if has { letter } else { '-' })
    .collect()
}
