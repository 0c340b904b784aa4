//! The files that `impinge spheres` writes: its own, and those that robot planners read.
//!
//! - `impinge`: JSON with every level of every part, parents, triangles and the certified reach.
//! - `curobo`: YAML, a map from links to lists of `center` and `radius`, as in cuRobo's files below
//!   `content/configs/robot/spheres`, whose `collision_spheres` it reads.
//! - `lula`: YAML, the same as a list of maps of one link: the robot descriptions of Lula and Isaac
//!   Sim.
//! - `foam`: JSON, a list with the spherization of each level, the coarsest first, as foam's
//!   `SphereDecoder` reads it; for several parts the map that its `SpherizationDatabase` stores, by
//!   part, branching factor and depth. Spheres for VAMP are made from such files.
//!
//! Planners read one level, the deepest; foam reads all. Centres are in the frame of each part.

use std::fmt::Write as _;

use anyhow::Result;
use impinge::spheres::{Node, Reach, SphereTree};
use impinge::{Pose, Vec3};
use serde_json::{Map, Value, json};

/// A format of balls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SphereFormat {
    /// Every level, with parents, triangles and certified bounds (JSON).
    Impinge,
    /// The deepest level, as cuRobo reads collision spheres (YAML).
    Curobo,
    /// The deepest level, as Lula and Isaac Sim read robot descriptions (YAML).
    Lula,
    /// Every level, as foam writes and reads spherizations (JSON).
    Foam,
}

impl SphereFormat {
    /// The format of a file with this extension, unless another one was asked for.
    pub(crate) fn of(extension: &str) -> Self {
        if extension.eq_ignore_ascii_case("json") { Self::Impinge } else { Self::Curobo }
    }

    /// Whether a file of this format has the extension.
    pub(crate) fn fits(self, extension: &str) -> bool {
        let is_json = extension.eq_ignore_ascii_case("json");
        is_json == matches!(self, Self::Impinge | Self::Foam)
    }
}

/// A covered part.
pub(crate) struct Covered {
    pub(crate) name: String,
    pub(crate) tree: SphereTree,
    /// Of every level.
    pub(crate) reach: Vec<Reach>,
    pub(crate) is_solid: bool,
    pub(crate) triangles: usize,
    pub(crate) pose: Pose,
}

/// The text of a file with all parts.
pub(crate) fn document(covered: &[Covered], format: SphereFormat) -> Result<String> {
    match format {
        SphereFormat::Impinge => {
            let parts: Vec<Value> = covered.iter().map(own_part).collect();
            let document = json!({ "format": "impinge spheres", "version": 1, "parts": parts });
            Ok(serde_json::to_string(&document)? + "\n")
        }
        SphereFormat::Foam => Ok(serde_json::to_string(&foam(covered))? + "\n"),
        SphereFormat::Curobo => links(covered, ["  ", "    "]),
        SphereFormat::Lula => links(covered, ["  - ", "    "]),
    }
}

fn own_part(part: &Covered) -> Value {
    let levels: Vec<Value> = (0..part.tree.levels())
        .map(|level| {
            let is_deepest = level + 1 == part.tree.levels();
            let balls: Vec<Value> = (part.tree.level(level).iter().enumerate())
                .map(|(i, node)| {
                    let mut ball = json!({
                        "center": node.ball.center.to_array(),
                        "radius": node.ball.radius,
                    });
                    if level > 0 {
                        ball["parent"] = json!(node.parent);
                    }
                    if is_deepest {
                        ball["triangles"] = json!(part.tree.triangles(i));
                    }
                    ball
                })
                .collect();
            let reach = &part.reach[level];
            json!({ "reach": { "lower": reach.lower, "upper": reach.upper }, "balls": balls })
        })
        .collect();
    json!({
        "name": part.name,
        "closed": part.is_solid,
        "triangles": part.triangles,
        "pose": part.pose.to_matrix(),
        "levels": levels,
    })
}

