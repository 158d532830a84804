//! ZPOPMIN, ZPOPMAX and ZMPOP.

use bytes::Bytes;

use super::{Popped, ZSetEntry};
use crate::error::Result;
use crate::key::HashedKey;
use crate::store::scope::Scope;

/// The end from which members are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The lowest scores.
    Min,
    /// The highest scores.
    Max,
}

/// Removes and returns `count` members of the first key that exists.
pub(super) fn pop_first(
    scope: &mut Scope<'_>,
    keys: &[HashedKey<'_>],
    side: Side,
    count: usize,
) -> Result<Option<Popped>> {
    for &key in keys {
        let popped = scope
            .with(key, |set: &mut ZSetEntry<'_>| Ok(set.exists().then(|| set.pop(side, count))))?;
        if let Some(popped) = popped {
            return Ok(Some((Bytes::copy_from_slice(key.bytes), popped)));
        }
    }
    Ok(None)
}
