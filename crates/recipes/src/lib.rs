#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! A recipe has two parts: functions that name the keys, arguments and replies it uses, and [procedures](Procedure),
//! which are the atomic steps on the keys. A [`Backend`] runs the procedures: a [`Store`](store::Store), or a `Server`
//! with the features `redis` and `redis2`. A recipe of your own is built in the same way.
//!
//! Examples are written for users of the crate `tallis`, and import from it.

mod backend;
#[cfg(all(test, feature = "redis"))]
mod beside;
mod bucket;
#[cfg(feature = "calendar")]
mod cohorts;
mod counted;
mod decimal;
mod dedup;
mod errors;
mod held;
mod kept;
mod keys;
mod locations;
mod merge;
#[cfg(test)]
mod pretend;
mod procedure;
mod rates;
mod request;
mod scan;
mod scripts;
#[cfg(feature = "serde")]
mod serde;
#[cfg(any(feature = "redis", feature = "redis2"))]
mod server;
mod server_errors;
mod session_id;
mod shard;
mod sharded_hash;
mod sharded_set;
mod slot;
mod sync;
mod text;
mod visitor_id;
mod visitors;
#[cfg(feature = "calendar")]
mod windows;

pub use backend::{AsyncBackend, Backend, BackendKind, Keyspace};
pub use bucket::Bucket;
#[cfg(feature = "calendar")]
pub use cohorts::{Cohort, Cohorts, Period, PeriodKind, Query, Retention, RetentionRow, When};
pub use dedup::{Dedup, DedupInfo};
/// Dates, times and time zones, as the recipes take them.
#[cfg(feature = "calendar")]
pub use jiff;
pub use locations::{
    Cities, CityTable, CityTableError, CodeCounts, Codes, Countries, LocationCounts, LocationTable,
    Locations, Precision, Regions, TableError, TableProblem, USERS_PER_SHARD,
};
pub use merge::{Conflict, Merge, MergeError, MergeRule, Merged};
pub use procedure::Procedure;
pub use rates::{Funnel, Quota, RetryAfter, SlidingCounter, SlidingWindow, Throttle};
pub use request::Request;
pub use scripts::scripts;
#[cfg(all(feature = "async", any(feature = "redis", feature = "redis2")))]
pub use server::AsyncServer;
#[cfg(any(feature = "redis", feature = "redis2"))]
pub use server::Server;
pub use session_id::SessionIds;
pub use shard::shard_key;
pub use sharded_hash::ShardedHash;
pub use sharded_set::{ShardForm, ShardedSet};
pub use slot::key_slot;
pub use visitor_id::VisitorId;
pub use visitors::{Visitors, VisitorsForm, VisitorsIn, forecast};
#[cfg(feature = "calendar")]
pub use windows::{UvBucket, UvCalendar, UvFilling, UvLevel, UvWindows};
