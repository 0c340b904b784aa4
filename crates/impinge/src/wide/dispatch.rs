//! Selects the backend for the instructions of the machine, once for each query.
#![allow(unsafe_code, reason = "calling a function compiled for AVX2 after asking for it")]

use super::Wide;

/// The backend for any machine of this architecture.
#[cfg(target_arch = "x86_64")]
pub(crate) type Baseline = super::Sse2;
/// The backend for any machine of this architecture.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Baseline = super::Portable;

/// A kernel, generic over the kind of vectors. `run` must be `#[inline(always)]`, and so must every
/// function that it passes vectors to.
pub trait Task {
    /// What the kernel returns.
    type Output;

    /// Runs the kernel with vectors of this kind.
    fn run<W: Wide>(self) -> Self::Output;
}

/// Runs the task with the best backend for this machine.
pub fn run<T: Task>(task: T) -> T::Output {
    match run_fused(task) {
        Ok(output) => output,
        Err(task) => task.run::<Baseline>(),
    }
}

/// Runs the task with the best of the vectors that give the same results on every machine.
pub(crate) fn run_reproducibly<T: Task>(task: T) -> T::Output {
    match run_fused(task) {
        Ok(output) => output,
        Err(task) => task.run::<<Baseline as Wide>::Reproducible>(),
    }
}

/// Runs the task if this machine has fused operations on vectors, which are then the fastest;
/// otherwise returns it.
#[inline(always)]
fn run_fused<T: Task>(task: T) -> Result<T::Output, T> {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("fma")
            && std::is_x86_feature_detected!("popcnt")
            && std::is_x86_feature_detected!("bmi1")
        {
            // SAFETY: the features the function is compiled for were just found on this machine.
            return Ok(unsafe { run_avx2(task) });
        }
    }
    Err(task)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,popcnt,bmi1")]
unsafe fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run::<super::Avx2>()
}
