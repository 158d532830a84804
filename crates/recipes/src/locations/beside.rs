//! The scripts of locations beside the procedures.

use testkit::rng::Rng;

use super::procedures::{OfShard, code, largest, len, raise, range, set_alone, set_largest};
use crate::beside::Beside;

#[test]
fn scripts_do_what_procedures_do() {
    let Some(mut both) = Beside::open() else { return };
    let mut rng = Rng::new(22);
    for round in 0..10_000 {
        match rng.below(3) {
            0 => step::<1>(&mut both, &mut rng),
            1 => step::<2>(&mut both, &mut rng),
            _ => step::<5>(&mut both, &mut rng),
        }
        if round % 50 == 49 {
            both.flush();
        }
    }
}

/// A procedure of random arguments, on keys that may hold anything.
fn step<const W: usize>(both: &mut Beside, rng: &mut Rng)
where
    [u8; W]: bitpack::packed::Record,
{
    let keys: [&[u8]; 2] = [b"shard\xff'\n:0", b"shard:max"];
    let [shard, max] = keys;
    spoil(both, rng, &keys);
    // Few are far from the others, for the shards are compared after each step.
    let place = |rng: &mut Rng| if rng.below(200) == 0 { (1 << 20) - 1 } else { rng.below(30) };
    let users: Vec<(u64, [u8; W])> = (0..1 + rng.below(6))
        .map(|_| (rng.below(4) << 38 | place(rng), std::array::from_fn(|_| rng.u64() as u8)))
        .collect();
    let users = OfShard { shard, codes: &users };
    let at = usize::try_from(place(rng)).unwrap();
    match rng.below(7) {
        0 => drop(both.call(&set_largest(users, max))),
        1 => drop(both.call(&set_alone(users))),
        2 => drop(both.call(&raise(max, rng.below(1 << 40)))),
        3 => drop(both.call(&largest(max))),
        4 => drop(both.call(&code::<[u8; W]>(shard, at))),
        5 => drop(both.call(&len::<[u8; W]>(shard))),
        _ => drop(both.call(&range::<[u8; W]>(shard, at..at + 1 + rng.below(9) as usize))),
    }
}

/// Puts something at a key now and then.
fn spoil(both: &mut Beside, rng: &mut Rng, keys: &[&[u8]]) {
    let key = *rng.pick(keys).unwrap();
    match rng.below(24) {
        0 => both.command(&[b"SET", key, b"123456"]),
        1 => both.command(&[b"APPEND", key, b"x"]),
        2 => both.command(&[b"DEL", key]),
        3 => both.command(&[b"HSET", key, b"f", b"v"]),
        4 => both.command(&[b"ZADD", key, b"17", b"max"]),
        5 => both.command(&[b"ZADD", key, b"-inf", b"max", b"1", b"other"]),
        6 => both.command(&[b"SET", key, b"0123456789"]),
        7 => both.command(&[b"SETRANGE", key, b"5242880", b"0123456789"]),
        8..12 => both.command(&[b"DEL", keys[0]]),
        _ => {}
    }
}
