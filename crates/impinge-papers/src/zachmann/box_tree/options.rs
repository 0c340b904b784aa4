//! The build options of a box-tree.

use impinge::{Error, ErrorKind};

/// Maximum depth of a tree. The bounds of `docs/notes/box-tree.md` hold up to this depth.
pub const DEPTH_LIMIT: usize = 64;

/// The parameters of Zachmann 1994, section 3.6.3. [`Options::THESIS`] is the default.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// `d_max`: nodes at this depth are leaves; the root is at depth 0. At most [`DEPTH_LIMIT`].
    pub max_depth: usize,
    /// `Min`: nodes with at most this many polygons are leaves. At least 1.
    pub min_polygons: usize,
    /// `gamma`: the weight of a crossing polygon relative to a surplus polygon on one side.
    pub crossing_weight: f64,
    /// `lambda`: a half may contain at most this share of the polygons of the node. Above 0, at
    /// most 1.
    pub max_share: f64,
    /// `p_max`: the search along an axis stops when the counts of the halves differ by at most
    /// this.
    pub balance_tolerance: f64,
    /// `Max`: steps of the search along an axis, 1 to 1000.
    pub max_iterations: usize,
    /// `delta`: half the thickness of a cut plane, relative to the longest side of the mesh's box.
    /// At most 0.01. A margin for rounding is always added.
    pub thickness: f64,
    /// Whether empty space of a third of a side or more is cut off first, and long sides are
    /// preferred among cuts of about equal penalty ("Other criteria for box-splitting").
    pub empty_boxes: bool,
    /// Maximum number of triangles in all leaves, relative to the number of triangles of the mesh.
    /// Once it is reached, no cut with crossing polygons is made. At least 1. Not in the thesis,
    /// whose largest observed value is 16.
    pub max_copies: f64,
}

impl Options {
    /// The parameters of the thesis: depth and polygons per box from its time measurements (`-d 10
    /// -b 10`), `p_max` and `Max` from the text. It has no values for `gamma`, `lambda` and
    /// `delta`; these are ours. With `gamma = 1` the penalty orders cuts by the size of the larger
    /// half. `lambda = 0.6` is the fastest in `docs/results/zachmann-3-6.md`.
    pub const THESIS: Self = Self {
        max_depth: 10,
        min_polygons: 10,
        crossing_weight: 1.0,
        max_share: 0.6,
        balance_tolerance: 0.5,
        max_iterations: 10,
        thickness: 1e-9,
        empty_boxes: false,
        max_copies: 16.0,
    };

    /// Deeper trees with smaller leaves, for meshes of any size.
    pub const DEEP: Self = Self { max_depth: 40, min_polygons: 4, ..Self::THESIS };

    /// Returns an error for values out of range, NaN included.
    pub(super) fn check(&self) -> Result<(), Error> {
        let bad = |what: &str, is: String, allowed: &str| {
            Err(Error::new(
                ErrorKind::BadParameter,
                format!("{what} of a box-tree is {is}: it must be {allowed}"),
            ))
        };
        if self.max_depth > DEPTH_LIMIT {
            return bad("max_depth", self.max_depth.to_string(), "at most 64");
        }
        if self.min_polygons == 0 {
            return bad("min_polygons", "0".to_owned(), "at least 1");
        }
        if !(0.0..=1e9).contains(&self.crossing_weight) {
            return bad("crossing_weight", self.crossing_weight.to_string(), "from 0 to 1e9");
        }
        if !(self.max_share > 0.0 && self.max_share <= 1.0) {
            return bad("max_share", self.max_share.to_string(), "above 0 and at most 1");
        }
        if !(0.0..=1e9).contains(&self.balance_tolerance) {
            return bad("balance_tolerance", self.balance_tolerance.to_string(), "from 0 to 1e9");
        }
        if !(1..=1000).contains(&self.max_iterations) {
            return bad("max_iterations", self.max_iterations.to_string(), "from 1 to 1000");
        }
        if !(0.0..=0.01).contains(&self.thickness) {
            return bad("thickness", self.thickness.to_string(), "from 0 to 0.01");
        }
        if !(1.0..=1e9).contains(&self.max_copies) {
            return bad("max_copies", self.max_copies.to_string(), "from 1 to 1e9");
        }
        Ok(())
    }
}

impl Options {
    /// With this [`max_depth`](Self#structfield.max_depth).
    #[must_use]
    pub fn max_depth(self, max_depth: usize) -> Self {
        Self { max_depth, ..self }
    }

    /// With this [`min_polygons`](Self#structfield.min_polygons).
    #[must_use]
    pub fn min_polygons(self, min_polygons: usize) -> Self {
        Self { min_polygons, ..self }
    }

    /// With this [`crossing_weight`](Self#structfield.crossing_weight).
    #[must_use]
    pub fn crossing_weight(self, crossing_weight: f64) -> Self {
        Self { crossing_weight, ..self }
    }

    /// With this [`max_share`](Self#structfield.max_share).
    #[must_use]
    pub fn max_share(self, max_share: f64) -> Self {
        Self { max_share, ..self }
    }

    /// With this [`balance_tolerance`](Self#structfield.balance_tolerance).
    #[must_use]
    pub fn balance_tolerance(self, balance_tolerance: f64) -> Self {
        Self { balance_tolerance, ..self }
    }

    /// With this [`max_iterations`](Self#structfield.max_iterations).
    #[must_use]
    pub fn max_iterations(self, max_iterations: usize) -> Self {
        Self { max_iterations, ..self }
    }

    /// With this [`thickness`](Self#structfield.thickness).
    #[must_use]
    pub fn thickness(self, thickness: f64) -> Self {
        Self { thickness, ..self }
    }

    /// With or without [`empty_boxes`](Self#structfield.empty_boxes).
    #[must_use]
    pub fn empty_boxes(self, empty_boxes: bool) -> Self {
        Self { empty_boxes, ..self }
    }

    /// With this [`max_copies`](Self#structfield.max_copies).
    #[must_use]
    pub fn max_copies(self, max_copies: f64) -> Self {
        Self { max_copies, ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::THESIS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_out_of_range_are_refused_by_name() {
        assert!(Options::THESIS.check().is_ok() && Options::DEEP.check().is_ok());
        let t = Options::THESIS;
        let cases = [
            (Options { max_depth: 65, ..t }, "max_depth"),
            (Options { min_polygons: 0, ..t }, "min_polygons"),
            (Options { crossing_weight: f64::NAN, ..t }, "crossing_weight"),
            (Options { max_share: 0.0, ..t }, "max_share"),
            (Options { max_share: f64::NAN, ..t }, "max_share"),
            (Options { balance_tolerance: -1.0, ..t }, "balance_tolerance"),
            (Options { max_iterations: 0, ..t }, "max_iterations"),
            (Options { thickness: f64::INFINITY, ..t }, "thickness"),
            (Options { max_copies: 0.5, ..t }, "max_copies"),
        ];
        for (options, name) in cases {
            let error = options.check().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadParameter);
            assert!(error.to_string().starts_with(name), "{error}");
        }
    }
}
