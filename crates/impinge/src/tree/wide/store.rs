//! Reading and writing trees (Klosowski et al. 1998, section 5.2.2), checked so that no file can
//! cause a wrong answer.
//!
//! A file holds only the structure: which triangles share a leaf, and which leaves share a node.
//! Frame, boxes and corners are computed from the mesh while reading, in one pass, by the code that
//! refits trees. So a file that was altered, by accident or on purpose, can at worst make a tree
//! slow.
//!
//! The structure is a preorder walk from the root. The format has no links, so it cannot express
//! cycles or shared subtrees. All sizes follow from three counts, which are compared with the mesh
//! before anything is allocated.
//!
//! | bytes | content, little endian |
//! | ---: | --- |
//! | 8 | `impgtree` |
//! | 4 | version of the format, [`FORMAT_VERSION`] |
//! | 16 | fingerprint of the mesh |
//! | 12 | counts of triangles, nodes and leaves |
//! | 8 | XXH3 of the 40 bytes before this field and of the walk |
//! | | the walk: a node is two bytes, the number of its slots and a bit for each that is a leaf; a leaf is one byte, the number of its triangles, and four bytes for each |

use std::fmt;
use std::io::{self, Read, Write};

use xxhash_rust::xxh3::Xxh3;

use crate::arrays::MapEach;
use crate::error::{Error, ErrorKind};
use crate::mesh::Mesh;

use super::Tree;
use super::frame::Frame;
use super::node::{Link, LocalBox, Node};

/// The version of the format that [`Tree::write`] writes, and the only one that [`Tree::read`]
/// reads.
pub const FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"impgtree";

/// Bytes before the checksum: magic, version, fingerprint, three counts.
const CHECKSUM_OFFSET: usize = 8 + 4 + 16 + 12;

/// Bytes before the walk: the fields above and the checksum.
const HEADER_LEN: usize = CHECKSUM_OFFSET + 8;

/// Largest number of nodes on a path from the root. Trees of real meshes have about ten; the limit
/// bounds the depth of the walk in a forged file.
const MAX_DEPTH: usize = 1024;

impl Tree {
    /// Writes the tree of `mesh` to a file or any other [`Write`], with six bytes for each
    /// triangle. [`Tree::read`] restores it. The source of this method's module describes the
    /// format, whose version is [`FORMAT_VERSION`].
    ///
    /// # Errors
    /// If the bytes cannot be written, or if the tree and the mesh have different numbers of
    /// triangles.
    ///
    /// ```
    /// use impinge::{shapes, tree::Tree};
    ///
    /// let ring = shapes::torus(1.0, 0.4, 64, 32)?;
    /// let mut file = Vec::new();
    /// ring.tree().write(&mut file, &ring)?;
    /// let tree = Tree::read(&*file, &ring)?;
    /// assert_eq!(tree.size(), ring.tree().size());
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn write(&self, mut out: impl Write, mesh: &Mesh) -> Result<(), Error> {
        self.check_count(mesh)?;
        let size = self.size();
        if size.depth > MAX_DEPTH {
            return Err(Error::new(
                ErrorKind::TooLarge,
                format!(
                    "the tree is {} nodes deep and cannot be stored, the limit is {MAX_DEPTH}; build the tree again when it is needed",
                    size.depth
                ),
            ));
        }
        let counts = [size.triangles, size.nodes, size.leaves];
        let mut bytes =
            Vec::with_capacity(HEADER_LEN + walk_len(counts.map(|n| n as u64)) as usize);
        bytes.extend(MAGIC);
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend(mesh.fingerprint().0);
        for count in counts {
            bytes.extend((count as u32).to_le_bytes());
        }
        bytes.extend([0; 8]);
        let mut open: Vec<Link> = self.root.map(|(_, link)| link).into_iter().collect();
        while let Some(link) = open.pop() {
            if link.is_leaf() {
                let leaf = &self.leaves[link.index()];
                bytes.push(leaf.count as u8);
                let triangles = &leaf.triangles[..leaf.count as usize];
                bytes.extend(triangles.iter().flat_map(|t| t.to_le_bytes()));
            } else {
                let links = self.nodes[link.index()].links();
                let below: Vec<Link> = links.map(|(_, link)| link).collect();
                let leaves =
                    below.iter().rev().fold(0, |bits, l| bits << 1 | u8::from(l.is_leaf()));
                bytes.extend([below.len() as u8, leaves]);
                open.extend(below.into_iter().rev());
            }
        }
        let sum = checksum(&bytes);
        bytes[CHECKSUM_OFFSET..HEADER_LEN].copy_from_slice(&sum);
        let written = out.write_all(&bytes).and_then(|()| out.flush());
        written.map_err(|e| failed("the tree cannot be written", e))
    }

