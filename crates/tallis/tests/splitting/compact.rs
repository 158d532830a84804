//! Sets that split by the high bits of ids: exact like others, intsets for every command, and smaller.

use jiff::civil::{Date, date};
use tallis::{ErrorKind, SessionIds, ShardForm, ShardedSet, Store, Visitors, VisitorsForm};
use testkit::rng::Rng;

use super::model::run;
use super::{
    Model, assert_same_dumps, encodings, gathered, is_right, number, shard_keys, validate_by,
};

const BITS: u32 = 60;

/// A store whose tables always take the same memory.
fn seeded() -> Store {
    Store::builder().hash_seed(1).build()
}

fn day() -> Date {
    date(2015, 5, 17)
}

/// One of many ids, distributed evenly over all their bits.
fn id(of: u64) -> i64 {
    (of.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 4).cast_signed()
}

fn ids(range: std::ops::Range<u64>) -> Model {
    range.map(|of| id(of).to_string()).collect()
}

fn compact(store: &Store, base: &str) -> ShardedSet {
    ShardedSet::compact(store.clone(), base, BITS)
}

/// The shard of an id, bit by bit: the highest bit counts one, the next one two.
fn shard_by_digits(member: &str, shards: u64) -> u64 {
    let id: u64 = member.parse().unwrap();
    let digits = format!("{:060b}", id & ((1 << BITS) - 1));
    let name = |digits: &str| {
        digits.chars().rev().fold(0, |name, digit| name * 2 + u64::from(digit == '1'))
    };
    let round = shards.ilog2() as usize;
    let fine = name(&digits[..=round]);
    if fine < shards { fine } else { name(&digits[..round]) }
}

fn validate(store: &Store, base: &str, model: &Model) -> u64 {
    validate_by(store, base, model, shard_by_digits)
}

/// The bytes of a set's keys.
fn bytes_of(store: &Store, base: &str) -> usize {
    let keys = store.keys(format!("{base}*")).unwrap();
    keys.iter().map(|key| store.memory_usage(key).unwrap().unwrap()).sum()
}

#[test]
fn ids_take_less_memory_and_are_intsets_for_every_command() {
    let store = seeded();
    let empty = store.used_memory().unwrap();
    let set = compact(&store, "s");
    let mut rng = Rng::new(3);
    let ids: Vec<i64> = (0..200_000).map(|_| (rng.u64() >> 4).cast_signed()).collect();
    assert_eq!(set.add_many(ids.iter().copied()).unwrap(), 200_000);
    assert!(is_right(set.shards().unwrap(), 200_000));
    let bytes = store.used_memory().unwrap() - empty;
    assert!(bytes * 10 < 200_000 * 64, "{bytes} bytes");
    let plain = seeded();
    for key in store.keys("s:*").unwrap().iter().filter(|key| **key != "s:shards") {
        assert_eq!(store.object_encoding(key).unwrap(), Some("intset"));
        plain.sadd(key, store.smembers(key).unwrap()).unwrap();
        assert_eq!(store.dump(key).unwrap(), plain.dump(key).unwrap());
    }
}

#[test]
fn a_compact_set_is_a_set_and_keeps_its_shape() {
    for seed in 0..3 {
        let some_id = |rng: &mut Rng| {
            // Some have more bits than allowed; their shards are no longer compact.
            let wild = if rng.below(2_000) == 0 { 1 << 61 } else { 0 };
            (id(1 + rng.below(2_500)) | wild).to_string()
        };
        run(seed, |store| compact(store, "s"), some_id, shard_by_digits);
    }
}

#[test]
fn other_numbers_and_texts_are_members_too() {
    let store = seeded();
    let set = compact(&store, "s");
    set.add_many(ids(0..150)).unwrap();
    let mut all = ids(0..150);
    let bytes = bytes_of(&store, "s");
    for other in ["-1", "text", "9223372036854775807", "01", ""] {
        assert!(set.add(other).unwrap());
        assert!(!set.add(other).unwrap());
        assert!(set.contains(other).unwrap());
        all.insert(other.into());
    }
    assert_eq!(gathered(set.members()), all);
    assert_eq!(store.object_encoding("s:1").unwrap(), Some("hashtable"));
    for other in ["-1", "text", "9223372036854775807", "01", ""] {
        assert!(set.remove(other).unwrap());
    }
    assert!(bytes_of(&store, "s") > bytes, "a hash table stays one");

    // A number with too many bits only converts its shard to an intset.
    let set = compact(&store, "t");
    set.add_many(ids(0..150)).unwrap();
    let bytes = bytes_of(&store, "t");
    assert!(set.add(i64::MAX).unwrap() && set.add(-1).unwrap());
    assert_eq!(store.object_encoding("t:1").unwrap(), Some("intset"));
    assert!(bytes_of(&store, "t") > bytes + 50);
    assert!(set.remove(i64::MAX).unwrap() && set.remove(-1).unwrap());
    // The next member that fits converts it to a compact set again.
    assert!(set.add(id(1_000)).unwrap());
    assert!(bytes_of(&store, "t") < bytes + 40);
}

