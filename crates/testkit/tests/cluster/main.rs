//! Clusters of each kind of server, and how the clients of the `redis` crate behave with them.
//!
//! The tables in docs/testing.md show the results of these tests: change both together.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod failover;
mod kind;
mod redirections;
mod trouble;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::{AsyncCommands, Commands, Connection};
use testkit::live::{Cluster, cluster, cluster_named};
use tokio::runtime::{Builder, Runtime};

#[test]
fn a_cluster_of_redis_7_0() {
    check("redis-7.0.15");
}

#[test]
fn a_cluster_of_redis_8_2() {
    check("redis-8.2.3");
}

#[test]
fn a_cluster_of_valkey_9_1() {
    check("valkey-9.1.2");
}

/// This version has neither CLUSTER ADDSLOTSRANGE nor a setting for the port of the bus.
#[test]
fn a_cluster_of_redis_6_2() {
    let Some(cluster) = cluster_named("redis-6.2") else { return };
    keys_are_on_every_master(&cluster);
}

/// Six servers take some seconds to become a cluster, so the checks share one.
fn check(name: &str) {
    let Some(cluster) = cluster_named(name) else { return };
    keys_are_on_every_master(&cluster);
    redirections::check(&cluster);
    trouble::broken_connections(&cluster);
    trouble::late_answers(&cluster);
    trouble::paused_master(&cluster);
    failover::check(&cluster);
    let folders = cluster.folders();
    assert_eq!(folders.len(), 6);
    assert!(folders.iter().all(|folder| processes_of(folder) > 0));
    drop(cluster);
    assert_nothing_is_left(&folders);
}

fn keys_are_on_every_master(cluster: &Cluster) {
    assert_eq!((cluster.nodes().len(), cluster.masters().len()), (6, 3));
    let mut connection = client(cluster).build().unwrap().get_connection().unwrap();
    let runtime = runtime();
    let client = client(cluster).build().unwrap();
    let mut other = runtime.block_on(client.get_async_connection()).unwrap();
    for number in 0..1_000 {
        let key = format!("key-{number}");
        if number % 2 == 0 {
            connection.set::<_, _, ()>(&key, number).unwrap();
        } else {
            runtime.block_on(other.set::<_, _, ()>(&key, number)).unwrap();
        }
    }
    for number in 0..1_000 {
        let key = format!("key-{number}");
        assert_eq!(connection.get(&key), Ok(number));
        assert_eq!(runtime.block_on(other.get(&key)), Ok(number));
    }
    let masters = cluster.masters();
    let sizes: Vec<usize> = masters.iter().map(|url| size(&mut cluster.connect(url))).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 1_000);
    assert!(sizes.iter().all(|size| *size > 250), "{sizes:?}");
}

#[test]
fn nothing_is_left_of_a_cluster_after_a_panic() {
    // Started outside of the closure, because without a server the test is skipped.
    let Some(cluster) = cluster() else { return };
    let folders = cluster.folders();
    let (killed, paused) = (cluster.nodes().remove(1), cluster.nodes().remove(2));
    let unwound = catch_unwind(move || {
        cluster.kill(&killed);
        // A stopped process is ended as well.
        cluster.pause(&paused);
        // A node that does not run cannot be paused.
        cluster.pause(&killed);
    });
    assert!(unwound.is_err());
    assert_nothing_is_left(&folders);
}

fn assert_nothing_is_left(folders: &[PathBuf]) {
    for folder in folders {
        assert!(!folder.exists(), "{}", folder.display());
        // The process that supervises a server may end shortly after it.
        let gone = (0..1_000).any(|_| {
            sleep(Duration::from_millis(10));
            processes_of(folder) == 0
        });
        assert!(gone, "a process of {} is left", folder.display());
    }
}

/// Returns the number of processes with the folder in their command lines.
fn processes_of(folder: &Path) -> usize {
    let folder = folder.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().map_while(Result::ok);
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(folder)).count()
}

fn client(cluster: &Cluster) -> ClusterClientBuilder {
    ClusterClient::builder(cluster.nodes())
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn size(connection: &mut Connection) -> usize {
    redis::cmd("DBSIZE").query(connection).unwrap()
}

fn slot_of(connection: &mut Connection, key: &str) -> u16 {
    redis::cmd("CLUSTER").arg("KEYSLOT").arg(key).query(connection).unwrap()
}

/// Keys of one slot, with consecutive numbers: `{tag}0`, `{tag}1` and so on. The slot belongs to that master.
fn tag_of(cluster: &Cluster, master: &str) -> (String, u16) {
    let mut connection = cluster.connect(master);
    let mut tags = (0..).map(|number| format!("{{tag-{number}}}"));
    let found = tags.find_map(|tag| {
        let slot = slot_of(&mut connection, &tag);
        (cluster.owner(slot) == master).then_some((tag, slot))
    });
    found.unwrap()
}
