//! The serialised form of snapshots.
//!
//! Meshes and hulls that bodies share are stored once. Deserialised values go through the
//! constructors of meshes, hulls and shapes; slots, parents, pairs and rules are checked against
//! each other.

use std::collections::HashMap;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Met, Snapshot, State};
use crate::convex::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere};
use crate::error::{Error, ErrorKind};
use crate::math::{Pose, StoredPose, Vec3};
use crate::mesh::Mesh;
use crate::serial::point;
use crate::shape::{Kind, Shape};
use crate::world::bodies::Bodies;
use crate::world::bodies::serial::StoredBodies;
use crate::world::interest::Matrix;
use crate::world::motions::Motions;
use crate::world::narrow::PairState;
use crate::world::pairs::{Key, Settings};
use crate::world::update::UndecidedPair;
use crate::world::{Geometry, Handle, Interest, Report};

/// The serialised fields. `M` and `H` are the table entries: references to shared meshes and hulls
/// for serialising, owned ones for deserialising.
#[derive(Serialize, Deserialize)]
struct Form<M, H> {
    meshes: Vec<M>,
    hulls: Vec<H>,
    geometries: Vec<Vec<StoredPart>>,
    bodies: StoredBodies,
    rules: Rules,
    /// Interest set for single pairs: the two slots, and whether the pair is compared.
    interest: Vec<(u32, u32, bool)>,
    /// The application's numbers of pairs.
    pair_users: Vec<(u32, u32, u64)>,
    met: Vec<StoredMet>,
    /// Pairs of slots that the last update did not decide, and the first update that did not.
    #[serde(default)]
    undecided: Vec<(u32, u32, u64)>,
    #[serde(rename = "severed")]
    ended_by_removal: Vec<(Handle, Handle)>,
    report: Report,
}

