//! The append-only log: the time that it adds to a command, the gain of threads that share a sync, and the speed of a
//! load.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use redis::Cmd;
use tallis::{Fsync, Persistence, Store};
use tempfile::TempDir;
use testkit::live::{Options, Server, locate};

use super::files::folder_in_memory;
use super::held;
use super::live::SERVER;
use crate::report::{Bench, Race, Result, Row, Section, Unit};

/// The names on the page.
const OURS: &str = "tallis";
const WITHOUT: &str = "without a log";
const ONE: &str = "one thread";

/// The number of threads that wait for the disk together, and of clients of the server.
const THREADS: usize = 8;

pub(super) fn measure(bench: &Bench) -> Section {
    let quick = bench.effort().is_quick();
    let commands = if quick { 20_000 } else { 10_000_000 };
    let text = format!(
        "Stores of `Store::open`. With a sync every second, the disk is that of the system's temporary files, and \
         commands wait for it only if 64 MiB are not yet written. *always*: every command is on that disk when it \
         returns; {THREADS} threads share its syncs, as do the {THREADS} clients of a *redis-server* with `appendfsync \
         always`, each of which sends a command after the reply to the previous one. Start-up is measured with the \
         same log of {commands} commands of every family in memory (`/dev/shm`); the server's time is the one that it \
         logs.",
    );
    let [gain, rate] = always(bench);
    Section::new("The append-only log", &text)
        .row(sadd(bench))
        .row(gain)
        .row(rate)
        .row(start_up(commands, if quick { 2 } else { 3 }))
}

fn open(folder: &Path, fsync: Fsync) -> Store {
    // Without rewrites during the measurement.
    let persistence = Persistence::new().fsync(fsync).rewrite_percentage(0);
    Store::builder().persistence(persistence).open(folder).unwrap()
}

/// Measures SADD of a new member, to sets of up to a thousand.
fn sadd(bench: &Bench) -> Row {
    let folder = tempfile::tempdir().unwrap();
    let mut with = Adding::new(open(folder.path(), Fsync::EverySecond));
    let mut without = Adding::new(Store::new());
    let results = bench
        .race()
        .contender(OURS, Adding::PIECES, || with.run())
        .contender(WITHOUT, Adding::PIECES, || without.run())
        .run();
    let more = results[0].sample.median - results[1].sample.median;
    Row::new(
        "SADD of a new member, a sync every second",
        Unit::Nanos,
        held(&without.store),
        results,
    )
    .beside(WITHOUT, [380.0, 230.0])
    .note(&format!("{more:.0} ns more than without"))
}

/// Adds members to sets. Each set has up to a thousand.
struct Adding {
    store: Store,
    next: u64,
}

impl Adding {
    const PIECES: u32 = 100;

    const fn new(store: Store) -> Self {
        Self { store, next: 0 }
    }

    fn run(&mut self) {
        for _ in 0..Self::PIECES {
            let number = self.next;
            self.next += 1;
            let key = format!("seen:{}", number / 1000);
            let member = format!("visitor:{}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            self.store.sadd(key, [member]).unwrap();
        }
    }
}

/// Measures commands that are on the disk when they return: of one thread, of several, and of a server.
fn always(bench: &Bench) -> [Row; 2] {
    let (rounds, time) = if bench.effort().is_quick() { (2, 30) } else { (11, 300) };
    let time = Duration::from_millis(time);
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), Fsync::Always);
    let set = |thread: usize, number: usize| {
        store.set(format!("key:{thread}:{}", number % 1000), "value").unwrap();
    };
    let theirs = tempfile::tempdir().unwrap();
    let options = Options::new()
        .config("appendonly", "yes")
        .config("appendfsync", "always")
        .config("dir", &theirs.path().display().to_string());
    let server = locate().map(|program| Server::start(&program, &options).unwrap());
    let mut figures = [const { Vec::new() }; 3];
    for round in 0..=rounds {
        let one = rate(1, time, |_| move |number| set(0, number));
        let several = rate(THREADS, time, |thread| move |number| set(thread, number));
        let their_rate = server.as_ref().map(|server| {
            rate(THREADS, time, |thread| {
                let mut connection = server.connect();
                move |number| {
                    let key = format!("key:{thread}:{}", number % 1000);
                    let mut command = Cmd::new();
                    command.arg("SET").arg(key).arg("value");
                    command.query::<()>(&mut connection).unwrap();
                }
            })
        });
        // The first round creates the keys.
        if round > 0 {
            figures[0].push(several);
            figures[1].push(one);
            figures[2].extend(their_rate);
        }
    }
    let [several, one, their_rate] = figures;
    let gains = several.iter().zip(&one).map(|(several, one)| several / one).collect();
    let gain = Row::new(
        &format!("commands that are on the disk when they return: {THREADS} threads against one"),
        Unit::Times,
        held(&store),
        vec![Result::of(OURS, false, gains)],
    );
    let mut results = vec![Result::of(OURS, false, several), Result::of(ONE, false, one)];
    if !their_rate.is_empty() {
        results.push(Result::of(SERVER, true, their_rate));
    }
    let work = format!("commands that are on the disk when they return, {THREADS} clients");
    let rate = Row::new(&work, Unit::PerSecond, held(&store), results);
    [gain.target(5.0), rate.factor(SERVER, 1.0)]
}

