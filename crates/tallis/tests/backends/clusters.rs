//! The suite on clusters.

use redis::cluster::ClusterClient;
use tallis::{AsyncServer, Profile, Server};
use testkit::live::Cluster;

use crate::asynchronous::check_task;
use crate::place::of_cluster;
use crate::suite::Setting;
use crate::{check, setting};

/// Runs the suite by calls that block and by futures. Six servers take some seconds to become a cluster, so both share
/// one.
pub(crate) async fn check_cluster(
    name: &str,
    cluster: &Cluster,
    profile: Profile,
    setting: Setting,
) {
    let server = Server::redis_cluster(client(cluster));
    check(name, &server, profile, setting, || of_cluster(cluster));
    clear(cluster);
    let server = AsyncServer::redis_cluster(client(cluster)).await.unwrap();
    check_task(name, server, profile, setting, || of_cluster(cluster)).await;
}

pub(crate) fn client(cluster: &Cluster) -> ClusterClient {
    ClusterClient::new(cluster.nodes()).unwrap()
}

/// Removes all keys, and all scripts: who comes next has to send their texts again.
fn clear(cluster: &Cluster) {
    for url in cluster.masters() {
        let mut node = cluster.connect(&url);
        redis::cmd("FLUSHALL").exec(&mut node).unwrap();
        redis::cmd("SCRIPT").arg("FLUSH").exec(&mut node).unwrap();
    }
}

#[tokio::test]
async fn redis_7_0() {
    let Some(cluster) = testkit::live::cluster_named("redis-7.0.15") else { return };
    check_cluster("redis-7.0.15", &cluster, Profile::Redis70, setting()).await;
}

#[tokio::test]
async fn redis_8_2() {
    let Some(cluster) = testkit::live::cluster_named("redis-8.2.3") else { return };
    check_cluster("redis-8.2.3", &cluster, Profile::Redis82, setting()).await;
}

#[tokio::test]
async fn valkey_9_1() {
    let Some(cluster) = testkit::live::cluster_named("valkey-9.1.2") else { return };
    check_cluster("valkey-9.1.2", &cluster, Profile::Valkey91, setting()).await;
}
