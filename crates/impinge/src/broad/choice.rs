//! A broad phase by its name.

use std::fmt;
use std::str::FromStr;

use super::{
    AllPairs, Auto, BroadPhase, DynamicTree, Grid, GridOptions, Neighbours, Octree, OctreeOptions,
    SlabOctree, SlabOctreeOptions, SweepAndPrune,
};
use crate::{Error, ErrorKind};

/// The broad phases, each with its default options, to choose from at run time.
///
/// ```
/// use impinge::broad::Choice;
///
/// let choice: Choice = "sweep".parse()?;
/// assert_eq!(choice.make().name(), "sweep and prune");
/// assert!("swoop".parse::<Choice>().is_err());
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Choice {
    /// [`Neighbours`], the fastest for most of what moves.
    #[default]
    Neighbours,
    /// [`Auto`]: whichever is fastest, by trial.
    Auto,
    /// [`AllPairs`], the oracle.
    AllPairs,
    /// A [`Grid`], by axis-aligned boxes.
    Grid,
    /// A [`Grid`], by oriented boxes where there are some.
    GridOriented,
    /// An [`Octree`], by axis-aligned boxes.
    Octree,
    /// An [`Octree`], by oriented boxes where there are some.
    OctreeOriented,
    /// A [`SlabOctree`], by axis-aligned boxes.
    Slabs,
    /// A [`SlabOctree`], by oriented boxes where there are some.
    SlabsOriented,
    /// A [`SweepAndPrune`].
    Sweep,
    /// A [`DynamicTree`].
    Tree,
}

impl Choice {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Neighbours,
        Self::Auto,
        Self::AllPairs,
        Self::Grid,
        Self::GridOriented,
        Self::Octree,
        Self::OctreeOriented,
        Self::Slabs,
        Self::SlabsOriented,
        Self::Sweep,
        Self::Tree,
    ];

    /// The word for it, as [`Choice::from_str`] reads it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Neighbours => "neighbours",
            Self::Auto => "auto",
            Self::AllPairs => "all-pairs",
            Self::Grid => "grid",
            Self::GridOriented => "grid-oriented",
            Self::Octree => "octree",
            Self::OctreeOriented => "octree-oriented",
            Self::Slabs => "slabs",
            Self::SlabsOriented => "slabs-oriented",
            Self::Sweep => "sweep",
            Self::Tree => "tree",
        }
    }

    /// One without items.
    #[must_use]
    pub fn make(self) -> Box<dyn BroadPhase> {
        match self {
            Self::Neighbours => Box::new(Neighbours::new()),
            Self::Auto => Box::new(Auto::new()),
            Self::AllPairs => Box::new(AllPairs::new()),
            Self::Grid => Box::new(Grid::new()),
            Self::GridOriented => Box::new(Grid::with(GridOptions::oriented())),
            Self::Octree => Box::new(Octree::new()),
            Self::OctreeOriented => Box::new(Octree::with(OctreeOptions::oriented())),
            Self::Slabs => Box::new(SlabOctree::new()),
            Self::SlabsOriented => Box::new(SlabOctree::with(SlabOctreeOptions::oriented())),
            Self::Sweep => Box::new(SweepAndPrune::new()),
            Self::Tree => Box::new(DynamicTree::new()),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        Self::ALL.iter().copied().find(|c| c.name() == word).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|c| c.name()).collect();
            let message =
                format!("there is no broad phase {word:?}; there are {}", known.join(", "));
            Error::new(ErrorKind::BadParameter, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Boxes, SCATTERS};
    use super::super::{Bounds, Changes, Frame, Moved, Pair};
    use super::*;

    #[test]
    fn each_is_found_by_its_name_and_finds_a_pair() {
        let bounds = [0.0, 0.5, 9.0].map(|x| Bounds { min: [x; 3], max: [x + 1.0; 3] });
        let frame = Frame { bounds: &bounds, oriented: None, moved: Moved::All };
        for choice in Choice::ALL {
            assert_eq!(choice.to_string().parse::<Choice>().unwrap(), *choice);
            let (mut phase, mut changes) = (choice.make(), Changes::default());
            phase.update(&frame, &mut changes);
            assert_eq!(changes.began, [Pair { a: 0, b: 1 }], "{choice}");
            assert!(phase.bytes() > 0);
        }
        let error = "gird".parse::<Choice>().unwrap_err();
        assert!(error.to_string().contains("octree-oriented"), "{error}");
    }

    #[test]
    fn lists_may_shrink_and_grow_without_a_word() {
        let boxes = Boxes::new(4, SCATTERS[0], 120);
        let mut odd = boxes.bounds.clone();
        odd.iter_mut().step_by(7).for_each(|b| b.max[2] = f32::NAN);
        odd.iter_mut()
            .step_by(11)
            .for_each(|b| *b = Bounds { min: [f32::MAX; 3], max: [f32::INFINITY; 3] });
        odd.iter_mut()
            .step_by(13)
            .for_each(|b| *b = Bounds { min: [f32::INFINITY; 3], max: [f32::INFINITY; 3] });
        let everything: Vec<u32> = (0..120).chain([3, 3, 119, 500, u32::MAX]).collect();
        let steps: [(&[Bounds], &[u32]); 9] = [
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
        for choice in Choice::ALL {
            let (mut phase, mut oracle) = (choice.make(), AllPairs::new());
            let (mut found, mut known) = (Changes::default(), Changes::default());
            for (k, (bounds, named)) in steps.iter().enumerate() {
                let frame = Frame { bounds, oriented: None, moved: Moved::Only(named) };
                phase.update(&frame, &mut found);
                oracle.update(&frame, &mut known);
                found.sort();
                assert_eq!(found, known, "{choice}, step {k}");
            }
        }
    }

    #[test]
    fn the_same_frames_give_the_same_changes_in_the_same_order() {
        for choice in Choice::ALL {
            let mut said = [Vec::new(), Vec::new()];
            for said in &mut said {
                let mut boxes = Boxes::new(8, SCATTERS[1], 150);
                let (mut phase, mut changes) = (choice.make(), Changes::default());
                for frame in 0..30 {
                    let moved = if frame % 9 == 0 { Moved::All } else { Moved::Only(&boxes.moved) };
                    let oriented = Some(&boxes.oriented[..]);
                    phase.update(&Frame { bounds: &boxes.bounds, oriented, moved }, &mut changes);
                    said.push(changes.clone());
                    boxes.step();
                }
            }
            assert_eq!(said[0], said[1], "{choice}");
        }
    }
}
