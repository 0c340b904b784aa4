//! A supersampled z-buffer for flat triangles and thick lines, with two transparent layers, drawn
//! in parallel bands.
//!
//! Every band of rows has its own buffers and draws the primitives in their given order, so the
//! image does not depend on the number of threads.

use rayon::prelude::*;

use super::image::Image;
use super::shade::{INK, Rgb, WHITE};

/// Samples per side of a pixel.
const SAMPLES_PER_SIDE: usize = 3;
/// Pixel rows per band.
const BAND_ROWS: usize = 16;
/// A surface replaces another only if it is nearer by more than this, in pixels. Of coincident
/// faces, the first one is then visible everywhere.
const DEPTH_TOLERANCE: f32 = 2e-3;
/// A line is drawn on a surface that is nearer by up to this, in pixels. Otherwise steep faces
/// would hide parts of their own edges.
const LINE_DEPTH_BIAS: f32 = 2.5;

/// The transparency of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Hides everything behind it.
    Opaque,
    /// Pale and transparent: parts without a relation in a scene with relations.
    Ghost,
    /// Coloured and transparent: parts that contain others.
    Glass,
}

/// A flat triangle in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    /// The corners: x to the right, y down, z away from the viewer.
    pub(crate) corners: [[f32; 3]; 3],
    pub(crate) rgb: Rgb,
    pub(crate) layer: Layer,
}

/// The visibility and colour of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// An edge of a surface of this layer, hidden by surfaces of the layer.
    Edge(Layer),
    /// A line on top of everything, fainter behind an opaque surface.
    Overlay(Rgb),
}

/// A line in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) ends: [[f32; 3]; 2],
    /// Half the thickness, in pixels.
    pub(crate) radius: f32,
    /// The opacity; 255 is opaque.
    pub(crate) alpha: u8,
    pub(crate) stroke: Stroke,
}

/// Draws on a white background. Primitives that are not finite or lie outside are omitted.
pub(crate) fn draw(width: usize, height: usize, faces: &[Face], lines: &[Line]) -> Image {
    let bands = height.div_ceil(BAND_ROWS);
    let bins_of = |low: f32, high: f32| {
        let first = (low / BAND_ROWS as f32).floor().max(0.0) as usize;
        let last = (high / BAND_ROWS as f32).floor().min(bands as f32 - 1.0);
        if last < 0.0 { 0..0 } else { first..last as usize + 1 }
    };
    let mut face_bins = vec![Vec::new(); bands];
    for (i, face) in faces.iter().enumerate() {
        let [a, b, c] = face.corners;
        if face.corners.iter().flatten().all(|x| x.is_finite()) {
            for band in bins_of(a[1].min(b[1]).min(c[1]), a[1].max(b[1]).max(c[1])) {
                face_bins[band].push(i as u32);
            }
        }
    }
    let mut line_bins = vec![Vec::new(); bands];
    for (i, line) in lines.iter().enumerate() {
        let [a, b] = line.ends;
        if line.ends.iter().flatten().all(|x| x.is_finite()) {
            for band in bins_of(a[1].min(b[1]) - line.radius, a[1].max(b[1]) + line.radius) {
                line_bins[band].push(i as u32);
            }
        }
    }
    let mut image = Image::new(width, height, WHITE);
    image.rgb.par_chunks_mut(width * BAND_ROWS * 3).enumerate().for_each(|(band, rows)| {
        let mut buffer = Band::new(width, rows.len() / (3 * width), band * BAND_ROWS);
        for i in &face_bins[band] {
            buffer.face(&faces[*i as usize]);
        }
        for i in &line_bins[band] {
            buffer.line(&lines[*i as usize]);
        }
        buffer.resolve(rows);
    });
    image
}

/// The samples of one layer in a band.
struct Surface {
    depth: Vec<f32>,
    rgb: Vec<Rgb>,
    /// The opacity of edges at the sample.
    edge_opacity: Vec<u8>,
    /// The depth of the nearest edge at the sample.
    edge_depth: Vec<f32>,
}

struct Band {
    width: usize,
    height: usize,
    /// The first row, in samples.
    top: usize,
    surfaces: [Surface; 3],
    overlay: Vec<(u8, Rgb)>,
}

impl Band {
    fn new(width: usize, rows: usize, top: usize) -> Self {
        let (width, height) = (width * SAMPLES_PER_SIDE, rows * SAMPLES_PER_SIDE);
        let n = width * height;
        let surface = || Surface {
            depth: vec![f32::INFINITY; n],
            rgb: vec![WHITE; n],
            edge_opacity: vec![0; n],
            edge_depth: vec![f32::INFINITY; n],
        };
        let surfaces = [surface(), surface(), surface()];
        Self { width, height, top: top * SAMPLES_PER_SIDE, surfaces, overlay: vec![(0, WHITE); n] }
    }

