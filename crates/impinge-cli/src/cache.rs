//! Trees of large meshes kept in a folder from run to run, under the fingerprint of the mesh.
//!
//! A file is written under a name of its own and then renamed, so that others see either all of it
//! or nothing, whoever else reads or writes at the same time. Whatever is found in the folder is
//! checked by [`Mesh::restore_tree`], which no file can make answer wrongly; what does not pass is
//! reported, ignored and written again.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};
use impinge::Mesh;
use impinge::tree::FORMAT_VERSION;

/// Trees over fewer triangles are built in the time it takes to find a file.
const LARGE: usize = 10_000;

/// A folder of trees.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// Where a tree came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Built, and not stored.
    Built,
    /// Built, and stored for the next time.
    Stored,
    /// Read from the cache.
    Reused,
}

impl Source {
    /// As reports call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Built => "built",
            Self::Stored => "built and stored",
            Self::Reused => "read from the cache",
        }
    }
}

impl Cache {
    /// The cache in `folder`, which is made if it does not exist.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| {
            format!("--cache {}: the folder cannot be made; name another", folder.display())
        })?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sees to it that the mesh has its tree: from the cache, or built and stored there. What went
    /// wrong with files is told in the second value; the tree is there anyway.
    pub(crate) fn provide(&self, mesh: &Mesh) -> (Source, Option<String>) {
        if mesh.triangles().len() < LARGE {
            let _ = mesh.tree();
            return (Source::Built, None);
        }
        let path = self.folder.join(format!("{}.v{FORMAT_VERSION}.tree", mesh.fingerprint()));
        let problem = match read(&path, mesh) {
            Ok(true) => return (Source::Reused, None),
            Ok(false) => None,
            Err(error) => Some(format!("{}: {error}; ignored and written again", path.display())),
        };
        match self.store(&path, mesh) {
            Ok(()) => (Source::Stored, problem),
            Err(error) => (Source::Built, Some(format!("{error:#}"))),
        }
    }

    /// Writes the tree of the mesh, which is built for it, to `path`.
    fn store(&self, path: &Path, mesh: &Mesh) -> Result<()> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let own = self.folder.join(format!(".{}-{number}.tmp", std::process::id()));
        let written = File::create(&own)
            .map_err(anyhow::Error::from)
            .and_then(|file| Ok(mesh.tree().write(file, mesh)?))
            .and_then(|()| Ok(fs::rename(&own, path)?));
        if written.is_err() {
            // It may not even be there.
            let _ = fs::remove_file(&own);
        }
        written.with_context(|| format!("{}: the tree cannot be stored", path.display()))
    }
}

/// Reads the tree of the mesh; false if there is no such file.
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
    fn many_at_once_read_and_write_the_same_files() {
        let folder = std::env::temp_dir().join(format!("impinge-cache-{}", std::process::id()));
        let cache = Cache::open(&folder).unwrap();
        let meshes: Vec<Mesh> = (0..8).map(|_| shapes::torus(1.0, 0.4, 100, 60).unwrap()).collect();
        for _ in 0..2 {
            std::thread::scope(|scope| {
                for mesh in &meshes {
                    scope.spawn(|| {
                        let fresh = mesh.with_vertices(mesh.vertices().to_vec()).unwrap();
                        let (source, problem) = cache.provide(&fresh);
                        assert!(source != Source::Built && problem.is_none(), "{problem:?}");
                        assert_eq!(fresh.tree().validate(&fresh), Ok(()));
                    });
                }
            });
        }
        // One tree, and nothing left over from writing it.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let small = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
        assert_eq!(cache.provide(&small).0, Source::Built);
        fs::remove_dir_all(&folder).unwrap();
        // The folder is gone: the tree is there all the same.
        let fresh = meshes[0].with_vertices(meshes[0].vertices().to_vec()).unwrap();
        let (source, problem) = cache.provide(&fresh);
        assert!(source == Source::Built && problem.is_some());
    }
}
