//! Redis's keyspace inside your process: a [`Store`] keeps Redis's values in Redis's own encodings, answers Redis's
//! commands, and reads and writes Redis's files.
//!
//! The crate `tallis` re-exports all of it, with the structures and the recipes; its documentation has the tour.
//! Examples are written as its users write them.

#![forbid(unsafe_code)]

mod clock;
mod commands;
mod error;
mod execute;
mod key;
mod limits;
mod member;
mod persist;
mod pipeline;
mod policy;
mod profile;
#[cfg(any(feature = "redis", feature = "redis2"))]
mod redis_crate;
mod reply;
mod script;
mod session;
mod short;
mod store;
mod sync;
mod table;
mod text;
mod to_expiry;
mod to_key;
mod to_keys;
mod to_member;
mod to_score;
mod value;

pub use bitpack::bitfield::{FieldType, FieldTypeError, Overflow};
pub use clock::{Clock, ManualClock, SystemClock};
pub use commands::*;
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use member::Member;
pub use persist::{
    BackgroundSave, CutTail, Fsync, LoadOptions, LoadReport, OnLogError, OpenReport, Persistence,
    SaveOptions, SaveProgress, Target, replace_file,
};
pub use persist::{disk, file};
pub use pipeline::Pipeline;
pub use profile::Profile;
#[cfg(feature = "redis2")]
pub use redis_crate::Redis2Connection;
#[cfg(feature = "redis")]
pub use redis_crate::RedisConnection;
pub use reply::{FromReply, Reply};
pub use resp::Protocol;
pub use script::{Script, ScriptCall};
pub use session::{Client, Session};
pub use store::{
    Database, Effect, Entry, Held, Locks, Sink, Store, StoreBuilder, Striped, Sweeper, Tx,
};
pub use text::glob::Glob;
pub use to_expiry::{ToSpan, ToTime};
pub use to_key::{KeyRef, PreparedKey, ToKey};
pub use to_keys::ToKeys;
pub use to_member::{Each, ToMember, ToMembers, each};
pub use to_score::ToScore;
pub use value::Direction;

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
