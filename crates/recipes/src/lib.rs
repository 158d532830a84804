//! What people build on the structures.
//!
//! A recipe is made of two things: functions that say which keys, arguments and replies it uses, and
//! [procedures](Procedure), the atomic steps on the keys. It asks a [`Backend`] to run them, such as a
//! [`Store`](store::Store).

mod bucket;
mod cohorts;
mod counted;
mod dedup;
mod errors;
mod kept;
mod locations;
mod procedure;
mod rates;
mod scan;
mod session_id;
mod shard;
mod sharded_set;
mod text;
mod visitor_id;
mod visitors;
mod windows;

pub use bucket::Bucket;
pub use cohorts::{Cohort, Cohorts, Period, PeriodKind, Query, Retention, RetentionRow, When};
pub use dedup::{Dedup, DedupInfo};
pub use locations::{
    Cities, CityTable, CityTableError, CodeCounts, Codes, Countries, LocationCounts, LocationTable,
    Locations, Precision, Regions, TableError, TableProblem,
};
pub use procedure::{Backend, Procedure};
pub use rates::{Funnel, Quota, RetryAfter, SlidingCounter, SlidingWindow, Throttle};
pub use session_id::SessionIds;
pub use shard::shard_key;
pub use sharded_set::{ShardForm, ShardedSet};
pub use visitor_id::VisitorId;
pub use visitors::{Visitors, VisitorsForm, VisitorsIn, forecast};
pub use windows::{UvBucket, UvCalendar, UvFilling, UvLevel, UvWindows};
