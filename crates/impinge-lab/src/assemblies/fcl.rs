//! FCL in a separate process, which is called once for each round.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

use impinge::Vec3;

use super::Round;
use super::parts::Assembly;

/// The runner with one assembly.
pub(super) struct Fcl {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    file: PathBuf,
}

impl Fcl {
    /// Writes the assembly to a file in `folder` and starts the runner on it.
    pub(super) fn start(program: &Path, folder: &Path, assembly: &Assembly) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let file = folder.join("assembly.bin");
        fs::write(&file, bytes(assembly)).with_context(|| file.display().to_string())?;
        let mut process = Command::new(program)
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let input = process.stdin.take();
        let output = process.stdout.take().context("no output")?;
        Ok(Self { process, input, output: BufReader::new(output), file })
    }

    /// Rebuilds all models and tests all pairs.
    pub(super) fn round(&mut self) -> Result<Round> {
        let input = self.input.as_mut().context("no input")?;
        writeln!(input, "round")?;
        input.flush()?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let mut next = || words.next().context("the FCL runner ended");
        Ok(Round {
            build: next()?.parse()?,
            ask: next()?.parse()?,
            different: 0,
            asked: next()?.parse()?,
            meet: next()?.parse()?,
            touch: 0,
            inside: 0,
        })
    }
}

impl Drop for Fcl {
    fn drop(&mut self) {
        // The runner exits at the end of its input.
        drop(self.input.take());
        let _ = self.process.wait();
        let _ = fs::remove_file(&self.file);
    }
}

/// The file that the runner reads.
fn bytes(assembly: &Assembly) -> Vec<u8> {
    let mut bytes = Vec::new();
    let number = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u32).to_le_bytes());
    number(&mut bytes, assembly.meshes.len());
    for (vertices, triangles) in &assembly.meshes {
        number(&mut bytes, vertices.len());
        number(&mut bytes, triangles.len());
        bytes.extend(vertices.iter().flat_map(Vec3::to_array).flat_map(f64::to_le_bytes));
        bytes.extend(triangles.iter().flatten().flat_map(|v| v.to_le_bytes()));
    }
    number(&mut bytes, assembly.parts.len());
    for (mesh, pose) in &assembly.parts {
        number(&mut bytes, *mesh);
        bytes.extend(pose.to_matrix().iter().flatten().flat_map(|x| x.to_le_bytes()));
    }
    bytes
}
