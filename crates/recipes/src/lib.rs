//! What people build on the structures.
//!
//! A recipe is made of two things: pure functions that say which keys, arguments and replies it uses, and a short
//! trait of the atomic steps that it needs. The steps are implemented here for the [`Store`](crate::Store); a server
//! is one more implementation of the same trait, and the recipe does not change.

mod bucket;
mod cohorts;
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
pub use cohorts::{Cohort, Cohorts, Period, PeriodKind, Query, Retention, RetentionRow, When};
pub use dedup::{Dedup, DedupInfo};
pub use locations::{LocationCounts, LocationTable, Locations, TableError, TableProblem};
pub use procedure::{Backend, Procedure};
pub use rates::{Funnel, Quota, SlidingCounter, SlidingWindow, Throttle};
pub use session_id::SessionIds;
pub use shard::shard_key;
pub use sharded_set::{
    Counted, Level, Part, Replaced, SetOperation, SetSteps, ShardForm, ShardedSet, SplitSteps,
    Spread,
};
pub use visitors::{VisitorSteps, Visitors, VisitorsIn, forecast};
pub use windows::{UvBucket, UvCalendar, UvFilling, UvLevel, UvWindows};
