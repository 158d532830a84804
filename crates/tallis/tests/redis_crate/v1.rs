//! The crate's 1.x.

use redis as client;
use tallis::{RedisConnection as Connection, Store};

fn open(store: &Store) -> Connection {
    store.redis_connection()
}

#[path = "calls.rs"]
mod calls;
#[path = "packed.rs"]
mod packed;
#[path = "pipelines.rs"]
mod pipelines;
#[path = "waiting.rs"]
mod waiting;
