//! Pictures of scenes: a small software renderer, and the page around its image.
//!
//! The way of the data: parts get their looks from the verdicts ([`shade`]), the camera is fitted to the scene
//! ([`camera`]), faces and edges go to pixels ([`raster`], [`edges`]), the page gets its words ([`layout`], [`legend`]),
//! and all of it goes to a file ([`png`], [`svg`]).

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

pub(crate) use camera::{Axis, Size, View};
pub(crate) use curves::Curves;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use impinge::Vec3;
use impinge::scene::{Part, Scene};
use rayon::prelude::*;

use crate::args::PictureArgs;
use crate::survey::Summary;
use crate::verdict::{Kind, Verdict};
use camera::Camera;
use image::Image;
use layout::Layout;
use raster::{Face, Layer, Line, Stroke};
use shade::Look;

/// What to show.
#[derive(Debug)]
pub(crate) struct Picture<'a> {
    /// The parts.
    pub(crate) scene: &'a Scene,
    /// A name for every part.
    pub(crate) names: &'a [String],
    /// The line above it all.
    pub(crate) title: String,
    /// What was found, worst first.
    pub(crate) verdicts: &'a [Verdict],
    /// Where surfaces pass through each other.
    pub(crate) curves: &'a Curves,
    /// The counts for the legend; without them there is none, and parts are told apart by colour.
    pub(crate) summary: Option<&'a Summary>,
}

impl Picture<'_> {
    /// The verdicts that are marked in the scene.
    fn marked(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|v| v.kind() != Kind::Clear)
    }
}

/// Draws the picture into the files the arguments name.
pub(crate) fn write(picture: &Picture<'_>, args: &PictureArgs) -> Result<()> {
    let layout = Layout::new(picture, args.size);
    let camera = Camera::fit(picture.scene, args.view, args.up, layout.viewport);
    let bare = draw(picture, &camera, &layout);
    let markers = layout.markers(picture, &camera);
    if let Some(path) = &args.svg {
        let document = svg::document(&picture.title, &layout, &markers, &png::encode(&bare)?);
        save(path, document.as_bytes())?;
    }
    if let Some(path) = &args.png {
        let mut page = bare;
        legend::paint(&mut page, &layout, &markers);
        save(path, &png::encode(&page)?)?;
    }
    Ok(())
}

fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| {
        format!("cannot write {}; check that the folder exists and may be written", path.display())
    })
}

/// The scene without words and marks.
fn draw(picture: &Picture<'_>, camera: &Camera, layout: &Layout) -> Image {
    let parts = picture.scene.parts();
    let looks = shade::looks(parts.len(), picture.verdicts, picture.summary.is_none());
    // Instances share a mesh, so they share its edges.
    let mut edges_of = BTreeMap::new();
    for part in parts {
        edges_of
            .entry(Arc::as_ptr(&part.mesh) as usize)
            .or_insert_with(|| edges::edges(&part.mesh, camera));
    }
    let mut faces = Vec::new();
    let mut lines = Vec::new();
    for (part, look) in parts.iter().zip(&looks) {
        let points: Vec<Vec3> = part
            .mesh
            .vertices()
            .par_iter()
            .map(|v| camera.project(part.pose.transform_point(*v)))
            .collect();
        faces.par_extend(part.mesh.triangles().par_iter().map(|t| face(*t, &points, *look)));
        if let Some(edges) = edges_of.get(&(Arc::as_ptr(&part.mesh) as usize)) {
            lines.extend(part_lines(part, edges, &points, look.layer, camera, layout.scale));
        }
    }
    for [a, b] in picture.curves.segments() {
        let ends = [pixel(camera.project(*a)), pixel(camera.project(*b))];
        for (radius, rgb, alpha) in [(2.6, shade::INK, 230), (1.3, shade::WHITE, 255)] {
            let radius = radius * layout.scale as f32;
            lines.push(Line { ends, radius, alpha, stroke: Stroke::Overlay(rgb) });
        }
    }
    raster::draw(layout.size.width, layout.size.height, &faces, &lines)
}

fn face(triangle: [u32; 3], points: &[Vec3], look: Look) -> Face {
    let [a, b, c] = triangle.map(|v| points[v as usize]);
    // Pixels run down, the camera's axes up.
    let flip = |v: Vec3| Vec3::new(v.x, -v.y, v.z);
    let normal = flip(b - a).cross(flip(c - a)).normalize_or_zero();
    Face {
        corners: [pixel(a), pixel(b), pixel(c)],
        rgb: shade::lit(look.rgb, normal),
        layer: look.layer,
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
    edges.iter().filter(move |e| e.is_seen(view)).map(move |e| {
        let [a, b] = e.ends.map(|v| points[v as usize]);
        // A mesh of tiny, crumpled faces would be nothing but creases: short ones are drawn faintly.
        let length = (a.x - b.x).hypot(a.y - b.y) / scale;
        let alpha = (length / 7.0).clamp(0.25, 1.0) * 255.0;
        Line { ends: [pixel(a), pixel(b)], radius, alpha: alpha as u8, stroke: Stroke::Edge(layer) }
    })
}

fn pixel(p: Vec3) -> [f32; 3] {
    [p.x as f32, p.y as f32, p.z as f32]
}
