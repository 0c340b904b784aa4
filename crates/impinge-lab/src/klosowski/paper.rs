//! The numbers of the paper's tables. Times of queries are in milliseconds on a 195 MHz R10000,
//! times of building in minutes.

/// Table 1: `C_v` and `C_u` in milliseconds, by 6-, 14-, 18- and 26-DOP.
pub(super) const TABLE_1: [[f64; 4]; 2] =
    [[0.0008, 0.0016, 0.0020, 0.0028], [0.0045, 0.0174, 0.0235, 0.0509]];

/// Section 5.2.1: `C_p` in milliseconds.
pub(super) const TRIANGLE_PAIR: f64 = 0.0035;

/// Table 2, its upper part: triangles of the environment and of the object, steps, contacts, by
/// data set.
pub(super) const SCENES: [[u64; 4]; 5] = [
    [143_690, 143_690, 2000, 2657],
    [98_114, 20_000, 2000, 1472],
    [100_000, 14_646, 10_000, 7906],
    [40_000, 36, 1000, 0],
    [169_944, 404, 2528, 84_931],
];

/// Table 2: milliseconds per check, by 6-, 14-, 18-, 26-DOP and RAPID, then by data set.
pub(super) const TABLE_2: [[f64; 5]; 5] = [
    [0.487, 0.294, 1.639, 0.582, 4.375],
    [0.392, 0.191, 0.760, 0.153, 2.701],
    [0.366, 0.184, 0.356, 0.109, 2.754],
    [0.525, 0.210, 0.415, 0.076, 2.639],
    [0.934, 0.242, 0.494, 0.556, 4.375],
];

/// Table 3: minutes to build the environment's tree of 18-DOPs, by rule (longest side, min sum, min
/// max, splatter, and RAPID), then by data set.
pub(super) const TABLE_3: [[f64; 5]; 5] = [
    [3.61, 1.61, 1.69, 0.31, 5.78],
    [26.75, 19.12, 20.98, 7.17, 31.03],
    [28.03, 19.16, 20.87, 7.19, 31.13],
    [3.63, 1.62, 1.71, 0.32, 5.71],
    [1.05, 0.69, 0.71, 0.26, 1.31],
];

/// Table 4: milliseconds per check of 18-DOPs divided at the mean, by rule (longest side, min sum,
/// min max, splatter), then by data set.
pub(super) const TABLE_4: [[f64; 5]; 4] = [
    [0.384, 0.192, 0.366, 0.111, 3.036],
    [0.356, 0.185, 0.330, 0.108, 2.667],
    [0.391, 0.191, 0.439, 0.111, 2.783],
    [0.366, 0.184, 0.356, 0.109, 2.754],
];

/// Table 5: as Table 4, divided at the median.
pub(super) const TABLE_5: [[f64; 5]; 4] = [
    [0.476, 0.193, 0.412, 0.116, 3.164],
    [0.450, 0.192, 0.359, 0.111, 2.822],
    [0.530, 0.196, 0.450, 0.114, 3.080],
    [0.481, 0.194, 0.396, 0.113, 2.774],
];

/// The distances of the nested spheres of Tables 6 and 7.
pub(super) const ALPHAS: [f64; 8] = [0.55, 0.1, 0.055, 0.01, 0.0055, 0.001, 0.00055, 0.0001];

/// Table 6: `N_v` for spheres of 2,000 triangles, by 6-, 14-, 18-, 26-DOP and RAPID, then by
/// distance.
pub(super) const TABLE_6: [[u64; 8]; 5] = [
    [388, 49_494, 76_506, 109_086, 113_200, 116_340, 116_710, 116_948],
    [32, 16_888, 41_782, 85_656, 90_896, 95_150, 95_564, 96_056],
    [46, 11_236, 34_744, 79_968, 86_036, 91_482, 92_124, 92_684],
    [22, 4652, 23_774, 74_052, 81_160, 87_622, 88_322, 88_968],
    [121, 3333, 7479, 41_645, 60_327, 91_983, 95_717, 100_047],
];

/// Table 7: as Table 6, for spheres of 20,000 triangles.
pub(super) const TABLE_7: [[u64; 8]; 5] = [
    [278, 289_126, 494_278, 1_129_398, 1_223_900, 1_320_158, 1_329_154, 1_337_116],
    [14, 85_012, 239_884, 831_528, 960_952, 1_102_260, 1_115_030, 1_127_908],
    [46, 55_390, 194_414, 762_668, 903_056, 1_063_346, 1_079_676, 1_095_868],
    [14, 12_218, 119_556, 675_152, 831_104, 1_019_272, 1_038_126, 1_058_072],
    [117, 2441, 5495, 43_589, 87_071, 428_027, 609_843, 932_561],
];

/// Section 5: bytes per triangle of the environment with its tree, by 6-, 14-, 18- and 26-DOP, and
/// as reported for RAPID. 84 of them are the mesh.
pub(super) const BYTES: [f64; 5] = [204.0, 332.0, 396.0, 524.0, 412.0];

/// Bytes per triangle of the mesh alone, part of [`BYTES`].
pub(super) const MESH_BYTES: f64 = 84.0;
