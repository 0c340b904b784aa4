//! Serialised reports and snapshots: round trips, worlds that continue from a deserialised
//! snapshot, and errors for invalid input.
#![cfg(feature = "serde")]

use std::fmt::Debug;

use impinge::convex::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere};
use impinge::world::{Body, Event, Geometry, Handle, Interest, Report, Snapshot, World};
use impinge::{
    Bounds, CheckOptions, Error, Mesh, PairReport, Pose, Relation, Shape, Vec3, check_pair, shapes,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The value after a round trip through JSON and through a binary format. Writing the results again
/// gives the same bytes.
fn round_trip<T: Serialize + DeserializeOwned>(value: &T) -> [T; 2] {
    let text = serde_json::to_string(value).expect("JSON is written");
    let from_text: T = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(serde_json::to_string(&from_text).expect("JSON is written"), text);
    let bytes = postcard::to_stdvec(value).expect("bytes are written");
    let from_bytes: T = postcard::from_bytes(&bytes).expect("bytes are read");
    assert_eq!(postcard::to_stdvec(&from_bytes).expect("bytes are written"), bytes);
    [from_text, from_bytes]
}

/// Changes JSON and expects an error whose message contains `why`.
fn expect_error<T: DeserializeOwned + Debug>(
    good: &Value,
    change: impl FnOnce(&mut Value),
    why: &str,
) {
    let mut value = good.clone();
    change(&mut value);
    assert_ne!(&value, good, "{why}: the change had no effect");
    let error = serde_json::from_value::<T>(value).expect_err(why).to_string();
    assert!(error.contains(why), "{why}: {error}");
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).expect("in range")
}

#[test]
fn pair_reports_are_equal_after_a_round_trip() -> Result<(), Error> {
    let cube = shapes::cuboid([2.0, 2.0, 2.0])?;
    let ball = shapes::icosphere(0.75, 2)?;
    let options = CheckOptions::default().clearance(0.5).distance(true).keep_hits(true);
    let mut seen = Vec::new();
    for (a, b, x) in [
        (&cube, &cube, 3.0),
        (&cube, &cube, 2.25),
        (&cube, &cube, 2.0),
        (&cube, &cube, 0.1),
        (&cube, &cube, 0.0),
        (&cube, &ball, 0.0),
        (&ball, &cube, 0.0),
        (&ball, &cube, 1.6),
    ] {
        let report = check_pair(a, b, &at(x, 0.0, 0.0), &options);
        for back in round_trip(&report) {
            assert_eq!(back, report);
        }
        seen.push(report.relation);
    }
    use Relation::{AInsideB, BInsideA, Clear, Crossing, Duplicate, Near, Touching};
    for relation in [AInsideB, BInsideA, Clear, Crossing, Duplicate, Near, Touching] {
        assert!(seen.contains(&relation), "{relation}");
    }

    let touching = check_pair(&cube, &cube, &at(2.0, 0.0, 0.0), &options);
    let good = serde_json::to_value(&touching).expect("JSON");
    let bad = |good: &Value, change: fn(&mut Value), why: &str| {
        expect_error::<PairReport>(good, change, why);
    };
    bad(&good, |v| v["relation"] = json!("Clear"), "evidence");
    bad(&good, |v| v["relation"] = json!("Friendly"), "unknown variant");
    bad(&good, |v| v["hit_count"] = json!(1), "`hit_count` is 1");
    bad(&good, |v| v["hits"].as_array_mut().expect("a list").reverse(), "order");
    bad(
        &good,
        |v| {
            v["hits"][0]["kind"] =
                json!({"Touching": {"feature_a": {"Vertex": 3}, "feature_b": "Face"}});
        },
        "no corner",
    );
    bad(&good, |v| v["hits"][0]["point"] = json!([0, 0, null]), "null");
    bad(&good, |v| v["point"] = json!([0, 1]), "length");
    let apart = check_pair(&cube, &cube, &at(3.0, 0.0, 0.0), &options);
    let good = serde_json::to_value(&apart).expect("JSON");
    bad(&good, |v| v["distance"]["lower"] = json!(2.0), "a distance has the bounds");
    bad(&good, |v| v["distance"]["lower"] = json!(-1.0), "a distance has the bounds");
    bad(&good, |v| v["distance"]["upper"] = json!("nan"), "expected a number");
    Ok(())
}

