//! Visits that are counted on a server, beside Redis's own benchmark program.

#![expect(clippy::unwrap_used, reason = "what fails here stops the report")]

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redis::{ConnectionLike, RedisResult, Value};
use resp::Requests;
use tallis::{Bucket, Server as Backend, Visitors, VisitorsForm};
use testkit::live::{Options, Server, locate};

use super::pieces;
use crate::report::{Bench, Row, Section, Unit};

const VISITS: usize = 100_000;
const OURS: &str = "`Visitors`";
const BENCHMARK: &str = "redis-benchmark";
const ONE_BY_ONE: &str = "redis-benchmark, an SADD for each";

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "100,000 visits of visitors who were there before, counted in batches on a *redis-server* by a unix socket, and \
                *redis-benchmark* with one client that sends one of the same requests as often, with as many in a pipeline. The server \
                does the same in both cases, always the same visits in the benchmark's; the client's own work is what differs, in part beside \
                the server's. An SADD for each visit, and no count, is what a plain program would send.";
    let mut section = Section::new("A server", text);
    let Some(program) = locate() else { return section };
    for (form, name) in [
        (VisitorsForm::Forecast, "a batch of the book's form: a script for 256 visits"),
        (VisitorsForm::Tagged, "a batch of the tagged form: a script for the visits of a shard"),
    ] {
        let server = Server::start(&program, &Options::new()).unwrap();
        if let Some(row) = row(bench, &server, form, name) {
            section = section.row(row);
        }
    }
    section
}

fn row(bench: &Bench, server: &Server, form: VisitorsForm, name: &str) -> Option<Row> {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let recorder = Recorder { connection: server.connect(), sent: Arc::clone(&requests) };
    let visitors = Visitors::on(Backend::redis(recorder)).form(form).default_yesterday(100_000);
    let count = || visitors.count_ids(0..i64::from(pieces(VISITS)), Bucket::All).unwrap();
    // The bucket is begun, and the scripts are known.
    count();
    requests.lock().clear();
    count();
    let words = request(&requests.lock());
    let of_one = visits_of(&words);
    benchmark(&server.socket(), &words, of_one)?;
    let sadd = ["SADD", "unique:all:17", "12345"].map(|word| word.as_bytes().to_vec());
    let visitors = Visitors::on(Backend::redis(server.connect())).form(form);
    let results = bench
        .race()
        .contender(OURS, pieces(VISITS), || {
            assert_eq!(visitors.count_ids(0..i64::from(pieces(VISITS)), Bucket::All).unwrap(), 0);
        })
        .timed(BENCHMARK, pieces(VISITS), || benchmark(&server.socket(), &words, of_one).unwrap())
        .timed(ONE_BY_ONE, pieces(VISITS), || benchmark(&server.socket(), &sadd, 1).unwrap())
        .run();
    Some(Row::new(name, Unit::Nanos, results).factor(BENCHMARK, 1.25))
}

/// The time that the program tells for as many visits; none if the machine does not have it.
fn benchmark(socket: &Path, words: &[Vec<u8>], of_one: usize) -> Option<Duration> {
    let requests = VISITS / of_one;
    let in_words = requests.to_string();
    let mut command = Command::new(BENCHMARK);
    command.arg("-s").arg(socket).args(["--csv", "-c", "1", "-n", &in_words, "-P", &in_words]);
    command.args(words.iter().map(|word| as_os_str(word)));
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    // "the command","requests a second", and six more figures.
    let line = text.lines().nth(1).unwrap();
    let a_second: f64 = line.rsplit(',').nth(6).unwrap().trim_matches('"').parse().unwrap();
    let visits_of_requests = f64::from(pieces(requests * of_one)) / f64::from(pieces(VISITS));
    Some(Duration::from_secs_f64(f64::from(pieces(requests)) / a_second / visits_of_requests))
}

/// The words of the first request that was sent.
fn request(sent: &[u8]) -> Vec<Vec<u8>> {
    let mut requests = Requests::new();
    requests.feed(sent);
    let words = requests.take().unwrap().unwrap();
    words.into_iter().map(<[u8]>::to_vec).collect()
}

/// How many visits a script has: an argument each, behind the script's name, its keys, until when they are kept, and how many
/// visits each shard has.
fn visits_of(words: &[Vec<u8>]) -> usize {
    let keys: usize = std::str::from_utf8(&words[2]).unwrap().parse().unwrap();
    let shards = keys - 1;
    words.len() - ["EVALSHA", "digest", "keys"].len() - keys - ["until"].len() - shards
}

fn as_os_str(word: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(word).unwrap())
}

/// A connection that keeps what goes through it.
struct Recorder<C> {
    connection: C,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl<C: ConnectionLike> ConnectionLike for Recorder<C> {
    fn req_packed_command(&mut self, cmd: &[u8]) -> RedisResult<Value> {
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
