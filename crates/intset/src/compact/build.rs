//! Many members at once.

use alloc::vec;
use alloc::vec::Vec;
use core::{error, fmt};

use super::bits::{self, mask};
use super::form::{Form, HEADER, MOST, ordered};

use super::prefix::Prefix;
use super::set::Compact;
use super::upper::GROUP;
use crate::OrderError;

/// Why a [`Compact`] refuses a value. The set is unchanged; its owner converts it to another encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refused {
    /// The value does not have the set's prefix.
    Outside {
        /// The value.
        value: i64,
        /// The set's prefix.
        prefix: Prefix,
    },
    /// The set would have more than [`Compact::MOST`] members.
    Full,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside { value, prefix } => {
                write!(f, "value {value} is not between {} and {}", prefix.first(), prefix.last())
            }
            Self::Full => write!(f, "a compact set has at most {MOST} members"),
        }
    }
}

impl error::Error for Refused {}

/// Why a [`Compact`] cannot be made of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompactError {
    /// The values are not strictly increasing.
    Order(OrderError),
    /// A value does not have the prefix, or there are too many.
    Refused(Refused),
}

impl fmt::Display for CompactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(error) => error.fmt(f),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl error::Error for CompactError {}

impl From<OrderError> for CompactError {
    fn from(error: OrderError) -> Self {
        Self::Order(error)
    }
}

impl From<Refused> for CompactError {
    fn from(error: Refused) -> Self {
        Self::Refused(error)
    }
}

impl Compact {
    /// Creates a set, without slack, from strictly increasing values that have this prefix, such as the members of an
    /// [`IntSet`](crate::IntSet). O(n).
    ///
    /// # Errors
    ///
    /// The first value that is not greater than the one before it; if there is none, the first that lacks the prefix;
    /// if there is none, that there are more than [`Compact::MOST`] values.
    ///
    /// # Examples
    ///
    /// ```
    /// use intset::{Compact, CompactError, IntSet, Prefix, Refused};
    ///
    /// let shard = IntSet::from_iter([0x1200, 0x1234, 0x12ff]);
    /// let compact = Compact::from_sorted(Prefix::new(0x1200, 8), &shard)?;
    /// assert_eq!(compact.to_int_set(), shard);
    /// assert!(matches!(
    ///     Compact::from_sorted(Prefix::new(0x1300, 8), &shard),
    ///     Err(CompactError::Refused(Refused::Outside { value: 0x1200, .. }))
    /// ));
    /// # Ok::<(), CompactError>(())
    /// ```
    pub fn from_sorted(
        prefix: Prefix,
        values: impl IntoIterator<Item = i64>,
    ) -> Result<Self, CompactError> {
        let members = in_order(values)?;
        if let Some(&value) = members.iter().find(|value| !prefix.contains(**value)) {
            return Err(Refused::Outside { value, prefix }.into());
        }
        Self::of_members(prefix, members)
    }

    /// Creates a set, without slack, from strictly increasing values, with the longest prefix that they share; without
    /// values, the prefix admits 0 alone. O(n).
    ///
    /// A value that is inserted later may not have that prefix. For a shard, use [`from_sorted`](Self::from_sorted)
    /// with the prefix of the shard.
    ///
    /// # Errors
    ///
    /// The first value that is not greater than the one before it, or that there are more than [`Compact::MOST`]
    /// values.
    pub fn spanning(values: impl IntoIterator<Item = i64>) -> Result<Self, CompactError> {
        let members = in_order(values)?;
        let prefix = match (members.first(), members.last()) {
            (Some(first), Some(last)) => Prefix::spanning(*first, *last),
            _ => Prefix::new(0, 0),
        };
        Self::of_members(prefix, members)
    }

    /// The set of members that increase and have the prefix.
    fn of_members(prefix: Prefix, members: Vec<i64>) -> Result<Self, CompactError> {
        if members.len() > MOST {
            return Err(Refused::Full.into());
        }
        let members: Vec<u64> = members.into_iter().map(ordered).collect();
        let form = Form::suiting(prefix, &members);
        Ok(Self::from_blob(encode(form, &members, form.bytes()).into()))
    }
}

/// The values as a vector, if they strictly increase.
fn in_order(values: impl IntoIterator<Item = i64>) -> Result<Vec<i64>, OrderError> {
    let values: Vec<i64> = values.into_iter().collect();
    let pairs = values.iter().zip(values.get(1..).unwrap_or_default());
    match (1..).zip(pairs).find(|(_, (previous, got))| got <= previous) {
        Some((index, (&previous, &got))) => Err(OrderError { index, previous, got }),
        None => Ok(values),
    }
}

/// The blob of members in this form, with zeros up to the capacity.
pub(super) fn encode(form: Form, members: &[u64], capacity: usize) -> Vec<u8> {
    let mut blob = vec![0; capacity];
    let (upper, lows) = blob.split_at_mut(form.lows_at());
    let (header, upper) = upper.split_at_mut(HEADER);
    header.copy_from_slice(&form.encode());
    let (directory, upper) = upper.split_at_mut(form.upper_at() - HEADER);
    let mut groups = directory.as_chunks_mut::<2>().0.iter_mut();
    let mut next_group = 0;
    let mut lows = bits::Writer::new(lows, form.low.into());
    for (member, index) in members.iter().zip(0_u16..) {
        let key = form.squeeze(member ^ form.base);
        let bucket = usize::try_from(key >> form.low).expect("a bucket number fits in a usize");
        while next_group <= bucket {
            *groups.next().expect("each group of buckets has an entry") = index.to_le_bytes();
            next_group += GROUP;
        }
        let bit = usize::from(index) + bucket;
        upper[bit / 8] |= 1 << (bit % 8);
        lows.push(key & mask(form.low.into()));
    }
    lows.finish();
    groups.for_each(|before| *before = form.count.to_le_bytes());
    blob
}
