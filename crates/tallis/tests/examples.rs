//! The examples, run.

use std::io::{Read, Write};
use std::net::TcpStream;

#[path = "../examples/ip_cities.rs"]
mod ip_cities;
#[path = "../examples/visits.rs"]
#[expect(dead_code, reason = "its main serves for ever")]
mod visits;
#[path = "../examples/votes.rs"]
mod votes;

#[test]
fn addresses_have_cities() {
    ip_cities::main().unwrap();
}

#[test]
fn votes_count_once() {
    votes::main().unwrap();
}

#[test]
fn a_handler_counts_visitors_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        runtime.block_on(async { axum::serve(listener, visits::app()).await })
    });
    let post = |id: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!(
            "POST /visits/{id} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        body.to_owned()
    };
    assert_eq!(["alice", "bob", "alice", "caf%C3%A9"].map(post), ["1", "2", "2", "3"]);
}
