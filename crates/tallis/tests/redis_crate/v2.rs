//! The crate's 2.0.

use redis2 as client;
use tallis::{Redis2Connection as Connection, Store};

fn open(store: &Store) -> Connection {
    store.redis2_connection()
}

#[path = "calls.rs"]
mod calls;
#[path = "packed.rs"]
mod packed;
#[path = "pipelines.rs"]
mod pipelines;
#[path = "waiting.rs"]
mod waiting;