    /// Reads the tree of `mesh` from the output of [`Tree::write`]: an open file, a slice of bytes,
    /// a memory-mapped file. This is a few times faster than building the tree. For a tree that was
    /// built and written, the result is the same tree; for one that was refitted, the same
    /// structure with boxes that fit the current mesh.
    ///
    /// The file is not trusted: the structure is checked completely, and everything else is
    /// computed from the mesh. Reading stops at the end of the tree.
    ///
    /// # Errors
    /// [`ErrorKind::Damaged`] if the file is truncated or altered, [`ErrorKind::WrongVersion`] if
    /// it is of another version, [`ErrorKind::WrongMesh`] if it is the tree of another mesh,
    /// [`ErrorKind::File`] if it is something else or cannot be read.
    pub fn read(mut input: impl Read, mesh: &Mesh) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        take(&mut input, HEADER_LEN as u64, &mut bytes)?;
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
            return Err(Error::new(
                ErrorKind::File,
                "not a tree file: it does not begin with \"impgtree\"; give a file that Tree::write has written",
            ));
        }
        if bytes.len() < HEADER_LEN {
            return Err(truncated(bytes.len() as u64, HEADER_LEN as u64));
        }
        let version = number(&bytes, 8);
        if version != FORMAT_VERSION {
            return Err(Error::new(
                ErrorKind::WrongVersion,
                format!(
                    "the tree file has format {version}, but this version of impinge reads format {FORMAT_VERSION}; build the tree again and write it"
                ),
            ));
        }
        let counts = [28, 32, 36].map(|at| u64::from(number(&bytes, at)));
        check_counts(&bytes, counts, mesh)?;
        let len = walk_len(counts);
        take(&mut input, len, &mut bytes)?;
        if bytes.len() < HEADER_LEN + len as usize {
            return Err(truncated(bytes.len() as u64, HEADER_LEN as u64 + len));
        }
        if checksum(&bytes) != bytes[CHECKSUM_OFFSET..HEADER_LEN] {
            return Err(damaged("its checksum does not match: some of its bytes were changed"));
        }
        Walk::new(mesh, &bytes, counts).read()
    }
}

/// Bytes of the walk: four for each triangle, one for each leaf, two for each node.
fn walk_len([triangles, nodes, leaves]: [u64; 3]) -> u64 {
    4 * triangles + 2 * nodes + leaves
}

/// Compares the fingerprint and the counts with the mesh, so that the counts can be used as sizes.
fn check_counts(bytes: &[u8], counts: [u64; 3], mesh: &Mesh) -> Result<(), Error> {
    let [triangles, nodes, leaves] = counts;
    let own = mesh.triangles().len() as u64;
    if triangles != own || bytes[12..28] != mesh.fingerprint().0 {
        return Err(Error::new(
            ErrorKind::WrongMesh,
            format!(
                "the tree file belongs to another mesh of {triangles} triangles, this mesh has {own} and the fingerprint {}; build the tree of this mesh",
                mesh.fingerprint()
            ),
        ));
    }
    // A leaf has at least one triangle, and a node at least two children.
    if leaves > triangles || nodes > leaves.saturating_sub(1) || (leaves == 0) != (triangles == 0) {
        return Err(damaged(format_args!(
            "its counts are impossible: {nodes} nodes and {leaves} leaves over {triangles} triangles"
        )));
    }
    Ok(())
}

/// Appends `count` bytes, or as many as there are. The memory grows with the bytes that arrive, not
/// with `count`.
fn take(input: &mut impl Read, count: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
    input.take(count).read_to_end(bytes).map_err(|e| failed("the tree cannot be read", e))?;
    Ok(())
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut hash = Xxh3::new();
    hash.update(&bytes[..CHECKSUM_OFFSET]);
    hash.update(&bytes[HEADER_LEN..]);
    hash.digest().to_le_bytes()
}

fn failed(what: &str, source: io::Error) -> Error {
    Error::new(ErrorKind::File, format!("{what}: {source}")).with_source(source)
}

fn damaged(what: impl fmt::Display) -> Error {
    Error::new(
        ErrorKind::Damaged,
        format!("the tree file is damaged: {what}; build the tree again and write it"),
    )
}

fn truncated(have: u64, need: u64) -> Error {
    damaged(format_args!("it ends after {have} bytes of {need}"))
}

/// The state while the walk is read.
struct Walk<'a> {
    mesh: &'a Mesh,
    bytes: &'a [u8],
    at: usize,
    counts: [usize; 3],
    tree: Tree,
    used: Vec<bool>,
}

/// A slot whose subtree has not been read yet.
#[derive(Clone, Copy)]
struct OpenSlot {
    node: usize,
    slot: usize,
    leaf: bool,
    depth: usize,
}

