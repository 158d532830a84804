//! Every command there is: what is known of it, and what runs it.
//!
//! The facts are those of Redis 7.0: a test compares them with COMMAND INFO of a live server.

mod bits;
mod bloom;
mod geo;
mod hlls;
mod keys;
mod server;
mod sessions;
mod sets;
mod strings;
mod zsets;

use super::table::Command;

/// Every command, by family.
pub(super) static FAMILIES: [&[Command]; 10] = [
    keys::ROWS,
    strings::ROWS,
    bits::ROWS,
    sets::ROWS,
    hlls::ROWS,
    zsets::ROWS,
    geo::ROWS,
    bloom::ROWS,
    server::ROWS,
    sessions::ROWS,
];
