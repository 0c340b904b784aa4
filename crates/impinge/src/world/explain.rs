//! Why a pair is checked the way it is.

use std::fmt;

use super::interest::Why;
use super::method::{self, Estimate, Method, Traits};
use super::narrow::Standing;
use super::{Handle, World};
use crate::error::Error;

/// Everything that decides how a pair is checked, as of the last update. Printed, it is a text of a
/// few lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Whether the pair matters, and which rule says so.
    pub interest: (bool, Why),
    /// Whether the boxes overlap and the pair matters: whether it is checked at all.
    pub listed: bool,
    /// What counts about the two, of their first parts.
    pub traits: [Traits; 2],
    /// What each method would cost.
    pub estimates: Vec<Estimate>,
    /// What the application wished for.
    pub wish: Option<Method>,
    /// The method that is used.
    pub chosen: Method,
    /// Whether they meet; `None` if nobody has looked, or nobody knows.
    pub meeting: Option<bool>,
    /// Whether hulls decided the last check alone.
    pub by_hulls: bool,
}

impl World {
    /// Explains how a pair is checked.
    ///
    /// ```
    /// use impinge::world::{Body, Method, World};
    /// use impinge::shapes;
    ///
    /// let mut world = World::new();
    /// let a = world.add(Body::new(shapes::torus(1.0, 0.3, 64, 32)?))?;
    /// let b = world.add(Body::new(shapes::icosphere(0.5, 12)?))?;
    /// world.update();
    /// let explanation = world.explain(a, b)?;
    /// assert_eq!(explanation.chosen, Method::HullsThenTriangles);
    /// println!("{explanation}");
    /// # Ok::<(), impinge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchBody`](crate::ErrorKind::NoSuchBody) if one of them is gone.
    pub fn explain(&self, a: Handle, b: Handle) -> Result<Explanation, Error> {
        let key = self.key(a, b)?;
        let (i, j) = key.slots();
        let record = self.pairs.get(key);
        let traits = [i, j].map(|slot| Traits::of(&self.form(slot as usize).parts()[0]));
        let wish = self.settings.method(key);
        Ok(Explanation {
            interest: self.matrix.matters(&self.bodies, i, j),
            listed: record.is_some(),
            traits,
            estimates: method::estimates(&traits[0], &traits[1]).to_vec(),
            wish,
            chosen: method::choose(&traits[0], &traits[1], wish),
            meeting: record.and_then(|record| match record.standing {
                Standing::Apart => Some(false),
                Standing::Meeting => Some(true),
                Standing::Unknown | Standing::Undecided => None,
            }),
            by_hulls: record.is_some_and(|record| record.by_hulls),
        })
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (matters, why) = self.interest;
        let rule = match why {
            Why::Pair => "what was said about the pair".to_owned(),
            Why::Links(links) => format!("they hang on each other by {links} links"),
            Why::Masks => "a mask that names no group of the other".to_owned(),
            Why::Groups => "what was said about their groups".to_owned(),
            Why::Default => "the rule for all others".to_owned(),
        };
        writeln!(f, "the pair {}: {rule}", if matters { "matters" } else { "does not matter" })?;
        for (name, traits) in ["a", "b"].iter().zip(self.traits) {
            match traits.triangles {
                Some(count) => write!(f, "{name} is a mesh of {count} triangles")?,
                None => write!(f, "{name} is no mesh")?,
            }
            writeln!(f, "{}", if traits.convex_solid { ", convex and solid" } else { "" })?;
        }
        for estimate in &self.estimates {
            let mark = if estimate.method == self.chosen { "*" } else { " " };
            match estimate.nanoseconds {
                Some(cost) => writeln!(f, "{mark} {}: about {cost:.0} ns", estimate.method)?,
                None => writeln!(f, "{mark} {}: cannot decide for these", estimate.method)?,
            }
        }
        let why =
            if self.wish == Some(self.chosen) { "as wished" } else { "the least expected cost" };
        writeln!(f, "checked by {}: {why}", self.chosen)?;
        let state = match (self.listed, self.meeting) {
            (false, _) => "not checked: the boxes are apart, or the pair does not matter",
            (true, Some(true)) => "they meet",
            (true, Some(false)) if self.by_hulls => "apart, by their hulls alone",
            (true, Some(false)) => "apart",
            (true, None) => "not known",
        };
        write!(f, "last: {state}")
    }
}
