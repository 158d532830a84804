//! Processes that are killed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use std::{env, io};

use tallis::{Clock, Fsync, Persistence, Store, SystemClock};
use testkit::rng::Rng;

/// The number of threads in the process that is killed.
const THREADS: usize = 3;

/// The number of rounds, unless `TALLIS_CRASH_ROUNDS` is set.
const ROUNDS: usize = 20;

fn now_ms() -> i64 {
    SystemClock.now_ms()
}

fn open(dir: &Path, fsync: Fsync) -> Store {
    Store::builder().persistence(Persistence::new().fsync(fsync)).open(dir).unwrap()
}

/// A step of a thread: two keys that change together.
fn step(store: &Store, thread: usize) -> i64 {
    let (count, list) = (format!("count:{thread}"), format!("list:{thread}"));
    let done = store.transaction([&count, &list], |tx| {
        let count = tx.incr(&count, 1)?;
        tx.rpush(&list, [count])?;
        Ok(count)
    });
    done.unwrap()
}

/// Returns the number of steps of a thread that a store has.
fn steps(store: &Store, thread: usize) -> i64 {
    let count = store.get(format!("count:{thread}")).unwrap();
    let count = count.map_or(0, |count| std::str::from_utf8(&count).unwrap().parse().unwrap());
    let list = store.llen(format!("list:{thread}")).unwrap();
    assert_eq!(i64::try_from(list).unwrap(), count, "a transaction is whole or not there");
    count
}

#[test]
#[ignore = "the process that the other tests start and kill"]
fn child() {
    // This test is also run with all ignored tests; then it has nothing to do.
    let Ok(dir) = env::var("TALLIS_CRASH_DIR") else { return };
    if env::var("TALLIS_CRASH_SNAPSHOT").is_ok() {
        save_over_and_over(&Path::new(&dir).join(SNAPSHOT));
    }
    let fsync =
        if env::var("TALLIS_CRASH_ALWAYS").is_ok() { Fsync::Always } else { Fsync::EverySecond };
    let store = open(Path::new(&dir), fsync);
    thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                store.rewrite_log().unwrap();
            }
        });
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                loop {
                    let count = step(store, thread);
                    let line = format!("step {thread} {count} {}\n", now_ms());
                    io::stdout().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
}

/// The file that is saved repeatedly.
const SNAPSHOT: &str = "dump.rdb";

/// Repeatedly saves a store in which each of many keys has the number of the file, while they change.
fn save_over_and_over(file: &Path) -> ! {
    let store = Store::new();
    // Continues after the previous process.
    let first = if file.exists() {
        store.load(file).unwrap();
        store.get_as::<i64>("key:0").unwrap() + 1
    } else {
        0
    };
    for number in first.. {
        let keys: Vec<String> = (0..500).map(|key| format!("key:{key}")).collect();
        let pairs: Vec<(&str, i64)> = keys.iter().map(|key| (key.as_str(), number)).collect();
        store.mset(&pairs).unwrap();
        store.snapshot(file).unwrap();
        io::stdout().write_all(format!("step 0 {number} 0\n").as_bytes()).unwrap();
    }
    unreachable!("there are numbers enough")
}

/// Starts a process on a folder, with a variable that selects its task, kills it after a while, and returns its
/// acknowledged steps, each with its time.
fn killed(dir: &Path, variable: Option<&str>, after: Duration) -> Vec<(usize, i64, i64)> {
    let mut run = Command::new(env::current_exe().unwrap());
    run.args(["--exact", "durability::crash::child", "--ignored", "--nocapture"])
        .env("TALLIS_CRASH_DIR", dir);
    if let Some(variable) = variable {
        run.env(variable, "1");
    }
    let mut child = run.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let reader = thread::spawn(move || {
        let parse = |line: String| {
            let mut words = line.split(' ').skip(1);
            let mut next = || words.next()?.parse::<i64>().ok();
            Some((usize::try_from(next()?).ok()?, next()?, next()?))
        };
        let lines = lines.map_while(Result::ok).filter(|line| line.starts_with("step "));
        lines.filter_map(parse).collect::<Vec<_>>()
    });
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

fn rounds() -> usize {
    env::var("TALLIS_CRASH_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap())
}

fn crash(fsync: Fsync, seed: u64, lost_ms: i64) {
    let dir = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(seed);
    let mut steps_seen = 0;
    for round in 0..rounds() {
        let after = Duration::from_millis(20 + rng.below(180));
        let always = (fsync == Fsync::Always).then_some("TALLIS_CRASH_ALWAYS");
        let acknowledged = killed(dir.path(), always, after);
        let now = now_ms();
        let store = open(dir.path(), fsync);
        for thread in 0..THREADS {
            let found = steps(&store, thread);
            for &(_, count, at) in acknowledged.iter().filter(|(of, ..)| *of == thread) {
                assert!(found >= count || at + lost_ms > now, "round {round}: {found} of {count}");
            }
        }
        steps_seen += acknowledged.len();
    }
    assert!(steps_seen > rounds(), "the processes did some steps");
}

#[test]
fn nothing_acknowledged_is_lost_with_always() {
    crash(Fsync::Always, 1, 0);
}

#[test]
fn at_most_a_second_is_lost_with_every_second() {
    crash(Fsync::EverySecond, 2, 1000);
}

#[test]
fn a_snapshot_is_the_old_one_or_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(3);
    let mut last = None;
    for round in 0..rounds() {
        let after = Duration::from_millis(20 + rng.below(100));
        let acknowledged = killed(dir.path(), Some("TALLIS_CRASH_SNAPSHOT"), after);
        last = acknowledged.last().map(|&(_, number, _)| number).or(last);
        let file = dir.path().join(SNAPSHOT);
        let Some(least) = last else { continue };
        let store = Store::new();
        store.load(&file).unwrap();
        assert_eq!(store.dbsize().unwrap(), 500);
        let number = store.get_as::<i64>("key:0").unwrap();
        assert!(number >= least, "round {round}: {number} of {least}");
        for key in 0..500 {
            assert_eq!(store.get_as::<i64>(format!("key:{key}")).unwrap(), number);
        }
    }
    assert!(last.is_some(), "the processes have saved");
}
