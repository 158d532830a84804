//! Recipes on a server that sends arbitrary replies: each call returns, with an output or an error.

#![no_main]

use std::io;
use std::time::Duration;

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use redis::{ConnectionLike, RedisResult, Value, parse_redis_value};
use tallis::jiff::Timestamp;
use tallis::jiff::civil::date;
use tallis::{
    Bucket, Cohort, Cohorts, Dedup, Error, Funnel, Locations, Period, Quota, Server, ShardedHash,
    ShardedSet, SlidingCounter, SlidingWindow, UvFilling, UvWindows, Visitors, VisitorsForm,
};

/// A connection that builds each reply from the next bytes of the input. It is lost after the last byte.
struct Anything {
    bytes: Vec<u8>,
    taken: usize,
}

impl Anything {
    fn reply(&mut self) -> RedisResult<Value> {
        let mut rest = Unstructured::new(&self.bytes[self.taken..]);
        if rest.is_empty() {
            return Err(io::Error::from(io::ErrorKind::ConnectionReset).into());
        }
        let value = value(&mut rest, 0).unwrap_or(Value::Nil);
        self.taken = self.bytes.len() - rest.len();
        Ok(value)
    }
}

impl ConnectionLike for Anything {
    fn req_packed_command(&mut self, _: &[u8]) -> RedisResult<Value> {
        self.reply()?.extract_error()
    }

    fn req_packed_commands(&mut self, _: &[u8], _: usize, count: usize) -> RedisResult<Vec<Value>> {
        (0..count).map(|_| self.reply()).collect()
    }

    fn get_db(&self) -> i64 {
        0
    }

    fn check_connection(&mut self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        true
    }
}

/// Returns a reply. Most are replies that real servers send.
fn value(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let many = |bytes: &mut Unstructured<'_>| -> Result<Vec<Value>> {
        let len = if depth < 3 { bytes.int_in_range(0..=6)? } else { 0 };
        (0..len).map(|_| value(bytes, depth + 1)).collect()
    };
    Ok(match bytes.int_in_range(0..=13_u8)? {
        0 => Value::Nil,
        1 => Value::Int(i64::arbitrary(bytes)?),
        2 | 3 => Value::Int(bytes.int_in_range(-2..=9)?),
        4 => Value::BulkString(i64::arbitrary(bytes)?.to_string().into_bytes()),
        5 | 6 => Value::BulkString(bytes.int_in_range(0..=300_u16)?.to_string().into_bytes()),
        7 => {
            let len = bytes.int_in_range(0..=40)?;
            Value::BulkString(bytes.bytes(len)?.to_vec())
        }
        8 | 9 => Value::Array(many(bytes)?),
        10 => Value::Okay,
        11 => Value::Set(many(bytes)?),
        12 => Value::Double(f64::arbitrary(bytes)?),
        _ => {
            let texts: [&[u8]; 4] = [
                b"-NOSCRIPT No matching script.\r\n",
                b"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
                b"-MOVED 1 127.0.0.1:1\r\n",
                b"-ERR value is not an integer or out of range\r\n",
            ];
            parse_redis_value(bytes.choose(&texts)?).unwrap_or(Value::Nil)
        }
    })
}

/// Calls one recipe. The first error ends it, as `?` does in a caller.
fn ask(recipe: u8, server: Server) -> Result<(), Error> {
    let hour = Duration::from_secs(3600);
    match recipe {
        0..=2 => {
            let forms = [VisitorsForm::Forecast, VisitorsForm::Tagged, VisitorsForm::Bitmap];
            let visitors = Visitors::on(server).form(forms[usize::from(recipe)]);
            visitors.count_id(7, date(2026, 11, 20))?;
            visitors.count_ids([1, 2, 7], date(2026, 11, 20))?;
            visitors.count(date(2026, 11, 20))?;
            visitors.expected(date(2026, 11, 21))?;
            visitors.ids(date(2026, 11, 20))?;
            visitors.remove(Bucket::All)?;
            visitors.count(Bucket::All)?;
        }
        3 => {
            let set = ShardedSet::tagged(server.clone(), "set", 200, 50);
            set.add(7)?;
            set.add_many([1, 2, 700])?;
            set.contains_many([1, 2])?;
            set.card()?;
            set.members().collect::<Result<Vec<_>, _>>()?;
            let other = ShardedSet::tagged(server, "other", 200, 50);
            set.inter([&other])?.collect::<Result<Vec<_>, _>>()?;
            set.union_store([&other], &other)?;
        }
        4 => {
            let hash = ShardedHash::new(server, "hash", 200, 50);
            hash.hset_multiple([("a", "b"), ("c", "d")])?;
            hash.hmget(["a", "b", "c"])?;
            hash.hincr("a", 1)?;
            hash.hdel(["a", "c"])?;
        }
        5 => {
            let locations = Locations::new(server);
            locations.set(7, "CAN", "QC")?;
            locations.get(7)?;
            locations.aggregate_list([1, 2, 1 << 20])?;
            locations.aggregate()?;
        }
        6 | 7 => {
            let filling = [UvFilling::WriteThrough, UvFilling::RollUp][usize::from(recipe - 6)];
            let windows = UvWindows::new(server, "uv:").filling(filling);
            let now = Timestamp::UNIX_EPOCH;
            windows.record("alice", now)?;
            windows.record_many([("bob", now), ("carol", now)])?;
            windows.count(now - hour, now)?;
            windows.roll_up()?;
        }
        8 => {
            let cohorts = Cohorts::new(server);
            let day = date(2026, 11, 20);
            cohorts.mark("active", 7, day)?;
            cohorts.has("active", Period::day(day), 7)?;
            let active = Cohort::of("active", Period::day(day));
            cohorts.query(active.clone() - Cohort::of("paying", Period::UNIQUE)).users()?;
            cohorts.query(active).store("kept")?;
            cohorts.retention("active", "active", Period::day(day).last(3))?;
            cohorts.events()?;
            cohorts.delete_event("active")?;
        }
        9 => {
            SlidingWindow::new(server.clone()).take("alice", "reply", hour, 5)?;
            SlidingCounter::new(server.clone(), 5, hour)?.take("alice", 1)?;
            Funnel::new(server, Quota::new(5, 1, hour)?).check_many(["alice", "bob"], 1)?;
        }
        _ => {
            let dedup = Dedup::last(server, "dedup", 50, 0.001)?;
            dedup.insert("a")?;
            dedup.insert_many(["b", "c"])?;
            dedup.contains("b")?;
            dedup.info()?;
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    if let Some((&recipe, bytes)) = data.split_first() {
        let server = Server::redis(Anything { bytes: bytes.to_vec(), taken: 0 });
        // Both an output and an error are valid.
        let _ = ask(recipe % 11, server);
    }
});
