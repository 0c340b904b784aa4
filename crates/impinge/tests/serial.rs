//! Serialised values: round trips keep every bit, in a text format and in a binary format, and
//! invalid input gives errors.
#![cfg(feature = "serde")]

use std::fmt::Debug;

use impinge::broad::BoxF32;
use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::math::OrientedBox;
use impinge::{Aabb, Bounds, Contact, Mesh, Pose, Vec3, shapes};
use impinge_oracles::common::Random;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The value after a round trip through JSON and through a binary format. Writing the results again
/// gives the same bytes.
fn round_trip<T: Serialize + DeserializeOwned>(value: &T) -> [T; 2] {
    let text = serde_json::to_string(value).expect("JSON is written");
    let from_text: T = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(serde_json::to_string(&from_text).expect("JSON is written"), text);
    let bytes = postcard::to_stdvec(value).expect("bytes are written");
    let from_bytes: T = postcard::from_bytes(&bytes).expect("bytes are read");
    assert_eq!(postcard::to_stdvec(&from_bytes).expect("bytes are written"), bytes);
    assert_eq!(postcard::to_stdvec(&from_text).expect("bytes are written"), bytes);
    [from_text, from_bytes]
}

fn expect_error<T: DeserializeOwned + Debug>(text: &str, why: &str) {
    let error = serde_json::from_str::<T>(text).expect_err(text).to_string();
    assert!(error.contains(why), "{text}: {error}");
}

/// A number from `-size` to `size`.
fn signed(random: &mut Random, size: f64) -> f64 {
    (2.0 * random.unit() - 1.0) * size
}

fn bits(v: Vec3) -> [u64; 3] {
    v.to_array().map(f64::to_bits)
}

#[test]
fn poses_keep_every_bit() {
    let mut random = Random::new(2);
    for scale in [0.0, 1e-320, 1.0, 1e60] {
        for _ in 0..50 {
            let q = [0, 1, 2, 3].map(|_| signed(&mut random, 1.0));
            let t = [0, 1, 2].map(|_| signed(&mut random, 1.0) * scale);
            let pose = Pose::from_quaternion(q, t).expect("in range");
            for back in round_trip(&pose) {
                let all = |p: &Pose| p.to_matrix().map(|row| row.map(f64::to_bits));
                assert_eq!(all(&back), all(&pose));
            }
        }
    }
    expect_error::<Pose>("[[1,0,0,0],[0,1,0,0],[0,0,2,0]]", "rotation");
    expect_error::<Pose>("[[1,0,0,0],[0,1,0,0],[0,0,-1,0]]", "mirror");
    expect_error::<Pose>("[[1,0,0,2e60],[0,1,0,0],[0,0,1,0]]", "must not exceed");
    expect_error::<Pose>("[[1,0,0,0],[0,1,0,0]]", "length");
    expect_error::<Pose>("[[1,0,0,null],[0,1,0,0],[0,0,1,0]]", "null");
    let nan = [[f64::NAN; 4]; 3];
    let bytes = postcard::to_stdvec(&nan).expect("bytes");
    assert!(postcard::from_bytes::<Pose>(&bytes).is_err());
}

