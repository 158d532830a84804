//! A differential test: the same commands on a live server and on a subject must give the same replies and the same
//! bytes.
//!
//! # Idea
//!
//! A seed determines a script of commands over a small space of keys and members, so that types collide, keys expire
//! and every encoding is converted to the next. The script runs on a `redis-server` and on the [`Subject`]; replies
//! must be equal, and so must be the state afterwards: type, encoding, expiry and DUMP of each key, and each side must
//! restore the other's DUMP. [`sweep`](Differential::sweep) is the second part: each command with each wrong type,
//! wrong number of words and wrong number, systematically and not at random.
//!
//! A script depends only on its seed, never on a reply. So any part of it is a script too, and a failure can be
//! *shrunk*: commands are removed as long as the two sides still differ, and the rest is printed as command lines.
//!
//! # What equal means
//!
//! | replies | rule |
//! |---|---|
//! | errors | word for word, always |
//! | most | every byte |
//! | SMEMBERS, SINTER, KEYS, ... | the same elements, in any order |
//! | TTL and similar | at most two minutes apart; negative values exactly |
//! | SRANDMEMBER, ZRANDMEMBER, RANDOMKEY | the same number, all of them members, without duplicates where Redis guarantees it |
//! | SPOP | the same, and removed and remaining members are the previous ones; then both sides are brought to one state, which the script determines |
//! | SCAN, SSCAN, ZSCAN | a whole iteration, page by page: the same elements, each at least once |
//! | DUMP | the same value: decompressed, hash tables in any order, blobs exactly |
//! | DEBUG OBJECT | the encoding, and the length where nothing can be compressed |
//! | MEMORY USAGE, INFO, TIME, COMMAND DOCS | the kind of reply |
//!
//! Nothing depends on the time that passes: a time to live is thousands of seconds, different from all others, or has
//! passed.
//!
//! # Worked example
//!
//! ```
//! use testkit::differential::{Differential, LiveSubject, Settings};
//! use testkit::live::server_with;
//!
//! # fn main() {
//! let settings = Settings { seed: 7, commands: 500, ..Settings::default() };
//! let Some(server) = server_with(&settings.options()) else { return };
//! let Some(other) = server_with(&settings.options()) else { return };
//! let run = Differential::new(settings).run(&server, |settings| LiveSubject::new(&other, settings));
//! let report = run.unwrap_or_else(|difference| panic!("{difference}"));
//! // Those that wait in a transaction count when EXEC runs them, and not if it never does.
//! assert!(report.commands > 400);
//! # }
//! ```
//!
//! # Limits
//!
//! One thread, one server. Commands that need real time to pass, or more memory than a test may use, are not generated.

mod apart;
mod audit;
mod compare;
mod families;
mod generate;
mod harness;
mod payload;
mod pop;
mod report;
mod run;
mod script;
mod settings;
mod shrink;
mod subject;
mod sweep;

pub use crate::live::{Reply, command_line, quoted};
pub use apart::{LATER_COMMANDS, older_differences};
pub use harness::Differential;
pub use payload::Payload;
pub use report::{Count, Difference, Report};
pub use settings::{LATER_FAMILIES, Limits, MODULE_FAMILY, Settings, family_names};
pub use subject::{LiveSubject, Subject};
