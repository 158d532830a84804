//! Compares the asynchronous forms with the blocking ones.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::BTreeMap;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, Store};

use super::ShardedSet;
use crate::backend::{AsyncBackend, Backend, Keyspace};
use crate::{AsyncServer, Server};

/// How many handles there are on the first set. Each assumes one shard until it reads the number.
const HANDLES: usize = 6;

/// Three sets of one form; the first has several handles.
struct Sets<B> {
    a: [ShardedSet<B>; HANDLES],
    b: ShardedSet<B>,
    into: ShardedSet<B>,
}

impl<B: Keyspace + Clone> Sets<B> {
    fn all(backend: &B) -> [Self; 4] {
        let backend = || backend.clone();
        [
            Self::of("forecast", |base| ShardedSet::new(backend(), base, 20_000, 512)),
            Self::of("tagged", |base| ShardedSet::tagged(backend(), base, 20_000, 512)),
            Self::of("splitting", |base| ShardedSet::splitting(backend(), base)),
            Self::of("compact", |base| ShardedSet::compact(backend(), base, 60)),
        ]
    }

    fn of(form: &str, open: impl Fn(String) -> ShardedSet<B>) -> Self {
        let open = |name| open(format!("{form}:{name}"));
        Self { a: [(); HANDLES].map(|()| open("a")), b: open("b"), into: open("into") }
    }
}

fn text<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    format!("{:?}", outcome.map_err(|error| error.to_string()))
}

fn sorted(members: Result<Vec<Bytes>, Error>) -> String {
    text(members.map(|mut members| {
        members.sort_unstable();
        members
    }))
}

/// Returns the members of a set, and the results with another.
fn read<B: Backend>(a: &ShardedSet<B>, b: &ShardedSet<B>) -> [String; 4] {
    [
        sorted(a.members().collect()),
        sorted(a.inter([b]).and_then(Iterator::collect)),
        sorted(a.union([b]).and_then(Iterator::collect)),
        sorted(a.diff([b]).and_then(Iterator::collect)),
    ]
}

async fn read_async<B: AsyncBackend>(a: &ShardedSet<B>, b: &ShardedSet<B>) -> [String; 4] {
    [
        sorted(a.members_async().await),
        sorted(a.inter_async([b]).await),
        sorted(a.union_async([b]).await),
        sorted(a.diff_async([b]).await),
    ]
}

/// Returns an id that is spread over all of its bits.
fn spread(id: i64) -> i64 {
    id.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed()) & ((1 << 60) - 1)
}

#[blocking_and_async]
async fn ask<B: Backend>(sets: &Sets<B>) -> Vec<String> {
    let ([a, second, third, fourth, fifth, sixth], b, into) = (&sets.a, &sets.b, &sets.into);
    let mut seen = Vec::new();
    for member in ["alpha", "alpha", "7", ""] {
        seen.push(text(a.add(member).await));
    }
    seen.push(text(a.add(u64::MAX).await));
    seen.push(text(a.add_many((0..2000).map(spread)).await));
    seen.push(text(a.add_many(["beta", "alpha"]).await));
    seen.push(text(second.add(spread(2000)).await));
    for id in 1000..2500 {
        seen.push(text(b.add(spread(id)).await));
    }
    seen.push(text(a.shards().await));
    seen.push(text(a.card().await));
    seen.push(text(third.contains(spread(3)).await));
    seen.push(text(third.contains("missing").await));
    let some = [spread(4), spread(4000), 7];
    seen.push(text(fourth.contains_many(some).await));
    seen.push(text(fifth.remove("alpha").await));
    seen.push(text(fifth.remove("alpha").await));
    seen.push(text(sixth.inter_card([b]).await));
    seen.extend(read(a, b).await);
    seen.push(text(a.inter_store([b], into).await));
    seen.push(text(into.card().await));
    seen.push(text(a.union_store([b], into).await));
    seen.push(text(a.diff_store([b], into).await));
    seen.push(text(a.inter_card([b, into]).await));
    for id in 0..1990 {
        seen.push(text(a.remove(spread(id)).await));
    }
    seen.push(text(a.shards().await));
    seen.extend(read(a, b).await);
    seen
}

/// All forms of sets, and operations on two forms at once.
#[blocking_and_async]
async fn ask_all<B: Backend>(all: &[Sets<B>; 4]) -> Vec<Vec<String>> {
    let mut seen = Vec::new();
    for sets in all {
        seen.push(ask(sets).await);
    }
    let [forecast, _, splitting, compact] = all;
    let mut refused = Vec::new();
    refused.push(text(forecast.b.inter_card([&splitting.b]).await));
    refused.push(text(splitting.b.union_store([&splitting.b], &compact.b).await));
    refused.extend(read(&compact.b, &forecast.b).await);
    seen.push(refused);
    seen
}

/// Returns the keys of a store with their values. Sets are their members, because the order in hash tables varies.
fn contents(store: &Store) -> BTreeMap<Bytes, (Option<&'static str>, String)> {
    let of_key = |key: Bytes| {
        let encoding = store.object_encoding(&key).unwrap();
        let is_level = key.ends_with(b":shards");
        let held = if is_level { text(store.get(&key)) } else { sorted(store.smembers(&key)) };
        (key, (encoding, held))
    };
    store.keys("*").unwrap().into_iter().map(of_key).collect()
}

fn is_send<T: Send>(future: T) -> T {
    future
}

#[tokio::test]
async fn futures_on_a_store_do_what_calls_do() {
    let (blocking, asynchronous) = (Store::new(), Store::new());
    let wanted = ask_all(&Sets::all(&blocking));
    assert_eq!(is_send(ask_all_async(&Sets::all(&asynchronous))).await, wanted);
    assert_eq!(contents(&asynchronous), contents(&blocking));
    assert!(wanted[..4].iter().flatten().all(|outcome| outcome.starts_with("Ok")));
    let is_refused: Vec<_> = wanted[4].iter().map(|outcome| outcome.starts_with("Err")).collect();
    assert_eq!(is_refused, [true, true, false, true, true, true], "all but its own members");
}

#[tokio::test]
async fn futures_on_a_server_do_what_calls_do() {
    let (blocking, asynchronous) = (Store::new(), Store::new());
    let server = Server::redis(blocking.redis_connection());
    let wanted = ask_all(&Sets::all(&server));
    let server = AsyncServer::redis(asynchronous.redis_connection());
    assert_eq!(is_send(ask_all_async(&Sets::all(&server))).await, wanted);
    assert_eq!(contents(&asynchronous), contents(&blocking));
    let is_done = |seen: &Vec<String>| seen.iter().all(|outcome| outcome.starts_with("Ok"));
    assert_eq!(
        [true, true, false, false, false],
        wanted.iter().map(is_done).collect::<Vec<_>>()[..]
    );
}

/// Many members are added batch by batch by a future too.
#[tokio::test]
async fn members_come_in_batches() {
    for set in
        [ShardedSet::new(Store::new(), "a", 1000, 512), ShardedSet::splitting(Store::new(), "a")]
    {
        assert_eq!(
            set.add_many_async((0..1000).map(|id| format!("member {id}"))).await.unwrap(),
            1000
        );
        let found = set.contains_many_async((998..2000).map(|id| format!("member {id}"))).await;
        assert_eq!(found.unwrap().iter().map(|&found| usize::from(found)).sum::<usize>(), 2);
        assert_eq!(set.contains_many_async([0; 0]).await.unwrap(), [false; 0]);
    }
}
