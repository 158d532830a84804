//! GEOSEARCH, GEORADIUS and their variants.

use geo::Unit;

use super::call::{Call, Form, Options, With};
use super::{coordinates, distance};
use crate::commands::{Found, find, store_places, zset_at};
use crate::error::Error;
use crate::execute::Answer;
use crate::member::Member;
use crate::reply::Reply;
use crate::store::{Locks, Store};

pub(super) fn geosearchstore(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let Some((&destination, args)) = args.split_first() else { return Err(Error::syntax()) };
    run_with(store, Form::SearchStore, args, Some(destination))
}

pub(super) fn run(store: &Store<impl Locks>, form: Form, args: &[&[u8]]) -> Answer {
    run_with(store, form, args, None)
}

/// Runs a command, given its words from the source on.
fn run_with(
    store: &Store<impl Locks>,
    form: Form,
    args: &[&[u8]],
    destination: Option<&[u8]>,
) -> Answer {
    let Some((&source, words)) = args.split_first() else { return Err(Error::syntax()) };
    let profile = store.shared().profile();
    let call = Call::parse(form, words, destination, profile);
    let Ok(Options { store: Some((destination, stored)), .. }) = call.options else {
        return store.read(source, |view, keys| {
            let set = zset_at(view, keys[0])?;
            let (shape, options) = call.prepare(set, profile)?;
            let (Some(set), Some(shape)) = (set, shape) else { return Ok(Reply::Array(vec![])) };
            let found = find(set, &shape, options.limits, options.with.distance);
            let hit = |hit: &Found<'_>| options.with.reply(store, hit, shape.unit());
            Ok(Reply::Array(found.iter().map(hit).collect()))
        });
    };
    store.write([destination, source], |scope, keys| {
        let [destination, source] = *keys else { return Err(Error::syntax()) };
        scope.drop_expired(source);
        let (shape, options) = call.prepare(zset_at(scope, source)?, profile)?;
        let limits = options.limits;
        let count = store_places(scope, destination, source, shape.as_ref(), limits, stored)?;
        Ok(Reply::count(count))
    })
}

impl With {
    fn reply(self, store: &Store<impl Locks>, hit: &Found<'_>, unit: Unit) -> Reply {
        let member = Reply::from(Member::from(hit.member));
        if !self.any() {
            return member;
        }
        let mut parts = vec![member];
        if self.distance {
            parts.push(distance(store, unit.of_metres(hit.distance)));
        }
        let hash = geo::hash_of_score(hit.score);
        if self.hash {
            parts.push(Reply::Int(hash.cast_signed()));
        }
        if self.coordinates {
            parts.push(coordinates(geo::decode(hash)));
        }
        Reply::Array(parts)
    }
}
