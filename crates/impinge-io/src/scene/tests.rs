use super::*;
use crate::document::{Faces, IDENTITY, RawMesh};
use crate::{load, write_glb, write_obj};

/// A temporary directory with a triangle in `part.obj`, two parts in `two.obj` and an assembly in
/// `asm.glb`.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-io-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let mesh = |name: Option<&str>| RawMesh {
            name: name.map(str::to_string),
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            faces: Faces::from_triangles(&[[0, 1, 2]]),
        };
        let mut bytes = Vec::new();
        write_obj(&mut bytes, &[mesh(None)]).unwrap();
        std::fs::write(path.join("part.obj"), &bytes).unwrap();
        bytes.clear();
        write_obj(&mut bytes, &[mesh(Some("a")), mesh(Some("b"))]).unwrap();
        std::fs::write(path.join("two.obj"), &bytes).unwrap();
        bytes.clear();
        let matrix = [[1.0, 0.0, 0.0, 7.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let instances = [
            Instance { name: "left".into(), mesh: 0, matrix: IDENTITY, scale: 1.0 },
            Instance { name: "right".into(), mesh: 0, matrix, scale: 1.0 },
        ];
        write_glb(&mut bytes, &[mesh(None)], &instances).unwrap();
        std::fs::write(path.join("asm.glb"), &bytes).unwrap();
        Self(path)
    }

    fn load(&self, file: &str, text: &str) -> Result<Document, Error> {
        std::fs::write(self.0.join(file), text).unwrap();
        load(self.0.join(file))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SCENE: &str = r#"
unit = "mm"

[[part]]
name = "frame"
file = "part.obj"
pose = { translation = [0, 0, 12.5], axis = [0, 0, 2], angle_deg = 90 }
scale = 2

[[part]]
file = "asm.glb"
pose = { matrix = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]] }
scale = [1, 1, -1]

[[part]]
name = "again"
file = "./part.obj"
pose = { quaternion = [0, 0, 3, 3] }

[[part]]
name = "half"
file = "two.obj"
object = "b"

[[ignore]]
pair = ["frame", "asm/*"]

[[ignore]]
group = ["half", "ag?in", "missing"]

[[ignore]]
pair = ["half", "half"]
"#;

const JSON: &str = r#"{"unit":"mm","part":[
    {"name":"frame","file":"part.obj","scale":2,
     "pose":{"translation":[0,0,12.5],"axis":[0,0,2],"angle_deg":90}},
    {"file":"asm.glb","scale":[1,1,-1],"pose":{"matrix":[[0,-1,0,1],[1,0,0,2],[0,0,1,3]]}},
    {"name":"again","file":"./part.obj","pose":{"quaternion":[0,0,3,3]}},
    {"name":"half","file":"two.obj","object":"b"}],
    "ignore":[{"pair":["frame","asm/*"]},{"group":["half","ag?in","missing"]},{"pair":["half","half"]}]}"#;

#[test]
fn parts_poses_and_rules_are_resolved() {
    let folder = Folder::new("scene");
    let document = folder.load("s.toml", SCENE).unwrap();
    let names: Vec<&str> = document.instances.iter().map(|i| &*i.name).collect();
    assert_eq!(names, ["frame", "asm/left", "asm/right", "again", "half"]);
    // Meshes are shared: one of part.obj, one of asm.glb, and one of the two in two.obj.
    assert_eq!(document.instances.iter().map(|i| i.mesh).collect::<Vec<_>>(), [0, 1, 1, 0, 2]);
    assert_eq!(document.meshes.len(), 3);
    assert_eq!(document.meshes[2].name.as_deref(), Some("b"));
    let frame = &document.instances[0];
    assert_eq!(frame.matrix, [[0.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 12.5]]);
    assert_eq!(
        document.instances.iter().map(|i| i.scale).collect::<Vec<_>>(),
        [2.0, 1.0, 1.0, 1.0, 1.0]
    );
    let right = document.instances[2].matrix;
    assert_eq!(right, [[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 9.0], [0.0, 0.0, -1.0, 3.0]]);
    assert_eq!(document.ignored_pairs(), [[0, 1], [0, 2], [3, 4]]);
    let skipped: Vec<String> = document.report.skipped().map(|(_, n)| n.to_string()).collect();
    assert_eq!(
        skipped,
        [
            "1 x ignore patterns that match no part: `missing` (first: ignore 1)",
            "1 x ignore rules that match no pair (first: ignore 2)"
        ]
    );
    assert_eq!(document.report.files.len(), 4);

    let json = folder.load("s.json", &format!("\u{feff}{JSON}")).unwrap();
    assert_eq!(json.instances, document.instances);
    assert_eq!(json.meshes, document.meshes);
    assert_eq!(json.ignore, document.ignore);
}

