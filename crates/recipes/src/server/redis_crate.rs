//! Connections of one version of the `redis` crate.

/// Defines the constructors for the version `$redis`.
macro_rules! redis_server {
    ($version:literal, $redis:ident, $single:ident, $pool:ident, $cluster:ident, $open:ident) => {
        use std::ops::DerefMut;
        use std::time::Duration;

        use parking_lot::Mutex;
        use store::{Error, ErrorKind, Reply};
        use $redis::cluster::{ClusterClient, ClusterConnection, Connect};
        use $redis::{
            Connection, ConnectionLike, IntoConnectionInfo, RedisError, RedisResult, Value,
            VerbatimFormat,
        };

        use super::super::blocking::Server;
        use super::super::remote::Remote;
        use super::super::transport::{Packed, Transport};
        use crate::server_errors::of_text;

        #[doc = concat!("# Connections of the `redis` crate, ", $version)]
        impl Server {
            /// Creates a backend on a single connection. Threads that share the handle use it one at a time.
            ///
            /// A connection that breaks is not replaced: [`pools`](#method.redis_pool) open another one.
            ///
            /// # Examples
            ///
            /// On a connection to a store, for a test without a server:
            ///
            /// ```
            /// # mod tallis { pub use {recipes::*, store::*}; }
            /// use tallis::{Server, ShardedHash, Store};
            ///
            /// let store = Store::new();
            #[doc = concat!("let server = Server::", stringify!($single), "(store.", stringify!($open), "());")]
            /// let users = ShardedHash::new(server, "users", 10_000, 512);
            /// assert!(users.hset("alice", "admin")?);
            /// assert_eq!(ShardedHash::new(store, "users", 10_000, 512).hget("alice")?.as_deref(), Some(&b"admin"[..]));
            /// # Ok::<(), tallis::Error>(())
            /// ```
            #[must_use]
            pub fn $single(connection: impl ConnectionLike + Send + 'static) -> Self {
                Self::on(Remote::server(Single(Mutex::new(connection))))
            }

            /// Creates a backend on a pool: `get` takes a connection, which is returned to the pool when it is dropped.
            /// That is `move || pool.get()` for a pool of `r2d2`; `move || client.get_connection().map(Box::new)` opens a
            /// connection per call.
            #[must_use]
            pub fn $pool<C, E>(get: impl Fn() -> Result<C, E> + Send + Sync + 'static) -> Self
            where
                C: DerefMut<Target: ConnectionLike> + 'static,
                E: std::error::Error + Send + Sync + 'static,
            {
                Self::on(Remote::server(Pool(get)))
            }

            /// Creates a backend on a cluster. Connections are opened on demand, as many as there are concurrent calls,
            /// and replaced after a failure.
            ///
            /// A batch is one pipeline per node, sent to one node after the other.
            #[must_use]
            pub fn $cluster(client: ClusterClient) -> Self {
                Self::on(Remote::cluster(Cluster { client, idle: Mutex::new(Vec::new()) }))
            }
        }

        struct Single<C>(Mutex<C>);

        impl<C: ConnectionLike + Send> Transport for Single<C> {
            fn send(&self, packed: &[u8]) -> Result<Reply, Error> {
                reply(self.0.lock().req_packed_command(packed))
            }

            fn send_all(&self, packed: &Packed) -> Result<Vec<Reply>, Error> {
                replies(self.0.lock().req_packed_commands(&packed.bytes, 0, packed.requests))
            }
        }

        struct Pool<G>(G);

        impl<C, E, G> Transport for Pool<G>
        where
            C: DerefMut<Target: ConnectionLike>,
            E: std::error::Error + Send + Sync + 'static,
            G: Fn() -> Result<C, E> + Send + Sync,
        {
            fn send(&self, packed: &[u8]) -> Result<Reply, Error> {
                reply((self.0)().map_err(io)?.req_packed_command(packed))
            }

            fn send_all(&self, packed: &Packed) -> Result<Vec<Reply>, Error> {
                replies((self.0)().map_err(io)?.req_packed_commands(&packed.bytes, 0, packed.requests))
            }
        }

        struct Cluster {
            client: ClusterClient,
            /// Idle connections.
            idle: Mutex<Vec<ClusterConnection<Node>>>,
        }

        impl Cluster {
            /// Calls a function with a connection. A connection that failed is not used again, because it does not
            /// learn that another node has taken over.
            fn with<R>(
                &self,
                call: impl FnOnce(&mut ClusterConnection<Node>) -> RedisResult<R>,
            ) -> Result<RedisResult<R>, Error> {
                let idle = self.idle.lock().pop();
                let mut connection = match idle {
                    Some(connection) => connection,
                    None => self.client.get_generic_connection().map_err(io)?,
                };
                let result = call(&mut connection);
                if result.as_ref().err().is_none_or(|error| error.code().is_some()) {
                    self.idle.lock().push(connection);
                }
                Ok(result)
            }
        }

        impl Transport for Cluster {
            fn send(&self, packed: &[u8]) -> Result<Reply, Error> {
                reply(self.with(|connection| connection.req_packed_command(packed))?)
            }

            fn send_all(&self, packed: &Packed) -> Result<Vec<Reply>, Error> {
                replies(self.with(|connection| connection.req_packed_commands(&packed.bytes, 0, packed.requests))?)
            }
        }

        /// A connection to a node, whose pipelines return each reply. The connection of a cluster returns only the
        /// first error, and sends a whole pipeline again if a slot has moved.
        struct Node(Connection);

        impl Connect for Node {
            fn connect<T: IntoConnectionInfo>(
                info: T,
                timeout: Option<Duration>,
            ) -> RedisResult<Self> {
                <Connection as Connect>::connect(info, timeout).map(Self)
            }

            fn send_packed_command(&mut self, packed: &[u8]) -> RedisResult<()> {
                self.0.send_packed_command(packed)
            }

            fn set_write_timeout(&self, timeout: Option<Duration>) -> RedisResult<()> {
                self.0.set_write_timeout(timeout)
            }

            fn set_read_timeout(&self, timeout: Option<Duration>) -> RedisResult<()> {
                self.0.set_read_timeout(timeout)
            }

            fn recv_response(&mut self) -> RedisResult<Value> {
                self.0.recv_response()
            }
        }

        impl ConnectionLike for Node {
            fn req_packed_command(&mut self, packed: &[u8]) -> RedisResult<Value> {
                self.0.req_packed_command(packed)
            }

            fn req_packed_commands(
                &mut self,
                packed: &[u8],
                offset: usize,
                count: usize,
            ) -> RedisResult<Vec<Value>> {
                let values = self.0.req_packed_commands(packed, offset, count)?;
                Ok(values.into_iter().map(hide_error).collect())
            }

            fn get_db(&self) -> i64 {
                self.0.get_db()
            }

            fn check_connection(&mut self) -> bool {
                self.0.check_connection()
            }

            fn is_open(&self) -> bool {
                self.0.is_open()
            }
        }

        /// The format of a text that is an error. No server uses it.
        const ERROR: &str = "error";

        /// Converts an error to a text, so that it is returned as a value.
        pub(super) fn hide_error(value: Value) -> Value {
            match value {
                Value::ServerError(error) => Value::VerbatimString {
                    format: VerbatimFormat::Unknown(ERROR.to_owned()),
                    text: format!("{} {}", error.code(), error.details().unwrap_or_default()),
                },
                value => value,
            }
        }

        /// Returns the replies of a pipeline.
        pub(super) fn replies(values: RedisResult<Vec<Value>>) -> Result<Vec<Reply>, Error> {
            values.map_err(failed)?.into_iter().map(of_value).collect()
        }

        /// Returns a server's reply, which may be an error; fails with the error of a connection.
        pub(super) fn reply(value: RedisResult<Value>) -> Result<Reply, Error> {
            match value {
                Ok(value) => of_value(value),
                Err(error) if error.code().is_some() => Ok(Reply::Error(failed(error))),
                Err(error) => Err(io(error)),
            }
        }

        /// Returns the error of a server, or of a connection.
        #[cold]
        fn failed(error: RedisError) -> Error {
            match (error.code(), error.detail()) {
                (Some(code), Some(detail)) => of_text(format!("{code} {detail}")),
                // An error that the client itself has detected.
                (Some(code), None) => of_text(format!("{code} {error}")),
                (None, _) => io(error),
            }
        }

        /// Converts a value.
        fn of_value(value: Value) -> Result<Reply, Error> {
            let each = |values: Vec<Value>| values.into_iter().map(of_value).collect::<Result<Vec<_>, Error>>();
            Ok(match value {
                Value::Nil => Reply::Nil,
                Value::Int(number) => Reply::Int(number),
                Value::BulkString(bytes) => Reply::Bulk(bytes.into()),
                Value::Array(values) => Reply::Array(each(values)?),
                Value::Set(values) => Reply::Set(each(values)?),
                Value::SimpleString(text) => Reply::Status(text.into()),
                Value::Okay => Reply::OK,
                Value::Map(pairs) => {
                    let pair = |(key, value)| Ok((of_value(key)?, of_value(value)?));
                    Reply::Map(pairs.into_iter().map(pair).collect::<Result<_, Error>>()?)
                }
                Value::Double(number) => Reply::Double(number),
                Value::Boolean(yes) => Reply::Boolean(yes),
                Value::VerbatimString { format: VerbatimFormat::Unknown(format), text }
                    if format == ERROR =>
                {
                    Reply::Error(of_text(text))
                }
                Value::VerbatimString { text, .. } => Reply::Verbatim(text),
                Value::Attribute { data, .. } => of_value(*data)?,
                Value::ServerError(error) => {
                    let details = error.details().unwrap_or_default();
                    Reply::Error(of_text(format!("{} {details}", error.code())))
                }
                other => {
                    let text = format!("ERR unexpected reply {other:?}");
                    return Err(Error::new(ErrorKind::Conversion, text));
                }
            })
        }

        /// Returns the error of a connection.
        #[cold]
        pub(super) fn io(error: impl std::error::Error + Send + Sync + 'static) -> Error {
            Error::caused(ErrorKind::Io, format!("ERR the connection failed: {error}"), error)
        }
    };
}
