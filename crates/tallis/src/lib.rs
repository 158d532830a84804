//! Redis's data structures inside your process.

#![forbid(unsafe_code)]

mod clock;
mod commands;
mod error;
mod execute;
mod key;
mod limits;
mod member;
mod persist;
mod recipes;
mod reply;
mod session;
mod store;
mod table;
mod value;

pub use clock::{Clock, ManualClock, SystemClock};
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use member::Member;
pub use persist::{Target, WriteOptions};
pub use recipes::{
    Bucket, SessionIds, SetSteps, ShardedSet, VisitorSteps, Visitors, VisitorsIn, forecast,
    shard_key,
};
pub use reply::Reply;
pub use session::Session;
pub use store::{Effect, Sink, Store, StoreBuilder, Tx};

/// What lies between a command and its keys.
///
/// Everything that implements [`Door`](door::Door) has all commands, so a function that takes any `&impl Door` works on
/// a [`Store`], a [`Session`] and a [`Tx`] alike. The other types are what the commands themselves are written
/// against; they can be neither made nor used outside this crate.
pub mod door {
    pub use crate::key::HashedKey;
    pub use crate::store::Shared;
    pub use crate::store::door::{Door, Scope, View};
}

/// The traits that give a store its commands.
pub mod prelude {
    pub use crate::commands::{HllCommands, KeyCommands, SetCommands, StringCommands};
    pub use crate::door::Door;
}
