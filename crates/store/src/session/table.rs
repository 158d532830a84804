//! The commands on the state of a session.

use super::Client;
use crate::execute::{Command, Run, command, container, declared, family, help};

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

pub(crate) const CLIENT: &[Command] =
    &family("connection", "").of([container("client", CLIENT_SUBCOMMANDS)
        .info("2.4.0", "", [])
        .docs("Returns and sets the name and other properties of the session.", "O(1)")]);

const CLIENT_SUBCOMMANDS: &[Command] = &family("connection", "connection").of([
    declared("client|getname", "", Run::Session(|session, _| Ok(session.client_getname())))
        .info("2.6.9", "noscript loading stale", [])
        .docs("Returns the name of the session.", "O(1)"),
    command!("client|help", "", |store, _| Ok(help("client", store.shared().profile())))
        .info("5.0.0", "loading stale", [])
        .docs("Describes the subcommands of CLIENT.", "O(1)"),
    declared("client|id", "", Run::Session(|session, _| Ok(session.connection.id())))
        .info("5.0.0", "noscript loading stale", [])
        .docs("Returns the ID of the session, which is unique in the store.", "O(1)"),
    declared("client|info", "", Run::Session(|session, _| session.client_info()))
        .info("6.2.0", "noscript loading stale", [])
        .tips("nondeterministic_output")
        .docs("Returns information about the session, as a line of fields.", "O(keys watched)"),
    declared(
        "client|list",
        "[TYPE normal_master_replica_pubsub:<NORMAL | MASTER | REPLICA | PUBSUB>@5.0.0] \
         [ID id:(client-id:integer...)@6.2.0]",
        Run::Session(|session, words| session.client_list(words)),
    )
    .info("2.4.0", "admin noscript loading stale", [])
    .tips("nondeterministic_output")
    .docs("Returns information about this session, as CLIENT INFO does. Other sessions are not listed.", "O(keys watched)"),
    declared("client|no-evict", "enabled:<ON | OFF>", Run::Session(Client::client_no_evict))
        .info("7.0.0", "admin noscript loading stale", [])
        .docs("Sets the no-evict flag, which CLIENT INFO shows. Sessions are never evicted.", "O(1)"),
    declared("client|no-touch", "enabled:<ON | OFF>", Run::Session(Client::client_no_touch))
        .info("7.2.0", "noscript loading stale", [])
        .docs(
            "Sets whether the commands of the session leave the access times of their keys unchanged.",
            "O(1)",
        ),
    declared(
        "client|setinfo",
        "attr:<LIB-NAME libname:string | LIB-VER libver:string>",
        Run::Session(Client::client_setinfo),
    )
    .info("7.2.0", "noscript loading stale", [])
    .tips(TO_ALL_NODES)
    .docs("Sets the name or version of the client library.", "O(1)"),
    declared("client|setname", "connection-name", Run::Session(Client::client_setname))
        .info("2.6.9", "noscript loading stale", [])
        .docs("Sets the name of the session, or removes it.", "O(1)"),
]);

const TO_ALL_NODES: &str = "request_policy:all_nodes response_policy:all_succeeded";
