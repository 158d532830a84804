//! SWAPDB between WATCH and EXEC: the keys that it touches.

use std::thread;
use std::time::Duration;

use redis::{Connection, Value};
use tallis::{Reply, Store};
use testkit::live::{Options, server_with};

use super::run;

/// The state of the watched key in a database before WATCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A key that has expired and was not accessed since.
    Expired,
    /// A key that expires between WATCH and SWAPDB.
    Expires,
    Kept,
}

const ALL: [Before; 4] = [Before::Nothing, Before::Expired, Before::Expires, Before::Kept];

const SHORT: Duration = Duration::from_millis(20);

/// The lifetime of keys that expire between WATCH and SWAPDB.
const LONG: Duration = Duration::from_millis(150);

/// A side of the comparison.
trait Side {
    fn command(&mut self, words: &[&str]);

    fn watch(&mut self);

    /// Whether EXEC ran.
    fn exec(&mut self) -> bool;
}

struct Ours {
    store: Store,
    session: tallis::Session,
}

impl Side for Ours {
    fn command(&mut self, words: &[&str]) {
        let db = u32::from(words[0] == "1");
        assert!(!matches!(self.store.db(db).execute(&words[1..]), Reply::Error(_)), "{words:?}");
    }

    fn watch(&mut self) {
        self.session.execute(&["WATCH", "k"]);
    }

    fn exec(&mut self) -> bool {
        self.session.execute(&["MULTI"]);
        self.session.execute(&["PING"]);
        self.session.execute(&["EXEC"]) != Reply::NullArray
    }
}

struct Theirs {
    connection: Connection,
    watcher: Connection,
}

impl Side for Theirs {
    fn command(&mut self, words: &[&str]) {
        run(&mut self.connection, &["SELECT", words[0]]);
        run(&mut self.connection, &words[1..]);
    }

    fn watch(&mut self) {
        run(&mut self.watcher, &["WATCH", "k"]);
    }

    fn exec(&mut self) -> bool {
        run(&mut self.watcher, &["MULTI"]);
        run(&mut self.watcher, &["PING"]);
        run(&mut self.watcher, &["EXEC"]) != Value::Nil
    }
}

fn exec_after_swap(side: &mut impl Side, before: [Before; 2]) -> bool {
    side.command(&["0", "FLUSHALL"]);
    for (db, before) in ["0", "1"].into_iter().zip(before) {
        match before {
            Before::Nothing | Before::Expires => {}
            Before::Expired => side.command(&[db, "SET", "k", "v", "PX", "1"]),
            Before::Kept => side.command(&[db, "SET", "k", "v"]),
        }
    }
    thread::sleep(SHORT);
    for (db, before) in ["0", "1"].into_iter().zip(before) {
        if before == Before::Expires {
            side.command(&[db, "SET", "k", "v", "PX", "150"]);
        }
    }
    side.watch();
    if before.contains(&Before::Expires) {
        thread::sleep(LONG + SHORT);
    }
    side.command(&["0", "SWAPDB", "0", "1"]);
    side.exec()
}

#[test]
fn an_exchange_of_databases_touches_the_keys_that_a_server_touches() {
    let options = Options::new().config("enable-debug-command", "yes");
    let Some(server) = server_with(&options) else { return };
    let mut theirs = Theirs { connection: server.connect(), watcher: server.connect() };
    // Otherwise it sometimes removes expired keys by itself.
    run(&mut theirs.connection, &["DEBUG", "SET-ACTIVE-EXPIRE", "0"]);
    let store = Store::new();
    let mut ours = Ours { session: store.session(), store };
    for first in ALL {
        for second in ALL {
            let before = [first, second];
            let should = exec_after_swap(&mut theirs, before);
            assert_eq!(exec_after_swap(&mut ours, before), should, "{before:?}");
        }
    }
}