/// A world with all kinds of shapes and all data that a snapshot contains; and its bodies.
fn world() -> Result<(World, Vec<Handle>), Error> {
    let mut world = World::new();
    let mut rules = Interest::everything();
    rules.ignore_links(1);
    world.set_rules(rules);
    let ring = Shape::from(shapes::torus(1.0, 0.25, 16, 8)?);
    let block = std::sync::Arc::new(shapes::cuboid([0.5, 0.5, 0.5])?);
    let points: Vec<Vec3> = (0..40)
        .map(|i| {
            Vec3::new(
                (f64::from(i) * 0.7).sin(),
                (f64::from(i) * 1.3).cos(),
                (f64::from(i) * 2.1).sin(),
            ) * 0.5
        })
        .collect();
    let compound = Geometry::compound([
        (Shape::solid(block.clone())?, at(0.0, 0.0, 0.5)),
        (Capsule::new(0.5, 0.1)?.into(), Pose::from_axis_angle([1.0, 1.0, 0.0], 0.5)?),
        (ring.clone(), Pose::IDENTITY),
    ])?;
    let forms: Vec<Geometry> = vec![
        ring.into(),
        Shape::from(block).into(),
        Shape::from(Hull::new(&points)?).rounded(0.1)?.into(),
        Sphere::new(0.4)?.into(),
        Cuboid::new([0.3, 0.4, 0.5])?.into(),
        Cylinder::new(0.5, 0.25)?.into(),
        Shape::from(Cone::new(0.5, 0.25)?).rounded(0.05)?.into(),
        Ellipsoid::new([0.5, 0.3, 0.2])?.into(),
        HalfSpace::new([0.0, 0.1, 1.0], -1.0)?.into(),
        compound,
    ];
    let mut bodies = Vec::new();
    for i in 0..24_u64 {
        let form = forms[i as usize % forms.len()].clone();
        let x = 0.4 * i as f64;
        let mut body = Body::new(form).at(at(x, (x * 3.0).sin(), 0.0)).user(i).groups(1 << (i % 3));
        if i % 5 == 4 {
            body = body.attached_to(bodies[i as usize - 2]);
        }
        bodies.push(world.add(body)?);
    }
    world.set_interest(bodies[0], bodies[1], Some(false))?;
    world.set_interest(bodies[2], bodies[3], Some(true))?;
    world.set_pair_user(bodies[4], bodies[5], 77)?;
    world.update();
    // Slots that were emptied before and after the last update, and a move after it.
    world.remove(bodies[7])?;
    world.remove(bodies[20])?;
    world.update();
    world.remove(bodies[11])?;
    world.move_to(bodies[3], Pose::from_axis_angle([1.0, 2.0, 3.0], 1.0)?)?;
    Ok((world, bodies))
}

/// Runs further updates. Returns their events and the bodies that were added.
fn run_further(world: &mut World, bodies: &[Handle]) -> Result<(Vec<Event>, Vec<Handle>), Error> {
    let (mut events, mut added) = (Vec::new(), Vec::new());
    for step in 0..12 {
        let t = 0.3 * f64::from(step);
        for (i, body) in bodies.iter().enumerate() {
            if world.contains(*body) && (i + step as usize) % 3 == 0 {
                let turn = Pose::from_axis_angle([0.1, 1.0, 0.3], t)?;
                world.move_to(
                    *body,
                    at(0.4 * i as f64 + t.sin(), t.cos(), 0.1 * t).compose(&turn)?,
                )?;
            }
        }
        if step % 3 == 1 {
            added.push(world.add(Body::new(Sphere::new(0.5)?).at(at(t, 0.0, 0.0)))?);
        }
        if step == 7 {
            world.remove(bodies[2])?;
        }
        events.extend_from_slice(world.update().events());
    }
    Ok((events, added))
}

