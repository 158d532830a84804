//! `tallis uv`: the unique visitors of an access log, exact and approximate.

mod chart;
mod every;
mod follow;
mod form;
mod line;
mod period;
mod report;
mod run;
mod source;
mod stamp;
mod tally;
mod visitor;
mod window;

pub use every::Every;
pub use form::Form;
pub use line::{LineError, LogLine, Problem};
pub use period::{WindowEnd, WindowEndError, WindowLength, WindowLengthError};
pub(crate) use report::lines;
pub use report::{Bytes, Latest, Report, Row, Total};
pub use run::run;
pub use source::{MAX_LINE, Source, TooLong};
pub use stamp::{STAMP_LEN, Stamp, StampError};
pub use tally::{Refused, Tally};
pub use visitor::By;
pub use window::{Window, WindowCount};
