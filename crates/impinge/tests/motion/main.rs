//! Space-time bounds: motions stay inside, earliest meetings agree with exact elimination, and the
//! scheduler misses nothing.

mod legal_motions;
mod meetings;
mod scheduler;
mod scheduler_random;
mod world_frames;

use impinge::motion::SpaceTimeBound;
use impinge_oracles::space_time::MovingHalfSpace;

/// The half-spaces of a bound.
fn half_spaces(bound: &SpaceTimeBound) -> Vec<MovingHalfSpace> {
    let start = bound.start();
    let mut all = Vec::new();
    for (k, [min, max]) in bound.faces().into_iter().enumerate() {
        let mut normal = [0.0; 3];
        normal[k] = 1.0;
        all.push(MovingHalfSpace { normal, base: max.base, rate: max.rate, start });
        normal[k] = -1.0;
        all.push(MovingHalfSpace { normal, base: -min.base, rate: -min.rate, start });
    }
    all.extend(bound.cutting_plane().map(|plane| MovingHalfSpace {
        normal: plane.normal.to_array(),
        base: plane.limit.base,
        rate: plane.limit.rate,
        start,
    }));
    all
}
