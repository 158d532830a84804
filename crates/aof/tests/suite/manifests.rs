//! Valid and invalid manifests: the result of this crate, and of a live server that starts on them.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::fs;
use std::path::Path;

use aof::ManifestErrorKind::{
    Empty, LineTooLong, Name, Nul, Order, Pairs, SecondBase, Sequence, Type, UnbalancedQuotes,
    Unterminated,
};
use aof::{AddError, BaseFormat, Manifest, ManifestErrorKind};
use testkit::live::{Options, Server, as_bytes, command, locate, server};

struct Case {
    text: Vec<u8>,
    /// The lines as they are written again, or the line number and the error.
    ours: Result<&'static str, (usize, ManifestErrorKind)>,
    /// Whether a server starts on it.
    starts: bool,
}

/// Both sides accept it, and it is written like this.
fn good(text: &str, written: &'static str) -> Case {
    Case { text: text.into(), ours: Ok(written), starts: true }
}

/// Both sides accept it, and it is written unchanged.
fn same(text: &'static str) -> Case {
    good(text, text)
}

/// Both sides reject it.
fn bad(text: impl Into<Vec<u8>>, line: usize, kind: ManifestErrorKind) -> Case {
    Case { text: text.into(), ours: Err((line, kind)), starts: false }
}

/// Only this crate rejects it.
fn stricter(text: impl Into<Vec<u8>>, line: usize, kind: ManifestErrorKind) -> Case {
    Case { starts: true, ..bad(text, line, kind) }
}

/// A line of this many bytes, including its line feed.
fn long(bytes: usize) -> String {
    let line = "file a seq 1 type b pad ";
    format!("{line}{}\n", "x".repeat(bytes - line.len() - 1))
}

fn order_and_kinds() -> Vec<Case> {
    vec![
        same("file a seq 1 type b\n"),
        same("file a seq 1 type i\n"),
        same("file a seq 1 type b\nfile b seq 1 type i\nfile c seq 2 type i\n"),
        same("file a seq 7 type b\nfile b seq 3 type i\nfile c seq 9 type i\n"),
        // The kinds may come in any order, and each may have the same number.
        good(
            "file b seq 1 type i\nfile h seq 1 type h\nfile a seq 1 type b\n",
            "file a seq 1 type b\nfile h seq 1 type h\nfile b seq 1 type i\n",
        ),
        // Those of the history may be in any order.
        same(
            "file a seq 9 type b\nfile h seq 5 type h\nfile h2 seq 5 type h\nfile h3 seq 2 type h\n",
        ),
        // A name may occur twice, and its file is then loaded twice.
        same("file a seq 1 type b\nfile a seq 1 type i\n"),
        bad("file a seq 1 type b\nfile b seq 2 type b\n", 2, SecondBase),
        bad("file a seq 1 type b\n#\nfile a seq 1 type b\n", 3, SecondBase),
        bad("file a seq 1 type i\nfile b seq 1 type i\n", 2, Order),
        bad("file a seq 2 type i\nfile b seq 1 type i\n", 2, Order),
        bad("file a seq 0 type b\n", 1, Sequence),
        bad("file a seq x type b\n", 1, Sequence),
        bad("file a seq \"\" type b\n", 1, Sequence),
        bad("file a seq -1 type i\n", 1, Order),
        same("file a seq -1 type b\nfile b seq 1 type i\n"),
        good("file a seq +12x type b\n", "file a seq 12 type b\n"),
        good("file a seq \"\\x0b 7\" type b\n", "file a seq 7 type b\n"),
        good("file a seq 99999999999999999999 type b\n", "file a seq 9223372036854775807 type b\n"),
        good(
            "file a seq -99999999999999999999 type b\n",
            "file a seq -9223372036854775808 type b\n",
        ),
        bad(
            "file a seq 9223372036854775807 type i\nfile b seq 9999999999999999999999 type i\n",
            2,
            Order,
        ),
        bad("file a seq 1 type x\n", 1, Type),
        bad("file a seq 1 type B\n", 1, Type),
        bad("file a seq 1 type \"\"\n", 1, Type),
        good("file a seq 1 type base\n", "file a seq 1 type b\n"),
    ]
}

