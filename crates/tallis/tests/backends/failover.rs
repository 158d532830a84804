//! A master of a cluster dies while recipes write.

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

/// What a master has answered shortly before it died may not have reached its replica.
const UNSURE: Duration = Duration::from_secs(1);

/// No write takes so long while all masters live.
const SHORT: Duration = Duration::from_millis(500);

/// A write that was acknowledged.
struct Acknowledged {
    id: i64,
    at: Timestamp,
}

/// What was acknowledged, and the kinds of the errors.
type Written = (Vec<Acknowledged>, BTreeSet<String>);

/// Writes ids one by one until told to stop.
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
fn what_was_acknowledged_is_there_when_a_master_has_died() {
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
fn what_was_acknowledged_to_futures_is_there_when_a_master_has_died() {
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

/// Kills a master while `write_all` writes by each recipe, in the order in which `Recipes` has them.
fn kill_a_master(write_all: impl FnOnce(&Cluster, &AtomicBool) -> [Written; 4] + Send) {
    let Some(cluster) = testkit::live::cluster_named("redis-7.0.15") else { return };
    let killed = cluster.masters().remove(0);
    // Keys of the master that will die are looked for by their slots, while it lives.
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
        // An asynchronous client tries again until the replica has taken over: then nothing but time is lost.
        let is_met = kinds.contains("Io") || silence(acknowledged, died) > SHORT;
        assert!(is_met, "the death was not met: {kinds:?}");
        // Writers go on when the replica has taken over.
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
    // A visit counts once: one that was acknowledged is not new.
    for (visitors, writes, bucket) in
        [(&tagged, &tagged_writes, Bucket::All), (&book, &book_writes, DAY.into())]
    {
        for write in writes.iter().filter(surely) {
            assert!(!visitors.count_id(write.id, bucket).unwrap(), "{}", write.id);
        }
    }
    check_shards(&cluster, is_of_killed);
}

/// For how long nothing was acknowledged when the master had died.
fn silence(acknowledged: &[Acknowledged], died: Timestamp) -> Duration {
    let ends_after = |two: &&[Acknowledged]| two[1].at > died;
    let length = |two: &[Acknowledged]| two[1].at.duration_since(two[0].at).unsigned_abs();
    acknowledged.windows(2).filter(ends_after).map(length).max().unwrap_or_default()
}

/// Each shard of the tagged form and its counter were one step, before and after: they agree, whatever was lost.
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