#[test]
fn ids_in_order_fill_some_shards_before_their_turn_and_end_like_others() {
    let mut ids: Vec<i64> = (0..50_000).map(id).collect();
    let mut sizes = Vec::new();
    for order in ["by chance", "up", "down"] {
        match order {
            "up" => ids.sort_unstable(),
            "down" => ids.reverse(),
            _ => {}
        }
        let store = seeded();
        let set = compact(&store, "s");
        let mut largest = 0;
        for (at, id) in ids.iter().enumerate() {
            set.add(*id).unwrap();
            if at % 8 != 0 {
                continue;
            }
            let first = shard_keys("s", number(&store, "s:shards").unwrap_or(1)).swap_remove(0);
            largest = largest.max(store.scard(first).unwrap());
        }
        assert_eq!(largest > 1_000, order == "up", "{largest} {order}");
        let shards = validate(&store, "s", &ids.iter().map(i64::to_string).collect());
        assert!(is_right(shards, 50_000), "{shards}");
        sizes.push(bytes_of(&store, "s"));
    }
    assert!(sizes.iter().all(|size| size * 100 < sizes[0] * 103), "{sizes:?}");
}

#[test]
fn unevenly_distributed_ids_need_more_memory_and_all_exist() {
    let store = seeded();
    let set = compact(&store, "s");
    for (ids, encoding) in [(0_i64..60_000, "intset"), (60_000..70_000, "hashtable")] {
        let all = ids.end;
        assert_eq!(set.add_many(ids.clone()).unwrap(), (ids.end - ids.start).cast_unsigned());
        let shards = set.shards().unwrap();
        let first = shard_keys("s", shards).swap_remove(0);
        assert_eq!(store.scard(first).unwrap(), usize::try_from(all).unwrap());
        assert_eq!(encodings(&store, "s", shards), [encoding]);
        assert!((all / 160..all / 100).contains(&i64::try_from(shards).unwrap()), "{shards}");
    }
    validate(&store, "s", &(0..70_000).map(|id| id.to_string()).collect());
    assert!(!set.contains(70_000).unwrap());
}

#[test]
fn a_hash_table_becomes_compact_again_after_its_turn() {
    let store = seeded();
    // A client that does not split, and one member that does not fit a compact set.
    for base in ["s", "t"] {
        store.sadd(format!("{base}:1"), ids(1..3_001)).unwrap();
    }
    store.sadd("t:1", ["text"]).unwrap();
    for of in 3_001..3_021 {
        assert!(compact(&store, "s").add(id(of)).unwrap());
        assert!(compact(&store, "t").add(id(of)).unwrap());
    }
    let shards = validate(&store, "s", &ids(1..3_021));
    assert!(is_right(shards, 3_020), "{shards}");
    assert!(encodings(&store, "s", shards).iter().all(|encoding| *encoding == "intset"));
    let of_texts = compact(&store, "t").shards().unwrap();
    let mut texts = encodings(&store, "t", of_texts);
    texts.retain(|encoding| *encoding == "hashtable");
    assert_eq!(texts.len(), 1);
    assert!(compact(&store, "t").contains("text").unwrap());
    let fresh = seeded();
    compact(&fresh, "s").add_many(ids(1..3_021)).unwrap();
    let [made, grown] = [&store, &fresh].map(|store| bytes_of(store, "s"));
    assert!(made * 100 < grown * 103, "{made} and {grown}");
}

/// A reply with the members of lists sorted, because a hash table has another order.
fn in_order(reply: impl std::fmt::Debug) -> String {
    let text = format!("{reply:?}");
    let mut parts: Vec<&str> = text.split([',', '[', ']']).map(str::trim).collect();
    parts.sort_unstable();
    parts.join(" ")
}

