//! A master of a cluster dies while recipes write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use redis::cluster::ClusterClient;
use tallis::{
    Bucket, Error, ErrorKind, Server, ShardedHash, ShardedSet, Visitors, VisitorsForm, key_slot,
};
use testkit::live::Cluster;

/// What a master has answered shortly before it died may not have reached its replica.
const UNSURE: Duration = Duration::from_secs(1);

/// A write that was acknowledged.
struct Acknowledged {
    id: i64,
    at: Timestamp,
}

/// Writes ids one by one until told to stop; those that were acknowledged, and the kinds of the errors.
fn write(
    stop: &AtomicBool,
    mut one: impl FnMut(i64) -> Result<(), Error>,
) -> (Vec<Acknowledged>, BTreeSet<String>) {
    let mut acknowledged = Vec::new();
    let mut kinds = BTreeSet::new();
    for id in 0.. {
        match one(id) {
            Ok(()) => acknowledged.push(Acknowledged { id, at: Timestamp::now() }),
            Err(error) => {
                kinds.insert(format!("{:?}", error.kind()));
                let text = error.to_string();
                let is_clusters =
                    error.kind() == ErrorKind::Server && text.starts_with("CLUSTERDOWN");
                assert!(error.kind() == ErrorKind::Io || is_clusters, "{error:?}");
                thread::sleep(Duration::from_millis(20));
            }
        }
        if stop.load(Ordering::SeqCst) {
            break;
        }
        thread::sleep(Duration::from_micros(500));
    }
    (acknowledged, kinds)
}

fn server(cluster: &Cluster) -> Server {
    Server::redis_cluster(ClusterClient::new(cluster.nodes()).unwrap())
}

#[test]
fn what_was_acknowledged_is_there_when_a_master_has_died() {
    let Some(cluster) = testkit::live::cluster_named("redis-7.0.15") else { return };
    let backend = server(&cluster);
    let on = |form| Visitors::on(backend.clone()).form(form).default_yesterday(10_000);
    let tagged = on(VisitorsForm::Tagged);
    let book = on(VisitorsForm::Forecast);
    let set = ShardedSet::tagged(backend.clone(), "set", 10_000, 512);
    let hash = ShardedHash::new(backend.clone(), "hash", 10_000, 512);
    let day = jiff::civil::date(2026, 11, 20);
    let killed = cluster.masters().remove(0);
    // Keys of the master that will die are looked for by their slots, while it lives.
    let owners: BTreeMap<u16, bool> =
        (0..16_384).step_by(64).map(|slot| (slot, cluster.owner(slot) == killed)).collect();
    let is_of_killed = |key: &str| owners[&(key_slot(key) / 64 * 64)];
    let stop = AtomicBool::new(false);
    let (written, died) = thread::scope(|scope| {
        let writers = [
            scope.spawn(|| write(&stop, |id| tagged.count_id(id, Bucket::All).map(drop))),
            scope.spawn(|| write(&stop, |id| book.count_id(id, day).map(drop))),
            scope.spawn(|| write(&stop, |id| set.add(id).map(drop))),
            scope.spawn(|| write(&stop, |id| hash.hset(id, id).map(drop))),
        ];
        thread::sleep(Duration::from_secs(2));
        let died = Timestamp::now();
        cluster.kill(&killed);
        let recovered = cluster.wait_until_ok_within(Duration::from_secs(60));
        thread::sleep(Duration::from_secs(1));
        stop.store(true, Ordering::SeqCst);
        let written = writers.map(|writer| writer.join().unwrap());
        recovered.unwrap();
        (written, died)
    });
    let [tagged_writes, book_writes, set_writes, hash_writes] = written;
    for (acknowledged, kinds) in [&tagged_writes, &book_writes, &set_writes, &hash_writes] {
        assert!(acknowledged.len() > 500, "{}", acknowledged.len());
        assert!(kinds.contains("Io"), "the death was not met: {kinds:?}");
        // Writers go on when the replica has taken over.
        assert!(acknowledged.last().unwrap().at > died + Duration::from_secs(1));
    }

    let surely = |write: &&Acknowledged| write.at + UNSURE < died || write.at > died;
    for write in set_writes.0.iter().filter(surely) {
        assert!(set.contains(write.id).unwrap(), "{}", write.id);
    }
    for write in hash_writes.0.iter().filter(surely) {
        assert_eq!(hash.hget_as::<i64>(write.id).unwrap(), write.id);
    }
    // A visit counts once: one that was acknowledged is not new.
    for (visitors, writes, bucket) in
        [(&tagged, &tagged_writes.0, Bucket::All), (&book, &book_writes.0, day.into())]
    {
        for write in writes.iter().filter(surely) {
            assert!(!visitors.count_id(write.id, bucket).unwrap(), "{}", write.id);
        }
    }
    check_shards(&cluster, is_of_killed);
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
