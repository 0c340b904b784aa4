//! A human hand: a palm and fifteen phalanges, sixteen closed pieces.
//!
//! Zachmann 1994, section 3.2, tests a hand of 16 objects against a pot. In Klosowski et al. 1998,
//! section 5.2, a hand moves through the crowded *Interior*.

use glam::DQuat;

use impinge::Error;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::circle::unit_circle;
use impinge::internals::shapes::loft::{between as steps_between, loft};
use impinge::internals::shapes::params::{between, count, length, total};
use impinge::internals::shapes::revolve::{capsule_profile, refine, revolve_surface};
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// A finger on a palm of unit width: its start, its direction in the plane of the palm, the lengths
/// of its bones, its thickness.
struct Finger {
    base: [f64; 2],
    heading: f64,
    bones: [f64; 3],
    radius: f64,
}

/// Thumb, index, middle, ring and little finger of a right hand, palm down, fingers along +y.
const FINGERS: [Finger; 5] = [
    Finger { base: [-0.47, 0.3], heading: 0.85, bones: [0.46, 0.36, 0.28], radius: 0.12 },
    Finger { base: [-0.37, 1.05], heading: 0.08, bones: [0.5, 0.3, 0.22], radius: 0.1 },
    Finger { base: [-0.12, 1.1], heading: 0.0, bones: [0.55, 0.35, 0.24], radius: 0.105 },
    Finger { base: [0.13, 1.06], heading: -0.07, bones: [0.5, 0.32, 0.23], radius: 0.1 },
    Finger { base: [0.36, 0.97], heading: -0.16, bones: [0.38, 0.23, 0.2], radius: 0.085 },
];

/// A right hand, palm down, fingers along +y, wrist at the origin.
///
/// `width` is the width of the palm. The hand is about twice as long. `curl`, from 0 (flat) to 1
/// (nearly a fist), bends every joint. Phalanges are tapered rounded rods with `segments` polygons
/// around and `bands` along. With fewer than 3 bands their ends are flat. Neighbouring pieces
/// overlap in the joints: sixteen closed pieces.
///
/// ```
/// let hand = impinge_samples::shapes::hand(85.0, 0.3, 12, 6)?;
/// assert!(hand.triangles().len() > 1000);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless the width is a positive number, `curl` is from 0 to 1, there are at least
/// 3 segments and 1 band.
pub fn hand(width: f64, curl: f64, segments: usize, bands: usize) -> Result<Mesh, Error> {
    hand_surface(width, curl, segments, bands)?.finish()
}

pub(super) fn hand_surface(
    width: f64,
    curl: f64,
    segments: usize,
    bands: usize,
) -> Result<Surface, Error> {
    length("the hand's width", width)?;
    between("the hand's curl", curl, 0.0, 1.0)?;
    count("the number of segments", segments, 3)?;
    count("the number of bands", bands, 1)?;
    total("hand", &[17, segments + 2, bands + 2])?;
    let mut hand = Surface::new();
    hand.append(&palm(2 * segments, bands), |v| v * width);
    for (i, finger) in FINGERS.iter().enumerate() {
        let thumb = i == 0;
        let mut at = Vec3::new(finger.base[0], finger.base[1], 0.0);
        let heading = DQuat::from_rotation_z(finger.heading);
        let mut bend = if thumb { 0.3 * curl } else { 0.1 + 0.9 * curl };
        for (joint, bone) in finger.bones.iter().enumerate() {
            // Bending about the finger's own x axis moves its tip down, to the inside of the hand.
            let turn = heading * DQuat::from_rotation_x(-bend);
            let radius = finger.radius * (1.0 - 0.1 * joint as f64);
            let rod = phalanx(radius, *bone, segments, bands)?;
            let middle = at + turn * (Vec3::Y * (0.5 * bone));
            // Rods are created along z; a quarter turn about x aligns them with y.
            hand.append(&rod, |v| (middle + turn * Vec3::new(v.x, v.z, -v.y)) * width);
            at += turn * (Vec3::Y * *bone);
            bend += if thumb { 0.6 * curl } else { 0.1 + 1.1 * curl };
        }
    }
    Ok(hand)
}

/// The number of polygons of [`hand`].
pub(super) fn hand_polygons(segments: usize, bands: usize) -> usize {
    let ends = if bands >= 3 { 0 } else { 2 };
    15 * (segments * bands + ends) + 2 * segments * bands + 2
}

/// A rod along z with its middle at the origin, thinner at the far end.
fn phalanx(radius: f64, bone: f64, segments: usize, bands: usize) -> Result<Surface, Error> {
    if bands < 3 {
        let line = [[radius, -0.5 * bone], [0.85 * radius, 0.5 * bone]];
        return revolve_surface(&refine(&line, bands), segments);
    }
    // Half balls with the same number of bands at both ends, and the other bands along the bone.
    let rings = (bands / 3).max(1);
    let mut profile = capsule_profile(radius, 0.85 * radius, bone - 0.6 * radius, rings)?;
    let tail = profile.split_off(rings + 1);
    let middle = refine(&[profile[rings], tail[0]], bands - 2 * rings);
    profile.pop();
    profile.extend(middle);
    profile.extend(&tail[1..]);
    revolve_surface(&profile, segments)
}

/// A flat rounded block from wrist to knuckles, of unit width.
fn palm(corners: usize, bands: usize) -> Surface {
    let section = |y: f64, half_width: f64, thickness: f64| -> Vec<Vec3> {
        // Counter-clockwise seen from +y: from x towards -z.
        unit_circle(corners)
            .into_iter()
            .map(|[c, s]| {
                // A superellipse of degree four: a rectangle with round edges.
                let k = 1.0 / (c * c * c * c + s * s * s * s).sqrt().sqrt();
                Vec3::new(half_width * c * k, y, -thickness * s * k)
            })
            .collect()
    };
    let wrist = section(0.0, 0.4, 0.125);
    let knuckles = section(1.1, 0.48, 0.15);
    loft(steps_between(&wrist, &knuckles, bands))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    #[test]
    fn hands_are_sixteen_closed_pieces() {
        for (segments, bands, curl) in
            [(3, 1, 0.0), (3, 2, 1.0), (4, 3, 0.5), (12, 7, 0.2), (16, 12, 1.0)]
        {
            let surface = hand_surface(80.0, curl, segments, bands).unwrap();
            assert_eq!(
                surface.polygon_count(),
                hand_polygons(segments, bands),
                "{segments} {bands}"
            );
            assert_planar(&surface);
            assert_eq!(assert_closed(&surface.finish().unwrap()), 16);
        }
    }

    #[test]
    fn curling_shortens_the_hand_and_bends_it_down() {
        let [flat, fist] = [0.0, 1.0].map(|curl| hand(1.0, curl, 8, 4).unwrap().bounds());
        assert!(flat.max.y > 2.0 && fist.max.y < 1.8, "{flat:?} {fist:?}");
        assert!(fist.min.z < -0.5 && flat.min.z > -0.5);
    }

    #[test]
    fn invalid_parameters_are_refused() {
        assert_bad(hand(0.0, 0.0, 8, 4), "width is 0");
        assert_bad(hand(1.0, 1.1, 8, 4), "curl");
        assert_bad(hand(1.0, f64::NAN, 8, 4), "curl");
        assert_bad(hand(1.0, 0.0, 2, 4), "segments is 2");
        assert_bad(hand(1.0, 0.0, 8, 0), "bands is 0");
        assert_bad(hand(1.0, 0.0, 1 << 12, 1 << 12), "polygons");
    }
}
