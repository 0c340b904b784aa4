//! A four-engined airliner, ten closed pieces.
//!
//! In Klosowski et al. 1998, section 5.2, a Boeing 747 flies among tetrahedra. The outline here is
//! our own.

use impinge::Error;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::loft::{between, loft};
use impinge::internals::shapes::params::{count, length, total};
use impinge::internals::shapes::revolve::{refine, revolve_surface};
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// Nose to tail in units of the length: distance from the nose, and radius.
const FUSELAGE: [[f64; 2]; 9] = [
    [0.0, 0.0],
    [0.012, 0.016],
    [0.05, 0.034],
    [0.13, 0.046],
    [0.35, 0.048],
    [0.65, 0.048],
    [0.8, 0.042],
    [0.93, 0.018],
    [1.0, 0.0],
];

/// An engine's casing: distance from its lip, and radius.
const ENGINE: [[f64; 2]; 4] = [[0.0, 0.017], [0.02, 0.02], [0.06, 0.018], [0.09, 0.009]];

/// A lifting surface: leading edge and chord at root and tip, and the relative thickness.
struct Wing {
    root: Vec3,
    root_chord: f64,
    tip: Vec3,
    tip_chord: f64,
    thickness: f64,
}

const WING: Wing = Wing {
    root: Vec3::new(0.3, 0.02, -0.02),
    root_chord: 0.22,
    tip: Vec3::new(0.62, 0.48, 0.03),
    tip_chord: 0.05,
    thickness: 0.11,
};

const TAILPLANE: Wing = Wing {
    root: Vec3::new(0.85, 0.01, 0.012),
    root_chord: 0.11,
    tip: Vec3::new(0.97, 0.16, 0.03),
    tip_chord: 0.035,
    thickness: 0.1,
};

const FIN: Wing = Wing {
    root: Vec3::new(0.8, 0.0, 0.025),
    root_chord: 0.15,
    tip: Vec3::new(0.95, 0.0, 0.2),
    tip_chord: 0.06,
    thickness: 0.1,
};

/// Lateral positions of the engines, as shares of the half span.
const ENGINES: [f64; 2] = [0.38, 0.68];

/// An airliner of the given length, nose at the origin, flying along -x, wings along y, up along z.
///
/// Ten closed pieces that overlap where they join: fuselage, two wings, two tailplanes, fin, four
/// engines. `segments` polygons around the fuselage, and as many around a wing's profile or an
/// engine, an even number at least 4; every straight piece of the outline is cut into `pieces`:
/// `segments * (25 * pieces) + 18` polygons.
///
/// # Errors
/// `BadParameter` unless the length is a positive number, `segments` even and at least 4, and
/// `pieces` at least 1.
pub fn aircraft(length: f64, segments: usize, pieces: usize) -> Result<Mesh, Error> {
    aircraft_surface(length, segments, pieces, true)?.finish()
}

/// As [`aircraft`]. `fine = false` uses outlines with fewer points, for the smallest polygon
/// counts.
pub(super) fn aircraft_surface(
    long: f64,
    segments: usize,
    pieces: usize,
    fine: bool,
) -> Result<Surface, Error> {
    length("the aircraft's length", long)?;
    count("the number of segments", segments, 4)?;
    count("the number of pieces", pieces, 1)?;
    total("aircraft", &[segments, 25 + 18, pieces])?;
    if segments % 2 == 1 {
        return Err(impinge::internals::shapes::params::bad(format!(
            "the number of segments is {segments}: it must be even, for the upper and lower side of the wings"
        )));
    }
    let mut plane = Surface::new();
    let coarse = |profile: &[[f64; 2]], keep: &[usize]| -> Vec<[f64; 2]> {
        let kept = profile.iter().enumerate().filter(|(i, _)| fine || keep.contains(i));
        // Solids of revolution about z from tail to nose. The aircraft lies along x.
        refine(&kept.map(|(_, [x, r])| [*r, -*x]).collect::<Vec<_>>(), pieces)
    };
    let lay = |v: Vec3| Vec3::new(-v.z, -v.y, -v.x);
    let body = revolve_surface(&coarse(&FUSELAGE, &[0, 3, 6, 8]), segments)?;
    plane.append(&body, |v| lay(v) * long);
    let casing = revolve_surface(&coarse(&ENGINE, &[0, 3]), segments)?;
    for side in [1.0, -1.0] {
        for wing in [&WING, &TAILPLANE] {
            plane.append(&lifting_surface(wing, segments, pieces, side), |v| v * long);
        }
        for out in ENGINES {
            let hang = WING.root + (WING.tip - WING.root) * out + Vec3::new(-0.03, 0.0, -0.028);
            let hang = Vec3::new(hang.x, hang.y * side, hang.z);
            plane.append(&casing, |v| (hang + lay(v)) * long);
        }
    }
    plane.append(&lifting_surface(&FIN, segments, pieces, 1.0), |v| v * long);
    Ok(plane)
}

