//! Oracles, operation generators and a live `redis-server`.

pub mod oracle;
