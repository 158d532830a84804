//! The suite on clusters.

use redis::cluster::ClusterClient;
use tallis::{AsyncServer, Profile, Server};
use testkit::live::{Cluster, Options, cluster_named_with, locate_redisbloom};
use tokio::runtime::Builder;

use super::asynchronous::check_task;
use super::place::of_cluster;
use super::suite::{Recipes, Setting};
use super::{check, dedup, moving, setting};

/// Runs the suite with blocking and asynchronous calls, with `Dedup` if its module is installed; otherwise the tests of
/// single servers are counted as skipped. Six servers take some seconds to become a cluster, so all calls share one.
fn check_cluster(name: &str, profile: Profile) {
    let module = locate_redisbloom();
    let options = module.iter().fold(Options::new(), Options::module);
    let Some(cluster) = cluster_named_with(name, &options) else { return };
    let recipes = if module.is_some() { Recipes::All } else { Recipes::WithoutDedup };
    let setting = Setting { recipes, ..setting() };
    let keys = || of_cluster(&cluster);
    let server = Server::redis_cluster(client(&cluster));
    check(name, &server, profile, setting, keys);
    clear(&cluster);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let server = AsyncServer::redis_cluster(client(&cluster)).await.unwrap();
        check_task(name, server, profile, setting, keys).await;
    });
    moving::check_cluster(&cluster);
    if module.is_some() {
        dedup::check_cluster(&cluster, &runtime, profile);
    }
}

pub(crate) fn client(cluster: &Cluster) -> ClusterClient {
    ClusterClient::new(cluster.nodes()).unwrap()
}

/// Removes all keys and all scripts: the next user has to send the scripts again.
fn clear(cluster: &Cluster) {
    for url in cluster.masters() {
        let mut node = cluster.connect(&url);
        redis::cmd("FLUSHALL").exec(&mut node).unwrap();
        redis::cmd("SCRIPT").arg("FLUSH").exec(&mut node).unwrap();
    }
}

#[test]
fn redis_7_0() {
    check_cluster("redis-7.0.15", Profile::Redis70);
}

#[test]
fn redis_8_2() {
    check_cluster("redis-8.2.3", Profile::Redis82);
}

#[test]
fn valkey_9_1() {
    check_cluster("valkey-9.1.2", Profile::Valkey91);
}
