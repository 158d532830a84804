//! A master of a cluster is killed while recipes write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use macros::blocking_and_async;
use redis::cluster::ClusterClient;
use tallis::{
    AsyncServer, Bucket, Error, ErrorKind, Keyspace, Server, ShardedHash, ShardedSet, Visitors,
    VisitorsForm, key_slot,
};
use testkit::live::Cluster;

/// Writes that a master has acknowledged in this time before its end may not have reached its replica.
const UNSURE: Duration = Duration::from_secs(1);

/// A write takes less than this while all masters run.
const SHORT: Duration = Duration::from_millis(500);

/// An acknowledged write.
struct Acknowledged {
    id: i64,
    at: Timestamp,
}

/// The acknowledged writes, and the kinds of the errors.
type Written = (Vec<Acknowledged>, BTreeSet<String>);

/// Writes ids one by one until it is stopped.
#[blocking_and_async]
async fn write(stop: &AtomicBool, mut one: impl AsyncFnMut(i64) -> Result<(), Error>) -> Written {
    let mut acknowledged = Vec::new();
    let mut kinds = BTreeSet::new();
    for id in 0.. {
        match (one)(id).await {
            Ok(()) => acknowledged.push(Acknowledged { id, at: Timestamp::now() }),
            Err(error) => {
                kinds.insert(format!("{:?}", error.kind()));
                let text = error.to_string();
                let is_clusters =
                    error.kind() == ErrorKind::Server && text.starts_with("CLUSTERDOWN");
                assert!(error.kind() == ErrorKind::Io || is_clusters, "{error:?}");
                sleep(Duration::from_millis(20)).await;
            }
        }
        if stop.load(Ordering::SeqCst) {
            break;
        }
        sleep(Duration::from_micros(500)).await;
    }
    (acknowledged, kinds)
}

async fn sleep_async(time: Duration) {
    tokio::time::sleep(time).await;
}

/// The recipes that write.
struct Recipes<B> {
    tagged: Visitors<B>,
    book: Visitors<B>,
    set: ShardedSet<B>,
    hash: ShardedHash<B>,
}

const DAY: Date = date(2026, 11, 20);

impl<B: Keyspace + Clone> Recipes<B> {
    fn on(backend: &B) -> Self {
        let on = |form| Visitors::on(backend.clone()).form(form).default_yesterday(10_000);
        Self {
            tagged: on(VisitorsForm::Tagged),
            book: on(VisitorsForm::Forecast),
            set: ShardedSet::tagged(backend.clone(), "set", 10_000, 512),
            hash: ShardedHash::new(backend.clone(), "hash", 10_000, 512),
        }
    }
}

fn server(cluster: &Cluster) -> Server {
    Server::redis_cluster(ClusterClient::new(cluster.nodes()).unwrap())
}

#[test]
fn acknowledged_writes_exist_after_the_end_of_a_master() {
    kill_a_master(|cluster, stop| {
        let Recipes { tagged, book, set, hash } = &Recipes::on(&server(cluster));
        thread::scope(|scope| {
            let writers = [
                scope.spawn(|| write(stop, |id| tagged.count_id(id, Bucket::All).map(drop))),
                scope.spawn(|| write(stop, |id| book.count_id(id, DAY).map(drop))),
                scope.spawn(|| write(stop, |id| set.add(id).map(drop))),
                scope.spawn(|| write(stop, |id| hash.hset(id, id).map(drop))),
            ];
            writers.map(|writer| writer.join().unwrap())
        })
    });
}

#[test]
fn acknowledged_asynchronous_writes_exist_after_the_end_of_a_master() {
    kill_a_master(|cluster, stop| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = ClusterClient::new(cluster.nodes()).unwrap();
            let server = AsyncServer::redis_cluster(client).await.unwrap();
            let Recipes { tagged, book, set, hash } = &Recipes::on(&server);
            let written = tokio::join!(
                write_async(stop, async |id| tagged
                    .count_id_async(id, Bucket::All)
                    .await
                    .map(drop)),
                write_async(stop, async |id| book.count_id_async(id, DAY).await.map(drop)),
                write_async(stop, async |id| set.add_async(id).await.map(drop)),
                write_async(stop, async |id| hash.hset_async(id, id).await.map(drop)),
            );
            written.into()
        })
    });
}

