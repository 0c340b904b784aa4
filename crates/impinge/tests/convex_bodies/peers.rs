//! Test cases of other libraries, with signed distances from the hull of all differences.

use super::json::Json;
use super::*;
use impinge::convex::{Cuboid, Hull};
use reference::signed_distance;

fn cases(name: &str) -> Option<Json> {
    let path = impinge_oracles::common::model(&format!("peers_expected/{name}"))?;
    Some(Json::parse(&std::fs::read_to_string(path).unwrap()))
}

fn vector(numbers: &[f64]) -> Vec3 {
    Vec3::new(numbers[0], numbers[1], numbers[2])
}

#[test]
fn convex_pairs_of_fcl_match_their_distances() {
    let Some(file) = cases("fcl_convex_convex.json") else { return };
    for case in file.get("cases").list() {
        let shapes = case.get("shapes").list();
        let [a, b] = [0, 1].map(|i| {
            let points: Vec<Vec3> =
                shapes[i].get("vertices").list().iter().map(|p| vector(&p.numbers())).collect();
            let m = shapes[i].get("pose_rowmajor_4x4").numbers();
            let rows = [0, 4, 8].map(|k| [m[k], m[k + 1], m[k + 2], m[k + 3]]);
            (points, Pose::from_nearest_rotation(rows).unwrap())
        });
        let pose = Pose::relative(&a.1, &b.1);
        let placed: Vec<Vec3> = b.0.iter().map(|p| pose.transform_point(*p)).collect();
        let signed = signed_distance(&a.0, &placed);
        let given = case.get("oracle_signed_distance").number();
        assert!((signed - given).abs() < 1e-7, "{signed} {given}");
        let (a, b) = (Hull::new(&a.0).unwrap(), Hull::new(&b.0).unwrap());
        let name = case.get("case").text();
        expect(&a, &b, &pose, [signed, 1e-12, 1e-8], &name);
    }
}

#[test]
fn boxes_of_libccd_match_their_distances() {
    let Some(file) = cases("libccd_box_box.json") else { return };
    for case in file.get("cases").list() {
        let [(a, at), (b, bt)] = ["box1", "box2"].map(|name| {
            let given = case.get(name);
            let q = given.get("quat_xyzw").numbers();
            let position = vector(&given.get("pos").numbers());
            let pose = Pose::from_quaternion([q[0], q[1], q[2], q[3]], position).unwrap();
            (Cuboid::new(vector(&given.get("size").numbers()) * 0.5).unwrap(), pose)
        });
        let pose = Pose::relative(&at, &bt);
        let placed = b.corners().map(|p| pose.transform_point(p));
        let signed = signed_distance(&a.corners(), &placed);
        let given = case.get("oracle_signed_distance").number();
        assert!((signed - given).abs() < 1e-12, "{signed} {given}");
        expect(&a, &b, &pose, [signed, 1e-13, 1e-8], &case.get("case").text());
    }
}
