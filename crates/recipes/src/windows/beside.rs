//! Compares the scripts of windows with the procedures.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use bytes::Bytes;
use store::{Member, PreparedKey};
use testkit::rng::{Rng, rounds};

use super::procedures::{
    BucketKey, CountKeys, RollKeys, add_and_open, add_if_open, add_many_if_open, add_many_to_all,
    add_to_all, count, open_names, roll,
};
use super::spread;
use super::users::{User, Users};
use crate::beside::Beside;
use crate::text::Text;

const PREFIX: &str = "uv:";
const OPEN: &[u8] = b"uv:open";
const NAMES: [&str; 4] = ["201909281911", "2019092819", "20190928", "201909"];

#[test]
fn scripts_do_what_procedures_do() {
    let Some(mut both) = Beside::open() else { return };
    let mut rng = Rng::new(22);
    for round in 0..rounds(5_000, 20_000) {
        step(&mut both, &mut rng);
        if round % 40 == 39 {
            both.flush();
        }
    }
}

/// Runs a procedure with random arguments, on keys that may hold values of any type.
fn step(both: &mut Beside, rng: &mut Rng) {
    spoil(both, rng);
    let now = both.now_ms();
    let key = |name: &str| [PREFIX, name].concat().into_bytes();
    let (bucket_keys, prepared): (Vec<_>, Vec<_>) = NAMES
        .iter()
        .map(|name| {
            let expires_at = (rng.below(3) > 0).then(|| now + rng.range(-2..=20));
            let name_at = PREFIX.len();
            let prepared = PreparedKey::unhashed(&key(name));
            (
                BucketKey { bucket: (), key: key(name), name_at, expires_at },
                BucketKey { bucket: (), key: prepared, name_at, expires_at },
            )
        })
        .unzip();
    let prepared: [_; 4] = prepared.try_into().unwrap();
    let [minute, ..] = &prepared;
    let most = if rng.below(20) == 0 { 1000 } else { 12 };
    let users: Vec<String> =
        (0..=rng.below(most)).map(|_| rng.range(0..=2000).to_string()).collect();
    let names: Vec<Member<'_>> = users.iter().map(Member::from).collect();
    let hashes: Vec<u64> = users.iter().map(|user| hll::hash(user.as_bytes())).collect();
    let (user, users) = (User::new(names[0]), Users::new(&names, &hashes));
    let one = &bucket_keys[usize::try_from(rng.below(4)).unwrap()];
    match rng.below(17) {
        0 | 1 => drop(both.call(&add_to_all(&prepared, user))),
        2 => drop(both.call(&add_to_all(std::array::from_ref(minute), user))),
        3 | 4 => drop(both.call(&add_many_to_all(&prepared, users))),
        5 => drop(both.call(&add_if_open(minute, user))),
        6 => drop(both.call(&add_many_if_open(minute, users))),
        7 => drop(both.call(&add_and_open(OPEN, one, users))),
        8 => drop(both.call(&open_names(OPEN))),
        9 => {
            let (into, buckets) = bucket_keys.split_last().unwrap();
            let buckets = &buckets[..=usize::try_from(rng.below(3)).unwrap()];
            let into = (rng.below(4) > 0).then_some(into);
            let keys = RollKeys::new(OPEN, buckets, into, rng.below(2) == 0);
            drop(both.call(&roll(&keys)));
        }
        10 | 11 => {
            let names = both.store.smembers(OPEN).unwrap_or_default();
            let names: &[Bytes] =
                if rng.below(4) == 0 { &[Bytes::from_static(b"201909")] } else { &names };
            let keys: Vec<Text> = NAMES
                .iter()
                .filter(|_| rng.below(2) == 0)
                .map(|name| Text::from_slice(&key(name)))
                .collect();
            let keys = if keys.is_empty() { vec![Text::from_slice(&key(NAMES[0]))] } else { keys };
            let keys = CountKeys::new(OPEN, names, &keys);
            drop(both.call(&count(&keys)));
        }
        12 => drop(both.call(&spread::add_alone(minute, users))),
        13 => drop(both.call(&spread::take(OPEN, b"*m", &[b"201909", b"20190928"]))),
        14 => {
            let held = both.store.get(&one.key).ok().flatten().unwrap_or_default();
            let held = if rng.below(4) == 0 { &b"other"[..] } else { &held };
            drop(both.call(&spread::replace(one, held, &hll::empty(), rng.below(2) == 0)));
        }
        15 => {
            let held = both.store.get(&one.key).ok().flatten().unwrap_or_default();
            let held = if rng.below(4) == 0 { &b"other"[..] } else { &held };
            drop(both.call(&spread::expire(&one.key, held, now + rng.range(0..=7_200_000))));
        }
        _ => {
            let added: [&[u8]; 2] = [b"201909", b"20190928"];
            let added = &added[..usize::try_from(rng.below(3)).unwrap()];
            drop(both.call(&spread::finish(OPEN, added, &[b"201909*m", b"2019092819"])));
        }
    }
    if rng.below(4) == 0 {
        both.advance(rng.range(0..=15));
    }
}

/// Sets a key to a random value now and then.
fn spoil(both: &mut Beside, rng: &mut Rng) {
    let name = if rng.below(5) == 0 { "open" } else { rng.pick(&NAMES).unwrap() };
    let key = [PREFIX, name].concat();
    let key = key.as_bytes();
    match rng.below(60) {
        0 => both.command(&[b"SET", key, b"text"]),
        1 => both.command(&[b"SET", key, b""]),
        2 => both.command(&[b"HSET", key, b"f", b"v"]),
        3..6 => both.command(&[b"DEL", key]),
        6 => both.command(&[b"PERSIST", key]),
        7 => both.command(&[b"SADD", OPEN, b"201909*x", b"20190928*y", b"20190928"]),
        8..10 => {
            // Truncated: some registers can be raised, others cannot.
            let mut damaged = hll::empty();
            let end = damaged.len();
            damaged[end - 2..].copy_from_slice(&[0x5f, 0xff]);
            both.command(&[b"SET", key, &damaged]);
        }
        10 => {
            let at = (both.now_ms() + rng.range(1..=20)).to_string();
            both.command(&[b"PEXPIREAT", key, at.as_bytes()]);
        }
        11 => {
            let users: Vec<Vec<u8>> =
                (0..5000).map(|_| rng.range(0..=100_000).to_string().into_bytes()).collect();
            let mut words: Vec<&[u8]> = vec![b"PFADD", key];
            words.extend(users.iter().map(|user| &user[..]));
            both.command(&words);
        }
        _ => {}
    }
}
