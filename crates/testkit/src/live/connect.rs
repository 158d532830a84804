//! Connections of the `redis` crate to a server.

use redis::{Client, Connection, ConnectionAddr};

use super::Server;

impl Server {
    /// Returns a client for the server's socket, with database 0 and RESP2.
    ///
    /// # Panics
    ///
    /// Never: the path of a socket is always a valid address.
    #[must_use]
    pub fn client(&self) -> Client {
        match Client::open(ConnectionAddr::Unix(self.socket())) {
            Ok(client) => client,
            Err(error) => panic!("invalid socket path: {error}"),
        }
    }

    /// Opens a connection, with database 0 and RESP2.
    ///
    /// # Panics
    ///
    /// If the server does not accept the connection.
    #[must_use]
    pub fn connect(&self) -> Connection {
        match self.try_connect() {
            Ok(connection) => connection,
            Err(error) => panic!("cannot connect to redis-server: {error}\n{}", self.log()),
        }
    }

    pub(super) fn try_connect(&self) -> redis::RedisResult<Connection> {
        self.client().get_connection()
    }
}
