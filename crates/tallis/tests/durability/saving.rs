//! SAVE, BGSAVE, LASTSAVE, BGREWRITEAOF and INFO, and saves that are due.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tallis::{Clock, ManualClock, Persistence, Profile, Reply, Session, Store, StoreBuilder};
use testkit::differential::Reply as Answer;
use testkit::live::{Options, Protocol, Wire, server_with};

use super::memory_disk::{Fault, MemoryDisk};
use super::{info, wait_until};
use crate::answer::answer;

const DIR: &str = "/dir";

fn on(disk: &MemoryDisk) -> Persistence {
    Persistence::new().disk(Arc::new(disk.clone()))
}

fn builder(persistence: Persistence) -> StoreBuilder {
    Store::builder().profile(Profile::Redis70).persistence(persistence)
}

fn words(line: &str) -> Vec<Vec<u8>> {
    line.split(' ').map(|word| word.as_bytes().to_vec()).collect()
}

fn run(session: &mut Session, line: &str) -> Answer {
    answer(session.execute(&words(line)))
}

/// Runs commands on both, and returns the replies of both.
struct Both {
    store: Store,
    session: Session,
    wire: Wire,
}

impl Both {
    /// Returns the reply of both, which must be equal.
    fn run(&mut self, line: &str) -> Answer {
        let [ours, theirs] = self.each(line);
        assert_eq!(ours, theirs, "{line}");
        ours
    }

    fn each(&mut self, line: &str) -> [Answer; 2] {
        [run(&mut self.session, line), self.wire.run(&words(line)).unwrap()]
    }

    /// Returns INFO persistence of both.
    fn info(&mut self) -> [Vec<(String, String)>; 2] {
        self.each("INFO persistence").map(|reply| {
            let Answer::Bulk(text) = reply else { panic!("{reply:?}") };
            let text = String::from_utf8(text).unwrap();
            let lines = text.lines().filter_map(|line| line.split_once(':'));
            lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        })
    }

    /// Returns a field of INFO persistence, which must be equal for both.
    fn field(&mut self, name: &str) -> String {
        let [ours, theirs] = self.info().map(|fields| {
            fields.into_iter().find(|(other, _)| other == name).map(|(_, value)| value).unwrap()
        });
        assert_eq!(ours, theirs, "{name}");
        ours
    }

