//! Compares the scripts of visitors with the procedures.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use store::KeyRef;
use testkit::rng::{Rng, rounds};

use super::procedures::{
    BeginKeys, Visit, add_all_and_count, add_and_count, add_kept, begin, count_in, mark,
    mark_all_and_count, mark_and_count, set_nx,
};
use crate::beside::Beside;
use crate::kept::KeptUntil;
use crate::sharded_set::of_each_shard;
use crate::text::Text;

#[test]
fn scripts_do_what_procedures_do() {
    let Some(mut both) = Beside::open() else { return };
    let mut rng = Rng::new(21);
    for round in 0..rounds(5_000, 20_000) {
        step(&mut both, &mut rng);
        if round % 50 == 49 {
            both.flush();
        }
    }
}

/// Runs a procedure with random arguments, on keys that may hold values of any type.
fn step(both: &mut Beside, rng: &mut Rng) {
    let keys: [&[u8]; 4] = [b"counter", b"shard", b"other", b"bitmap"];
    let [counter, shard, other, bitmap] = keys;
    spoil(both, rng, &keys);
    let now = both.now_ms();
    let until = KeptUntil((rng.below(2) == 0).then(|| now + rng.range(-2..=20)));
    let ids: Vec<i64> = (0..=rng.below(20)).map(|_| rng.range(0..=40) - 3).collect();
    let bits: Vec<u64> = ids.iter().map(|id| id.unsigned_abs()).collect();
    match rng.below(9) {
        0 => drop(both.call(&add_and_count(shard, KeyRef::new(counter), ids[0], until))),
        1 => {
            let mut visits: Vec<_> = ids.iter().map(|&id| (rng.below(2), id)).collect();
            visits.sort_unstable();
            let shards = of_each_shard(&visits)
                .map(|ids| KeyRef::new(if ids[0].0 == 0 { shard } else { other }));
            let keys: Vec<_> = [KeyRef::new(counter)].into_iter().chain(shards).collect();
            drop(both.call(&add_all_and_count(&keys, &visits, until)));
        }
        2 => drop(both.call(&mark_and_count(
            KeyRef::new(bitmap),
            KeyRef::new(counter),
            bits[0],
            until,
        ))),
        3 => drop(both.call(&mark_all_and_count(
            KeyRef::new(bitmap),
            KeyRef::new(counter),
            &bits,
            until,
        ))),
        4 => {
            let ids: Vec<_> = ids.into_iter().map(|id| (0, id)).collect();
            drop(both.call(&add_kept(shard, &ids, until)));
        }
        5 => drop(both.call(&mark(KeyRef::new(bitmap), bits[0], until))),
        6 => drop(both.call(&count_in(KeyRef::new(counter), ids[0], until))),
        7 => {
            let forms: [&[u8]; 5] = [b"a", b"b", b"c", b"d", b"bitmap"];
            let form = *rng.pick(&forms).unwrap();
            let visit = (rng.below(4) > 0).then(|| Visit {
                counter: Some(Text::from_slice(counter)),
                key: Text::from_slice(if form == bitmap { bitmap } else { shard }),
            });
            if rng.below(2) == 0 {
                let keys = BeginKeys::new(forms, form, visit.as_ref());
                drop(both.call(&begin(&keys, "17", until)));
            } else {
                drop(both.call(&set_nx(form, "17", until)));
            }
        }
        _ => both.advance(rng.range(0..=15)),
    }
}

/// Sets a key to a random value now and then.
fn spoil(both: &mut Beside, rng: &mut Rng, keys: &[&[u8]]) {
    let key = *rng.pick(keys).unwrap();
    let end = i64::MAX - rng.range(0..=20);
    match rng.below(24) {
        0 => both.command(&[b"SET", key, end.to_string().as_bytes()]),
        1 => both.command(&[b"SET", key, b"text"]),
        2 => both.command(&[b"DEL", key]),
        3 => both.command(&[b"SET", key, b"0"]),
        4 => both.command(&[b"HSET", key, b"f", b"v"]),
        5 => both.command(&[b"SADD", key, b"1", b"2"]),
        6 => both.command(&[b"PERSIST", key]),
        _ => {}
    }
}
