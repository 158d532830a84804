//! HyperLogLog in the bytes of Redis.
