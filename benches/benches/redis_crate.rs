//! A connection of the `redis` crate to a store, on a thousand keys that fit into the caches.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use redis::{Cmd, ConnectionLike, Value, cmd, pipe};
use tallis::Store;

const KEYS: usize = 1000;

fn connection(c: &mut Criterion) {
    let mut group = c.benchmark_group("redis_crate");
    group.throughput(Throughput::Elements(KEYS as u64));
    let store = Store::new();
    let keys: Vec<String> = (0..KEYS).map(|n| format!("key:{n}")).collect();
    for key in &keys {
        store.set(key, "value").unwrap();
    }
    let mut con = store.redis_connection();
    let get = |key: &String| cmd("GET").arg(key).take();
    let commands: Vec<Cmd> = keys.iter().map(get).collect();
    group.bench_function("get, words", |b| {
        b.iter(|| {
            for key in &keys {
                black_box(store.execute(&["GET", key]));
            }
        });
    });
    group.bench_function("get, a command that is there", |b| {
        b.iter(|| {
            for command in &commands {
                black_box(con.req_command(command).unwrap());
            }
        });
    });
    group.bench_function("get, a command and a query", |b| {
        b.iter(|| {
            for key in &keys {
                black_box(get(key).query::<Vec<u8>>(&mut con).unwrap());
            }
        });
    });
    group.bench_function("get, a pipeline", |b| {
        b.iter(|| {
            let mut pipeline = pipe();
            for command in &commands {
                pipeline.add_command(command.clone());
            }
            black_box(pipeline.query::<Value>(&mut con).unwrap())
        });
    });
    group.finish();
}

criterion_group!(benches, connection);
criterion_main!(benches);
