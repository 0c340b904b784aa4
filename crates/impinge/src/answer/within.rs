//! Answers of queries within a budget.

/// An answer that is final, or the one so far, if the budget was spent before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Within<T> {
    /// The query is finished.
    Final(T),
    /// What is known so far. The bounds hold, and become tighter with a larger budget.
    Open(T),
}

impl<T> Within<T> {
    /// The answer, final or not.
    #[must_use]
    pub fn get(self) -> T {
        match self {
            Self::Final(answer) | Self::Open(answer) => answer,
        }
    }

    /// Whether the query is finished.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Final(_))
    }

    /// The same for a part of the answer, or for another form of it.
    #[must_use]
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Within<U> {
        match self {
            Self::Final(answer) => Within::Final(f(answer)),
            Self::Open(answer) => Within::Open(f(answer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_whether_they_are_final() {
        let doubled = |within: Within<u8>| within.map(|x| 2 * x);
        assert_eq!(
            (doubled(Within::Final(2)), doubled(Within::Open(3)).get()),
            (Within::Final(4), 6)
        );
        assert!(Within::Final(0).is_final() && !Within::Open(0).is_final());
    }
}
