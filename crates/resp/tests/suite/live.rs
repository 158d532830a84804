//! A live server reads every request in the same way, and its replies can be read and written again byte for byte.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use resp::{Protocol, Replies, Requests, Value, Writer, write_request};
use testkit::live::{Options, Server, server_with};

/// The server's reply to these bytes before it closes the connection.
fn said(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let mut stream = UnixStream::connect(server.socket()).unwrap();
    // The server may have closed the connection before all bytes were sent.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

/// The replies of a server that knows PING and ECHO.
fn ours(bytes: &[u8]) -> Vec<u8> {
    let mut requests = Requests::new();
    requests.feed(bytes);
    let mut out = Vec::new();
    loop {
        let words = requests.take();
        let mut writer = Writer::new(&mut out, Protocol::Resp2);
        match words {
            Ok(None) => return out,
            Ok(Some(words)) => match words[..] {
                [b"ECHO", text] => writer.bulk(text),
                _ => writer.status(b"PONG"),
            },
            Err(error) => {
                writer.error(&[b"ERR ", &error.message()[..]].concat());
                return out;
            }
        }
    }
}

#[test]
fn requests_are_read_as_the_server_reads_them() {
    let Some(server) = server_with(&Options::new()) else { return };
    let long = "1".repeat(65_537);
    let cases = [
        "PING\r\nPING\n\n\r\n  PING  \n",
        "ECHO \"a\\x41\\n\" \r\n",
        "ECHO 'a\\'b'\r\nECHO a\"b c\"\r\n",
        "ECHO \"a\"b\r\n",
        "ECHO 'a\r\nPING\r\n",
        "*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nECHO\r\n$0\r\n\r\n",
        "*0\r\n*-1\r\n*-5\r\nPING\r\n",
        "*1\rx$4\ryPINGzzPING\r\n",
        "*2\r\n$4\r\nECHO\r\n$2\r\nab..PING\r\n",
        "*x\r\n",
        "*\r\n",
        "*01\r\nPING\r\n",
        "*2147483648\r\n",
        "*1\r\nPING\r\n",
        "*1\r\n\r\n",
        "*1\r\n\n\r\n",
        "*1\r\n\0\r\n",
        "*1\r\n$\r\n",
        "*1\r\n$-1\r\n",
        "*1\r\n$536870913\r\n",
        "*1\r\n$00\r\n",
        "PING\r\n*1\r\n:1\r\nPING\r\n",
        "PING\0PING\r\n",
        &format!("*{long}"),
        &format!("*1\r\n${long}"),
        &long,
    ];
    for case in cases {
        let [ours, theirs] = [ours(case.as_bytes()), said(&server, case.as_bytes())];
        assert_eq!(
            ours.escape_ascii().to_string(),
            theirs.escape_ascii().to_string(),
            "{case:.60?}"
        );
    }
}

#[test]
fn replies_of_every_kind_are_read_and_written_again() {
    let options = Options::new().config("enable-debug-command", "yes");
    let Some(server) = server_with(&options) else { return };
    let kinds = [
        "string", "integer", "double", "null", "array", "set", "map", "verbatim", "true", "false",
        "bignum", "attrib", "push",
    ];
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let mut sent = Vec::new();
        if protocol == Protocol::Resp3 {
            write_request(&["HELLO", "3"], &mut sent);
        }
        // RESP2 has no attributes, and the server exits when it should write one.
        let kinds: Vec<&str> = kinds
            .into_iter()
            .filter(|&kind| protocol == Protocol::Resp3 || !matches!(kind, "attrib" | "push"))
            .collect();
        for kind in &kinds {
            write_request(&["DEBUG", "PROTOCOL", kind], &mut sent);
        }
        for words in [&["INFO", "server"][..], &["LPOP", "none", "1"], &["NOSUCH", "a\r\nb"]] {
            write_request(words, &mut sent);
        }
        let theirs = said(&server, &sent);
        let mut replies = Replies::new();
        replies.feed(&theirs);
        let mut again = Vec::new();
        let mut count = 0;
        while let Some(value) = replies.take().unwrap() {
            value.write(protocol, &mut again);
            count += 1;
            if count == 1 && protocol == Protocol::Resp3 {
                assert!(matches!(value, Value::Map(_)), "{value:?}");
            }
        }
        assert_eq!(again.escape_ascii().to_string(), theirs.escape_ascii().to_string());
        // HELLO, and the reply that is sent in addition to a push.
        assert_eq!(count, kinds.len() + 3 + if protocol == Protocol::Resp3 { 2 } else { 0 });
    }
}