/// Returns how many times per second a number of threads do something together.
#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn rate<W: FnMut(usize) + Send>(threads: usize, time: Duration, work: impl Fn(usize) -> W) -> f64 {
    let ready = Barrier::new(threads);
    let works: Vec<W> = (0..threads).map(work).collect();
    let run = |mut work: W| {
        ready.wait();
        let start = Instant::now();
        let mut done = 0;
        while start.elapsed() < time {
            work(done);
            done += 1;
        }
        (done, start.elapsed())
    };
    let counts: Vec<(usize, Duration)> = thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> =
            works.into_iter().map(|work| scope.spawn(move || run(work))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let rates = counts.into_iter().map(|(done, time)| done as f64 / time.as_secs_f64());
    rates.sum()
}

/// Opens a log of `commands` commands, and has a server load it.
fn start_up(commands: usize, rounds: usize) -> Row {
    let folder = folder_in_memory();
    let touched = {
        let store = open(folder.path(), Fsync::No);
        fill(&store, commands);
        held(&store)
    };
    let results = Race::new(crate::report::Effort::Quick)
        .at_most(rounds)
        .timed(OURS, 1, || ours(&folder, commands));
    let results = if locate().is_some() {
        results.rivals().timed(SERVER, 1, || theirs(&folder))
    } else {
        results
    };
    Row::new("start-up from a log", Unit::Nanos, touched, results.run()).factor(SERVER, 0.5)
}

/// Executes commands of every family.
fn fill(store: &Store, commands: usize) {
    for number in 0..commands as u64 {
        let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (key, text) = (random >> 40, random.to_string());
        let done = match number % 8 {
            0 => store.set(format!("key:{key}"), format!("value:{random:x}")),
            1 => store.incr(format!("visits:{}", key % 10_000), 1).map(drop),
            2 => store.sadd(format!("seen:{}", key % 1000), [text]).map(drop),
            3 => store.hset(format!("user:{}", key % 100_000), "seen", text).map(drop),
            4 => store.zincr("board", format!("member:{}", key % 200_000), 1.0).map(drop),
            5 => store.pfadd(format!("uv:{}", key % 100), [text]).map(drop),
            6 => store.setbit("bits", key, true).map(drop),
            _ => store.rpush("list", [text]).map(drop),
        };
        done.unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
fn ours(folder: &TempDir, commands: usize) -> Duration {
    let start = Instant::now();
    let store = open(folder.path(), Fsync::No);
    let time = start.elapsed();
    let report = store.open_report().unwrap();
    // Some commands change nothing and are not in the log.
    assert!(report.commands > commands as u64 / 2, "{report:?}");
    time
}

/// Returns the time that a server reports in its log.
fn theirs(folder: &TempDir) -> Duration {
    let options = Options::new()
        .config("appendonly", "yes")
        .config("dir", &folder.path().display().to_string());
    let server = Server::start(&locate().unwrap(), &options).unwrap();
    let log = server.log();
    let line = "DB loaded from append only file: ";
    let seconds = log.split(line).nth(1).unwrap().split(' ').next().unwrap();
    Duration::from_secs_f64(seconds.parse().unwrap())
}