fn words() -> Vec<Case> {
    let long = [b"file a seq 1 type b\nfile ", &[0xff; 253][..], b" seq 1 type h\n"].concat();
    vec![
        stricter(long, 2, Name),
        good("type b seq 1 file a\n", "file a seq 1 type b\n"),
        good("FILE a Seq 1 tYPE b\n", "file a seq 1 type b\n"),
        good(" \t file\ta  seq 1 type b \t\r\n", "file a seq 1 type b\n"),
        good("file a seq 1 type b color red\n", "file a seq 1 type b\n"),
        good("color \"a b\" file a seq 1 type b\n", "file a seq 1 type b\n"),
        // The last value applies.
        good("file b seq 1 type b file a type i\n", "file a seq 1 type i\n"),
        bad("file a seq 1 type\n", 1, Pairs),
        bad("file a seq 1\n", 1, Pairs),
        bad("file a seq 1 type b color\n", 1, Pairs),
        bad("file a seq 1 color red\n", 1, Type),
        bad("file a color red type b\n", 1, Sequence),
        bad("color red seq 1 type b\n", 1, Name),
        good("file \"a b\" seq 1 type b\n", "file \"a b\" seq 1 type b\n"),
        good("file 'a b' seq \"1\" type 'b'\n", "file \"a b\" seq 1 type b\n"),
        good("file \"\\x61\" seq 1 type b\n", "file a seq 1 type b\n"),
        same("file \"\\x01\\xff\\t\" seq 1 type b\n"),
        // Redis would write the name without quotes, and could not read it again.
        good("file \"it's\" seq 1 type b\n", "file \"it's\" seq 1 type b\n"),
        // In C, a NUL ends the string.
        good("file \"a\\x00b\" seq \"1\\x002\" type b\n", "file a seq 1 type b\n"),
        bad("file \"a seq 1 type b\n", 1, UnbalancedQuotes),
        bad("file \"a\"b seq 1 type b\n", 1, UnbalancedQuotes),
        bad("file it's seq 1 type b\n", 1, UnbalancedQuotes),
        bad("file ../a seq 1 type b\n", 1, Name),
        bad("file \"a\\\\b\" seq 1 type b\n", 1, Name),
        bad("file a\\b seq 1 type b\n", 1, Name),
        // No server can load these files, but it accepts them as history.
        bad("file \"\" seq 1 type i\n", 1, Name),
        bad("file . seq 1 type b\n", 1, Name),
        stricter("file a seq 1 type b\nfile .. seq 1 type h\n", 2, Name),
        stricter("file a seq 1 type b\nfile \"\" seq 1 type h\n", 2, Name),
    ]
}

fn lines() -> Vec<Case> {
    let comment = |bytes: usize| format!("#{}\nfile a seq 1 type b\n", "x".repeat(bytes - 2));
    vec![
        bad("", 1, Empty),
        good("#\n", ""),
        // A comment need not end with a line feed.
        good("# a comment", ""),
        good("# one\n#two\nfile a seq 1 type b\n#", "file a seq 1 type b\n"),
        bad("\n", 1, Pairs),
        bad("file a seq 1 type b\n\n", 2, Pairs),
        bad("file a seq 1 type b\n \t\r\n", 2, Pairs),
        bad(" # no comment\n", 1, Pairs),
        bad("file a seq 1 type b", 1, Unterminated),
        bad("file a seq 1 type b\nfile b seq 1 type i", 2, Unterminated),
        good(&long(Manifest::MAX_LINE), "file a seq 1 type b\n"),
        bad(long(Manifest::MAX_LINE + 1), 1, LineTooLong),
        good(&comment(Manifest::MAX_LINE), "file a seq 1 type b\n"),
        // Redis reads the rest of a long comment as another line, empty or not.
        bad(comment(Manifest::MAX_LINE + 1), 1, Pairs),
        bad(comment(Manifest::MAX_LINE + 9), 1, Pairs),
        bad("file a seq 1 type b\0\n", 1, Nul),
        bad("file a\0 seq 1 type b\n", 1, Nul),
        bad("\0\n", 1, Nul),
        good("#\0\nfile a seq 1 type b\n", "file a seq 1 type b\n"),
    ]
}

fn cases() -> Vec<Case> {
    [order_and_kinds(), words(), lines()].into_iter().flatten().collect()
}

