//! Steps that add ids to shards.

use store::{Error, KeyRef, Member, Reply, Script, ScriptCall, Tx};

use super::int;
use crate::counted::{change_and_count, check_counter};
use crate::errors::invalid;
use crate::kept::KeptUntil;
use crate::procedure::{Procedure, step, step_on};
use crate::request::Request;
use crate::server_errors;
use crate::sharded_set::{Fixed, InShard, of_each_shard};
use crate::visitors::keys::shard_counter;

pub(super) static ADD_AND_COUNT: Script = Script::new(
    concat!(include_str!("../../kept.lua"), include_str!("../add_and_count.lua")),
    |tx, call| {
        let ([counter, shard], id) = (call.keys()?, call.int(0)?);
        let counter = KeyRef::new(counter);
        let is_new = add_and_count(shard, counter, id, KeptUntil::of_arg(call, 1)?).run(tx)?;
        Ok(Reply::Int(is_new.into()))
    },
);

pub(super) static ADD_ALL_AND_COUNT: Script = Script::new(
    concat!(
        include_str!("../../kept.lua"),
        include_str!("../../counted.lua"),
        include_str!("../add_all_and_count.lua")
    ),
    |tx, call| {
        let keys: Vec<_> = call.keys.iter().map(|key| KeyRef::new(key)).collect();
        let visits = of_args(keys.len().saturating_sub(1), call)?;
        let counted = add_all_and_count(&keys, &visits, KeptUntil::of_arg(call, 0)?).run(tx)?;
        let refused = counted.refused.map(|error| error.to_string()).unwrap_or_default();
        Ok(Reply::Array(vec![int(counted.new), refused.into()]))
    },
);

pub(super) static ADD: Script =
    Script::new(concat!(include_str!("../../kept.lua"), include_str!("../add.lua")), |tx, call| {
        let ([shard], ids) = (call.keys()?, call.ints_from(1)?);
        let ids: Vec<_> = ids.into_iter().map(|id| (0, id)).collect();
        add_kept(shard, &ids, KeptUntil::of_arg(call, 0)?).run(tx).map(int)
    });

/// SADD of an id to a shard and, if it is new, INCR of the counter; returns whether it is new.
#[inline]
pub(in crate::visitors) fn add_and_count<'k>(
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
                if new {
                    until.begin_set(set);
                }
                Ok(new)
            })
        };
        let count = change_and_count(tx, counter, 1, would, change)?;
        if count == Some(1) {
            until.begin_keys(tx, [counter.as_bytes()])?;
        }
        Ok(count.is_some())
    })
    .on_server(move || request_of_one(counter, shard, id, until))
}

fn request_of_one(counter: KeyRef<'_>, shard: &[u8], id: i64, until: KeptUntil) -> Request {
    let request = Request::script(&ADD_AND_COUNT).key(counter).key(shard);
    request.arg(id).arg(until.as_arg())
}

/// The outcome of many visits.
#[derive(Debug, Default, PartialEq)]
pub(in crate::visitors) struct Counted {
    pub(in crate::visitors) new: u64,
    /// The error of the first visit that was refused, if any. All others have been counted.
    pub(in crate::visitors) refused: Option<Error>,
}

impl Counted {
    /// Adds the outcome of later visits.
    pub(in crate::visitors) fn add(&mut self, behind: Self) {
        // A server may reply with any integer.
        self.new = self.new.saturating_add(behind.new);
        self.refused = self.refused.take().or(behind.refused);
    }

    pub(in crate::visitors) fn into_result(self) -> Result<u64, Error> {
        self.refused.map_or(Ok(self.new), Err)
    }
}

impl From<u64> for Counted {
    fn from(new: u64) -> Self {
        Self { new, refused: None }
    }
}

/// SADD of each id to its shard, and INCRBY of the counter by how many are new. The keys are that of the counter, then
/// one per shard. Refused as a whole if the counter would overflow if all were new.
pub(in crate::visitors) fn add_all_and_count<'k>(
    keys: &'k [KeyRef<'k>],
    visits: &'k [InShard<i64>],
    until: KeptUntil,
) -> impl Procedure<Output = Counted> {
    step(keys, move |tx| {
        let (counter, shards) = (keys[0], &keys[1..]);
        until.check(tx)?;
        check_counter(tx, counter, visits.len().try_into().unwrap_or(i64::MAX))?;
        let (mut new, mut refused) = (0, None);
        for (&shard, ids) in shards.iter().zip(of_each_shard(visits)) {
            if let Err(error) = add_all(tx, shard, ids, until, &mut new) {
                refused = refused.or(Some(error));
            }
        }
        if new > 0 && tx.incr(counter, new)? == new {
            until.begin_keys(tx, [counter.as_bytes()])?;
        }
        Ok(Counted { new: new.unsigned_abs(), refused })
    })
    .on_server_with(move || request_of_all(keys[0], &keys[1..], visits, until), counted)
}

