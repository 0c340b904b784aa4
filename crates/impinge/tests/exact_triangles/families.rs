//! Families of random pairs of triangles, reproducible by number.

use impinge::Vec3;
use impinge_oracles::common;

pub(crate) struct Random(common::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
        let mut random = Self(common::Random::new(mixed));
        random.bits();
        random
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// An integer from `-n` to `n`.
    pub(crate) fn integer(&mut self, n: u64) -> f64 {
        self.below(2 * n + 1) as f64 - n as f64
    }

    /// In [-1, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.signed()
    }

    pub(crate) fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    pub(crate) fn vector(&mut self, mut coordinate: impl FnMut(&mut Self) -> f64) -> Vec3 {
        Vec3::new(coordinate(self), coordinate(self), coordinate(self))
    }
}

pub(crate) type Triangle = [Vec3; 3];
pub(crate) type Pair = [Triangle; 2];

/// A family: its name, its share, and the generator of a pair.
type Family = (&'static str, u64, fn(&mut Random) -> Pair);

/// The families with their share in every 64 pairs. Those with very different magnitudes are slow
/// to check.
pub(crate) const FAMILIES: &[Family] = &[
    ("grid", 14, grid),
    ("floats", 6, floats),
    ("coplanar", 8, coplanar),
    ("nearly coplanar", 7, nearly_coplanar),
    ("shared vertex", 5, shared_vertex),
    ("shared edge", 5, shared_edge),
    ("degenerate", 6, degenerate),
    ("far from the origin", 5, far),
    ("slivers", 4, slivers),
    ("denormals", 2, denormals),
    ("mixed scales", 1, mixed_scales),
    ("any bits", 1, any_bits),
];

/// The pair of that number, and its family.
pub(crate) fn pair(number: u64) -> (&'static str, Pair) {
    let mut random = Random::new(number);
    let mut slot = number % 64;
    for (name, share, family) in FAMILIES {
        if slot < *share {
            return (name, family(&mut random));
        }
        slot -= share;
    }
    unreachable!("the shares add up to 64")
}

fn vectors(random: &mut Random, mut coordinate: impl FnMut(&mut Random) -> f64) -> Pair {
    [[(); 3]; 2].map(|t| t.map(|()| random.vector(&mut coordinate)))
}

/// Small integers: every kind of degeneracy.
fn grid(random: &mut Random) -> Pair {
    let n = [1, 2, 3, 4, 8][random.below(5) as usize];
    let mut pair = vectors(random, |r| r.integer(n));
    if random.chance(4) {
        // Box-like: sides along the axes.
        for triangle in &mut pair {
            let axis = random.below(3) as usize;
            triangle[1][axis] = triangle[0][axis];
            triangle[2][axis] = triangle[0][axis];
        }
    }
    pair
}

fn floats(random: &mut Random) -> Pair {
    let size = if random.chance(2) { 1.0 } else { 0.1 };
    let mut pair = vectors(random, Random::unit);
    let center = random.vector(Random::unit);
    pair[1] = pair[1].map(|v| v * size + center * 0.5);
    pair
}

/// Both triangles in one plane: an integer lattice spanned by two random vectors, scaled by a power
/// of two.
fn coplanar(random: &mut Random) -> Pair {
    let n = [2, 5, 50, 1 << 20][random.below(4) as usize];
    let (origin, u, v) = (
        random.vector(|r| r.integer(n)),
        random.vector(|r| r.integer(n)),
        random.vector(|r| r.integer(n)),
    );
    let m = [1, 2, 3, 6][random.below(4) as usize];
    let scale = (random.integer(30)).exp2();
    [[(); 3]; 2].map(|t| {
        t.map(|()| {
            let (s, t) = (random.integer(m), random.integer(m));
            (origin + u * s + v * t) * scale
        })
    })
}

/// `x` changed by some units in the last place, also across zero.
fn add_ulps(x: f64, steps: i64) -> f64 {
    let ordered = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    let moved = ordered(x) + steps;
    let bits = if moved < 0 { i64::MIN - moved } else { moved };
    f64::from_bits(bits as u64)
}

/// Both triangles in one plane, except for the last bits.
fn nearly_coplanar(random: &mut Random) -> Pair {
    let mut pair = if random.chance(2) {
        coplanar(random)
    } else {
        // Rounded points of a random plane.
        let (origin, u, v) =
            (random.vector(Random::unit), random.vector(Random::unit), random.vector(Random::unit));
        [[(); 3]; 2].map(|t| t.map(|()| origin + u * random.unit() + v * random.unit()))
    };
    for triangle in &mut pair {
        for corner in triangle {
            if random.chance(2) {
                let axis = random.below(3) as usize;
                let x = corner[axis];
                // The neighbours of zero are denormal, which is another family.
                if x != 0.0 {
                    corner[axis] = add_ulps(x, random.integer(2) as i64);
                }
            }
        }
    }
    pair
}

fn some_pair(random: &mut Random) -> Pair {
    match random.below(4) {
        0 => grid(random),
        1 => floats(random),
        2 => coplanar(random),
        _ => nearly_coplanar(random),
    }
}

fn shared_vertex(random: &mut Random) -> Pair {
    let mut pair = some_pair(random);
    pair[1][random.below(3) as usize] = pair[0][random.below(3) as usize];
    pair
}

fn shared_edge(random: &mut Random) -> Pair {
    let mut pair = some_pair(random);
    let (i, j) = (random.below(3) as usize, random.below(3) as usize);
    let ends = [pair[0][i], pair[0][(i + 1) % 3]];
    let turned = random.below(2) as usize;
    pair[1][j] = ends[turned];
    pair[1][(j + 1) % 3] = ends[1 - turned];
    pair
}

/// Changes a triangle to a segment, with or without a corner between its ends, or to a point.
fn flatten(triangle: &mut Triangle, random: &mut Random) {
    let i = random.below(3) as usize;
    let (p, q) = (triangle[i], triangle[(i + 1) % 3]);
    match random.below(4) {
        0 => triangle[(i + 2) % 3] = p,
        1 => *triangle = [p; 3],
        2 => triangle[(i + 2) % 3] = (p + q) * 0.5,
        _ => triangle[(i + 2) % 3] = p + (q - p) * random.integer(2),
    }
}

fn degenerate(random: &mut Random) -> Pair {
    let mut pair = match random.below(5) {
        0 => floats(random),
        1 => coplanar(random),
        2 => shared_vertex(random),
        _ => grid(random),
    };
    let which = random.below(3) as usize;
    if which != 1 {
        flatten(&mut pair[0], random);
    }
    if which != 0 {
        flatten(&mut pair[1], random);
    }
    pair
}

fn far(random: &mut Random) -> Pair {
    let pair = some_pair(random);
    let offset = random.vector(|r| r.unit() * 10_f64.powf(10.5 + 4.5 * r.unit()));
    pair.map(|t| t.map(|v| v + offset))
}

/// Triangles whose corners are nearly collinear.
fn slivers(random: &mut Random) -> Pair {
    let base = [random.vector(Random::unit), random.vector(Random::unit)];
    [(); 2].map(|()| {
        let shift = random.vector(|r| r.unit() * if r.chance(2) { 1e-16 } else { 1e-3 });
        let (p, q) = (base[0] + shift, base[1] - shift);
        let mut r = p + (q - p) * random.unit();
        for axis in 0..3 {
            r[axis] = add_ulps(r[axis], random.integer(4) as i64);
        }
        let mut triangle = [p, q, r];
        triangle.rotate_left(random.below(3) as usize);
        triangle
    })
}

/// Multiples of the smallest number, also mixed with ordinary and huge numbers.
fn denormals(random: &mut Random) -> Pair {
    let tiny = f64::from_bits(1);
    let kind = random.below(4);
    vectors(random, |r| match kind {
        0 => r.integer(4) * tiny,
        1 => r.integer(1 << 40) * tiny,
        2 => r.integer(3) * if r.chance(3) { 1.0 } else { tiny },
        _ => r.integer(3) * if r.chance(3) { 1e60 } else { 1e-310 },
    })
}

fn mixed_scales(random: &mut Random) -> Pair {
    let kind = random.below(3);
    let common = random.unit();
    vectors(random, |r| {
        let exponent = match kind {
            0 => -120.0 + 180.0 * r.unit(),
            1 => 60.0 * r.unit(),
            _ => 30.0 * r.unit() - 100.0 + 100.0 * common,
        };
        r.unit() * 10_f64.powf(exponent)
    })
}

/// Any finite bit pattern within the exact range.
pub(crate) fn any_number(random: &mut Random) -> f64 {
    loop {
        let x = f64::from_bits(random.bits());
        if x.abs() <= 1e100 {
            return x;
        }
    }
}

fn any_bits(random: &mut Random) -> Pair {
    let mut pair = vectors(random, any_number);
    if random.chance(2) {
        // Copy some coordinates; otherwise the triangles would hardly ever meet.
        for _ in 0..9 {
            let copy = pair[random.below(2) as usize][random.below(3) as usize];
            let axis = random.below(3) as usize;
            pair[random.below(2) as usize][random.below(3) as usize][axis] = copy[axis];
        }
    }
    pair
}