#[test]
fn manifests_are_read_by_the_rules_of_redis() {
    for Case { text, ours, .. } in cases() {
        let about = text.escape_ascii().to_string();
        match (Manifest::parse(&text), ours) {
            (Ok(manifest), Ok(written)) => {
                assert_eq!(String::from_utf8(manifest.to_bytes()).unwrap(), written, "{about}");
                if !written.is_empty() {
                    let again = Manifest::parse(written.as_bytes());
                    assert_eq!(again, Ok(manifest), "{about}");
                }
            }
            (Err(error), Err((line, kind))) => {
                assert_eq!((error.line, error.kind), (line, kind), "{about}");
            }
            (got, want) => panic!("{about}: {got:?}, not {want:?}"),
        }
    }
}

/// A server on a directory, or its message before it exited.
fn start(folder: &Path, settings: &[[&str; 2]]) -> Result<Server, String> {
    let mut options = Options::new()
        .config("appendonly", "yes")
        .config("auto-aof-rewrite-percentage", "0")
        .config("dir", folder.to_str().unwrap());
    for [name, value] in settings {
        options = options.config(name, value);
    }
    let program = locate().unwrap();
    Server::start(&program, &options).map_err(|error| {
        assert_ne!(error.kind(), std::io::ErrorKind::TimedOut, "{error}");
        error.to_string()
    })
}

/// How the server changes a manifest when it starts: it requires a base or an increment, and an increment to append to;
/// it removes the history.
fn started(text: &[u8], mut manifest: Manifest) -> Vec<u8> {
    let before = manifest.clone();
    if manifest.files().next().is_none() {
        manifest.add_base(b"appendonly.aof", BaseFormat::Rdb).unwrap();
    }
    if manifest.increments().is_empty() {
        manifest.add_increment(b"appendonly.aof").unwrap();
    }
    manifest.take_history();
    if manifest == before { text.to_vec() } else { manifest.to_bytes() }
}

#[test]
fn a_server_starts_on_the_same_manifests() {
    if server().is_none() {
        return;
    }
    let names: [&[u8]; 10] =
        [b"a", b"b", b"c", b"h", b"h2", b"h3", b"a b", b"it's", b"x", b"\x01\xff\t"];
    for Case { text, ours, starts } in cases() {
        let about = text.escape_ascii().to_string();
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("appendonlydir");
        fs::create_dir(&log).unwrap();
        for name in names {
            let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(name);
            fs::write(log.join(name), "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n").unwrap();
        }
        let path = log.join("appendonly.aof.manifest");
        fs::write(&path, &text).unwrap();
        match start(folder.path(), &[]) {
            Ok(server) => {
                assert!(starts, "{about}");
                drop(server);
                if ours.is_ok() {
                    let want = started(&text, Manifest::parse(&text).unwrap());
                    let got = fs::read(&path).unwrap();
                    if text.contains(&b'\'') && want.contains(&b'\'') {
                        // Redis cannot read the manifest that it has written.
                        assert!(Manifest::parse(&got).is_err(), "{about}");
                        assert!(start(folder.path(), &[]).is_err(), "{about}");
                        continue;
                    }
                    assert_eq!(got.escape_ascii().to_string(), want.escape_ascii().to_string());
                }
            }
            Err(log) => assert!(!starts, "{about}: {log}"),
        }
    }
}

