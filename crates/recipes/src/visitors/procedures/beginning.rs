//! Steps that read or set the form of a bucket.

use bytes::Bytes;
use store::{KeyRef, Reply, Script, ScriptCall};

use crate::counted::check_counter;
use crate::kept::KeptUntil;
use crate::procedure::{Procedure, read, step};
use crate::request::Request;
use crate::text::Text;
use crate::visitors::keys::FORM_KEYS;

pub(super) static BEGIN: Script = Script::new(
    concat!(
        include_str!("../../kept.lua"),
        include_str!("../../counted.lua"),
        include_str!("../begin.lua")
    ),
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

pub(super) static SET: Script =
    Script::new(concat!(include_str!("../../kept.lua"), include_str!("../set.lua")), |tx, call| {
        let ([form], until) = (call.keys()?, KeptUntil::of_arg(call, 1)?);
        let value = std::str::from_utf8(call.arg(0)?).map_err(|_| ScriptCall::wrong())?;
        set_nx(form, value, until).run(tx).map(|begun| Reply::Int(begun.into()))
    });

/// GET, or only whether the key exists.
pub(in crate::visitors) fn look(
    key: &[u8],
    at_value: bool,
) -> impl Procedure<Output = Option<Bytes>> {
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

/// What the first visit of a bucket writes, in addition to the key that records the form.
#[derive(Debug)]
pub(in crate::visitors) struct Visit {
    /// The key of the counter, if there is one.
    pub(in crate::visitors) counter: Option<Text>,
    /// The key of the shard or of the bitmap.
    pub(in crate::visitors) key: Text,
}

/// SET of the key that records the form of a bucket, unless it has a form already; returns whether it was set.
///
/// The keys of all forms are in `forms`. Nothing is written if the visit would be refused.
pub(in crate::visitors) fn begin<'k>(
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

/// The keys of the first visit of a bucket.
#[derive(Debug)]
pub(in crate::visitors) struct BeginKeys<'k> {
    forms: [&'k [u8]; FORM_KEYS.len()],
    form: &'k [u8],
    counter: Option<&'k [u8]>,
    shard: Option<&'k [u8]>,
    all: Vec<KeyRef<'k>>,
}

impl<'k> BeginKeys<'k> {
    pub(in crate::visitors) fn new(
        forms: [&'k [u8]; FORM_KEYS.len()],
        form: &'k [u8],
        visit: Option<&'k Visit>,
    ) -> Self {
        let counter = visit.and_then(|visit| visit.counter.as_deref());
        // For a bitmap, the key that the visit writes records the form, and does not exist.
        let shard = visit.map(|visit| &visit.key[..]).filter(|key| *key != form);
        let read_keys = forms.into_iter().chain(counter).chain(shard).map(read);
        let all = read_keys.chain([KeyRef::new(form)]).collect();
        Self { forms, form, counter, shard, all }
    }
}

/// SETNX of the key that records the form of a bucket; returns whether it was set. On a cluster the keys of the other
/// forms are in other slots.
pub(in crate::visitors) fn set_nx<'k>(
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
