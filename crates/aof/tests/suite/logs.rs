//! Valid and damaged logs: the result of this crate, of a live server that starts on them, and of `redis-check-aof`.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use aof::{Damage, LogError, LogReader, LogWriter, Record};
use testkit::live::{Options, Server, as_bytes, command, locate, server};

use Loading::{Cuts, Loads, Refuses};
use Verdict::{Format, Torn, Whole};

/// 27 bytes.
const SET: &str = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
/// 15 bytes.
const MULTI: &str = "*1\r\n$5\r\nMULTI\r\n";
/// 14 bytes.
const EXEC: &str = "*1\r\n$4\r\nEXEC\r\n";

/// The result of this crate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// The number of commands.
    Whole(usize),
    /// The offset of the incomplete record or transaction, and the offset up to which the log is valid.
    Torn(u64, u64),
    Format(u64, Damage),
}

/// The result of a server that loads truncated logs, which is its default.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Loading {
    Loads,
    Cuts(u64),
    Refuses,
}

/// The log, the result of this crate, that of the server, and whether the checker accepts the log.
type Case = (String, Verdict, Loading, bool);

fn row(log: &[&str], ours: Verdict, server: Loading, valid: bool) -> Case {
    (log.concat(), ours, server, valid)
}

fn whole_and_torn() -> Vec<Case> {
    vec![
        row(&[], Whole(0), Loads, true),
        row(&[SET], Whole(1), Loads, true),
        row(&["*1\r\n$4\r\nPING\r\n", SET], Whole(2), Loads, true),
        row(&["*2\r\n$4\r\nINCR\r\n$0\r\n\r\n"], Whole(1), Loads, true),
        row(&["*3\r\n$3\r\nSET\r\n$2\r\n\r\n\r\n$3\r\n*1\r\r\n"], Whole(1), Loads, true),
        // Leading zeros.
        row(&["*03\r\n$003\r\nSET\r\n$01\r\nk\r\n$01\r\nv\r\n"], Whole(1), Loads, true),
        row(&[SET, "*"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3\r"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3\r\n"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3\r\n$"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3\r\n$3\r\n"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3\r\n$3\r\nSE"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3\r\n$3\r\nSET"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3\r\n$3\r\nSET\r"], Torn(27, 27), Cuts(27), false),
        row(&[SET, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n"], Torn(27, 27), Cuts(27), false),
        row(&["*3\r\n$3\r\nSET\r\n"], Torn(0, 0), Cuts(0), false),
        // A damaged length looks like a missing end.
        row(&["*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$99\r\nv\r\n", SET], Torn(0, 0), Cuts(0), false),
        row(&["*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"], Torn(0, 0), Cuts(0), false),
    ]
}

fn transactions_and_annotations() -> Vec<Case> {
    vec![
        row(&[MULTI, SET, EXEC], Whole(3), Loads, true),
        row(&[MULTI, EXEC, SET], Whole(3), Loads, true),
        row(&["*1\r\n$5\r\nmulti\r\n", SET, "*1\r\n$4\r\nExec\r\n"], Whole(3), Loads, true),
        row(&[SET, MULTI], Torn(27, 27), Cuts(27), false),
        row(&[SET, MULTI, SET, SET], Torn(27, 27), Cuts(27), false),
        // The server keeps a MULTI without EXEC; when it starts again, it reads the commands appended since as a part
        // of that transaction.
        row(&[SET, MULTI, SET, "*3\r\n$3"], Torn(27, 27), Cuts(69), false),
        row(&[MULTI, SET, EXEC, MULTI, SET], Torn(56, 56), Cuts(56), false),
        row(&[SET, MULTI, MULTI, EXEC], Format(42, Damage::NestedMulti), Loads, false),
        row(&[SET, EXEC], Format(27, Damage::ExecWithoutMulti), Loads, false),
        row(&["#TS:1700000000\r\n", SET], Whole(1), Loads, true),
        row(&["# any text\n", SET, "#\r\n"], Whole(1), Loads, true),
        row(&[MULTI, "#TS:1700000000\r\n", SET, EXEC], Whole(3), Loads, true),
        // Whatever follows such an annotation would be read as a part of it.
        row(&[SET, "#TS:17000"], Torn(27, 27), Loads, true),
        row(&[SET, "#TS:1700000000\r\n", MULTI, SET], Torn(43, 27), Cuts(27), false),
        row(&["#", &"x".repeat(1021), "\n", SET], Whole(1), Loads, true),
        row(&["#", &"x".repeat(1022), "\n", SET], Format(0, Damage::Annotation), Refuses, false),
        row(&["*3\r\n#TS:1\r\n$3\r\nSET\r\n"], Format(4, Damage::Word(b'#')), Refuses, false),
    ]
}

fn damage() -> Vec<Case> {
    vec![
        row(&["SET k v\r\n"], Format(0, Damage::Record(b'S')), Refuses, false),
        row(&[SET, "\r\n", SET], Format(27, Damage::Record(b'\r')), Refuses, false),
        row(&[SET, "\0\0\0\0"], Format(27, Damage::Record(0)), Refuses, false),
        row(&[SET, "*0\r\n", SET], Format(27, Damage::Count), Refuses, true),
        row(&[SET, "*-1\r\n", SET], Format(27, Damage::Count), Refuses, true),
        row(&[SET, "*\r\n", SET], Format(27, Damage::Count), Refuses, true),
        row(&[SET, "*x\r\n", SET], Format(27, Damage::Count), Refuses, false),
        row(&[SET, "*3\n", SET], Format(27, Damage::Count), Refuses, false),
        row(&[SET, "*2147483648\r\n", SET], Format(27, Damage::Count), Refuses, false),
        row(&["*1\r\n+PING\r\n"], Format(4, Damage::Word(b'+')), Refuses, false),
        row(&["*2\r\n$3\r\nGET\r\n*1\r\n"], Format(13, Damage::Word(b'*')), Refuses, false),
        row(&["*1\r\n$-1\r\n", SET], Format(4, Damage::Length), Refuses, false),
        row(&["*1\r\n$\r\nPING\r\n"], Format(4, Damage::Length), Refuses, false),
        row(&["*1\r\n$5\r\nPING\r\n", SET], Format(13, Damage::WordEnd), Refuses, false),
        row(&["*1\r\n$3\r\nPING\r\n", SET], Format(11, Damage::WordEnd), Refuses, false),
        // The server continues where the checker and this crate report an error.
        row(&["*+3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"], Format(0, Damage::Count), Loads, true),
        row(&["* 3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"], Format(0, Damage::Count), Loads, true),
        row(
            &["*3x\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"],
            Format(0, Damage::Count),
            Loads,
            false,
        ),
        row(&["*3\n$3\nSET\r\n$1\nk\r\n$1\nv\r\n"], Format(0, Damage::Count), Loads, false),
        row(&["*1\r\n$4x\r\nPING\r\n"], Format(4, Damage::Length), Loads, false),
        row(&["*1\r\n$4\r\nPINGxy"], Format(12, Damage::WordEnd), Loads, false),
        row(&["*1\r\n$536870913\r\nx"], Format(4, Damage::Length), Cuts(0), false),
    ]
}

fn cases() -> Vec<Case> {
    [whole_and_torn(), transactions_and_annotations(), damage()].into_iter().flatten().collect()
}

fn verdict(log: &[u8]) -> Verdict {
    let mut reader = LogReader::new(log);
    let mut commands = 0;
    loop {
        match reader.next_record() {
            Ok(Some(Record::Command(_))) => commands += 1,
            Ok(Some(Record::Annotation(_))) => {}
            Ok(None) => return Whole(commands),
            Err(LogError::Torn { offset, valid_up_to }) => return Torn(offset, valid_up_to),
            Err(LogError::Format { offset, damage, .. }) => return Format(offset, damage),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn logs_are_read_strictly() {
    for (log, ours, ..) in cases() {
        assert_eq!(verdict(log.as_bytes()), ours, "{}", log.escape_debug());
    }
}

/// A directory with a log of one increment.
fn folder(log: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("appendonlydir");
    fs::create_dir(&files).unwrap();
    fs::write(files.join("appendonly.aof.manifest"), "file a seq 1 type i\n").unwrap();
    fs::write(files.join("a"), log).unwrap();
    folder
}

/// A server on the directory; `None` if it exits.
fn start(folder: &Path) -> Option<Server> {
    let options = Options::new()
        .config("appendonly", "yes")
        .config("auto-aof-rewrite-percentage", "0")
        .config("dir", folder.to_str().unwrap());
    match Server::start(&locate().unwrap(), &options) {
        Ok(server) => Some(server),
        Err(error) if error.kind() == ErrorKind::TimedOut => panic!("{error}"),
        Err(_) => None,
    }
}

/// The values of these keys on the server after it has loaded the log.
fn values(server: &Server, keys: &[&str]) -> Vec<Option<Vec<u8>>> {
    let mut connection = server.connect();
    let value = |key: &&str| {
        let reply = command(&mut connection, &["GET", key]).unwrap();
        as_bytes(&reply).map(<[u8]>::to_vec)
    };
    keys.iter().map(value).collect()
}

#[test]
fn a_server_loads_what_is_written_here() {
    let Some(idle) = server() else { return };
    let mut writer = LogWriter::new();
    let mut log = Vec::new();
    let words = |words: &[&'static str]| words.to_vec();
    writer.timestamp(1_700_000_000, &mut log);
    writer.command(0, &["SET", "a", "1"], &mut log);
    writer.append([(0, &words(&["INCRBY", "a", "41"])[..])], &mut log);
    writer.timestamp(1_700_000_001, &mut log);
    let transaction = [words(&["SET", "b", "\0\r\n"]), words(&["SET", "c", ""])];
    writer.append([(0, &transaction[0][..]), (1, &transaction[1])], &mut log);
    let long = "x".repeat(100_000);
    writer.command(0, &["SET", "d", &long], &mut log);
    let commands = 1 + 1 + 1 + (1 + 1 + 1 + 1 + 1) + 2;
    assert_eq!(verdict(&log), Whole(commands));

    let folder = folder(&log);
    idle.check_aof(folder.path().join("appendonlydir/a")).unwrap();
    let server = start(folder.path()).unwrap();
    let expected = [Some(&b"42"[..]), Some(b"\0\r\n"), None, Some(long.as_bytes())];
    let expected = expected.map(|value| value.map(<[u8]>::to_vec));
    assert_eq!(values(&server, &["a", "b", "c", "d"]), expected);
    let mut connection = server.connect();
    command(&mut connection, &["SELECT", "1"]).unwrap();
    let reply = command(&mut connection, &["GET", "c"]).unwrap();
    assert_eq!(as_bytes(&reply), Some(&b""[..]));
}

/// The server's own log, truncated by the server at the offset that this crate reports.
#[test]
fn a_server_cuts_its_log_at_the_same_offset() {
    if server().is_none() {
        return;
    }
    let whole = include_bytes!("../data/redis-7.0.15/multi_incr/appendonly.aof.3.incr.aof");
    for cut in (0..whole.len()).step_by(13) {
        let log = &whole[..cut];
        let folder = folder(log);
        let server = start(folder.path()).unwrap();
        drop(server);
        let left = fs::read(folder.path().join("appendonlydir/a")).unwrap();
        match verdict(log) {
            Whole(_) => assert_eq!(left, log),
            // The table shows how the server handles a command that is cut inside a transaction.
            Torn(_, valid_up_to) if ends_in_transaction(log) => {
                assert!(left.len() as u64 >= valid_up_to);
            }
            Torn(_, valid_up_to) => assert_eq!(left.len() as u64, valid_up_to, "{cut}"),
            Format(..) => panic!("{cut}: {:?}", verdict(log)),
        }
    }
}

fn ends_in_transaction(log: &[u8]) -> bool {
    let mut reader = LogReader::new(log);
    while let Ok(Some(_)) = reader.next_record() {}
    reader.in_transaction()
}

#[test]
fn a_server_and_the_checker_say_what_the_table_says() {
    let Some(idle) = server() else { return };
    for (log, _, there, valid) in cases() {
        let folder = folder(log.as_bytes());
        let file = folder.path().join("appendonlydir/a");
        let about = log.escape_debug().to_string();
        assert_eq!(idle.check_aof(&file).is_ok(), valid, "{about}");
        let does = if let Some(server) = start(folder.path()) {
            drop(server);
            let len = fs::metadata(&file).unwrap().len();
            if len == log.len() as u64 { Loads } else { Cuts(len) }
        } else {
            Refuses
        };
        assert_eq!(does, there, "{about}");
    }
}
