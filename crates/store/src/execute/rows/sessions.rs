//! Commands on what a session remembers.

use crate::execute::families::sessions;
use crate::execute::info::info;
use crate::execute::table::{Command, command};

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
    command(
        info("discard", 1, "noscript loading stale fast allow_busy")
            .group("transactions", "2.0.0")
            .docs("Forgets the commands queued since MULTI.", "O(queued commands)")
            .acl("transaction"),
        sessions::discard,
    ),
    command(
        info("exec", 1, "noscript loading stale skip_slowlog")
            .group("transactions", "1.2.0")
            .docs("Runs the commands queued since MULTI, as one.", "O(what they take)")
            .acl("transaction"),
        sessions::exec,
    ),
    command(
        info("hello", -1, "noscript loading stale fast no_auth allow_busy")
            .group("connection", "6.0.0")
            .docs("Chooses the protocol and tells who answers.", "O(1)")
            .acl("connection"),
        sessions::hello,
    ),
    command(
        info("multi", 1, "noscript loading stale fast allow_busy")
            .group("transactions", "1.2.0")
            .docs("Begins a transaction: commands are queued until EXEC.", "O(1)")
            .acl("transaction"),
        sessions::multi,
    ),
    command(
        info("quit", -1, "noscript loading stale fast no_auth allow_busy")
            .group("connection", "1.0.0")
            .docs("Ends the session.", "O(1)")
            .acl("connection"),
        sessions::quit,
    ),
    command(
        info("reset", 1, "noscript loading stale fast no_auth allow_busy")
            .group("connection", "6.2.0")
            .docs(
                "Makes the session as it was when it began.",
                "O(keys watched and commands queued)",
            )
            .acl("connection"),
        sessions::reset,
    ),
    command(
        info("select", 2, "loading stale fast")
            .group("connection", "1.0.0")
            .docs("Chooses the database of the session.", "O(1)")
            .acl("connection"),
        sessions::select,
    ),
    command(
        info("unwatch", 1, "noscript loading stale fast allow_busy")
            .group("transactions", "2.2.0")
            .docs("Watches no key any more.", "O(keys watched)")
            .acl("transaction"),
        sessions::unwatch,
    ),
    command(
        info("watch", -2, "noscript loading stale fast allow_busy")
            .group("transactions", "2.2.0")
            .docs(
                "Lets the next EXEC do nothing if one of the keys has changed by then.",
                "O(keys)",
            )
            .acl("transaction")
            .keys("RO", 1, -1, 1),
        sessions::watch,
    ),
];
