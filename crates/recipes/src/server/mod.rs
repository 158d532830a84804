//! Backends on a server or a cluster.
//!
//! `Remote` sends the requests and handles the replies, for all kinds of connections. Macros create the connections of
//! each version of the `redis` crate.

#[cfg(feature = "async")]
mod asynchronous;
mod blocking;
mod nodes;
mod remote;
mod transport;
#[macro_use]
mod redis_crate;
#[cfg(feature = "async")]
#[macro_use]
mod redis_crate_async;

#[cfg(feature = "redis")]
mod v1 {
    mod blocking {
        redis_server!("1.x", redis, redis, redis_pool, redis_cluster, redis_connection);
    }
    #[cfg(feature = "async")]
    mod asynchronous {
        redis_async_server!("1.x", redis, redis, redis_pool, redis_cluster, redis_connection);
    }
}
#[cfg(feature = "redis2")]
mod v2 {
    mod blocking {
        redis_server!("2.0", redis2, redis2, redis2_pool, redis2_cluster, redis2_connection);
    }
    #[cfg(feature = "async")]
    mod asynchronous {
        redis_async_server!("2.0", redis2, redis2, redis2_pool, redis2_cluster, redis2_connection);
    }
}

#[cfg(feature = "async")]
pub use asynchronous::AsyncServer;
pub use blocking::Server;
