//! The Lua scripts of windows, with the equivalent steps on a store.

use bytes::Bytes;
use smallvec::SmallVec;
use store::{Error, Member, PreparedKey, Reply, Script, ScriptCall};

use super::procedures::{
    self, Answer, BucketKey, CountKeys, RollKeys, add_and_open, add_many_if_open, add_many_to_all,
};
use super::spread;
use super::users::Users;
use crate::kept::KeptUntil;
use crate::procedure::Procedure;
use crate::text::Text;

/// The scripts of [`UvWindows`](super::UvWindows).
pub(crate) static SCRIPTS: [&Script; 11] = [
    &ADD_TO_ALL,
    &ADD_IF_OPEN,
    &ADD_AND_OPEN,
    &OPEN_NAMES,
    &ROLL,
    &COUNT,
    &ADD_ALONE,
    &TAKE,
    &REPLACE,
    &EXPIRE,
    &FINISH,
];

pub(super) static ADD_TO_ALL: Script = Script::new(
    concat!(include_str!("../kept.lua"), include_str!("add_to_all.lua")),
    |tx, call| {
        let buckets = call.keys.iter().enumerate().map(|(at, key)| {
            let expires_at = KeptUntil::of_arg(call, at)?.0;
            Ok(BucketKey { bucket: (), key: PreparedKey::unhashed(key), name_at: 0, expires_at })
        });
        let buckets: Vec<_> = buckets.collect::<Result<_, Error>>()?;
        let (names, hashes) = users_from(call, buckets.len());
        let users = Users::new(&names, &hashes);
        let (answers, refused) = match <&[_; 4]>::try_from(buckets.as_slice()) {
            Ok(buckets) => add_many_to_all(buckets, users).run(tx)?,
            Err(_) => match <&[_; 1]>::try_from(buckets.as_slice()) {
                Ok(bucket) => add_many_to_all(bucket, users).run(tx)?,
                Err(_) => return Err(ScriptCall::wrong()),
            },
        };
        let answers = answers.into_iter().map(|answer| {
            Reply::Int(match answer {
                Answer::None => 0,
                Answer::No => 1,
                Answer::Yes => 2,
            })
        });
        Ok(Reply::Array(vec![Reply::Array(answers.collect()), text(refused)]))
    },
);

pub(super) static ADD_IF_OPEN: Script = Script::new(include_str!("add_if_open.lua"), |tx, call| {
    let [key] = call.keys()?.map(PreparedKey::unhashed);
    let minute = BucketKey { bucket: (), key, name_at: 0, expires_at: None };
    let (names, hashes) = users_from(call, 0);
    let done = add_many_if_open(&minute, Users::new(&names, &hashes)).run(tx)?;
    Ok(done
        .map_or(Reply::Nil, |(changed, refused)| Reply::Array(vec![changed.into(), text(refused)])))
});

pub(super) static ADD_AND_OPEN: Script =
    Script::new(include_str!("add_and_open.lua"), |tx, call| {
        let ([open, key], name) = (call.keys()?, call.arg(0)?);
        let name_at = key.len().checked_sub(name.len()).ok_or_else(ScriptCall::wrong)?;
        let bucket = BucketKey { bucket: (), key: key.to_vec(), name_at, expires_at: None };
        let (names, hashes) = users_from(call, 1);
        let added = add_and_open(open, &bucket, Users::new(&names, &hashes)).run(tx)?;
        Ok(Reply::Array(vec![added.0.into(), text(added.1)]))
    });

pub(super) static OPEN_NAMES: Script = Script::new(include_str!("open_names.lua"), |tx, call| {
    let [open] = call.keys()?;
    let (now, names) = procedures::open_names(open).run(tx)?;
    let names = names.into_iter().map(Reply::Bulk).collect();
    Ok(Reply::Array(vec![now.into(), Reply::Array(names)]))
});

