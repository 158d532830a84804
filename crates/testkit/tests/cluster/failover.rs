//! A master is killed during streams of writes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle, sleep};
use std::time::Duration;

use redis::cluster::{ClusterClient, ClusterConnection};
use redis::cluster_routing::{Route, RoutingInfo, SingleNodeRoutingInfo, SlotAddr};
use redis::{AsyncCommands, Commands, RedisResult};
use testkit::live::Cluster;

use crate::{client, kind, runtime, slot_of};

/// The phases: before the master is killed, until its replica has taken over, and after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Before,
    Failing,
    After,
}

const PHASES: [Phase; 3] = [Phase::Before, Phase::Failing, Phase::After];

/// The first slot that does not belong to the first master.
const FIRST_OF_SECOND: u16 = 5461;

/// The minimum number of writes of each writer before the master is killed, and after the failover.
const WRITES: usize = 300;

/// The interval, in writes, at which a writer waits for the replica.
const SAMPLE: usize = 5;

/// A write of a key to itself, and its result.
#[derive(Debug)]
struct Write {
    key: String,
    /// The phase in which it began; a write that began before the master was killed and ended later belongs to the
    /// failing phase.
    phase: Phase,
    kind: String,
    replicated: bool,
    /// Whether its slot belonged to the killed master.
    of_killed: bool,
}

/// The progress of the streams of writes.
#[derive(Debug, Default)]
struct Progress {
    phase: AtomicUsize,
    /// The number of writers that have finished the writes of the first phase.
    ready: AtomicUsize,
}

impl Progress {
    fn phase(&self) -> Phase {
        PHASES[self.phase.load(Ordering::SeqCst)]
    }

    fn enter(&self, phase: Phase) {
        self.phase.store(phase as usize, Ordering::SeqCst);
    }

    /// Writes keys of a name through all phases. `write` returns whether a replica is known to have the key.
    fn stream(
        &self,
        name: &str,
        mut write: impl FnMut(&str, bool) -> RedisResult<bool>,
    ) -> Vec<Write> {
        let mut writes = Vec::new();
        let mut last = 0;
        while last < WRITES {
            let key = format!("{name}-{}", writes.len());
            let began = self.phase();
            let reply = write(&key, writes.len() % SAMPLE == 0);
            let overlaps = began == Phase::Before && self.phase() != Phase::Before;
            let phase = if overlaps { Phase::Failing } else { began };
            let kind = kind::of(&reply);
            let replicated = reply.unwrap_or_default();
            writes.push(Write { key, phase, kind, replicated, of_killed: false });
            last += usize::from(phase == Phase::After);
            if writes.len() == WRITES {
                self.ready.fetch_add(1, Ordering::SeqCst);
            }
            // Five writers and six servers share the available processors.
            sleep(Duration::from_millis(1));
        }
        writes
    }

    /// Writes on this connection; after an error, opens another one if there is a client for it.
    fn sync_stream(
        &self,
        name: &str,
        connection: &mut ClusterConnection,
        reopen: Option<&ClusterClient>,
    ) -> Vec<Write> {
        self.stream(name, |key, wait| {
            let reply = write_and_wait(connection, key, wait);
            if let (Err(error), Some(client)) = (&reply, reopen)
                && error.is_io_error()
                && let Ok(new) = client.get_connection()
            {
                *connection = new;
            }
            reply
        })
    }

    fn async_stream(&self, name: &str, client: &ClusterClient) -> Vec<Write> {
        let runtime = runtime();
        let mut connection = runtime.block_on(client.get_async_connection()).unwrap();
        self.stream(name, |key, _| {
            runtime.block_on(connection.set::<_, _, ()>(key, key)).map(|()| false)
        })
    }
}

/// Writes a key. If `wait` is set, returns whether a replica has it.
fn write_and_wait(connection: &mut ClusterConnection, key: &str, wait: bool) -> RedisResult<bool> {
    connection.set::<_, _, ()>(key, key)?;
    if !wait {
        return Ok(false);
    }
    // WAIT applies to the writes of its own connection, of which there is one per node. If that connection has broken,
    // the node is dead, and WAIT fails.
    let master = SingleNodeRoutingInfo::SpecificNode(Route::with_key(key, SlotAddr::Master));
    let wait = redis::cmd("WAIT").arg(1).arg(50).to_owned();
    let reply = connection.route_command(&wait, RoutingInfo::SingleNode(master));
    let replicas = reply.and_then(|value| Ok(redis::from_redis_value::<i64>(value)?));
    // The write itself was acknowledged.
    Ok(replicas.is_ok_and(|replicas| replicas > 0))
}