#[test]
fn commands_on_a_shard_reply_like_on_an_intset() {
    let [shards, plain] = [0, 1].map(|_| seeded());
    let mut rng = Rng::new(9);
    let mut told = 0;
    for round in 0..6_000 {
        if round % 30 == 0 {
            // Both keys have the same members, one of them as a compact set.
            for base in ["a", "b", "c"] {
                let key = format!("{base}:1");
                let first = rng.below(100);
                let some = ids(first..first + 80 + rng.below(40));
                shards.del([base, &key]).unwrap();
                compact(&shards, base).add_many(&some).unwrap();
                plain.del([&key]).unwrap();
                plain.sadd(&key, &some).unwrap();
                assert!(bytes_of(&shards, &key) < bytes_of(&plain, &key));
            }
        }
        let mut key = || format!("{}:1", ["a", "b", "c", "d"][rng.index(4)]);
        let (first, second, third) = (key(), key(), key());
        let one = if rng.below(60) == 0 { "text".into() } else { id(rng.below(200)).to_string() };
        let two = id(rng.below(200)).to_string();
        let line = match rng.below(18) {
            0 | 1 => format!("SADD {first} {one} {two}"),
            2 => format!("SREM {first} {one} {two}"),
            3 => format!("SISMEMBER {first} {one}"),
            4 => format!("SMISMEMBER {first} {one} {two}"),
            5 => format!("SMOVE {first} {second} {one}"),
            6 => format!("SINTER {first} {second}"),
            7 => format!("SUNION {first} {second} {third}"),
            8 => format!("SDIFF {first} {second} {third}"),
            9 => format!("SINTERCARD 2 {first} {second} LIMIT 5"),
            10 => format!("SINTERSTORE d:1 {first} {second}"),
            11 => format!("SUNIONSTORE d:1 {first} {second}"),
            12 => format!("SDIFFSTORE d:1 {first} {second}"),
            13 => format!("SSCAN {first} 0 COUNT 1000"),
            14 => format!("SRANDMEMBER {first} 1000"),
            15 => format!("OBJECT ENCODING {first}"),
            16 => format!("COPY {first} {second} REPLACE"),
            _ => format!("DUMP {first}"),
        };
        let words: Vec<&str> = line.split(' ').collect();
        let [ours, theirs] = [&shards, &plain].map(|store| in_order(store.execute(&words)));
        assert_eq!(ours, theirs, "{line}");
        told += ours.len();
    }
    assert!(told > 1_000_000, "{told}");
    for key in ["a:1", "b:1", "c:1", "d:1"] {
        assert_eq!(shards.dump(key).unwrap(), plain.dump(key).unwrap());
    }
}

#[test]
fn a_file_has_intsets_which_the_next_id_makes_compact_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.rdb");
    let store = seeded();
    compact(&store, "s").add_many(ids(0..5_000)).unwrap();
    store.save(&file).unwrap();
    let other = seeded();
    other.load(&file).unwrap();
    assert_same_dumps(&store, &other);
    let [small, large] = [&store, &other].map(|store| bytes_of(store, "s"));
    assert!(small * 100 < large * 88, "{small} and {large}");
    let set = compact(&other, "s");
    assert_eq!(gathered(set.members()), ids(0..5_000));
    // Queries change nothing.
    assert!(set.contains(id(7)).unwrap() && !set.add(id(7)).unwrap());
    set.add_many(ids(5_000..6_000)).unwrap();
    validate(&other, "s", &ids(0..6_000));
    compact(&store, "s").add_many(ids(5_000..6_000)).unwrap();
    let [small, again] = [&store, &other].map(|store| bytes_of(store, "s"));
    assert!(again * 100 < small * 103, "{again} and {small}");
}

