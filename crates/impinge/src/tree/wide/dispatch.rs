//! Which instructions the machine has, asked once a query.
#![allow(unsafe_code, reason = "calling a function compiled for AVX2 after asking for it")]

use crate::sink::Sink;

use super::lanes::Portable;
use super::traverse::Query;

/// Runs the query with the widest instructions at hand.
pub(super) fn run(query: &mut Query<'_>, sink: &mut dyn Sink) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("fma")
            && std::is_x86_feature_detected!("popcnt")
            && std::is_x86_feature_detected!("bmi1")
        {
            // SAFETY: the features the function is compiled for were just found on this machine.
            unsafe { run_avx2(query, sink) };
            return;
        }
    }
    query.run_ranked::<Portable>(sink);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,popcnt,bmi1")]
unsafe fn run_avx2(query: &mut Query<'_>, sink: &mut dyn Sink) {
    query.run_ranked::<super::lanes::Avx2>(sink);
}
