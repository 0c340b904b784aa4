//! A value of every type, in both formats.

use impinge::convex::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere};
use impinge::math::OrientedBox;
use impinge::world::{Body, Geometry, Interest, World};
use impinge::{
    Aabb, CheckOptions, Error, Mesh, Pose, Shape, Vec3, broad::BoxF32, check_pair, shapes,
};
use serde::Serialize;

use super::{BINARY, Form, KINDS, Kind};

/// Both formats of a value, each after the byte that selects its type and format.
fn both<T: Serialize>(kind: Kind, value: &T) -> [Vec<u8>; 2] {
    [Form::Json, Form::Binary].map(|form| {
        let format_bit = if matches!(form, Form::Binary) { BINARY } else { 0 };
        [vec![kind as u8 | format_bit], form.write(value)].concat()
    })
}

/// A mesh with a polygon that is not a triangle, and with a vertex that moved since its
/// triangulation.
fn polygons() -> Result<Mesh, Error> {
    let vertices = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.5], [0.0, 2.0]];
    let vertices: Vec<Vec3> = vertices.map(|[x, y]| Vec3::new(x, y, 0.1)).to_vec();
    let mesh = Mesh::from_polygons(vertices.clone(), &[vec![0, 1, 2, 3, 4], vec![0, 2, 1]])?;
    let moved = vertices.iter().map(|v| Vec3::new(v.x, -v.y, v.z)).collect();
    mesh.with_vertices(moved)
}

fn points() -> Vec<Vec3> {
    (0..9).map(|i| Vec3::from([1.3, 2.9, 4.7].map(|k| (f64::from(i) * k).sin()))).collect()
}

/// A world with every kind of shape, attached and removed bodies, and settings of pairs.
fn world() -> Result<World, Error> {
    let mut world = World::new();
    let mut rules = Interest::everything();
    rules.ignore_links(1);
    world.set_rules(rules);
    let block = std::sync::Arc::new(shapes::cuboid([0.5, 0.5, 0.5])?);
    let compound = Geometry::compound([
        (Shape::solid(block.clone())?, Pose::from_translation([0.0, 0.0, 0.5])?),
        (Capsule::new(0.5, 0.1)?.into(), Pose::from_axis_angle([1.0, 1.0, 0.0], 0.5)?),
    ])?;
    let forms: Vec<Geometry> = vec![
        Shape::from(block).into(),
        Shape::from(Hull::new(&points())?).rounded(0.1)?.into(),
        Sphere::new(0.4)?.into(),
        Cuboid::new([0.3, 0.4, 0.5])?.into(),
        Cylinder::new(0.5, 0.25)?.into(),
        Shape::from(Cone::new(0.5, 0.25)?).rounded(0.05)?.into(),
        Ellipsoid::new([0.5, 0.3, 0.2])?.into(),
        HalfSpace::new([0.0, 0.1, 1.0], -1.0)?.into(),
        compound,
        Geometry::empty(),
    ];
    let mut bodies = Vec::new();
    for (i, form) in forms.into_iter().enumerate() {
        let x = 0.4 * i as f64;
        let pose = Pose::from_translation([x, (3.0 * x).sin(), 0.0])?;
        let mut body = Body::new(form).at(pose).user(i as u64).groups(1 << (i % 3));
        if i % 5 == 4 {
            body = body.attached_to(bodies[i - 2]);
        }
        bodies.push(world.add(body)?);
    }
    world.set_interest(bodies[0], bodies[1], Some(false))?;
    world.set_pair_user(bodies[2], bodies[3], 77)?;
    world.update();
    world.remove(bodies[6])?;
    world.update();
    world.remove(bodies[3])?;
    world.move_to(bodies[5], Pose::from_axis_angle([1.0, 2.0, 3.0], 1.0)?)?;
    Ok(world)
}

/// A value of every type, in both formats.
pub fn all() -> Vec<Vec<u8>> {
    let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 1.0).unwrap();
    let points = points();
    let world = world().unwrap();
    let solids = [shapes::cuboid([1.0; 3]), shapes::tetrahedron(1.0)].map(Result::unwrap);
    let options = CheckOptions::default().distance(true);
    let aabb = Aabb { min: Vec3::ZERO, max: Vec3::splat(f64::INFINITY) };
    let make = |kind: Kind| match kind {
        Kind::Snapshot => both(kind, &world.snapshot()),
        Kind::Mesh => both(kind, &polygons().unwrap()),
        Kind::Hull => both(kind, &Hull::new(&points).unwrap()),
        Kind::Pose => both(kind, &pose),
        Kind::Aabb => both(kind, &aabb),
        Kind::BoxF32 => both(kind, &BoxF32::from(aabb)),
        Kind::OrientedBox => both(kind, &OrientedBox::around(&points)),
        Kind::Report => both(kind, world.report()),
        Kind::PairReport => both(kind, &check_pair(&solids[0], &solids[1], &pose, &options)),
    };
    KINDS.into_iter().flat_map(make).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::world::Snapshot;

    /// A seed that is rejected would cover little of the readers.
    #[test]
    fn the_seeds_are_read() {
        let seeds = all();
        assert_eq!(seeds.len(), 2 * KINDS.len());
        for pair in seeds.chunks(2) {
            assert!(serde_json::from_slice::<serde_json::Value>(&pair[0][1..]).is_ok());
            assert_eq!(pair[0][0] | BINARY, pair[1][0]);
        }
        for (seed, form) in seeds.iter().zip([Form::Json, Form::Binary]) {
            let snapshot = form.value::<Snapshot>(&seed[1..]).unwrap();
            assert_eq!(snapshot.handles().count(), 8);
        }
        assert!(Form::Binary.value::<Mesh>(&seeds[3][1..]).is_some());
        assert!(Form::Json.value::<Hull>(&seeds[4][1..]).is_some());
    }
}
