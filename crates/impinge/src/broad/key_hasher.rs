//! The hash of a pair of small numbers.

use std::hash::{BuildHasher, Hasher};

/// Hashes keys by one multiplication. Keys are not chosen by an adversary.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyHasher;

/// The state of [`KeyHasher`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyState(u64);

impl BuildHasher for KeyHasher {
    type Hasher = KeyState;

    fn build_hasher(&self) -> KeyState {
        KeyState::default()
    }
}

impl Hasher for KeyState {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}
