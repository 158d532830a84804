//! ZRANDMEMBER.

use std::collections::HashSet;

use ahash::RandomState;
use bytes::Bytes;

use super::put::gather;
use super::zset_at;
use crate::commands::MOST_DRAWS;
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::READ_ONCE;
use crate::store::scope::View;

/// Draws a random member.
pub(super) fn one(view: &View<'_>, key: HashedKey<'_>) -> Result<Option<Bytes>> {
    let Some(set) = zset_at(view, key)? else { return Ok(None) };
    let drawn = set.get(view.shared().random().below(set.len()));
    Ok(drawn.map(|(member, _)| Member::from(member).to_bytes()))
}

/// Draws `count` distinct members, or all; with a negative count, that many with repetition.
pub(super) fn several(
    view: &View<'_>,
    key: HashedKey<'_>,
    count: i64,
) -> Result<Vec<(Bytes, f64)>> {
    let Some(set) = zset_at(view, key)? else { return Ok(Vec::new()) };
    let random = view.shared().random();
    let (len, wanted) = (set.len(), usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX));
    if count < 0 {
        if wanted > MOST_DRAWS {
            return Err(Error::out_of_range());
        }
        if set.as_listpack().is_some() && wanted >= READ_ONCE {
            let all: Vec<_> = set.iter().collect();
            return Ok(gather(random.draws(&all, wanted).copied()));
        }
        return Ok(gather((0..wanted).map_while(|_| set.get(random.below(len)))));
    }
    if wanted >= len {
        return Ok(gather(set.iter()));
    }
    // Drawing one by one repeats draws of members that were already drawn; up to a third of a skip list this is fast.
    if set.as_listpack().is_none() && wanted < len / 3 {
        let mut seen: HashSet<usize, RandomState> = HashSet::default();
        let ranks = std::iter::repeat_with(|| random.below(len)).filter(|&rank| seen.insert(rank));
        return Ok(gather(ranks.take(wanted).filter_map(|rank| set.get(rank))));
    }
    let mut all: Vec<_> = set.iter().collect();
    random.choose(&mut all, wanted);
    Ok(gather(all))
}
