//! A socket in front of the sessions of a store, so that clients and test suites of Redis can drive it.
//!
//! [`Server::start`] serves a store on a TCP port, a unix socket or both, until it is dropped:
//!
//! ```
//! use store::Store;
//! use testserver::{Listen, Server};
//!
//! let store = Store::new();
//! let server = Server::start(&store, &Listen { port: Some(0), ..Listen::default() })?;
//! let client = redis::Client::open(format!("redis://127.0.0.1:{}/", server.port().unwrap()))?;
//! redis::cmd("SET").arg("k").arg("v").exec(&mut client.get_connection()?)?;
//! assert_eq!(store.get("k")?.as_deref(), Some(&b"v"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The program `tallis-testserver` takes the configuration file and options of `redis-server`, and logs what Redis's
//! test suite waits for. `cargo xtask tcl` puts it in the place of `redis-server`.
//!
//! # What a connection does
//!
//! Each has a thread and a session of its own. Requests are answered in order, a pipeline in one write. What is wrong
//! with the bytes of a request is told as Redis tells it, and ends the connection; so does QUIT.
//!
//! # What is answered here
//!
//! What a store cannot know of connections and processes: `CLIENT REPLY ON`, `FUNCTION FLUSH`, and SHUTDOWN.
//!
//! # Limits
//!
//! It is for tests: no passwords, no limit on connections, and a client that does not read blocks its thread alone.

#![forbid(unsafe_code)]

mod config;
mod connection;
mod listen;
mod server;

pub use config::{Config, ConfigError};
pub use listen::Listen;
pub use server::Server;
