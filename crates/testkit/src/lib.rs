//! Oracles, operation generators and a live `redis-server`.
//!
//! | module | what it gives |
//! |---|---|
//! | `live` (a feature, on by default) | a `redis-server` of the test's own, on a socket in a temporary folder |
//! | `differential` (with it) | the same random commands on a server and on a subject: the same replies, the same bytes |
//! | [`kept`] | values and files, read whole and written again |
//! | [`oracle`] | plain, slow and right: what each structure is tested against, with generated operations |
//! | [`servers`] | where the servers lie that tests ask for by name |
//! | [`rng`] | a small seeded generator, so that each test can be run again as it was |
//! | [`alloc`] | an allocator that counts what the system's allocator really holds |

pub mod alloc;
#[cfg(feature = "live")]
pub mod differential;
pub mod kept;
#[cfg(feature = "live")]
pub mod live;
pub mod oracle;
pub mod rng;
pub mod servers;
