//! `impinge spheres`: levels of balls that cover parts, with certified errors.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use impinge::scene::{Part, Scene};
use impinge::spheres::{BuildOptions, Reach, ReachOptions, SphereTree};
use impinge::{Mesh, Pose, Weld, shapes};

use crate::args::{PictureArgs, SpheresArgs};
use crate::job::Job;
use crate::outputs::{self, Output};
use crate::progress::Progress;
use crate::render::{self, Curves, Picture};
use crate::report::{digits, plural};
use crate::sphere_formats::{Covered, SphereFormat, document};
use crate::{Status, note};

/// Subdivisions of the balls in pictures.
const PICTURE_SUBDIVISIONS: usize = 8;

/// Runs `impinge spheres`.
pub(crate) fn run(args: &SpheresArgs) -> Result<Status> {
    let formats = &["json", "yaml", "yml"];
    let outputs = [
        Output { option: "-o", path: args.output.as_deref(), extensions: formats },
        Output { option: "--png", path: args.picture.png.as_deref(), extensions: &["png"] },
        Output { option: "--svg", path: args.picture.svg.as_deref(), extensions: &["svg"] },
    ];
    outputs::check(&outputs, [args.file.as_path()])?;
    let extension = args.output.as_deref().and_then(Path::extension).unwrap_or_default();
    let extension = extension.to_string_lossy();
    let format = args.format.unwrap_or_else(|| SphereFormat::of(&extension));
    if args.output.is_some() && !format.fits(&extension) {
        bail!(
            "files of this format do not end in .{extension}: JSON for impinge and foam, YAML for curobo and lula"
        );
    }
    let job = Job::load(std::slice::from_ref(&args.file), &Pose::IDENTITY)?;
    if !args.quiet {
        job.notes.iter().for_each(|n| note(n));
    }
    let mut builder = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = args.threads {
        builder = builder.num_threads(threads.get());
    }
    let pool = builder.build()?;
    let mut covered = Vec::new();
    for (part, name) in job.scene.parts().iter().zip(&job.names) {
        let found = pool
            .install(|| cover(part, name, args))
            .with_context(|| format!("cannot cover {name} with balls"))?;
        covered.push(found);
    }
    if let Some(path) = &args.output {
        let text = document(&covered, format)?;
        replace(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let pictures = if args.picture.requested() {
        draw(&covered, &job.title(), &args.picture)?
    } else {
        Vec::new()
    };
    let mut out = anstream::stdout().lock();
    for part in &covered {
        write_report(&mut out, part)?;
    }
    for path in args.output.iter().chain(&pictures) {
        writeln!(out, "wrote {}", path.display())?;
    }
    out.flush()?;
    Ok(Status::Clear)
}

/// The balls of a part, and their certified reach.
fn cover(part: &Part, name: &str, args: &SpheresArgs) -> Result<Covered> {
    // Formats of separate triangles, such as STL, have no shared vertices: they are welded first.
    let welded = if part.mesh.is_solid() { None } else { Some(part.mesh.welded(Weld::Exact)?) };
    let mesh = welded.as_ref().unwrap_or(&part.mesh);
    let balls = if args.balls.is_empty() {
        (1..=args.levels).map(|level| 8_usize.pow(level)).collect()
    } else {
        args.balls.clone()
    };
    let options = BuildOptions::default().balls(balls);
    let mut progress = Progress::new(options.balls.len() * options.rounds, "placing", args.quiet);
    let mut last = 0;
    let tree = SphereTree::build_watched(mesh, &options, &mut |done, _| {
        (last..done).for_each(|_| progress.step());
        last = last.max(done);
        ControlFlow::Continue(())
    })?;
    let bounds = |level| tree.reach(mesh, level, &ReachOptions::default());
    let reach = (0..tree.levels()).map(bounds).collect::<Result<Vec<Reach>, _>>()?;
    Ok(Covered {
        name: name.to_owned(),
        reach,
        is_solid: mesh.is_solid(),
        triangles: mesh.triangles().len(),
        pose: part.pose,
        tree,
    })
}

fn write_report(out: &mut impl Write, part: &Covered) -> Result<()> {
    let kind = if part.is_solid { "solid" } else { "open surface" };
    writeln!(out, "{}: {kind}, {}", part.name, plural(part.triangles, "triangle"))?;
    for (level, reach) in part.reach.iter().enumerate() {
        writeln!(
            out,
            "  level {level}: {}, proven cover, reach at most {} (at least {})",
            plural(part.tree.level(level).len(), "ball"),
            digits(reach.upper, 4),
            digits(reach.lower, 4),
        )?;
    }
    Ok(())
}

/// Draws the levels below the first, and returns the files.
fn draw(covered: &[Covered], title: &str, picture: &PictureArgs) -> Result<Vec<PathBuf>> {
    let unit: Arc<Mesh> = Arc::new(shapes::icosphere(1.0, PICTURE_SUBDIVISIONS)?);
    let levels = covered.iter().map(|part| part.tree.levels()).max().unwrap_or(0);
    let mut files = Vec::new();
    for level in 1..levels {
        let mut scene = Scene::new();
        for part in covered.iter().filter(|part| level < part.tree.levels()) {
            for (i, node) in part.tree.level(level).iter().enumerate() {
                let pose = part.pose.compose(&Pose::from_translation(node.ball.center)?)?;
                let name = format!("{} {}", part.name, i + 1);
                // A ball of a single point has no scale.
                if node.ball.radius > 0.0 {
                    scene.add_scaled(name, &unit, pose, node.ball.radius)?;
                }
            }
        }
        let names: Vec<String> = scene.parts().iter().map(|p| p.name.clone()).collect();
        let content = Picture {
            scene: &scene,
            names: &names,
            title: format!("{title}: level {level}, {}", plural(names.len(), "ball")),
            results: &[],
            curves: &Curves::default(),
            summary: None,
        };
        let of_level = |path: &Option<PathBuf>| path.as_deref().map(|path| with_level(path, level));
        let to = PictureArgs {
            png: of_level(&picture.png),
            svg: of_level(&picture.svg),
            ..picture.clone()
        };
        render::write(&content, &to)?;
        files.extend(to.png.into_iter().chain(to.svg));
    }
    Ok(files)
}

/// `part.png` becomes `part-2.png`.
fn with_level(path: &Path, level: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{level}.{extension}"))
}

/// Writes a file under a temporary name first, so that a failure leaves no part of it.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The error to report is that of writing.
        let _ = fs::remove_file(&temporary);
    }
    Ok(written?)
}
