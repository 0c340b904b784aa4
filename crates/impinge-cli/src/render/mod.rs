//! Pictures of scenes: a small software renderer, and the page around its image.
//!
//! The steps: the results give each part a style ([`shade`]); the camera is fitted to the scene
//! ([`camera`]); faces and edges are rasterised ([`raster`], [`edges`]); title, legend and markers
//! are added ([`layout`], [`legend`]); the page is written to a file ([`png`], [`svg`]). An
//! [`animation`] is a sequence of images of a moving scene.

mod animation;
mod camera;
mod curves;
mod edges;
mod image;
mod layout;
mod legend;
mod png;
mod raster;
mod shade;
mod svg;
mod text;

pub(crate) use animation::{Animation, AnimationFrame};
pub(crate) use camera::{Axis, Size, View};
pub(crate) use curves::Curves;
pub(crate) use shade::linear_color;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use impinge::scene::{Part, Scene};
use impinge::{Mesh, Vec3};
use rayon::prelude::*;

use crate::args::PictureArgs;
use crate::pair_result::{Kind, PairResult};
use crate::pairs::Summary;
use camera::Camera;
use image::Image;
use layout::Layout;
use raster::{Face, Layer, Line, Stroke};
use shade::PartStyle;

/// The content of a picture.
#[derive(Debug)]
pub(crate) struct Picture<'a> {
    /// The parts.
    pub(crate) scene: &'a Scene,
    /// A name for every part.
    pub(crate) names: &'a [String],
    /// The title line.
    pub(crate) title: String,
    /// The results, worst first.
    pub(crate) results: &'a [PairResult],
    /// The curves in which surfaces pass through each other.
    pub(crate) curves: &'a Curves,
    /// The counts for the legend. Without them there is no legend, and every part has a different
    /// colour.
    pub(crate) summary: Option<&'a Summary>,
}

impl Picture<'_> {
    /// The results that have a marker in the scene.
    fn marked(&self) -> impl Iterator<Item = &PairResult> {
        self.results.iter().filter(|v| v.kind() != Kind::Clear)
    }
}

/// Draws the picture and writes the files of `args`.
pub(crate) fn write(picture: &Picture<'_>, args: &PictureArgs) -> Result<()> {
    let layout = Layout::new(picture, args.size);
    let camera = Camera::fit(picture.scene, args.view, args.up, layout.viewport);
    let scene_image = draw(picture, &camera, &layout);
    let markers = layout.markers(picture, &camera);
    if let Some(path) = &args.svg {
        let png = png::encode(&scene_image)?;
        let document = svg::document(&picture.title, &layout, &markers, &png);
        save(path, document.as_bytes())?;
    }
    if let Some(path) = &args.png {
        let mut page = scene_image;
        legend::paint(&mut page, &layout, &markers);
        save(path, &png::encode(&page)?)?;
    }
    Ok(())
}

/// Writes a file.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| {
        format!("cannot write {}; check that the folder exists and is writable", path.display())
    })
}

/// The image of the scene without text and markers.
fn draw(picture: &Picture<'_>, camera: &Camera, layout: &Layout) -> Image {
    let parts = picture.scene.parts();
    let styles = shade::part_styles(parts.len(), picture.results, picture.summary.is_none());
    // A distance is drawn as a line between its closest points.
    let distances = picture.marked().filter_map(|v| v.distance).map(|d| [d.point_a, d.point_b]);
    let overlays: Vec<[Vec3; 2]> =
        picture.curves.segments().iter().copied().chain(distances).collect();
    Renderer::default().draw(parts, &styles, &overlays, camera, layout.size, layout.scale)
}

/// Draws images and caches data for further images from the same camera.
#[derive(Debug, Default)]
struct Renderer {
    /// The edges of every mesh by its address. Instances of a mesh share its edges.
    edges: BTreeMap<usize, (Arc<Mesh>, Vec<edges::Edge>)>,
}

