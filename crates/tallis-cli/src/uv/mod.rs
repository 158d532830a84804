//! `tallis uv`: the unique visitors of an access log, exact and approximate.

mod bucket;
mod line;
mod source;
mod stamp;
mod visitor;

pub use bucket::{Bucket, Every};
pub use line::{LineError, LogLine, Problem};
pub use source::{MAX_LINE, Source, TooLong};
pub use stamp::{STAMP_LEN, Stamp, StampError};
pub use visitor::{By, VisitorId};
