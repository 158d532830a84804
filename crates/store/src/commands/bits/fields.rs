//! BITFIELD: integers of some bits.

use bitpack::bitfield::{self, Overflow};
use bytes::Bytes;
use smallvec::SmallVec;

use super::options::{Action, BitFieldOp};
use super::parts::check_offset;
use crate::commands::strings::{StringEntry, string_at};
use crate::error::Result;
use crate::member::Member;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::value::AT_ONCE;

/// The operations of a call.
pub(crate) type Operations = SmallVec<[BitFieldOp; 4]>;

/// BITFIELD of the typed API.
pub(super) fn run(
    store: &Store<impl Locks>,
    key: impl ToKey,
    operations: impl IntoIterator<Item = BitFieldOp>,
) -> Result<Vec<Option<i64>>> {
    let operations: Operations = operations.into_iter().collect();
    operations.iter().try_for_each(|operation| check_offset(operation.offset))?;
    let mut answers = Vec::with_capacity(operations.len());
    operate(store, key, &operations, |number| answers.push(number))?;
    Ok(answers)
}

/// BITFIELD with offsets that are in range: creates the key only if an operation may write.
pub(crate) fn operate(
    store: &Store<impl Locks>,
    key: impl ToKey,
    operations: &[BitFieldOp],
    answer: impl FnMut(Option<i64>),
) -> Result<()> {
    if !operations.iter().any(BitFieldOp::writes) {
        return read(store, key, operations, answer);
    }
    store.entry(key, |entry: &mut StringEntry<'_>| entry.bitfield(operations, answer))
}

/// Runs operations none of which writes.
fn read(
    store: &Store<impl Locks>,
    key: impl ToKey,
    operations: &[BitFieldOp],
    mut answer: impl FnMut(Option<i64>),
) -> Result<()> {
    store.read(key, |view, keys| {
        let string = string_at(view, keys[0])?.unwrap_or(Member::Bytes(b""));
        string.with_bytes(|bytes| {
            for operations in operations.chunks(AT_ONCE) {
                prefetch(bytes, operations);
                for operation in operations {
                    answer(Some(bitfield::get(bytes, operation.field, operation.offset)));
                }
            }
        });
        Ok(())
    })
}

/// Prefetches the fields, if there are several, so that the cache misses overlap.
#[inline]
fn prefetch(bytes: &[u8], operations: &[BitFieldOp]) {
    if operations.len() > 1 {
        for of in operations {
            prefetch::byte(bytes, usize::try_from(of.offset / 8).unwrap_or(usize::MAX));
        }
    }
}

impl StringEntry<'_> {
    /// BITFIELD with at least one operation that may write. As in Redis, the string is extended to the end of all
    /// operations before the first of them, even if all fail.
    #[inline]
    pub(super) fn bitfield(
        &mut self,
        operations: &[BitFieldOp],
        mut answer: impl FnMut(Option<i64>),
    ) -> Result<()> {
        let reach = |operation: &BitFieldOp| operation.field.bytes_for(operation.offset);
        let writes = || operations.iter().filter(|operation| operation.writes());
        let least = writes().filter_map(reach).max().unwrap_or(0);
        let ranges = writes().filter_map(|operation| {
            let start = usize::try_from(operation.offset / 8).ok()?;
            Some(start..reach(operation)?)
        });
        self.edit_bits(
            least,
            ranges,
            |bytes, grown| {
                let mut changed = false;
                for operations in operations.chunks(AT_ONCE) {
                    prefetch(bytes, operations);
                    for operation in operations {
                        let (number, differs) = operation.run(bytes);
                        changed |=
                            operation.writes() && number.is_some() && (grown.grew || differs);
                        answer(number);
                    }
                }
                ((), grown.outcome(changed))
            },
            || {
                let mut words = Vec::new();
                for operation in writes() {
                    let text = operation.to_string();
                    words.extend(
                        text.split(' ').map(|word| Bytes::copy_from_slice(word.as_bytes())),
                    );
                    if operation.overflow != Overflow::Wrap {
                        // It applies to the following operations.
                        words.extend(["OVERFLOW".into(), "WRAP".into()]);
                    }
                }
                ("BITFIELD", words)
            },
        )
    }
}

impl BitFieldOp {
    /// The result, and whether the field has changed.
    #[inline]
    fn run(&self, bytes: &mut [u8]) -> (Option<i64>, bool) {
        let Self { field, offset, overflow, .. } = *self;
        match self.action {
            Action::Get => (Some(bitfield::get(bytes, field, offset)), false),
            Action::Set(value) => {
                let old = bitfield::set(bytes, field, offset, value, overflow);
                (old, old != field.fit(value, overflow))
            }
            Action::IncrBy(by) if overflow == Overflow::Wrap => {
                (bitfield::add(bytes, field, offset, by, overflow), field.wrap(by) != 0)
            }
            Action::IncrBy(by) => {
                let old = bitfield::get(bytes, field, offset);
                let new = bitfield::add(bytes, field, offset, by, overflow);
                (new, new != Some(old))
            }
        }
    }
}
