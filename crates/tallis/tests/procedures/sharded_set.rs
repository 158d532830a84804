//! Refused changes of sharded sets, and the procedures that each form needs.

use std::cell::RefCell;
use std::collections::BTreeSet;

use bytes::Bytes;
use tallis::{Backend, Error, Keyspace, PreparedKey, Procedure, ShardedSet, Store};

use super::refusal::plant_everywhere;

const KEYS: [&str; 3] = ["s:0", "s:1", "s:shards"];

type Open = fn(Store, &str) -> ShardedSet;

/// The forms with further keys in addition to the shards.
const FORMS: [(&str, Open); 2] = [
    ("splitting", |store, base| ShardedSet::splitting(store, base)),
    ("compact", |store, base| ShardedSet::compact(store, base, 60)),
];

fn filled(open: Open, base: &str, ids: impl IntoIterator<Item = i64>) -> Store {
    let store = Store::new();
    open(store.clone(), base).add_many(ids).unwrap();
    store
}

/// The payloads of the keys of a set of two shards.
fn dumps(store: &Store) -> [Option<Bytes>; 4] {
    ["s:1", "s:2", "s:3", "s:shards"].map(|key| store.dump(key).unwrap())
}

/// The members as text.
fn members(set: &ShardedSet) -> BTreeSet<String> {
    set.members().map(|member| String::from_utf8_lossy(&member.unwrap()).into_owned()).collect()
}

#[test]
fn an_addition_or_a_removal_is_done_completely_or_not_at_all() {
    for (form, open) in FORMS {
        let mut refused = plant_everywhere(
            || filled(open, "s", 1..=3),
            &KEYS,
            |store| open(store.clone(), "s").add(77),
            |store, new| {
                assert!(new && store.sismember("s:1", 77).unwrap());
            },
        );
        refused += plant_everywhere(
            || filled(open, "s", 1..=3),
            &KEYS,
            |store| open(store.clone(), "s").remove(2),
            |store, _| assert!(!store.sismember("s:1", 2).unwrap()),
        );
        assert_eq!(refused, 12, "{form}: all but a set at the only shard");
    }
}

#[test]
fn a_set_of_the_books_form_is_changed_completely_or_not_at_all() {
    let open = |store: &Store| ShardedSet::new(store.clone(), "s", 100, 512);
    let make = || {
        let store = Store::new();
        open(&store).add_many([1, 2, 3]).unwrap();
        store
    };
    let refused = plant_everywhere(
        make,
        &KEYS,
        |store| Ok((open(store).add(77)?, open(store).remove(77)?)),
        |_, done| assert_eq!(done, (true, true)),
    );
    assert_eq!(refused, 6, "all but a set at the only shard");
}

#[test]
fn a_stored_intersection_is_complete_or_changes_nothing() {
    for (form, open) in FORMS {
        let make = || {
            let store = filled(open, "a", 1..=5);
            open(store.clone(), "b").add_many(4..=9).unwrap();
            open(store.clone(), "t").add(100).unwrap();
            store
        };
        let keys = ["a:1", "a:shards", "b:1", "b:shards", "t:1", "t:shards"];
        let refused = plant_everywhere(
            make,
            &keys,
            |store| {
                let [a, b, t] = ["a", "b", "t"].map(|base| open(store.clone(), base));
                a.inter_store([&b], &t)
            },
            |store, made| {
                let [a, b, t] = ["a", "b", "t"].map(|base| open(store.clone(), base));
                let found: Result<Vec<_>, Error> = a.inter([&b]).unwrap().collect();
                assert_eq!(members(&t).len() as u64, made);
                assert_eq!(found.unwrap().len() as u64, made);
            },
        );
        assert!(refused >= 25, "{form}: {refused}");
    }
}

#[test]
fn a_refused_split_or_merge_changes_nothing() {
    for (form, open) in FORMS {
        let ids = || (0..320).map(|id| id << 51);
        // The next member causes a split, but the key of the new shard has another type. As documented, the member has
        // been added by then.
        let store = filled(open, "s", ids());
        store.set("s:3", "taken").unwrap();
        assert!(open(store.clone(), "s").add(1).is_err(), "{form}");
        let expected = filled(open, "s", ids());
        expected.set("s:3", "taken").unwrap();
        expected.sadd("s:1", [1]).unwrap();
        assert_eq!(dumps(&store), dumps(&expected), "{form}");

        // The next removal causes a merge of two shards, one of which has another type.
        let store = filled(open, "s", ids().chain([1]));
        let set = open(store.clone(), "s");
        assert_eq!(set.shards().unwrap(), 2, "{form}");
        while store.scard("s:2").unwrap() > 80 {
            assert!(set.remove(store.spop("s:2").unwrap().unwrap()).is_ok());
        }
        store.set("s:3", "taken").unwrap();
        let before = dumps(&store);
        let first = store.smembers("s:2").unwrap().remove(0);
        assert!(set.remove(&first).is_err(), "{form}");
        store.sadd("s:2", [&first]).unwrap();
        assert_eq!(dumps(&store), before, "{form}");
    }
}

