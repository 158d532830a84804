//! Live servers and clusters for tests.
//!
//! # Idea
//!
//! The behaviour of a real server is the reference, not a description of it. So a test starts its own server, and
//! compares. [`server`] returns one, or `None` if the machine has no `redis-server`; the test then returns early:
//!
//! ```
//! # fn main() {
//! let Some(server) = testkit::live::server() else { return };
//! let mut connection = server.connect();
//! let reply = testkit::live::command(&mut connection, &["SET", "key", "value"]);
//! assert_eq!(reply, Ok(redis::Value::Okay));
//! # }
//! ```
//!
//! # Skipped tests are reported
//!
//! * The program is the value of the variable `TALLIS_REDIS_SERVER`, or else `redis-server` on the `PATH`.
//! * If there is none, each test that needs it writes so to standard error, bypassing the capture of the test harness,
//!   and adds a line to the file in `TALLIS_SKIPPED_LOG`. `cargo xtask test` sets that variable and counts the lines.
//! * With `CI=true` a missing server fails the test.
//! * A server that does not start always fails the test.
//! * The same applies to servers by [name](named), and to the module [RedisBloom](redisbloom).
//!
//! # Servers by name
//!
//! `named("redis-8.2.3")` and `named("valkey-9.1.2")` start the servers that `cargo xtask servers` has installed in
//! `target/servers`, or in the directory `TALLIS_SERVERS`; [`servers`](crate::servers) has their paths. `redis-7.0.15`
//! is the `redis-server` of the machine.
//!
//! # Clusters
//!
//! [`cluster`] and [`cluster_named`] start a [`Cluster`]: three masters with a replica each. A test can kill, restart
//! and pause its nodes, and move its slots, completely or partly. [`cluster_named_with`] takes [`Options`] for the
//! nodes.
//!
//! # How a server ends
//!
//! The server runs under a small shell that holds a pipe from the test process. Dropping the handle closes the pipe,
//! and so does any end of the process: return, panic, abort or `kill -9`. The shell then kills the server. (The
//! kernel's parent-death signal depends on the *thread* that started the server, and a test harness ends its threads
//! long before its process.)
//!
//! # Features
//!
//! `server` has a single server and a [`Wire`] to it, without the `redis` crate. `live` adds clusters and connections
//! of the `redis` crate.
//!
//! # Limits
//!
//! Unix only. A server takes some 20 ms to start; start one per test, not one per case. A cluster takes some seconds.

#[cfg(feature = "live")]
mod agreement;
#[cfg(feature = "live")]
mod cluster;
#[cfg(feature = "live")]
mod clusters;
#[cfg(feature = "live")]
mod command;
#[cfg(feature = "live")]
mod connect;
mod locate;
#[cfg(feature = "live")]
mod node;
mod options;
#[cfg(feature = "live")]
mod ports;
mod reply;
mod server;
#[cfg(feature = "live")]
mod slot_move;
mod version;
#[cfg(feature = "live")]
mod view;
mod wire;

#[cfg(feature = "live")]
pub use cluster::Cluster;
#[cfg(feature = "live")]
pub use clusters::{cluster, cluster_named, cluster_named_with};
#[cfg(feature = "live")]
pub use command::{as_bytes, command, error_text};
pub use locate::{
    locate, locate_redisbloom, named, named_with, redis_py, redisbloom, server, server_with,
    try_named_with,
};
pub use options::Options;
#[cfg(feature = "live")]
pub(crate) use options::name_in;
pub use reply::{Reply, command_line, quoted};
pub use resp::Protocol;
pub use server::Server;
#[cfg(feature = "live")]
pub use slot_move::SlotMove;
use version::Identity;
pub use version::{Product, Version};
pub use wire::Wire;
