//! Writes a GLB file with many instances of one part, turned at random and scaled alike:
//! `instances OUT.glb COUNT SCALE`.
//!
//! The part is a ball with bumps, of 9,024 triangles; the instances stand in a cube, so close that
//! neighbours cross.

use std::f64::consts::PI;
use std::fs::File;
use std::io::BufWriter;

use impinge_io::{Faces, Instance, RawMesh, write_glb};

const AROUND: u32 = 96;
const DOWN: u32 = 48;

/// The distance of neighbours, before they are scaled.
const STEP: f64 = 2.02;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, count, scale] = arguments.as_slice() else {
        return Err("usage: instances OUT.glb COUNT SCALE".into());
    };
    let (count, scale): (u32, f64) = (count.parse()?, scale.parse()?);
    let side = f64::from(count).cbrt().ceil() as u32;
    let mut state = 1;
    let instances: Vec<Instance> = (0..count)
        .map(|i| {
            let [r0, r1, r2] = rotation([(); 4].map(|()| signed(&mut state)));
            let place = [i % side, i / side % side, i / side / side];
            let [x, y, z] = place.map(|k| STEP * f64::from(k) * scale);
            let row = |[a, b, c]: [f64; 3], t: f64| [a, b, c, t];
            let matrix = [row(r0, x), row(r1, y), row(r2, z)];
            Instance { name: format!("part {i}"), mesh: 0, matrix, scale }
        })
        .collect();
    write_glb(&mut BufWriter::new(File::create(out)?), &[ball()], &instances)?;
    Ok(())
}

/// A sphere of radius one or so, with bumps.
fn ball() -> RawMesh {
    let mut positions = vec![[0.0, 0.0, 1.05], [0.0, 0.0, -0.95]];
    for i in 1..DOWN {
        let (sin, cos) = (PI * f64::from(i) / f64::from(DOWN)).sin_cos();
        for j in 0..AROUND {
            let along = 2.0 * PI * f64::from(j) / f64::from(AROUND);
            let r = 1.0 + 0.1 * (5.0 * along).sin() * sin * sin + 0.05 * cos;
            positions.push([r * sin * along.cos(), r * sin * along.sin(), r * cos]);
        }
    }
    let at = |i: u32, j: u32| 2 + i * AROUND + j % AROUND;
    let mut faces = Faces::new();
    for j in 0..AROUND {
        faces.push(&[0, at(0, j), at(0, j + 1)]);
        for i in 0..DOWN - 2 {
            faces.push(&[at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            faces.push(&[at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        faces.push(&[1, at(DOWN - 2, j + 1), at(DOWN - 2, j)]);
    }
    RawMesh { name: Some("ball".into()), positions, faces }
}

/// The next number in [-1, 1) (`SplitMix64`; Steele, Lea and Flood 2014).
fn signed(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
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
