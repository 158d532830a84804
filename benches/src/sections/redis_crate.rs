//! A connection of the `redis` crate to a store, compared with the store and with a connection to a server.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use redis::{ConnectionLike, cmd, pipe};
use tallis::Store;
use testkit::live::{Options, Server, locate};

use super::{held, pieces};
use crate::report::{Bench, Row, Section, Unit};

const KEYS: usize = 1000;
/// The number of commands in a pipeline.
const PIPELINED: usize = 100;
const EMBEDDED: &str = "by an embedded connection";
const WORDS: &str = "`store.execute`";
const SOCKET: &str = "redis-server by a unix socket";

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "The same program on the `redis` crate's connection to a store and to a *redis-server* over a unix \
                socket, and the same command by words, without a connection. In addition, a connection encodes the \
                command, and converts the reply to a `Value` and then to a `Vec<u8>`. 1,000 keys in turn, all of which \
                exist, with values of ten bytes.";
    let server = locate().map(|program| Server::start(&program, &Options::new()).unwrap());
    let server = server.as_ref();
    Section::new("The redis crate", text)
        .row(
            row(bench, server, "GET, one by one", one_by_one, by_words)
                .factor(WORDS, 2.5)
                .factor(SOCKET, 0.05),
        )
        .row(row(bench, server, "GET, 100 in a pipeline", pipelined, by_words))
}

type OnConnection = fn(&mut dyn ConnectionLike, &[String]) -> usize;
type OnStore = fn(&Store, &[String]) -> usize;

fn row(
    bench: &Bench,
    server: Option<&Server>,
    name: &str,
    on_connection: OnConnection,
    on_store: OnStore,
) -> Row {
    let store = Store::new();
    let keys: Vec<String> = (0..KEYS).map(|n| format!("key:{n}")).collect();
    for key in &keys {
        store.set(key, "ten bytes.").unwrap();
    }
    let mut embedded = store.redis_connection();
    let mut connection = server.map(Server::connect);
    let mut race = bench
        .race()
        .contender(EMBEDDED, pieces(KEYS), || on_connection(&mut embedded, &keys))
        .contender(WORDS, pieces(KEYS), || on_store(&store, &keys));
    if let Some(connection) = &mut connection {
        for key in &keys {
            cmd("SET").arg(key).arg("ten bytes.").exec(connection).unwrap();
        }
        race = race.contender(SOCKET, pieces(KEYS), || on_connection(connection, &keys));
    }
    let results = race.run();
    Row::new(name, Unit::Nanos, held(&store), results)
}

fn one_by_one(connection: &mut dyn ConnectionLike, keys: &[String]) -> usize {
    let get = |key| cmd("GET").arg(key).query::<Vec<u8>>(connection).unwrap().len();
    keys.iter().map(get).sum()
}

fn pipelined(connection: &mut dyn ConnectionLike, keys: &[String]) -> usize {
    let mut bytes = 0;
    for keys in keys.chunks(PIPELINED) {
        let mut pipeline = pipe();
        for key in keys {
            pipeline.cmd("GET").arg(key);
        }
        let values: Vec<Vec<u8>> = pipeline.query(connection).unwrap();
        bytes += values.iter().map(Vec::len).sum::<usize>();
    }
    bytes
}

fn by_words(store: &Store, keys: &[String]) -> usize {
    keys.iter().map(|key| store.execute(&["GET", key]).as_bytes().unwrap().len()).sum()
}
