//! The recipes on a server or a cluster.
//!
//! What is sent and what becomes of the replies is the same for all connections: `Server`. A macro makes the connections of
//! each version of the `redis` crate.

mod nodes;
mod remote;
#[macro_use]
mod redis_crate;

#[cfg(feature = "redis")]
mod v1 {
    redis_server!("1.x", redis, redis, redis_pool, redis_cluster, redis_connection);
}
#[cfg(feature = "redis2")]
mod v2 {
    redis_server!("2.0", redis2, redis2, redis2_pool, redis2_cluster, redis2_connection);
}

pub use remote::Server;