    /// Waits until neither of them is saving or rewriting.
    fn wait(&mut self) {
        let names = ["rdb_bgsave_in_progress", "aof_rewrite_in_progress", "aof_rewrite_scheduled"];
        loop {
            let idle = self.info().into_iter().flatten();
            let mut busy = idle.filter(|(name, value)| names.contains(&&**name) && value != "0");
            if busy.next().is_none() {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A server and a store with the same settings, which both keep a log.
fn both(disk: &MemoryDisk) -> Option<(Both, testkit::live::Server)> {
    let server = server_with(&Options::new().config("appendonly", "yes"))?;
    let store = builder(on(disk)).open(DIR).unwrap();
    let wire = Wire::open(&server, Protocol::Resp2).unwrap();
    Some((Both { session: store.session(), store, wire }, server))
}

#[test]
fn commands_reply_as_those_of_a_server() {
    let disk = MemoryDisk::default();
    let Some((mut both, _server)) = both(&disk) else { return };
    for line in [
        "SET k v",
        "SAVE",
        "SAVE x",
        "LASTSAVE x",
        "BGSAVE x",
        "BGSAVE SCHEDULE x",
        "BGREWRITEAOF x",
    ] {
        both.run(line);
    }
    for line in ["BGSAVE", "BGSAVE SCHEDULE", "bgsave schedule", "BGREWRITEAOF", "SAVE", "BGSAVE"] {
        both.run(line);
        both.wait();
    }
    let [ours, theirs] = both.each("LASTSAVE").map(|reply| {
        let Answer::Int(time) = reply else { panic!("{reply:?}") };
        time
    });
    assert!((theirs - ours).abs() < 30, "{ours} {theirs}");

    for line in ["MULTI", "SET k w", "BGSAVE", "BGREWRITEAOF", "EXEC"] {
        both.run(line);
    }
    both.wait();
    for line in ["MULTI", "SET k x", "SAVE", "EXEC", "GET k", "MULTI", "LASTSAVE x", "EXEC"] {
        both.run(line);
    }
    for name in ["rdb_saves", "aof_rewrites", "rdb_last_bgsave_status", "aof_last_bgrewrite_status"]
    {
        both.field(name);
    }
    both.run("COMMAND INFO SAVE BGSAVE LASTSAVE BGREWRITEAOF");
}

#[test]
fn the_fields_of_info_are_those_of_a_server() {
    let disk = MemoryDisk::default();
    let Some((mut both, _server)) = both(&disk) else { return };
    both.run("SET k v");
    both.run("SAVE");
    both.run("SET l w");
    let [ours, theirs] = both.info();
    let names = |fields: &[(String, String)]| -> Vec<String> {
        fields.iter().map(|(name, _)| name.clone()).collect()
    };
    // Fields about forked processes, about keys that expire while a file is loaded, and about a sync on another thread.
    let left_out = [
        "current_cow_peak",
        "current_cow_size",
        "current_cow_size_age",
        "current_fork_perc",
        "rdb_last_cow_size",
        "rdb_last_load_keys_expired",
        "aof_last_cow_size",
        "module_fork_in_progress",
        "module_fork_last_cow_size",
        "aof_pending_rewrite",
        "aof_pending_bio_fsync",
        "aof_delayed_fsync",
    ];
    let theirs_here: Vec<String> =
        names(&theirs).into_iter().filter(|name| !left_out.contains(&&**name)).collect();
    assert_eq!(names(&ours), theirs_here);
    // The times, also that of a SAVE; the sizes of bases, which contain the name of the program that wrote them; and
    // the size of the buffer, which is not empty while a server syncs, and here for some milliseconds.
    let differ: BTreeSet<&str> = [
        "rdb_last_save_time",
        "rdb_last_bgsave_time_sec",
        "aof_current_size",
        "aof_base_size",
        "aof_buffer_length",
    ]
    .into();
    for (ours, theirs) in ours.iter().filter(|(name, _)| !differ.contains(&**name)).zip(
        theirs.iter().filter(|(name, _)| !differ.contains(&**name) && !left_out.contains(&&**name)),
    ) {
        assert_eq!(ours, theirs);
    }
}

#[test]
fn a_running_save_is_reported_as_on_a_server() {
    let disk = MemoryDisk::default();
    let Some((mut both, _server)) = both(&disk) else { return };
    // A save that takes longer than the test; it ends with the server.
    both.run("SET k v");
    both.wire.run(&words("CONFIG SET rdb-key-save-delay 100000000")).unwrap();
    let held = disk.hold();
    for line in
        ["BGSAVE", "BGSAVE", "BGSAVE SCHEDULE", "SAVE", "BGREWRITEAOF", "BGREWRITEAOF", "BGSAVE"]
    {
        both.run(line);
    }
    assert_eq!(both.field("rdb_bgsave_in_progress"), "1");
    assert_eq!(both.field("aof_rewrite_scheduled"), "1");
    assert_eq!(both.field("aof_rewrite_in_progress"), "0");
    drop(held);
    let Both { store, mut session, .. } = both;
    wait_until(|| info(&store, "aof_rewrites") == "1");
    assert_eq!(info(&store, "rdb_saves"), "1");
    assert!(disk.names().contains(&"/dir/dump.rdb".to_owned()));
    assert_eq!(run(&mut session, "GET k"), Answer::Bulk(b"v".to_vec()));
}

#[test]
fn a_running_rewrite_is_reported_as_on_a_server() {
    let disk = MemoryDisk::default();
    let Some((mut both, _server)) = both(&disk) else { return };
    both.run("SET k v");
    both.wire.run(&words("CONFIG SET rdb-key-save-delay 100000000")).unwrap();
    let held = disk.hold();
    for line in
        ["BGREWRITEAOF", "BGREWRITEAOF", "BGSAVE", "BGSAVE SCHEDULE", "BGSAVE SCHEDULE", "BGSAVE"]
    {
        both.run(line);
    }
    assert_eq!(both.field("rdb_bgsave_in_progress"), "0");
    assert_eq!(both.field("aof_rewrite_in_progress"), "1");
    drop(held);
    wait_until(|| info(&both.store, "rdb_saves") == "1");
    assert_eq!(info(&both.store, "aof_rewrites"), "1");
}

#[test]
fn a_store_in_memory_cannot_be_saved() {
    let store = Store::new();
    for command in ["SAVE", "BGSAVE", "BGREWRITEAOF"] {
        let reply = store.execute(&[command]);
        let Reply::Error(error) = reply else { panic!("{reply:?}") };
        assert!(error.to_string().contains("in memory only"), "{error}");
    }
    assert_eq!(store.execute(&["LASTSAVE"]), Reply::Int(0));
}

#[test]
fn a_save_is_due_by_time_and_changes() {
    let disk = MemoryDisk::default();
    let clock = Arc::new(ManualClock::new(1_000_000_000));
    let points =
        on(&disk).save_after(Duration::from_secs(3600), 1).save_after(Duration::from_secs(300), 10);
    let open = |persistence| builder(persistence).clock(clock.clone()).open(DIR).unwrap();
    let store = open(points.clone());
    let last = || info(&store, "rdb_last_save_time");
    let stays = |saves: &str| {
        thread::sleep(Duration::from_millis(300));
        assert_eq!(info(&store, "rdb_saves"), saves);
    };
    assert_eq!(last(), "1000000");
    clock.advance(7_200_000);
    // Nothing has changed.
    stays("0");
    store.incr("n", 1).unwrap();
    wait_until(|| info(&store, "rdb_saves") == "1");
    assert_eq!(last(), "1007200");
    assert_eq!(info(&store, "rdb_changes_since_last_save"), "0");

    for _ in 0..9 {
        store.incr("n", 1).unwrap();
    }
    clock.advance(301_000);
    stays("1");
    store.incr("n", 1).unwrap();
    wait_until(|| info(&store, "rdb_saves") == "2");

    // A failed save is retried after some seconds.
    disk.set_fault(Some(Fault::From(1)));
    let go_on = store.execute(&["CONFIG", "SET", "save", "1 1"]);
    assert_eq!(go_on, Reply::OK);
    store.incr("n", 1).unwrap();
    clock.advance(2000);
    wait_until(|| info(&store, "rdb_last_bgsave_status") == "err");
    disk.set_fault(None);
    stays("2");
    clock.advance(6000);
    wait_until(|| info(&store, "rdb_saves") == "3");
    assert_eq!(info(&store, "rdb_last_bgsave_status"), "ok");
    assert_eq!(clock.now_ms() / 1000, last().parse::<i64>().unwrap());
}

#[test]
fn a_store_without_a_log_has_the_data_of_its_last_snapshot() {
    let disk = MemoryDisk::default();
    let open = || builder(on(&disk).appendonly(false)).open(DIR);
    let store = open().unwrap();
    store.set("k", "1").unwrap();
    assert_eq!(info(&store, "aof_enabled"), "0");
    assert_eq!(store.execute(&["SAVE"]), Reply::OK);
    store.set("k", "2").unwrap();
    let at_the_save = disk.copy();
    let reply = store.execute(&["BGREWRITEAOF"]);
    assert!(reply.is_error(), "{reply:?}");
    store.rewrite_log().unwrap();
    store.sync_log().unwrap();
    drop(store);
    assert_eq!(open().unwrap().get("k").unwrap().as_deref(), Some(&b"2"[..]));
    assert_eq!(disk.names().len(), 1, "{:?}", disk.names());
    let store = builder(on(&at_the_save).appendonly(false)).open(DIR).unwrap();
    assert_eq!(store.get("k").unwrap().as_deref(), Some(&b"1"[..]));
    drop(store);

    // A log may have data that a snapshot does not have.
    let store = builder(on(&disk)).open(DIR).unwrap();
    assert_eq!(store.get("k").unwrap().as_deref(), Some(&b"2"[..]));
    drop(store);
    let error = open().unwrap_err().to_string();
    assert!(error.contains("the log is disabled"), "{error}");
}

#[test]
fn the_end_of_a_store_ends_its_save() {
    let disk = MemoryDisk::default();
    let store = builder(on(&disk)).open(DIR).unwrap();
    for number in 0..20_000 {
        store.set(format!("key:{number}"), "v").unwrap();
    }
    store.sync_log().unwrap();
    let held = disk.hold();
    store.execute(&["BGSAVE"]);
    let ending = thread::spawn(move || drop(store));
    thread::sleep(Duration::from_millis(100));
    drop(held);
    ending.join().unwrap();
    assert!(!disk.names().contains(&"/dir/dump.rdb".to_owned()), "{:?}", disk.names());
    assert_eq!(builder(on(&disk)).open(DIR).unwrap().dbsize().unwrap(), 20_000);
}