impl<'a> Walk<'a> {
    fn new(mesh: &'a Mesh, bytes: &'a [u8], counts: [u64; 3]) -> Self {
        let counts = counts.map_each(|n| n as usize);
        let (nodes, leaves) = (Vec::with_capacity(counts[1]), Vec::with_capacity(counts[2]));
        let tree = Tree {
            frame: Frame::of(mesh),
            nodes,
            leaves,
            root: None,
            reach: 0.0,
            largest: 0.0,
            stamp: Tree::new_stamp(),
        };
        Self { mesh, bytes, at: HEADER_LEN, counts, tree, used: vec![false; counts[0]] }
    }

    fn read(mut self) -> Result<Tree, Error> {
        let [triangles, nodes, leaves] = self.counts;
        let mut open = Vec::new();
        if nodes > 0 {
            self.node(0, &mut open)?;
        } else if leaves > 0 {
            let (link, bounds) = self.leaf()?;
            self.tree.set_root(&bounds, link);
        }
        while let Some(OpenSlot { node, slot, leaf, depth }) = open.pop() {
            if leaf {
                let (link, bounds) = self.leaf()?;
                self.tree.set_child(node, slot, &bounds, link);
            } else {
                let link = self.node(depth, &mut open)?;
                self.tree.nodes[node].link[slot] = link;
            }
        }
        let read = [
            self.used.iter().filter(|s| **s).count(),
            self.tree.nodes.len(),
            self.tree.leaves.len(),
        ];
        if read != [triangles, nodes, leaves] || self.at != self.bytes.len() {
            return Err(damaged(format_args!(
                "its walk has {} triangles, {} nodes and {} leaves, but its header says {triangles}, {nodes} and {leaves}",
                read[0], read[1], read[2]
            )));
        }
        if nodes > 0 {
            self.tree.fit_nodes(Link::node(0));
        }
        Ok(self.tree)
    }

    fn node(&mut self, depth: usize, open: &mut Vec<OpenSlot>) -> Result<Link, Error> {
        let offset = self.at;
        let [count, leaves] = *self.next(2)? else { return Err(self.overrun()) };
        let node = self.tree.nodes.len();
        if !(2..=8).contains(&count) || u32::from(leaves) >> count != 0 {
            return Err(damaged(format_args!(
                "the node at byte {offset} has {count} slots and the leaves {leaves:#010b}"
            )));
        }
        if depth >= MAX_DEPTH || node >= self.counts[1] {
            return Err(damaged(format_args!(
                "the node at byte {offset} exceeds the number of nodes in the header, or is too deep"
            )));
        }
        self.tree.nodes.push(Node::EMPTY);
        let below = (0..count as usize).rev();
        open.extend(below.map(|slot| OpenSlot {
            node,
            slot,
            leaf: leaves >> slot & 1 == 1,
            depth: depth + 1,
        }));
        Ok(Link::node(node))
    }

    fn leaf(&mut self) -> Result<(Link, LocalBox), Error> {
        let offset = self.at;
        let [count] = *self.next(1)? else { return Err(self.overrun()) };
        if !(1..=8).contains(&count) || self.tree.leaves.len() >= self.counts[2] {
            return Err(damaged(format_args!(
                "the leaf at byte {offset} has {count} triangles, or exceeds the number of leaves in the header"
            )));
        }
        let mut triangles = [0; 8];
        let triangles = &mut triangles[..count as usize];
        let numbers = self.next(4 * count as usize)?;
        for (triangle, bytes) in triangles.iter_mut().zip(numbers.chunks_exact(4)) {
            *triangle = number(bytes, 0);
        }
        for triangle in &*triangles {
            match self.used.get_mut(*triangle as usize) {
                Some(used) if !*used => *used = true,
                Some(_) => {
                    return Err(damaged(format_args!(
                        "triangle {triangle} of the leaf at byte {offset} occurs twice"
                    )));
                }
                None => {
                    return Err(damaged(format_args!(
                        "the leaf at byte {offset} has triangle {triangle}, but the mesh has only {} triangles",
                        self.counts[0]
                    )));
                }
            }
        }
        let (leaf, bounds) = self.tree.fit_leaf(self.mesh, triangles);
        self.tree.leaves.push(leaf);
        Ok((Link::leaf(self.tree.leaves.len() - 1), bounds))
    }

    fn next(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let some = self.bytes.get(self.at..self.at + count).ok_or_else(|| self.overrun())?;
        self.at += count;
        Ok(some)
    }

    fn overrun(&self) -> Error {
        damaged(format_args!("its walk continues after byte {}, where it should end", self.at))
    }
}
