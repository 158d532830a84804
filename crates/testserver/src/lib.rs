//! A server on a socket for the sessions of a store, so that clients and test suites of Redis can use it.
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
//! The program `tallis-testserver` takes the configuration file and options of `redis-server`, and logs the lines that
//! Redis's test suite waits for. `cargo xtask tcl` runs it in place of `redis-server`.
//!
//! # Connections
//!
//! Each connection has its own thread and session. Requests are answered in order, a pipeline in one write. A protocol
//! error has Redis's reply and closes the connection; so does QUIT.
//!
//! # Commands of the server
//!
//! The commands on connections and processes, which a store does not have: `CLIENT REPLY ON`, `FUNCTION FLUSH`, and
//! SHUTDOWN.
//!
//! # Limits
//!
//! It is for tests: it has no passwords and no limit on connections. A client that does not read blocks only its own
//! thread.

#![forbid(unsafe_code)]

mod config;
mod connection;
mod listen;
mod server;

pub use config::{Config, ConfigError};
pub use listen::Listen;
pub use server::Server;
