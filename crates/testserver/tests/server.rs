//! The server from the perspective of a client.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::thread;

use store::Store;
use testserver::{Config, Listen, Server};

fn serve(store: &Store) -> (Server, u16) {
    let server = Server::start(store, &Listen { port: Some(0), unix: None }).unwrap();
    let port = server.port().unwrap();
    (server, port)
}

/// The replies to these bytes before the connection ends.
fn said(port: u16, bytes: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_pipeline_is_answered_in_order() {
    let (_server, port) = serve(&Store::new());
    let answer =
        said(port, "SET k 1\r\n*2\r\n$4\r\nINCR\r\n$1\r\nk\r\nGET none\r\nHELLO 3\r\nGET none\r\n");
    assert!(answer.starts_with("+OK\r\n:2\r\n$-1\r\n%7\r\n"), "{answer}");
    assert!(answer.ends_with("*0\r\n_\r\n"), "{answer}");
    // More replies than are buffered.
    let many = said(port, &"PING\r\n".repeat(50_000));
    assert_eq!(many, "+PONG\r\n".repeat(50_000));
}

#[test]
fn an_invalid_request_ends_the_connection() {
    let (_server, port) = serve(&Store::new());
    let answer = said(port, "PING\r\n*1\r\n!\r\nPING\r\n");
    assert_eq!(answer, "+PONG\r\n-ERR Protocol error: expected '$', got '!'\r\n");
    assert_eq!(said(port, "PING\r\nQUIT\r\nPING\r\n"), "+PONG\r\n+OK\r\n");
}

#[test]
fn clients_have_their_own_sessions() {
    let store = Store::new();
    let (_server, port) = serve(&store);
    let clients = 0..8;
    let threads: Vec<_> = clients
        .map(|db| {
            thread::spawn(move || {
                let incr = "MULTI\r\nINCR n\r\nEXEC\r\n".repeat(200);
                said(port, &format!("SELECT {db}\r\n{incr}"))
            })
        })
        .collect();
    for (db, thread) in threads.into_iter().enumerate() {
        let answer = thread.join().unwrap();
        assert!(answer.ends_with("*1\r\n:200\r\n"), "{db}: {answer}");
    }
    assert_eq!(store.db(7).get("n").unwrap().as_deref(), Some(&b"200"[..]));
}

#[test]
fn commands_on_connections_are_answered() {
    let (_server, port) = serve(&Store::new());
    let requests =
        "CLIENT GETNAME\nCLIENT SETNAME me\nCLIENT GETNAME\nCLIENT REPLY on\nFUNCTION FLUSH\n";
    assert_eq!(said(port, requests), "$-1\r\n+OK\r\n$2\r\nme\r\n+OK\r\n+OK\r\n");
    assert_eq!(said(port, "CLIENT ID\n"), ":2\r\n");
    let refused = said(port, "CLIENT KILL 1\n");
    assert_eq!(refused, "-ERR unknown subcommand 'KILL'. Try CLIENT HELP.\r\n");
}

#[test]
fn a_transaction_cannot_shut_a_server_down() {
    let (_server, port) = serve(&Store::new());
    let answer = said(port, "MULTI\r\nSHUTDOWN\r\nEXEC\r\nPING\r\n");
    let refused = "-ERR Command not allowed inside a transaction\r\n";
    let aborted = "-EXECABORT Transaction discarded because of previous errors.\r\n";
    assert_eq!(answer, format!("+OK\r\n{refused}{aborted}+PONG\r\n"));
}

#[test]
fn requests_before_a_shutdown_are_answered_before_wait_returns() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..200 {
        let path = folder.path().join(n.to_string());
        let listen = Listen { port: None, unix: Some(path.clone()) };
        let server = Server::start(&Store::new(), &listen).unwrap();
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(b"PING\r\nSHUTDOWN NOSAVE\r\n").unwrap();
        server.wait();
        stream.set_nonblocking(true).unwrap();
        let mut answer = [0; 7];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"+PONG\r\n");
    }
}

#[test]
fn a_dropped_server_hangs_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listen = Listen { port: None, unix: Some(path.clone()) };
    let store = Store::new();
    for _ in 0..2 {
        // The second server finds the socket of the first one.
        let server = Server::start(&store, &listen).unwrap();
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(b"PING\r\n").unwrap();
        let mut answer = [0; 7];
        stream.read_exact(&mut answer).unwrap();
        drop(server);
        assert_eq!(stream.read(&mut answer).unwrap(), 0);
    }
}

#[test]
fn settings_come_from_a_file_and_options() {
    let mut config = Config::default();
    config
        .read(b"port 0\n# port 1\nset-max-intset-entries 3\nsave ''\nunixsocket '/a b'\n")
        .unwrap();
    config.read_options(["--save", "60", "1", "--databases", "2"].map(str::to_owned)).unwrap();
    assert_eq!(config.get("save"), Some(&b"60 1"[..]));
    assert_eq!(config.listen().unwrap(), Listen { port: None, unix: Some("/a b".into()) });
    let store = config.store().unwrap();
    assert_eq!(store.limits().set_max_intset_entries, 3);
    assert!(store.execute(&["SELECT", "2"]).is_error());
    assert!(config.read(b"port 0\nport '1\n").unwrap_err().to_string().starts_with("line 2: "));
    config.read_options(["--set-max-intset-entries".to_owned(), "x".to_owned()]).unwrap();
    let error = config.store().unwrap_err().to_string();
    assert!(error.starts_with("set-max-intset-entries: "), "{error}");
}

#[test]
fn the_program_starts_as_redis_server_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("redis.conf");
    let socket = folder.path().join("socket");
    let settings =
        format!("port 0\ndir {}\nunixsocket {}\n", folder.path().display(), socket.display());
    std::fs::write(&file, settings).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tallis-testserver"))
        .args(["--series", "7.0"])
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = Vec::new();
    let mut out = child.stdout.take().unwrap();
    while !log.ends_with(b"Ready to accept connections\n") {
        let mut byte = [0];
        assert_eq!(out.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&log));
        log.extend_from_slice(&byte);
    }
    assert!(String::from_utf8_lossy(&log).contains(&format!(" PID: {}\n", child.id())));
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.write_all(b"INFO server\r\nSHUTDOWN NOSAVE\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("redis_version:7.0."), "{answer}");
    assert!(child.wait().unwrap().success());
}
