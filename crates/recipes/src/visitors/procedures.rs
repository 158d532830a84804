//! The procedures of counting visitors in sets of a fixed number of shards, and of beginning a bucket.

use store::{Error, KeyRef};

use crate::counted::{change_and_count, check_counter};
use crate::kept::KeptUntil;
use crate::procedure::{Backend, Keys, Procedure, read, step};

/// SADD of an id to a shard and, if it is new, INCR of the counter: whether it is new.
#[inline]
pub(super) fn add_and_count<'k>(
    shard: &'k [u8],
    counter: KeyRef<'k>,
    id: i64,
    until: KeptUntil,
) -> impl Procedure<Output = bool> {
    step([counter, KeyRef::new(shard)], move |tx| {
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

/// SET of the key that says the form of a bucket, unless there is one that does: whether it was set.
///
/// The keys of all forms are among `forms`. The visit is the counter, and the other key that the visit for which the
/// bucket is begun writes: nothing is written if the visit would be refused.
pub(super) fn begin(
    backend: &impl Backend,
    form: &[u8],
    value: &str,
    forms: [&[u8]; 4],
    visit: Option<(&[u8], &[u8])>,
    until: KeptUntil,
) -> Result<bool, Error> {
    let visited = visit.into_iter().flat_map(|(counter, key)| [counter, key]);
    let mut keys: Keys<'_> = forms.into_iter().chain(visited).map(read).collect();
    keys.push(KeyRef::new(form));
    backend.call(&step(&*keys, |tx| {
        if tx.exists_many(forms)? > 0 {
            return Ok(false);
        }
        until.check(tx)?;
        if let Some((counter, key)) = visit {
            // What a bitmap's visit writes is its form, which is not there.
            if key != form {
                tx.scard(key)?;
            }
            check_counter(tx, KeyRef::new(counter), 1)?;
        }
        let begun = tx.set_nx(form, value)?;
        until.begin_keys(tx, [form])?;
        Ok(begun)
    }))
}
