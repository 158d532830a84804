//! The procedures of counting visitors in sets of a fixed number of shards, and of beginning a bucket.

use store::{Error, KeyRef};

use crate::counted::{change_and_count, check_counter};
use crate::procedure::{Backend, Keys, Procedure, read, step};

/// SADD of an id to a shard and, if it is new, INCR of the counter: whether it is new.
#[inline]
pub(super) fn add_and_count<'k>(
    shard: &'k [u8],
    counter: KeyRef<'k>,
    id: i64,
) -> impl Procedure<Output = bool> {
    step([counter, KeyRef::new(shard)], move |tx| {
        let would = || Ok(!tx.sismember(shard, id)?);
        let change = || tx.with_set(shard, |set| set.add(id));
        Ok(change_and_count(tx, counter, 1, would, change)?.is_some())
    })
}

/// SET of the key that says the form of a bucket, unless there is one that does: whether it was set.
///
/// The keys of all forms are among `forms`. The visit is the counter, and the shard of the visit for which the bucket
/// is begun: nothing is written if the visit would be refused.
pub(super) fn begin(
    backend: &impl Backend,
    form: &[u8],
    value: &str,
    forms: [&[u8]; 3],
    visit: Option<(&[u8], &[u8])>,
) -> Result<bool, Error> {
    let visited = visit.into_iter().flat_map(|(counter, shard)| [counter, shard]);
    let others = forms.into_iter().filter(|&other| other != form);
    let mut keys: Keys<'_> = others.chain(visited).map(read).collect();
    keys.push(KeyRef::new(form));
    backend.call(&step(&*keys, |tx| {
        if tx.exists_many(forms)? > 0 {
            return Ok(false);
        }
        if let Some((counter, shard)) = visit {
            tx.scard(shard)?;
            check_counter(tx, KeyRef::new(counter), 1)?;
        }
        tx.set_nx(form, value)
    }))
}
