//! ZUNION, ZINTER, ZDIFF, their STORE forms, and ZINTERCARD.

use super::listed;
use crate::commands::zsets::algebra::{Aggregate, Combination, Operation, check_sources};
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Answer, int, one_of, refused, size, take, take_with};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::double;

/// ZUNION, ZINTER, ZDIFF.
pub(super) fn combine(
    store: &Store<impl Locks>,
    name: &str,
    operation: Operation,
    args: &[&[u8]],
) -> Answer {
    let call = Call::parse(store, name, args, Takes::of(operation, true))?;
    let found = call.combination(operation).read(store, call.keys)?;
    Ok(listed(found, call.withscores))
}

/// ZUNIONSTORE, ZINTERSTORE, ZDIFFSTORE.
pub(super) fn combine_store(
    store: &Store<impl Locks>,
    name: &str,
    operation: Operation,
    args: &[&[u8]],
) -> Answer {
    let call = Call::parse(store, name, &args[1..], Takes::of(operation, false))?;
    Ok(Reply::count(call.combination(operation).store(store, args[0], call.keys)?))
}

pub(super) fn zintercard(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let takes = Takes { scoring: false, withscores: false, limit: true };
    let call = Call::parse(store, "zintercard", args, takes)?;
    Ok(Reply::count(store.zintercard(call.keys, call.limit)?))
}

/// The options of a command.
#[derive(Clone, Copy, Debug)]
struct Takes {
    /// WEIGHTS and AGGREGATE.
    scoring: bool,
    withscores: bool,
    limit: bool,
}

impl Takes {
    fn of(operation: Operation, withscores: bool) -> Self {
        Self { scoring: operation != Operation::Diff, withscores, limit: false }
    }
}

/// The words of a command after its destination.
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
        store: &Store<impl Locks>,
        name: &str,
        args: &'a [&'a [u8]],
        takes: Takes,
    ) -> Result<Self> {
        let count = usize::try_from(int(args[0])?).ok().filter(|&count| count > 0);
        let count = count.ok_or_else(|| {
            refused(format!("ERR at least 1 input key is needed for '{name}' command"))
        })?;
        let (keys, options) = args[1..].split_at_checked(count).ok_or_else(Error::syntax)?;
        let mut call = Self { keys, ..Self::default() };
        match call.take_options(options, takes, store.shared().profile()) {
            Ok(()) => Ok(call),
            Err(error) => {
                // Redis looks up the keys before it parses the options.
                check_sources(store, keys)?;
                Err(error)
            }
        }
    }

    fn combination(&self, operation: Operation) -> Combination<'_> {
        Combination { operation, weights: &self.weights, aggregate: self.aggregate }
    }

    fn take_options(&mut self, mut rest: &[&[u8]], takes: Takes, profile: Profile) -> Result<()> {
        while !rest.is_empty() {
            if takes.scoring && rest.len() > self.keys.len() && take(&mut rest, "weights") {
                let (weights, behind) = rest.split_at(self.keys.len());
                let weights = weights.iter().map(|text| weight(text, profile));
                self.weights = weights.collect::<Result<_>>()?;
                rest = behind;
            } else if takes.scoring
                && let Some([name]) = take_with(&mut rest, "aggregate")
            {
                self.aggregate = one_of(name, AGGREGATES).ok_or_else(Error::syntax)?;
            } else if takes.withscores && take(&mut rest, "withscores") {
                self.withscores = true;
            } else if takes.limit
                && let Some([limit]) = take_with(&mut rest, "limit")
            {
                self.limit = size(limit).ok_or_else(|| refused("ERR LIMIT can't be negative"))?;
            } else {
                return Err(Error::syntax());
            }
        }
        Ok(())
    }
}

const AGGREGATES: [(&str, Aggregate); 3] =
    [("sum", Aggregate::Sum), ("min", Aggregate::Min), ("max", Aggregate::Max)];

fn weight(text: &[u8], profile: Profile) -> Result<f64> {
    double::parse_in(text, profile)
        .ok_or_else(|| Error::new(ErrorKind::NotInteger, "ERR weight value is not a float"))
}
