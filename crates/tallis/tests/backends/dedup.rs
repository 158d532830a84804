//! `Dedup` on servers and clusters with the module for Bloom filters.

use std::ops::Range;
use std::thread::{self, sleep};
use std::time::Duration;

use macros::blocking_and_async;
use redis::cluster::ClusterClientBuilder;
use tallis::{
    AsyncBackend, AsyncServer, Backend, Dedup, ErrorKind, Keyspace, Profile, Server, Store,
    key_slot,
};
use testkit::live::{Cluster, Options, as_bytes, command, redisbloom};
use tokio::runtime::Runtime;

use super::asynchronous::check_task;
use super::check;
use super::clusters::client;
use super::place::{Keys, of_cluster, of_server, same};
use super::suite::{Recipes, Setting};

fn setting() -> Setting {
    Setting { recipes: Recipes::Dedup, ..super::setting() }
}

async fn check_server(name: &str, profile: Profile) {
    let Some(module) = redisbloom() else { return };
    let options = Options::new().module(module);
    let Some(live) = testkit::live::named_with(name, &options) else { return };
    let server = Server::redis(live.connect());
    check(name, &server, profile, setting(), || of_server(&mut live.connect()));
    redis::cmd("FLUSHALL").exec(&mut live.connect()).unwrap();
    let connection = live.client().get_multiplexed_async_connection().await.unwrap();
    let server = AsyncServer::redis(connection);
    check_task(name, server, profile, setting(), || of_server(&mut live.connect())).await;
}

#[tokio::test]
async fn redis_7_0() {
    check_server("redis-7.0.15", Profile::Redis70).await;
}

#[tokio::test]
async fn redis_8_2() {
    check_server("redis-8.2.3", Profile::Redis82).await;
}

#[tokio::test]
async fn valkey_9_1() {
    check_server("valkey-9.1.2", Profile::Valkey91).await;
}

/// Checks a cluster with the module, in addition to the suite.
pub(crate) fn check_cluster(cluster: &Cluster, runtime: &Runtime, profile: Profile) {
    replicas_have_the_filters(cluster);
    two_slots_are_refused(cluster);
    while_a_slot_moves(cluster, runtime, profile);
}