    /// Draws the samples whose centres lie in the closed triangle, row by row.
    fn face(&mut self, face: &Face) {
        let s = SAMPLES_PER_SIDE as f64;
        let p = face.corners.map(|c| [f64::from(c[0]) * s, f64::from(c[1]) * s, f64::from(c[2])]);
        let cross =
            (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        if cross == 0.0 || !cross.is_finite() {
            return;
        }
        let z_of = |i: usize| p[i][2] - p[0][2];
        let dzdx = (z_of(1) * (p[2][1] - p[0][1]) - z_of(2) * (p[1][1] - p[0][1])) / cross;
        let dzdy = (z_of(2) * (p[1][0] - p[0][0]) - z_of(1) * (p[2][0] - p[0][0])) / cross;
        let extreme = |axis: usize| {
            let v = [p[0][axis], p[1][axis], p[2][axis]];
            (v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2]))
        };
        let ((left, right), (top, bottom), (near, far)) = (extreme(0), extreme(1), extreme(2));
        let edges = [
            half_plane(p[0], p[1], p[2]),
            half_plane(p[1], p[2], p[0]),
            half_plane(p[2], p[0], p[1]),
        ];
        let origin = self.top as f64 + 0.5;
        let first = (top - origin).ceil().max(0.0) as usize;
        let last = (bottom - origin).floor().min(self.height as f64 - 1.0);
        let surface = &mut self.surfaces[face.layer as usize];
        let mut row = first;
        while (row as f64) <= last {
            let y = row as f64 + origin;
            let (mut lo, mut hi) = (left, right);
            let mut outside = false;
            for [a, b, c] in edges {
                // The bound on x from a x + b y + c >= 0.
                let rest = b * y + c;
                if a > 0.0 {
                    lo = lo.max(-rest / a);
                } else if a < 0.0 {
                    hi = hi.min(-rest / a);
                } else {
                    outside |= rest < 0.0;
                }
            }
            if !outside && lo <= hi {
                let from = (lo - 0.5).ceil().max(0.0) as usize;
                let to = (hi - 0.5).floor().min(self.width as f64 - 1.0);
                let start = row * self.width;
                let z0 = p[0][2] + dzdy * (y - p[0][1]) - dzdx * (p[0][0] - 0.5);
                let mut x = from;
                while (x as f64) <= to {
                    let z = (z0 + dzdx * x as f64).clamp(near, far) as f32;
                    if z < surface.depth[start + x] - DEPTH_TOLERANCE
                        || surface.depth[start + x] == f32::INFINITY
                    {
                        surface.depth[start + x] = z;
                        surface.rgb[start + x] = face.rgb;
                    }
                    x += 1;
                }
            }
            row += 1;
        }
    }

    /// Draws the samples within the line's radius.
    fn line(&mut self, line: &Line) {
        let s = SAMPLES_PER_SIDE as f32;
        let [a, b] = line.ends.map(|e| [e[0] * s, e[1] * s, e[2]]);
        let radius = line.radius * s;
        let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let length2 = d[0] * d[0] + d[1] * d[1];
        let origin = self.top as f32 + 0.5;
        let first = (a[1].min(b[1]) - radius - origin).ceil().max(0.0) as usize;
        let last = (a[1].max(b[1]) + radius - origin).floor().min(self.height as f32 - 1.0);
        let mut row = first;
        while (row as f32) <= last {
            let y = row as f32 + origin;
            // Only the part of the segment within `radius` of this row bounds the columns.
            let at = |y: f32| if d[1] == 0.0 { 0.0 } else { ((y - a[1]) / d[1]).clamp(0.0, 1.0) };
            let (t0, t1) = if d[1] == 0.0 { (0.0, 1.0) } else { (at(y - radius), at(y + radius)) };
            let (x0, x1) = (a[0] + d[0] * t0, a[0] + d[0] * t1);
            let from = (x0.min(x1) - radius - 0.5).ceil().max(0.0) as usize;
            let to = (x0.max(x1) + radius - 0.5).floor().min(self.width as f32 - 1.0);
            let mut x = from;
            while (x as f32) <= to {
                let v = [x as f32 + 0.5 - a[0], y - a[1]];
                let t = if length2 > 0.0 {
                    ((v[0] * d[0] + v[1] * d[1]) / length2).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let off = [v[0] - t * d[0], v[1] - t * d[1]];
                if off[0] * off[0] + off[1] * off[1] <= radius * radius {
                    self.line_sample(row * self.width + x, a[2] + t * d[2], line);
                }
                x += 1;
            }
            row += 1;
        }
    }

    /// Draws sample `at` of a line at depth `z`.
    fn line_sample(&mut self, at: usize, z: f32, line: &Line) {
        match line.stroke {
            Stroke::Edge(layer) => {
                let surface = &mut self.surfaces[layer as usize];
                if z <= surface.depth[at] + LINE_DEPTH_BIAS {
                    surface.edge_opacity[at] = surface.edge_opacity[at].max(line.alpha);
                    surface.edge_depth[at] = surface.edge_depth[at].min(z);
                }
            }
            Stroke::Overlay(rgb) => {
                let hidden = self.surfaces[Layer::Opaque as usize].depth[at] + LINE_DEPTH_BIAS < z;
                let alpha = if hidden { line.alpha / 3 } else { line.alpha };
                if alpha >= self.overlay[at].0 {
                    self.overlay[at] = (alpha, rgb);
                }
            }
        }
    }

    /// Averages the samples of every pixel into `rows`.
    fn resolve(&self, rows: &mut [u8]) {
        let pixels = self.width / SAMPLES_PER_SIDE;
        for (i, pixel) in rows.chunks_exact_mut(3).enumerate() {
            let (row, column) = (i / pixels * SAMPLES_PER_SIDE, i % pixels * SAMPLES_PER_SIDE);
            let mut sum = [0.0_f32; 3];
            for y in row..row + SAMPLES_PER_SIDE {
                for x in column..column + SAMPLES_PER_SIDE {
                    let c = self.sample(y * self.width + x);
                    sum = [sum[0] + c[0], sum[1] + c[1], sum[2] + c[2]];
                }
            }
            for (out, total) in pixel.iter_mut().zip(sum) {
                *out = (total / (SAMPLES_PER_SIDE * SAMPLES_PER_SIDE) as f32).round() as u8;
            }
        }
    }

    /// The colour of one sample: the opaque surface, the two transparent layers in front of it in
    /// the order of their depth, the overlay.
    fn sample(&self, at: usize) -> [f32; 3] {
        let [opaque, ghost, glass] = &self.surfaces;
        let mut color = WHITE.map(f32::from);
        let solid = opaque.depth[at] < f32::INFINITY;
        let opaque_depth = opaque.depth[at].min(opaque.edge_depth[at]);
        if solid {
            color = opaque.rgb[at].map(f32::from);
        }
        blend(&mut color, INK, f32::from(opaque.edge_opacity[at]) / 255.0 * 0.85);
        let near = |s: &Surface| s.depth[at].min(s.edge_depth[at]);
        // The farther layer first. Each with its opacity over an opaque part and over the empty
        // background, and the opacity of its edges.
        let layers = if near(ghost) > near(glass) {
            [(ghost, 0.20, 0.50, 0.28), (glass, 0.34, 0.42, 0.75)]
        } else {
            [(glass, 0.34, 0.42, 0.75), (ghost, 0.20, 0.50, 0.28)]
        };
        for (layer, over_part, over_background, edge) in layers {
            if layer.depth[at] < opaque_depth {
                blend(&mut color, layer.rgb[at], if solid { over_part } else { over_background });
            }
            if layer.edge_opacity[at] > 0 && layer.edge_depth[at] < opaque_depth {
                blend(&mut color, INK, f32::from(layer.edge_opacity[at]) / 255.0 * edge);
            }
        }
        let (alpha, rgb) = self.overlay[at];
        blend(&mut color, rgb, f32::from(alpha) / 255.0);
        color
    }
}

