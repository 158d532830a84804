//! Strings through the store.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use hashbrown::HashMap;
use tallis::Store;

use super::live::{Live, SERVER, command, rival};
use super::yo::{self, Yo};
use super::{built, held};
use crate::inputs::{Turns, Words, shuffled};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// Owned bytes.
type Text = Box<[u8]>;
type Map = HashMap<Text, Text, ahash::RandomState>;

pub(super) fn measure(bench: &Bench) -> Section {
    let count = if bench.effort().is_quick() { 5_000 } else { 1_000_000 };
    let text = format!(
        "{count} keys `key:n` with values `value:n`. SET of a new key: one call per key, in random order, into a store \
         that is empty at first. SET of a key that exists, and GET: in another random order. Bytes: as many keys of 16 \
         bytes with values of 16 bytes, tables and allocator overhead included. *hashbrown* is a `HashMap` of the same \
         pairs without locks, expiry or types; *yo-kv* is that crate's `Keyspace`, which has these except for locks. \
         GET copies nothing in these two. *redis-server* is measured as in the section on sets."
    );
    let mut live = Live::start();
    let pairs = Pairs::new(count);
    Section::new("Strings through the store", &text)
        .row(set_new(bench, &pairs, live.as_mut()))
        .row(set_again(bench, &pairs, live.as_mut()))
        .row(get(bench, &pairs, live.as_mut()))
        .row(bytes(bench, count, live.as_mut()))
}

struct Pairs {
    keys: Words,
    values: Words,
    /// The same keys in another order.
    asked: Words,
}

impl Pairs {
    fn new(count: usize) -> Self {
        let order = shuffled(1, count);
        Self {
            keys: order.iter().map(|n| format!("key:{n}")).collect(),
            values: order.iter().map(|n| format!("value:{n}")).collect(),
            asked: shuffled(2, count).iter().map(|n| format!("key:{n}")).collect(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.keys.iter().zip(self.values.iter())
    }

    fn store(&self) -> Store {
        let store = Store::new();
        for (key, value) in self.iter() {
            store.set(key, value).unwrap();
        }
        store
    }

    fn map(&self) -> Map {
        let mut map = Map::default();
        for (key, value) in self.iter() {
            map.insert(Box::from(key), Box::from(value));
        }
        map
    }

    fn yo(&self) -> Yo {
        let mut yo = Yo::default();
        for (key, value) in self.iter() {
            yo.set(key, value);
        }
        yo
    }

    fn commands(&self) -> impl Iterator<Item = redis::Cmd> {
        self.iter().map(|(key, value)| command([b"SET", key, value]))
    }
}

fn set_new(bench: &Bench, pairs: &Pairs, live: Option<&mut Live>) -> Row {
    assert_eq!(pairs.store().dbsize().unwrap(), pairs.keys.len());
    assert_eq!(pairs.yo().keys(), pairs.keys.len());
    let pieces = u32::try_from(pairs.keys.len()).unwrap();
    let mut results = bench
        .race()
        .contender_from("tallis", pieces, || (), |()| pairs.store())
        .rivals()
        .contender_from(yo::NAME, pieces, || (), |()| pairs.yo())
        .contender_from("hashbrown", pieces, || (), |()| pairs.map())
        .run();
    results.extend(rival(live.map(|live| live.nanos("SET", pairs.commands()))));
    Row::new("SET, a new key", Unit::Nanos, built(bench, || pairs.store()), results)
        .beside(SERVER, [110.0, 344.0])
}

/// The server has the keys of [`set_new`].
fn set_again(bench: &Bench, pairs: &Pairs, live: Option<&mut Live>) -> Row {
    let (store, mut keyspace, mut map) = (pairs.store(), pairs.yo(), pairs.map());
    let count = pairs.asked.len();
    let size = count.min(50_000);
    let pieces = u32::try_from(size).unwrap();
    let [mut ours, mut yos, mut theirs] = [(); 3].map(|()| Turns::new(size, count));
    let value = b"another:1234";
    let mut results = bench
        .race()
        .contender("tallis", pieces, || {
            for key in pairs.asked.range(ours.turn()) {
                store.set(key, value).unwrap();
            }
        })
        .rivals()
        .contender(yo::NAME, pieces, || {
            for key in pairs.asked.range(yos.turn()) {
                keyspace.set(key, value);
            }
        })
        .contender("hashbrown", pieces, || {
            for key in pairs.asked.range(theirs.turn()) {
                *map.get_mut(key).unwrap() = Box::from(&value[..]);
            }
        })
        .run();
    assert_eq!((store.dbsize().unwrap(), keyspace.keys()), (count, count));
    let again = || pairs.asked.iter().map(|key| command([b"SET", key, value]));
    results.extend(rival(live.map(|live| live.nanos("SET", again()))));
    Row::new("SET, a key that is there", Unit::Nanos, held(&store), results)
}

fn get(bench: &Bench, pairs: &Pairs, live: Option<&mut Live>) -> Row {
    let (store, mut keyspace, map) = (pairs.store(), pairs.yo(), pairs.map());
    let count = pairs.asked.len();
    assert!(pairs.iter().all(|(key, value)| store.get(key).unwrap().unwrap() == value));
    assert!(pairs.iter().all(|(key, value)| keyspace.has(key, value)));
    let size = count.min(50_000);
    let pieces = u32::try_from(size).unwrap();
    let [mut ours, mut yos, mut theirs] = [(); 3].map(|()| Turns::new(size, count));
    let mut results = bench
        .race()
        .contender("tallis", pieces, || {
            let asked = pairs.asked.range(ours.turn());
            asked.map(|key| store.get(key).unwrap().unwrap().len()).sum::<usize>()
        })
        .rivals()
        .contender(yo::NAME, pieces, || {
            pairs.asked.range(yos.turn()).map(|key| keyspace.get(key)).sum::<usize>()
        })
        .contender("hashbrown", pieces, || {
            pairs.asked.range(theirs.turn()).map(|key| map[key].len()).sum::<usize>()
        })
        .run();
    let ask = || pairs.asked.iter().map(|key| command([b"GET", key]));
    results.extend(rival(live.map(|live| live.nanos("GET", ask()))));
    Row::new("GET", Unit::Nanos, held(&store), results).beside(SERVER, [60.0, 538.0])
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn bytes(bench: &Bench, count: usize, live: Option<&mut Live>) -> Row {
    let numbers = || 0..count;
    let pairs = Pairs {
        keys: numbers().map(|n| format!("key:{n:012}")).collect(),
        values: numbers().map(|n| format!("value:{n:010}")).collect(),
        asked: Words::default(),
    };
    assert!(pairs.iter().all(|(key, value)| key.len() == 16 && value.len() == 16));
    let each = |bytes: f64| bytes / count as f64;
    let (_, ours) = bench.held(|| pairs.store());
    let (_, keyspace) = bench.held(|| pairs.yo());
    let (_, bare) = bench.held(|| pairs.map());
    let mut results = vec![
        Result::new("tallis", Sample::exact(each(ours as f64))),
        Result::rival(yo::NAME, Sample::exact(each(keyspace as f64))),
        Result::rival("hashbrown of boxes", Sample::exact(each(bare as f64))),
    ];
    results.extend(rival(live.map(|live| each(live.held(pairs.commands())))));
    Row::new("bytes a pair, 16-byte key and 16-byte value", Unit::Bytes, Touched::NOTHING, results)
        .target(64.0)
        .beside(SERVER, [64.0, 100.0])
}
