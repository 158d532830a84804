//! Recorded replies of `RedisBloom`, replayed.
//!
//! `tests/data/bloom/transcript.txt` consists of scripts, each for an empty store. A line `> words` is a command. The
//! following lines are the reply in RESP2, marked `2`, and in RESP3, marked `3`; or one marked `=` if both are equal.
//! `$cursor` and `$piece` are the result of the last BF.SCANDUMP.
//!
//! If `RedisBloom` is installed, the commands are also run on it, and with `TALLIS_RECORD` set the file is written
//! again. `older.txt` has the different replies of a `RedisBloom` before 8.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use tallis::resp::split_words;
use tallis::{Profile, Session, Store};
use testkit::differential::{Reply, quoted};
use testkit::live::{Options, Protocol, Wire, redisbloom, server_with};

use crate::answer::answer;

/// A command and its replies.
struct Step {
    line: String,
    replies: [String; 2],
}

struct Script {
    title: String,
    steps: Vec<Step>,
}

fn scripts(text: &str) -> Vec<Script> {
    let mut scripts = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (mark, rest) = line.split_once(' ').unwrap();
        if mark == "#" {
            scripts.push(Script { title: rest.to_owned(), steps: Vec::new() });
            continue;
        }
        let steps = &mut scripts.last_mut().unwrap().steps;
        if mark == ">" {
            steps.push(Step { line: rest.to_owned(), replies: Default::default() });
            continue;
        }
        let replies = &mut steps.last_mut().unwrap().replies;
        match mark {
            "2" => rest.clone_into(&mut replies[0]),
            "3" => rest.clone_into(&mut replies[1]),
            "=" => *replies = [rest.to_owned(), rest.to_owned()],
            _ => panic!("{line}"),
        }
    }
    scripts
}

fn text(scripts: &[Script]) -> String {
    let mut text = String::new();
    for script in scripts {
        writeln!(text, "# {}", script.title).unwrap();
        for Step { line, replies: [two, three] } in &script.steps {
            writeln!(text, "> {line}").unwrap();
            if two == three {
                writeln!(text, "= {two}").unwrap();
            } else {
                writeln!(text, "2 {two}\n3 {three}").unwrap();
            }
        }
        text.push('\n');
    }
    text
}

/// A reply on one line, with all its parts.
fn shown(reply: &Reply) -> String {
    let all = |items: &[Reply]| items.iter().map(shown).collect::<Vec<_>>().join(" ");
    match reply {
        Reply::Status(text) => format!("+{}", quoted(text.as_bytes())),
        Reply::Error(text) => format!("-{}", quoted(text.as_bytes())),
        Reply::Int(number) => format!(":{number}"),
        Reply::Bulk(bytes) => quoted(bytes),
        Reply::Nil | Reply::NullArray => "nil".to_owned(),
        Reply::Array(items) => format!("[{}]", all(items)),
        Reply::Set(items) => format!("~[{}]", all(items)),
        Reply::Map(pairs) => {
            let pair = |(key, value): &(Reply, Reply)| format!("{}: {}", shown(key), shown(value));
            format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        Reply::Bool(yes) => format!("#{yes}"),
        Reply::Double(_) | Reply::BigNumber(_) | Reply::Verbatim { .. } => format!("{reply:?}"),
    }
}

/// Runs a script, with the results of BF.SCANDUMP inserted.
fn replies(script: &Script, mut run: impl FnMut(&[Vec<u8>]) -> Reply) -> Vec<String> {
    let (mut cursor, mut piece) = (Vec::new(), Vec::new());
    let mut all = Vec::new();
    for step in &script.steps {
        let mut words = split_words(step.line.as_bytes()).unwrap();
        for word in &mut words {
            match &**word {
                b"$cursor" => word.clone_from(&cursor),
                b"$piece" => word.clone_from(&piece),
                _ => {}
            }
        }
        let reply = run(&words);
        if let (b"BF.SCANDUMP", Some([Reply::Int(next), Reply::Bulk(bytes)])) =
            (&*words[0], reply.elements())
        {
            cursor = next.to_string().into();
            piece.clone_from(bytes);
        }
        all.push(shown(&reply));
    }
    all
}

fn session(protocol: Protocol) -> Session {
    let mut session = Store::builder().profile(Profile::Redis70).build().session();
    if protocol == Protocol::Resp3 {
        assert!(!session.execute(&["HELLO", "3"]).is_error());
    }
    session
}

fn file() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bloom/transcript.txt")
}

/// Removes from `scripts` the replies that are equal in `others`, which has the same commands.
fn keep_differences(scripts: &mut Vec<Script>, others: &[Script]) {
    for (script, other) in scripts.iter_mut().zip(others) {
        let mut others = other.steps.iter();
        script
            .steps
            .retain(|step| others.next().is_some_and(|other| step.replies != other.replies));
    }
    scripts.retain(|script| !script.steps.is_empty());
}

const PROTOCOLS: [Protocol; 2] = [Protocol::Resp2, Protocol::Resp3];

#[test]
fn replies_equal_those_of_redisbloom() {
    let scripts = scripts(&fs::read_to_string(file()).unwrap());
    assert!(scripts.iter().map(|script| script.steps.len()).sum::<usize>() > 500);
    let mut wrong = String::new();
    for script in &scripts {
        for (at, protocol) in PROTOCOLS.into_iter().enumerate() {
            let mut session = session(protocol);
            let ours = replies(script, |words| answer(session.execute(words)));
            for (step, ours) in script.steps.iter().zip(ours) {
                let theirs = &step.replies[at];
                if ours != *theirs {
                    let (title, line) = (&script.title, &step.line);
                    writeln!(wrong, "{title}: {line}\n  ours   {ours}\n  theirs {theirs}").unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn redisbloom_still_replies_the_same() {
    let Some(module) = redisbloom() else { return };
    let Some(server) = server_with(&Options::new().module(module)) else { return };
    let recorded = fs::read_to_string(file()).unwrap();
    let mut scripts = scripts(&recorded);
    for script in &mut scripts {
        for (at, protocol) in PROTOCOLS.into_iter().enumerate() {
            let mut wire = Wire::open(&server, protocol).unwrap();
            wire.run(&[b"FLUSHALL".to_vec()]).unwrap();
            let run = |words: &[Vec<u8>]| {
                let reply = wire.run(words);
                reply.unwrap_or_else(|error| panic!("{error} at {words:?}"))
            };
            let all = replies(script, run);
            for (step, reply) in script.steps.iter_mut().zip(all) {
                step.replies[at] = reply;
            }
        }
    }
    let (file, recorded) = if server.module_version("bf").unwrap() < 80_000 {
        keep_differences(&mut scripts, &self::scripts(&recorded));
        let older = file().with_file_name("older.txt");
        let text = fs::read_to_string(&older).unwrap_or_default();
        (older, text)
    } else {
        (file(), recorded)
    };
    let text = text(&scripts);
    if env::var_os("TALLIS_RECORD").is_some() {
        fs::write(file, text).unwrap();
    } else {
        assert!(text == recorded, "the recording is another; TALLIS_RECORD=1 writes it anew");
    }
}
