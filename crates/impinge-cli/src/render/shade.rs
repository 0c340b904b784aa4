//! Colours of parts, and lighting.

use impinge::Vec3;

use super::raster::Layer;
use crate::pair_result::{Kind, PairResult};

/// 8-bit sRGB.
pub(crate) type Rgb = [u8; 3];

/// The background.
pub(crate) const WHITE: Rgb = [255, 255, 255];
/// Text and edges.
pub(crate) const INK: Rgb = [28, 30, 34];
/// Secondary text.
pub(crate) const SECONDARY_INK: Rgb = [104, 110, 120];

/// Colours of parts in pictures without relations.
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

/// The colour of a part by its index.
pub(crate) fn part_color(part: usize) -> Rgb {
    PALETTE[part % PALETTE.len()]
}

/// The colour of a part by its index, as linear values from 0 to 1 for glTF.
pub(crate) fn linear_color(part: usize) -> [f32; 3] {
    PALETTE[part % PALETTE.len()].map(|c| (f32::from(c) / 255.0).powf(2.2))
}

/// Parts with the same relation are lightened or darkened by these amounts in turn, so that they
/// can be distinguished.
const LIGHTNESS_STEPS: [f64; 4] = [0.0, 0.24, -0.16, 0.12];

/// The colour and transparency of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartStyle {
    /// Its colour before lighting.
    pub(crate) rgb: Rgb,
    /// Its transparency.
    pub(crate) layer: Layer,
}

/// The style of every part: the colour of its worst relation. A part without a relation is a ghost
/// if other parts have one, and opaque otherwise.
///
/// A part that contains another is transparent, so that the other is visible. If no part has a
/// relation and `plain_colors` is set, parts have the colours of the palette.
pub(crate) fn part_styles(
    parts: usize,
    results: &[PairResult],
    plain_colors: bool,
) -> Vec<PartStyle> {
    let mut worst = vec![Kind::Clear; parts];
    let mut contains_other = vec![false; parts];
    for v in results {
        for part in [v.a, v.b] {
            worst[part] = worst[part].min(v.kind());
        }
        if v.kind() == Kind::Contained {
            contains_other[v.report_order().1] = true;
        }
    }
    let all_clear = worst.iter().all(|k| *k == Kind::Clear);
    let mut parts_of_kind = [0_usize; 6];
    worst
        .iter()
        .enumerate()
        .map(|(i, kind)| {
            let n = parts_of_kind[*kind as usize];
            parts_of_kind[*kind as usize] += 1;
            let use_palette = all_clear && plain_colors;
            let base = if use_palette { PALETTE[i % PALETTE.len()] } else { kind.rgb() };
            let step = LIGHTNESS_STEPS[n % LIGHTNESS_STEPS.len()];
            let amount = if *kind == Kind::Clear { 0.4 } else { 1.0 } * step;
            let rgb = if use_palette { base } else { lighten(base, amount) };
            let layer = match (kind, contains_other[i]) {
                (Kind::Clear, _) if !all_clear => Layer::Ghost,
                (_, true) => Layer::Glass,
                _ => Layer::Opaque,
            };
            PartStyle { rgb, layer }
        })
        .collect()
}

/// The colour `rgb` of a lit face with `normal`, given in the camera's axes (right, up, away).
///
/// The lights are a key light from the upper left behind the viewer and a weak fill light from the
/// right. Both sides of a face are lit.
pub(crate) fn lit(rgb: Rgb, normal: Vec3) -> Rgb {
    let n = if normal.z > 0.0 { -normal } else { normal };
    let key = n.dot(Vec3::new(-0.42, 0.70, -0.58)).max(0.0);
    let fill = n.dot(Vec3::new(0.80, 0.10, -0.59)).max(0.0);
    let light = 0.60 + 0.42 * key + 0.14 * fill;
    rgb.map(|c| to_byte(f64::from(c) * light))
}

/// The text colour, dark or white, that is readable on `rgb`.
pub(crate) fn readable_on(rgb: Rgb) -> Rgb {
    let [r, g, b] = rgb.map(f64::from);
    // The luma weights of Rec. 601. The threshold gives white text on red and orange, dark text on
    // yellow.
    if 0.299 * r + 0.587 * g + 0.114 * b > 165.0 { INK } else { WHITE }
}

/// `rgb` mixed with white for a positive `amount`, with black for a negative one.
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

    fn result(a: usize, b: usize, relation: Relation) -> PairResult {
        PairResult { a, b, relation, triangle_pairs: Some(0), point: None, distance: None }
    }

    #[test]
    fn parts_have_the_colour_of_their_worst_relation_and_containers_are_transparent() {
        let results = [
            result(0, 1, Relation::Crossing),
            result(1, 2, Relation::Touching),
            result(3, 4, Relation::BInsideA),
        ];
        let styles = part_styles(6, &results, false);
        let layers: Vec<Layer> = styles.iter().map(|s| s.layer).collect();
        use Layer::{Ghost, Glass, Opaque};
        assert_eq!(layers, [Opaque, Opaque, Opaque, Glass, Opaque, Ghost]);
        assert_eq!(styles[0].rgb, Kind::Crossing.rgb());
        assert_ne!(styles[1].rgb, styles[0].rgb, "two crossing parts must have different colours");
        assert_eq!(styles[2].rgb, Kind::Touching.rgb());
    }

    #[test]
    fn without_relations_every_part_is_opaque() {
        for plain in [true, false] {
            assert!(part_styles(3, &[], plain).iter().all(|s| s.layer == Layer::Opaque));
        }
    }

    #[test]
    fn both_sides_are_lit_alike_and_the_key_light_is_brightest() {
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
