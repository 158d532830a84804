//! Tests of the handle on a live server, with a live server.

use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use redis::Value;
use testkit::live::{
    Options, Product, Server, Version, as_bytes, command, locate, named_with, redisbloom, server,
    server_with,
};

#[test]
fn a_server_answers_binary_arguments_and_ends_with_its_handle() {
    let Some(server) = server() else { return };
    assert!(server.version() >= Version::new(6, 0, 0), "{}", server.version());
    let mut connection = server.connect();
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(command(&mut connection, &[b"SET", &b"\xff\r\n\0"[..], &bytes]), Ok(Value::Okay));
    let reply = command(&mut connection, &[&b"GET"[..], b"\xff\r\n\0"]).expect("a reply");
    assert_eq!(as_bytes(&reply), Some(&bytes[..]));
    assert_eq!(
        command(&mut connection, &["LPUSH", "\u{ff}", "1"]),
        Ok(Value::Int(1)),
        "another key than the byte ff"
    );
    assert_eq!(
        command(&mut connection, &["INCR", "\u{ff}"]),
        Err("WRONGTYPE Operation against a key holding the wrong kind of value".to_owned())
    );
    let (folder, socket) = (server.folder().to_owned(), server.socket());
    let bystander = connect(&socket).expect("a connection while it runs");
    drop(server);
    assert!(connect(&socket).is_err(), "the process is gone");
    drop(bystander);
    assert!(!folder.exists(), "so is its folder");
}

fn connect(socket: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(socket)
}

/// This test runs itself as a child process that will be killed: there it starts a server and waits.
#[test]
fn a_server_ends_with_a_killed_process() {
    const ROLE: &str = "TALLIS_TEST_TO_BE_KILLED";
    const MARK: &str = "the socket is ";
    if env::var_os(ROLE).is_some() {
        let server = server().expect("the parent found a server");
        println!("{MARK}{}", server.socket().display());
        loop {
            sleep(Duration::from_secs(60));
        }
    }
    if server().is_none() {
        return;
    }
    let mut doomed = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "a_server_ends_with_a_killed_process", "--nocapture"])
        .env(ROLE, "1")
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program runs");
    let output = BufReader::new(doomed.stdout.take().expect("a pipe"));
    let socket = output
        .lines()
        .map_while(Result::ok)
        .find_map(|line| line.split_once(MARK).map(|(_, path)| PathBuf::from(path)))
        .expect("the socket's path");
    connect(&socket).expect("a connection while it runs");
    doomed.kill().expect("killed");
    doomed.wait().expect("reaped");
    let ended = (0..3_000).any(|_| {
        sleep(Duration::from_millis(10));
        connect(&socket).is_err()
    });
    assert!(ended, "the server outlives its process");
    fs::remove_dir_all(socket.parent().expect("a folder")).expect("removed");
}

#[test]
fn a_server_loads_a_file_and_leaves_it_unchanged() {
    let Some(first) = server() else { return };
    let mut connection = first.connect();
    assert_eq!(command(&mut connection, &["SADD", "set", "1", "2", "70000"]), Ok(Value::Int(3)));
    assert_eq!(command(&mut connection, &["SAVE"]), Ok(Value::Okay));
    let saved = fs::read(first.rdb_file()).expect("the file");
    let report = first.check_rdb(first.rdb_file()).expect("a sound file");
    assert!(report.contains("RDB looks OK!"), "{report}");

    let options = Options::new().rdb(first.rdb_file()).config("set-max-intset-entries", "2");
    let second = server_with(&options).expect("a second server");
    let mut connection = second.connect();
    assert_eq!(command(&mut connection, &["SCARD", "set"]), Ok(Value::Int(3)));
    assert_eq!(command(&mut connection, &["DEL", "set"]), Ok(Value::Int(1)));
    assert_eq!(command(&mut connection, &["SAVE"]), Ok(Value::Okay));
    assert_eq!(fs::read(first.rdb_file()).expect("the file"), saved);
    assert_ne!(fs::read(second.rdb_file()).expect("the file"), saved);
}

#[test]
fn the_checker_refuses_a_truncated_file() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    assert_eq!(command(&mut connection, &["SET", "key", "value"]), Ok(Value::Okay));
    assert_eq!(command(&mut connection, &["SAVE"]), Ok(Value::Okay));
    let bytes = fs::read(server.rdb_file()).expect("the file");
    let torn = server.folder().join("torn.rdb");
    fs::write(&torn, &bytes[..bytes.len() - 12]).expect("written");
    assert!(server.check_rdb(&torn).is_err());
}

#[test]
fn a_server_that_cannot_start_reports_why() {
    let Some(program) = locate() else { return };
    let options = Options::new().config("no-such-setting", "1");
    assert!(Server::start(&program, &options).is_err());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("broken.rdb");
    fs::write(&file, b"REDIS0010 and nothing that it could read").expect("written");
    let error = Server::start(&program, &Options::new().rdb(&file)).expect_err("a broken file");
    assert!(error.to_string().contains("RDB"), "{error}");
}

#[test]
fn servers_have_the_versions_in_their_names() {
    for (name, product, version, dumps) in [
        ("redis-7.0.15", Product::Redis, Version::new(7, 0, 15), 10),
        ("redis-8.2.3", Product::Redis, Version::new(8, 2, 3), 12),
        ("valkey-9.1.2", Product::Valkey, Version::new(9, 1, 2), 80),
        ("redis-6.2", Product::Redis, Version::new(6, 2, 5), 9),
    ] {
        // Some of the servers do not have these settings, or under other names.
        let options = Options::new()
            .config("enable-debug-command", "yes")
            .config("zset-max-listpack-entries", "2");
        let Some(server) = named_with(name, &options) else { continue };
        assert_eq!((server.product(), server.version()), (product, version), "{name}");
        let mut connection = server.connect();
        for add in [["1", "a"], ["2", "b"], ["3", "c"]] {
            command(&mut connection, &[&["ZADD", "key"], &add[..]].concat()).expect("added");
        }
        let encoding = command(&mut connection, &["OBJECT", "ENCODING", "key"]).expect("a key");
        assert_eq!(as_bytes(&encoding), Some(&b"skiplist"[..]), "{name}");
        let dump = command(&mut connection, &["DUMP", "key"]).expect("a payload");
        let dump = as_bytes(&dump).expect("bytes");
        assert_eq!(dump[dump.len() - 10..dump.len() - 8], [dumps, 0], "{name}");
        assert_eq!(command(&mut connection, &["DEBUG", "SLEEP", "0"]), Ok(Value::Okay), "{name}");
        assert_eq!(command(&mut connection, &["SAVE"]), Ok(Value::Okay), "{name}");
        assert!(
            server.check_rdb(server.rdb_file()).expect("sound").contains("looks OK!"),
            "{name}"
        );
    }
}

#[test]
fn redisbloom_has_the_version_in_its_name() {
    let Some(module) = redisbloom() else { return };
    let Some(server) = server_with(&Options::new().module(module)) else { return };
    let list = command(&mut server.connect(), &["MODULE", "LIST"]).expect("a list");
    // TALLIS_REDISBLOOM may name another version.
    if env::var_os("TALLIS_REDISBLOOM").is_none() {
        assert!(format!("{list:?}").contains("int(20802)"), "{list:?}");
    }
}
