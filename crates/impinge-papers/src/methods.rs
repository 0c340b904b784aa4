//! The published pairwise methods as methods of a [`World`](impinge::World).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use impinge::Error;
use impinge::answer::Bounds;
use impinge::convex::Hull;
use impinge::mesh::Mesh;
use impinge::world::{BodyPart, MethodKind, PairAnswer, PairQuery, PairTraits, PairWitness};

use crate::{hubbard, klosowski, leung, zachmann};

/// The pairwise methods of all papers, each with its default options, to choose from at run time.
///
/// ```
/// use impinge::world::{Body, MethodKind, World, WorldOptions};
/// use impinge::shapes;
/// use impinge_papers::METHODS;
///
/// let method = MethodKind::by_name("18-dop", METHODS)?;
/// let mut world = World::with_options(WorldOptions::default().method(Some(method)));
/// let ring = shapes::torus(2.0, 0.5, 48, 24)?;
/// let [a, b] = [world.add(Body::new(ring.clone()))?, world.add(Body::new(ring))?];
/// assert_eq!(world.update().events().len(), 1);
/// assert_eq!(world.explain(a, b)?.chosen.name(), "18-dop");
/// # Ok::<(), impinge::Error>(())
/// ```
pub const METHODS: &[MethodKind] = &joined::<COUNT>(OF_PAPERS);

/// The methods of each paper.
const OF_PAPERS: [&[MethodKind]; 4] = [
    zachmann::methods::METHODS,
    klosowski::methods::METHODS,
    leung::methods::METHODS,
    hubbard::methods::METHODS,
];

const COUNT: usize =
    OF_PAPERS[0].len() + OF_PAPERS[1].len() + OF_PAPERS[2].len() + OF_PAPERS[3].len();

/// All entries of the lists, one list after the other.
const fn joined<const N: usize>(lists: [&[MethodKind]; 4]) -> [MethodKind; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut entry, mut count) = (0, 0, 0);
    while list < lists.len() {
        if entry < lists[list].len() {
            all[count] = lists[list][entry];
            (entry, count) = (entry + 1, count + 1);
        } else {
            (list, entry) = (list + 1, 0);
        }
    }
    assert!(count == N);
    all
}

/// The kind of this name among [`METHODS`].
///
/// # Errors
/// If there is none; the message lists all methods.
pub fn method_by_name(name: &str) -> Result<MethodKind, Error> {
    MethodKind::by_name(name, METHODS)
}

/// Data that is computed once for each mesh and shared by all pairs of the mesh.
#[derive(Debug)]
pub(crate) struct PerMesh<T> {
    /// By the address of the mesh.
    entries: Mutex<HashMap<usize, Entry<T>>>,
}

#[derive(Debug)]
struct Entry<T> {
    /// Prevents the address from being reused.
    mesh: Weak<Mesh>,
    made: Arc<OnceLock<Arc<T>>>,
}

impl<T> Default for PerMesh<T> {
    fn default() -> Self {
        Self { entries: Mutex::default() }
    }
}

impl<T> PerMesh<T> {
    /// The data of a mesh, computed by `make` if it does not exist yet. Threads that need the data
    /// of the same mesh wait for each other; other threads do not.
    pub(crate) fn get(&self, mesh: &Arc<Mesh>, make: impl FnOnce(&Mesh) -> T) -> Arc<T> {
        let made = {
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            if entries.len() == entries.capacity() {
                entries.retain(|_, entry| entry.mesh.strong_count() > 0);
            }
            let entry = entries
                .entry(Arc::as_ptr(mesh) as usize)
                .or_insert_with(|| Entry { mesh: Arc::downgrade(mesh), made: Arc::default() });
            Arc::clone(&entry.made)
        };
        Arc::clone(made.get_or_init(|| Arc::new(make(mesh))))
    }
}

/// The meshes of a pair to which a method for meshes applies.
pub(crate) fn meshes_of<'a>(a: &'a BodyPart, b: &'a BodyPart) -> (&'a Arc<Mesh>, &'a Arc<Mesh>) {
    a.shape().mesh().zip(b.shape().mesh()).expect("the method applies to meshes")
}

