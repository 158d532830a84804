//! Pipelines, atomic or not, and transactions.

use tallis::Store;

use super::client::{
    self as redis, Commands, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value, cmd, pipe,
};
use super::open;

#[test]
fn a_pipeline_returns_the_replies_that_are_not_ignored() {
    let store = Store::new();
    let mut con = open(&store);
    let (a, all): (i64, Vec<i64>) = pipe()
        .set("a", 41)
        .ignore()
        .incr("a", 1)
        .cmd("RPUSH")
        .arg("l")
        .arg(&[1, 2, 3])
        .ignore()
        .lrange("l", 0, -1)
        .query(&mut con)
        .unwrap();
    assert_eq!((a, all), (42, vec![1, 2, 3]));
    let nothing = pipe().query::<Value>(&mut con).unwrap_err();
    assert_eq!(nothing.to_string(), "empty command - Client");
    let mut scan = cmd("SSCAN");
    store.sadd("s", ["m"]).unwrap();
    scan.arg("s").cursor_arg(0);
    let ((cursor, members),): ((u64, Vec<String>),) =
        pipe().add_command(scan).query(&mut con).unwrap();
    assert_eq!((cursor, members), (0, vec!["m".to_owned()]));
}

#[test]
fn an_error_in_a_pipeline_does_not_stop_the_others() {
    let store = Store::new();
    let mut con = open(&store);
    let mut pipeline = pipe();
    pipeline.set("a", "text").ignore().incr("a", 1).set("b", 1);
    let error: RedisError = pipeline.query::<Value>(&mut con).unwrap_err();
    assert_eq!(error.code(), Some("ERR"));
    assert_eq!(store.get_as::<i64>("b").unwrap(), 1);

    let all: Vec<RedisResult<Value>> = pipeline.ignore_errors().query(&mut con).unwrap();
    let are_errors: Vec<bool> = all.iter().map(RedisResult::is_err).collect();
    assert_eq!(are_errors, [true, false]);
}

#[test]
fn an_atomic_pipeline_runs_completely_or_not_at_all() {
    let store = Store::new();
    let mut con = open(&store);
    let both: (i64, i64) = pipe().atomic().incr("n", 1).incr("n", 1).query(&mut con).unwrap();
    assert_eq!(both, (1, 2));

    let error = pipe().atomic().incr("n", 1).cmd("NOSUCH").query::<Value>(&mut con).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Server(ServerErrorKind::ExecAbort));
    assert_eq!(store.get_as::<i64>("n").unwrap(), 2);
    // The session is no longer in the transaction.
    assert_eq!(cmd("PING").query(&mut con), Ok("PONG".to_owned()));

    // An error at run time does not revert the other commands.
    let mut pipeline = pipe();
    pipeline.atomic().incr("n", 1).sadd("n", 1);
    let errors = pipeline.query::<Value>(&mut con).unwrap_err().into_server_errors().unwrap();
    let [(1, error)] = &errors[..] else { panic!("{errors:?}") };
    assert_eq!(error.code(), "WRONGTYPE");
    assert_eq!(store.get_as::<i64>("n").unwrap(), 3);
}

#[test]
fn a_transaction_is_retried_when_a_watched_key_changes() {
    let store = Store::new();
    store.set("n", 1).unwrap();
    let mut con = open(&store);
    let mut rounds = 0;
    let (doubled,): (i64,) = redis::transaction(&mut con, &["n"], |con, pipeline| {
        rounds += 1;
        let n: i64 = con.get("n")?;
        if rounds == 1 {
            store.set("n", 21).unwrap();
        }
        pipeline.set("n", n * 2).ignore().get("n").query(con)
    })
    .unwrap();
    assert_eq!((rounds, doubled), (2, 42));
}