#[test]
fn worlds_continue_from_deserialised_snapshots() -> Result<(), Error> {
    let (world, bodies) = world()?;
    let snapshot = world.snapshot();
    let mut original = World::from_snapshot(&snapshot, Default::default());
    let (events, added) = run_further(&mut original, &bodies)?;
    assert!(events.len() > 40, "{}", events.len());
    for back in round_trip(&snapshot) {
        assert_eq!(back.frame(), snapshot.frame());
        assert!(back.handles().eq(snapshot.handles()));
        for body in snapshot.handles() {
            assert_eq!(back.pose(body)?, snapshot.pose(body)?);
            assert_eq!(back.user(body)?, snapshot.user(body)?);
            let (own, other) = (snapshot.geometry(body)?, back.geometry(body)?);
            assert_eq!(own.bounds(), other.bounds());
            assert_eq!(own.parts().len(), other.parts().len());
        }
        // Shared geometries are still shared.
        assert!(back.geometry(bodies[0])?.is_same(back.geometry(bodies[10])?));
        let mut restored = World::from_snapshot(&back, Default::default());
        assert_eq!(restored.report().events(), world.report().events());
        assert_eq!(restored.pair_user(bodies[4], bodies[5])?, 77);
        assert_eq!(
            restored.collisions().len(),
            World::from_snapshot(&snapshot, Default::default()).collisions().len()
        );
        let (restored_events, restored_added) = run_further(&mut restored, &bodies)?;
        assert_eq!(restored_events, events);
        assert_eq!(restored_added, added);
    }
    Ok(())
}

#[test]
fn update_reports_are_equal_after_a_round_trip() -> Result<(), Error> {
    let (mut world, bodies) = world()?;
    let report = world.update().clone();
    assert!(report.events().len() > 1);
    for back in round_trip(&report) {
        assert_eq!(back.frame, report.frame);
        assert_eq!(back.events(), report.events());
        assert_eq!(back.stats(), report.stats());
    }
    let mut good = serde_json::to_value(&report).expect("JSON");
    // Pairs that are undecided and bodies that were not compared.
    let handles: Vec<Handle> = bodies[..4].to_vec();
    let bounds = Bounds { lower: -0.5, open_depth: 0.25, ..Bounds::UNKNOWN };
    let pair = |a: usize, b: usize, since: u64| json!({"a": handles[a], "b": handles[b], "met": a == 1, "since": since, "bounds": bounds});
    good["undecided"] = json!([pair(0, 1, 1), pair(1, 2, report.frame)]);
    good["not_compared"] = json!([handles[1], handles[3]]);
    (good["open_pairs"], good["open_bodies"]) = (json!(2), json!(2));
    let open: Report = serde_json::from_value(good.clone()).expect("a report");
    for back in round_trip(&open) {
        assert_eq!(back.events(), report.events());
        assert_eq!(back.not_compared(), [handles[1], handles[3]]);
        let [first, second] = back.undecided() else { panic!("{back:?}") };
        assert_eq!((first.a, first.b, first.met, first.since), (handles[0], handles[1], false, 1));
        assert_eq!((second.met, second.since), (true, report.frame));
        assert_eq!([first.bounds, second.bounds], [bounds; 2]);
    }
    let reverse = |v: &mut Value, list: &str| v[list].as_array_mut().expect("a list").reverse();
    expect_error::<Report>(&good, |v| reverse(v, "undecided"), "order");
    expect_error::<Report>(&good, |v| reverse(v, "not_compared"), "order");
    expect_error::<Report>(&good, |v| v["undecided"][0]["since"] = json!(1000), "later update");
    expect_error::<Report>(&good, |v| v["undecided"][0]["bounds"]["open"] = json!(0), "items");
    expect_error::<Report>(
        &good,
        |v| v["events"].as_array_mut().expect("a list").reverse(),
        "order",
    );
    expect_error::<Report>(&good, |v| v["events"][0]["b"] = v["events"][0]["a"].clone(), "order");
    expect_error::<Report>(&good, |v| v["frame"] = json!(-1), "invalid value");
    let witness = json!({"point": [0, "inf", 0], "part_a": 0, "part_b": 0, "triangle_a": null, "triangle_b": null});
    expect_error::<Report>(&good, |v| v["events"][0]["witness"] = witness, "invalid type");
    Ok(())
}

