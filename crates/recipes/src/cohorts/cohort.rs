//! Cohorts: expressions over bitmaps of users.

use std::ops::{BitAnd, BitOr, BitXor, Not, Sub};

use bitpack::bits::Op;

use super::period::Period;

/// A set of users by their events: a bitmap, or an expression over bitmaps.
///
/// Building a cohort reads nothing: [`Cohorts::query`](super::Cohorts::query) reads its keys, in one atomic step. The
/// operators are `&` intersection, `|` union, `^` symmetric difference, `-` difference, and `!` complement.
///
/// # Complement
///
/// `!a` is the result of BITOP NOT: every id whose bit is not set, *up to the end of the last byte of the bitmap*.
/// Users beyond that are in neither `a` nor `!a`, and ids below it are in `!a` whether or not such a user exists. So
/// for "active but not paying" write `active - paying`, which is exact, and not `active & !paying`, which loses all
/// users whose id is larger than the largest paying one.
///
/// The bitmap of an operator is as long as its longest operand.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::civil::date;
/// use tallis::{Cohort, Cohorts, Period, Store};
///
/// let cohorts = Cohorts::new(Store::new());
/// let today = date(2015, 5, 17);
/// for user in [1, 2, 300] {
///     cohorts.mark("active", user, today)?;
/// }
/// cohorts.mark_unique("paying", 2)?;
///
/// let active = Cohort::of("active", Period::day(today));
/// let paying = Cohort::unique("paying");
/// assert_eq!(cohorts.query(active.clone() & paying.clone()).users()?, [2]);
/// assert_eq!(cohorts.query(active.clone() - paying.clone()).users()?, [1, 300]);
/// assert_eq!(cohorts.query(active & !paying).users()?, [1]);
/// # Ok::<(), tallis::Error>(())
/// ```
// In postfix order, not as a tree: building, dropping and running one do not recurse, for any nesting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cohort {
    steps: Vec<Step>,
}

/// A step of an expression in postfix order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// The users of an event in a period.
    Event { event: Box<[u8]>, period: Period },
    /// The bitmap at a key.
    Key(Box<[u8]>),
    /// Combines this number of preceding operands.
    Combine(Op, usize),
}

impl Cohort {
    /// Returns the users with an event in a period.
    #[must_use]
    pub fn of(event: impl AsRef<[u8]>, period: Period) -> Self {
        Self { steps: vec![Step::Event { event: event.as_ref().into(), period }] }
    }

    /// Returns the users with a unique event.
    #[must_use]
    pub fn unique(event: impl AsRef<[u8]>) -> Self {
        Self::of(event, Period::UNIQUE)
    }

    /// Returns the users whose bit is set in the string at a key, such as one that
    /// [`Query::store`](super::Query::store) wrote.
    #[must_use]
    pub fn key(key: impl AsRef<[u8]>) -> Self {
        Self { steps: vec![Step::Key(key.as_ref().into())] }
    }

    /// Returns the users who are in all of the cohorts: BITOP AND. Empty if there is no cohort.
    #[must_use]
    pub fn all(cohorts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(Op::And, cohorts)
    }

    /// Returns the users who are in any of the cohorts: BITOP OR.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Cohort, Cohorts, Period, Store};
    ///
    /// let cohorts = Cohorts::new(Store::new());
    /// cohorts.mark("active", 7, date(2015, 5, 11))?;
    /// let days = Period::day(date(2015, 5, 17)).last(7);
    /// let week = Cohort::any(days.map(|day| Cohort::of("active", day)));
    /// assert_eq!(cohorts.query(week).users()?, [7]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn any(cohorts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(Op::Or, cohorts)
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn joined(op: Op, cohorts: impl IntoIterator<Item = Self>) -> Self {
        let (mut steps, mut count) = (Vec::new(), 0);
        for mut cohort in cohorts {
            count += cohort.take_operands(op);
            steps.append(&mut cohort.steps);
        }
        if count != 1 {
            steps.push(Step::Combine(op, count));
        }
        Self { steps }
    }

    /// Returns how many operands the cohort contributes to an operation, and removes its last step if it is the same
    /// operation.
    fn take_operands(&mut self, op: Op) -> usize {
        match self.steps.last() {
            // An empty cohort stays an operand, because no other step represents it.
            Some(&Step::Combine(last, count)) if last == op && count > 0 => {
                self.steps.pop();
                count
            }
            _ => 1,
        }
    }

    /// Combines this cohort and another. Grouping does not matter, except for a difference: the operands of its right
    /// side are subtracted together.
    fn with(mut self, op: Op, mut other: Self) -> Self {
        let others = if op == Op::Diff { 1 } else { other.take_operands(op) };
        let count = self.take_operands(op) + others;
        self.steps.append(&mut other.steps);
        self.steps.push(Step::Combine(op, count));
        self
    }
}

impl BitAnd for Cohort {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.with(Op::And, other)
    }
}

impl BitOr for Cohort {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.with(Op::Or, other)
    }
}

impl BitXor for Cohort {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        self.with(Op::Xor, other)
    }
}

/// The users of the first who are not in the second, for bitmaps of any lengths: BITOP DIFF.
impl Sub for Cohort {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.with(Op::Diff, other)
    }
}

/// The users who are not in the bitmap, up to its end: BITOP NOT.
impl Not for Cohort {
    type Output = Self;

    fn not(mut self) -> Self {
        self.steps.push(Step::Combine(Op::Not, 1));
        self
    }
}
