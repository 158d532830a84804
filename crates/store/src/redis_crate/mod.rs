//! Connections of the `redis` crate to a store.
//!
//! The traits of 1.x and 2.0 have the same signatures, so one macro defines a connection for each.

#[macro_use]
mod connection;
mod packed;

#[cfg(feature = "redis")]
mod v1 {
    connection!("1.x", redis, RedisConnection, redis_connection);
}
#[cfg(feature = "redis2")]
mod v2 {
    connection!("2.0", redis2, Redis2Connection, redis2_connection);
}

#[cfg(feature = "redis")]
pub use v1::RedisConnection;
#[cfg(feature = "redis2")]
pub use v2::Redis2Connection;
