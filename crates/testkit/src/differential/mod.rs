//! The same commands on a live server and on a subject: the same replies, the same bytes.
//!
//! # Idea
//!
//! A seed makes a script of commands over a small space of keys and members, so that types collide, keys expire and
//! every encoding gives way to the next. The script runs on a `redis-server` and on the [`Subject`]; replies must be
//! equal, and so must be what the commands have left: type, encoding, expiry and DUMP of each key, and each side must
//! restore the other's DUMP. [`sweep`](Differential::sweep) is the second half: each command with each wrong type,
//! wrong number of words and wrong number, in order and not at random.
//!
//! A script depends on its seed alone, never on a reply. So any part of it is a script too, and a failure can be
//! *shrunk*: commands are left out as long as the two sides still differ, and what remains is printed as one would type
//! it.
//!
//! # What equal means
//!
//! | replies | rule |
//! |---|---|
//! | errors | word for word, always |
//! | most | every byte |
//! | SMEMBERS, SINTER, KEYS, ... | the same elements, in any order |
//! | TTL and the like | two minutes apart at most; what is negative, exactly |
//! | SRANDMEMBER, ZRANDMEMBER, RANDOMKEY | as many, members all of them, none twice where Redis says so |
//! | SPOP | the same, and taken and left make up what was there; then both sides are brought to one state, which the script decides |
//! | SCAN, SSCAN, ZSCAN | a whole iteration, page by page: the same elements, once or more |
//! | DUMP | the same value: decompressed, hash tables in any order, blobs exactly |
//! | DEBUG OBJECT | encoding, and the length where nothing can be compressed |
//! | MEMORY USAGE, INFO, TIME, COMMAND DOCS | the kind of reply |
//!
//! Nothing depends on the time that passes: a time to live is thousands of seconds, each apart from all others, or is
//! over.
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
//! One thread, one server. What needs real time to pass, or more memory than a machine gives for a test, is not
//! generated.

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
