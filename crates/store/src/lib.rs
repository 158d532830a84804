#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Handles and locks
//!
//! A [`Store`] is a handle: an `Arc` to the keyspace and the number of a database. The first bits of a key's hash
//! choose one of a fixed number of lock stripes. A command hashes each of its keys once, locks their stripes in
//! ascending order, so that no deadlock is possible, and runs atomically. A [`Tx`] is a handle that holds the locks of
//! the keys that it was given; a [`Session`] is one client, with its database, its queue between MULTI and EXEC, and
//! its watched keys. All of them are `Store<L>`, and have the same methods (see [`Locks`]).
//!
//! ```text
//! Store (handle: Arc + number of the database)
//!   stripe, stripe, ...          each behind a lock, on its own cache lines
//!     database 0, others         a keyspace each
//!       extendible table         a directory, indexed by the next bits of the hash
//!         bucket                 at most 64 keys
//! ```
//!
//! The crate [`extendible`] explains the table. A SCAN cursor is a hash, so a key that exists during the whole
//! iteration is returned exactly once, however the table grows.
//!
//! ## Values
//!
//! A value is three words. Intsets, listpacks and HyperLogLogs are stored as their RDB bytes: saving copies them, and
//! loading validates them. [`Limits`] decide when a value changes its encoding, and a [`Profile`] decides which
//! release series of Redis or Valkey its bytes and replies follow.
//!
//! ## Commands
//!
//! A command is implemented once, as a method of `Store<L>` that locks its keys and reads or changes an [`Entry`].
//! A table of commands maps the words of [`Store::execute`] to these methods, and answers COMMAND INFO and COMMAND
//! DOCS. A [`Pipeline`] runs many commands in one call; [`Store::transaction`] runs several commands as one.
//!
//! ## Effects
//!
//! An [`Entry`] is the only way to change a key. Each change is described by an [`Effect`], a command that makes the
//! same change again: random choices are replaced by their results, and relative times by absolute ones. While the
//! locks are still held, effects go to the [`Sink`]s of the store and to its append-only log.
//!
//! ## Time
//!
//! The time comes from a [`Clock`]. A command reads the exact time at most once, and only if it accesses a key that has
//! an expiry. An expired key is never visible to a command; [`Store::sweep`] and [`Store::sweeper`] release its memory.
//!
//! ## Files
//!
//! [`Store::save`], [`Store::load`] and [`Store::snapshot`] write and read RDB files. [`Store::open`] keeps a store in
//! a directory, as an append-only log in the format of Redis 7, with the [`Fsync`] policy of its [`Persistence`].

#![forbid(unsafe_code)]

// Before the others, so that the constructors of `Store` come first in its documentation.
mod store;

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
mod processors;
mod profile;
#[cfg(any(feature = "redis", feature = "redis2"))]
mod redis_crate;
mod reply;
mod script;
mod session;
mod short;
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
