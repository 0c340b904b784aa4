//! `impinge decompose`: solids as convex pieces, with a bound on the error.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, Result, bail};
use impinge::convex::Hull;
use impinge::pieces::{DecomposeOptions, Decomposition, decompose_exactly, decompose_watched};
use impinge::scene::{Part, Scene};
use impinge::{Mesh, Pose, Vec3, Weld};
use impinge_io::{Faces, Instance, RawMesh, write_glb_colored, write_obj};

use crate::args::DecomposeArgs;
use crate::job::Job;
use crate::outputs::{self, Output};
use crate::progress::Progress;
use crate::render::{self, Curves, Picture};
use crate::report::{digits, plural};
use crate::{Status, note};

/// The default tolerance as a fraction of a part's diagonal.
const RELATIVE_TOLERANCE: f64 = 0.02;

/// The output format of the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Glb,
    Obj,
}

/// Runs `impinge decompose`.
pub(crate) fn run(args: &DecomposeArgs) -> Result<Status> {
    // A wrong extension is reported before the decomposition, which can take long.
    let format = args.output.as_deref().map(format_of).transpose()?;
    let outputs = [
        Output { option: "-o", path: args.output.as_deref(), extensions: &["glb", "obj"] },
        Output { option: "--png", path: args.picture.png.as_deref(), extensions: &["png"] },
        Output { option: "--svg", path: args.picture.svg.as_deref(), extensions: &["svg"] },
    ];
    outputs::check(&outputs, [args.file.as_path()])?;
    let job = Job::load(std::slice::from_ref(&args.file), &Pose::IDENTITY)?;
    if !args.quiet {
        job.notes.iter().for_each(|n| note(n));
    }
    let mut builder = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = args.threads {
        builder = builder.num_threads(threads.get());
    }
    let pool = builder.build()?;
    let mut pieces = Scene::new();
    let mut lines = Vec::new();
    for (part, name) in job.scene.parts().iter().zip(&job.names) {
        let (found, tolerance) = pool
            .install(|| cut(part, args))
            .with_context(|| format!("cannot cut {name} into convex pieces"))?;
        lines.push(report_line(name, &found, tolerance));
        for (i, piece) in found.pieces.iter().enumerate() {
            pieces.add(format!("{name} {}", i + 1), mesh_of(&piece.hull)?, part.pose);
        }
    }
    if let (Some(path), Some(format)) = (&args.output, format) {
        save(path, format, &pieces).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.picture.requested() {
        let names: Vec<String> = pieces.parts().iter().map(|p| p.name.clone()).collect();
        let picture = Picture {
            scene: &pieces,
            names: &names,
            title: format!("{}: {}", job.title(), plural(names.len(), "convex piece")),
            results: &[],
            curves: &Curves::default(),
            summary: None,
        };
        render::write(&picture, &args.picture)?;
    }
    let mut out = anstream::stdout().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    if let Some(path) = &args.output {
        writeln!(out, "wrote {}", path.display())?;
    }
    out.flush()?;
    Ok(Status::Clear)
}

/// The pieces of a part, and the tolerance that was used.
fn cut(part: &Part, args: &DecomposeArgs) -> Result<(Decomposition, f64)> {
    // Formats of separate triangles, such as STL, have no shared vertices: they are welded first.
    let welded = if part.mesh.is_solid() { None } else { Some(part.mesh.welded(Weld::Exact)?) };
    let mesh = welded.as_ref().unwrap_or(&part.mesh);
    let limit = args.pieces.get();
    if args.exact {
        return Ok((decompose_exactly(mesh, limit)?, 0.0));
    }
    let tolerance = args.tolerance.unwrap_or(RELATIVE_TOLERANCE * mesh.bounds().extent().length());
    let mut progress = Progress::new(limit, "cutting", args.quiet);
    let mut watch = |_: usize, _: usize| {
        progress.step();
        ControlFlow::Continue(())
    };
    let found = decompose_watched(mesh, &DecomposeOptions::new(tolerance, limit), &mut watch)?;
    Ok((found, tolerance))
}

/// The result for a part in one line.
fn report_line(name: &str, found: &Decomposition, tolerance: f64) -> String {
    let pieces = plural(found.pieces.len(), "piece");
    if found.exact {
        return format!("{name}: {pieces}, exact");
    }
    let error = digits(found.error, 3);
    let verdict = if tolerance > 0.0 && found.error > tolerance {
        "; above the tolerance, allow more with --pieces"
    } else {
        ""
    };
    format!("{name}: {pieces}, error at most {error}, not exact{verdict}")
}

fn format_of(path: &Path) -> Result<Format> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("glb") => Ok(Format::Glb),
        Some("obj") => Ok(Format::Obj),
        _ => bail!("{}: the output file must end in .glb or .obj", path.display()),
    }
}

/// The triangulated surface of a hull. A piece that is a segment or a point becomes one triangle of
/// zero area, so that the number of pieces is kept.
fn mesh_of(hull: &Hull) -> Result<Mesh> {
    let fan = |f: &[u32]| (2..f.len()).map(|i| [f[0], f[i - 1], f[i]]).collect::<Vec<_>>();
    let triangles = match hull.dimension() {
        0 => vec![[0, 0, 0]],
        1 => vec![[0, 1, 1]],
        _ => hull.faces().flat_map(fan).collect(),
    };
    Ok(Mesh::from_triangles(hull.vertices().to_vec(), triangles)?)
}

fn save(path: &Path, format: Format, pieces: &Scene) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let raw = |part: &Part, place: &dyn Fn(Vec3) -> Vec3| RawMesh {
        name: Some(part.name.clone()),
        positions: part.mesh.vertices().iter().map(|v| place(*v).to_array()).collect(),
        faces: Faces::from_triangles(part.mesh.triangles()),
    };
    match format {
        Format::Obj => {
            let meshes: Vec<RawMesh> = (pieces.parts().iter())
                .map(|part| raw(part, &|v| part.pose.transform_point(v)))
                .collect();
            write_obj(&mut out, &meshes)?;
        }
        Format::Glb => {
            let meshes: Vec<RawMesh> =
                pieces.parts().iter().map(|part| raw(part, &|v| v)).collect();
            let instances: Vec<Instance> = (pieces.parts().iter().enumerate())
                .map(|(mesh, part)| Instance {
                    name: part.name.clone(),
                    mesh,
                    matrix: part.pose.to_matrix(),
                    scale: 1.0,
                })
                .collect();
            let colors: Vec<[f32; 3]> = (0..meshes.len()).map(render::linear_color).collect();
            write_glb_colored(&mut out, &meshes, &instances, &colors)?;
        }
    }
    out.flush()
}
