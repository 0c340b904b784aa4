//! Animated PNG files.
//!
//! All frames share one palette. Of each frame after the first, only the rectangle that differs
//! from the previous frame is stored. Pixels in it that are equal are stored as transparent, which
//! compresses well (PNG, third edition, sections 11.3.6 and 12.4).

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use impinge::Aabb;
use impinge::scene::Scene;

use super::camera::{Axis, Camera, Size, View, Viewport};
use super::image::Image;
use super::raster::Layer;
use super::shade::{PartStyle, Rgb, SECONDARY_INK, lighten, part_color};
use super::{Renderer, text};
use crate::pair_result::Kind;

/// Number of opaque colours of the palette; one more entry is transparent.
const PALETTE_COLORS: usize = 255;
/// Number of palette colours that are chosen because they are the most frequent ones.
const COMMON_COLORS: usize = 191;
/// The index of the transparent palette entry.
const TRANSPARENT: u8 = 255;

/// The content of one frame.
#[derive(Debug)]
pub(crate) struct AnimationFrame<'a> {
    /// The parts at their poses.
    pub(crate) scene: &'a Scene,
    /// For each part, whether it collides.
    pub(crate) collides: &'a [bool],
    /// For each part, whether it never moves.
    pub(crate) never_moves: &'a [bool],
    /// The text at the lower edge.
    pub(crate) caption: String,
}

/// Frames drawn with one camera.
#[derive(Debug)]
pub(crate) struct Animation {
    camera: Camera,
    size: Size,
    renderer: Renderer,
    /// The time for which each frame is shown.
    milliseconds: u16,
    images: Vec<Image>,
}

impl Animation {
    /// An animation without frames. The camera shows all `boxes`; each frame is shown for
    /// `milliseconds`.
    pub(crate) fn new(boxes: &[Aabb], view: View, up: Axis, size: Size, milliseconds: u16) -> Self {
        let (width, height) = (size.width as f64, size.height as f64);
        let viewport =
            Viewport { x: 4.0, y: 4.0, width: width - 8.0, height: (height - 22.0).max(8.0) };
        let camera = Camera::fit_boxes(boxes, view, up, viewport);
        Self { camera, size, renderer: Renderer::default(), milliseconds, images: Vec::new() }
    }

    /// Draws and adds a frame.
    pub(crate) fn add(&mut self, frame: &AnimationFrame<'_>) {
        let styles: Vec<PartStyle> = (0..frame.scene.parts().len())
            .map(|i| {
                let rgb = match (frame.collides[i], frame.never_moves[i]) {
                    (true, false) => Kind::Crossing.rgb(),
                    (true, true) => lighten(Kind::Crossing.rgb(), 0.55),
                    (false, true) => [214, 216, 220],
                    (false, false) => part_color(i),
                };
                PartStyle { rgb, layer: Layer::Opaque }
            })
            .collect();
        let scale = (self.size.height as f64 / 1200.0).max(0.6);
        let mut image =
            self.renderer.draw(frame.scene.parts(), &styles, &[], &self.camera, self.size, scale);
        let height = self.size.height as f64;
        text::draw(&mut image, 5.0, height - 14.0, 9.0, &frame.caption, SECONDARY_INK);
        self.images.push(image);
    }

    /// The animation as the bytes of a PNG file.
    pub(crate) fn encode(&self) -> Result<Vec<u8>> {
        let palette = Palette::of(&self.images);
        let (width, height) = (self.size.width, self.size.height);
        let mut bytes = Vec::new();
        let fail = "cannot encode the animation";
        let mut encoder =
            png::Encoder::new(&mut bytes, u32::try_from(width)?, u32::try_from(height)?);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        // The PNG filters predict a pixel from its neighbours by differences. Palette indices have
        // no order, so the filters would not help.
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_palette(palette.bytes());
        encoder.set_trns(palette.transparency());
        encoder.set_animated(u32::try_from(self.images.len())?, 0).context(fail)?;
        encoder.set_frame_delay(self.milliseconds, 1000).context(fail)?;
        encoder.set_dispose_op(png::DisposeOp::None).context(fail)?;
        let mut writer = encoder.write_header().context(fail)?;
        let mut previous: Option<Vec<u8>> = None;
        for image in &self.images {
            let current = palette.indices(image);
            match &previous {
                None => writer.write_image_data(&current).context(fail)?,
                Some(previous) => {
                    let (x, y, w, h, part) = changed_rectangle(previous, &current, width);
                    writer.reset_frame_position().context(fail)?;
                    writer.set_frame_dimension(w, h).context(fail)?;
                    writer.set_frame_position(x, y).context(fail)?;
                    writer.set_blend_op(png::BlendOp::Over).context(fail)?;
                    writer.write_image_data(&part).context(fail)?;
                }
            }
            previous = Some(current);
        }
        writer.finish().context(fail)?;
        Ok(bytes)
    }
}

