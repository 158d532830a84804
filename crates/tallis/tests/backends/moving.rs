//! Steps that empty a key and write it again while its slot is moving: the node that has the slot does not run scripts
//! on a missing key.

use std::thread::sleep;
use std::time::Duration;

use tallis::jiff::civil::date;
use tallis::{Cohort, Cohorts, Period, Server, SlidingWindow, key_slot};
use testkit::live::Cluster;

use super::clusters::client;

pub(crate) fn check_cluster(cluster: &Cluster) {
    let server = Server::redis_cluster(client(cluster));
    let cohorts = Cohorts::new(&server).prefix("moving");
    let day = Period::day(date(2026, 1, 2));
    for user in [7, 9, 4000] {
        cohorts.mark_unique("signed up", user).unwrap();
    }
    let one_slot = ["{moving}:kept", "hist:{moving}:reply"].map(key_slot);
    assert_eq!(one_slot, [key_slot("moving"); 2]);
    let keep = || cohorts.query(Cohort::unique("signed up")).store("{moving}:kept");
    assert_eq!(keep(), Ok(501));
    cohorts.mark("none", 1, date(2026, 1, 1)).unwrap();
    let limits = SlidingWindow::new(&server);
    let period = Duration::from_millis(50);
    let reply = || limits.take("{moving}", "reply", period, 3).map(|one| one.remaining);
    assert_eq!(reply(), Ok(2));
    assert_eq!(reply(), Ok(1));

    let slot = one_slot[0];
    let owner = cluster.owner(slot);
    let to = cluster.masters().into_iter().find(|url| *url != owner).unwrap();
    let moving = cluster.begin_slot_move(slot, &to);
    sleep(2 * period);
    assert_eq!(keep(), Ok(501));
    // All actions have expired, so the history is created again, on the node to which the slot is moving.
    assert_eq!(reply(), Ok(2));
    let empty = cohorts.query(Cohort::of("none", day));
    assert_eq!(empty.store("{moving}:kept"), Ok(0));
    moving.finish();
    assert_eq!(keep(), Ok(501));
    let mut node = cluster.connect(&to);
    let dump: Vec<String> = redis::cmd("KEYS").arg("*{moving}*").query(&mut node).unwrap();
    assert_eq!(dump.len(), 2, "{dump:?}");
}
