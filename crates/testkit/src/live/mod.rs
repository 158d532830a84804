//! A live `redis-server`, to compare with.
//!
//! # Idea
//!
//! The bytes that a real server writes outrank any note about them. So a test starts a server of its own, asks it, and
//! compares. [`server`] gives one, or `None` when the machine has no `redis-server`; the test then returns early:
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
//! # Left out, but never in silence
//!
//! * The program is the one that the variable `TALLIS_REDIS_SERVER` names, else `redis-server` on the `PATH`.
//! * When there is none, each test that asks says so on standard error, past the capture of the test harness, and adds
//!   a line to the file that `TALLIS_SKIPPED_LOG` names. `cargo xtask test` sets that variable and counts the lines.
//! * Under `CI=true` a missing server fails the test.
//! * A server that is there but does not start always fails the test.
//! * The same holds of a server that is asked for by [name](named), and of the module [RedisBloom](redisbloom).
//!
//! # Servers by name
//!
//! `named("redis-8.2.3")` and `named("valkey-9.1.2")` give the servers that `cargo xtask servers` has brought to
//! `target/servers`, or to the folder that `TALLIS_SERVERS` names; [`servers`](crate::servers) has how the files are
//! called. `redis-7.0.15` is the `redis-server` of the machine.
//!
//! # Clusters
//!
//! [`cluster`] and [`cluster_named`] give a [`Cluster`]: three masters with a replica each, whose nodes a test can
//! kill, start again and pause, and whose slots it can move, the whole way or half of it. [`cluster_named_with`] gives
//! each node [`Options`].
//!
//! # How a server ends
//!
//! The server runs under a small shell that holds a pipe from the test process. Dropping the handle closes the pipe,
//! and so does the end of the process, however it comes: return, panic, abort or `kill -9`. The shell then kills the
//! server. (The kernel's own signal on a parent's death would follow the *thread* that started the server, and a test
//! harness ends its threads long before its process.)
//!
//! # Features
//!
//! `server` gives one server and a [`Wire`] to it, without the `redis` crate. The rest of this module, clusters and
//! connections of the `redis` crate, comes with `live`.
//!
//! # Limits
//!
//! Unix only. A server takes some 20 ms to start; ask for one a test, not one a case. A cluster takes some seconds.

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
