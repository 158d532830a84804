//! Asynchronous connections of one version of the `redis` crate.

/// Defines the constructors for the version `$redis`.
macro_rules! redis_async_server {
    ($version:literal, $redis:ident, $single:ident, $pool:ident, $cluster:ident, $open:ident) => {
        use std::ops::DerefMut;

        use resp::Requests;
        use store::{Error, ErrorKind, Reply};
        use $redis::aio::{ConnectionLike, MultiplexedConnection};
        use $redis::cluster::ClusterClient;
        use $redis::cluster_async::{ClusterConnection, Connect};
        use $redis::cluster_routing::{Route, SingleNodeRoutingInfo, SlotAddr};
        use $redis::{
            AsyncConnectionConfig, Cmd, IntoConnectionInfo, Pipeline, RedisFuture, Value,
        };

        use super::super::asynchronous::AsyncServer;
        use super::super::remote::Remote;
        use super::super::transport::{AsyncTransport, Packed, Pending};
        use super::blocking::{hide_error, io, replies, reply};

        #[doc = concat!("# Asynchronous connections of the `redis` crate, ", $version)]
        impl AsyncServer {
            /// Creates a backend on a connection. Each call uses a clone of it: a `MultiplexedConnection` multiplexes
            /// the requests of all calls, and so does a `ConnectionManager`, which also reconnects.
            ///
            /// # Examples
            ///
            /// On a connection to a store, for a test without a server:
            ///
            /// ```
            /// # mod tallis { pub use {recipes::*, store::*}; }
            /// use tallis::{AsyncServer, ShardedHash, Store};
            ///
            /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
            /// let store = Store::new();
            #[doc = concat!("let server = AsyncServer::", stringify!($single), "(store.", stringify!($open), "());")]
            /// let users = ShardedHash::new(server, "users", 10_000, 512);
            /// assert!(users.hset_async("alice", "admin").await?);
            /// assert_eq!(ShardedHash::new(store, "users", 10_000, 512).hget("alice")?.as_deref(), Some(&b"admin"[..]));
            /// # Ok::<(), tallis::Error>(())
            /// # })?;
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[must_use]
            pub fn $single(
                connection: impl ConnectionLike + Clone + Send + Sync + 'static,
            ) -> Self {
                Self::on(Remote::server(Single(connection)))
            }

            /// Creates a backend on a pool: the future that `get` returns takes a connection, which is returned to the
            /// pool when it is dropped. For a pool of `bb8` that is
            ///
            /// ```ignore
            /// move || {
            ///     let pool = pool.clone();
            ///     async move { pool.get_owned().await }
            /// }
            /// ```
            #[must_use]
            pub fn $pool<F, C, E>(get: impl Fn() -> F + Send + Sync + 'static) -> Self
            where
                F: Future<Output = Result<C, E>> + Send + 'static,
                C: DerefMut<Target: ConnectionLike + Send> + Send + 'static,
                E: std::error::Error + Send + Sync + 'static,
            {
                Self::on(Remote::server(Pool(get)))
            }

            /// Creates a backend on a cluster, with one connection per node, which all calls share.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Io`](store::ErrorKind::Io) if no node can be reached.
            pub async fn $cluster(client: ClusterClient) -> Result<Self, Error> {
                let connection = client.get_async_generic_connection().await.map_err(io)?;
                Ok(Self::on(Remote::cluster(Cluster(connection))))
            }
        }

        /// A connection that each call clones.
        struct Single<C>(C);

        impl<C: ConnectionLike + Clone + Send + Sync> AsyncTransport for Single<C> {
            fn send_async<'a>(&'a self, packed: &'a [u8]) -> Pending<'a, Reply> {
                let mut connection = self.0.clone();
                Box::pin(async move { send(&mut connection, packed).await })
            }

            fn send_all_async<'a>(&'a self, packed: &'a Packed) -> Pending<'a, Vec<Reply>> {
                let mut connection = self.0.clone();
                Box::pin(async move { send_all(&mut connection, packed).await })
            }
        }

        struct Pool<G>(G);

        impl<F, C, E, G> AsyncTransport for Pool<G>
        where
            F: Future<Output = Result<C, E>> + Send,
            C: DerefMut<Target: ConnectionLike + Send> + Send,
            E: std::error::Error + Send + Sync + 'static,
            G: Fn() -> F + Send + Sync,
        {
            fn send_async<'a>(&'a self, packed: &'a [u8]) -> Pending<'a, Reply> {
                Box::pin(async move {
                    let mut connection = (self.0)().await.map_err(io)?;
                    send(&mut *connection, packed).await
                })
            }

            fn send_all_async<'a>(&'a self, packed: &'a Packed) -> Pending<'a, Vec<Reply>> {
                Box::pin(async move {
                    let mut connection = (self.0)().await.map_err(io)?;
                    send_all(&mut *connection, packed).await
                })
            }
        }

        struct Cluster(ClusterConnection<Node>);

        impl AsyncTransport for Cluster {
            fn send_async<'a>(&'a self, packed: &'a [u8]) -> Pending<'a, Reply> {
                let mut connection = self.0.clone();
                Box::pin(async move { send(&mut connection, packed).await })
            }

            fn send_all_async<'a>(&'a self, packed: &'a Packed) -> Pending<'a, Vec<Reply>> {
                let mut connection = self.0.clone();
                let node = packed.slot.map_or(SingleNodeRoutingInfo::Random, |slot| {
                    SingleNodeRoutingInfo::SpecificNode(Route::new(slot, SlotAddr::Master))
                });
                Box::pin(async move {
                    let pipeline = pipeline(packed)?;
                    let sent = connection.route_pipeline(pipeline, 0, packed.requests, node);
                    replies(sent.await)
                })
            }
        }

        async fn send(connection: &mut (impl ConnectionLike + ?Sized), packed: &[u8]) -> Result<Reply, Error> {
            let mut requests = Requests::new();
            requests.feed(packed);
            let request = next(&mut requests)?;
            reply(connection.req_packed_command(&request).await)
        }

        async fn send_all(
            connection: &mut (impl ConnectionLike + ?Sized),
            packed: &Packed,
        ) -> Result<Vec<Reply>, Error> {
            let pipeline = pipeline(packed)?;
            replies(connection.req_packed_commands(&pipeline, 0, packed.requests).await)
        }

        /// Converts the requests to those of the crate.
        fn pipeline(packed: &Packed) -> Result<Pipeline, Error> {
            let mut requests = Requests::new();
            requests.feed(&packed.bytes);
            let mut pipeline = Pipeline::new();
            for _ in 0..packed.requests {
                pipeline.add_command(next(&mut requests)?);
            }
            Ok(pipeline)
        }

        /// Converts the next request to one of the crate.
        fn next(requests: &mut Requests) -> Result<Cmd, Error> {
            let cut = || Error::new(ErrorKind::Conversion, "ERR the request is truncated");
            let words = requests.take().ok().flatten().ok_or_else(cut)?;
            let mut command = Cmd::with_capacity(words.len(), words.iter().map(|word| word.len()).sum());
            for word in words {
                command.arg(word);
            }
            Ok(command)
        }

        /// A connection to a node, whose pipelines return each reply, as that of `Server`.
        #[derive(Clone)]
        struct Node(MultiplexedConnection);

        impl Connect for Node {
            fn connect_with_config<'a, T>(
                info: T,
                config: AsyncConnectionConfig,
            ) -> RedisFuture<'a, Self>
            where
                T: IntoConnectionInfo + Send + 'a,
            {
                Box::pin(async move {
                    <MultiplexedConnection as Connect>::connect_with_config(info, config)
                        .await
                        .map(Self)
                })
            }
        }

        impl ConnectionLike for Node {
            fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
                self.0.req_packed_command(command)
            }

            fn req_packed_commands<'a>(
                &'a mut self,
                pipeline: &'a Pipeline,
                offset: usize,
                count: usize,
            ) -> RedisFuture<'a, Vec<Value>> {
                Box::pin(async move {
                    let values = self.0.req_packed_commands(pipeline, offset, count).await?;
                    Ok(values.into_iter().map(hide_error).collect())
                })
            }

            fn get_db(&self) -> i64 {
                self.0.get_db()
            }
        }
    };
}
