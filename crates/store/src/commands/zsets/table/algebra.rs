//! ZUNION, ZINTER, ZDIFF, their STORE forms, and ZINTERCARD.

use super::listed;
use crate::commands::{Aggregate, check_sources};
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Answer, Caller, int, is, refused};
use crate::reply::Reply;
use crate::text::double;

pub(super) fn zdiff(store: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let call = Call::parse(store, "zdiff", args, Takes { withscores: true, ..Takes::NOTHING })?;
    Ok(listed(store, store.zdiff(call.keys)?, call.withscores))
}

pub(super) fn zdiffstore(store: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let call = Call::parse(store, "zdiffstore", &args[1..], Takes::NOTHING)?;
    Ok(Reply::count(store.zdiffstore(args[0], call.keys)?))
}

pub(super) fn zinter(store: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let call = Call::parse(store, "zinter", args, Takes::ALL)?;
    let found = store.zinter(call.keys, &call.weights, call.aggregate)?;
    Ok(listed(store, found, call.withscores))
}

pub(super) fn zintercard(store: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let call = Call::parse(store, "zintercard", args, Takes { limit: true, ..Takes::NOTHING })?;
    Ok(Reply::count(store.zintercard(call.keys, call.limit)?))
}

pub(super) fn zinterstore(store: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let call = Call::parse(store, "zinterstore", &args[1..], Takes::TO_STORE)?;
    Ok(Reply::count(store.zinterstore(args[0], call.keys, &call.weights, call.aggregate)?))
}

pub(super) fn zunion(store: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let call = Call::parse(store, "zunion", args, Takes::ALL)?;
    let found = store.zunion(call.keys, &call.weights, call.aggregate)?;
    Ok(listed(store, found, call.withscores))
}

pub(super) fn zunionstore(store: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let call = Call::parse(store, "zunionstore", &args[1..], Takes::TO_STORE)?;
    Ok(Reply::count(store.zunionstore(args[0], call.keys, &call.weights, call.aggregate)?))
}

/// Which options a command has.
#[derive(Clone, Copy, Debug)]
struct Takes {
    /// WEIGHTS and AGGREGATE.
    scoring: bool,
    withscores: bool,
    limit: bool,
}

impl Takes {
    const NOTHING: Self = Self { scoring: false, withscores: false, limit: false };
    const TO_STORE: Self = Self { scoring: true, ..Self::NOTHING };
    const ALL: Self = Self { withscores: true, ..Self::TO_STORE };
}

/// The words of a command behind its destination.
#[derive(Debug, Default)]
struct Call<'a> {
    keys: &'a [&'a [u8]],
    weights: Vec<f64>,
    aggregate: Aggregate,
    withscores: bool,
    limit: usize,
}

impl<'a> Call<'a> {
    fn parse(
        store: Caller<'_, '_>,
        name: &str,
        args: &'a [&'a [u8]],
        takes: Takes,
    ) -> Result<Self> {
        let count = int(args[0])?;
        let count = usize::try_from(count).ok().filter(|&count| count > 0).ok_or_else(|| {
            let text = format!("ERR at least 1 input key is needed for '{name}' command");
            refused(text)
        })?;
        let (keys, options) = args[1..].split_at_checked(count).ok_or_else(Error::syntax)?;
        let mut call = Self { keys, ..Self::default() };
        match call.take_options(options, takes) {
            Ok(()) => Ok(call),
            Err(error) => {
                // Redis looks at the keys before it reads the options.
                check_sources(&store, keys)?;
                Err(error)
            }
        }
    }

    fn take_options(&mut self, mut rest: &[&[u8]], takes: Takes) -> Result<()> {
        while let [word, behind @ ..] = rest {
            rest = match behind {
                _ if takes.scoring && is(word, "weights") && behind.len() >= self.keys.len() => {
                    let (weights, behind) = behind.split_at(self.keys.len());
                    self.weights =
                        weights.iter().map(|text| weight(text)).collect::<Result<_, _>>()?;
                    behind
                }
                [name, behind @ ..] if takes.scoring && is(word, "aggregate") => {
                    self.aggregate = aggregate(name)?;
                    behind
                }
                _ if takes.withscores && is(word, "withscores") => {
                    self.withscores = true;
                    behind
                }
                [limit, behind @ ..] if takes.limit && is(word, "limit") => {
                    let limit = int(limit).ok().and_then(|limit| usize::try_from(limit).ok());
                    self.limit = limit.ok_or_else(|| refused("ERR LIMIT can't be negative"))?;
                    behind
                }
                _ => return Err(Error::syntax()),
            };
        }
        Ok(())
    }
}

fn weight(text: &[u8]) -> Result<f64> {
    double::parse(text)
        .ok_or_else(|| Error::new(ErrorKind::NotInteger, "ERR weight value is not a float"))
}

fn aggregate(name: &[u8]) -> Result<Aggregate> {
    match () {
        () if is(name, "sum") => Ok(Aggregate::Sum),
        () if is(name, "min") => Ok(Aggregate::Min),
        () if is(name, "max") => Ok(Aggregate::Max),
        () => Err(Error::syntax()),
    }
}
