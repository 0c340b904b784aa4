//! All broad phases by their names.

use super::{
    Auto, Grid, GridOptions, Octree, OctreeOptions, SlabOctree, SlabOctreeOptions, SweepAndPrune,
};
use crate::klosowski::dynamic_tree::TREE;
use impinge::Error;
use impinge::broad::PhaseKind;

/// [`Auto`]: the fastest of several broad phases, found by trials.
pub const AUTO: PhaseKind = PhaseKind::new("auto", || Box::new(Auto::new()));

/// [`Grid`].
pub const GRID: PhaseKind = PhaseKind::new("grid", || Box::new(Grid::new()));

/// [`Grid`] that enters items by their oriented boxes, if the frame has any.
pub const GRID_ORIENTED: PhaseKind =
    PhaseKind::new("grid-oriented", || Box::new(Grid::with(GridOptions::oriented())));

/// [`Octree`].
pub const OCTREE: PhaseKind = PhaseKind::new("octree", || Box::new(Octree::new()));

/// [`Octree`] that enters items by their oriented boxes, if the frame has any.
pub const OCTREE_ORIENTED: PhaseKind =
    PhaseKind::new("octree-oriented", || Box::new(Octree::with(OctreeOptions::oriented())));

/// [`SlabOctree`].
pub const SLABS: PhaseKind = PhaseKind::new("slabs", || Box::new(SlabOctree::new()));

/// [`SlabOctree`] that enters items by their oriented boxes, if the frame has any.
pub const SLABS_ORIENTED: PhaseKind =
    PhaseKind::new("slabs-oriented", || Box::new(SlabOctree::with(SlabOctreeOptions::oriented())));

/// [`SweepAndPrune`].
pub const SWEEP: PhaseKind = PhaseKind::new("sweep", || Box::new(SweepAndPrune::new()));

/// The broad phases of the engine and of this crate, each with its default options, for a choice
/// at run time.
///
/// ```
/// use impinge::broad::PhaseKind;
/// use impinge_papers::zachmann::{self, broad::BROAD_PHASES};
///
/// assert_eq!(PhaseKind::by_name("sweep", BROAD_PHASES)?, zachmann::broad::SWEEP);
/// assert!(PhaseKind::by_name("swoop", BROAD_PHASES).is_err());
/// # Ok::<(), impinge::Error>(())
/// ```
pub const BROAD_PHASES: &[PhaseKind] = &[
    PhaseKind::NEIGHBOURS,
    AUTO,
    PhaseKind::ALL_PAIRS,
    GRID,
    GRID_ORIENTED,
    OCTREE,
    OCTREE_ORIENTED,
    SLABS,
    SLABS_ORIENTED,
    SWEEP,
    TREE,
    PhaseKind::INCREMENTAL,
];

/// The kind of this name among [`BROAD_PHASES`].
///
/// # Errors
/// If there is none; the message lists all kinds.
pub fn phase_by_name(name: &str) -> Result<PhaseKind, Error> {
    PhaseKind::by_name(name, BROAD_PHASES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::broad::{AllPairs, BroadPhase};
    use impinge::broad::{BoxF32, Changes, FrameInput, Moved, Pair};
    use impinge::internals::broad::testing::{Boxes, SCATTERS};

    #[test]
    fn the_list_has_all_kinds_of_the_engine_and_each_name_once() {
        for kind in PhaseKind::ALL {
            assert!(BROAD_PHASES.contains(kind), "{kind} is missing");
        }
        for (n, kind) in BROAD_PHASES.iter().enumerate() {
            assert!(!BROAD_PHASES[..n].contains(kind), "{kind} is listed twice");
        }
    }

    #[test]
    fn each_is_found_by_its_name_and_finds_a_pair() {
        let bounds = [0.0, 0.5, 9.0].map(|x| BoxF32 { min: [x; 3], max: [x + 1.0; 3] });
        let frame = FrameInput { bounds: &bounds, oriented: None, moved: Moved::All };
        for choice in BROAD_PHASES {
            assert_eq!(PhaseKind::by_name(&choice.to_string(), BROAD_PHASES).unwrap(), *choice);
            let (mut phase, mut changes) = (choice.make(), Changes::default());
            phase.update_unlimited(&frame, &mut changes);
            assert_eq!(changes.began, [Pair { a: 0, b: 1 }], "{choice}");
            assert!(phase.bytes() > 0);
        }
        let error = PhaseKind::by_name("gird", BROAD_PHASES).unwrap_err();
        assert!(error.to_string().contains("octree-oriented"), "{error}");
    }

    #[test]
    fn lists_may_shrink_and_grow_without_naming_items() {
        let boxes = Boxes::new(4, SCATTERS[0], 120);
        let mut odd = boxes.bounds.clone();
        odd.iter_mut().step_by(7).for_each(|b| b.max[2] = f32::NAN);
        odd.iter_mut()
            .step_by(11)
            .for_each(|b| *b = BoxF32 { min: [f32::MAX; 3], max: [f32::INFINITY; 3] });
        odd.iter_mut()
            .step_by(13)
            .for_each(|b| *b = BoxF32 { min: [f32::INFINITY; 3], max: [f32::INFINITY; 3] });
        let everything: Vec<u32> = (0..120).chain([3, 3, 119, 500, u32::MAX]).collect();
        let steps: [(&[BoxF32], &[u32]); 9] = [
            (&boxes.bounds, &[]),
            (&boxes.bounds[..10], &[]),
            (&boxes.bounds[..70], &[5, 5]),
            (&odd[..70], &everything),
            (&odd[..0], &[]),
            (&odd, &[]),
            (&odd[..3], &everything),
            (&[], &[u32::MAX]),
            (&boxes.bounds[..90], &[0]),
        ];
        for choice in BROAD_PHASES {
            let (mut phase, mut oracle) = (choice.make(), AllPairs::new());
            let (mut found, mut known) = (Changes::default(), Changes::default());
            for (k, (bounds, named)) in steps.iter().enumerate() {
                let frame = FrameInput { bounds, oriented: None, moved: Moved::Only(named) };
                phase.update_unlimited(&frame, &mut found);
                oracle.update_unlimited(&frame, &mut known);
                found.sort();
                assert_eq!(found, known, "{choice}, step {k}");
            }
        }
    }

    #[test]
    fn the_same_frames_give_the_same_changes_in_the_same_order() {
        for choice in BROAD_PHASES {
            let mut reported = [Vec::new(), Vec::new()];
            for reported in &mut reported {
                let mut boxes = Boxes::new(8, SCATTERS[1], 150);
                let (mut phase, mut changes) = (choice.make(), Changes::default());
                for frame in 0..30 {
                    let moved = if frame % 9 == 0 { Moved::All } else { Moved::Only(&boxes.moved) };
                    let oriented = Some(&boxes.oriented[..]);
                    phase.update_unlimited(
                        &FrameInput { bounds: &boxes.bounds, oriented, moved },
                        &mut changes,
                    );
                    reported.push(changes.clone());
                    boxes.step();
                }
            }
            assert_eq!(reported[0], reported[1], "{choice}");
        }
    }
}
