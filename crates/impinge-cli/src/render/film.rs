//! A run as an animated PNG.
//!
//! One palette for all pictures; of each picture after the first only the rectangle that differs
//! from the one before, and in it what is equal is left transparent, which takes little room (PNG,
//! third edition, sections 11.3.6 and 12.4).

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use impinge::Aabb;
use impinge::scene::Scene;

use super::camera::{Axis, Camera, Size, View, Viewport};
use super::image::Image;
use super::raster::Layer;
use super::shade::{Look, Rgb, SOFT_INK, lighten, part_color};
use super::{Drawing, text};
use crate::verdict::Kind;

/// Colours of the palette; one more entry is transparent.
const COLOURS: usize = 255;
/// How many of them are those that occur most.
const COMMON: usize = 191;
/// The transparent entry.
const UNCHANGED: u8 = 255;

/// One picture.
#[derive(Debug)]
pub(crate) struct Shot<'a> {
    /// The parts where they are.
    pub(crate) scene: &'a Scene,
    /// Which of them meet others.
    pub(crate) meets: &'a [bool],
    /// Which of them never move.
    pub(crate) still: &'a [bool],
    /// The line below.
    pub(crate) caption: String,
}

/// Pictures from one camera.
#[derive(Debug)]
pub(crate) struct Film {
    camera: Camera,
    size: Size,
    drawing: Drawing,
    milliseconds: u16,
    pictures: Vec<Image>,
}

impl Film {
    /// A film of what happens in some boxes, each picture shown for so long.
    pub(crate) fn new(boxes: &[Aabb], view: View, up: Axis, size: Size, milliseconds: u16) -> Self {
        let (width, height) = (size.width as f64, size.height as f64);
        let viewport =
            Viewport { x: 4.0, y: 4.0, width: width - 8.0, height: (height - 22.0).max(8.0) };
        let camera = Camera::fit_boxes(boxes, view, up, viewport);
        Self { camera, size, drawing: Drawing::default(), milliseconds, pictures: Vec::new() }
    }

    /// Draws one more picture.
    pub(crate) fn add(&mut self, shot: &Shot<'_>) {
        let looks: Vec<Look> = (0..shot.scene.parts().len())
            .map(|i| {
                let rgb = match (shot.meets[i], shot.still[i]) {
                    (true, false) => Kind::Crossing.rgb(),
                    (true, true) => lighten(Kind::Crossing.rgb(), 0.55),
                    (false, true) => [214, 216, 220],
                    (false, false) => part_color(i),
                };
                Look { rgb, layer: Layer::Opaque }
            })
            .collect();
        let scale = (self.size.height as f64 / 1200.0).max(0.6);
        let mut image =
            self.drawing.draw(shot.scene.parts(), &looks, &[], &self.camera, self.size, scale);
        let height = self.size.height as f64;
        text::draw(&mut image, 5.0, height - 14.0, 9.0, &shot.caption, SOFT_INK);
        self.pictures.push(image);
    }

    /// The film as the bytes of a file.
    pub(crate) fn encode(&self) -> Result<Vec<u8>> {
        let palette = Palette::of(&self.pictures);
        let (width, height) = (self.size.width, self.size.height);
        let mut bytes = Vec::new();
        let fail = "cannot encode the animation";
        let mut encoder =
            png::Encoder::new(&mut bytes, u32::try_from(width)?, u32::try_from(height)?);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        // Pixels of a palette are names, not amounts: their differences say nothing.
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_palette(palette.bytes());
        encoder.set_trns(palette.transparency());
        encoder.set_animated(u32::try_from(self.pictures.len())?, 0).context(fail)?;
        encoder.set_frame_delay(self.milliseconds, 1000).context(fail)?;
        encoder.set_dispose_op(png::DisposeOp::None).context(fail)?;
        let mut writer = encoder.write_header().context(fail)?;
        let mut before: Option<Vec<u8>> = None;
        for picture in &self.pictures {
            let now = palette.names(picture);
            match &before {
                None => writer.write_image_data(&now).context(fail)?,
                Some(before) => {
                    let (x, y, w, h, part) = changed(before, &now, width);
                    writer.reset_frame_position().context(fail)?;
                    writer.set_frame_dimension(w, h).context(fail)?;
                    writer.set_frame_position(x, y).context(fail)?;
                    writer.set_blend_op(png::BlendOp::Over).context(fail)?;
                    writer.write_image_data(&part).context(fail)?;
                }
            }
            before = Some(now);
        }
        writer.finish().context(fail)?;
        Ok(bytes)
    }
}

/// The rectangle in which two pictures differ (x, y, width, height), and its pixels, transparent
/// where they do not.
fn changed(before: &[u8], now: &[u8], width: usize) -> (u32, u32, u32, u32, Vec<u8>) {
    let (mut low, mut high) = ([usize::MAX; 2], [0_usize; 2]);
    for (at, _) in before.iter().zip(now).enumerate().filter(|(_, (a, b))| a != b) {
        for (k, place) in [at % width, at / width].into_iter().enumerate() {
            low[k] = low[k].min(place);
            high[k] = high[k].max(place);
        }
    }
    if low[0] == usize::MAX {
        return (0, 0, 1, 1, vec![UNCHANGED]);
    }
    let mut part = Vec::new();
    for y in low[1]..=high[1] {
        for x in low[0]..=high[0] {
            let at = y * width + x;
            part.push(if before[at] == now[at] { UNCHANGED } else { now[at] });
        }
    }
    let [x, y] = low.map(|v| v as u32);
    (x, y, (high[0] - low[0] + 1) as u32, (high[1] - low[1] + 1) as u32, part)
}

