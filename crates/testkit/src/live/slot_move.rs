//! A slot that is being moved from one master to another.

use super::Cluster;
use super::cluster::expect_ok;

/// The time limit for `MIGRATE`, in milliseconds.
const TIMEOUT: &str = "5000";

/// How many keys to move at a time.
const BATCH: &str = "100";

/// A slot that is being moved.
///
/// Until [`finish`](Self::finish) the old master serves the keys that it still has, and redirects clients with `ASK`
/// for all others; the new one serves clients that send `ASKING`. The reply to a command on several keys of which only
/// some have moved is `TRYAGAIN`. Dropping this leaves the slot in that state.
///
/// # Examples
///
/// ```no_run
/// # let Some(cluster) = testkit::live::cluster() else { return };
/// let to = cluster.masters().pop().unwrap();
/// let moving = cluster.begin_slot_move(42, &to);
/// // Here the old master says ASK for keys that it does not have.
/// moving.finish();
/// assert_eq!(cluster.owner(42), to);
/// ```
#[derive(Debug)]
#[must_use = "a slot stays half moved until the move is finished"]
pub struct SlotMove<'a> {
    cluster: &'a Cluster,
    slot: String,
    from: String,
    to: String,
}

impl<'a> SlotMove<'a> {
    pub(super) fn begin(cluster: &'a Cluster, slot: u16, to: &str) -> Self {
        let from = cluster.owner(slot);
        let slot = slot.to_string();
        let set = |url: &str, state, other: &str| {
            let other = id(cluster, other);
            let words = ["CLUSTER", "SETSLOT", &slot, state, &other];
            expect_ok(cluster.node(url).ask::<String>(&words));
        };
        // The new master first: it must expect the keys when the old one begins to redirect clients.
        set(to, "IMPORTING", &from);
        set(&from, "MIGRATING", to);
        Self { cluster, slot, from, to: to.to_owned() }
    }

    /// The URL of the master that the slot is moved from.
    #[must_use]
    pub fn from(&self) -> &str {
        &self.from
    }

    /// The URL of the master that the slot is moved to.
    #[must_use]
    pub fn to(&self) -> &str {
        &self.to
    }

    /// Moves one key.
    ///
    /// # Panics
    ///
    /// If a master refuses.
    pub fn move_key(&self, key: &[u8]) {
        self.migrate(&[key.to_vec()]);
    }

    /// Moves the remaining keys and assigns the slot on all masters. Returns when every node knows it.
    ///
    /// # Panics
    ///
    /// If a master refuses, or [`Cluster::wait_until_ok`] does.
    pub fn finish(self) {
        loop {
            let words = ["CLUSTER", "GETKEYSINSLOT", &self.slot, BATCH];
            let keys: Vec<Vec<u8>> = expect_ok(self.cluster.node(&self.from).ask(&words));
            if keys.is_empty() {
                break;
            }
            self.migrate(&keys);
        }
        // The new master first: if the old one released the slot before, no node would have it for a moment.
        let others = self.cluster.masters();
        let others = others.iter().filter(|url| **url != self.to);
        let owner = id(self.cluster, &self.to);
        let words = ["CLUSTER", "SETSLOT", &self.slot, "NODE", &owner];
        for url in std::iter::once(&self.to).chain(others) {
            expect_ok(self.cluster.node(url).ask::<String>(&words));
        }
        self.cluster.wait_until_ok();
    }

    fn migrate(&self, keys: &[Vec<u8>]) {
        let port = self.cluster.node(&self.to).port().to_string();
        let words = ["MIGRATE", "127.0.0.1", &port, "", "0", TIMEOUT, "KEYS"];
        let words = words.into_iter().map(str::as_bytes).chain(keys.iter().map(Vec::as_slice));
        let words: Vec<_> = words.collect();
        expect_ok(self.cluster.node(&self.from).ask::<String>(&words));
    }
}

fn id(cluster: &Cluster, url: &str) -> String {
    expect_ok(cluster.node(url).ask::<String>(&["CLUSTER", "MYID"]))
}
