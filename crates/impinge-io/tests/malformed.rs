//! Broken files of every format: no panic, no hang, no memory beyond the size of the file, and what
//! does load is valid.
//!
//! `IMPINGE_IO_MUTATIONS` sets the number of mutations per file (default 10000).

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests, not library code")]

use std::time::{Duration, Instant};

use impinge_io::{
    Document, Faces, Format, IDENTITY, Instance, RawMesh, load, load_bytes, write_glb, write_gltf,
    write_obj, write_off, write_ply, write_stl,
};

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014).
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn mutations() -> usize {
    std::env::var("IMPINGE_IO_MUTATIONS").ok().and_then(|s| s.parse().ok()).unwrap_or(10_000)
}

const NUMBERS: [&str; 14] = [
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999999",
    "-1",
    "0",
    "nan",
    "-inf",
    "1e999",
    "1e308",
    "-2147483648",
    "0.5",
    "",
    "1e-400",
];

/// A broken copy of `bytes`: one to four changes.
fn mutate(bytes: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let n = out.len();
        let at = random.below(n);
        let end = (at + 1 + random.below(12)).min(n);
        match random.below(9) {
            0 => out.truncate(at),
            1 if n > 0 => out[at] ^= 1 << random.below(8),
            2 if n > 0 => out[at] = random.next() as u8,
            3 => {
                out.drain(at..end);
            }
            4 => {
                let piece = out[at..end].to_vec();
                let to = random.below(n + 1);
                out.splice(to..to, piece);
            }
            5 => {
                let long = (at + 200).min(n);
                let piece = out[at..long].to_vec();
                out.extend(piece);
            }
            6 => {
                // A number of the text becomes another.
                let start = (at..n).find(|&i| out[i].is_ascii_digit());
                if let Some(start) = start {
                    let end = (start..n)
                        .find(|&i| !matches!(out[i], b'0'..=b'9' | b'.' | b'-' | b'e'))
                        .unwrap_or(n);
                    let number = NUMBERS[random.below(NUMBERS.len())];
                    out.splice(start..end, number.bytes());
                }
            }
            7 if n >= 4 => {
                // A binary count or index becomes large.
                let at = random.below(n - 3);
                let value = [u32::MAX, i32::MAX as u32, 1 << 24, 0][random.below(4)];
                out[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
            _ => {
                let filler =
                    [b' ', b'\n', b'\r', b'\\', b'#', 0, 0xff, b'"', b'{'][random.below(9)];
                out.splice(at..at, std::iter::repeat_n(filler, 1 + random.below(3)));
            }
        }
    }
    out
}

/// What every document promises.
fn validate(document: &Document, size: usize) {
    for mesh in &document.meshes {
        assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.faces.iter().all(|f| f.len() >= 3));
        assert!(mesh.faces.indices().iter().all(|&v| (v as usize) < mesh.positions.len()));
        assert!(
            mesh.positions.len() <= 1_000_000 + size && mesh.faces.len() <= 1_000_000 + 8 * size
        );
    }
    for instance in &document.instances {
        assert!(instance.mesh < document.meshes.len());
        assert!(instance.matrix.iter().flatten().all(|x| x.is_finite()));
        assert!(instance.scale.is_finite() && instance.scale >= 0.0);
    }
    for [i, j] in document.ignored_pairs() {
        assert!(i < j && j < document.instances.len());
    }
    assert!(!document.report.to_string().is_empty());
}

