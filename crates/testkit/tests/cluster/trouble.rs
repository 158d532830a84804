//! The behaviour of clients when a connection breaks, and when a node is slow.

use std::time::Duration;

use redis::{AsyncCommands, Commands, RedisResult};
use testkit::live::Cluster;

use crate::{client, kind, runtime, tag_of};

/// Much longer than a running node takes, much shorter than one that is paused.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(250);

pub(crate) fn broken_connections(cluster: &Cluster) {
    let runtime = runtime();
    let client_of = |retries| client(cluster).retries(retries).build().unwrap();
    let (plain, trying) = (client_of(0), client_of(16));
    let mut plain_sync = plain.get_connection().unwrap();
    let mut trying_sync = trying.get_connection().unwrap();
    let mut plain_async = runtime.block_on(plain.get_async_connection()).unwrap();
    let mut trying_async = runtime.block_on(trying.get_async_connection()).unwrap();
    for url in cluster.nodes() {
        // The connection that sends this command stays open.
        let kill = redis::cmd("CLIENT").arg(&["KILL", "TYPE", "normal"]).to_owned();
        kill.exec(&mut cluster.connect(&url)).unwrap();
    }
    assert_eq!(trying_sync.incr("broken", 1), Ok(1));
    assert_eq!(runtime.block_on(trying_async.incr("broken", 1)), Ok(2));
    // Without retries, the synchronous connection is not opened again.
    for _ in 0..3 {
        let reply: RedisResult<i64> = plain_sync.incr("broken", 1);
        assert_eq!(kind::of(&reply), "broken");
    }
    // The asynchronous one is, while another node is queried, which may not have the slot.
    let reply: RedisResult<i64> = runtime.block_on(plain_async.incr("broken", 1));
    assert_eq!(kind::of(&reply), "broken");
    let mut replies = (0..100).map(|_| runtime.block_on(plain_async.incr("broken", 1)));
    let mut kinds = replies.by_ref().map(|reply: RedisResult<i64>| kind::of(&reply));
    let others: Vec<_> = kinds.by_ref().take_while(|kind| kind != "ok").collect();
    assert!(
        others.len() < 99
            && others.iter().all(|kind| ["broken", "no connection", "MOVED"].contains(&&**kind)),
        "{others:?}"
    );
    assert!(kinds.all(|kind| kind == "ok"));
}

/// An error does not mean that the command was not run.
pub(crate) fn late_answers(cluster: &Cluster) {
    let runtime = runtime();
    let client = client(cluster).retries(2).response_timeout(RESPONSE_TIMEOUT).build().unwrap();
    let mut sync_connection = client.get_connection().unwrap();
    let mut async_connection = runtime.block_on(client.get_async_connection()).unwrap();
    let (tag, slot) = tag_of(cluster, &cluster.masters()[0]);
    let mut node = cluster.connect(&cluster.owner(slot));
    let [sync_key, async_key] = ["sync", "async"].map(|name| format!("{tag}{name}"));
    redis::cmd("CLIENT").arg(&["PAUSE", "60000", "WRITE"]).exec(&mut node).unwrap();
    let reply: RedisResult<i64> = sync_connection.incr(&sync_key, 1);
    assert_eq!(kind::of(&reply), "timeout");
    let reply: RedisResult<i64> = runtime.block_on(async_connection.incr(&async_key, 1));
    assert_eq!(kind::of(&reply), "timeout");
    redis::cmd("CLIENT").arg("UNPAUSE").exec(&mut node).unwrap();
    // On the same connections, so after the increments. The synchronous one has sent each attempt.
    assert_eq!(sync_connection.get(&sync_key), Ok(3));
    assert_eq!(runtime.block_on(async_connection.get(&async_key)), Ok(1));
}

/// A node that neither replies nor closes its connections.
pub(crate) fn paused_master(cluster: &Cluster) {
    let runtime = runtime();
    let client = client(cluster).retries(1).response_timeout(RESPONSE_TIMEOUT).build().unwrap();
    let mut sync_connection = client.get_connection().unwrap();
    let mut async_connection = runtime.block_on(client.get_async_connection()).unwrap();
    let paused = cluster.masters().remove(1);
    let (key, slot) = tag_of(cluster, &paused);
    cluster.pause(&paused);
    // Nothing changes for them after the replica has taken over: neither refreshes its slots after a timeout.
    for _ in 0..2 {
        let reply: RedisResult<()> = sync_connection.set(&key, 1);
        assert_eq!(kind::of(&reply), "timeout");
        let reply: RedisResult<()> = runtime.block_on(async_connection.set(&key, 1));
        assert_eq!(kind::of(&reply), "timeout");
        cluster.wait_until_ok();
        assert_ne!(cluster.owner(slot), paused);
    }
    // New connections have the current slots.
    let mut opened = client.get_connection().unwrap();
    assert_eq!(opened.set(&key, 2), Ok(()));
    let mut opened = runtime.block_on(client.get_async_connection()).unwrap();
    assert_eq!(runtime.block_on(opened.get(&key)), Ok(2));
    // After it is resumed, the node is a replica, and redirects to the master.
    cluster.resume(&paused);
    cluster.wait_until_ok();
    assert_eq!(sync_connection.set(&key, 3), Ok(()));
    assert_eq!(runtime.block_on(async_connection.get(&key)), Ok(3));
}
