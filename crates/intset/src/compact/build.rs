//! Many members at once.

use core::{error, fmt};

use super::bits::{self, mask};
use super::form::{Form, HEADER, ordered};
use super::prefix::Prefix;
use super::set::Compact;
use crate::OrderError;

/// A value does not have the prefix of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutsidePrefix {
    /// The value.
    pub value: i64,
    /// What the set may hold.
    pub prefix: Prefix,
}

impl fmt::Display for OutsidePrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, prefix } = self;
        write!(f, "value {value} is not among {} to {}", prefix.first(), prefix.last())
    }
}

impl error::Error for OutsidePrefix {}

/// Why values do not make a [`Compact`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompactError {
    /// They do not strictly increase.
    Order(OrderError),
    /// One does not have the prefix.
    Outside(OutsidePrefix),
}

impl fmt::Display for CompactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(error) => error.fmt(f),
            Self::Outside(error) => error.fmt(f),
        }
    }
}

impl error::Error for CompactError {}

impl From<OrderError> for CompactError {
    fn from(error: OrderError) -> Self {
        Self::Order(error)
    }
}

impl From<OutsidePrefix> for CompactError {
    fn from(error: OutsidePrefix) -> Self {
        Self::Outside(error)
    }
}

impl Compact {
    /// Makes a set, without slack, of values that strictly increase and have this prefix: those of an [`IntSet`](crate::IntSet), for one. O(n).
    ///
    /// # Errors
    ///
    /// The first value that is not above the one before it, or does not have the prefix.
    ///
    /// # Examples
    ///
    /// ```
    /// use intset::{Compact, CompactError, IntSet, Prefix};
    ///
    /// let shard = IntSet::from_iter([0x1200, 0x1234, 0x12ff]);
    /// let compact = Compact::from_sorted(Prefix::new(0x1200, 8), &shard)?;
    /// assert_eq!(compact.to_int_set(), shard);
    /// assert!(matches!(
    ///     Compact::from_sorted(Prefix::new(0x1300, 8), &shard),
    ///     Err(CompactError::Outside(error)) if error.value == 0x1200
    /// ));
    /// # Ok::<(), CompactError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` values.
    pub fn from_sorted(
        prefix: Prefix,
        values: impl IntoIterator<Item = i64>,
    ) -> Result<Self, CompactError> {
        let members = in_order(values)?;
        if let Some(&value) = members.iter().find(|value| !prefix.contains(**value)) {
            return Err(OutsidePrefix { value, prefix }.into());
        }
        Ok(Self::of_members(prefix, members))
    }

    /// Makes a set, without slack, of values that strictly increase, and finds their narrowest prefix; that of no values is 0 alone. O(n).
    ///
    /// A value that comes later may well lie outside: give a shard the prefix of all that belongs there.
    ///
    /// # Errors
    ///
    /// The first value that is not above the one before it.
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` values.
    pub fn spanning(values: impl IntoIterator<Item = i64>) -> Result<Self, OrderError> {
        let members = in_order(values)?;
        let prefix = match (members.first(), members.last()) {
            (Some(first), Some(last)) => Prefix::spanning(*first, *last),
            _ => Prefix::new(0, 0),
        };
        Ok(Self::of_members(prefix, members))
    }

    /// The set of members that increase and have the prefix.
    fn of_members(prefix: Prefix, members: Vec<i64>) -> Self {
        let members: Vec<u64> = members.into_iter().map(ordered).collect();
        let form = Form::suiting(prefix, &members);
        Self::from_blob(encode(form, &members, form.bytes()).into())
    }
}

/// The values as a vector, if they strictly increase.
fn in_order(values: impl IntoIterator<Item = i64>) -> Result<Vec<i64>, OrderError> {
    let values: Vec<i64> = values.into_iter().collect();
    match values.is_sorted_by(|a, b| a < b) {
        true => Ok(values),
        false => Err(values
            .windows(2)
            .enumerate()
            .find_map(|(at, pair)| match *pair {
                [previous, got] if got <= previous => {
                    Some(OrderError { index: at + 1, previous, got })
                }
                _ => None,
            })
            .expect("a pair that is out of order")),
    }
}

/// The blob of members in this form, with zeros up to the capacity.
pub(super) fn encode(form: Form, members: &[u64], capacity: usize) -> Vec<u8> {
    let mut blob = vec![0; capacity];
    let (upper, lows) = blob.split_at_mut(form.lows_at());
    let (header, upper) = upper.split_at_mut(HEADER);
    header.copy_from_slice(&form.encode());
    for (index, member) in members.iter().enumerate() {
        let key = form.squeeze(member ^ form.base);
        let bit = index + usize::try_from(key >> form.low).expect("a bucket");
        upper[bit / 8] |= 1 << (bit % 8);
        let low = key & mask(form.low.into());
        bits::write(lows, index * usize::from(form.low), form.low.into(), low);
    }
    blob
}
