//! The asynchronous calls.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tallis::{Profile, Store};

use super::client::{
    AsyncCommands, ErrorKind, RedisResult, ServerErrorKind, Value, aio, cmd, pipe,
};
use super::open;

/// Returns the output of a future that is ready when it is first polled.
fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("there is nothing to wait for"),
    }
}

#[test]
fn single_commands_and_iterators() {
    let store = Store::new();
    let mut con = open(&store);
    ready(async {
        let _: () = con.set("k", 41).await.unwrap();
        let sum: i64 = con.incr("k", 1).await.unwrap();
        assert_eq!(sum, 42);
        let wrong: RedisResult<()> = con.sadd("k", 1).await;
        assert_eq!(wrong.unwrap_err().code(), Some("WRONGTYPE"));
        let _: usize = con.sadd("s", (0..300).collect::<Vec<i32>>()).await.unwrap();
        let mut found = 0;
        let mut members = con.sscan::<_, i32>("s").await.unwrap();
        while members.next_item().await.is_some() {
            found += 1;
        }
        assert_eq!(found, 300);
    });
    assert_eq!(aio::ConnectionLike::get_db(&con), 0);
}

#[test]
fn nothing_runs_before_it_is_polled() {
    let store = Store::new();
    let mut con = open(&store);
    let mut set = cmd("SET");
    set.arg("k").arg("v");
    drop(aio::ConnectionLike::req_packed_command(&mut con, &set));
    assert_eq!(store.dbsize().unwrap(), 0);
}

#[test]
fn pipelines() {
    let store = Store::new();
    let mut con = open(&store);
    ready(async {
        let mut pipeline = pipe();
        pipeline.set("n", 1).ignore().incr("n", 1).get("n");
        assert_eq!(pipeline.query_async(&mut con).await, Ok((2, 2)));
        assert_eq!(pipeline.atomic().query_async(&mut con).await, Ok((2, 2)));

        let nothing = pipe().query_async::<Value>(&mut con).await.unwrap_err();
        assert_eq!(nothing.to_string(), "empty command - Client");
        let mut refused = pipe();
        refused.atomic().incr("n", 1).cmd("NOSUCH");
        let error = refused.query_async::<Value>(&mut con).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Server(ServerErrorKind::ExecAbort));
        assert_eq!(con.get("n").await, Ok(2));

        let _: usize = con.sadd("s", "m").await.unwrap();
        let mut scan = cmd("SSCAN");
        scan.arg("s").cursor_arg(0);
        let mut scans = pipe();
        scans.add_command(scan).scard("s");
        let (page, card): ((u64, Vec<String>), i64) = scans.query_async(&mut con).await.unwrap();
        assert_eq!((page, card), ((0, vec!["m".to_owned()]), 1));
    });
}

#[test]
fn a_transaction_is_retried_on_a_clone() {
    let store = Store::builder().profile(Profile::Redis82).build();
    store.set("n", 1).unwrap();
    let con = open(&store);
    let mut again = con.clone();
    let mut rounds = 0;
    let (doubled,): (i64,) = ready(aio::transaction_async(con, &["n"], |mut con, mut pipeline| {
        rounds += 1;
        if rounds == 1 {
            store.set("n", 21).unwrap();
        }
        async move { pipeline.get("n").query_async(&mut con).await }
    }))
    .unwrap();
    assert_eq!((rounds, doubled), (2, 21));
    let info: String = ready(cmd("CLIENT").arg("INFO").query_async(&mut again)).unwrap();
    assert!(info.contains(" watch=0 "), "{info}");
}

#[test]
fn tasks_use_clones() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = Store::new();
    let con = open(&store);
    runtime.block_on(async {
        let tasks: Vec<_> = (0..10)
            .map(|task| {
                let mut con = con.clone();
                tokio::spawn(async move {
                    for _ in 0..100 {
                        let key = format!("task:{task}");
                        let (_, _): (i64, i64) = pipe()
                            .atomic()
                            .incr("all", 1)
                            .incr(key, 1)
                            .query_async(&mut con)
                            .await
                            .unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    assert_eq!(store.get_as::<i64>("all").unwrap(), 1000);
}