/// SADD of ids to a shard: adds to `new` how many are new.
fn add_all(
    tx: &Tx<'_>,
    shard: KeyRef<'_>,
    ids: &[InShard<i64>],
    until: KeptUntil,
    new: &mut i64,
) -> Result<(), Error> {
    tx.with_set(shard, |set| {
        for &(_, id) in ids {
            if set.add(id)? {
                until.begin_set(set);
                *new += 1;
            }
        }
        Ok(())
    })
}

fn request_of_all(
    counter: KeyRef<'_>,
    shards: impl IntoIterator<Item: AsRef<[u8]>>,
    visits: &[InShard<i64>],
    until: KeptUntil,
) -> Request {
    let request = Request::script(&ADD_ALL_AND_COUNT).key(counter).keys(shards);
    of_each_shard(visits).fold(request.arg(until.as_arg()), |request, ids| {
        request.count(ids.len()).args(ids.iter().map(|&(_, id)| id))
    })
}

/// Parses the visits in a call of [`ADD_ALL_AND_COUNT`] with this number of shards.
fn of_args(shards: usize, call: &ScriptCall<'_>) -> Result<Vec<InShard<i64>>, Error> {
    let args = call.ints_from(1)?;
    let (mut rest, mut visits) = (&args[..], Vec::with_capacity(args.len()));
    for shard in 0..shards as u64 {
        let (&count, args) = rest.split_first().ok_or_else(ScriptCall::wrong)?;
        let count = usize::try_from(count).ok().filter(|&count| count > 0);
        let (ids, args) =
            count.and_then(|count| args.split_at_checked(count)).ok_or_else(ScriptCall::wrong)?;
        visits.extend(ids.iter().map(|&id| (shard, id)));
        rest = args;
    }
    if visits.is_empty() || !rest.is_empty() {
        return Err(ScriptCall::wrong());
    }
    Ok(visits)
}

/// As [`add_all_and_count`] on a server. The names of the shards are built when the request is, so that those of a
/// large batch are not all in memory at once.
pub(in crate::visitors) fn send_all_and_count<'k>(
    set: &'k Fixed,
    counter: KeyRef<'k>,
    visits: &'k [InShard<i64>],
    until: KeptUntil,
) -> impl Procedure<Output = Counted> {
    let request = move || request_of_all(counter, set.shards_of(visits), visits, until);
    step([counter], |_| Err(on_a_server_only())).on_server_with(request, counted)
}

/// As [`send_all_and_count`], for visits of one shard, with its counter. A single visit is an [`add_and_count`], which
/// is cheaper for the server.
pub(in crate::visitors) fn send_shard_and_count<'k>(
    set: &'k Fixed,
    visits: &'k [InShard<i64>],
    until: KeptUntil,
) -> impl Procedure<Output = Counted> {
    let request = move || {
        let shard = set.base.shard(visits[0].0);
        let counter = shard_counter(&shard);
        let counter = KeyRef::new(&counter);
        match *visits {
            [(_, id)] => request_of_one(counter, &shard, id, until),
            _ => request_of_all(counter, [&shard], visits, until),
        }
    };
    let output = move |reply: Reply| match visits {
        [_] => Ok(u64::from(reply.convert::<bool>()?).into()),
        _ => counted(reply),
    };
    step([KeyRef::new(b"")], |_| Err(on_a_server_only())).on_server_with(request, output)
}

/// Returns the error of a step that cannot run on a store.
#[cold]
fn on_a_server_only() -> Error {
    invalid("ERR a store does not run this step")
}

fn counted(reply: Reply) -> Result<Counted, Error> {
    let (new, refused): (u64, String) = reply.convert()?;
    let refused = (!refused.is_empty()).then(|| server_errors::of_text(refused));
    Ok(Counted { new, refused })
}

/// SADD of ids to a shard, with an expiry; returns how many are new.
pub(in crate::visitors) fn add_kept<'k>(
    shard: &'k [u8],
    ids: &'k [InShard<i64>],
    until: KeptUntil,
) -> impl Procedure<Output = u64> {
    step([shard], move |tx| {
        until.check(tx)?;
        let mut new = 0;
        add_all(tx, KeyRef::new(shard), ids, until, &mut new)?;
        Ok(new.unsigned_abs())
    })
    .on_server(move || {
        let request = match until.0 {
            None => Request::command("SADD").key(shard),
            Some(at) => Request::script(&ADD).key(shard).arg(at),
        };
        request.args(ids.iter().map(|&(_, id)| id))
    })
}
