//! Colours: what a part looks like, and light on it.

use impinge::Vec3;

use super::raster::Layer;
use crate::verdict::{Kind, Verdict};

/// 8-bit sRGB.
pub(crate) type Rgb = [u8; 3];

/// The page.
pub(crate) const WHITE: Rgb = [255, 255, 255];
/// Text and the edges of parts that matter.
pub(crate) const INK: Rgb = [28, 30, 34];
/// Secondary text.
pub(crate) const SOFT_INK: Rgb = [104, 110, 120];

/// Muted colours that tell parts apart where no verdict does.
const PALETTE: [Rgb; 8] = [
    [158, 186, 212],
    [224, 196, 150],
    [168, 202, 166],
    [206, 172, 190],
    [190, 190, 158],
    [158, 204, 204],
    [226, 178, 162],
    [180, 178, 214],
];

/// The colour of the part of a number.
pub(crate) fn part_color(part: usize) -> Rgb {
    PALETTE[part % PALETTE.len()]
}

/// The colour of the part of a number, linear from 0 to 1, as glTF has it.
pub(crate) fn linear_color(part: usize) -> [f32; 3] {
    PALETTE[part % PALETTE.len()].map(|c| (f32::from(c) / 255.0).powf(2.2))
}

/// How much parts of one colour are lightened or darkened in turn, so that neighbours differ.
const VARIATION: [f64; 4] = [0.0, 0.24, -0.16, 0.12];

/// How a part is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Its colour in full light.
    pub(crate) rgb: Rgb,
    /// How it hides what is behind it.
    pub(crate) layer: Layer,
}

/// The look of every part: by its worst verdict if it has one, pale glass if others have, plain if
/// none has.
///
/// A part that holds another is coloured glass, so that what it holds can be seen. `plain_colors`
/// tells parts apart by colour where there are no verdicts to show.
pub(crate) fn looks(parts: usize, verdicts: &[Verdict], plain_colors: bool) -> Vec<Look> {
    let mut worst = vec![Kind::Clear; parts];
    let mut holds = vec![false; parts];
    for v in verdicts {
        for part in [v.a, v.b] {
            worst[part] = worst[part].min(v.kind());
        }
        if v.kind() == Kind::Contained {
            holds[v.named_order().1] = true;
        }
    }
    let calm = worst.iter().all(|k| *k == Kind::Clear);
    let mut turn = [0_usize; 6];
    worst
        .iter()
        .enumerate()
        .map(|(i, kind)| {
            let n = turn[*kind as usize];
            turn[*kind as usize] += 1;
            let base = if calm && plain_colors { PALETTE[i % PALETTE.len()] } else { kind.rgb() };
            let vary =
                if *kind == Kind::Clear { 0.4 } else { 1.0 } * VARIATION[n % VARIATION.len()];
            let rgb = if calm && plain_colors { base } else { lighten(base, vary) };
            let layer = match (kind, holds[i]) {
                (Kind::Clear, _) if !calm => Layer::Ghost,
                (_, true) => Layer::Glass,
                _ => Layer::Opaque,
            };
            Look { rgb, layer }
        })
        .collect()
}

/// `rgb` in the light that falls on a face with `normal`, given in the camera's axes (right, up,
/// away).
///
/// A key light from the upper left behind the viewer and a weak fill from the right; both sides of
/// a face are lit.
pub(crate) fn lit(rgb: Rgb, normal: Vec3) -> Rgb {
    let n = if normal.z > 0.0 { -normal } else { normal };
    let key = n.dot(Vec3::new(-0.42, 0.70, -0.58)).max(0.0);
    let fill = n.dot(Vec3::new(0.80, 0.10, -0.59)).max(0.0);
    let light = 0.60 + 0.42 * key + 0.14 * fill;
    rgb.map(|c| to_byte(f64::from(c) * light))
}

/// Black or white, whichever can be read on `rgb`.
pub(crate) fn readable_on(rgb: Rgb) -> Rgb {
    let [r, g, b] = rgb.map(f64::from);
    // The weights of luma in Rec. 601; red and orange stay below the limit, yellow does not.
    if 0.299 * r + 0.587 * g + 0.114 * b > 165.0 { INK } else { WHITE }
}

/// Towards white for a positive `amount`, towards black for a negative one.
pub(crate) fn lighten(rgb: Rgb, amount: f64) -> Rgb {
    let target = if amount > 0.0 { WHITE } else { [0, 0, 0] };
    mix(rgb, target, amount.abs())
}

/// The colour `t` of the way from `a` to `b`.
pub(crate) fn mix(a: Rgb, b: Rgb, t: f64) -> Rgb {
    [0, 1, 2].map(|i| to_byte(f64::from(a[i]) + (f64::from(b[i]) - f64::from(a[i])) * t))
}

fn to_byte(x: f64) -> u8 {
    x.round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::check::Relation;

    fn verdict(a: usize, b: usize, relation: Relation) -> Verdict {
        Verdict { a, b, relation, triangle_pairs: 0, witness: None, distance: None }
    }

    #[test]
    fn the_worst_verdict_colours_a_part_and_holders_are_glass() {
        let verdicts = [
            verdict(0, 1, Relation::Crossing),
            verdict(1, 2, Relation::Touching),
            verdict(3, 4, Relation::BInsideA),
        ];
        let looks = looks(6, &verdicts, false);
        let layers: Vec<Layer> = looks.iter().map(|l| l.layer).collect();
        use Layer::{Ghost, Glass, Opaque};
        assert_eq!(layers, [Opaque, Opaque, Opaque, Glass, Opaque, Ghost]);
        assert_eq!(looks[0].rgb, Kind::Crossing.rgb());
        assert_ne!(looks[1].rgb, looks[0].rgb, "two crossing parts can be told apart");
        assert_eq!(looks[2].rgb, Kind::Touching.rgb());
    }

    #[test]
    fn without_verdicts_every_part_is_solid() {
        for plain in [true, false] {
            assert!(looks(3, &[], plain).iter().all(|l| l.layer == Layer::Opaque));
        }
    }

    #[test]
    fn light_is_the_same_on_both_sides_and_brightest_towards_the_key() {
        let n = Vec3::new(0.1, 0.2, -0.97);
        assert_eq!(lit([200, 100, 50], n), lit([200, 100, 50], -n));
        let (bright, dark) =
            (lit([200; 3], Vec3::new(-0.42, 0.70, -0.58)), lit([200; 3], -Vec3::Y));
        assert!(bright[0] > dark[0]);
        assert_eq!(mix([0; 3], [255; 3], 0.5), [128; 3]);
        assert_eq!(
            (readable_on(Kind::Near.rgb()), readable_on(Kind::Touching.rgb())),
            (INK, WHITE)
        );
    }
}
