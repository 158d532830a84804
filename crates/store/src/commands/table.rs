//! Every command, by family.
//!
//! The facts are those of Redis 7.0: a test compares them with COMMAND INFO and COMMAND DOCS of a live server.

use super::{bits, bloom, geo, hlls, keys_table, server, sets, strings, zsets};
use crate::execute::{COMMAND, Command};
use crate::session;

pub(crate) static FAMILIES: &[&[Command]] = &[
    keys_table::GENERIC,
    keys_table::OBJECT,
    keys_table::DATABASES,
    strings::table::COMMANDS,
    bits::table::COMMANDS,
    sets::table::COMMANDS,
    hlls::table::COMMANDS,
    zsets::table::COMMANDS,
    geo::table::COMMANDS,
    bloom::table::COMMANDS,
    server::SERVER,
    server::CONNECTION,
    COMMAND,
    session::TRANSACTIONS,
    session::SESSIONS,
];