#[test]
fn boxes_keep_every_bit() {
    let corner = Vec3::new(-0.0, 1.0 / 3.0, 5e-324);
    let inf = f64::INFINITY;
    for aabb in [
        Aabb::EMPTY,
        Aabb { min: corner, max: Vec3::splat(1e60) },
        Aabb { min: Vec3::new(-inf, -inf, 0.1), max: Vec3::new(inf, 2.0, inf) },
    ] {
        for back in round_trip(&aabb) {
            assert_eq!([back.min, back.max].map(bits), [aabb.min, aabb.max].map(bits));
        }
        let bounds = BoxF32::from(aabb);
        for back in round_trip(&bounds) {
            assert_eq!(
                [back.min, back.max].map(|v| v.map(f32::to_bits)),
                [bounds.min, bounds.max].map(|v| v.map(f32::to_bits))
            );
        }
    }
    for bad in [r#"{"min":[0,0,1],"max":[1,1,0]}"#, r#"{"min":["inf",0,0],"max":[1,1,1]}"#] {
        expect_error::<Aabb>(bad, "inside out");
        expect_error::<BoxF32>(bad, "inside out");
    }
    expect_error::<Aabb>(r#"{"min":[0,0,"nan"],"max":[1,1,1]}"#, "expected a number");
    expect_error::<Aabb>(r#"{"min":[0,0,null],"max":[1,1,1]}"#, "expected a number");
    expect_error::<BoxF32>(r#"{"min":[0,0,0],"max":[1,1,1e39]}"#, "single precision");
    let nan = Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, f64::NAN, 1.0) };
    assert!(serde_json::to_string(&nan).is_err() && postcard::to_stdvec(&nan).is_err());
    let bytes = postcard::to_stdvec(&Some(([0.0; 3], [1.0, 1.0, f64::NAN]))).expect("bytes");
    assert!(postcard::from_bytes::<Aabb>(&bytes).is_err());
}

#[test]
fn contacts_and_bounds_keep_every_bit() {
    let [inf, third] = [f64::INFINITY, 1.0 / 3.0];
    for (lower, upper) in [(-inf, inf), (-0.0, 5e-324), (third, third), (-1e60, -third)] {
        let contact = Contact {
            lower,
            upper,
            direction: Vec3::new(third, -0.0, 1.0),
            point_a: Vec3::splat(5e-324),
            point_b: Vec3::splat(-1e60),
        };
        let numbers = |c: &Contact| {
            ([c.lower, c.upper].map(f64::to_bits), [c.direction, c.point_a, c.point_b].map(bits))
        };
        for back in round_trip(&contact) {
            assert_eq!(numbers(&back), numbers(&contact));
        }
        let bounds = Bounds { lower, upper, open_depth: (-lower).max(0.0), open: 7 };
        let numbers = |b: &Bounds| ([b.lower, b.upper, b.open_depth].map(f64::to_bits), b.open);
        for back in round_trip(&bounds) {
            assert_eq!(numbers(&back), numbers(&bounds));
        }
    }
    let contact = |lower: &str, point: &str| {
        format!(
            r#"{{"lower":{lower},"upper":1,"direction":[0,0,1],"point_a":{point},"point_b":[0,0,0]}}"#
        )
    };
    assert!(serde_json::from_str::<Contact>(&contact("0", "[0,0,0]")).is_ok());
    expect_error::<Contact>(&contact("2", "[0,0,0]"), "not lower <= upper");
    expect_error::<Contact>(&contact("\"nan\"", "[0,0,0]"), "expected a number");
    expect_error::<Contact>(&contact("0", "[0,0,\"inf\"]"), "invalid type");
    let bounds = |lower: &str, depth: &str, open: &str| {
        format!(r#"{{"lower":{lower},"upper":1,"open_depth":{depth},"open":{open}}}"#)
    };
    assert!(serde_json::from_str::<Bounds>(&bounds("\"-inf\"", "\"inf\"", "1")).is_ok());
    expect_error::<Bounds>(&bounds("2", "0", "1"), "not lower <= upper");
    expect_error::<Bounds>(&bounds("0", "-1", "1"), "not negative");
    expect_error::<Bounds>(&bounds("0", "0", "0"), "at least one item");
}

#[test]
fn oriented_boxes_are_equal_after_a_round_trip() {
    let mut random = Random::new(4);
    let mut seen = OrientedBox::around(&[]);
    assert!(round_trip(&seen).iter().all(OrientedBox::is_empty));
    for _ in 0..100 {
        let points: Vec<Vec3> =
            (0..9).map(|_| Vec3::from([(); 3].map(|()| signed(&mut random, 3.0)))).collect();
        seen = OrientedBox::around(&points).merged(&seen);
        for back in round_trip(&seen) {
            assert_eq!(back, seen);
        }
        seen = seen.transformed(&Pose::from_axis_angle(points[0], 1.0).expect("not zero"));
    }
    let skew = r#"{"center":[0,0,0],"axes":[[1,0,0],[0.1,1,0],[0,0,1]],"half":[1,1,1]}"#;
    expect_error::<OrientedBox>(skew, "perpendicular");
    let negative = r#"{"center":[0,0,0],"axes":[[1,0,0],[0,1,0],[0,0,1]],"half":[1,1,-1]}"#;
    expect_error::<OrientedBox>(negative, "negative");
}

fn same_mesh(a: &Mesh, b: &Mesh) {
    let all = |m: &Mesh| m.vertices().iter().copied().map(bits).collect::<Vec<_>>();
    assert_eq!(all(a), all(b));
    assert_eq!(a.triangles(), b.triangles());
    let polygons =
        |m: &Mesh| (0..m.polygon_count()).map(|i| m.polygon(i).to_vec()).collect::<Vec<_>>();
    assert_eq!(polygons(a), polygons(b));
    assert_eq!(a.fingerprint(), b.fingerprint());
    assert_eq!(a.defects().to_string(), b.defects().to_string());
}

#[test]
fn meshes_keep_every_bit() {
    let corners = vec![
        Vec3::new(0.1, -0.0, 1e-310),
        Vec3::X,
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::new(0.0, 1.0, 1e60),
        Vec3::new(-5e-324, 0.5, 0.5),
    ];
    let polygons: [&[u32]; 3] = [&[0, 1, 2], &[3, 2, 1, 0], &[4, 3, 2, 1, 0]];
    let mixed = Mesh::from_polygons(corners, polygons).expect("a mesh");
    let none: [[u32; 3]; 0] = [];
    for mesh in [
        &mixed,
        &shapes::torus(2.0, 0.5, 12, 8).expect("a torus"),
        &Mesh::from_polygons(vec![Vec3::ONE], none).expect("no polygons"),
    ] {
        for back in round_trip(mesh) {
            same_mesh(&back, mesh);
        }
    }
}

/// Moving the vertices of a polygon does not change its triangulation, and neither does a round
/// trip.
#[test]
fn moved_polygons_keep_their_triangulation() {
    // A dart with its reflex corner at index 2, then at index 1. The diagonal starts at that
    // corner.
    let corners = [[0.0, 0.0], [4.0, 0.0], [0.5, 0.5], [0.0, 4.0]];
    let dart = corners.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
    let made = Mesh::from_polygons(dart.clone(), [[0, 1, 2, 3]]).expect("a dart");
    let mut moved_points = dart;
    moved_points.rotate_left(1);
    let moved = made.with_vertices(moved_points.clone()).expect("four vertices");
    let new = Mesh::from_polygons(moved_points, [[0, 1, 2, 3]]).expect("a dart");
    assert_ne!(moved.triangles(), new.triangles(), "the triangulations must differ");
    for back in round_trip(&moved) {
        same_mesh(&back, &moved);
    }
}

#[test]
fn invalid_meshes_are_errors() {
    let points = "[[0,0,0],[1,0,0],[1,1,0],[0,1,0]]";
    let mesh = |rest: &str| format!(r#"{{"vertices":{points},{rest}}}"#);
    let plain: Mesh = serde_json::from_str(&mesh(r#""polygons":[[0,1,2,3]]"#)).expect("a square");
    assert_eq!(plain.triangles().len(), 2);
    for (rest, why) in [
        (r#""polygons":[[0,1,4]]"#, "vertex"),
        (r#""polygons":[[0,1]]"#, "corners"),
        (r#""polygons":[[0,1,-1]]"#, "invalid value"),
        (r#""polygons":[[0,1,4294967296]]"#, "invalid value"),
        (
            r#""polygons":[[0,1,2,3]],"triangulation":{"triangles":[[0,1,2]],"forced":[]}"#,
            "the polygons need 2",
        ),
        (
            r#""polygons":[[0,1,2,3]],"triangulation":{"triangles":[[0,1,2],[0,1,2]],"forced":[]}"#,
            "boundary",
        ),
        (
            r#""polygons":[[0,1,2,3]],"triangulation":{"triangles":[[0,1,2],[0,2,9]],"forced":[]}"#,
            "boundary",
        ),
        (
            r#""polygons":[[0,1,2,3]],"triangulation":{"triangles":[[1,2,3],[1,3,0]],"forced":[1]}"#,
            "forced",
        ),
        (
            r#""polygons":[[0,1,2]],"triangulation":{"triangles":[[0,2,1]],"forced":[]}"#,
            "does not match `polygons`",
        ),
    ] {
        expect_error::<Mesh>(&mesh(rest), why);
    }
    expect_error::<Mesh>(r#"{"vertices":[[0,0,1e61]],"polygons":[]}"#, "must not exceed");
    expect_error::<Mesh>(r#"{"vertices":[[0,0]],"polygons":[]}"#, "length");
    // A stored length beyond the end of the input does not cause a large allocation.
    let mut bytes = vec![0xff; 9];
    bytes.push(0x01);
    assert!(postcard::from_bytes::<Mesh>(&bytes).is_err());
    let mut bytes =
        postcard::to_stdvec(&(vec![[f64::NAN; 3]; 3], vec![vec![0_u32, 1, 2]], None::<u8>))
            .expect("bytes");
    assert!(postcard::from_bytes::<Mesh>(&bytes).is_err(), "NaN");
    // Every truncation is an error.
    bytes = postcard::to_stdvec(&plain).expect("bytes");
    for end in 0..bytes.len() {
        assert!(postcard::from_bytes::<Mesh>(&bytes[..end]).is_err());
    }
}

#[test]
fn hulls_keep_every_bit() {
    let mut random = Random::new(9);
    let mut point = |size: f64| Vec3::from([(); 3].map(|()| signed(&mut random, size)));
    let mut clouds: Vec<Vec<Vec3>> = vec![
        vec![Vec3::new(1.0, -0.0, 2.0)],
        vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0],
        (0..25).map(|i| Vec3::new(f64::from(i % 5), f64::from(i / 5), 0.25)).collect(),
        (0..125)
            .map(|i| Vec3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25)))
            .collect(),
    ];
    for count in [4, 5, 20, 300] {
        for size in [1.0, 1e-310, 1e59] {
            clouds.push((0..count).map(|_| point(size)).collect());
        }
    }
    for cloud in clouds {
        let hull = Hull::new(&cloud).expect("points");
        for back in round_trip(&hull) {
            assert_eq!(back, hull);
            let all = |h: &Hull| h.vertices().iter().copied().map(bits).collect::<Vec<_>>();
            assert_eq!(all(&back), all(&hull));
            back.validate(&cloud).expect("a hull");
        }
    }
}

#[test]
fn invalid_hulls_are_errors() {
    let tetrahedron = "[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]";
    let hull: Hull =
        serde_json::from_str(&format!(r#"{{"vertices":{tetrahedron}}}"#)).expect("a hull");
    assert_eq!(hull.face_count(), 4);
    expect_error::<Hull>(r#"{"vertices":[]}"#, "at least one point");
    expect_error::<Hull>(r#"{"vertices":[[0,0,1e61]]}"#, "must not exceed");
    let good = serde_json::to_value(&hull).expect("JSON");
    type Change = fn(&mut serde_json::Value);
    let changes: [(Change, &str); 8] = [
        (|v| v["vertices"][3] = serde_json::json!([0.25, 0.25, 0.0]), "corners"),
        (|v| v["vertices"][3] = serde_json::json!([0.0, 0.0, -1.0]), "faces"),
        (|v| v["numbering"]["sources"][1] = v["numbering"]["sources"][0].clone(), "source"),
        (|v| drop(v["numbering"]["faces"].as_array_mut().expect("a list").pop()), "faces"),
        (|v| v["numbering"]["faces"][0].as_array_mut().expect("a list").reverse(), "faces"),
        (|v| v["numbering"]["faces"][0][0] = 77.into(), "faces"),
        (
            |v| v["numbering"]["neighbors"][0].as_array_mut().expect("a list").reverse(),
            "neighbours",
        ),
        (|v| drop(v["numbering"]["neighbors"].as_array_mut().expect("a list").pop()), "neighbours"),
    ];
    for (change, why) in changes {
        let mut value = good.clone();
        change(&mut value);
        expect_error::<Hull>(&value.to_string(), why);
    }
    // Cyclic lists of faces and neighbours may start at any element.
    let mut rotated = good;
    rotated["numbering"]["faces"][0].as_array_mut().expect("a list").rotate_left(1);
    rotated["numbering"]["neighbors"][2].as_array_mut().expect("a list").rotate_left(1);
    let back: Hull = serde_json::from_value(rotated).expect("the same hull");
    back.validate(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).expect("a hull");
}
