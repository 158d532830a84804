//! `Dedup` on servers and clusters with the module that has Bloom filters.

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

use crate::asynchronous::check_task;
use crate::check;
use crate::clusters::client;
use crate::place::{Keys, of_cluster, of_server, same};
use crate::suite::{Recipes, Setting};

fn setting() -> Setting {
    Setting { recipes: Recipes::Dedup, ..crate::setting() }
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

/// What a cluster with the module does beside what the suite asks.
pub(crate) fn check_cluster(cluster: &Cluster, runtime: &Runtime, profile: Profile) {
    replicas_have_the_filters(cluster);
    two_slots_are_refused(cluster);
    turns_wait_for_the_slot(cluster);
    let seen = moved(Server::redis_cluster(client(cluster)), "moved");
    move_slot(cluster, profile, "moved", |items| ask(&seen, items));
    let server = runtime.block_on(AsyncServer::redis_cluster(client(cluster))).unwrap();
    let seen = moved(server, "moved:too");
    move_slot(cluster, profile, "moved:too", |items| runtime.block_on(ask_async(&seen, items)));
}

/// What the scripts did on a master is done by its replica, byte for byte.
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

/// While a slot moves its owner lets no script make a key again. So nothing is done of a step that would do so.
fn turns_wait_for_the_slot(cluster: &Cluster) {
    let server = Server::redis_cluster(client(cluster));
    let hasty = ClusterClientBuilder::new(cluster.nodes()).retries(0).build().unwrap();
    let hasty = Server::redis_cluster(hasty);
    let make = |server: &Server, key: &str| match key {
        "waits:last" => Dedup::last(server.clone(), key, 2, 0.001).unwrap(),
        _ => Dedup::within(server.clone(), key, 2, 0.001, Duration::from_secs(3600)).unwrap(),
    };
    for key in ["waits:last", "waits:within"] {
        let older = format!("{{{key}}}:older");
        let slot = key_slot(key);
        let owner = cluster.owner(slot);
        // The younger one is full, and has no expiry.
        for (filter, item) in [(key, 1), (&older, 0)] {
            assert_eq!(Dedup::new(&server, filter, 1, 0.001).unwrap().insert(item), Ok(true));
        }
        let dumps = || {
            let mut node = cluster.connect(&owner);
            [key, &older].map(|key| command(&mut node, &["DUMP", key]).unwrap())
        };
        let before = dumps();
        let to = cluster.masters().into_iter().find(|url| *url != owner).unwrap();
        let moving = cluster.begin_slot_move(slot, &to);
        let seen = make(&hasty, key);
        for refused in [seen.insert(2).map(drop), seen.insert_many([1, 2]).map(drop)] {
            let refused = refused.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Server, "{key}: {refused}");
            assert!(refused.to_string().starts_with("TRYAGAIN "), "{key}: {refused}");
        }
        if key == "waits:last" {
            assert_eq!(seen.insert_many([1, 1]), Ok(vec![false, false]));
        }
        assert_eq!(dumps(), before, "{key}");
        moving.finish();
        assert_eq!(
            make(&server, key).insert_many([1, 2, 2]),
            Ok(vec![false, true, false]),
            "{key}"
        );
    }
}

fn moved<B: Keyspace>(backend: B, key: &str) -> Dedup<B> {
    Dedup::last(backend, key, 40, 0.001).unwrap()
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

/// Moves the slot of the filters of [`moved`] to another master, while `on_cluster` asks.
fn move_slot(
    cluster: &Cluster,
    profile: Profile,
    key: &str,
    mut on_cluster: impl FnMut(Range<i64>) -> [String; 3],
) {
    let store = Store::builder().profile(profile).build();
    let alone = moved(store.clone(), key);
    let mut compare = |items: Range<i64>| {
        assert_eq!(on_cluster(items.clone()), ask(&alone, items.clone()), "{key}, {items:?}");
    };
    let older = format!("{{{key}}}:older");
    let slot = key_slot(key);
    let owner = cluster.owner(slot);
    let to = cluster.masters().into_iter().find(|url| *url != owner).unwrap();
    compare(0..30);
    let moving = cluster.begin_slot_move(slot, &to);
    compare(20..35);
    compare(15..35);
    moving.move_key(older.as_bytes());
    // Each key is asked where it is.
    compare(45..45);
    thread::scope(|scope| {
        // A step on both keys is not done before the slot has moved.
        scope.spawn(|| {
            sleep(Duration::from_millis(200));
            moving.finish();
        });
        compare(40..70);
    });
    compare(60..90);
    let mut node = cluster.connect(&to);
    for key in [key, &older] {
        let dump = command(&mut node, &["DUMP", key]).unwrap();
        assert_eq!(store.dump(key).unwrap().as_deref(), as_bytes(&dump), "{key}");
    }
}