/// A store that records the names of the procedures that it runs.
#[derive(Default)]
struct Noting {
    store: Store,
    called: RefCell<Vec<&'static str>>,
}

impl Keyspace for &Noting {
    fn prepare(&self, key: &[u8]) -> PreparedKey {
        self.store.prepare(key)
    }
}

impl Backend for &Noting {
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        // A procedure consists of closures in the function that it is named after.
        let maker = std::any::type_name::<P>().split("::{{closure}}").next().unwrap();
        let maker = match maker.strip_suffix('>') {
            Some(generic) => generic.rsplit_once('<').unwrap().0,
            None => maker,
        };
        self.called.borrow_mut().push(maker.rsplit("::").next().unwrap());
        self.store.call(procedure)
    }
}

#[test]
fn the_books_form_needs_the_procedures_of_one_command() {
    let noting = Noting::default();
    let set = ShardedSet::new(&noting, "s", 100, 512);
    assert!(set.add(1).unwrap());
    assert!(set.contains(1).unwrap());
    assert_eq!(set.card().unwrap(), 1);
    assert_eq!(set.members().count(), 1);
    assert!(set.remove(1).unwrap());
    assert_eq!(noting.called.take(), ["add", "contains", "card", "members", "remove"]);
    assert_eq!(set.inter([&set]).unwrap().count(), 0);
    assert_eq!(set.inter_card([&set]).unwrap(), 0);
    assert_eq!(set.union_store([], &set).unwrap(), 0);
    assert_eq!(noting.called.take(), ["combine", "inter_card", "combine_store"]);

    let set = ShardedSet::splitting(&noting, "t");
    assert!(set.add(0).unwrap());
    assert_eq!(noting.called.take(), ["add", "add_first"], "the first member looks for the level");
    for id in 1..=320 {
        assert!(set.add(id).unwrap());
    }
    let called = noting.called.take();
    assert_eq!(called[..320], ["add"; 320]);
    assert_eq!(called[320..], ["split"], "one step for an addition, and one for a split");
    assert!(set.contains(7).unwrap());
    assert_eq!(noting.called.take(), ["contains"]);
}

/// A store whose set shrinks to fewer shards before its keys are listed, and then grows again.
struct Shrinking(Store);

impl Shrinking {
    fn set(&self) -> ShardedSet {
        ShardedSet::splitting(self.0.clone(), "s")
    }
}

impl Keyspace for &Shrinking {
    fn prepare(&self, key: &[u8]) -> PreparedKey {
        self.0.prepare(key)
    }

    fn as_store(&self) -> Option<&Store> {
        Some(&self.0)
    }
}

impl Backend for &Shrinking {
    fn call<P: Procedure>(&self, procedure: &P) -> Result<P::Output, Error> {
        self.0.call(procedure)
    }

    fn keys_if_few(&self, start: &[u8], most: u64) -> Result<Option<Vec<Bytes>>, Error> {
        let set = self.set();
        for id in 100..2_000 {
            set.remove(id)?;
        }
        let keys = self.0.keys_if_few(start, most)?;
        set.add_many(100..2_000)?;
        Ok(keys)
    }
}

#[test]
fn shards_that_are_merged_and_split_again_are_counted() {
    let shrinking = Shrinking(Store::new());
    shrinking.set().add_many(0..100).unwrap();
    (&shrinking).keys_if_few(b"", 0).unwrap();
    let shards = shrinking.set().shards().unwrap();
    // Some shards are not listed, and afterwards there are as many as before.
    let keys = (&shrinking).keys_if_few(b"s:", shards).unwrap();
    assert!(keys.is_some_and(|keys| (keys.len() as u64) < shards));
    assert_eq!(shrinking.set().shards().unwrap(), shards);
    assert_eq!(ShardedSet::splitting(&shrinking, "s").card().unwrap(), 2_000);
}
