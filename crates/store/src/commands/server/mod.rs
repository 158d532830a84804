//! Server commands: settings, memory, INFO and DEBUG.

mod config;
mod debug;
mod info;
mod persistence;

use bytes::Bytes;
pub(crate) use config::begin_with;

use crate::error::Error;
use crate::execute::{
    Answer, Command, command, container, end, family, help, int, take_with, wrong_arity,
};
use crate::reply::Reply;
use crate::store::{Locks, Store};

pub(super) const SERVER: &[Command] = &family("server", "").of([
    command!("bgrewriteaof", "", persistence::bgrewriteaof)
        .info("1.0.0", "admin noscript no_async_loading", [])
        .docs("Rewrites the log of the store's directory, in a background thread.", "O(1)"),
    command!("bgsave", "[SCHEDULE@3.2.2]", persistence::bgsave)
        .info("1.0.0", "admin noscript no_async_loading", [])
        .docs("Saves the store to the snapshot of its directory, in a background thread.", "O(1)"),
    container("config", CONFIG)
        .info("2.0.0", "", [])
        .docs("Returns and changes settings.", "O(settings)"),
    command!("debug", "", debug::debug)
        .info("1.0.0", "admin noscript loading stale", [])
        .arity(-2)
        .whole()
        .docs(
            "Returns encodings and digests of values, and has controls for tests.",
            "O(size of the values)",
        ),
    command!("info", "[section...]", info::info)
        .info("1.0.0", "loading stale", [])
        .acl("dangerous")
        .tips("nondeterministic_output request_policy:all_shards response_policy:special")
        .whole()
        .docs(
            "Returns information on the store, in sections.",
            "O(keys) for memory, otherwise O(databases)",
        ),
    command!("lastsave", "", |store, _| Ok(Reply::Int(store.shared().last_save())))
        .info("1.0.0", "loading stale fast", [])
        .acl("admin dangerous")
        .tips("nondeterministic_output")
        .docs("Returns the time of the last save, in seconds since the epoch.", "O(1)"),
    container("memory", MEMORY)
        .info("4.0.0", "", [])
        .docs("Returns how much memory values take.", "O(samples)"),
    command!("save", "", persistence::save)
        .info("1.0.0", "admin noscript no_async_loading no_multi", [])
        .docs("Saves the store to the snapshot of its directory.", "O(keys and bytes)"),
    command!("time", "", |store, _| {
        let now_ms = store.shared().clock().now_ms();
        let part = |number: i64| Reply::Bulk(number.to_string().into());
        Ok(Reply::Array(vec![part(now_ms.div_euclid(1000)), part(now_ms.rem_euclid(1000) * 1000)]))
    })
    .info("2.6.0", "loading stale fast", [])
    .tips("nondeterministic_output")
    .docs("Returns the time of the store's clock.", "O(1)"),
]);

const CONFIG: &[Command] = &family("server", "").of([
    command!("config|get", "parameter:(parameter)...", |store, patterns| {
        Ok(config::get(store.shared(), patterns))
    })
    .info("2.0.0", "admin noscript loading stale", [])
    .docs("Returns the settings whose names match patterns.", "O(settings * patterns)"),
    command!("config|help", "", |store, _| Ok(help("config", store.shared().profile())))
        .info("5.0.0", "loading stale", [])
        .docs("Describes the subcommands of CONFIG.", "O(1)"),
    command!("config|resetstat", "", |_, _| Ok(Reply::OK))
        .info("2.0.0", "admin noscript loading stale", [])
        .docs("Has no effect: INFO has no counters.", "O(1)"),
    command!("config|set", "parameter_value:(parameter value)...", |store, pairs| {
        config::set(store.shared(), pairs)
    })
    .info("2.0.0", "admin noscript loading stale", [])
    .tips("request_policy:all_nodes response_policy:all_succeeded")
    .docs("Changes settings, either all of them or none.", "O(settings given)"),
]);

const MEMORY: &[Command] = &family("server", "").of([
    command!("memory|help", "", |store, _| Ok(help("memory", store.shared().profile())))
        .info("4.0.0", "loading stale", [])
        .docs("Describes the subcommands of MEMORY.", "O(1)"),
    command!("memory|usage", "key [SAMPLES count:integer]", memory_usage)
        .info("4.0.0", "readonly", ["RO"])
        .docs(
            "Returns the estimated number of bytes that a key and its value take.",
            "O(size of a table's directory)",
        ),
]);

pub(super) const CONNECTION: &[Command] = &family("connection", "connection").of([
    command!("echo", "message", |_, words| Ok(Reply::Bulk(Bytes::copy_from_slice(words[0]))))
        .info("1.0.0", "loading stale fast", [])
        .docs("Returns its argument.", "O(1)"),
    command!("ping", "[message]", ping)
        .info("1.0.0", "fast", [])
        .tips("request_policy:all_shards response_policy:all_succeeded")
        .docs("Returns PONG, or its argument.", "O(1)"),
]);

fn memory_usage(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let mut options = &args[1..];
    // Redis samples some members and extrapolates; here the tables know their size.
    while let Some([count]) = take_with(&mut options, "samples") {
        if int(count)? < 0 {
            return Err(Error::syntax());
        }
    }
    end(options)?;
    Ok(store.memory_usage(args[0])?.map_or(Reply::Nil, Reply::count))
}

fn ping(_: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    match args {
        [] => Ok(Reply::Status("PONG".into())),
        [text] => Ok(Reply::Bulk(Bytes::copy_from_slice(text))),
        _ => Err(wrong_arity("ping")),
    }
}
