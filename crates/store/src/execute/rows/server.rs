//! Commands on what a server tells of itself.

use crate::execute::families::server;
use crate::execute::info::{Info, info};
use crate::execute::table::{Command, command};

const MEMORY: &[Info] = &[
    info("help", 2, "loading stale").since("4.0.0").docs("Shows what MEMORY can tell.", "O(1)"),
    info("usage", -3, "readonly")
        .since("4.0.0")
        .docs(
            "Estimates the bytes that a key and its value take.",
            "O(size of a table's directory)",
        )
        .keys("RO", 2, 0, 1),
];

const CONFIG: &[Info] = &[
    info("get", -3, "admin noscript loading stale")
        .since("2.0.0")
        .docs("Shows the settings whose names match a pattern.", "O(settings * patterns)"),
    info("help", 2, "loading stale").since("5.0.0").docs("Shows what CONFIG can do.", "O(1)"),
    info("resetstat", 2, "admin noscript loading stale")
        .since("2.0.0")
        .docs("Sets counters back, of which there are none.", "O(1)"),
    info("set", -4, "admin noscript loading stale")
        .since("2.0.0")
        .docs("Changes settings, all of them or none.", "O(settings given)")
        .tips("request_policy:all_nodes response_policy:all_succeeded"),
];

const COMMAND: &[Info] = &[
    info("count", 2, "loading stale")
        .since("2.8.13")
        .docs("Counts the commands.", "O(1)")
        .acl("connection"),
    info("docs", -2, "loading stale")
        .since("7.0.0")
        .docs("Describes commands in words.", "O(commands asked for)")
        .acl("connection")
        .tips("nondeterministic_output_order"),
    info("getkeys", -4, "loading stale")
        .since("2.8.13")
        .docs("Finds the keys among the words of a command.", "O(words)")
        .acl("connection"),
    info("getkeysandflags", -4, "loading stale")
        .since("7.0.0")
        .docs("Finds the keys of a command, and what happens to each.", "O(words)")
        .acl("connection"),
    info("help", 2, "loading stale")
        .since("5.0.0")
        .docs("Shows what COMMAND can tell.", "O(1)")
        .acl("connection"),
    info("info", -2, "loading stale")
        .since("2.8.13")
        .docs("Describes commands for programs.", "O(commands asked for)")
        .acl("connection")
        .tips("nondeterministic_output_order"),
    info("list", -2, "loading stale")
        .since("7.0.0")
        .docs("Lists the names of commands.", "O(commands)")
        .acl("connection")
        .tips("nondeterministic_output_order"),
];

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
    command(
        info("command", -1, "loading stale")
            .group("server", "2.8.13")
            .docs("Tells what is known of every command.", "O(commands)")
            .acl("connection")
            .tips("nondeterministic_output_order")
            .subcommands(COMMAND),
        server::command,
    ),
    command(
        info("config", -2, "")
            .group("server", "2.0.0")
            .docs("Shows and changes settings.", "O(settings)")
            .subcommands(CONFIG),
        server::config,
    ),
    command(
        info("debug", -2, "admin noscript loading stale")
            .group("server", "1.0.0")
            .docs("Looks into the store, for people who work on it.", "O(size of the value)")
            .whole(),
        server::debug,
    ),
    command(
        info("echo", 2, "loading stale fast")
            .group("connection", "1.0.0")
            .docs("Says back what it was given.", "O(1)")
            .acl("connection"),
        server::echo,
    ),
    command(
        info("info", -1, "loading stale")
            .group("server", "1.0.0")
            .docs("Reports on the store, in sections.", "O(keys) for memory, else O(databases)")
            .acl("dangerous")
            .tips("nondeterministic_output request_policy:all_shards response_policy:special")
            .whole(),
        server::info,
    ),
    command(
        info("memory", -2, "")
            .group("server", "4.0.0")
            .docs("Tells what values take in memory.", "O(samples)")
            .subcommands(MEMORY),
        server::memory,
    ),
    command(
        info("ping", -1, "fast")
            .group("connection", "1.0.0")
            .docs("Answers, to show that something does.", "O(1)")
            .acl("connection")
            .tips("request_policy:all_shards response_policy:all_succeeded"),
        server::ping,
    ),
    command(
        info("time", 1, "loading stale fast")
            .group("server", "2.6.0")
            .docs("Tells the time of the store's clock.", "O(1)")
            .tips("nondeterministic_output"),
        server::time,
    ),
];
