//! A folder with the files that inputs may name.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use impinge_io::write_obj;

use crate::readers::seeds;

/// The sum of the sizes of all files, in bytes.
pub const MAX_SIZE: usize = 10_000;

/// The folder, which contains:
///
/// - `a.obj`: two tetrahedra.
/// - `empty.off`: no vertex and no face.
/// - `buffer.bin`: the buffer of the glTF seeds.
///
/// It is not removed, because other processes may be using it.
pub fn path() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join("impinge-fuzz");
        std::fs::create_dir_all(&folder).unwrap();
        let mut obj = Vec::new();
        write_obj(&mut obj, &[seeds::mesh(), seeds::mesh()]).unwrap();
        let files =
            [("a.obj", obj), ("empty.off", b"OFF 0 0 0".to_vec()), ("buffer.bin", seeds::buffer())];
        let mut size = 0;
        for (name, bytes) in files {
            size += bytes.len();
            // Written to a temporary file and renamed, so that no process reads an incomplete one.
            let own = folder.join(format!("{name}.{}.tmp", std::process::id()));
            std::fs::write(&own, bytes).unwrap();
            std::fs::rename(own, folder.join(name)).unwrap();
        }
        assert!(size <= MAX_SIZE);
        folder
    })
}
