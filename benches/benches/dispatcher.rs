//! The dispatcher compared with the typed calls, on a thousand keys that fit into the caches.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tallis::Store;

const KEYS: usize = 1000;

fn dispatcher(c: &mut Criterion) {
    let mut group = c.benchmark_group("dispatcher");
    group.throughput(Throughput::Elements(KEYS as u64));
    let mut pair =
        |name: &str, typed: &dyn Fn(&Store, &str), words: &dyn Fn(&str) -> Vec<String>| {
            let store = Store::new();
            let keys: Vec<String> = (0..KEYS).map(|n| format!("key:{n}")).collect();
            if name == "get" {
                for key in &keys {
                    store.set(key, "value").unwrap();
                }
            }
            let words: Vec<Vec<String>> = keys.iter().map(|key| words(key)).collect();
            let words: Vec<Vec<&str>> =
                words.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
            group.bench_function(format!("{name}, typed"), |b| {
                b.iter(|| {
                    for key in &keys {
                        typed(&store, key);
                    }
                });
            });
            group.bench_function(format!("{name}, by words"), |b| {
                b.iter(|| {
                    for words in &words {
                        black_box(store.execute(words));
                    }
                });
            });
        };
    let command = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    pair("get", &|store, key| drop(black_box(store.get(key).unwrap())), &|key| {
        command(&["GET", key])
    });
    pair("set", &|store, key| store.set(key, "value").unwrap(), &|key| {
        command(&["SET", key, "value"])
    });
    pair(
        "incr",
        &|store, key| {
            black_box(store.incr(key, 1).unwrap());
        },
        &|key| command(&["INCR", key]),
    );
    pair(
        "sadd",
        &|store, key| {
            black_box(store.sadd("members", [key]).unwrap());
        },
        &|key| command(&["SADD", "members", key]),
    );
    group.finish();
}

criterion_group!(benches, dispatcher);
criterion_main!(benches);
