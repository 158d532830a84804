//! The procedures of counting visitors in sets of a fixed number of shards, and of beginning a bucket.

use bytes::Bytes;
use store::{Error, KeyRef, Member, Reply, Script, ScriptCall, Tx};

use super::keys::{FORM_KEYS, shard_counter};
use crate::counted::{change_and_count, check_counter};
use crate::errors::invalid;
use crate::kept::KeptUntil;
use crate::procedure::{Procedure, read, step, step_on};
use crate::request::Request;
use crate::server_errors;
use crate::sharded_set::{Fixed, InShard, of_each_shard};
use crate::text::Text;

/// The scripts of [`Visitors`](super::Visitors).
pub(crate) static SCRIPTS: [&Script; 9] = [
    &ADD_AND_COUNT,
    &ADD_ALL_AND_COUNT,
    &MARK_AND_COUNT,
    &MARK_ALL_AND_COUNT,
    &BEGIN,
    &ADD,
    &MARK,
    &COUNT,
    &SET,
];

static ADD_AND_COUNT: Script = Script::new(
    concat!(include_str!("../kept.lua"), include_str!("add_and_count.lua")),
    |tx, call| {
        let ([counter, shard], id) = (call.keys()?, call.int(0)?);
        let counter = KeyRef::new(counter);
        let is_new = add_and_count(shard, counter, id, KeptUntil::of_arg(call, 1)?).run(tx)?;
        Ok(Reply::Int(is_new.into()))
    },
);

static ADD_ALL_AND_COUNT: Script = Script::new(
    concat!(
        include_str!("../kept.lua"),
        include_str!("../counted.lua"),
        include_str!("add_all_and_count.lua")
    ),
    |tx, call| {
        let keys: Vec<_> = call.keys.iter().map(|key| KeyRef::new(key)).collect();
        let visits = of_args(keys.len().saturating_sub(1), call)?;
        let counted = add_all_and_count(&keys, &visits, KeptUntil::of_arg(call, 0)?).run(tx)?;
        let refused = counted.refused.map(|error| error.to_string()).unwrap_or_default();
        Ok(Reply::Array(vec![int(counted.new), refused.into()]))
    },
);

static MARK_AND_COUNT: Script = Script::new(
    concat!(include_str!("../kept.lua"), include_str!("mark_and_count.lua")),
    |tx, call| {
        let ([counter, bitmap], id) = (call.keys()?.map(KeyRef::new), bit(call.int(0)?)?);
        let is_new = mark_and_count(bitmap, counter, id, KeptUntil::of_arg(call, 1)?).run(tx)?;
        Ok(Reply::Int(is_new.into()))
    },
);

static MARK_ALL_AND_COUNT: Script = Script::new(
    concat!(
        include_str!("../kept.lua"),
        include_str!("../counted.lua"),
        include_str!("mark_all_and_count.lua")
    ),
    |tx, call| {
        let ([counter, bitmap], until) =
            (call.keys()?.map(KeyRef::new), KeptUntil::of_arg(call, 0)?);
        let ids: Vec<u64> = call.ints_from(1)?.into_iter().map(bit).collect::<Result<_, _>>()?;
        mark_all_and_count(bitmap, counter, &ids, until).run(tx).map(int)
    },
);

static BEGIN: Script = Script::new(
    concat!(include_str!("../kept.lua"), include_str!("../counted.lua"), include_str!("begin.lua")),
    |tx, call| {
        let (forms, rest) =
            call.keys.split_first_chunk::<{ FORM_KEYS.len() }>().ok_or_else(ScriptCall::wrong)?;
        let (form, visit) = rest.split_first().ok_or_else(ScriptCall::wrong)?;
        let mut visit = visit.iter().map(|key| Text::from_slice(key));
        let (counter, key) = (visit.next(), visit.next());
        let visit = counter.map(|counter| Visit {
            counter: Some(counter),
            key: key.unwrap_or_else(|| Text::from_slice(form)),
        });
        let until = KeptUntil::of_arg(call, 1)?;
        let value = std::str::from_utf8(call.arg(0)?).map_err(|_| ScriptCall::wrong())?;
        let keys = BeginKeys::new(*forms, form, visit.as_ref());
        begin(&keys, value, until).run(tx).map(|begun| Reply::Int(begun.into()))
    },
);

static ADD: Script =
    Script::new(concat!(include_str!("../kept.lua"), include_str!("add.lua")), |tx, call| {
        let ([shard], ids) = (call.keys()?, call.ints_from(1)?);
        let ids: Vec<_> = ids.into_iter().map(|id| (0, id)).collect();
        add_kept(shard, &ids, KeptUntil::of_arg(call, 0)?).run(tx).map(int)
    });