/// The hulls of a pair to which a method for hulls applies.
pub(crate) fn hulls_of<'a>(a: &'a BodyPart, b: &'a BodyPart) -> (&'a Hull, &'a Hull) {
    a.own_hull().zip(b.own_hull()).expect("the method applies to hulls")
}

/// Whether both are meshes.
pub(crate) fn are_meshes(pair: &PairTraits) -> bool {
    pair.a.triangles.is_some() && pair.b.triangles.is_some()
}

/// Whether both are hulls or boxes, without margins.
pub(crate) fn are_hulls(pair: &PairTraits) -> bool {
    pair.a.corners.is_some() && pair.b.corners.is_some()
}

/// The product of the numbers of triangles.
pub(crate) fn triangle_pairs(pair: &PairTraits) -> f64 {
    let count = |triangles: Option<usize>| triangles.unwrap_or(1).max(1) as f64;
    count(pair.a.triangles) * count(pair.b.triangles)
}

/// The sum of the numbers of corners of hulls.
pub(crate) fn corners(pair: &PairTraits) -> f64 {
    (pair.a.corners.unwrap_or(0) + pair.b.corners.unwrap_or(0)) as f64
}

/// The answer for two meshes whose surfaces were compared exactly. `found` are two triangles that
/// meet. If there are none, one solid may still be inside the other.
pub(crate) fn of_surfaces(pair: &PairQuery<'_>, found: Option<(u32, u32)>) -> PairAnswer {
    match found {
        Some((a, b)) => {
            let (triangle_a, triangle_b) = (Some(a), Some(b));
            let witness = PairWitness { triangle_a, triangle_b, point: None };
            PairAnswer::Intersecting { certain: true, witness: Some(witness) }
        }
        None => match pair.contained_point() {
            Some(point) => {
                let witness = PairWitness { point: Some(point), ..PairWitness::default() };
                PairAnswer::Intersecting { certain: true, witness: Some(witness) }
            }
            None => PairAnswer::Separated { certain: true },
        },
    }
}

/// The certain answer of a method without a witness.
pub(crate) fn decided(meets: bool) -> PairAnswer {
    match meets {
        true => PairAnswer::Intersecting { certain: true, witness: None },
        false => PairAnswer::Separated { certain: true },
    }
}

/// The bounds by the boxes of the shapes, for a budget that ends before any comparison.
pub(crate) fn by_boxes(pair: &PairQuery<'_>) -> PairAnswer {
    let [a, b] = pair.boxes();
    PairAnswer::Undecided(Bounds::of_boxes(&a, &b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::shapes;

    #[test]
    fn names_are_different_and_found() {
        for (n, kind) in METHODS.iter().enumerate() {
            assert_eq!(method_by_name(kind.name()).unwrap(), *kind);
            assert!(METHODS[..n].iter().chain(MethodKind::ALL).all(|k| k.name() != kind.name()));
            assert!(kind.make().is_some());
        }
        assert!(method_by_name("box-three").unwrap_err().to_string().contains("box-tree"));
    }

    #[test]
    fn data_of_a_mesh_is_shared_and_dropped_with_it() {
        let kept = PerMesh::<usize>::default();
        let mesh = Arc::new(shapes::cuboid([1.0, 1.0, 1.0]).unwrap());
        let first = kept.get(&mesh, |mesh| mesh.triangles().len());
        let again = kept.get(&mesh, |_| unreachable!("the data exists"));
        assert!(Arc::ptr_eq(&first, &again) && *first == 12);
        // The entry does not keep the mesh alive, so it can be taken out of its pointer.
        assert!(Arc::try_unwrap(mesh).is_ok());
        for n in 1..100 {
            let mesh = Arc::new(shapes::plane([1.0, 1.0], [n, 1]).unwrap());
            assert_eq!(*kept.get(&mesh, |mesh| mesh.triangles().len()), 2 * n);
        }
        assert!(kept.entries.lock().unwrap().len() < 60);
    }
}
