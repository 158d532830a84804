#![allow(missing_docs, clippy::all, clippy::pedantic)]
use std::hint::black_box;
use std::time::Instant;
use jiff::civil::date;
use tallis::{ShardForm, ShardedSet, Store, Visitors};

fn ids(n: usize) -> Vec<i64> {
    let mut x: u64 = 0x9e3779b97f4a7c15;
    (0..n).map(|_| { x ^= x << 13; x ^= x >> 7; x ^= x << 17; (x >> 4) as i64 }).collect()
}
fn time(name: &str, n: usize, mut f: impl FnMut()) {
    let t = Instant::now();
    f();
    println!("{name:32} {:7.1} ns", t.elapsed().as_nanos() as f64 / n as f64);
}
fn main() {
    let arg = |n: usize, d: usize| std::env::args().nth(n).and_then(|a| a.parse().ok()).unwrap_or(d);
    let n = arg(1, 400_000);
    if let Some(which) = std::env::args().nth(3) { return one(&which, n); }
    let ids = ids(n);
    let day = date(2015, 5, 17);
    for round in 0..arg(2, 3) {
        println!("-- {round}");
        for (form, name) in [(ShardForm::Forecast, "forecast"), (ShardForm::Splitting, "splitting"), (ShardForm::Compact, "compact")] {
            let store = Store::builder().hash_seed(1).build();
            let v = Visitors::new(store.clone()).default_yesterday(n as u64).form(form);
            time(&format!("visit new {name}"), n, || for &id in &ids { black_box(v.count_id(id, day).unwrap()); });
            time(&format!("visit again {name}"), n, || for &id in &ids { black_box(v.count_id(id, day).unwrap()); });
            let b = v.bucket(day).unwrap();
            time(&format!("visit again bucket {name}"), n, || for &id in &ids { black_box(b.count_id(id).unwrap()); });
            time(&format!("ids {name}"), n, || { black_box(v.ids(day).unwrap()); });
            let t = Instant::now();
            std::thread::scope(|s| { for k in 0..2 { let (v, ids) = (&v, &ids); s.spawn(move || for &id in &ids[k * n / 2..][..n / 2] { black_box(v.count_id(id, day).unwrap()); }); } });
            println!("{:32} {:7.1} ns", format!("2 threads again {name}"), t.elapsed().as_nanos() as f64 / n as f64);
            let t = Instant::now();
            std::thread::scope(|s| { for k in 0..2 { let (v, ids) = (&v, &ids); s.spawn(move || for &id in &ids[k * n / 2..][..n / 2] { black_box(v.count_id(id, date(2015,5,18+k as i8)).unwrap()); }); } });
            println!("{:32} {:7.1} ns", format!("2 threads new 2 days {name}"), t.elapsed().as_nanos() as f64 / n as f64);
        }
        let store = Store::builder().hash_seed(1).build();
        let set = ShardedSet::new(store.clone(), "s", n as u64, 512);
        time("set add fixed", n, || for &id in &ids { black_box(set.add(id).unwrap()); });
        time("set contains fixed", n, || for &id in &ids { black_box(set.contains(id).unwrap()); });
        let other = ShardedSet::new(store.clone(), "t", n as u64, 512);
        other.add_many(ids[..n / 2].iter()).unwrap();
        time("set inter fixed", n, || { black_box(set.inter([&other]).unwrap().count()); });
        time("set remove fixed", n, || for &id in &ids { black_box(set.remove(id).unwrap()); });
        for (name, set, other) in [("splitting", ShardedSet::splitting(store.clone(), "p"), ShardedSet::splitting(store.clone(), "q")), ("compact", ShardedSet::compact(store.clone(), "c", 60), ShardedSet::compact(store.clone(), "d", 60))] {
            time(&format!("set add {name}"), n, || for &id in &ids { black_box(set.add(id).unwrap()); });
            time(&format!("set contains {name}"), n, || for &id in &ids { black_box(set.contains(id).unwrap()); });
            other.add_many(ids[..n / 2].iter()).unwrap();
            time(&format!("set inter {name}"), n, || { black_box(set.inter([&other]).unwrap().count()); });
            time(&format!("set remove {name}"), n, || for &id in &ids { black_box(set.remove(id).unwrap()); });
        }
    }
}

#[inline(never)]
fn measured_new(v: &Visitors, ids: &[i64]) { let day = date(2015, 5, 17); for &id in ids { black_box(v.count_id(id, day).unwrap()); } }
#[inline(never)]
fn measured_again(v: &Visitors, ids: &[i64]) { let day = date(2015, 5, 17); for &id in ids { black_box(v.count_id(id, day).unwrap()); } }
#[inline(never)]
fn measured_add(v: &ShardedSet, ids: &[i64]) { for &id in ids { black_box(v.add(id).unwrap()); } }
#[inline(never)]
fn measured_contains(v: &ShardedSet, ids: &[i64]) { for &id in ids { black_box(v.contains(id).unwrap()); } }
#[inline(never)]
fn measured_remove(v: &ShardedSet, ids: &[i64]) { for &id in ids { black_box(v.remove(id).unwrap()); } }
fn one(which: &str, n: usize) {
    let ids = ids(n);
    let store = Store::builder().hash_seed(1).build();
    let form = match which { "forecast" => ShardForm::Forecast, "splitting" => ShardForm::Splitting, _ => ShardForm::Compact };
    let v = Visitors::new(store.clone()).default_yesterday(n as u64).form(form);
    measured_new(&v, &ids); measured_again(&v, &ids);
    let set = match which { "forecast" => ShardedSet::new(store.clone(), "s", n as u64, 512), "splitting" => ShardedSet::splitting(store.clone(), "s"), _ => ShardedSet::compact(store.clone(), "s", 60) };
    measured_add(&set, &ids); measured_contains(&set, &ids); measured_remove(&set, &ids);
}
