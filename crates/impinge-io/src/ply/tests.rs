use super::*;

const ASCII: &str = "ply\nformat ascii 1.0\ncomment c\nelement edge 1\nproperty int a\nproperty int b\n\
    element vertex 4\nproperty uchar red\nproperty double z\nproperty list uchar float w\nproperty float y\nproperty short x\n\
    element face 3\nproperty float q\nproperty list uchar int vertex_index\nend_header\n\
    0 1\n255 0.1 0 2 1\n255 0 1 7 0 5\n255 0 2 7 8 1 0\n\n255 0 0 1 1 9 9\n0.5 3 0 1 2\n0.5 4 0 1 2 3\n0.5 2 0 1\nrest\n";

#[test]
fn properties_and_elements_may_have_any_order() {
    let document = read(ASCII.as_bytes(), "t.ply").unwrap();
    let mesh = &document.meshes[0];
    assert_eq!(mesh.positions[0], [1.0, 2.0, 0.1]);
    assert_eq!(mesh.positions[1], [5.0, 0.0, 0.0]);
    assert_eq!(mesh.positions[3], [1.0, 1.0, 0.0]);
    let faces: Vec<&[u32]> = mesh.faces.iter().collect();
    assert_eq!(faces, [&[0, 1, 2][..], &[0, 1, 2, 3]]);
    let file = &document.report.files[0];
    let skipped: Vec<&str> = file.skipped.iter().map(|n| &*n.reason).collect();
    assert_eq!(
        skipped,
        [
            "rows of element `edge`",
            "faces with fewer than three corners",
            "lines after the last element"
        ]
    );
    let extra = file.ignored.iter().find(|n| n.reason.contains("beyond")).unwrap();
    assert_eq!((extra.count, extra.first), (2, Location::Line(22)));
}

fn binary(big: bool) -> Vec<u8> {
    let order = if big { "big" } else { "little" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement extra 2\nproperty list ushort double a\n\
         element face 1\nproperty uchar flag\nproperty list uchar uint vertex_indices\n\
         element vertex 3\nproperty float x\nproperty float y\nproperty double z\nend_header\n"
    )
    .into_bytes();
    macro_rules! put {
        ($x:expr) => {
            bytes.extend(if big { $x.to_be_bytes().to_vec() } else { $x.to_le_bytes().to_vec() })
        };
    }
    put!(1u16);
    put!(3.5f64);
    put!(0u16);
    put!(9u8);
    put!(3u8);
    for i in 0..3u32 {
        put!(i);
    }
    for i in 0..3u8 {
        put!(f32::from(i));
        put!(0.5f32);
        put!(0.1f64);
    }
    bytes
}

#[test]
fn binary_files_of_both_byte_orders_are_read() {
    for big in [false, true] {
        let document = read(&binary(big), "t.ply").unwrap();
        let mesh = &document.meshes[0];
        assert_eq!(mesh.positions, [[0.0, 0.5, 0.1], [1.0, 0.5, 0.1], [2.0, 0.5, 0.1]]);
        assert_eq!(mesh.faces.get(0), Some(&[0, 1, 2][..]));
        for cut in 1..60 {
            let bytes = binary(big);
            let error = read(&bytes[..bytes.len() - cut], "t.ply").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEnd, "{error}");
        }
        let mut long = binary(big);
        long.push(0);
        assert_eq!(read(&long, "t.ply").unwrap().report.files[0].skipped.len(), 2);
    }
}

#[test]
fn strips_are_split_into_triangles() {
    let text = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 0 0\n\
        11 0 1 2 3 -1 4 3 3 1 -1 0\n";
    let document = read(text.as_bytes(), "t.ply").unwrap();
    let faces: Vec<&[u32]> = document.meshes[0].faces.iter().collect();
    assert_eq!(faces, [&[0, 1, 2][..], &[2, 1, 3]]);
    assert_eq!(document.report.files[0].ignored[0].count, 2);
    assert_eq!(document.report.files[0].skipped[0].count, 1);
}

#[test]
fn errors_have_kind_and_line() {
    let fails = |from: &str, to: &str, kind, line| {
        assert!(ASCII.contains(from));
        let error = read(ASCII.replacen(from, to, 1).as_bytes(), "t.ply").unwrap_err();
        assert_eq!((error.kind(), error.location()), (kind, Location::Line(line)), "{error}");
    };
    fails("255 0.1 0 2 1", "255 0.1 0 2", ErrorKind::Syntax, 18);
    fails("255 0.1 0 2 1", "255 x 0 2 1", ErrorKind::Syntax, 18);
    fails("255 0.1 0 2 1", "255 nan 0 2 1", ErrorKind::NotFinite, 18);
    fails("255 0.1 0 2 1", "255 1e999 0 2 1", ErrorKind::NotFinite, 18);
    fails("255 0.1 0 2 1", "255 0.1 -3 2 1", ErrorKind::Syntax, 18);
    fails("0.5 3 0 1 2", "0.5 3 0 1 4", ErrorKind::IndexOutOfBounds, 23);
    fails("0.5 3 0 1 2", "0.5 3 0 1 -1", ErrorKind::IndexOutOfBounds, 23);
    fails("0.5 3 0 1 2", "0.5 1.5 0 1 2", ErrorKind::Syntax, 23);
    fails("element face 3", "element face 4294967295", ErrorKind::Syntax, 26);
    fails("element edge 1", "element edge 18446744073709551615", ErrorKind::Syntax, 26);
    fails("element vertex 4", "element vertex 4294967296", ErrorKind::TooLarge, 7);
    fails("short x", "short u", ErrorKind::Syntax, 7);
    fails("vertex_index", "indices", ErrorKind::Syntax, 13);
    fails("uchar int vertex_index", "uchar float vertex_index", ErrorKind::Syntax, 13);
    let none = read(b"ply\nformat ascii 1.0\nend_header\n", "t.ply").unwrap_err();
    assert_eq!(none.kind(), ErrorKind::Empty);
}