static MARK: Script =
    Script::new(concat!(include_str!("../kept.lua"), include_str!("mark.lua")), |tx, call| {
        let ([bitmap], id) = (call.keys()?.map(KeyRef::new), bit(call.int(0)?)?);
        let is_new = mark(bitmap, id, KeptUntil::of_arg(call, 1)?).run(tx)?;
        Ok(Reply::Int((!is_new).into()))
    });

static COUNT: Script = Script::new(include_str!("count.lua"), |tx, call| {
    let ([counter], by) = (call.keys()?.map(KeyRef::new), call.int(0)?);
    count_in(counter, by, KeptUntil::of_arg(call, 1)?).run(tx).map(|()| Reply::OK)
});

static SET: Script =
    Script::new(concat!(include_str!("../kept.lua"), include_str!("set.lua")), |tx, call| {
        let ([form], until) = (call.keys()?, KeptUntil::of_arg(call, 1)?);
        let value = std::str::from_utf8(call.arg(0)?).map_err(|_| ScriptCall::wrong())?;
        set_nx(form, value, until).run(tx).map(|begun| Reply::Int(begun.into()))
    });

fn int(count: u64) -> Reply {
    Reply::Int(count.try_into().unwrap_or(i64::MAX))
}

/// The bit that an argument says.
fn bit(id: i64) -> Result<u64, Error> {
    id.try_into().map_err(|_| ScriptCall::wrong())
}

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
    .on_server(move || {
        let request = Request::script(&ADD_AND_COUNT).key(counter).key(shard);
        request.arg(id).arg(until.as_arg())
    })
}

/// What became of many visits.
#[derive(Debug, PartialEq)]
pub(super) struct Counted {
    pub(super) new: u64,
    /// Why the first was refused of those that were. All others have been counted.
    pub(super) refused: Option<Error>,
}

impl From<u64> for Counted {
    fn from(new: u64) -> Self {
        Self { new, refused: None }
    }
}

/// SADD of each id to its shard, and INCRBY of the counter by how many are new. The keys are that of the counter, then one
/// for each shard. Refused as a whole if the counter could not take them all.
pub(super) fn add_all_and_count<'k>(
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

/// SADD of ids to a shard: adds to `new` how many are.
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

/// The visits that a call of [`ADD_ALL_AND_COUNT`] has for so many shards.
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

/// As [`add_all_and_count`] on a server, where the names of the shards are made when it is sent: those of a large batch are
/// not all kept at once.
pub(super) fn send_all_and_count<'k>(
    set: &'k Fixed,
    counter: KeyRef<'k>,
    visits: &'k [InShard<i64>],
    until: KeptUntil,
) -> impl Procedure<Output = Counted> {
    let request = move || request_of_all(counter, set.shards_of(visits), visits, until);
    step([counter], |_| Err(on_a_server_only())).on_server_with(request, counted)
}

/// As [`send_all_and_count`], of visits to one shard, with its counter.
pub(super) fn send_shard_and_count<'k>(
    set: &'k Fixed,
    visits: &'k [InShard<i64>],
    until: KeptUntil,
) -> impl Procedure<Output = Counted> {
    let request = move || {
        let shard = set.base.shard(visits[0].0);
        let counter = shard_counter(&shard);
        request_of_all(KeyRef::new(&counter), [&shard], visits, until)
    };
    step([KeyRef::new(b"")], |_| Err(on_a_server_only())).on_server_with(request, counted)
}

/// The error of a step that is asked of a store.
#[cold]
fn on_a_server_only() -> Error {
    invalid("ERR a store has a step of its own for this one")
}

