//! The dispatcher compared with the typed calls.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use tallis::{Reply, Store};

use super::held;
use super::live::{Live, command, rival};
use crate::report::{Bench, Row, Section, Unit};

const KEYS: usize = 1000;
const TYPED: &str = "the typed call";
/// The target for the dispatcher, and the time of the typed GET when it was set.
const TARGET: [f64; 2] = [100.0, 60.0];

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "The same command by `store.execute` and by the typed call. In addition, `execute` finds the name, \
                checks the arity, parses the arguments and builds the reply. 1,000 keys or members in turn, all of \
                which exist and are in the caches. *redis-server*'s own time does not include parsing.";
    let mut live = Live::start();
    let mut section = Section::new("The dispatcher", text);
    for name in ["GET", "SET", "INCR", "SADD"] {
        section = section.row(row(bench, name, live.as_mut()));
    }
    section
}

fn row(bench: &Bench, name: &str, live: Option<&mut Live>) -> Row {
    let store = Store::new();
    let words: Vec<Vec<String>> = (0..KEYS).map(|n| words(name, n)).collect();
    let arguments: Vec<Vec<&str>> =
        words.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
    for words in &arguments {
        if name == "GET" {
            store.set(words[1], "value").unwrap();
        }
        assert!(
            !matches!(store.execute(words), Reply::Error(_) | Reply::Nil | Reply::NullArray),
            "{words:?}"
        );
    }
    let pieces = u32::try_from(KEYS).unwrap();
    let race = bench.race();
    // One loop for each command, so that the typed call is selected outside of the loop.
    let race = match name {
        "GET" => race.contender(TYPED, pieces, || {
            arguments.iter().map(|words| store.get(words[1]).unwrap().unwrap().len()).sum::<usize>()
        }),
        "SET" => race.contender(TYPED, pieces, || {
            for words in &arguments {
                store.set(words[1], words[2]).unwrap();
            }
        }),
        "INCR" => race.contender(TYPED, pieces, || {
            arguments.iter().map(|words| store.incr(words[1], 1).unwrap()).sum::<i64>()
        }),
        _ => race.contender(TYPED, pieces, || {
            arguments.iter().map(|words| store.sadd(words[1], [words[2]]).unwrap()).sum::<usize>()
        }),
    };
    let mut results = race
        .contender("by words", pieces, || {
            let replies = arguments.iter().map(|words| store.execute(words));
            replies.filter(|reply| matches!(reply, Reply::Error(_))).count()
        })
        .run();
    // The row is about the dispatcher, so its result is the first.
    results.reverse();
    let (words, typed) = (results[0].sample.median, results[1].sample.median);
    results.extend(rival(live.map(|live| {
        let all = || (0..100).flat_map(|_| &arguments);
        let send = |words: &Vec<&str>| {
            let mut command = redis::cmd(words[0]);
            command.arg(&words[1..]);
            command
        };
        live.run(
            arguments
                .iter()
                .filter(|_| name == "GET")
                .map(|words| command([b"SET", words[1].as_bytes(), b"value"])),
        );
        live.nanos(name, all().map(send))
    })));
    Row::new(&format!("{name}, by words"), Unit::Nanos, held(&store), results)
        .beside(TYPED, TARGET)
        .note(&format!("{:.1} ns more than the typed call", words - typed))
}

/// Returns the words of a command.
fn words(name: &str, n: usize) -> Vec<String> {
    let key = format!("{}:{n}", name.to_lowercase());
    let words = match name {
        "SET" => vec![name, &key, "value"],
        "SADD" => vec![name, "members", &key],
        _ => vec![name, &key],
    };
    words.into_iter().map(str::to_owned).collect()
}
