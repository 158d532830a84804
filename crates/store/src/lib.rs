//! Redis's keyspace inside your process: a [`Store`] keeps Redis's values in Redis's own encodings, answers Redis's commands, and
//! reads and writes Redis's files.
//!
//! The crate `tallis` re-exports all of it, with the structures and the recipes; its documentation has the tour.

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
mod short;
mod store;
mod table;
mod text;
mod value;

pub use bitpack::bitfield::{FieldType, FieldTypeError, Overflow};
pub use clock::{Clock, ManualClock, SystemClock};
pub use commands::{
    Aggregate, BitFieldOp, BitRange, BitUnit, BloomInfo, BloomInsertOptions, CopyOptions,
    ExistenceCheck, ExpireOption, Expiry, GeoCentre, GeoHit, GeoOrder, GeoSearch, GeoStored,
    LcsMatch, LcsMatches, LexBound, Popped, RestoreOptions, ScanOptions, SetExpiry, SetOptions,
    SetOutcome, SortedSetAddOptions, UpdateCheck, ZRange,
};
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use member::Member;
pub use persist::{Target, WriteOptions, replace_file};
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