/// The colours of a film, by five bits a channel.
#[derive(Debug)]
struct Palette {
    colors: Vec<Rgb>,
    /// For each colour that occurs its name.
    nearest: BTreeMap<u16, u8>,
}

fn cell(rgb: &[u8]) -> u16 {
    u16::from(rgb[0] >> 3) << 10 | u16::from(rgb[1] >> 3) << 5 | u16::from(rgb[2] >> 3)
}

impl Palette {
    /// The colours that occur most, some for what is unlike them, and for each colour the nearest
    /// of these.
    fn of(pictures: &[Image]) -> Self {
        let mut sums: BTreeMap<u16, (u64, [u64; 3])> = BTreeMap::new();
        for rgb in pictures.iter().flat_map(|p| p.rgb.chunks_exact(3)) {
            let (count, sum) = sums.entry(cell(rgb)).or_default();
            *count += 1;
            sum.iter_mut().zip(rgb).for_each(|(s, c)| *s += u64::from(*c));
        }
        let mean = |(count, sum): &(u64, [u64; 3])| sum.map(|s| (s / (*count).max(1)) as u8);
        let mut often: Vec<(&u16, &(u64, [u64; 3]))> = sums.iter().collect();
        often.sort_by_key(|(cell, (count, _))| (std::cmp::Reverse(*count), **cell));
        let distance = |a: Rgb, b: Rgb| -> u32 {
            [0, 1, 2].map(|k| u32::from(a[k].abs_diff(b[k])).pow(2)).iter().sum()
        };
        let mut colors: Vec<Rgb> = often.iter().take(COMMON).map(|(_, sum)| mean(sum)).collect();
        // The rest of the palette goes to what is least like any colour in it, so that nothing is
        // far off.
        let mut rest: Vec<(Rgb, u32)> = often
            .iter()
            .skip(COMMON)
            .map(|(_, sum)| {
                let rgb = mean(sum);
                (rgb, colors.iter().map(|c| distance(*c, rgb)).min().unwrap_or(0))
            })
            .collect();
        while colors.len() < COLOURS {
            let Some(next) = (0..rest.len()).max_by_key(|i| rest[*i].1) else { break };
            let (color, _) = rest.swap_remove(next);
            colors.push(color);
            for (rgb, off) in &mut rest {
                *off = distance(color, *rgb).min(*off);
            }
        }
        let nearest = sums
            .iter()
            .map(|(cell, sum)| {
                let rgb = mean(sum);
                let best = (0..colors.len()).min_by_key(|i| distance(colors[*i], rgb));
                (*cell, best.unwrap_or(0) as u8)
            })
            .collect();
        Self { colors, nearest }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.concat();
        bytes.resize(3 * (COLOURS + 1), 0);
        bytes
    }

    fn transparency(&self) -> Vec<u8> {
        let mut alpha = vec![255; COLOURS + 1];
        alpha[usize::from(UNCHANGED)] = 0;
        alpha
    }

    fn names(&self, picture: &Image) -> Vec<u8> {
        let mut last = (u16::MAX, 0);
        picture
            .rgb
            .chunks_exact(3)
            .map(|rgb| {
                let cell = cell(rgb);
                if cell != last.0 {
                    last = (cell, self.nearest.get(&cell).copied().unwrap_or(0));
                }
                last.1
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{Pose, Vec3, shapes};

    #[test]
    fn a_film_reads_back_and_shows_what_moves() {
        let cube = shapes::cuboid([1.0; 3]).unwrap();
        let bounds = Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(4.0));
        let size = Size { width: 96, height: 72 };
        let mut film = Film::new(&[bounds], View::Iso, Axis::Z, size, 40);
        for k in [0.0, 1.0, 2.0, 2.0, 3.0] {
            let mut scene = Scene::new();
            scene.add("cube", cube.clone(), Pose::from_translation([k, 0.0, 0.0]).unwrap());
            let caption = if k == 2.0 { String::new() } else { format!("{k}") };
            film.add(&Shot { scene: &scene, meets: &[k == 3.0], still: &[false], caption });
        }
        let bytes = film.encode().unwrap();
        assert!(bytes.len() < 20_000, "{}", bytes.len());
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().map(|a| a.num_frames), Some(5));
        let mut sizes = Vec::new();
        let mut pixels = vec![0; 96 * 72 * 4];
        for _ in 0..5 {
            let info = reader.next_frame(&mut pixels).unwrap();
            sizes.push((info.width, info.height));
        }
        assert_eq!(sizes[0], (96, 72));
        assert_eq!(sizes[3], (1, 1), "nothing has changed");
        assert!(sizes[1].0 > 8 && sizes[1].0 <= 96);
    }

    #[test]
    fn colours_beyond_the_palette_become_their_nearest() {
        let mut image = Image::new(64, 64, [250, 250, 250]);
        for (i, rgb) in image.rgb.chunks_exact_mut(3).enumerate() {
            rgb.copy_from_slice(&[(i % 64) as u8 * 4, (i / 64) as u8 * 4, 128]);
        }
        let palette = Palette::of(std::slice::from_ref(&image));
        assert_eq!(palette.colors.len(), COLOURS);
        for (name, rgb) in palette.names(&image).iter().zip(image.rgb.chunks_exact(3)) {
            let found = palette.colors[usize::from(*name)];
            assert!((0..3).all(|k| found[k].abs_diff(rgb[k]) < 48), "{found:?} {rgb:?}");
            assert_ne!(*name, UNCHANGED);
        }
    }
}
