//! The recipes on a server or a cluster.
//!
//! What is sent and what becomes of the replies is the same for all connections: `Remote`. Macros make the connections of
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