fn mesh() -> RawMesh {
    RawMesh {
        name: Some("tetra".into()),
        positions: vec![[0.0, 0.1, -1e-5], [1.0, 0.0, 0.0], [0.0, 12.5, 0.0], [0.0, 0.0, 1.0]],
        faces: Faces::from_triangles(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
    }
}

fn samples() -> Vec<(Format, Vec<u8>)> {
    let mesh = mesh();
    let matrix = [[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]];
    let instances = [
        Instance { name: "a".into(), mesh: 0, matrix: IDENTITY, scale: 1.0 },
        Instance { name: "b".into(), mesh: 0, matrix, scale: 1.0 },
    ];
    let made = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        bytes
    };
    let meshes = std::slice::from_ref(&mesh);
    let obj = "mtllib a.mtl\no a\nv 0 0 0\nv 1 0 0 0.5\nv 0 1 0 1 0 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\n\
               o b\nv 4 4 4\nf -4//1 \\\n -1//1 -2//1 1//1\nl 1 2\np 1\ncurv 0 1\ng x\n";
    let stl = "solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-3 0\nendloop\n\
               endfacet\nendsolid one\nsolid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
               vertex 0 1 0\nendloop\nendfacet\nendsolid two\n";
    let ply = "ply\nformat ascii 1.0\ncomment c\nelement vertex 3\nproperty uchar red\nproperty float x\n\
               property float y\nproperty double z\nelement face 1\nproperty list uchar int vertex_indices\n\
               element tristrips 1\nproperty list int int vertex_indices\nelement edge 1\n\
               property list uint float w\nend_header\n255 0 0 0\n255 1 0 0\n255 0 1 0\n3 0 1 2\n5 0 1 2 -1 0\n2 1 2\n";
    let mut big = b"ply\nformat binary_big_endian 1.0\nelement x 2\nproperty list ushort double a\nelement vertex 3\n\
        property short x\nproperty short y\nproperty short z\nelement face 1\nproperty list uint uint vertex_index\n\
        end_header\n\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
        .to_vec();
    big.extend([0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9]);
    big.extend([0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
    let off = "COFF\n# c\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 255 0 0 255\n1 1 0 255 0 0 255\n0 1 0 255 0 0 255\n\
               4 0 1 2 3 0.5 0.5 0.5\n3 0 1 2\n";
    let one_line = "OFF 3 2 0 0 0 0 1 0 0 0 1 0 3 0 1 2 3 2 1 0";
    vec![
        (Format::Obj, obj.into()),
        (Format::Obj, made(&|b| write_obj(b, meshes).unwrap())),
        (Format::Stl, stl.into()),
        (Format::Stl, made(&|b| write_stl(b, &mesh).unwrap())),
        (Format::Ply, ply.into()),
        (Format::Ply, big),
        (Format::Ply, made(&|b| write_ply(b, &mesh).unwrap())),
        (Format::Off, off.into()),
        (Format::Off, one_line.into()),
        (Format::Off, made(&|b| write_off(b, &mesh).unwrap())),
        (Format::Gltf, made(&|b| write_gltf(b, meshes, &instances).unwrap())),
        (Format::Glb, made(&|b| write_glb(b, meshes, &instances).unwrap())),
    ]
}

#[test]
fn samples_are_valid() {
    for (format, bytes) in samples() {
        let document = load_bytes(&bytes, Some(format), "sample").unwrap();
        validate(&document, bytes.len());
        assert!(document.meshes.iter().all(|m| !m.faces.is_empty()), "{format}");
    }
}

#[test]
fn mutations_never_panic() {
    let mut random = SplitMix64(1);
    for (format, bytes) in samples() {
        let start = Instant::now();
        let (mut good, mut bad) = (0, 0);
        for _ in 0..mutations() {
            let broken = mutate(&bytes, &mut random);
            // Once as what it is, once as what it looks like.
            match load_bytes(&broken, Some(format), "broken") {
                Ok(document) => {
                    validate(&document, broken.len());
                    good += 1;
                }
                Err(error) => {
                    assert!(!error.message().is_empty());
                    bad += 1;
                }
            }
            if let Ok(document) = load_bytes(&broken, None, "broken") {
                validate(&document, broken.len());
            }
        }
        let time = start.elapsed();
        println!("{format}: {good} loaded, {bad} refused, {time:?}");
        assert!(bad > 0, "{format}: no mutation was refused");
        assert!(time < Duration::from_secs(30), "{format}: {time:?}");
    }
}

#[test]
fn every_truncation_and_every_byte() {
    for (format, bytes) in samples() {
        for n in 0..bytes.len() {
            if let Ok(document) = load_bytes(&bytes[..n], Some(format), "cut") {
                validate(&document, n);
            }
        }
        let mut changed = bytes.clone();
        for i in 0..bytes.len() {
            for value in [0, b'9', b'-', b'\n', b'\\', 0x7f, 0xff] {
                changed[i] = value;
                if let Ok(document) = load_bytes(&changed, Some(format), "changed") {
                    validate(&document, changed.len());
                }
            }
            changed[i] = bytes[i];
        }
    }
}

#[test]
fn any_file_as_any_format() {
    use Format::{Glb, Gltf, Obj, Off, Ply, SceneJson, SceneToml, Stl};
    let mut random = SplitMix64(7);
    let mut files: Vec<Vec<u8>> = samples().into_iter().map(|(_, bytes)| bytes).collect();
    files.push(Vec::new());
    files.push(vec![0; 1000]);
    files.push(b"[".repeat(100_000));
    files.push(b"{\"a\":".repeat(100_000));
    files.push(b"\\\n".repeat(100_000));
    // Nesting of every kind TOML has.
    for (start, piece, end) in [
        ("", "a.", "b = 1"),
        ("[", "a.", "b]\nc = 1"),
        ("[[", "a.", "b]]\nc = 1"),
        ("a = ", "[", ""),
        ("a = ", "{a=", "1"),
        ("part = ", "[", "1"),
        ("[[part]]\nfile = \"a\"\npose.", "translation.", "x = 1"),
    ] {
        files.push(format!("{start}{}{end}", piece.repeat(20_000)).into_bytes());
    }
    files.push((0..100_000).map(|_| random.next() as u8).collect());
    for bytes in files {
        for format in [Glb, Gltf, Obj, Off, Ply, SceneJson, SceneToml, Stl] {
            if let Ok(document) = load_bytes(&bytes, Some(format), "any") {
                validate(&document, bytes.len());
            }
        }
    }
}

#[test]
fn broken_scenes() {
    let folder = std::env::temp_dir().join(format!("impinge-io-malformed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut bytes = Vec::new();
    write_obj(&mut bytes, &[mesh(), mesh()]).unwrap();
    std::fs::write(folder.join("a.obj"), &bytes).unwrap();
    let toml = "unit = \"mm\"\n[[part]]\nname = \"p\"\nfile = \"a.obj\"\nscale = 2\n\
                pose = { translation = [0, 1, 2], axis = [0, 0, 1], angle_deg = 30 }\n\
                [[part]]\nfile = \"a.obj\"\nobject = \"tetra\"\npose = { quaternion = [0, 0, 0, 1] }\n\
                [[ignore]]\npair = [\"p*\", \"a*\"]\n[[ignore]]\ngroup = [\"*\"]\n";
    let json = r#"{"part":[{"name":"p","file":"a.obj","scale":[1,2,3],"pose":{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,5]]}}],
        "ignore":[{"group":["*","?"]}]}"#;
    let mut random = SplitMix64(3);
    for (name, text) in [("s.toml", toml), ("s.json", json)] {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        validate(&load(&path).unwrap(), 1000);
        let (mut good, mut bad) = (0, 0);
        for _ in 0..mutations() / 8 {
            std::fs::write(&path, mutate(text.as_bytes(), &mut random)).unwrap();
            match load(&path) {
                Ok(document) => {
                    validate(&document, 10_000);
                    good += 1;
                }
                Err(_) => bad += 1,
            }
        }
        println!("{name}: {good} loaded, {bad} refused");
        assert!(good > 0 && bad > 0);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