/// A replica has the same bytes as the master after scripts.
fn replicas_have_the_filters(cluster: &Cluster) {
    let masters = cluster.masters();
    let replicas: Vec<String> =
        cluster.nodes().into_iter().filter(|url| !masters.contains(url)).collect();
    let filters = |mut keys: Keys| {
        keys.retain(|key, _| key.contains("dedup"));
        keys
    };
    let keys = filters(of_cluster(cluster));
    assert!(keys.len() > 20, "{}", keys.len());
    let of_replicas = || -> Keys {
        let of_one = |url: &String| {
            let mut node = cluster.connect(url);
            redis::cmd("READONLY").exec(&mut node).unwrap();
            of_server(&mut node)
        };
        filters(replicas.iter().flat_map(of_one).collect())
    };
    // A master answers before its replica has the write.
    for _ in 0..100 {
        if of_replicas() == keys {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    same("replicas", &of_replicas(), &keys);
}

/// A name with a closing brace and no hash tag has its older filter in another slot.
fn two_slots_are_refused(cluster: &Cluster) {
    let server = Server::redis_cluster(client(cluster));
    let hour = Duration::from_secs(3600);
    for key in ["x}", "{}x"] {
        let all = Dedup::new(&server, key, 100, 0.001).unwrap();
        let last = Dedup::last(&server, key, 100, 0.001).unwrap();
        let within = Dedup::within(&server, key, 100, 0.001, hour).unwrap();
        for seen in [last, within] {
            let one = seen.insert(1).unwrap_err();
            let many = seen.insert_many([1, 2]).unwrap_err();
            assert_eq!([one.kind(), many.kind()], [ErrorKind::Server; 2], "{one:?}, {many:?}");
            assert!(one.to_string().starts_with("CROSSSLOT"), "{one:?}");
            assert_eq!(seen.contains(1), Ok(false));
            assert_eq!(seen.info().unwrap().items, 0);
        }
        assert_eq!(all.insert_many([1, 2, 1]), Ok(vec![true, true, false]));
    }
}

fn moved<B: Keyspace>(backend: B, key: &str) -> Dedup<B> {
    Dedup::last(backend, key, 40, 0.001).unwrap()
}

fn older(key: &str) -> String {
    format!("{key}:older")
}

#[blocking_and_async]
async fn ask<B: Backend>(seen: &Dedup<B>, items: Range<i64>) -> [String; 3] {
    let first = items.start;
    let inserted = seen.insert_many(items).await;
    let mut known = Vec::new();
    for item in [0, first - 10, first - 1, first, 1000] {
        known.push(seen.contains(item).await);
    }
    let info = seen.info().await;
    [format!("{inserted:?}"), format!("{known:?}"), format!("{info:?}")]
}

/// Moves a slot to another master while its filters are queried.
fn while_a_slot_moves(cluster: &Cluster, runtime: &Runtime, profile: Profile) {
    let slot = key_slot("{moved}");
    let owner = cluster.owner(slot);
    let to = cluster.masters().into_iter().find(|url| *url != owner).unwrap();
    let server = Server::redis_cluster(client(cluster));
    let futures = runtime.block_on(AsyncServer::redis_cluster(client(cluster))).unwrap();
    let store = Store::builder().profile(profile).build();
    let keys = ["{moved}:asked", "{moved}:futures"];
    let alone = keys.map(|key| moved(store.clone(), key));
    let (seen, awaited) = (moved(server.clone(), keys[0]), moved(futures, keys[1]));
    let compare = |items: Range<i64>| {
        let said =
            [ask(&seen, items.clone()), runtime.block_on(ask_async(&awaited, items.clone()))];
        assert_eq!(said, alone.each_ref().map(|seen| ask(seen, items.clone())), "{items:?}");
    };
    compare(0..30);
    make_turning(&server);
    let moving = cluster.begin_slot_move(slot, &to);
    compare(20..35);
    compare(15..35);
    turns_are_refused(cluster, &owner);
    for key in keys {
        moving.move_key(older(key).as_bytes());
    }
    // Each key is queried on the node that has it.
    compare(45..45);
    thread::scope(|scope| {
        // A step on both keys is not run before the slot has moved.
        scope.spawn(|| {
            sleep(Duration::from_millis(200));
            moving.finish();
        });
        compare(40..70);
    });
    compare(60..90);
    for seen in turning(&server) {
        assert_eq!(seen.insert_many([1, 2, 2]), Ok(vec![false, true, false]));
    }
    let mut node = cluster.connect(&to);
    for key in keys.into_iter().flat_map(|key| [key.to_owned(), older(key)]) {
        let dump = command(&mut node, &["DUMP", &key]).unwrap();
        assert_eq!(store.dump(&key).unwrap().as_deref(), as_bytes(&dump), "{key}");
    }
}

/// Filters that rotate at the next new item. A node whose slot is moving does not let a script create a key again that
/// it has renamed. So such a step must change nothing.
const TURNING: [&str; 2] = ["{moved}:last", "{moved}:within"];

/// Creates the filters. The newer ones are full, and have no expiry.
fn make_turning(server: &Server) {
    for key in TURNING {
        for (filter, item) in [(key, 1), (&older(key), 0)] {
            assert_eq!(Dedup::new(server, filter, 1, 0.001).unwrap().insert(item), Ok(true));
        }
    }
}

fn turning(server: &Server) -> [Dedup<&Server>; 2] {
    let [last, within] = TURNING;
    let hour = Duration::from_secs(3600);
    let last = Dedup::last(server, last, 2, 0.001);
    [last, Dedup::within(server, within, 2, 0.001, hour)].map(Result::unwrap)
}

/// Their slot has begun to move, but none of the keys has moved.
fn turns_are_refused(cluster: &Cluster, owner: &str) {
    let mut node = cluster.connect(owner);
    let mut dumps = || {
        let keys = TURNING.into_iter().flat_map(|key| [key.to_owned(), older(key)]);
        keys.map(|key| command(&mut node, &["DUMP", &key]).unwrap()).collect::<Vec<_>>()
    };
    let before = dumps();
    let hasty = ClusterClientBuilder::new(cluster.nodes()).retries(0).build().unwrap();
    let hasty = Server::redis_cluster(hasty);
    let dedups = turning(&hasty);
    for seen in &dedups {
        for refused in [seen.insert(2).map(drop), seen.insert_many([1, 2]).map(drop)] {
            let refused = refused.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Server, "{refused}");
            assert!(refused.to_string().starts_with("TRYAGAIN "), "{refused}");
        }
    }
    // Items that a full filter contains do not cause a rotation.
    assert_eq!(dedups[0].insert_many([1, 1]), Ok(vec![false, false]));
    assert_eq!(dumps(), before);
}