#[test]
fn a_rewrite_changes_a_manifest_as_the_server_does() {
    if server().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("appendonlydir");
    fs::create_dir(&log).unwrap();
    let mut manifest = Manifest::new();
    for _ in 0..2 {
        let name = manifest.add_increment(b"appendonly.aof").unwrap().name();
        fs::write(log.join(std::str::from_utf8(name).unwrap()), "*1\r\n$4\r\nPING\r\n").unwrap();
    }
    let path = log.join("appendonly.aof.manifest");
    assert_eq!(
        log.join(std::str::from_utf8(&Manifest::file_name(b"appendonly.aof")).unwrap()),
        path
    );
    fs::write(&path, manifest.to_bytes()).unwrap();

    let server = start(folder.path(), &[["aof-disable-auto-gc", "yes"]]).unwrap();
    let mut connection = server.connect();
    for format in [BaseFormat::Rdb, BaseFormat::Commands, BaseFormat::Rdb] {
        let preamble = if format == BaseFormat::Rdb { "yes" } else { "no" };
        command(&mut connection, &["CONFIG", "SET", "aof-use-rdb-preamble", preamble]).unwrap();
        command(&mut connection, &["BGREWRITEAOF"]).unwrap();
        while !info(&mut connection).contains("aof_rewrite_in_progress:0") {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        manifest.add_increment(b"appendonly.aof").unwrap();
        manifest.add_base(b"appendonly.aof", format).unwrap();
        manifest.retire_increments(1);
        let got = String::from_utf8(fs::read(&path).unwrap()).unwrap();
        assert_eq!(got, String::from_utf8(manifest.to_bytes()).unwrap());
        assert_eq!(Manifest::parse(got.as_bytes()), Ok(manifest.clone()));
    }
    assert_eq!(manifest.history().len(), 2 + 1 + 1 + 1 + 1);

    // The server removes the history only after another rewrite of the log.
    command(&mut connection, &["CONFIG", "SET", "aof-disable-auto-gc", "no"]).unwrap();
    command(&mut connection, &["BGREWRITEAOF"]).unwrap();
    while !info(&mut connection).contains("aof_rewrite_in_progress:0") {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    manifest.add_increment(b"appendonly.aof").unwrap();
    manifest.add_base(b"appendonly.aof", BaseFormat::Rdb).unwrap();
    manifest.retire_increments(1);
    let removed = manifest.take_history();
    assert_eq!(fs::read(&path).unwrap(), manifest.to_bytes());
    assert_eq!(removed.len(), 8);
}

fn info(connection: &mut redis::Connection) -> String {
    let reply = command(connection, &["INFO", "persistence"]).unwrap();
    String::from_utf8_lossy(as_bytes(&reply).unwrap()).into_owned()
}

#[test]
fn numbers_and_names_of_further_files() {
    let mut manifest = Manifest::parse(
        b"file log.2.base.rdb seq 1 type b\nfile log.1.incr.aof seq 1 type h\nfile log.3.base.rdb seq 3 type h\n",
    )
    .unwrap();
    // A name that is taken is skipped; a server does not do so.
    assert_eq!(manifest.add_base(b"log", BaseFormat::Rdb).unwrap().name(), b"log.4.base.rdb");
    assert_eq!(manifest.add_increment(b"log").unwrap().name(), b"log.2.incr.aof");
    assert_eq!(manifest.add_increment(b"log").unwrap().sequence(), 3);
    manifest.retire_increments(0);
    assert_eq!(manifest.add_increment(b"log").unwrap().sequence(), 4);
    manifest.retire_increments(5);
    assert_eq!(manifest.increments().len(), 1);

    let below = b"file a seq -5 type b\n";
    let mut manifest = Manifest::parse(below).unwrap();
    assert_eq!(manifest.add_base(b"log", BaseFormat::Rdb).unwrap().sequence(), 1);

    let last = b"file a seq 9223372036854775807 type b\nfile b seq 9223372036854775807 type i\n";
    let manifest = Manifest::parse(last).unwrap();
    let mut same = manifest.clone();
    assert_eq!(same.add_base(b"log", BaseFormat::Rdb), Err(AddError::Sequence));
    assert_eq!(same.add_increment(b"log"), Err(AddError::Sequence));
    assert_eq!(same, manifest);

    let mut manifest = Manifest::new();
    for (log, error) in [
        (&b"a/b"[..], AddError::Name),
        (b"a\\b", AddError::Name),
        (b"a\0", AddError::Name),
        (&[b'x'; 1024], AddError::LineTooLong),
        // Each of these bytes takes four bytes in quotes.
        (&[0xff; 251], AddError::LineTooLong),
    ] {
        assert_eq!(manifest.add_base(log, BaseFormat::Rdb), Err(error));
        assert_eq!(manifest.add_increment(log), Err(error));
        assert_eq!(Manifest::of_single_file(log).map(drop), Err(error));
    }
    assert_eq!(manifest, Manifest::new());
    manifest.add_base(&[0xff; 240], BaseFormat::Commands).unwrap();
    assert_eq!(Manifest::parse(&manifest.to_bytes()), Ok(manifest));
}

#[test]
fn a_file_that_is_loaded_is_not_removed() {
    let text = b"file a seq 2 type b\nfile a seq 1 type h\nfile b seq 1 type h\n\
        file c seq 1 type h\nfile c seq 1 type i\n";
    let mut manifest = Manifest::parse(text).unwrap();
    let removed = manifest.take_history();
    assert_eq!(removed.iter().map(aof::Entry::name).collect::<Vec<_>>(), [b"b"]);
    assert!(manifest.history().is_empty());
}