#[derive(Serialize, Deserialize)]
struct StoredPart {
    shape: StoredShape,
    margin: f64,
    pose: StoredPose,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum StoredShape {
    /// By index into the table of meshes, or of hulls.
    Mesh(u32),
    Solid(u32),
    Hull(u32),
    Sphere(f64),
    /// Half height and radius.
    Capsule(f64, f64),
    Cuboid(#[serde(with = "point")] Vec3),
    Cylinder(f64, f64),
    Cone(f64, f64),
    Ellipsoid(#[serde(with = "point")] Vec3),
    HalfSpace(#[serde(with = "point")] Vec3, f64),
}

#[derive(Serialize, Deserialize)]
struct Rules {
    otherwise: bool,
    yes: [u32; 32],
    no: [u32; 32],
    links: u32,
}

#[derive(Serialize, Deserialize)]
struct StoredMet {
    slots: (u32, u32),
    certain: bool,
    since: u64,
    geometry_versions: [u32; 2],
}

/// Bodies with their geometries and poses, rules, the pairs that meet, and the last report:
/// everything that [`World::restore`](crate::World::restore) needs, except selected methods,
/// because certain answers do not depend on them, and trees of meshes, which are built again, so
/// that for a mesh that was [deformed](crate::World::deform) the witness may be another one of
/// several triangles. What is known about [motions](crate::World::set_motion), and the time, are
/// left out too: bodies have no limits until they are set again, and the events are the same.
impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let State { bodies, matrix, motions: _, settings, met, .. } = &*self.state;
        let State { undecided, ended_by_removal, report, .. } = &*self.state;
        let mut tables = Tables::default();
        let bodies = bodies.stored(|geometry| tables.number(geometry));
        let Interest { default_compared, compared, not_compared, max_ignored_links } = matrix.rules;
        let mut interest: Vec<_> = matrix.pairs.iter().map(|(k, v)| (k.slots(), *v)).collect();
        let mut users: Vec<_> = settings.users.iter().map(|(k, v)| (k.slots(), *v)).collect();
        interest.sort_unstable();
        users.sort_unstable();
        let stored = |met: &Met| StoredMet {
            slots: met.key.slots(),
            certain: met.state == PairState::Meeting,
            since: met.since,
            geometry_versions: met.geometry_versions,
        };
        let stored_undecided = |pair: &UndecidedPair| {
            let (a, b) = pair.key.slots();
            (a, b, pair.since)
        };
        Form::<&Mesh, &Hull> {
            meshes: tables.meshes.iter().map(|mesh| &**mesh).collect(),
            hulls: tables.hulls.iter().map(|hull| &**hull).collect(),
            geometries: tables.geometries,
            bodies,
            rules: Rules {
                otherwise: default_compared,
                yes: compared,
                no: not_compared,
                links: max_ignored_links,
            },
            interest: interest.into_iter().map(|((a, b), compared)| (a, b, compared)).collect(),
            pair_users: users.into_iter().map(|((a, b), user)| (a, b, user)).collect(),
            met: met.iter().map(stored).collect(),
            undecided: undecided.iter().map(stored_undecided).collect(),
            ended_by_removal: ended_by_removal.clone(),
            report: report.clone(),
        }
        .serialize(serializer)
    }
}

/// Meshes, hulls and geometries of the bodies, each once.
#[derive(Default)]
struct Tables {
    meshes: Vec<Arc<Mesh>>,
    hulls: Vec<Arc<Hull>>,
    geometries: Vec<Vec<StoredPart>>,
    mesh_numbers: HashMap<*const Mesh, u32>,
    hull_numbers: HashMap<*const Hull, u32>,
    /// Forms, kept alive until everything is written, with their index in the table.
    known: HashMap<*const crate::world::BodyPart, (Geometry, u32)>,
}

impl Tables {
    fn number(&mut self, geometry: &Geometry) -> u32 {
        let key = geometry.parts().as_ptr();
        if let Some((_, number)) = self.known.get(&key) {
            return *number;
        }
        let part = |part: &crate::world::BodyPart| StoredPart {
            shape: self.shape(part.shape()),
            margin: part.shape().margin(),
            pose: StoredPose(*part.pose()),
        };
        let parts = geometry.parts().iter().map(part).collect();
        let number = self.geometries.len() as u32;
        self.geometries.push(parts);
        self.known.insert(key, (geometry.clone(), number));
        number
    }

    fn shape(&mut self, shape: &Shape) -> StoredShape {
        match shape.kind() {
            Kind::Mesh(mesh) => StoredShape::Mesh(self.mesh(mesh)),
            Kind::Solid(mesh) => StoredShape::Solid(self.mesh(mesh)),
            Kind::Hull(hull) => {
                let number = self.hull_numbers.entry(Arc::as_ptr(hull)).or_insert_with(|| {
                    self.hulls.push(Arc::clone(hull));
                    self.hulls.len() as u32 - 1
                });
                StoredShape::Hull(*number)
            }
            Kind::Sphere(sphere) => StoredShape::Sphere(sphere.radius()),
            Kind::Capsule(body) => StoredShape::Capsule(body.half_height(), body.radius()),
            Kind::Cuboid(cuboid) => StoredShape::Cuboid(cuboid.half_extents()),
            Kind::Cylinder(body) => StoredShape::Cylinder(body.half_height(), body.radius()),
            Kind::Cone(body) => StoredShape::Cone(body.half_height(), body.radius()),
            Kind::Ellipsoid(body) => StoredShape::Ellipsoid(body.half_axes()),
            Kind::HalfSpace(body) => StoredShape::HalfSpace(body.normal(), body.offset()),
        }
    }

    fn mesh(&mut self, mesh: &Arc<Mesh>) -> u32 {
        *self.mesh_numbers.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
            self.meshes.push(Arc::clone(mesh));
            self.meshes.len() as u32 - 1
        })
    }
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::<SharedValue<Mesh>, SharedValue<Hull>>::deserialize(deserializer)?;
        let state = State::of_form(form).map_err(D::Error::custom)?;
        Ok(Self { state: Arc::new(state) })
    }
}

/// A shared value that can be deserialised.
struct SharedValue<T>(Arc<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SharedValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(|value| Self(Arc::new(value)))
    }
}

fn bad<T>(what: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(ErrorKind::BadParameter, what))
}

/// The largest accepted number of updates, which leaves room for those to come.
const MAX_FRAME: u64 = u64::MAX / 2;