/// Kills a master while `write_all` writes with each recipe, in the order of `Recipes`.
fn kill_a_master(write_all: impl FnOnce(&Cluster, &AtomicBool) -> [Written; 4] + Send) {
    let Some(cluster) = testkit::live::cluster_named("redis-7.0.15") else { return };
    let killed = cluster.masters().remove(0);
    // The slots of the master to kill are determined while it runs.
    let owners: BTreeMap<u16, bool> =
        (0..16_384).step_by(64).map(|slot| (slot, cluster.owner(slot) == killed)).collect();
    let is_of_killed = |key: &str| owners[&(key_slot(key) / 64 * 64)];
    let stop = AtomicBool::new(false);
    let (written, died) = thread::scope(|scope| {
        let writers = scope.spawn(|| write_all(&cluster, &stop));
        thread::sleep(Duration::from_secs(2));
        let died = Timestamp::now();
        cluster.kill(&killed);
        let recovered = cluster.wait_until_ok_within(Duration::from_secs(60));
        thread::sleep(Duration::from_secs(1));
        stop.store(true, Ordering::SeqCst);
        let written = writers.join().unwrap();
        recovered.unwrap();
        (written, died)
    });
    for (acknowledged, kinds) in &written {
        assert!(acknowledged.len() > 200, "{}", acknowledged.len());
        // An asynchronous client retries until the replica has taken over, so there may be only a delay.
        let is_met = kinds.contains("Io") || silence(acknowledged, died) > SHORT;
        assert!(is_met, "the death was not met: {kinds:?}");
        // Writers continue after the replica has taken over.
        assert!(acknowledged.last().unwrap().at > died + Duration::from_secs(1));
    }
    let [tagged_writes, book_writes, set_writes, hash_writes] = written.map(|(writes, _)| writes);

    let Recipes { tagged, book, set, hash } = Recipes::on(&server(&cluster));
    let surely = |write: &&Acknowledged| write.at + UNSURE < died || write.at > died;
    for write in set_writes.iter().filter(surely) {
        assert!(set.contains(write.id).unwrap(), "{}", write.id);
    }
    for write in hash_writes.iter().filter(surely) {
        assert_eq!(hash.hget_as::<i64>(write.id).unwrap(), write.id);
    }
    // A visit counts once, so an acknowledged one is not new.
    for (visitors, writes, bucket) in
        [(&tagged, &tagged_writes, Bucket::All), (&book, &book_writes, DAY.into())]
    {
        for write in writes.iter().filter(surely) {
            assert!(!visitors.count_id(write.id, bucket).unwrap(), "{}", write.id);
        }
    }
    check_shards(&cluster, is_of_killed);
}

/// The longest time without an acknowledged write after the end of the master.
fn silence(acknowledged: &[Acknowledged], died: Timestamp) -> Duration {
    let ends_after = |two: &&[Acknowledged]| two[1].at > died;
    let length = |two: &[Acknowledged]| two[1].at.duration_since(two[0].at).unsigned_abs();
    acknowledged.windows(2).filter(ends_after).map(length).max().unwrap_or_default()
}

/// Each shard of the tagged form and its counter are changed in one step, so they agree, no matter which writes were
/// lost.
fn check_shards(cluster: &Cluster, is_of_killed: impl Fn(&str) -> bool) {
    let (mut shards, mut of_killed) = (0, 0);
    for url in cluster.masters() {
        let mut node = cluster.connect(&url);
        let keys: Vec<String> = redis::cmd("KEYS").arg("unique:all:{*}").query(&mut node).unwrap();
        for key in keys {
            let members: i64 = redis::cmd("SCARD").arg(&key).query(&mut node).unwrap();
            let count: i64 =
                redis::cmd("GET").arg(format!("{key}:count")).query(&mut node).unwrap();
            assert_eq!(count, members, "{key}");
            shards += 1;
            of_killed += usize::from(is_of_killed(&key));
        }
    }
    assert!(shards > of_killed && of_killed > 3, "{of_killed} of {shards}");
}