#[test]
fn errors_have_kind_and_message() {
    let folder = Folder::new("errors");
    let fails = |text: &str, kind: ErrorKind, part: &str| {
        let error = folder.load("s.toml", text).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    let part = |more: &str| format!("[[part]]\nname = \"p\"\nfile = \"part.obj\"\n{more}\n");
    use ErrorKind::{
        BadReference, Duplicate, Empty, NotFinite, NotFound, Syntax, UnknownFormat, Unsupported,
    };
    fails("", Empty, "no [[part]]");
    fails("[[part]\n", Syntax, "line 1");
    fails(&part("colour = 1"), Syntax, "`colour`");
    fails(&part("pose = { rotate = 1 }"), Syntax, "`rotate`");
    fails("parts = []", Syntax, "`parts`");
    fails("[[part]]\nname = \"x\"", Syntax, "`file`");
    fails(&part("").repeat(2), Duplicate, "part 0 has that name");
    fails(&part("").replace("part.obj", "missing.obj"), NotFound, "part `p`");
    fails(&part("").replace("part.obj", "../"), ErrorKind::Io, "part `p`");
    fails(&part("").replace("part.obj", "s.toml"), Unsupported, "cannot be a part");
    fails(&part("object = \"z\""), BadReference, "no object `z`; it has part");
    fails(&part("pose = { quaternion = [0,0,0,0] }"), Syntax, "quaternion is zero");
    fails(
        &part("pose = { quaternion = [0,0,0,1], axis = [0,0,1], angle_deg = 3 }"),
        Syntax,
        "both an axis and a quaternion",
    );
    fails(&part("pose = { axis = [0,0,1] }"), Syntax, "only one of");
    fails(&part("pose = { axis = [0,0,0], angle_deg = 1 }"), Syntax, "axis is zero");
    fails(
        &part("pose = { matrix = [[1,0,0,0],[0,1,0,0],[0,0,1,0]], translation = [0,0,0] }"),
        Syntax,
        "a matrix and other fields",
    );
    fails(&part("pose = { translation = [0, nan, 0] }"), NotFinite, "not finite");
    fails(&part("pose = { translation = [0, 0] }"), Syntax, "line 4");
    fails(&part("scale = 0"), Syntax, "scale is zero");
    fails(&part("scale = inf"), NotFinite, "not finite");
    fails(&(part("") + "[[ignore]]\n"), Syntax, "either `pair` or `group`");
    let both = "[[ignore]]\npair = [\"a\", \"b\"]\ngroup = []\n";
    fails(&(part("") + both), Syntax, "either `pair` or `group`");
    std::fs::write(folder.0.join("x.3mf"), b"PK").unwrap();
    fails(&part("").replace("part.obj", "x.3mf"), UnknownFormat, "x.3mf");
    let error = folder.load("s.json", r#"{"part":[{"file":"part.obj","nam":"x"}]}"#).unwrap_err();
    assert!(error.to_string().contains("`nam`"), "{error}");
    let error = crate::load_bytes(part("").as_bytes(), None, "s.toml").unwrap_err();
    assert_eq!(error.kind(), BadReference);
}

const MOVING: &str = r#"
ignore_links = 2

[motion]
kind = "billiard"
speed = 2.5
cage = [[-9, -9, -9], [9, 9, 9]]

[[part]]
name = "base"
file = "two.obj"
pose = { translation = [1, 0, 0], axis = [0, 0, 1], angle_deg = 90 }
scale = 3

[[part]]
name = "arm"
file = "part.obj"
parent = "base"
pose = { translation = [2, 0, 0] }
motion = { kind = "keyframes", repeat = "loop", keyframe = [
    { time = 0, pose = { translation = [2, 0, 0] } },
    { time = 1.5, pose = { quaternion = [0, 0, 1, 1] } },
] }

[[part]]
name = "hand"
file = "part.obj"
parent = "arm"
pose = { translation = [0, 0, 1] }

[[part]]
name = "stone"
file = "part.obj"
motion = { kind = "falling", restitution = 0.25, seed = 7 }
"#;

#[test]
fn motions_and_parents_are_read() {
    let folder = Folder::new("moving");
    let document = folder.load("moving.toml", MOVING).unwrap();
    let [base, arm, hand, stone] = &document.bodies[..] else { panic!("{:?}", document.bodies) };
    assert_eq!((base.name.as_str(), base.instances.clone()), ("base", 0..2));
    assert_eq!((arm.parent, hand.parent, stone.parent), (Some(0), Some(1), None));
    // A child inherits the pose of its parent, not its scale.
    let place = |i: usize| document.instances[i].matrix.map(|row| row[3]);
    assert_eq!(place(2), [1.0, 2.0, 0.0]);
    assert_eq!(place(3), [1.0, 2.0, 1.0]);
    assert_eq!(hand.matrix.map(|row| row[3]), [0.0, 0.0, 1.0]);
    // A part with a parent does not get the motion of [motion].
    assert_eq!(hand.motion, None);
    let Some(Motion::Billiard { speed, velocity, cage, bounce, .. }) = &base.motion else {
        panic!()
    };
    assert_eq!((*speed, *velocity, *bounce), (Some(2.5), None, true));
    assert_eq!(*cage, Some([[-9.0; 3], [9.0; 3]]));
    let Some(Motion::Keyframes { keyframes, repeat }) = &arm.motion else { panic!() };
    assert_eq!((keyframes.len(), *repeat), (2, crate::Repeat::Loop));
    assert_eq!((keyframes[1].time, keyframes[1].matrix[0]), (1.5, [0.0, -1.0, 0.0, 0.0]));
    let Some(Motion::Falling { restitution, seed, floor, .. }) = &stone.motion else { panic!() };
    assert_eq!((*restitution, *seed, *floor), (Some(0.25), Some(7), None));
    // Two links: the hand is not checked against the base, which has two instances.
    assert_eq!(document.ignored_pairs(), [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    assert!(folder.load("still.toml", SCENE).unwrap().bodies.iter().all(|b| b.motion.is_none()));
}