/// A list of levels, or for several parts a map of them.
fn foam(covered: &[Covered]) -> Value {
    let level = |part: &Covered, level: usize| {
        let ball = |node: &Node| json!({ "origin": node.ball.center.to_array(), "radius": node.ball.radius });
        let spheres: Vec<Value> = part.tree.level(level).iter().map(ball).collect();
        // foam orders spherizations by these errors; the reach of a level is certain.
        let Reach { lower, upper, .. } = part.reach[level];
        json!({ "mean": upper, "best": lower, "worst": upper, "spheres": spheres })
    };
    let levels = |part: &Covered| -> Vec<Value> {
        (0..part.tree.levels()).map(|l| level(part, l)).collect()
    };
    if let [part] = covered {
        return Value::Array(levels(part));
    }
    let mut database = Map::new();
    for part in covered {
        let depths = levels(part).into_iter().enumerate();
        let depths: Map<String, Value> =
            depths.map(|(i, l): (usize, Value)| (i.to_string(), l)).collect();
        let branch = part.tree.level(1.min(part.tree.levels() - 1)).len().to_string();
        database.insert(part.name.clone(), json!({ branch: depths }));
    }
    Value::Object(database)
}

/// The deepest level of all parts; `indents` stand before a link and before the lines below it.
fn links(covered: &[Covered], indents: [&str; 2]) -> Result<String> {
    let [link, below] = indents;
    let mut text = String::from("# Balls that certainly cover the surface of each link.\n");
    text += "collision_spheres:\n";
    for part in covered {
        let deepest = part.tree.levels() - 1;
        // A JSON string is a YAML string: quotes, colons and line breaks are escaped.
        let name = serde_json::to_string(&part.name)?;
        writeln!(text, "{link}{name}:")?;
        let reach = number(part.reach[deepest].upper);
        writeln!(text, "{below}# They extend out of it by at most {reach}.")?;
        for node in part.tree.level(deepest) {
            let Vec3 { x, y, z } = node.ball.center;
            let [x, y, z] = [x, y, z].map(number);
            writeln!(text, "{below}- center: [{x}, {y}, {z}]")?;
            writeln!(text, "{below}  radius: {}", number(node.ball.radius))?;
        }
    }
    Ok(text)
}

