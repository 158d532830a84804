//! The commands on the state of a session.

use super::Client;
use crate::execute::{Command, Run, declared, family};

pub(crate) const TRANSACTIONS: &[Command] = &family("transactions", "transaction").of([
    declared("discard", "", Run::AtOnce(|session, _| session.discard()))
        .info("2.0.0", "noscript loading stale fast allow_busy", [])
        .docs("Discards the commands queued since MULTI.", "O(queued commands)"),
    declared("exec", "", Run::AtOnce(|session, _| session.exec()))
        .info("1.2.0", "noscript loading stale skip_slowlog", [])
        .docs(
            "Runs the commands queued since MULTI as one transaction.",
            "O(cost of the commands)",
        ),
    declared("multi", "", Run::AtOnce(|session, _| session.multi()))
        .info("1.2.0", "noscript loading stale fast allow_busy", [])
        .docs("Starts a transaction: commands are queued until EXEC.", "O(1)"),
    declared("unwatch", "", Run::Session(|session, _| Ok(session.unwatch())))
        .info("2.2.0", "noscript loading stale fast allow_busy", [])
        .docs("Stops watching keys.", "O(keys watched)"),
    declared("watch", "key...", Run::AtOnce(Client::watch))
        .info("2.2.0", "noscript loading stale fast allow_busy", ["RO"])
        .docs("Watches keys: the next EXEC runs nothing if one of them has changed.", "O(keys)"),
]);

pub(crate) const SESSIONS: &[Command] = &family("connection", "connection").of([
    declared(
        "hello",
        "[arguments:(protover:integer [AUTH username_password:(username password)] \
         [SETNAME clientname])]",
        Run::Session(Client::hello),
    )
    .info("6.0.0", "noscript loading stale fast no_auth allow_busy", [])
    .docs("Selects the protocol and returns information on the session.", "O(1)"),
    declared("quit", "", Run::AtOnce(|session, _| Ok(session.quit())))
        .info("1.0.0", "noscript loading stale fast no_auth allow_busy", [])
        .arity(-1)
        .docs("Ends the session.", "O(1)"),
    declared("reset", "", Run::AtOnce(|session, _| Ok(session.reset())))
        .info("6.2.0", "noscript loading stale fast no_auth allow_busy", [])
        .docs("Resets the session to its initial state.", "O(keys watched and commands queued)"),
    declared("select", "index:integer", Run::Session(Client::select))
        .info("1.0.0", "loading stale fast", [])
        .docs("Changes the selected database.", "O(1)"),
]);