/// A body that takes the slot of a removed one before the next update: events of both are in the
/// order of the slots of both bodies, as a report must be to be read again.
#[test]
fn events_of_a_slot_with_two_bodies_are_in_order() -> Result<(), Error> {
    let mut world = World::new();
    let mut bodies = Vec::new();
    for x in [50.0, 0.0, 10.0, 0.5] {
        bodies.push(world.add(Body::new(Sphere::new(1.0)?).at(at(x, 0.0, 0.0)))?);
    }
    assert_eq!(world.update().events().len(), 1); // 1 and 3
    world.remove(bodies[1])?;
    let mut stored = serde_json::to_value(world.snapshot()).expect("JSON");
    let slots = &mut stored["bodies"]["slots"];
    slots[1]["body"] = slots[2]["body"].clone();
    let snapshot: Snapshot = serde_json::from_value(stored).expect("a snapshot");
    let mut world = World::from_snapshot(&snapshot, Default::default());
    let report = world.update();
    let slots: Vec<_> = report.events().iter().map(|e| [e.a.slot(), e.b.slot()]).collect();
    assert_eq!(slots, [[1, 2], [1, 3]]);
    assert_eq!(round_trip(report)[1].events(), report.events());
    Ok(())
}

#[test]
fn invalid_snapshots_are_errors() -> Result<(), Error> {
    let (world, _) = world()?;
    let snapshot = world.snapshot();
    let good = serde_json::to_value(&snapshot).expect("JSON");
    assert!(serde_json::from_value::<Snapshot>(good.clone()).is_ok());
    let bad = |change: fn(&mut Value), why: &str| expect_error::<Snapshot>(&good, change, why);
    fn slot(v: &mut Value, i: usize) -> &mut Value {
        &mut v["bodies"]["slots"][i]["body"]
    }
    fn part(v: &mut Value, i: usize) -> &mut Value {
        &mut v["geometries"][i][0]
    }
    // Bodies.
    bad(|v| slot(v, 0)["geometry"] = json!(99), "geometry that is not in the table");
    bad(|v| slot(v, 0)["parent"] = json!(0), "to itself");
    bad(|v| slot(v, 2)["parent"] = json!(4), "to itself"); // body 4 is attached to body 2
    bad(|v| slot(v, 0)["parent"] = json!(7), "a slot without a body"); // removed
    bad(|v| slot(v, 0)["parent"] = json!(4_000_000_000_u32), "a slot without a body");
    bad(|v| slot(v, 0)["local"][0][0] = json!(1.5), "rotation");
    bad(|v| slot(v, 0)["local"][0][3] = json!(1e70), "out of range");
    bad(|v| slot(v, 0)["pose"][0] = json!([0, 0, 0, 0]), "rotation");
    bad(|v| slot(v, 0)["bounds"]["min"][0] = json!("inf"), "inside out");
    bad(|v| v["bodies"]["free"] = json!([0]), "free");
    bad(|v| v["bodies"]["free"] = json!([7, 7]), "free");
    bad(|v| v["bodies"]["free"] = json!([700]), "free");
    bad(|v| v["bodies"]["retired"] = json!([11, 11]), "emptied");
    bad(|v| v["bodies"]["retired"] = json!([1100]), "emptied");
    // Geometries.
    bad(|v| part(v, 0)["shape"] = json!({"Mesh": 9}), "table");
    bad(|v| part(v, 0)["shape"] = json!({"Hull": 9}), "table");
    bad(|v| part(v, 0)["margin"] = json!(0.5), "margin");
    bad(|v| part(v, 3)["shape"] = json!({"Sphere": -1.0}), "radius");
    bad(|v| part(v, 3)["margin"] = json!(0.1), "margin"); // less than the radius
    bad(|v| part(v, 3)["margin"] = json!(1e61), "margin");
    bad(|v| part(v, 4)["shape"] = json!({"Cuboid": [1, 1, 1e61]}), "the most is");
    bad(|v| part(v, 8)["shape"] = json!({"HalfSpace": [[0, 0, 0], 0]}), "zero");
    bad(|v| v["meshes"][0]["polygons"][0][0] = json!(100_000), "vertex");
    // A solid whose surface has a hole.
    bad(
        |v| {
            for mesh in v["meshes"].as_array_mut().expect("meshes") {
                mesh["polygons"].as_array_mut().expect("polygons").pop();
                mesh["triangulation"] = Value::Null;
            }
        },
        "not closed",
    );
    // The next update has no number.
    bad(|v| v["report"]["frame"] = json!(u64::MAX), "number of the last update");
    // Pairs and rules.
    bad(|v| v["met"][0]["slots"] = json!([1, 0]), "in order");
    bad(|v| v["met"][0]["slots"] = json!([0, 7]), "two bodies");
    bad(|v| v["met"][1] = v["met"][0].clone(), "twice");
    bad(|v| v["met"][0]["since"] = json!(1000), "later update");
    bad(|v| v["interest"][0][1] = json!(0), "in order");
    bad(|v| v["pair_users"][0][1] = json!(1000), "two bodies");
    bad(|v| v["rules"]["yes"][3] = json!(16), "groups 3 and 4");
    bad(|v| (v["rules"]["yes"][3], v["rules"]["no"][3]) = (json!(8), json!(8)), "groups 3 and 3");
    bad(
        |v| v["severed"] = json!([[{"slot": 0, "generation": 0}, {"slot": 1, "generation": 0}]]),
        "removed",
    );
    // Every truncation is an error. With a changed byte, it is an error or a snapshot that works.
    let bytes = postcard::to_stdvec(&snapshot).expect("bytes");
    for end in (0..bytes.len()).step_by(7) {
        assert!(postcard::from_bytes::<Snapshot>(&bytes[..end]).is_err());
    }
    for place in (0..bytes.len()).step_by(41) {
        for flip in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[place] ^= flip;
            if let Ok(read) = postcard::from_bytes::<Snapshot>(&changed) {
                if place % 2 == 0 {
                    let mut world = World::from_snapshot(&read, Default::default());
                    world.update();
                }
            }
        }
    }
    Ok(())
}

/// Vertices keep every bit, and polygons their triangulation.
#[test]
fn meshes_in_snapshots_keep_every_bit() -> Result<(), Error> {
    let mut world = World::new();
    let mesh = Mesh::from_polygons(
        vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, -0.0), Vec3::new(0.0, 1.0, 5e-324)],
        [[0, 1, 2, 3]],
    )?;
    let body = world.add(Body::new(mesh.clone()))?;
    for back in round_trip(&world.snapshot()) {
        let [part] = back.geometry(body)?.parts() else { panic!("one part") };
        let impinge::shape::Kind::Mesh(read) = part.shape().kind() else { panic!("a mesh") };
        let bits = |m: &Mesh| {
            m.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect::<Vec<_>>()
        };
        assert_eq!(bits(read), bits(&mesh));
        assert_eq!(read.triangles(), mesh.triangles());
    }
    Ok(())
}