impl Renderer {
    /// Draws parts in their styles, and lines over them.
    fn draw(
        &mut self,
        parts: &[Part],
        styles: &[PartStyle],
        overlays: &[[Vec3; 2]],
        camera: &Camera,
        size: Size,
        scale: f64,
    ) -> Image {
        let mut faces = Vec::new();
        let mut lines = Vec::new();
        for (part, style) in parts.iter().zip(styles) {
            // The map keeps the mesh alive, so that no other mesh can get its address.
            let (_, edges) = self
                .edges
                .entry(Arc::as_ptr(&part.mesh) as usize)
                .or_insert_with(|| (part.mesh.clone(), edges::edges(&part.mesh, camera)));
            let points: Vec<Vec3> = part
                .mesh
                .vertices()
                .par_iter()
                .map(|v| camera.project(part.pose.transform_point(*v)))
                .collect();
            faces.par_extend(part.mesh.triangles().par_iter().map(|t| face(*t, &points, *style)));
            lines.extend(part_lines(part, edges, &points, style.layer, camera, scale));
        }
        for [a, b] in overlays {
            let ends = [pixel(camera.project(*a)), pixel(camera.project(*b))];
            for (radius, rgb, alpha) in [(2.6, shade::INK, 230), (1.3, shade::WHITE, 255)] {
                let radius = radius * scale as f32;
                lines.push(Line { ends, radius, alpha, stroke: Stroke::Overlay(rgb) });
            }
        }
        raster::draw(size.width, size.height, &faces, &lines)
    }
}

fn face(triangle: [u32; 3], points: &[Vec3], style: PartStyle) -> Face {
    let [a, b, c] = triangle.map(|v| points[v as usize]);
    // The y axis of pixels points down, that of the camera up.
    let flip = |v: Vec3| Vec3::new(v.x, -v.y, v.z);
    let normal = flip(b - a).cross(flip(c - a)).normalize_or_zero();
    Face {
        corners: [pixel(a), pixel(b), pixel(c)],
        rgb: shade::lit(style.rgb, normal),
        layer: style.layer,
    }
}

fn part_lines<'a>(
    part: &Part,
    edges: &'a [edges::Edge],
    points: &'a [Vec3],
    layer: Layer,
    camera: &Camera,
    scale: f64,
) -> impl Iterator<Item = Line> + 'a {
    let view = part.pose.inverse().transform_vector(camera.forward());
    let radius = if layer == Layer::Opaque { 0.85 } else { 0.7 } * scale as f32;
    edges.iter().filter(move |e| e.is_visible(view)).map(move |e| {
        let [a, b] = e.ends.map(|v| points[v as usize]);
        // Short edges are drawn faintly: a mesh of many small faces with creases between them would
        // appear black otherwise.
        let length = (a.x - b.x).hypot(a.y - b.y) / scale.max(1.0);
        let alpha = (length / 7.0).clamp(0.25, 1.0) * 255.0;
        Line { ends: [pixel(a), pixel(b)], radius, alpha: alpha as u8, stroke: Stroke::Edge(layer) }
    })
}

