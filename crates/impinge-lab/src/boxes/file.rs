//! The file format of moving boxes in the peer measurements: `BRD1`, then as `u32` the number of
//! boxes, the number of frames, and zero; then for each frame and box six `f32`, the smallest
//! coordinates and the largest. Little-endian.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use impinge::broad::BoxF32;

const MAGIC: &[u8; 4] = b"BRD1";

/// The boxes of all frames.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recording {
    boxes: usize,
    /// The boxes of the first frame, then of the second, and so on.
    all: Vec<BoxF32>,
}

impl Recording {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let open = || -> Result<Self> { Self::decode(&mut BufReader::new(File::open(path)?)) };
        open().with_context(|| format!("{}", path.display()))
    }

    fn decode(from: &mut impl Read) -> Result<Self> {
        let mut head = [0; 16];
        from.read_exact(&mut head)?;
        ensure!(&head[..4] == MAGIC, "not a file of moving boxes: it does not start with BRD1");
        let number = |at: usize| word(&head[at..]) as usize;
        let (boxes, frames) = (number(4), number(8));
        let mut all = Vec::new();
        let mut bytes = vec![0; 24 * boxes];
        for frame in 0..frames {
            from.read_exact(&mut bytes)
                .with_context(|| format!("the file ends after {frame} of {frames} frames"))?;
            all.extend(bytes.chunks_exact(24).map(|b| {
                let corner = |at: usize| [0, 4, 8].map(|k| f32::from_bits(word(&b[at + k..])));
                BoxF32 { min: corner(0), max: corner(12) }
            }));
        }
        Ok(Self { boxes, all })
    }

    pub(crate) fn boxes(&self) -> usize {
        self.boxes
    }

    /// The boxes of every frame.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &[BoxF32]> {
        self.all.chunks_exact(self.boxes.max(1))
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Writes a file frame by frame.
pub(crate) struct Writer<W: Write> {
    to: W,
    boxes: usize,
}

impl Writer<BufWriter<File>> {
    /// Creates a file for `frames` frames of `boxes` boxes, with its header.
    pub(crate) fn create(path: &Path, boxes: usize, frames: usize) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = File::create(path).with_context(|| format!("{}", path.display()))?;
        Self::new(BufWriter::new(file), boxes, frames)
    }
}

impl<W: Write> Writer<W> {
    fn new(mut to: W, boxes: usize, frames: usize) -> Result<Self> {
        to.write_all(MAGIC)?;
        for number in [u32::try_from(boxes)?, u32::try_from(frames)?, 0] {
            to.write_all(&number.to_le_bytes())?;
        }
        Ok(Self { to, boxes })
    }

    /// Appends a frame.
    pub(crate) fn frame(&mut self, bounds: &[BoxF32]) -> Result<()> {
        ensure!(
            bounds.len() == self.boxes,
            "a frame has {} boxes, the file {}",
            bounds.len(),
            self.boxes
        );
        for b in bounds {
            for x in b.min.into_iter().chain(b.max) {
                self.to.write_all(&x.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Writes the buffered rest.
    pub(crate) fn finish(mut self) -> Result<()> {
        Ok(self.to.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_boxes_are_read_back() {
        let bounds =
            |x: f32| [0.0, 3.0].map(|y| BoxF32 { min: [x, y, -1.0], max: [x + 1.0, y + 0.1, 2.5] });
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, 2, 3).unwrap();
        for x in [0.0, 0.1, f32::MAX] {
            writer.frame(&bounds(x)).unwrap();
        }
        assert!(writer.frame(&bounds(0.0)[..1]).is_err());
        writer.finish().unwrap();
        assert_eq!(bytes.len(), 16 + 3 * 2 * 24);
        let recording = Recording::decode(&mut &bytes[..]).unwrap();
        assert_eq!((recording.boxes(), recording.frames().count()), (2, 3));
        assert_eq!(recording.frames().nth(1).unwrap(), bounds(0.1));
        assert!(Recording::decode(&mut &bytes[..bytes.len() - 1]).is_err());
        bytes[0] = b'X';
        assert!(Recording::decode(&mut &bytes[..]).is_err());
    }
}
