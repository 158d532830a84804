//! The opcodes, which are at the position of a type byte.

pub(crate) const EOF: u8 = 255;
pub(crate) const SELECT_DB: u8 = 254;
/// Seconds, i32.
pub(crate) const EXPIRE_S: u8 = 253;
/// Milliseconds, i64.
pub(crate) const EXPIRE_MS: u8 = 252;
pub(crate) const RESIZE_DB: u8 = 251;
pub(crate) const AUX: u8 = 250;
pub(crate) const FREQ: u8 = 249;
pub(crate) const IDLE: u8 = 248;
pub(crate) const MODULE_AUX: u8 = 247;
/// Release candidates of Redis 7.0.
pub(crate) const FUNCTION_PRE_RELEASE: u8 = 246;
pub(crate) const FUNCTION: u8 = 245;
pub(crate) const SLOT_INFO: u8 = 244;
/// In Valkey's files.
pub(crate) const SLOT_IMPORT: u8 = 243;
/// The opcode of the metadata that modules store with a key, from version 13 of Redis on.
pub const KEY_METADATA: u8 = 243;
/// From this byte on none is a type.
pub(crate) const FIRST: u8 = 242;

/// First version with functions.
pub(crate) const FUNCTION_SINCE: u16 = 10;
/// First version with slots.
pub(crate) const SLOT_INFO_SINCE: u16 = 12;
/// First version with metadata of keys.
pub(crate) const KEY_METADATA_SINCE: u16 = 13;