fn counted(reply: Reply) -> Result<Counted, Error> {
    let (new, refused): (u64, String) = reply.convert()?;
    let refused = (!refused.is_empty()).then(|| server_errors::of_text(refused));
    Ok(Counted { new, refused })
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
    .on_server(move || {
        let request = Request::script(&MARK_ALL_AND_COUNT).key(counter).key(bitmap);
        request.arg(until.as_arg()).args(ids.iter().map(|id| id.cast_signed()))
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
    .on_server(move || {
        let request = Request::script(&MARK_AND_COUNT).key(counter).key(bitmap);
        request.arg(id.cast_signed()).arg(until.as_arg())
    })
}

/// SADD of ids to a shard, which is kept so long: how many are new.
pub(super) fn add_kept<'k>(
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

/// SETBIT of an id in a bitmap, which is kept so long: whether it is new.
pub(super) fn mark(bitmap: KeyRef<'_>, id: u64, until: KeptUntil) -> impl Procedure<Output = bool> {
    step([bitmap], move |tx| {
        until.check(tx)?;
        let is_first = until.0.is_some() && !tx.exists(bitmap)?;
        let is_new = !tx.setbit(bitmap, id, true)?;
        if is_first {
            until.begin_keys(tx, [bitmap.as_bytes()])?;
        }
        Ok(is_new)
    })
    .on_server_with(
        move || match until.0 {
            None => Request::command("SETBIT").key(bitmap).arg(id.cast_signed()).arg(1),
            Some(at) => Request::script(&MARK).key(bitmap).arg(id.cast_signed()).arg(at),
        },
        |reply| Ok(!reply.convert::<bool>()?),
    )
}

/// INCRBY of a counter, which is kept so long.
pub(super) fn count_in(
    counter: KeyRef<'_>,
    by: i64,
    until: KeptUntil,
) -> impl Procedure<Output = ()> {
    step([counter], move |tx| {
        if tx.incr(counter, by)? == by {
            until.begin_keys(tx, [counter.as_bytes()])?;
        }
        Ok(())
    })
    .on_server(move || match until.0 {
        None => Request::command("INCRBY").key(counter).arg(by),
        Some(at) => Request::script(&COUNT).key(counter).arg(by).arg(at),
    })
}

/// GET, or nothing but whether there is such a key.
pub(super) fn look(key: &[u8], at_value: bool) -> impl Procedure<Output = Option<Bytes>> {
    step(
        [read(key)],
        move |tx| {
            if at_value { tx.get(key) } else { Ok(tx.exists(key)?.then(Bytes::new)) }
        },
    )
    .on_server_with(
        move || Request::command(if at_value { "GET" } else { "EXISTS" }).key(key),
        move |reply| {
            if at_value { reply.convert() } else { Ok(reply.convert::<bool>()?.then(Bytes::new)) }
        },
    )
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
pub(super) fn begin<'k>(
    keys: &'k BeginKeys<'k>,
    value: &'k str,
    until: KeptUntil,
) -> impl Procedure<Output = bool> {
    step(&keys.all[..], move |tx| {
        if tx.exists_many(keys.forms)? > 0 {
            return Ok(false);
        }
        until.check(tx)?;
        if let Some(shard) = keys.shard {
            tx.scard(shard)?;
        }
        if let Some(counter) = keys.counter {
            check_counter(tx, KeyRef::new(counter), 1)?;
        }
        let begun = tx.set_nx(keys.form, value)?;
        until.begin_keys(tx, [keys.form])?;
        Ok(begun)
    })
    .on_server(move || {
        let request = Request::script(&BEGIN).keys(keys.forms).key(keys.form);
        let request = request.keys(keys.counter.into_iter().chain(keys.shard));
        request.arg(value).arg(until.as_arg()).count(keys.forms.len())
    })
}

/// The keys of beginning a bucket.
#[derive(Debug)]
pub(super) struct BeginKeys<'k> {
    forms: [&'k [u8]; FORM_KEYS.len()],
    form: &'k [u8],
    counter: Option<&'k [u8]>,
    shard: Option<&'k [u8]>,
    all: Vec<KeyRef<'k>>,
}

impl<'k> BeginKeys<'k> {
    pub(super) fn new(
        forms: [&'k [u8]; FORM_KEYS.len()],
        form: &'k [u8],
        visit: Option<&'k Visit>,
    ) -> Self {
        let counter = visit.and_then(|visit| visit.counter.as_deref());
        // What a bitmap's visit writes is its form, which is not there.
        let shard = visit.map(|visit| &visit.key[..]).filter(|key| *key != form);
        let read_keys = forms.into_iter().chain(counter).chain(shard).map(read);
        let all = read_keys.chain([KeyRef::new(form)]).collect();
        Self { forms, form, counter, shard, all }
    }
}

/// SETNX of the key that says the form of a bucket: whether it was set. On a cluster the keys of the other forms are in
/// other slots.
pub(super) fn set_nx<'k>(
    form: &'k [u8],
    value: &'k str,
    until: KeptUntil,
) -> impl Procedure<Output = bool> {
    step([form], move |tx| {
        until.check(tx)?;
        let begun = tx.set_nx(form, value)?;
        if begun {
            until.begin_keys(tx, [form])?;
        }
        Ok(begun)
    })
    .on_server(move || match until.0 {
        None => Request::command("SETNX").key(form).arg(value),
        Some(at) => Request::script(&SET).key(form).arg(value).arg(at),
    })
}