/// A number as YAML 1.1 reads it: `1e-7` and `1.5e16` are strings there, since a number needs a
/// point, and its exponent a sign.
fn number(x: f64) -> String {
    let text = format!("{x:?}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{digits}{point}e{sign}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::shapes;
    use impinge::spheres::{BuildOptions, ReachOptions};

    fn covered(name: &str) -> Covered {
        let mesh = shapes::cuboid([2.0, 1.0, 1e-7]).unwrap();
        let options = BuildOptions::default().balls([2, 5]).rounds(2);
        let tree = SphereTree::build(&mesh, &options).unwrap();
        let reach = |level| tree.reach(&mesh, level, &ReachOptions::default()).unwrap();
        Covered {
            name: name.to_owned(),
            reach: (0..tree.levels()).map(reach).collect(),
            is_solid: true,
            triangles: 12,
            pose: Pose::IDENTITY,
            tree,
        }
    }

    /// The rule by which `PyYAML` recognises a number.
    fn is_yaml_number(text: &str) -> bool {
        let text = text.strip_prefix('-').unwrap_or(text);
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "+0"));
        let all = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
        let Some((whole, fraction)) = digits.split_once('.') else { return false };
        let signed = exponent.strip_prefix(['+', '-']);
        !whole.is_empty()
            && all(whole)
            && all(fraction)
            && signed.is_some_and(|e| !e.is_empty() && all(e))
    }

    #[test]
    fn numbers_are_numbers_in_yaml() {
        for x in [0.0, -0.0, 1.0, 1e-7, -1.5e-9, 1e16, 1.25e300, 5e-324, 0.1, f64::MAX] {
            let text = number(x);
            assert!(is_yaml_number(&text), "{text}");
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), x.to_bits(), "{text}");
        }
        assert!(!is_yaml_number("1e-7") && !is_yaml_number("1.5e16"));
    }

    /// Lines as in cuRobo's and Lula's files: links, and below them centres and radii.
    #[test]
    fn planners_read_links_with_centers_and_radii() {
        let parts = [covered("base"), covered("arm: \"left\"")];
        for (format, first) in [(SphereFormat::Curobo, "  "), (SphereFormat::Lula, "  - ")] {
            let text = document(&parts, format).unwrap();
            let mut lines = text.lines().filter(|l| !l.trim_start().starts_with('#'));
            assert_eq!(lines.next(), Some("collision_spheres:"));
            for (part, name) in parts.iter().zip(["\"base\"", "\"arm: \\\"left\\\"\""]) {
                assert_eq!(lines.next(), Some(format!("{first}{name}:").as_str()));
                for node in part.tree.level(part.tree.levels() - 1) {
                    let center = lines.next().unwrap().strip_prefix("    - center: [").unwrap();
                    let numbers: Vec<&str> =
                        center.strip_suffix(']').unwrap().split(", ").collect();
                    let read = |text: &str| {
                        assert!(is_yaml_number(text), "{text}");
                        text.parse::<f64>().unwrap()
                    };
                    let center: Vec<f64> = numbers.into_iter().map(read).collect();
                    assert_eq!(center, node.ball.center.to_array());
                    let radius = lines.next().unwrap().strip_prefix("      radius: ").unwrap();
                    assert_eq!(read(radius), node.ball.radius);
                }
            }
            assert_eq!(lines.next(), None);
        }
    }

    /// As `SphereDecoder` reads them: maps with `origin` and `radius` are balls, maps with `mean`,
    /// `best`, `worst` and `spheres` are spherizations.
    #[test]
    fn foam_reads_spherizations() {
        let check = |value: &Value, part: &Covered, level: usize| {
            let spheres = value["spheres"].as_array().unwrap();
            assert_eq!(spheres.len(), part.tree.level(level).len());
            for (sphere, node) in spheres.iter().zip(part.tree.level(level)) {
                assert_eq!(sphere["origin"], json!(node.ball.center.to_array()));
                assert_eq!(sphere["radius"].as_f64(), Some(node.ball.radius));
            }
            assert!(value["best"].as_f64() <= value["worst"].as_f64() && value["mean"].is_f64());
        };
        let parts = [covered("a"), covered("b")];
        let one: Value =
            serde_json::from_str(&document(&parts[..1], SphereFormat::Foam).unwrap()).unwrap();
        let levels = one.as_array().unwrap();
        assert_eq!(levels.len(), 3);
        levels.iter().enumerate().for_each(|(level, value)| check(value, &parts[0], level));
        let two: Value =
            serde_json::from_str(&document(&parts, SphereFormat::Foam).unwrap()).unwrap();
        for part in &parts {
            let branches = two[&part.name].as_object().unwrap();
            let (branch, depths) = branches.iter().next().unwrap();
            assert!(branches.len() == 1 && branch.parse::<u32>().is_ok());
            for (depth, value) in depths.as_object().unwrap() {
                check(value, part, depth.parse().unwrap());
            }
        }
    }

    #[test]
    fn formats_have_their_extensions() {
        for (format, extension) in [
            (SphereFormat::Impinge, "json"),
            (SphereFormat::Foam, "JSON"),
            (SphereFormat::Curobo, "yaml"),
            (SphereFormat::Lula, "yml"),
        ] {
            assert!(format.fits(extension));
            let other = if extension.eq_ignore_ascii_case("json") { "yaml" } else { "json" };
            assert!(!format.fits(other));
        }
        assert_eq!(SphereFormat::of("JSON"), SphereFormat::Impinge);
        assert_eq!(SphereFormat::of("yml"), SphereFormat::Curobo);
    }
}
