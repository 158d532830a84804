//! Redis's data structures inside your process.
//!
//! A [`Store`] keeps Redis's values in Redis's own encodings, answers Redis's commands, and reads and writes Redis's
//! files, with no server and no network.
//!
//! # A tour
//!
//! * [`Store`] is a handle on a keyspace; the traits of the [`prelude`] give it the commands, typed, under the names of
//!   the `redis` crate.
//! * [`Store::execute`] and [`Session`] are the command door: words in, [`Reply`] out, every text as Redis says it.
//! * [`Store::transaction`] makes several commands one.
//! * [`Store::save`] and [`Store::load`] are snapshots that a `redis-server` opens and writes.
//! * [`Visitors`], [`UvWindows`], [`ShardedSet`], [`Locations`] and [`Cohorts`] are recipes: what people build on the structures, as
//!   types of their own. So are the rate limits [`SlidingWindow`], [`Funnel`] and [`SlidingCounter`], and [`Dedup`], which knows what
//!   it has seen.
//! * A [`Sink`] hears of every change, a [`Clock`] tells the time, [`Limits`] say when encodings change, a [`Profile`] which
//!   servers' bytes they are.
//!
//! ```
//! use tallis::{Store, prelude::*};
//!
//! let store = Store::new();
//! store.sadd("s", [3, 1, 2])?;
//! store.pfadd("uv", ["alice", "bob"])?;
//! assert_eq!((store.scard("s")?, store.pfcount(["uv"])?), (3, 2));
//! # Ok::<(), tallis::Error>(())
//! ```
//!
//! # Limits
//!
//! Strings and members are at most 512 MiB long, as in Redis. Nothing is evicted. Values of types that the store does
//! not work on pass through a load and a save as they are; other commands on them answer WRONGTYPE.

#![forbid(unsafe_code)]

mod clock;
mod commands;
mod error;
mod execute;
mod key;
mod limits;
mod member;
mod persist;
mod profile;
mod recipes;
mod reply;
mod rules;
mod session;
mod store;
mod table;
mod text;
mod value;

pub use bitpack::bitfield::{FieldType, FieldTypeError, Overflow};
/// Bloom filters by themselves: settings, planning, merging.
pub use bloom;
pub use clock::{Clock, ManualClock, SystemClock};
pub use commands::{
    Aggregate, BitFieldOp, BitRange, BitUnit, BloomInfo, BloomInsertOptions, CopyOptions,
    ExistenceCheck, ExpireOption, Expiry, GeoCentre, GeoHit, GeoOrder, GeoSearch, GeoStored,
    LcsMatch, LcsMatches, LexBound, Popped, RestoreOptions, ScanOptions, SetExpiry, SetOptions,
    SetOutcome, SortedSetAddOptions, UpdateCheck, ZRange,
};
pub use error::{Error, ErrorKind};
/// Places on the map, and the units of distances.
pub use geo;
pub use limits::Limits;
pub use member::Member;
pub use persist::{Target, WriteOptions};
pub use profile::Profile;
pub use recipes::{
    Bucket, Cohort, CohortSteps, Cohorts, Counted, CounterSteps, Dedup, DedupInfo, DedupSteps,
    Funnel, FunnelSteps, Level, LocationCounts, LocationSteps, LocationTable, Locations, Part,
    Period, PeriodKind, Query, Quota, Replaced, Retention, RetentionRow, SessionIds, SetOperation,
    SetSteps, ShardForm, ShardedSet, SlidingCounter, SlidingWindow, SplitSteps, Spread, TableError,
    TableProblem, Throttle, Turn, UvBucket, UvCalendar, UvFilling, UvHashed, UvKey, UvLevel,
    UvSteps, UvWindows, VisitorSteps, Visitors, VisitorsIn, When, WindowSteps, forecast, shard_key,
};
pub use reply::Reply;
pub use session::Session;
pub use store::{Database, Effect, Sink, Store, StoreBuilder, Tx};

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
    pub use crate::commands::{
        BitCommands, BloomCommands, DumpCommands, ExpiryCommands, GeoCommands, HllCommands,
        KeyCommands, KeyspaceCommands, LcsCommands, SetCommands, StringCommands,
        ZSetAlgebraCommands, ZSetCommands, ZSetRangeCommands,
    };
    pub use crate::door::Door;
}

/// The examples of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
