//! Writes a GLB file with many instances of one part, with random rotations and the same scale:
//! `instances OUT.glb COUNT SCALE`.
//!
//! The part is a sphere with bumps, of 9,024 triangles. The instances form a cubic grid whose
//! spacing is so small that neighbours cross.

use std::f64::consts::PI;
use std::fs::File;
use std::io::BufWriter;

use impinge_io::{Faces, Instance, RawMesh, write_glb};
use impinge_oracles::common::Random;

/// Segments of the sphere along a circle of latitude.
const LONGITUDE_SEGMENTS: u32 = 96;
/// Segments of the sphere from pole to pole.
const LATITUDE_SEGMENTS: u32 = 48;

/// The spacing of the grid, before scaling.
const SPACING: f64 = 2.02;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, count, scale] = arguments.as_slice() else {
        return Err("usage: instances OUT.glb COUNT SCALE".into());
    };
    let (count, scale): (u32, f64) = (count.parse()?, scale.parse()?);
    let side = f64::from(count).cbrt().ceil() as u32;
    let mut random = Random::new(1);
    let instances: Vec<Instance> = (0..count)
        .map(|i| {
            let [r0, r1, r2] = rotation([(); 4].map(|()| random.signed()));
            let place = [i % side, i / side % side, i / side / side];
            let [x, y, z] = place.map(|k| SPACING * f64::from(k) * scale);
            let row = |[a, b, c]: [f64; 3], t: f64| [a, b, c, t];
            let matrix = [row(r0, x), row(r1, y), row(r2, z)];
            Instance { name: format!("part {i}"), mesh: 0, matrix, scale }
        })
        .collect();
    write_glb(&mut BufWriter::new(File::create(out)?), &[ball()], &instances)?;
    Ok(())
}

/// A sphere of radius about one, with bumps.
fn ball() -> RawMesh {
    let mut positions = vec![[0.0, 0.0, 1.05], [0.0, 0.0, -0.95]];
    for i in 1..LATITUDE_SEGMENTS {
        let (sin, cos) = (PI * f64::from(i) / f64::from(LATITUDE_SEGMENTS)).sin_cos();
        for j in 0..LONGITUDE_SEGMENTS {
            let along = 2.0 * PI * f64::from(j) / f64::from(LONGITUDE_SEGMENTS);
            let r = 1.0 + 0.1 * (5.0 * along).sin() * sin * sin + 0.05 * cos;
            positions.push([r * sin * along.cos(), r * sin * along.sin(), r * cos]);
        }
    }
    let at = |i: u32, j: u32| 2 + i * LONGITUDE_SEGMENTS + j % LONGITUDE_SEGMENTS;
    let mut faces = Faces::new();
    for j in 0..LONGITUDE_SEGMENTS {
        faces.push(&[0, at(0, j), at(0, j + 1)]);
        for i in 0..LATITUDE_SEGMENTS - 2 {
            faces.push(&[at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            faces.push(&[at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        faces.push(&[1, at(LATITUDE_SEGMENTS - 2, j + 1), at(LATITUDE_SEGMENTS - 2, j)]);
    }
    RawMesh { name: Some("ball".into()), positions, faces }
}

/// The rotation of a quaternion of any length but zero.
fn rotation([x, y, z, w]: [f64; 4]) -> [[f64; 3]; 3] {
    let n = x * x + y * y + z * z + w * w;
    [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), w * w + y * y - x * x - z * z, 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), w * w + z * z - x * x - y * y],
    ]
    .map(|row| row.map(|x| x / n))
}