fn blend(color: &mut [f32; 3], with: Rgb, alpha: f32) {
    for (c, w) in color.iter_mut().zip(with) {
        *c += (f32::from(w) - *c) * alpha;
    }
}

/// `[a, b, c]` such that `a x + b y + c >= 0` on that side of the line through `p` and `q` on which
/// `inside` lies.
///
/// The two points are sorted first, so that the triangles on both sides of the line use the same
/// coefficients up to sign.
fn half_plane(p: [f64; 3], q: [f64; 3], inside: [f64; 3]) -> [f64; 3] {
    let (p, q) = if (p[0], p[1]) <= (q[0], q[1]) { (p, q) } else { (q, p) };
    let (a, b) = (p[1] - q[1], q[0] - p[0]);
    let c = -(a * p[0] + b * p[1]);
    let side = if a * (inside[0] - p[0]) + b * (inside[1] - p[1]) < 0.0 { -1.0 } else { 1.0 };
    [side * a, side * b, side * c]
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgb = [200, 0, 0];
    const BLUE: Rgb = [0, 0, 200];

    fn face(corners: [[f32; 3]; 3], rgb: Rgb, layer: Layer) -> Face {
        Face { corners, rgb, layer }
    }

    fn square(z: f32, rgb: Rgb, layer: Layer) -> [Face; 2] {
        let [a, b, c, d] = [[8.0, 8.0, z], [40.0, 8.0, z], [40.0, 40.0, z], [8.0, 40.0, z]];
        [face([a, b, c], rgb, layer), face([a, c, d], rgb, layer)]
    }

    #[test]
    fn a_triangle_covers_exactly_its_pixels() {
        let t = face([[4.0, 4.0, 0.0], [44.0, 4.0, 0.0], [4.0, 44.0, 0.0]], RED, Layer::Opaque);
        let image = draw(48, 48, &[t], &[]);
        for y in 0..48 {
            for x in 0..48 {
                let inside = x >= 4 && y >= 4 && x + y < 47;
                let outside = x < 4 || y < 4 || x + y > 48;
                if inside {
                    assert_eq!(image.pixel(x, y), RED, "{x} {y}");
                } else if outside {
                    assert_eq!(image.pixel(x, y), WHITE, "{x} {y}");
                }
            }
        }
        let edge = image.pixel(24, 23);
        assert!(edge != RED && edge != WHITE, "the slanted side must be antialiased: {edge:?}");
    }

    #[test]
    fn two_triangles_of_a_square_leave_no_crack_at_any_angle() {
        for turn in 0..60_i32 {
            let angle = f64::from(turn) * 0.11;
            let corner = |k: i32| {
                let (s, c) = (angle + f64::from(k) * std::f64::consts::FRAC_PI_2).sin_cos();
                [(24.0 + 20.0 * c) as f32, (24.0 + 20.0 * s) as f32, 0.0]
            };
            let [a, b, c, d] = [0, 1, 2, 3].map(corner);
            let faces = [face([a, b, c], RED, Layer::Opaque), face([c, d, a], RED, Layer::Opaque)];
            let image = draw(48, 48, &faces, &[]);
            for y in 0..48_i32 {
                for x in 0..48_i32 {
                    let (dx, dy) = (f64::from(x) - 23.5, f64::from(y) - 23.5);
                    if dx.hypot(dy) < 12.5 {
                        assert_eq!(image.pixel(x as usize, y as usize), RED, "turn {turn}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_nearer_face_is_visible_in_any_order() {
        let (near, far) = (square(1.0, RED, Layer::Opaque), square(5.0, BLUE, Layer::Opaque));
        for faces in [[near, far].concat(), [far, near].concat()] {
            assert_eq!(draw(48, 48, &faces, &[]).pixel(20, 20), RED);
        }
    }

    #[test]
    fn transparent_faces_tint_farther_faces_and_are_hidden_by_nearer_ones() {
        let opaque = square(5.0, RED, Layer::Opaque);
        let front =
            draw(48, 48, &[opaque, square(1.0, BLUE, Layer::Ghost)].concat(), &[]).pixel(20, 20);
        assert!(front[0] > 120 && front[2] > 20, "{front:?}");
        let behind =
            draw(48, 48, &[opaque, square(9.0, BLUE, Layer::Ghost)].concat(), &[]).pixel(20, 20);
        assert_eq!(behind, RED);
    }

    #[test]
    fn edges_are_hidden_by_surfaces_and_overlays_are_not() {
        let opaque = square(5.0, RED, Layer::Opaque);
        let line = |z, stroke| Line {
            ends: [[10.0, 20.5, z], [38.0, 20.5, z]],
            radius: 1.0,
            alpha: 255,
            stroke,
        };
        let on = draw(48, 48, &opaque, &[line(5.0, Stroke::Edge(Layer::Opaque))]).pixel(20, 20);
        assert!(on[0] < 80, "{on:?}");
        let hidden =
            draw(48, 48, &opaque, &[line(50.0, Stroke::Edge(Layer::Opaque))]).pixel(20, 20);
        assert_eq!(hidden, RED);
        let through = draw(48, 48, &opaque, &[line(50.0, Stroke::Overlay(BLUE))]).pixel(20, 20);
        assert!(through != RED && through[0] > 100, "{through:?}");
    }

    #[test]
    fn extreme_and_non_finite_coordinates_do_not_panic() {
        let extreme = [f32::NAN, f32::INFINITY, -1e30, 1e30, 0.0, 1e-40];
        let mut faces = Vec::new();
        let mut lines = Vec::new();
        for a in extreme {
            for b in extreme {
                faces.push(face([[a, b, a], [b, a, 0.0], [10.0, 10.0, b]], RED, Layer::Opaque));
                let stroke = Stroke::Edge(Layer::Opaque);
                lines.push(Line {
                    ends: [[a, b, 0.0], [b, 3.0, a]],
                    radius: 1.0,
                    alpha: 9,
                    stroke,
                });
            }
        }
        let image = draw(17, 33, &faces, &lines);
        assert_eq!(image.rgb.len(), 17 * 33 * 3);
        assert_eq!(draw(16, 16, &[], &[]).pixel(3, 3), WHITE);
    }
}
