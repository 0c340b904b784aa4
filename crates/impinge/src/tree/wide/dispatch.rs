//! Which instructions the machine has, asked once a query.
#![allow(unsafe_code, reason = "calling a function compiled for AVX2 after asking for it")]

use crate::sink::{NearSink, Sink};

use super::lanes::Portable;
use super::near::NearQuery;
use super::traverse::Query;

/// Runs the query with the widest instructions at hand.
pub(super) fn run(query: &mut Query<'_>, sink: &mut dyn Sink) {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx2() {
            // SAFETY: the features the function is compiled for were just found on this machine.
            unsafe { run_avx2(query, sink) };
            return;
        }
    }
    query.run::<Portable>(sink);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,popcnt,bmi1")]
unsafe fn run_avx2(query: &mut Query<'_>, sink: &mut dyn Sink) {
    query.run::<super::lanes::Avx2>(sink);
}

/// Runs the search for near pairs with the widest instructions at hand.
pub(super) fn run_near(query: &NearQuery<'_>, sink: &mut dyn NearSink) {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx2() {
            // SAFETY: the features the function is compiled for were just found on this machine.
            unsafe { run_near_avx2(query, sink) };
            return;
        }
    }
    query.run::<Portable>(sink);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,popcnt,bmi1")]
unsafe fn run_near_avx2(query: &NearQuery<'_>, sink: &mut dyn NearSink) {
    query.run::<super::lanes::Avx2>(sink);
}

/// Whether the machine has what the functions above are compiled for.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("fma")
        && std::is_x86_feature_detected!("popcnt")
        && std::is_x86_feature_detected!("bmi1")
}
