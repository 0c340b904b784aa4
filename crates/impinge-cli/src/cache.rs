//! A folder with the trees of large meshes, named by the fingerprint of the mesh, for later runs.
//!
//! A file is written under a temporary name and then renamed. Other processes that read or write
//! the folder at the same time therefore see a complete file or none. [`Mesh::restore_tree`]
//! verifies every file, so no file content can lead to a wrong answer. A file that fails is
//! reported, ignored and rewritten.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};
use impinge::Mesh;
use impinge::tree::FORMAT_VERSION;

/// Trees of smaller meshes are not stored: building them takes no longer than finding the file.
const MIN_TRIANGLES_TO_STORE: usize = 10_000;

/// A folder of tree files.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// The origin of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Built and not stored.
    Built,
    /// Built and stored for later runs.
    Stored,
    /// Read from the cache.
    Reused,
}

impl Source {
    /// The name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Built => "built",
            Self::Stored => "built and stored",
            Self::Reused => "read from the cache",
        }
    }
}

impl Cache {
    /// The cache in `folder`, which is created if it does not exist.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| {
            format!("--cache {}: cannot create the folder; choose another", folder.display())
        })?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads the tree of the mesh from the cache, or builds and stores it. The second value is a
    /// problem with a file; the mesh has its tree in any case.
    pub(crate) fn ensure_tree(&self, mesh: &Mesh) -> (Source, Option<String>) {
        if mesh.triangles().len() < MIN_TRIANGLES_TO_STORE {
            let _ = mesh.tree();
            return (Source::Built, None);
        }
        let path = self.folder.join(format!("{}.v{FORMAT_VERSION}.tree", mesh.fingerprint()));
        let problem = match read(&path, mesh) {
            Ok(true) => return (Source::Reused, None),
            Ok(false) => None,
            Err(error) => Some(format!("{}: {error}; ignored and rewritten", path.display())),
        };
        match self.store(&path, mesh) {
            Ok(()) => (Source::Stored, problem),
            Err(error) => (Source::Built, Some(format!("{error:#}"))),
        }
    }

    /// Builds the tree of the mesh if needed, and writes it to `path`.
    fn store(&self, path: &Path, mesh: &Mesh) -> Result<()> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!(".{}-{number}.tmp", std::process::id()));
        let written = File::create(&temporary)
            .map_err(anyhow::Error::from)
            .and_then(|file| Ok(mesh.tree().write(file, mesh)?))
            .and_then(|()| Ok(fs::rename(&temporary, path)?));
        if written.is_err() {
            // Fails if the file was never created; nothing else is to be done then.
            let _ = fs::remove_file(&temporary);
        }
        written.with_context(|| format!("{}: cannot store the tree", path.display()))
    }
}

/// Reads the tree of the mesh; false if the file does not exist.
fn read(path: &Path, mesh: &Mesh) -> Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    mesh.restore_tree(file)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::shapes;

    #[test]
    fn concurrent_readers_and_writers_share_files() {
        let folder = std::env::temp_dir().join(format!("impinge-cache-{}", std::process::id()));
        let cache = Cache::open(&folder).unwrap();
        let meshes: Vec<Mesh> = (0..8).map(|_| shapes::torus(1.0, 0.4, 100, 60).unwrap()).collect();
        for _ in 0..2 {
            std::thread::scope(|scope| {
                for mesh in &meshes {
                    scope.spawn(|| {
                        let fresh = mesh.with_vertices(mesh.vertices().to_vec()).unwrap();
                        let (source, problem) = cache.ensure_tree(&fresh);
                        assert!(source != Source::Built && problem.is_none(), "{problem:?}");
                        assert_eq!(fresh.tree().validate(&fresh), Ok(()));
                    });
                }
            });
        }
        // One tree file and no temporary files.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let small = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
        assert_eq!(cache.ensure_tree(&small).0, Source::Built);
        fs::remove_dir_all(&folder).unwrap();
        // The folder was removed; the tree is built and the failure to store it is reported.
        let fresh = meshes[0].with_vertices(meshes[0].vertices().to_vec()).unwrap();
        let (source, problem) = cache.ensure_tree(&fresh);
        assert!(source == Source::Built && problem.is_some());
    }
}
