//! ZPOPMIN, ZPOPMAX and ZMPOP.

use bytes::Bytes;

use super::Popped;
use super::put::gather;
use crate::error::Error;
use crate::key::HashedKey;
use crate::store::door::Scope;

/// From which end members are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The lowest scores.
    Min,
    /// The highest scores.
    Max,
}

/// Takes out `count` members, or all, outermost first.
pub(super) fn pop(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    side: Side,
    count: usize,
) -> Result<Vec<(Bytes, f64)>, Error> {
    scope.change(key, |slot| {
        let Some(value) = slot.value_mut() else { return Ok(Vec::new()) };
        let set = value.as_zset_mut().ok_or_else(Error::wrong_type)?;
        let count = count.min(set.len());
        if count == 0 {
            return Ok(Vec::new());
        }
        let (ranks, command) = match side {
            Side::Min => (0..count, "ZPOPMIN"),
            Side::Max => (set.len() - count..set.len(), "ZPOPMAX"),
        };
        let popped = match side {
            Side::Min => gather(set.range(ranks.clone())),
            Side::Max => gather(set.range(ranks.clone()).rev()),
        };
        set.remove_range(ranks);
        if set.is_empty() {
            slot.remove();
        }
        slot.changed(command, || vec![count.to_string().into()]);
        Ok(popped)
    })
}

/// Takes out `count` members of the first key that is there.
pub(super) fn pop_first(
    scope: &mut Scope<'_>,
    keys: &[HashedKey<'_>],
    side: Side,
    count: usize,
) -> Result<Option<Popped>, Error> {
    for &key in keys {
        if scope.change(key, |slot| slot.value().is_some()) {
            let popped = pop(scope, key, side, count)?;
            return Ok(Some((Bytes::copy_from_slice(key.bytes), popped)));
        }
    }
    Ok(None)
}
