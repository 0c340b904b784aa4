//! Serialised values: any bytes give an error, or a value that is the same after another round
//! trip, and whose queries work.

pub mod seeds;

use std::fmt::Debug;

use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::math::OrientedBox;
use impinge::shape::Kind as ShapeKind;
use impinge::world::{Report, Snapshot};
use impinge::{Aabb, Mesh, PairReport, Pose, Vec3, World, broad};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The bit of the first byte that selects the binary format instead of JSON.
const BINARY: u8 = 0x80;

/// Snapshots with more bodies are read, but no world is updated, which takes longer.
const MAX_BODIES: usize = 200;
/// Meshes with more triangles are read, but no tree is built for them.
const MAX_TRIANGLES: usize = 20_000;

/// The types that are read, in the order of their numbers.
#[derive(Clone, Copy)]
enum Kind {
    Snapshot,
    Mesh,
    Hull,
    Pose,
    Aabb,
    BoxF32,
    OrientedBox,
    Report,
    PairReport,
}

const KINDS: [Kind; 9] = [
    Kind::Snapshot,
    Kind::Mesh,
    Kind::Hull,
    Kind::Pose,
    Kind::Aabb,
    Kind::BoxF32,
    Kind::OrientedBox,
    Kind::Report,
    Kind::PairReport,
];

/// The low bits of the first byte select the type, the high bit the format: JSON, or the binary
/// format of `postcard`.
pub fn read(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let form = if first & BINARY == 0 { Form::Json } else { Form::Binary };
    match KINDS[usize::from(first & !BINARY) % KINDS.len()] {
        Kind::Snapshot => form.value(rest).into_iter().for_each(|s| check_snapshot(&s, form)),
        Kind::Mesh => form.value(rest).into_iter().for_each(|m| check_mesh(&m)),
        Kind::Hull => form.value(rest).into_iter().for_each(|h| check_hull(&h)),
        Kind::Pose => form.value(rest).into_iter().for_each(|p: Pose| {
            assert!(p.translation().abs().max_element() <= impinge::MAX_COORDINATE);
            assert!((p.rotation().determinant() - 1.0).abs() < 1e-6);
        }),
        Kind::Aabb => form.value(rest).into_iter().for_each(|b: Aabb| {
            assert!(b.is_empty() || b.min.cmple(b.max).all());
        }),
        Kind::BoxF32 => drop(form.value::<broad::BoxF32>(rest)),
        Kind::OrientedBox => drop(form.value::<OrientedBox>(rest)),
        Kind::Report => form.value(rest).into_iter().for_each(|r: Report| {
            assert!(r.events().is_sorted_by_key(|event| (event.a.slot(), event.b.slot())));
        }),
        Kind::PairReport => form.value(rest).into_iter().for_each(|r: PairReport| {
            let ordered = |d: impinge::Distance| d.lower <= d.upper;
            assert!(r.distance.is_none_or(ordered));
        }),
    }
}

/// A format of serialised values.
#[derive(Clone, Copy)]
enum Form {
    Json,
    Binary,
}

impl Form {
    fn parse<T: DeserializeOwned>(self, bytes: &[u8]) -> Result<T, String> {
        match self {
            Self::Json => serde_json::from_slice(bytes).map_err(|e| e.to_string()),
            Self::Binary => postcard::from_bytes(bytes).map_err(|e| e.to_string()),
        }
    }

    fn write<T: Serialize>(self, value: &T) -> Vec<u8> {
        match self {
            Self::Json => serde_json::to_vec(value).unwrap(),
            Self::Binary => postcard::to_stdvec(value).unwrap(),
        }
    }

    /// The value of these bytes, if they have one. Written and read again, it is the same.
    fn value<T: Serialize + DeserializeOwned + Debug>(self, bytes: &[u8]) -> Option<T> {
        match self.parse::<T>(bytes) {
            Ok(value) => {
                let written = self.write(&value);
                let again: T = self.parse(&written).unwrap();
                assert_eq!(self.write(&again), written);
                Some(value)
            }
            Err(message) => {
                assert!(!message.is_empty());
                None
            }
        }
    }
}

fn check_mesh(mesh: &Mesh) {
    let vertices = mesh.vertices();
    assert!(vertices.iter().all(|v| v.abs().max_element() <= impinge::MAX_COORDINATE));
    assert!(mesh.triangles().iter().flatten().all(|v| (*v as usize) < vertices.len()));
    if mesh.triangles().len() <= MAX_TRIANGLES {
        assert_eq!(mesh.tree().validate(mesh), Ok(()));
        assert!(!mesh.defects().to_string().is_empty());
    }
}

/// Its corners and faces are those of the hull of its vertices, and a walk over its edges ends at
/// the furthest vertex.
fn check_hull(hull: &Hull) {
    let fresh = Hull::new(hull.vertices()).unwrap();
    assert_eq!(fresh.validate(hull.vertices()), Ok(()));
    assert_eq!(fresh.vertices().len(), hull.vertices().len());
    assert_eq!(fresh.faces().count(), hull.faces().count());
    let climb = &mut Climb::default();
    for direction in [Vec3::X, -Vec3::Y, Vec3::new(1.0, -2.0, 3.0), Vec3::splat(-1e-3)] {
        let vertex = hull.climb(direction, 0, climb);
        assert_eq!(hull.validate_support(direction, vertex), Ok(()));
    }
}

/// A world continues from the snapshot, and its own snapshots can be read.
fn check_snapshot(snapshot: &Snapshot, form: Form) {
    for body in snapshot.handles() {
        let geometry = snapshot.geometry(body).unwrap();
        for part in geometry.parts() {
            if let ShapeKind::Mesh(mesh) | ShapeKind::Solid(mesh) = part.shape().kind() {
                check_mesh(mesh);
                if mesh.triangles().len() > MAX_TRIANGLES {
                    return;
                }
            }
        }
    }
    if snapshot.handles().count() > MAX_BODIES {
        return;
    }
    let mut world = World::from_snapshot(snapshot, Default::default());
    for _ in 0..2 {
        let frame = world.update().frame;
        assert!(frame > snapshot.frame());
        assert_eq!(world.handles().count(), snapshot.handles().count());
        form.parse::<Snapshot>(&form.write(&world.snapshot())).unwrap();
    }
}
