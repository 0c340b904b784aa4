//! Data structures that the broad phases of several papers share.

mod candidate_pairs;
mod movers;

pub(crate) use candidate_pairs::CandidatePairs;
pub(crate) use movers::Movers;