/// A wing as a loft from root to tip, mirrored in the xz plane for `side = -1`.
fn lifting_surface(wing: &Wing, corners: usize, pieces: usize, side: f64) -> Surface {
    // The span of the fin is along z, that of the wings along y. The thickness is perpendicular to
    // span and chord.
    let span = wing.tip - wing.root;
    let across = if span.y == 0.0 { Vec3::Y } else { Vec3::Z };
    let section = |at: Vec3, chord: f64| -> Vec<Vec3> {
        let half = corners / 2;
        (0..corners)
            .map(|i| {
                // From the trailing edge over one side to the leading edge and back.
                let k = if i <= half { i } else { corners - i };
                let t = k as f64 / half as f64;
                let x = 1.0 - t;
                let thick = 2.0 * wing.thickness * x.sqrt() * (1.0 - x);
                let sign = if i <= half { 1.0 } else { -1.0 };
                let p = at + (Vec3::X * x + across * (sign * thick)) * chord;
                Vec3::new(p.x, p.y * side, p.z)
            })
            .collect()
    };
    let root = section(wing.root, wing.root_chord);
    let tip = section(wing.tip, wing.tip_chord);
    let mut surface = loft(between(&root, &tip, pieces));
    // Seen from the tip, the section above runs from +x over +across to -x: counter-clockwise about
    // z for the fin, and clockwise about y; the mirror image turns over.
    let counter_clockwise = (span.y == 0.0) == (side > 0.0);
    if !counter_clockwise {
        surface.flip();
    }
    surface
}

/// The number of polygons of [`aircraft_surface`].
pub(super) fn aircraft_polygons(segments: usize, pieces: usize, fine: bool) -> usize {
    let (body, engine) = if fine { (8, 3) } else { (3, 1) };
    segments * pieces * (body + 4 * engine + 5) + 2 * 9
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    #[test]
    fn aircraft_are_ten_closed_pieces() {
        for (segments, pieces, fine) in [(4, 1, false), (4, 1, true), (12, 2, true), (24, 3, true)]
        {
            let surface = aircraft_surface(70.0, segments, pieces, fine).unwrap();
            assert_eq!(surface.polygon_count(), aircraft_polygons(segments, pieces, fine));
            assert_planar(&surface);
            let mesh = surface.finish().unwrap();
            assert_eq!(assert_closed(&mesh), 10);
            let b = mesh.bounds();
            assert!((b.max.y + b.min.y).abs() < 1e-12 && b.min.x == 0.0);
            assert!((b.max.x - 71.0).abs() < 2.0, "{b:?}");
        }
        let documented = aircraft_surface(1.0, 8, 2, true).unwrap().polygon_count();
        assert_eq!(documented, 8 * 25 * 2 + 18);
    }

    #[test]
    fn invalid_parameters_are_refused() {
        assert_bad(aircraft(0.0, 8, 1), "length is 0");
        assert_bad(aircraft(1.0, 2, 1), "segments is 2");
        assert_bad(aircraft(1.0, 7, 1), "even");
        assert_bad(aircraft(1.0, 8, 0), "pieces is 0");
        assert_bad(aircraft(1.0, 1 << 20, 8), "polygons");
    }
}