impl State {
    fn of_form(form: Form<SharedValue<Mesh>, SharedValue<Hull>>) -> Result<Self, Error> {
        if form.report.frame > MAX_FRAME {
            return bad(format!("the number of the last update is more than {MAX_FRAME}"));
        }
        let mut geometries = Vec::with_capacity(form.geometries.len());
        for parts in &form.geometries {
            let part = |part: &StoredPart| -> Result<(Shape, Pose), Error> {
                let shape = part.shape.into_shape(&form.meshes, &form.hulls)?;
                Ok((shape.with_total_margin(part.margin)?, part.pose.0))
            };
            let parts: Vec<_> = parts.iter().map(part).collect::<Result<_, _>>()?;
            geometries.push(match parts.is_empty() {
                true => Geometry::empty(),
                false => Geometry::compound(parts)?,
            });
        }
        let bodies = Bodies::from_stored(form.bodies, &geometries)?;
        let pair = |(a, b): (u32, u32)| -> Result<Key, Error> {
            let taken = |slot: u32| {
                bodies.records.get(slot as usize).is_some_and(|record| record.geometry.is_some())
            };
            if a < b && taken(a) && taken(b) {
                Ok(Key::new(a, b))
            } else {
                bad(format!("slots {a} and {b} of a pair are not two bodies in order"))
            }
        };
        let mut matrix = Matrix { rules: form.rules.checked()?, ..Matrix::default() };
        for (a, b, compared) in form.interest {
            matrix.pairs.insert(pair((a, b))?, compared);
        }
        let mut settings = Settings::default();
        for (a, b, user) in form.pair_users {
            settings.set_user(pair((a, b))?, user);
        }
        let mut met = Vec::with_capacity(form.met.len());
        let mut seen = std::collections::HashSet::new();
        for StoredMet { slots, certain, since, geometry_versions } in form.met {
            if !seen.insert(slots) || since > form.report.frame {
                return bad(
                    "a pair that meets is in the list twice, or meets since a later update",
                );
            }
            let state = if certain { PairState::Meeting } else { PairState::MeetingUncertain };
            met.push(Met { key: pair(slots)?, state, since, geometry_versions });
        }
        let mut undecided = Vec::with_capacity(form.undecided.len());
        for (a, b, since) in form.undecided {
            let key = pair((a, b))?;
            if undecided.last().is_some_and(|last: &UndecidedPair| last.key >= key) {
                return bad("undecided pairs are not in order");
            }
            undecided.push(UndecidedPair { key, since });
        }
        let was_removed = |h: &Handle| {
            bodies.records.get(h.slot()).is_some_and(|record| h.generation < record.generation)
        };
        let has_ended =
            |(a, b): &(Handle, Handle)| a.slot < b.slot && (was_removed(a) || was_removed(b));
        if !form.ended_by_removal.iter().all(has_ended) {
            return bad("a pair that ended by a removal has no body that was removed");
        }
        let (ended_by_removal, report) = (form.ended_by_removal, form.report);
        let motions = Motions::default();
        Ok(Self { bodies, matrix, motions, settings, met, undecided, ended_by_removal, report })
    }
}

impl StoredShape {
    fn into_shape(
        self,
        meshes: &[SharedValue<Mesh>],
        hulls: &[SharedValue<Hull>],
    ) -> Result<Shape, Error> {
        fn entry<T>(table: &[SharedValue<T>], number: u32) -> Result<Arc<T>, Error> {
            match table.get(number as usize) {
                Some(entry) => Ok(Arc::clone(&entry.0)),
                None => {
                    bad(format!("a shape has the index {number} in a table of {}", table.len()))
                }
            }
        }
        Ok(match self {
            Self::Mesh(number) => entry(meshes, number)?.into(),
            Self::Solid(number) => Shape::solid(entry(meshes, number)?)?,
            Self::Hull(number) => entry(hulls, number)?.into(),
            Self::Sphere(radius) => Sphere::new(radius)?.into(),
            Self::Capsule(half_height, radius) => Capsule::new(half_height, radius)?.into(),
            Self::Cuboid(half) => Cuboid::new(half)?.into(),
            Self::Cylinder(half_height, radius) => Cylinder::new(half_height, radius)?.into(),
            Self::Cone(half_height, radius) => Cone::new(half_height, radius)?.into(),
            Self::Ellipsoid(half) => Ellipsoid::new(half)?.into(),
            Self::HalfSpace(normal, offset) => HalfSpace::new(normal, offset)?.into(),
        })
    }
}

impl Rules {
    /// The rules, if they are symmetric in each pair of groups, and no pair is both "compared" and
    /// "not compared".
    fn checked(self) -> Result<Interest, Error> {
        let Self { otherwise, yes, no, links } = self;
        let entry = |table: &[u32; 32], a: usize, b: usize| table[a] >> b & 1;
        for a in 0..32 {
            for b in 0..32 {
                let symmetric = [&yes, &no].iter().all(|t| entry(t, a, b) == entry(t, b, a));
                if !symmetric || entry(&yes, a, b) & entry(&no, a, b) == 1 {
                    return bad(format!(
                        "the rules about groups {a} and {b} contradict each other"
                    ));
                }
            }
        }
        Ok(Interest {
            default_compared: otherwise,
            compared: yes,
            not_compared: no,
            max_ignored_links: links,
        })
    }
}