#[test]
fn results_from_compact_sets_are_compact() {
    let store = seeded();
    let [a, b, target] = ["a", "b", "t"].map(|base| compact(&store, base));
    a.add_many(ids(0..3_000)).unwrap();
    b.add_many(ids(2_000..9_000)).unwrap();
    // Sets of different sizes, so that parts of shards are replaced.
    target.add_many(ids(20_000..20_500)).unwrap();
    for (count, want) in [
        (a.union_store([&b], &target).unwrap(), ids(0..9_000)),
        (b.diff_store([&a], &target).unwrap(), ids(3_000..9_000)),
        (a.inter_store([&b], &target).unwrap(), ids(2_000..3_000)),
    ] {
        assert_eq!(count, want.len() as u64);
    }
    // Once to grow, and once to replace a set of the same shape.
    for _ in 0..2 {
        assert_eq!(a.union_store([&b], &target).unwrap(), 9_000);
    }
    validate(&store, "t", &ids(0..9_000));
    let fresh = seeded();
    compact(&fresh, "t").add_many(ids(0..9_000)).unwrap();
    let [made, grown] = [&store, &fresh].map(|store| bytes_of(store, "t"));
    assert!(made * 100 < grown * 103, "{made} and {grown}");
    // The set that remains after shards were merged.
    for of in 0..8_000 {
        assert!(target.remove(id(of)).unwrap());
    }
    let shards = validate(&store, "t", &ids(8_000..9_000));
    assert!(is_right(shards, 1_000), "{shards}");
    let fresh = seeded();
    ShardedSet::splitting(fresh.clone(), "t").add_many(ids(8_000..9_000)).unwrap();
    let [left, plain] = [&store, &fresh].map(|store| bytes_of(store, "t"));
    assert!(left < plain, "{left} and {plain}");

    let crc = ShardedSet::splitting(store.clone(), "crc");
    assert_eq!(
        a.union([&crc]).map(drop).unwrap_err().to_string(),
        "ERR sharded sets 'a' (compact, 60 bits) and 'crc' (splitting) differ in shape",
    );
    let wider = ShardedSet::compact(store, "wider", 64);
    assert_eq!(wider.inter_card([&a]).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!([&a, &crc].map(ShardedSet::form), [ShardForm::Compact, ShardForm::Splitting]);
}

#[test]
fn visitors_are_stored_compactly_by_the_bits_of_their_ids() {
    let mut rng = Rng::new(4);
    let sessions: Vec<String> = (0..3_000).map(|_| rng.uuid()).collect();
    let mut sizes = Vec::new();
    for (ids, bits) in [(SessionIds::First15, 60), (SessionIds::First16, 64)] {
        let [store, other] = [0, 1].map(|_| seeded());
        let visitors = Visitors::book(store.clone()).session_ids(ids).form(VisitorsForm::Compact);
        let split = Visitors::book(other).session_ids(ids).form(VisitorsForm::Splitting);
        for session in sessions.iter().chain(&sessions) {
            let new = split.count_visit(session, day()).unwrap();
            assert_eq!(visitors.count_visit(session, day()).unwrap(), new);
        }
        assert_eq!(visitors.count(day()).unwrap(), 3_000);
        let [mut found, mut want] = [&visitors, &split].map(|v| v.ids(day()).unwrap());
        found.sort_unstable();
        want.sort_unstable();
        assert_eq!(found, want);
        assert_eq!(number(&store, "unique:2015-05-17:bits"), Some(bits));
        assert!(is_right(number(&store, "unique:2015-05-17:shards").unwrap(), 3_000));
        let [small, large] = [&visitors, &split].map(|v| v.memory_usage(day()).unwrap());
        assert!(small * 100 < large * 88, "{small} and {large}");
        assert_eq!(small, bytes_of(&store, "unique:2015-05-17"));
        sizes.push(small);

        // A bucket keeps its form for all later visits.
        let book = Visitors::book(store.clone()).session_ids(ids);
        let fresh = rng.uuid();
        assert!(!book.count_visit(&sessions[5], day()).unwrap());
        assert!(book.count_visit(&fresh, day()).unwrap());
        assert!(!visitors.count_visit(&fresh, day()).unwrap());
        assert!(!store.exists("unique:2015-05-17:expected").unwrap());
    }
    // Four more of the 64 bits of a UUID are random.
    assert!(sizes[0] < sizes[1], "{sizes:?}");
}

#[test]
fn a_bucket_with_an_invalid_number_of_bits_is_an_error_and_changes_nothing() {
    let store = seeded();
    for wrong in ["0", "65", "x", "-1", ""] {
        store.set("unique:2015-05-17:bits", wrong).unwrap();
        let changes = store.changes();
        let visitors = Visitors::book(store.clone()).form(VisitorsForm::Compact);
        for error in [
            visitors.count_id(1, day()).map(drop).unwrap_err(),
            visitors.ids(day()).map(drop).unwrap_err(),
            visitors.bucket(day()).map(drop).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::NotInteger, "{wrong:?}");
            assert_eq!(
                error.to_string(),
                "ERR the value at 'unique:2015-05-17:bits' is not a number of bits"
            );
        }
        assert_eq!(store.changes(), changes);
    }
}

#[test]
fn each_new_id_is_new_to_one_thread_only() {
    let store = seeded();
    let set = compact(&store, "s");
    let new: u64 = std::thread::scope(|scope| {
        let add = || set.add_many(ids(0..5_000)).unwrap();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(add)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(new, 5_000);
    assert!(is_right(validate(&store, "s", &ids(0..5_000)), 5_000));
}