pub(crate) fn check(cluster: &Cluster) {
    let killed = cluster.masters().remove(0);
    assert_eq!(cluster.owner(FIRST_OF_SECOND - 1), killed);
    assert_ne!(cluster.owner(FIRST_OF_SECOND), killed);
    let plain = client(cluster).retries(0).build().unwrap();
    let trying = client(cluster).build().unwrap();
    let mut first = plain.get_connection().unwrap();
    let [mut second, mut third] = [(); 2].map(|()| trying.get_connection().unwrap());
    let progress = Progress::default();
    let mut writes = thread::scope(|scope| {
        let writers = [
            scope.spawn(|| progress.sync_stream("plain", &mut first, None)),
            scope.spawn(|| progress.sync_stream("trying", &mut second, None)),
            scope.spawn(|| progress.sync_stream("reopening", &mut third, Some(&trying))),
            scope.spawn(|| progress.async_stream("async-plain", &plain)),
            scope.spawn(|| progress.async_stream("async-trying", &trying)),
        ];
        while progress.ready.load(Ordering::SeqCst) < writers.len() {
            assert!(!writers.iter().any(ScopedJoinHandle::is_finished), "a writer panicked");
            sleep(Duration::from_millis(1));
        }
        progress.enter(Phase::Failing);
        cluster.kill(&killed);
        let missing = cluster.wait_until_ok_within(Duration::ZERO);
        let recovered = cluster.wait_until_ok_within(Duration::from_secs(60));
        // The writers must end even if the cluster does not recover.
        progress.enter(Phase::After);
        let writes = writers.map(|writer| writer.join().unwrap());
        recovered.unwrap();
        // Nodes need more than a second to detect the failure, so the killed master still had slots.
        let missing = missing.unwrap_err();
        assert!(
            missing.contains(&format!("reports that {killed} has slots, but it is not running")),
            "{missing}"
        );
        writes
    });
    let mut node = cluster.connect(&cluster.masters()[0]);
    for write in writes.iter_mut().flatten() {
        write.of_killed = slot_of(&mut node, &write.key) < FIRST_OF_SECOND;
    }
    check_kinds(&writes);

    // After its restart as a replica, the node reports the current master.
    cluster.restart(&killed);
    cluster.wait_until_ok();
    assert!(!cluster.masters().contains(&killed));
    for number in 0..WRITES {
        assert_eq!(second.set(format!("again-{number}"), ""), Ok(()));
    }
    check_writes(cluster, &writes);
}

/// Checks the results of the writers.
fn check_kinds([plain, trying, reopening, async_plain, async_trying]: &[Vec<Write>; 5]) {
    use Phase::{After, Before, Failing};

    for writes in [plain, trying, reopening, async_plain, async_trying] {
        assert!(errors(writes, Before, true).is_empty());
        assert!(errors(writes, Before, false).is_empty());
        assert!(errors(writes, After, false).is_empty());
    }
    assert!(errors(async_trying, Failing, true).is_empty());

    // Slots of the dead master, until the replica has taken over.
    assert_eq!(errors(plain, Failing, true), BTreeSet::from(["broken"]));
    assert_eq!(errors(trying, Failing, true), BTreeSet::from(["refused"]));
    assert_eq!(errors(reopening, Failing, true), BTreeSet::from(["refused"]));
    // In this phase, the asynchronous connection tries another node.
    let came = errors(async_plain, Failing, true);
    assert!(
        came.is_subset(&BTreeSet::from(["broken", "refused", "MOVED", "CLUSTERDOWN"])),
        "{came:?}"
    );

    // Slots of the other masters, which reply as long as they consider the cluster complete. Clients that retry wait
    // until it is complete again.
    assert_eq!(errors(plain, Failing, false), BTreeSet::from(["CLUSTERDOWN"]));
    assert_eq!(errors(async_plain, Failing, false), BTreeSet::from(["CLUSTERDOWN"]));
    for writes in [trying, reopening, async_trying] {
        assert!(errors(writes, Failing, false).is_empty());
    }

    // After the failover. A synchronous connection does not refresh its slots and must be opened again. An asynchronous
    // one refreshes them.
    let last = |writes: &[Write]| {
        let writes = writes.iter().filter(|write| write.phase == After && write.of_killed);
        writes.map(|write| write.kind.clone()).collect::<Vec<_>>()
    };
    assert!(last(plain).iter().all(|kind| kind == "broken"));
    assert!(last(trying).iter().all(|kind| kind == "refused"));
    assert!(last(reopening)[1..].iter().all(|kind| kind == "ok"));
    let came = errors(async_plain, After, true);
    assert!(came.is_subset(&BTreeSet::from(["MOVED"])), "{came:?}");
    assert!(last(async_plain)[WRITES / 10..].iter().all(|kind| kind == "ok"));
    assert!(errors(async_trying, After, true).is_empty());
}

/// The kinds of errors.
fn errors(writes: &[Write], phase: Phase, of_killed: bool) -> BTreeSet<&str> {
    let writes = writes.iter().filter(|write| (write.phase, write.of_killed) == (phase, of_killed));
    writes.map(|write| write.kind.as_str()).filter(|kind| *kind != "ok").collect()
}

/// Replicated writes are not lost. Acknowledged writes that were not replicated may be lost: a master replies before
/// its replica has the write, so the last writes to the killed master may be missing. No others may be lost.
fn check_writes(cluster: &Cluster, writes: &[Vec<Write>]) {
    let mut connection = client(cluster).build().unwrap().get_connection().unwrap();
    let acknowledged = || writes.iter().flatten().filter(|write| write.kind == "ok");
    for write in acknowledged() {
        let value: Option<String> = connection.get(&write.key).unwrap();
        if write.replicated || !write.of_killed {
            assert_eq!(value.as_ref(), Some(&write.key), "{write:?} is lost");
        }
    }
    // Enough writes for the check to be meaningful.
    assert!(acknowledged().filter(|write| write.replicated && write.of_killed).count() > 20);
}
