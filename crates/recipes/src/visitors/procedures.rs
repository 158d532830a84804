//! The procedures of counting visitors in sets of a fixed number of shards, and of beginning a bucket.

use store::{Error, KeyRef, Member};

use super::plan::FORM_KEYS;
use crate::counted::{change_and_count, check_counter};
use crate::kept::KeptUntil;
use crate::procedure::{Backend, Keys, Procedure, read, step, step_on};
use crate::text::Text;

/// SADD of an id to a shard and, if it is new, INCR of the counter: whether it is new.
#[inline]
pub(super) fn add_and_count<'k>(
    shard: &'k [u8],
    counter: KeyRef<'k>,
    id: i64,
    until: KeptUntil,
) -> impl Procedure<Output = bool> {
    step_on([counter, KeyRef::new(shard)], Member::Int(id), move |tx| {
        until.check(tx)?;
        let would = || Ok(!tx.sismember(shard, id)?);
        let change = || {
            tx.with_set(shard, |set| {
                let new = set.add(id)?;
                until.begin_set(set);
                Ok(new)
            })
        };
        let count = change_and_count(tx, counter, 1, would, change)?;
        if count == Some(1) {
            until.begin_keys(tx, [counter.as_bytes()])?;
        }
        Ok(count.is_some())
    })
}

/// What became of many visits.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) new: u64,
    /// Why the first was refused of those that were. All others have been counted.
    pub(super) refused: Option<Error>,
}

/// SADD of each id to its shard, and INCRBY of the counter by how many are new. The keys are that of the counter, then one
/// for each id. Refused as a whole if the counter could not take them all.
pub(super) fn add_all_and_count<'k>(
    keys: &'k [KeyRef<'k>],
    ids: &'k [i64],
    until: KeptUntil,
) -> impl Procedure<Output = Counted> {
    step(keys, move |tx| {
        let (counter, shards) = (keys[0], &keys[1..]);
        until.check(tx)?;
        check_counter(tx, counter, ids.len().try_into().unwrap_or(i64::MAX))?;
        let (mut new, mut refused) = (0, None);
        for (&shard, &id) in shards.iter().zip(ids) {
            let added = tx.with_set(shard, |set| {
                let new = set.add(id)?;
                until.begin_set(set);
                Ok(new)
            });
            match added {
                Ok(is_new) => new += i64::from(is_new),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if new > 0 && tx.incr(counter, new)? == new {
            until.begin_keys(tx, [counter.as_bytes()])?;
        }
        Ok(Counted { new: new.unsigned_abs(), refused })
    })
}

/// SETBIT of each id, and INCRBY of the counter by how many are new. Refused as a whole if the counter could not take them
/// all.
pub(super) fn mark_all_and_count<'k>(
    bitmap: KeyRef<'k>,
    counter: KeyRef<'k>,
    ids: &'k [u64],
    until: KeptUntil,
) -> impl Procedure<Output = u64> {
    step([counter, bitmap], move |tx| {
        until.check(tx)?;
        check_counter(tx, counter, ids.len().try_into().unwrap_or(i64::MAX))?;
        let bits: Vec<_> = ids.iter().map(|&id| (id, true)).collect();
        let before = tx.setbit_multiple(bitmap, &bits)?;
        let new: i64 = before.into_iter().map(|before| i64::from(!before)).sum();
        if new > 0 && tx.incr(counter, new)? == new {
            until.begin_keys(tx, [counter.as_bytes(), bitmap.as_bytes()])?;
        }
        Ok(new.unsigned_abs())
    })
}

/// SETBIT of an id and, if it is new, INCR of the counter: whether it is new.
#[inline]
pub(super) fn mark_and_count<'k>(
    bitmap: KeyRef<'k>,
    counter: KeyRef<'k>,
    id: u64,
    until: KeptUntil,
) -> impl Procedure<Output = bool> {
    step([counter, bitmap], move |tx| {
        until.check(tx)?;
        let would = || Ok(!tx.getbit(bitmap, id)?);
        let change = || Ok(!tx.setbit(bitmap, id, true)?);
        let count = change_and_count(tx, counter, 1, would, change)?;
        if count == Some(1) {
            until.begin_keys(tx, [counter.as_bytes(), bitmap.as_bytes()])?;
        }
        Ok(count.is_some())
    })
}

/// EXISTS.
pub(super) fn exists(key: &[u8]) -> impl Procedure<Output = bool> {
    step([read(key)], move |tx| tx.exists(key))
}

/// What the visit for which a bucket is begun writes, beside the key that says the form.
#[derive(Debug)]
pub(super) struct Visit {
    /// The key of the count, if there is one.
    pub(super) counter: Option<Text>,
    /// The key of the shard or of the bitmap.
    pub(super) key: Text,
}

/// SET of the key that says the form of a bucket, unless there is one that does: whether it was set.
///
/// The keys of all forms are among `forms`. Nothing is written if the visit would be refused.
pub(super) fn begin(
    backend: &impl Backend,
    form: &[u8],
    value: &str,
    forms: [&[u8]; FORM_KEYS.len()],
    visit: Option<&Visit>,
    until: KeptUntil,
) -> Result<bool, Error> {
    let visited = visit.iter().flat_map(|visit| visit.counter.iter().chain([&visit.key]));
    let mut keys: Keys<'_> =
        forms.into_iter().chain(visited.map(|key| &key[..])).map(read).collect();
    keys.push(KeyRef::new(form));
    backend.call(&step(&*keys, |tx| {
        if tx.exists_many(forms)? > 0 {
            return Ok(false);
        }
        until.check(tx)?;
        if let Some(visit) = visit {
            // What a bitmap's visit writes is its form, which is not there.
            if visit.key[..] != *form {
                tx.scard(&visit.key[..])?;
            }
            if let Some(counter) = &visit.counter {
                check_counter(tx, KeyRef::new(counter), 1)?;
            }
        }
        let begun = tx.set_nx(form, value)?;
        until.begin_keys(tx, [form])?;
        Ok(begun)
    }))
}
