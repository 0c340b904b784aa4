//! The source of an error can be downcast to its type.

use std::error::Error as _;
use std::io;

use impinge::tree::Tree;
use impinge::{Error, shapes};

#[test]
fn errors_are_send_sync_and_static() {
    fn require<T: std::error::Error + Send + Sync + 'static>() {}
    require::<Error>();
    #[cfg(feature = "files")]
    require::<impinge::io::Error>();
}

/// A writer on a full disk.
struct FullDisk;

impl io::Write for FullDisk {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failed_write_of_a_tree_has_the_io_error_as_source() {
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    let error = cube.tree().write(FullDisk, &cube).unwrap_err();
    let source = error.source().and_then(|e| e.downcast_ref::<io::Error>());
    assert_eq!(source.expect("an io::Error").kind(), io::ErrorKind::StorageFull);
    // A damaged file is detected by the library, so the error has no source.
    assert!(Tree::read(&b"no tree"[..], &cube).unwrap_err().source().is_none());
}

#[cfg(feature = "files")]
mod files {
    use super::*;
    use impinge::{ErrorKind, Mesh, Scene, io as formats};

    /// The error of the reader, and its source.
    fn chain(error: &Error) -> (&formats::Error, Option<&(dyn std::error::Error + 'static)>) {
        let reader = error.source().expect("a source").downcast_ref::<formats::Error>();
        let reader = reader.expect("an error of the reader");
        (reader, reader.source())
    }

    #[test]
    fn a_missing_file_has_an_io_error_as_source() {
        for error in [
            Mesh::load("no/such/file.obj").unwrap_err(),
            Scene::load("no/such/file.obj").unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::File);
            let (reader, behind) = chain(&error);
            assert_eq!(reader.kind(), formats::ErrorKind::NotFound);
            let io = behind.and_then(|e| e.downcast_ref::<io::Error>()).expect("an io::Error");
            assert_eq!(io.kind(), io::ErrorKind::NotFound);
        }
    }

    #[test]
    fn invalid_scene_files_have_the_parser_error_as_source() {
        let folder = std::env::temp_dir().join(format!("impinge-sources-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = |name: &str| folder.join(name);
        std::fs::write(path("a.toml"), "[[part]]\nname = \n").unwrap();
        let error = Scene::load(path("a.toml")).unwrap_err();
        let (reader, behind) = chain(&error);
        assert_eq!(reader.location(), formats::Location::Line(2));
        assert!(behind.is_some_and(<dyn std::error::Error>::is::<toml::de::Error>), "{error}");

        std::fs::write(path("a.json"), "{ \"part\": [ }").unwrap();
        let error = Scene::load(path("a.json")).unwrap_err();
        assert!(
            chain(&error).1.is_some_and(<dyn std::error::Error>::is::<serde_json::Error>),
            "{error}"
        );

        // A missing file that a scene file refers to.
        std::fs::write(path("b.toml"), "[[part]]\nname = \"a\"\nfile = \"gone.obj\"\n").unwrap();
        let error = Scene::load(path("b.toml")).unwrap_err();
        let (reader, behind) = chain(&error);
        assert!(reader.path().is_some_and(|p| p.ends_with("gone.obj")), "{error}");
        assert!(behind.is_some_and(<dyn std::error::Error>::is::<io::Error>), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