fn pixel(p: Vec3) -> [f32; 3] {
    [p.x as f32, p.y as f32, p.z as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::Pose;
    use impinge::check::Relation;

    type Faces<'a> = (&'a [[f64; 3]], &'a [[u32; 3]]);

    fn scene(meshes: &[Faces<'_>]) -> Scene {
        let mut scene = Scene::new();
        for (i, (points, triangles)) in meshes.iter().enumerate() {
            let points = points.iter().map(|p| Vec3::from(*p)).collect();
            let mesh = Mesh::from_triangles(points, triangles.to_vec()).unwrap();
            scene.add(format!("part {i}"), mesh, Pose::IDENTITY);
        }
        scene
    }

    /// The whole page, as [`write`] would save it.
    fn page(scene: &Scene, results: &[PairResult], size: Size, view: View) -> Image {
        let names: Vec<String> = scene.parts().iter().map(|p| p.name.clone()).collect();
        let picture = Picture {
            scene,
            names: &names,
            title: "a title".to_owned(),
            results,
            curves: &Curves::default(),
            summary: Some(&Summary::default()),
        };
        let layout = Layout::new(&picture, size);
        let camera = Camera::fit(scene, view, Axis::Z, layout.viewport);
        let markers = layout.markers(&picture, &camera);
        let mut page = draw(&picture, &camera, &layout);
        assert!(svg::document("<t>", &layout, &markers, b"").contains("&lt;t&gt;"));
        legend::paint(&mut page, &layout, &markers);
        page
    }

    fn crossing(point: Vec3) -> PairResult {
        PairResult {
            a: 0,
            b: 1,
            relation: Relation::Crossing,
            triangle_pairs: Some(3),
            point: Some(point),
            distance: None,
        }
    }

    fn count(image: &Image, fits: impl Fn([u8; 3]) -> bool) -> usize {
        image.rgb.chunks_exact(3).filter(|c| fits([c[0], c[1], c[2]])).count()
    }

    #[test]
    fn colliding_parts_are_red_and_others_pale() {
        let triangle = |x: f64| [[x, 0.0, 0.0], [x + 3.0, 0.0, 0.0], [x, 0.0, 3.0]];
        let (a, b, c) = (triangle(0.0), triangle(1.0), triangle(9.0));
        let face: &[[u32; 3]] = &[[0, 1, 2]];
        let scene = scene(&[(&a, face), (&b, face), (&c, face)]);
        let size = Size { width: 800, height: 600 };
        let page = page(&scene, &[crossing(Vec3::new(1.5, 0.0, 0.5))], size, View::Front);
        let red = count(&page, |[r, g, b]| r > 150 && g < 110 && b < 110);
        let gray =
            count(&page, |[r, g, b]| r > 200 && r < 252 && r.abs_diff(g) < 8 && g.abs_diff(b) < 8);
        assert!(red > 2_000 && gray > 2_000, "red {red}, gray {gray}");
    }

    #[test]
    fn degenerate_and_extreme_scenes_can_be_drawn() {
        let face: &[[u32; 3]] = &[[0, 1, 2]];
        let point = [[1.0, 2.0, 3.0]; 3];
        let flat = [[0.0; 3], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]];
        let scaled = |s: f64| [[0.0; 3], [s, 0.0, 0.0], [0.0, s, s]];
        let (huge, tiny, subnormal) = (scaled(1e60), scaled(1e-300), scaled(5e-324));
        let scenes = [
            scene(&[]),
            scene(&[(&[], &[]), (&[], &[])]),
            scene(&[(&point, face), (&point, face)]),
            scene(&[(&flat, face), (&flat, face)]),
            scene(&[(&huge, face), (&tiny, face)]),
            scene(&[(&tiny, face), (&tiny, face)]),
            scene(&[(&subnormal, face), (&subnormal, face)]),
        ];
        for scene in &scenes {
            for size in [(16, 16), (17, 300), (640, 480), (2000, 40)] {
                let size = Size { width: size.0, height: size.1 };
                for view in [View::Iso, View::Top, View::Along(Vec3::ONE.normalize())] {
                    let places = [Vec3::ZERO, Vec3::splat(1e60), Vec3::splat(-1e-300)];
                    let results: Vec<PairResult> = places
                        .into_iter()
                        .filter(|_| scene.parts().len() > 1)
                        .map(crossing)
                        .collect();
                    let image = page(scene, &results, size, view);
                    assert_eq!(image.rgb.len(), size.width * size.height * 3);
                }
            }
        }
    }

    #[test]
    fn the_picture_is_the_same_with_any_number_of_threads() {
        let corners: Vec<[f64; 3]> = (0..60)
            .map(|i| {
                let a = f64::from(i);
                [(a * 1.7).sin(), (a * 2.3).cos(), (a * 0.9).sin()]
            })
            .collect();
        let faces: Vec<[u32; 3]> = (0..20).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let scene = scene(&[(&corners, &faces), (&corners[3..], &faces[..19])]);
        let size = Size { width: 200, height: 150 };
        let pictures: Vec<Vec<u8>> = [1, 2, 5]
            .into_iter()
            .map(|n| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
                pool.install(|| page(&scene, &[crossing(Vec3::ZERO)], size, View::Iso).rgb)
            })
            .collect();
        assert!(pictures.iter().all(|p| *p == pictures[0]));
    }
}
