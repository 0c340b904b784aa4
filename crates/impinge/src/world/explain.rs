//! Explanations: by which method a pair is checked, and why.

use std::fmt;

use super::interest::InterestRule;
use super::method::Method;
use super::narrow::PairState;
use super::pair_method::PairTraits;
use super::selection::{Estimate, MethodSelector, SelectedBy, Selection};
use super::{Handle, MethodKind, World};
use crate::arrays::MapEach;
use crate::error::Error;
use crate::pair::Bias;

/// All conditions that determine how a pair is checked, as of the last update. The `Display` form
/// is a text of a few lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Whether the pair is compared.
    pub compared: bool,
    /// The rule that decided `compared`.
    pub rule: InterestRule,
    /// Whether the boxes overlap and the pair is compared, so that it is checked.
    pub listed: bool,
    /// The traits of the first parts of the two. The default value if one of them is a frame, which
    /// has no parts.
    pub traits: PairTraits,
    /// The expected cost of each method: of the engine's methods, and of those that were selected
    /// anywhere in this world.
    pub estimates: Vec<Estimate>,
    /// The methods that were selected for the pair, its classes or the world, in the order in which
    /// they are considered. One that comes before the chosen one cannot decide for these shapes.
    pub selected: Vec<(MethodKind, SelectedBy)>,
    /// The method that is used.
    pub chosen: MethodKind,
    /// Which rule chose it.
    pub chosen_by: SelectedBy,
    /// The direction of possible errors of that method; `None` if its answers are certain.
    pub method_bias: Option<Bias>,
    /// Whether they meet; `None` if the pair was not checked, or no check has decided yet.
    pub meeting: Option<bool>,
    /// The direction of a possible error of `meeting`; `None` if it is certain, or not known.
    pub bias: Option<Bias>,
    /// Whether the last check did not decide, so that `meeting` is older.
    pub undecided: bool,
    /// Whether hulls alone decided the last check.
    pub decided_by_hulls: bool,
}

impl World {
    /// Explains how a pair is checked.
    ///
    /// ```
    /// use impinge::world::{Body, MethodKind, World};
    /// use impinge::shapes;
    ///
    /// let mut world = World::new();
    /// let a = world.add(Body::new(shapes::torus(1.0, 0.3, 64, 32)?))?;
    /// let b = world.add(Body::new(shapes::icosphere(0.5, 12)?))?;
    /// world.update();
    /// let explanation = world.explain(a, b)?;
    /// assert_eq!(explanation.chosen, MethodKind::HULLS_THEN_TRIANGLES);
    /// println!("{explanation}");
    /// # Ok::<(), impinge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if one of them was removed.
    pub fn explain(&self, a: Handle, b: Handle) -> Result<Explanation, Error> {
        let key = self.key(a, b)?;
        let (i, j) = key.slots();
        let record = self.pairs.get(key);
        let selection = Selection::new(&self.settings.methods, &self.options, &self.methods);
        let classes = [i, j].map_each(|slot| self.bodies.records[slot as usize].class);
        let selector = MethodSelector { selection: Some(selection), key, classes };
        let parts = [i, j].map_each(|slot| self.geometry_in(slot as usize).parts().first());
        let (traits, chosen, chosen_by) = match parts {
            [Some(one), Some(other)] => {
                let (chosen, rule) = selector.choose(one, other);
                (PairTraits::of(one, other), selection.kind(chosen), rule)
            }
            _ => (PairTraits::default(), Method::Shapes.into(), SelectedBy::Cost),
        };
        let state = record.map_or(PairState::Unknown, |record| record.state);
        let (compared, rule) = self.matrix.is_compared(&self.bodies, i, j);
        Ok(Explanation {
            compared,
            rule,
            listed: record.is_some(),
            traits,
            estimates: selection.estimates(&traits),
            selected: selector.selected_methods().collect(),
            chosen,
            chosen_by,
            method_bias: selection.bias(chosen),
            meeting: match state {
                PairState::Unknown => None,
                _ => Some(state.meets()),
            },
            bias: state.bias(),
            undecided: record.is_some_and(|record| record.undecided),
            decided_by_hulls: record.is_some_and(|record| record.decided_by_hulls),
        })
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = match self.rule {
            InterestRule::Pair => "the interest set for the pair".to_owned(),
            InterestRule::Links(links) => format!("one is attached to the other by {links} links"),
            InterestRule::Masks => "a mask that names no group of the other".to_owned(),
            InterestRule::Groups => "the interest set for their groups".to_owned(),
            InterestRule::Default => "the rule for all others".to_owned(),
        };
        writeln!(
            f,
            "the pair {}: {rule}",
            if self.compared { "is compared" } else { "is not compared" }
        )?;
        for (name, traits) in [("a", self.traits.a), ("b", self.traits.b)] {
            match (traits.triangles, traits.corners) {
                (Some(count), _) => write!(f, "{name} is a mesh of {count} triangles")?,
                (None, Some(count)) => write!(f, "{name} is a hull of {count} corners")?,
                (None, None) => write!(f, "{name} is no mesh")?,
            }
            writeln!(f, "{}", if traits.convex_solid { ", convex and solid" } else { "" })?;
        }
        for estimate in &self.estimates {
            let mark = if estimate.method == self.chosen { "*" } else { " " };
            let Estimate { method, nanoseconds, bias } = estimate;
            match nanoseconds {
                Some(cost) => write!(f, "{mark} {method}: about {cost:.0} ns")?,
                None => write!(f, "{mark} {method}: cannot decide for these")?,
            }
            match bias {
                Some(bias) => writeln!(f, ", biased {bias}")?,
                None => writeln!(f)?,
            }
        }
        let rule = |rule| match rule {
            SelectedBy::Pair => "selected for the pair",
            SelectedBy::Classes => "selected for their classes",
            SelectedBy::World => "selected for the world",
            SelectedBy::Cost => "the least expected cost",
        };
        for (method, by) in self.selected.iter().take_while(|(_, by)| *by != self.chosen_by) {
            writeln!(f, "{method}, {}, cannot decide for these", rule(*by))?;
        }
        writeln!(f, "checked by {}: {}", self.chosen, rule(self.chosen_by))?;
        let state = match (self.listed, self.meeting) {
            (false, _) => "not checked: the boxes are apart, or the pair is not compared",
            (true, Some(true)) => "they meet",
            (true, Some(false)) if self.decided_by_hulls => "apart, by their hulls alone",
            (true, Some(false)) => "apart",
            (true, None) => "not known",
        };
        write!(f, "last: {state}")?;
        if let Some(bias) = self.bias {
            write!(f, "; not certain, biased {bias}")?;
        }
        if self.undecided {
            write!(f, "; undecided since")?;
        }
        Ok(())
    }
}
