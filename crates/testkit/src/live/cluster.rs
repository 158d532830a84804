//! A cluster of six servers.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use redis::{Client, Connection};

use super::agreement::{Agreement, SLOTS, fail_if};
use super::node::{Node, State, url};
use super::{Options, SlotMove};

/// The number of masters, each with one replica.
const MASTERS: usize = 3;

/// The time limit for a cluster to start, or to recover.
const DEADLINE: Duration = Duration::from_secs(60);

/// The interval between two checks.
const PAUSE: Duration = Duration::from_millis(25);

/// A running cluster: three masters, each with a third of the slots and a replica, on 127.0.0.1.
///
/// A node is identified by its URL, `redis://127.0.0.1:PORT`. All methods take the cluster by reference, so threads can
/// share it. Dropping it ends the processes and removes their directories. A node considers another one failed after
/// 1.5 seconds; [`wait_until_ok`](Self::wait_until_ok) then returns about two seconds later, when the replica has taken
/// over.
///
/// # Examples
///
/// ```no_run
/// let Some(cluster) = testkit::live::cluster() else { return };
/// let master = cluster.masters().remove(0);
/// cluster.kill(&master);
/// cluster.wait_until_ok();
/// assert!(!cluster.masters().contains(&master));
/// cluster.restart(&master);
/// cluster.wait_until_ok();
/// assert!(!cluster.masters().contains(&master), "it is a replica now");
/// ```
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Mutex<Node>>,
}

impl Cluster {
    /// Starts six servers of `program`, each with `options`, and joins them to a cluster; settings of the cluster
    /// override the options. Returns when all of them agree that the cluster is complete and replicas have the data of
    /// their masters, which takes about four seconds.
    ///
    /// # Errors
    ///
    /// If a server does not start or refuses a command, or if the cluster is not complete after a minute; the error
    /// says why.
    pub fn start(program: &Path, options: &Options) -> io::Result<Self> {
        let nodes = (0..2 * MASTERS).map(|_| Node::start(program, options).map(Mutex::new));
        let cluster = Self { nodes: nodes.collect::<io::Result<_>>()? };
        cluster.join()?;
        cluster.wait_until_ok_within(DEADLINE).map_err(io::Error::other)?;
        Ok(cluster)
    }

    /// Returns the URLs of all nodes, including killed and paused ones, for `redis::cluster::ClusterClient::new`.
    #[must_use]
    pub fn nodes(&self) -> Vec<String> {
        self.all().map(|node| node.url()).collect()
    }

    /// Returns the URLs of the masters, in the order of their first slots, according to a running node. After a node
    /// was killed, paused or restarted this is out of date until [`wait_until_ok`](Self::wait_until_ok) has returned.
    ///
    /// # Panics
    ///
    /// If no node runs.
    #[must_use]
    pub fn masters(&self) -> Vec<String> {
        let view = expect_ok(self.any_running().view());
        view.owners().into_iter().map(|line| url(line.port)).collect()
    }

    /// Returns the URL of the master that has the slot, according to a running node.
    ///
    /// # Panics
    ///
    /// If no node runs, or none has the slot.
    #[must_use]
    pub fn owner(&self, slot: u16) -> String {
        let view = expect_ok(self.any_running().view());
        let owner = view.owner(slot).map(|line| url(line.port));
        owner.unwrap_or_else(|| panic!("no node has slot {slot}: {view:?}"))
    }

    /// Opens a TCP connection to one node, with database 0 and RESP2. It does not follow redirections.
    ///
    /// # Panics
    ///
    /// If the node does not accept it.
    #[must_use]
    pub fn connect(&self, url: &str) -> Connection {
        let connection = Client::open(url).and_then(|client| client.get_connection());
        connection.unwrap_or_else(|error| {
            panic!("cannot connect to {url}: {error}\n{}", self.node(url).server().log())
        })
    }

    /// Kills the node (SIGKILL). Its directory stays.
    ///
    /// # Panics
    ///
    /// If the cluster has no such node.
    pub fn kill(&self, url: &str) {
        self.node(url).kill();
    }

    /// Restarts the node with its directory. Its URL stays the same, unless another process has taken the port
    /// meanwhile: [`nodes`](Self::nodes) then has the new one at the same index. If another node has taken over, it
    /// becomes that node's replica.
    ///
    /// # Panics
    ///
    /// If the cluster has no such node, or it does not start.
    pub fn restart(&self, url: &str) {
        expect_ok(self.node(url).restart());
    }

    /// Stops the node (SIGSTOP): its connections stay open, and it does not reply.
    ///
    /// # Panics
    ///
    /// If the cluster has no such node, or it does not run.
    pub fn pause(&self, url: &str) {
        self.node(url).pause();
    }

    /// Resumes a paused node (SIGCONT).
    ///
    /// # Panics
    ///
    /// If the cluster has no such node, or it is not paused.
    pub fn resume(&self, url: &str) {
        self.node(url).resume();
    }

