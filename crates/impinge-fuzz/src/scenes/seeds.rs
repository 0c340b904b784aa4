//! Scene files with every kind of entry. The files that they name are in [`crate::folder`].

/// Parts with every kind of pose and scale, and rules.
const PARTS_TOML: &str = r#"unit = "mm"
[[part]]
name = "p"
file = "a.obj"
scale = 2
pose = { translation = [0, 1, 2], axis = [0, 0, 1], angle_deg = 30 }
[[part]]
file = "a.obj"
object = "tetra"
pose = { quaternion = [0, 0, 0, 1] }
[[ignore]]
pair = ["p*", "a*"]
[[ignore]]
group = ["*"]
"#;

const PARTS_JSON: &str = r#"{"part":[{"name":"p","file":"a.obj","scale":[1,2,3],"pose":{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,5]]}}],
    "ignore":[{"group":["*","?"]}]}"#;

/// Every kind of motion with all its fields, parents, and a frame without geometry.
const MOTION_TOML: &str = r#"ignore_links = 2
[motion]
kind = "brownian"
step = 0.2
turn_deg = 5
cage = [[-9, -9, -9], [9, 9, 9]]
seed = 3
[[part]]
name = "frame"
file = "empty.off"
pose = { translation = [0.5, 0, 0] }
[[part]]
name = "arm"
file = "a.obj"
parent = "frame"
scale = 0.5
[part.motion]
kind = "keyframes"
repeat = "back-and-forth"
keyframe = [
    { time = 0 },
    { time = 0.1, pose = { axis = [0, 0, 1], angle_deg = 90 } },
    { time = 2.5, pose = { translation = [1, 2, 3], quaternion = [0, 0, 1, 1] } },
]
[[part]]
name = "hand"
file = "a.obj"
parent = "arm"
pose = { translation = [0, 0, 4] }
motion = { kind = "still" }
[[part]]
name = "ball"
file = "a.obj"
motion = { kind = "billiard", velocity = [1, 2, 3], axis = [1, 1, 0], spin_deg = 40, cage = [[-20, -20, -20], [20, 20, 20]], bounce = false, seed = 7 }
[[part]]
name = "other ball"
file = "a.obj"
motion = { kind = "billiard", speed = 3 }
[[part]]
name = "stone"
file = "a.obj"
pose = { translation = [0, 0, 30] }
motion = { kind = "falling", gravity = [0, 0, -9.81], floor = -1, restitution = 0.5, velocity = [0.1, 0, 0], axis = [0, 1, 0], spin_deg = -9, seed = 1 }
[[part]]
name = "leaf"
file = "a.obj"
[[ignore]]
pair = ["frame", "hand"]
"#;

const MOTION_JSON: &str = r#"{"ignore_links":1,"motion":{"kind":"falling"},"part":[
{"name":"base","file":"empty.off","motion":{"kind":"billiard"}},
{"name":"link","file":"a.obj","parent":"base","pose":{"matrix":[[0,-1,0,1],[1,0,0,0],[0,0,1,0.5]]},
"motion":{"kind":"keyframes","repeat":"loop","keyframe":[{"time":-1},{"time":1,"pose":{"matrix":[[1,0,0,2],[0,0,-1,0],[0,1,0,0]]}}]}},
{"name":"drop","file":"a.obj","object":"tetra","pose":{"translation":[9,9,9]}},
{"name":"walker","file":"a.obj","motion":{"kind":"brownian"}},
{"name":"once","file":"a.obj","motion":{"kind":"keyframes","keyframe":[{"time":0.25,"pose":{"translation":[5,0,0]}}]}}]}"#;

pub fn toml() -> Vec<Vec<u8>> {
    vec![PARTS_TOML.into(), MOTION_TOML.into()]
}

pub fn json() -> Vec<Vec<u8>> {
    vec![PARTS_JSON.into(), MOTION_JSON.into()]
}

/// Both formats.
pub fn motion() -> Vec<Vec<u8>> {
    vec![MOTION_TOML.into(), MOTION_JSON.into(), PARTS_TOML.into(), PARTS_JSON.into()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use impinge_io::{Document, Motion, scene};
    use impinge_samples::motion::{self, MovingScene, Stage};

    use crate::folder;

    fn documents() -> Vec<Document> {
        let folder = Some(folder::path());
        let toml = super::toml().into_iter().map(|s| scene::read_toml(&s, "s", folder).unwrap());
        let json = super::json().into_iter().map(|s| scene::read_json(&s, "s", folder).unwrap());
        toml.chain(json).collect()
    }

    /// A seed that is rejected would cover little of the reader.
    #[test]
    fn every_seed_loads_as_a_scene() {
        for document in documents() {
            assert!(!document.instances.is_empty());
        }
        let missing = b"[[part]]\nfile = \"b.obj\"";
        assert!(scene::read_toml(missing, "s", Some(folder::path())).is_err());
    }

    #[test]
    fn the_seeds_have_every_motion_and_run() {
        let mut kinds = BTreeSet::new();
        for document in documents() {
            for motion in document.bodies.iter().filter_map(|body| body.motion.as_ref()) {
                kinds.insert(match motion {
                    Motion::Still => "still",
                    Motion::Billiard { .. } => "billiard",
                    Motion::Brownian { .. } => "brownian",
                    Motion::Falling { .. } => "falling",
                    Motion::Keyframes { .. } => "keyframes",
                    _ => panic!("{motion:?} is in no seed"),
                });
            }
            let has_motion = document.bodies.iter().any(|body| body.motion.is_some());
            if has_motion {
                assert!(document.bodies.iter().any(|body| body.parent.is_some()));
                let (moving, _) =
                    MovingScene::from_document(document, &motion::Motion::Still).unwrap();
                let mut stage = Stage::new(&moving, &Default::default(), 1).unwrap();
                for _ in 0..30 {
                    stage.update();
                    stage.advance(0.1).unwrap();
                }
                assert!(moving.bounds().max.cmpgt(moving.bounds().min).all());
            }
        }
        assert_eq!(kinds.len(), 5, "{kinds:?}");
    }
}
