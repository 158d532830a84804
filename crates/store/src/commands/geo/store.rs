//! GEOSEARCHSTORE, and the STORE and STOREDIST of GEORADIUS.

use bytes::Bytes;
use geo::Shape;

use super::find::find;
use super::search::{GeoStored, Limits};
use crate::commands::zset_at;
use crate::commands::zsets::{put, score_word};
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::store::scope::Scope;

/// Stores the members of `source` in a shape at `destination`, replacing a value of any type; returns their number. An
/// empty result removes the key.
pub(crate) fn store(
    scope: &mut Scope<'_>,
    destination: HashedKey<'_>,
    source: HashedKey<'_>,
    shape: Option<&Shape>,
    limits: Limits,
    stored: GeoStored,
) -> Result<usize> {
    let entries: Vec<(Vec<u8>, f64)> = match (zset_at(scope, source)?, shape) {
        (Some(set), Some(shape)) => {
            let distances = stored == GeoStored::Distances;
            let score = |hit: &super::Found<'_>| {
                if distances { shape.unit().of_metres(hit.distance) } else { hit.score }
            };
            let found = find(set, shape, limits, distances);
            found.iter().map(|hit| (hit.member.to_vec(), score(hit))).collect()
        }
        _ => Vec::new(),
    };
    if entries.iter().any(|(_, score)| score.is_nan()) {
        return Err(Error::not_a_number());
    }
    scope.slot(destination).delete();
    let borrowed = entries.iter().map(|(member, score)| (&member[..], *score)).collect();
    // The effect has the result, not the search: another server may find fewer, or not support polygons.
    put::<&[u8]>(scope, destination, borrowed, || effect(destination, &entries))
}

fn effect(key: HashedKey<'_>, entries: &[(Vec<u8>, f64)]) -> Vec<Bytes> {
    let mut words = vec![Bytes::from_static(b"ZADD"), Bytes::copy_from_slice(key.bytes)];
    for (member, score) in entries {
        words.extend([score_word(*score), Bytes::copy_from_slice(member)]);
    }
    words
}