pub(super) static ROLL: Script = Script::new(include_str!("roll.lua"), |tx, call| {
    /// The number of arguments before the times.
    const BEFORE: usize = 3;
    let (open, keys) = call.keys.split_first().ok_or_else(ScriptCall::wrong)?;
    let name_at = usize::try_from(call.int(2)?).map_err(|_| ScriptCall::wrong())?;
    let buckets = keys.iter().enumerate().map(|(at, key)| {
        if key.len() < name_at {
            return Err(ScriptCall::wrong());
        }
        let expires_at = KeptUntil::of_arg(call, BEFORE + at)?.0;
        Ok(BucketKey { bucket: (), key: key.to_vec(), name_at, expires_at })
    });
    let buckets: Vec<_> = buckets.collect::<Result<_, Error>>()?;
    let (into, buckets) = match buckets.split_last() {
        Some((into, buckets)) if call.int(0)? == 1 => (Some(into), buckets),
        _ => (None, buckets.as_slice()),
    };
    let keys = RollKeys::new(open, buckets, into, call.int(1)? == 1);
    procedures::roll(&keys).run(tx).map(Reply::from)
});

pub(super) static COUNT: Script = Script::new(include_str!("count.lua"), |tx, call| {
    let (open, keys) = call.keys.split_first().ok_or_else(ScriptCall::wrong)?;
    let keys: Vec<Text> = keys.iter().map(|key| SmallVec::from_slice(key)).collect();
    let names: Vec<Bytes> = call.args.iter().map(|name| Bytes::copy_from_slice(name)).collect();
    let counted = procedures::count(&CountKeys::new(open, &names, &keys)).run(tx)?;
    Ok(counted.map_or(Reply::Nil, |(count, now)| Reply::Array(vec![count.into(), now.into()])))
});

pub(super) static ADD_ALONE: Script =
    Script::new(concat!(include_str!("../kept.lua"), include_str!("add_alone.lua")), |tx, call| {
        let [key] = call.keys()?.map(PreparedKey::unhashed);
        let expires_at = KeptUntil::of_arg(call, 0)?.0;
        let bucket = BucketKey { bucket: (), key, name_at: 0, expires_at };
        let (names, hashes) = users_from(call, 1);
        let added = spread::add_alone(&bucket, Users::new(&names, &hashes)).run(tx)?;
        Ok(added.map_or(Reply::Nil, |(changed, refused)| {
            Reply::Array(vec![changed.into(), text(refused)])
        }))
    });

pub(super) static TAKE: Script = Script::new(include_str!("take.lua"), |tx, call| {
    let ([open], Some((mark, names))) = (call.keys()?, call.args.split_first()) else {
        return Err(ScriptCall::wrong());
    };
    let taken = spread::take(open, mark, names).run(tx)?;
    Ok(Reply::Array(taken.into_iter().map(Reply::Bulk).collect()))
});

pub(super) static REPLACE: Script = Script::new(include_str!("replace.lua"), |tx, call| {
    let ([key], expires_at) = (call.keys()?, KeptUntil::of_arg(call, 3)?.0);
    let bucket = BucketKey { bucket: (), key: key.to_vec(), name_at: 0, expires_at };
    let (held, value, stays_open) = (call.arg(0)?, call.arg(1)?, call.int(2)? == 1);
    spread::replace(&bucket, held, value, stays_open).run(tx).map(Reply::from)
});

pub(super) static EXPIRE: Script = Script::new(include_str!("expire.lua"), |tx, call| {
    let [key] = call.keys()?;
    spread::expire(key, call.arg(0)?, call.int(1)?).run(tx).map(Reply::from)
});

pub(super) static FINISH: Script = Script::new(include_str!("finish.lua"), |tx, call| {
    let ([open], added) = (call.keys()?, usize::try_from(call.int(0)?));
    let added = added.ok().and_then(|added| call.args[1..].split_at_checked(added));
    let (added, removed) = added.ok_or_else(ScriptCall::wrong)?;
    spread::finish(open, added, removed).run(tx).map(|()| Reply::OK)
});

/// Returns the users in the arguments from an index on, and their hashes.
fn users_from<'c>(call: &ScriptCall<'c>, first: usize) -> (Vec<Member<'c>>, Vec<u64>) {
    let names: Vec<_> = call.args.iter().skip(first).map(|name| Member::Bytes(name)).collect();
    let hashes = names.iter().map(|name| name.with_bytes(hll::hash)).collect();
    (names, hashes)
}

/// Returns the text of an error, or an empty one.
fn text(error: Option<Error>) -> Reply {
    error.map(|error| error.to_string()).unwrap_or_default().into()
}
