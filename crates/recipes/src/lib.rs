//! What people build on the structures.
//!
//! A recipe is made of two things: pure functions that say which keys, arguments and replies it uses, and a short
//! trait of the atomic steps that it needs. The steps are implemented here for the [`Store`](crate::Store); a server
//! is one more implementation of the same trait, and the recipe does not change.

mod bucket;
mod cohorts;
mod counted;
mod dedup;
mod locations;
mod procedure;
mod rates;
mod session_id;
mod shard;
mod sharded_set;
mod visitors;
mod windows;

pub use bucket::Bucket;
pub use cohorts::{
    Cohort, CohortSteps, Cohorts, Period, PeriodKind, Query, Retention, RetentionRow, When,
};
pub use dedup::{Dedup, DedupInfo, DedupSteps, Turn};
pub use locations::{
    LocationCounts, LocationSteps, LocationTable, Locations, TableError, TableProblem,
};
pub use procedure::{Backend, Procedure};
pub use rates::{
    CounterSteps, Funnel, FunnelSteps, Quota, SlidingCounter, SlidingWindow, Throttle, WindowSteps,
};
pub use session_id::SessionIds;
pub use shard::shard_key;
pub use sharded_set::{ShardForm, ShardedSet};
pub use visitors::{Visitors, VisitorsIn, forecast};
pub use windows::{UvBucket, UvCalendar, UvFilling, UvHashed, UvKey, UvLevel, UvSteps, UvWindows};
