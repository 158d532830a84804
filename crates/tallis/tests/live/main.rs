//! Tallis compared with a live `redis-server`: the same commands, the same replies, the same bytes.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

#[path = "../answer/mod.rs"]
mod answer;
#[cfg(all(feature = "async", feature = "redis2"))]
#[path = "../backends/mod.rs"]
mod backends;
mod bits;
mod blooms;
mod both;
mod bytes;
mod clients;
mod cohorts;
mod commands;
mod described;
mod differential;
mod digests;
mod every_type;
mod files;
mod geo;
mod hashes;
mod hlls;
#[path = "../journal/mod.rs"]
mod journal;
mod left_out;
mod limits;
mod lines;
mod lists;
mod locations;
mod lua;
mod lzf;
mod nulls;
mod pages;
mod passing;
mod redis_crate;
mod scripts;
mod server;
mod servers_page;
mod settings;
mod slots;
mod sockets;
mod sort;
mod splitting;
#[path = "../answer/limits.rs"]
mod store_limits;
mod strings;
mod swaps;
mod windows;

use redis::{Connection, Value};
use tallis::{Profile, Reply};
use testkit::differential::Payload;

/// Whether a reply of Tallis equals the server's reply, in any order where Redis does not specify one.
fn same(ours: &Reply, theirs: &Result<Value, String>) -> bool {
    match (ours, theirs) {
        (Reply::Error(ours), Err(theirs)) => ours.to_string() == *theirs,
        (ours, Ok(theirs)) => same_value(ours, theirs),
        (_, Err(_)) => false,
    }
}

fn same_value(ours: &Reply, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Reply::Nil | Reply::NullArray, Value::Nil) => true,
        (Reply::Status(ours), Value::Okay) => ours == "OK",
        (Reply::Status(ours), Value::SimpleString(theirs)) => ours == theirs,
        (Reply::Int(ours), Value::Int(theirs)) => ours == theirs,
        (Reply::Bulk(ours), Value::BulkString(theirs)) => ours == theirs,
        (Reply::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(ours, theirs)| same_value(ours, theirs))
        }
        (Reply::Map(_), Value::Array(_)) => {
            same_value(&ours.clone().into_resp2(Profile::default()), theirs)
        }
        (Reply::Set(ours), Value::Array(theirs)) => {
            let mut ours: Vec<&[u8]> = ours.iter().map(bulk).collect();
            let mut theirs: Vec<&[u8]> =
                theirs.iter().map(|member| testkit::live::as_bytes(member).unwrap()).collect();
            ours.sort_unstable();
            theirs.sort_unstable();
            ours == theirs
        }
        _ => false,
    }
}

fn bulk(reply: &Reply) -> &[u8] {
    let Reply::Bulk(bytes) = reply else { panic!("a byte string was expected, {reply:?} came") };
    bytes
}

/// Runs one command on the server and expects no error.
fn run<A: AsRef<[u8]>>(server: &mut Connection, args: &[A]) -> Value {
    testkit::live::command(server, args).unwrap()
}

/// The value in a DUMP payload, without differences that are allowed between two correct ones.
fn dumped(payload: &[u8]) -> Payload {
    Payload::read(payload).unwrap()
}
