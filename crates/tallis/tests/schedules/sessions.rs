//! Sessions that watch keys, and transactions over several stripes.

use shuttle::thread;
use tallis::{Reply, Store};

use super::{builder, check};

/// Increments by WATCH, GET, MULTI, SET and EXEC, until there is no conflict.
fn add_one(store: &Store) {
    let mut session = store.session();
    loop {
        session.execute(&["WATCH", "n"]);
        let seen: i64 = session.execute(&["GET", "n"]).convert().unwrap();
        session.execute(&["MULTI"]);
        session.execute(&["SET", "n", &(seen + 1).to_string()]);
        match session.execute(&["EXEC"]) {
            Reply::Array(_) => return,
            Reply::NullArray => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_increment_under_watch_is_never_lost() {
    check(|| {
        let store = builder().build();
        store.set("n", 0).unwrap();
        let threads = [(); 2].map(|()| {
            let store = store.clone();
            thread::spawn(move || (0..2).for_each(|_| add_one(&store)))
        });
        store.incr("n", 10).unwrap();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(store.get_as::<i64>("n").unwrap(), 14);
    });
}

#[test]
fn keys_of_several_stripes_are_seen_together() {
    check(|| {
        let store = builder().build();
        let keys = ["a", "b", "c", "d"];
        let same = |store: &Store| {
            let values = store.mget(keys).unwrap();
            assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{values:?}");
        };
        let writers = [1, 2].map(|writer: i64| {
            let store = store.clone();
            thread::spawn(move || {
                store.mset(&keys.map(|key| (key, writer))).unwrap();
                let added = store.transaction(keys, |tx| {
                    keys.iter().try_for_each(|key| tx.incr(key, 10).map(drop))
                });
                added.unwrap();
                store.del(keys).unwrap();
            })
        });
        for _ in 0..4 {
            same(&store);
        }
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!(store.dbsize().unwrap(), 0);
    });
}