    /// Waits until the running nodes agree that the cluster is complete: each reports `cluster_state:ok`, every slot
    /// belongs to one of them, none of them is considered failed, and the link of each replica is up.
    ///
    /// # Panics
    ///
    /// If the cluster is not complete after a minute; the message says why.
    pub fn wait_until_ok(&self) {
        if let Err(missing) = self.wait_until_ok_within(DEADLINE) {
            panic!("{missing}");
        }
    }

    /// [`wait_until_ok`](Self::wait_until_ok) with a timeout; zero checks once.
    ///
    /// # Errors
    ///
    /// What is missing when the time is over.
    pub fn wait_until_ok_within(&self, time: Duration) -> Result<(), String> {
        wait(time, || self.missing())
    }

    /// Moves a slot with its keys to another master, and waits until every node knows it.
    ///
    /// # Panics
    ///
    /// If no node has the slot, a node refuses, or [`wait_until_ok`](Self::wait_until_ok) does.
    pub fn move_slot(&self, slot: u16, to: &str) {
        self.begin_slot_move(slot, to).finish();
    }

    /// Begins to move a slot to another master, without moving keys.
    ///
    /// # Panics
    ///
    /// If no node has the slot, or a node refuses.
    #[must_use = "a slot stays half moved until the move is finished"]
    pub fn begin_slot_move(&self, slot: u16, to: &str) -> SlotMove<'_> {
        SlotMove::begin(self, slot, to)
    }

    /// Returns the directories of the nodes, in the order of [`nodes`](Self::nodes).
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        self.all().map(|node| node.server().folder().to_owned()).collect()
    }

    /// The node with that URL.
    pub(super) fn node(&self, url: &str) -> MutexGuard<'_, Node> {
        self.all().find(|node| node.url() == url).unwrap_or_else(|| panic!("unknown node {url}"))
    }

    fn all(&self) -> impl Iterator<Item = MutexGuard<'_, Node>> {
        // After a panic of a test that had locked a node, the node is unchanged: a process and its directory.
        self.nodes.iter().map(|node| node.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn running(&self) -> impl Iterator<Item = MutexGuard<'_, Node>> {
        self.all().filter(|node| node.state == State::Running)
    }

    fn any_running(&self) -> MutexGuard<'_, Node> {
        self.running().next().unwrap_or_else(|| panic!("no node is running"))
    }

    /// Makes a cluster of nodes that do not know each other: the first half become masters.
    fn join(&self) -> io::Result<()> {
        let ids = self.all().map(|node| node.ask::<String>(&["CLUSTER", "MYID"]));
        let ids = ids.collect::<io::Result<Vec<_>>>()?;
        let ports: Vec<_> = self.all().map(|node| node.port().to_string()).collect();
        for (index, node) in self.all().enumerate() {
            // Masters with the same epoch would first have to agree on new ones.
            let epoch = (index + 1).to_string();
            node.ask::<String>(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch])?;
            if index < MASTERS {
                // Single slots, because 6.2 does not accept ranges.
                let slots = SLOTS * index / MASTERS..SLOTS * (index + 1) / MASTERS;
                let slots = slots.map(|slot| slot.to_string());
                let words = ["CLUSTER", "ADDSLOTS"].map(str::to_owned).into_iter().chain(slots);
                node.ask::<String>(&words.collect::<Vec<_>>())?;
            }
        }
        for port in &ports[1..] {
            self.any_running().ask::<String>(&["CLUSTER", "MEET", "127.0.0.1", port])?;
        }
        let all_known = || {
            self.all().try_for_each(|node| {
                let known = node.view()?;
                let known = known.lines.iter().filter(|line| line.fault().is_none()).count();
                fail_if(known < ids.len(), || format!("{} knows {known} nodes", node.url()))
            })
        };
        wait(DEADLINE, all_known).map_err(io::Error::other)?;
        for (node, master) in self.all().skip(MASTERS).zip(&ids) {
            node.ask::<String>(&["CLUSTER", "REPLICATE", master])?;
        }
        Ok(())
    }

    /// Returns the first thing that is missing in a cluster of the running nodes.
    fn missing(&self) -> io::Result<()> {
        let ports: Vec<_> = self.running().map(|node| node.port()).collect();
        fail_if(ports.is_empty(), || "no node is running".to_owned())?;
        let mut agreement = Agreement::new(ports);
        self.running().try_for_each(|node| agreement.ask(&node))
    }
}

/// Returns the reply of a node. A test cannot continue without it.
pub(super) fn expect_ok<T>(reply: Result<T, impl Display>) -> T {
    reply.unwrap_or_else(|error| panic!("{error}"))
}

/// Waits until nothing is missing; returns what is still missing after the time limit. An error of a node counts as
/// such.
#[expect(clippy::disallowed_methods, reason = "a cluster that does not recover must end the test")]
fn wait(time: Duration, mut missing: impl FnMut() -> io::Result<()>) -> Result<(), String> {
    let start = Instant::now();
    loop {
        let Err(error) = missing() else { return Ok(()) };
        if start.elapsed() >= time {
            return Err(format!("after {time:?}: {error}"));
        }
        sleep(PAUSE);
    }
}