/// The smallest rectangle with all pixels that differ (x, y, width, height), and its pixels;
/// pixels that do not differ are transparent.
fn changed_rectangle(
    previous: &[u8],
    current: &[u8],
    width: usize,
) -> (u32, u32, u32, u32, Vec<u8>) {
    let (mut low, mut high) = ([usize::MAX; 2], [0_usize; 2]);
    for (at, _) in previous.iter().zip(current).enumerate().filter(|(_, (a, b))| a != b) {
        for (k, place) in [at % width, at / width].into_iter().enumerate() {
            low[k] = low[k].min(place);
            high[k] = high[k].max(place);
        }
    }
    if low[0] == usize::MAX {
        return (0, 0, 1, 1, vec![TRANSPARENT]);
    }
    let mut part = Vec::new();
    for y in low[1]..=high[1] {
        for x in low[0]..=high[0] {
            let at = y * width + x;
            part.push(if previous[at] == current[at] { TRANSPARENT } else { current[at] });
        }
    }
    let [x, y] = low.map(|v| v as u32);
    (x, y, (high[0] - low[0] + 1) as u32, (high[1] - low[1] + 1) as u32, part)
}

/// The palette of an animation.
#[derive(Debug)]
struct Palette {
    colors: Vec<Rgb>,
    /// For each colour cell of the images, the index of the nearest palette colour.
    nearest: BTreeMap<u16, u8>,
}

/// The cell of a colour: five bits per channel.
fn cell(rgb: &[u8]) -> u16 {
    u16::from(rgb[0] >> 3) << 10 | u16::from(rgb[1] >> 3) << 5 | u16::from(rgb[2] >> 3)
}

impl Palette {
    /// A palette of the most frequent colour cells, and of some that are most different from these.
    fn of(images: &[Image]) -> Self {
        let mut sums: BTreeMap<u16, (u64, [u64; 3])> = BTreeMap::new();
        for rgb in images.iter().flat_map(|image| image.rgb.chunks_exact(3)) {
            let (count, sum) = sums.entry(cell(rgb)).or_default();
            *count += 1;
            sum.iter_mut().zip(rgb).for_each(|(s, c)| *s += u64::from(*c));
        }
        let mean = |(count, sum): &(u64, [u64; 3])| sum.map(|s| (s / (*count).max(1)) as u8);
        let mut by_count: Vec<(&u16, &(u64, [u64; 3]))> = sums.iter().collect();
        by_count.sort_by_key(|(cell, (count, _))| (std::cmp::Reverse(*count), **cell));
        let distance = |a: Rgb, b: Rgb| -> u32 {
            [0, 1, 2].map(|k| u32::from(a[k].abs_diff(b[k])).pow(2)).iter().sum()
        };
        let mut colors: Vec<Rgb> =
            by_count.iter().take(COMMON_COLORS).map(|(_, sum)| mean(sum)).collect();
        // The remaining entries are the colours with the largest distance to the palette, one after
        // the other, which keeps the largest colour error small.
        let mut rest: Vec<(Rgb, u32)> = by_count
            .iter()
            .skip(COMMON_COLORS)
            .map(|(_, sum)| {
                let rgb = mean(sum);
                (rgb, colors.iter().map(|c| distance(*c, rgb)).min().unwrap_or(0))
            })
            .collect();
        while colors.len() < PALETTE_COLORS {
            let Some(next) = (0..rest.len()).max_by_key(|i| rest[*i].1) else { break };
            let (color, _) = rest.swap_remove(next);
            colors.push(color);
            for (rgb, nearest) in &mut rest {
                *nearest = distance(color, *rgb).min(*nearest);
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
        bytes.resize(3 * (PALETTE_COLORS + 1), 0);
        bytes
    }

    fn transparency(&self) -> Vec<u8> {
        let mut alpha = vec![255; PALETTE_COLORS + 1];
        alpha[usize::from(TRANSPARENT)] = 0;
        alpha
    }

    /// The palette index of every pixel.
    fn indices(&self, image: &Image) -> Vec<u8> {
        let mut last = (u16::MAX, 0);
        image
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
    fn an_animation_reads_back_and_stores_changed_rectangles() {
        let cube = shapes::cuboid([1.0; 3]).unwrap();
        let bounds = Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(4.0));
        let size = Size { width: 96, height: 72 };
        let mut animation = Animation::new(&[bounds], View::Iso, Axis::Z, size, 40);
        for k in [0.0, 1.0, 2.0, 2.0, 3.0] {
            let mut scene = Scene::new();
            scene.add("cube", cube.clone(), Pose::from_translation([k, 0.0, 0.0]).unwrap());
            let caption = if k == 2.0 { String::new() } else { format!("{k}") };
            let collides = [k == 3.0];
            animation.add(&AnimationFrame {
                scene: &scene,
                collides: &collides,
                never_moves: &[false],
                caption,
            });
        }
        let bytes = animation.encode().unwrap();
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
        assert_eq!(sizes[3], (1, 1), "equal frames store one pixel");
        assert!(sizes[1].0 > 8 && sizes[1].0 <= 96);
    }

    #[test]
    fn colours_outside_the_palette_map_to_the_nearest() {
        let mut image = Image::new(64, 64, [250, 250, 250]);
        for (i, rgb) in image.rgb.chunks_exact_mut(3).enumerate() {
            rgb.copy_from_slice(&[(i % 64) as u8 * 4, (i / 64) as u8 * 4, 128]);
        }
        let palette = Palette::of(std::slice::from_ref(&image));
        assert_eq!(palette.colors.len(), PALETTE_COLORS);
        for (index, rgb) in palette.indices(&image).iter().zip(image.rgb.chunks_exact(3)) {
            let found = palette.colors[usize::from(*index)];
            assert!((0..3).all(|k| found[k].abs_diff(rgb[k]) < 48), "{found:?} {rgb:?}");
            assert_ne!(*index, TRANSPARENT);
        }
    }
}
