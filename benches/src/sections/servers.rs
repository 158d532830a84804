//! Visits that are counted on a server, compared with Redis's own benchmark program.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redis::{ConnectionLike, RedisResult, Value};
use resp::Requests;
use tallis::{AsyncServer, Bucket, Server as Backend, Visitors, VisitorsForm};
use testkit::live::{Options, Server, locate};
use tokio::runtime::Builder;

use super::live::used_memory;
use super::pieces;
use crate::report::{Bench, Row, Section, Touched, Unit};

const OURS: &str = "`Visitors`";
const FUTURES: &str = "by futures";
const ONE_EACH: &str = "redis-benchmark, a script for each visit";
const THE_SAME: &str = "redis-benchmark, one of our scripts";
const BARE: &str = "our bytes by a bare socket";

pub(super) fn measure(bench: &Bench) -> Section {
    let visits = if bench.effort().is_quick() { 5_000 } else { 100_000 };
    let text = format!(
        "{visits} visits of visitors that were counted before, in batches on a *redis-server* over a unix socket. \
         *redis-benchmark* sends the script of one visit as many times in one pipeline, as a program without batches \
         does; or it repeats one of the scripts of the batch, whose data the server has in its nearest caches. The \
         bare socket sends the bytes that `Visitors` sends, encoded in advance."
    );
    let mut section = Section::new("A server", &text);
    let Some(program) = locate() else { return section };
    for (form, name) in [
        (VisitorsForm::Forecast, "a batch of the book's form: a script for 256 visits"),
        (VisitorsForm::Tagged, "a batch of the tagged form: a script for the visits of a shard"),
    ] {
        let server = Server::start(&program, &Options::new()).unwrap();
        if let Some(row) = row(bench, &server, visits, form, name) {
            section = section.row(row);
        }
    }
    section
}

fn row(
    bench: &Bench,
    server: &Server,
    visits: usize,
    form: VisitorsForm,
    name: &str,
) -> Option<Row> {
    let pieces = pieces(visits);
    let sent = Arc::new(Mutex::new(Vec::new()));
    let recorder = Recorder { connection: server.connect(), sent: Arc::clone(&sent) };
    let visitors = Visitors::on(Backend::redis(recorder)).form(form).default_yesterday(100_000);
    let ids = || 0..i64::from(pieces);
    let count = || visitors.count_ids(ids(), Bucket::All).unwrap();
    // The first call creates the bucket and loads the scripts.
    count();
    sent.lock().clear();
    assert_eq!(count(), 0);
    let batch = std::mem::take(&mut *sent.lock());
    visitors.count_id(1, Bucket::All).unwrap();
    sent.lock().clear();
    visitors.count_id(1, Bucket::All).unwrap();
    let one = words(&sent.lock());
    let some = words(&batch);
    let of_some = visits_of(&some);
    let socket = server.socket();
    benchmark(&socket, &one, visits, 1)?;

    let visitors = Visitors::on(Backend::redis(server.connect())).form(form);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let connection = runtime.block_on(server.client().get_multiplexed_async_connection()).unwrap();
    let futures = Visitors::on(AsyncServer::redis(connection)).form(form);
    let results = bench
        .race()
        .contender(OURS, pieces, || {
            assert_eq!(visitors.count_ids(ids(), Bucket::All).unwrap(), 0);
        })
        .contender(FUTURES, pieces, || {
            let new = runtime.block_on(futures.count_ids_async(ids(), Bucket::All));
            assert_eq!(new.unwrap(), 0);
        })
        .timed(ONE_EACH, pieces, || benchmark(&socket, &one, visits, 1).unwrap())
        .timed(THE_SAME, pieces, || benchmark(&socket, &some, visits, of_some).unwrap())
        .contender(BARE, pieces, || send(&socket, &batch))
        .run();
    Some(
        Row::new(name, Unit::Nanos, Touched::bytes(used_memory(&mut server.connect())), results)
            .factor(ONE_EACH, 1.25)
            .factor(BARE, 1.25),
    )
}

/// Returns the time that the program reports, for as many visits; `None` if the machine does not have it.
fn benchmark(socket: &Path, words: &[Vec<u8>], visits: usize, of_one: usize) -> Option<Duration> {
    let requests = visits / of_one;
    let in_words = requests.to_string();
    let mut command = Command::new("redis-benchmark");
    command.arg("-s").arg(socket).args(["--csv", "-c", "1", "-n", &in_words, "-P", &in_words]);
    command.args(words.iter().map(|word| as_os_str(word)));
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    // "the command","requests a second", and six more figures.
    let line = text.lines().nth(1).unwrap();
    let a_second: f64 = line.rsplit(',').nth(6).unwrap().trim_matches('"').parse().unwrap();
    let visits_of_requests = f64::from(pieces(requests * of_one)) / f64::from(pieces(visits));
    Some(Duration::from_secs_f64(f64::from(pieces(requests)) / a_second / visits_of_requests))
}

/// Sends requests and reads all replies. The last reply is that of an ECHO sent after the requests.
fn send(socket: &Path, requests: &[u8]) {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(requests).unwrap();
    stream.write_all(b"*2\r\n$4\r\nECHO\r\n$3\r\nend\r\n").unwrap();
    let (mut replies, mut part) = (Vec::new(), vec![0; 1 << 16]);
    while !replies.ends_with(b"$3\r\nend\r\n") {
        let len = stream.read(&mut part).unwrap();
        assert!(len > 0, "the server closed the connection");
        replies.extend_from_slice(&part[..len]);
    }
}

/// Returns the words of the first request.
fn words(sent: &[u8]) -> Vec<Vec<u8>> {
    let mut requests = Requests::new();
    requests.feed(sent);
    let words = requests.take().unwrap().unwrap();
    words.into_iter().map(<[u8]>::to_vec).collect()
}

/// Returns the number of visits in the script of a batch: one argument each, after the keys, the time until which they
/// are kept, and the number of visits of each shard.
fn visits_of(words: &[Vec<u8>]) -> usize {
    let keys: usize = std::str::from_utf8(&words[2]).unwrap().parse().unwrap();
    let shards = keys - 1;
    words.len() - ["EVALSHA", "digest", "keys"].len() - keys - ["until"].len() - shards
}

fn as_os_str(word: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(word).unwrap())
}

/// A connection that records the bytes of its requests.
struct Recorder<C> {
    connection: C,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl<C: ConnectionLike> ConnectionLike for Recorder<C> {
    fn req_packed_command(&mut self, cmd: &[u8]) -> RedisResult<Value> {
        self.sent.lock().extend_from_slice(cmd);
        self.connection.req_packed_command(cmd)
    }

    fn req_packed_commands(
        &mut self,
        cmd: &[u8],
        offset: usize,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        self.sent.lock().extend_from_slice(cmd);
        self.connection.req_packed_commands(cmd, offset, count)
    }

    fn get_db(&self) -> i64 {
        self.connection.get_db()
    }

    fn check_connection(&mut self) -> bool {
        self.connection.check_connection()
    }

    fn is_open(&self) -> bool {
        self.connection.is_open()
    }
}
