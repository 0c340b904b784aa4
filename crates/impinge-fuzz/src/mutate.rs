//! Random mutations of byte strings.

use impinge_oracles::common::Random;

/// Numbers at and beyond the limits of what readers accept.
const NUMBERS: [&str; 14] = [
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999999",
    "-1",
    "0",
    "nan",
    "-inf",
    "1e999",
    "1e308",
    "-2147483648",
    "0.5",
    "",
    "1e-400",
];

/// In `0..n`, and zero for `n = 0`.
fn below(n: usize, random: &mut Random) -> usize {
    random.below(n.max(1))
}

/// A copy with one to four random changes.
pub fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let n = out.len();
        let at = below(n, random);
        let end = (at + 1 + random.below(12)).min(n);
        match random.below(9) {
            0 => out.truncate(at),
            1 if n > 0 => out[at] ^= 1 << random.below(8),
            2 if n > 0 => out[at] = random.bits() as u8,
            3 => drop(out.drain(at..end)),
            4 => {
                let piece = out[at..end].to_vec();
                let to = random.below(n + 1);
                out.splice(to..to, piece);
            }
            5 => {
                let long = (at + 200).min(n);
                out.extend_from_within(at..long);
            }
            6 => {
                // Replaces a number of the text.
                if let Some(start) = (at..n).find(|&i| out[i].is_ascii_digit()) {
                    let is_part = |b: u8| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'e');
                    let end = (start..n).find(|&i| !is_part(out[i])).unwrap_or(n);
                    let number = NUMBERS[random.below(NUMBERS.len())];
                    out.splice(start..end, number.bytes());
                }
            }
            7 if n >= 4 => {
                // Overwrites four bytes, which may be a binary count or index.
                let at = random.below(n - 3);
                let value = [u32::MAX, i32::MAX as u32, 1 << 24, 0][random.below(4)];
                out[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
            _ => {
                let padding_bytes = [b' ', b'\n', b'\r', b'\\', b'#', 0, 0xff, b'"', b'{'];
                let padding = padding_bytes[random.below(padding_bytes.len())];
                out.splice(at..at, std::iter::repeat_n(padding, 1 + random.below(3)));
            }
        }
    }
    out
}
