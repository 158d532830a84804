//! Every command there is: what is known of it, and what runs it.
//!
//! The facts are those of Redis 7.0: a test compares them with COMMAND INFO of a live server.

use super::families::{hlls, keys, server, sessions, sets, strings};
use super::info::{Info, info};
use super::table::{Command, command};

const OBJECT: &[Info] = &[
    info("encoding", 3, "readonly")
        .since("2.2.3")
        .docs("Tells in which encoding a value is kept.", "O(1)")
        .acl("keyspace")
        .tips("nondeterministic_output")
        .keys("RO", 2, 0, 1),
    info("freq", 3, "readonly")
        .since("4.0.0")
        .docs("Tells how often a key is used, where that is counted.", "O(1)")
        .acl("keyspace")
        .tips("nondeterministic_output")
        .keys("RO", 2, 0, 1),
    info("help", 2, "loading stale")
        .since("6.2.0")
        .docs("Shows what OBJECT can tell.", "O(1)")
        .acl("keyspace"),
    info("idletime", 3, "readonly")
        .since("2.2.3")
        .docs("Tells for how many seconds a key has not been used.", "O(1)")
        .acl("keyspace")
        .tips("nondeterministic_output")
        .keys("RO", 2, 0, 1),
    info("refcount", 3, "readonly")
        .since("2.2.3")
        .docs("Tells how many references a value has.", "O(1)")
        .acl("keyspace")
        .tips("nondeterministic_output")
        .keys("RO", 2, 0, 1),
];

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

/// Every command, in the order of their names.
pub(super) static COMMANDS: &[Command] = &[
    command(
        info("append", 3, "write denyoom fast")
            .group("string", "2.0.0")
            .docs("Adds bytes to the end of a string, or makes it.", "O(bytes added), amortized")
            .acl("string")
            .keys("RW insert", 1, 0, 1),
        strings::append,
    ),
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
        info("copy", -3, "write denyoom")
            .group("generic", "6.2.0")
            .docs("Gives another key the same value.", "O(size of the value)")
            .acl("keyspace")
            .keys("RO access", 1, 0, 1)
            .keys("OW update", 2, 0, 1),
        keys::copy,
    ),
    command(
        info("dbsize", 1, "readonly fast")
            .group("server", "1.0.0")
            .docs("Counts the keys of the database.", "O(1)")
            .acl("keyspace")
            .tips("request_policy:all_shards response_policy:agg_sum")
            .whole(),
        keys::dbsize,
    ),
    command(
        info("debug", -2, "admin noscript loading stale")
            .group("server", "1.0.0")
            .docs("Looks into the store, for people who work on it.", "O(size of the value)")
            .whole(),
        server::debug,
    ),
    command(
        info("decr", 2, "write denyoom fast")
            .group("string", "1.0.0")
            .docs("Takes one from the number at a key.", "O(1)")
            .acl("string")
            .keys("RW access update", 1, 0, 1),
        strings::decr,
    ),
    command(
        info("decrby", 3, "write denyoom fast")
            .group("string", "1.0.0")
            .docs("Takes so much from the number at a key.", "O(1)")
            .acl("string")
            .keys("RW access update", 1, 0, 1),
        strings::decrby,
    ),
    command(
        info("del", -2, "write")
            .group("generic", "1.0.0")
            .docs("Removes keys and what they hold.", "O(keys), and the members of what they hold")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RM delete", 1, -1, 1),
        keys::del,
    ),
    command(
        info("discard", 1, "noscript loading stale fast allow_busy")
            .group("transactions", "2.0.0")
            .docs("Forgets the commands queued since MULTI.", "O(queued commands)")
            .acl("transaction"),
        sessions::discard,
    ),
    command(
        info("dump", 2, "readonly")
            .group("generic", "2.6.0")
            .docs("Gives a value as bytes that RESTORE takes.", "O(size of the value)")
            .acl("keyspace")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        keys::dump,
    ),
    command(
        info("echo", 2, "loading stale fast")
            .group("connection", "1.0.0")
            .docs("Says back what it was given.", "O(1)")
            .acl("connection"),
        server::echo,
    ),
    command(
        info("exec", 1, "noscript loading stale skip_slowlog")
            .group("transactions", "1.2.0")
            .docs("Runs the commands queued since MULTI, as one.", "O(what they take)")
            .acl("transaction"),
        sessions::exec,
    ),
    command(
        info("exists", -2, "readonly fast")
            .group("generic", "1.0.0")
            .docs("Counts which of the keys there are.", "O(keys)")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RO", 1, -1, 1),
        keys::exists,
    ),
    command(
        info("expire", -3, "write fast")
            .group("generic", "1.0.0")
            .docs("Lets a key expire after so many seconds.", "O(1)")
            .acl("keyspace")
            .keys("RW update", 1, 0, 1),
        keys::expire,
    ),
    command(
        info("expireat", -3, "write fast")
            .group("generic", "1.2.0")
            .docs("Lets a key expire at a moment given in seconds.", "O(1)")
            .acl("keyspace")
            .keys("RW update", 1, 0, 1),
        keys::expireat,
    ),
    command(
        info("expiretime", 2, "readonly fast")
            .group("generic", "7.0.0")
            .docs("Tells at which second a key expires.", "O(1)")
            .acl("keyspace")
            .keys("RO access", 1, 0, 1),
        keys::expiretime,
    ),
    command(
        info("flushall", -1, "write")
            .group("server", "1.0.0")
            .docs("Empties every database.", "O(keys)")
            .acl("keyspace dangerous")
            .tips("request_policy:all_shards response_policy:all_succeeded")
            .whole(),
        keys::flushall,
    ),
    command(
        info("flushdb", -1, "write")
            .group("server", "1.0.0")
            .docs("Empties the database.", "O(keys of the database)")
            .acl("keyspace dangerous")
            .tips("request_policy:all_shards response_policy:all_succeeded")
            .whole(),
        keys::flushdb,
    ),
    command(
        info("get", 2, "readonly fast")
            .group("string", "1.0.0")
            .docs("Reads a string.", "O(1)")
            .acl("string")
            .keys("RO access", 1, 0, 1),
        strings::get,
    ),
    command(
        info("getdel", 2, "write fast")
            .group("string", "6.2.0")
            .docs("Reads a string and removes its key.", "O(1)")
            .acl("string")
            .keys("RW access delete", 1, 0, 1),
        strings::getdel,
    ),
    command(
        info("getex", -2, "write fast")
            .group("string", "6.2.0")
            .docs("Reads a string and may change when its key expires.", "O(1)")
            .acl("string")
            .keys("RW access update", 1, 0, 1)
            .note("It may change the expiry."),
        strings::getex,
    ),
    command(
        info("getrange", 4, "readonly")
            .group("string", "2.4.0")
            .docs("Reads part of a string.", "O(bytes read)")
            .acl("string")
            .keys("RO access", 1, 0, 1),
        strings::getrange,
    ),
    command(
        info("getset", 3, "write denyoom fast")
            .group("string", "1.0.0")
            .docs("Sets a string and gives the one that was there.", "O(1)")
            .acl("string")
            .keys("RW access update", 1, 0, 1),
        strings::getset,
    ),
    command(
        info("hello", -1, "noscript loading stale fast no_auth allow_busy")
            .group("connection", "6.0.0")
            .docs("Chooses the protocol and tells who answers.", "O(1)")
            .acl("connection"),
        sessions::hello,
    ),
    command(
        info("incr", 2, "write denyoom fast")
            .group("string", "1.0.0")
            .docs("Adds one to the number at a key.", "O(1)")
            .acl("string")
            .keys("RW access update", 1, 0, 1),
        strings::incr,
    ),
    command(
        info("incrby", 3, "write denyoom fast")
            .group("string", "1.0.0")
            .docs("Adds so much to the number at a key.", "O(1)")
            .acl("string")
            .keys("RW access update", 1, 0, 1),
        strings::incrby,
    ),
    command(
        info("incrbyfloat", 3, "write denyoom fast")
            .group("string", "2.6.0")
            .docs("Adds a fraction to the number at a key.", "O(1)")
            .acl("string")
            .keys("RW access update", 1, 0, 1),
        strings::incrbyfloat,
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
        info("keys", 2, "readonly")
            .group("generic", "1.0.0")
            .docs("Lists the keys whose names match a pattern.", "O(keys of the database)")
            .acl("keyspace dangerous")
            .tips("request_policy:all_shards nondeterministic_output_order")
            .whole(),
        keys::keys,
    ),
    command(
        info("lcs", -3, "readonly")
            .group("string", "7.0.0")
            .docs(
                "Finds the longest subsequence that two strings share.",
                "O(length of one * length of the other)",
            )
            .acl("string")
            .keys("RO access", 1, 1, 1),
        strings::lcs,
    ),
    command(
        info("memory", -2, "")
            .group("server", "4.0.0")
            .docs("Tells what values take in memory.", "O(samples)")
            .subcommands(MEMORY),
        server::memory,
    ),
    command(
        info("mget", -2, "readonly fast")
            .group("string", "1.0.0")
            .docs("Reads several strings at once.", "O(keys)")
            .acl("string")
            .tips("request_policy:multi_shard")
            .keys("RO access", 1, -1, 1),
        strings::mget,
    ),
    command(
        info("move", 3, "write fast")
            .group("generic", "1.0.0")
            .docs("Takes a key to another database.", "O(1)")
            .acl("keyspace")
            .keys("RW access update", 1, 0, 1),
        keys::move_key,
    ),
    command(
        info("mset", -3, "write denyoom")
            .group("string", "1.0.1")
            .docs("Sets several strings at once.", "O(keys)")
            .acl("string")
            .tips("request_policy:multi_shard response_policy:all_succeeded")
            .keys("OW update", 1, -1, 2),
        strings::mset,
    ),
    command(
        info("msetnx", -3, "write denyoom")
            .group("string", "1.0.1")
            .docs("Sets several strings at once, if none of the keys is there.", "O(keys)")
            .acl("string")
            .tips("request_policy:multi_shard response_policy:agg_min")
            .keys("OW insert", 1, -1, 2),
        strings::msetnx,
    ),
    command(
        info("multi", 1, "noscript loading stale fast allow_busy")
            .group("transactions", "1.2.0")
            .docs("Begins a transaction: commands are queued until EXEC.", "O(1)")
            .acl("transaction"),
        sessions::multi,
    ),
    command(
        info("object", -2, "")
            .group("generic", "2.2.3")
            .docs("Tells how a value is kept and used.", "O(1)")
            .subcommands(OBJECT),
        keys::object,
    ),
    command(
        info("persist", 2, "write fast")
            .group("generic", "2.2.0")
            .docs("Takes away the moment at which a key expires.", "O(1)")
            .acl("keyspace")
            .keys("RW update", 1, 0, 1),
        keys::persist,
    ),
    command(
        info("pexpire", -3, "write fast")
            .group("generic", "2.6.0")
            .docs("Lets a key expire after so many milliseconds.", "O(1)")
            .acl("keyspace")
            .keys("RW update", 1, 0, 1),
        keys::pexpire,
    ),
    command(
        info("pexpireat", -3, "write fast")
            .group("generic", "2.6.0")
            .docs("Lets a key expire at a moment given in milliseconds.", "O(1)")
            .acl("keyspace")
            .keys("RW update", 1, 0, 1),
        keys::pexpireat,
    ),
    command(
        info("pexpiretime", 2, "readonly fast")
            .group("generic", "7.0.0")
            .docs("Tells at which millisecond a key expires.", "O(1)")
            .acl("keyspace")
            .keys("RO access", 1, 0, 1),
        keys::pexpiretime,
    ),
    command(
        info("pfadd", -2, "write denyoom fast")
            .group("hyperloglog", "2.8.9")
            .docs("Shows elements to a HyperLogLog, which is made if need be.", "O(elements)")
            .acl("hyperloglog")
            .keys("RW insert", 1, 0, 1),
        hlls::pfadd,
    ),
    command(
        info("pfcount", -2, "readonly")
            .group("hyperloglog", "2.8.9")
            .docs(
                "Estimates how many different elements the HyperLogLogs have seen.",
                "O(HyperLogLogs)",
            )
            .acl("hyperloglog")
            .keys("RW access", 1, -1, 1)
            .note("It may write the estimate into the value."),
        hlls::pfcount,
    ),
    command(
        info("pfdebug", 3, "write denyoom admin")
            .group("hyperloglog", "2.8.9")
            .docs("Looks into a HyperLogLog.", "O(registers)")
            .acl("hyperloglog")
            .keys("RW access", 2, 0, 1),
        hlls::pfdebug,
    ),
    command(
        info("pfmerge", -2, "write denyoom")
            .group("hyperloglog", "2.8.9")
            .docs("Makes a HyperLogLog of all that several have seen.", "O(HyperLogLogs)")
            .acl("hyperloglog")
            .keys("RW access insert", 1, 0, 1)
            .keys("RO access", 2, -1, 1),
        hlls::pfmerge,
    ),
    command(
        info("pfselftest", 1, "admin")
            .group("hyperloglog", "2.8.9")
            .docs("Tests the HyperLogLog code on itself.", "O(1), though it takes seconds")
            .acl("hyperloglog"),
        hlls::pfselftest,
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
        info("psetex", 4, "write denyoom")
            .group("string", "2.6.0")
            .docs("Sets a string that expires after so many milliseconds.", "O(1)")
            .acl("string")
            .keys("OW update", 1, 0, 1),
        strings::psetex,
    ),
    command(
        info("pttl", 2, "readonly fast")
            .group("generic", "2.6.0")
            .docs("Tells how many milliseconds a key has left.", "O(1)")
            .acl("keyspace")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        keys::pttl,
    ),
    command(
        info("quit", -1, "noscript loading stale fast no_auth allow_busy")
            .group("connection", "1.0.0")
            .docs("Ends the session.", "O(1)")
            .acl("connection"),
        sessions::quit,
    ),
    command(
        info("randomkey", 1, "readonly")
            .group("generic", "1.0.0")
            .docs("Draws one of the keys.", "O(1)")
            .acl("keyspace")
            .tips("request_policy:all_shards nondeterministic_output")
            .whole(),
        keys::randomkey,
    ),
    command(
        info("rename", 3, "write")
            .group("generic", "1.0.0")
            .docs(
                "Gives a key another name, over whatever has that name.",
                "O(size of the value that is replaced)",
            )
            .acl("keyspace")
            .keys("RW access delete", 1, 0, 1)
            .keys("OW update", 2, 0, 1),
        keys::rename,
    ),
    command(
        info("renamenx", 3, "write fast")
            .group("generic", "1.0.0")
            .docs("Gives a key another name, if nothing has that name.", "O(1)")
            .acl("keyspace")
            .keys("RW access delete", 1, 0, 1)
            .keys("OW insert", 2, 0, 1),
        keys::renamenx,
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
        info("restore", -4, "write denyoom")
            .group("generic", "2.6.0")
            .docs("Makes a key of what DUMP gave.", "O(size of the value)")
            .acl("keyspace dangerous")
            .keys("OW update", 1, 0, 1),
        keys::restore,
    ),
    command(
        info("sadd", -3, "write denyoom fast")
            .group("set", "1.0.0")
            .docs("Adds members to a set, which is made if need be.", "O(members added)")
            .acl("set")
            .keys("RW insert", 1, 0, 1),
        sets::sadd,
    ),
    command(
        info("scan", -2, "readonly")
            .group("generic", "2.8.0")
            .docs("Walks over all keys, some at a time.", "O(1) a call, O(keys) in all")
            .acl("keyspace")
            .tips("nondeterministic_output request_policy:special")
            .whole(),
        keys::scan,
    ),
    command(
        info("scard", 2, "readonly fast")
            .group("set", "1.0.0")
            .docs("Counts the members of a set.", "O(1)")
            .acl("set")
            .keys("RO", 1, 0, 1),
        sets::scard,
    ),
    command(
        info("sdiff", -2, "readonly")
            .group("set", "1.0.0")
            .docs(
                "Lists what is in the first set and in none of the others.",
                "O(members of all sets)",
            )
            .acl("set")
            .tips("nondeterministic_output_order")
            .keys("RO access", 1, -1, 1),
        sets::sdiff,
    ),
    command(
        info("sdiffstore", -3, "write denyoom")
            .group("set", "1.0.0")
            .docs(
                "Keeps what is in the first set and in none of the others.",
                "O(members of all sets)",
            )
            .acl("set")
            .keys("OW update", 1, 0, 1)
            .keys("RO access", 2, -1, 1),
        sets::sdiffstore,
    ),
    command(
        info("select", 2, "loading stale fast")
            .group("connection", "1.0.0")
            .docs("Chooses the database of the session.", "O(1)")
            .acl("connection"),
        sessions::select,
    ),
    command(
        info("set", -3, "write denyoom")
            .group("string", "1.0.0")
            .docs("Sets a string, whatever was there.", "O(1)")
            .acl("string")
            .keys("RW access update variable_flags", 1, 0, 1)
            .note("With GET it reads the old value too."),
        strings::set,
    ),
    command(
        info("setex", 4, "write denyoom")
            .group("string", "2.0.0")
            .docs("Sets a string that expires after so many seconds.", "O(1)")
            .acl("string")
            .keys("OW update", 1, 0, 1),
        strings::setex,
    ),
    command(
        info("setnx", 3, "write denyoom fast")
            .group("string", "1.0.0")
            .docs("Sets a string if there is no such key.", "O(1)")
            .acl("string")
            .keys("OW insert", 1, 0, 1),
        strings::setnx,
    ),
    command(
        info("setrange", 4, "write denyoom")
            .group("string", "2.2.0")
            .docs(
                "Writes over part of a string, which grows if need be.",
                "O(bytes written), and the length when it grows",
            )
            .acl("string")
            .keys("RW update", 1, 0, 1),
        strings::setrange,
    ),
    command(
        info("sinter", -2, "readonly")
            .group("set", "1.0.0")
            .docs("Lists what all of the sets have.", "O(members of the smallest * sets)")
            .acl("set")
            .tips("nondeterministic_output_order")
            .keys("RO access", 1, -1, 1),
        sets::sinter,
    ),
    command(
        info("sintercard", -3, "readonly")
            .group("set", "7.0.0")
            .docs(
                "Counts what all of the sets have, up to a limit.",
                "O(members of the smallest * sets)",
            )
            .acl("set")
            .counted_keys("RO access", 1),
        sets::sintercard,
    ),
    command(
        info("sinterstore", -3, "write denyoom")
            .group("set", "1.0.0")
            .docs("Keeps what all of the sets have.", "O(members of the smallest * sets)")
            .acl("set")
            .keys("RW update", 1, 0, 1)
            .keys("RO access", 2, -1, 1),
        sets::sinterstore,
    ),
    command(
        info("sismember", 3, "readonly fast")
            .group("set", "1.0.0")
            .docs("Tells whether a set has a member.", "O(1)")
            .acl("set")
            .keys("RO", 1, 0, 1),
        sets::sismember,
    ),
    command(
        info("smembers", 2, "readonly")
            .group("set", "1.0.0")
            .docs("Lists a set.", "O(members)")
            .acl("set")
            .tips("nondeterministic_output_order")
            .keys("RO access", 1, 0, 1),
        sets::smembers,
    ),
    command(
        info("smismember", -3, "readonly fast")
            .group("set", "6.2.0")
            .docs("Tells of several members whether a set has them.", "O(members asked for)")
            .acl("set")
            .keys("RO access", 1, 0, 1),
        sets::smismember,
    ),
    command(
        info("smove", 4, "write fast")
            .group("set", "1.0.0")
            .docs("Takes a member from one set to another.", "O(1)")
            .acl("set")
            .keys("RW access delete", 1, 0, 1)
            .keys("RW insert", 2, 0, 1),
        sets::smove,
    ),
    command(
        info("spop", -2, "write fast")
            .group("set", "1.0.0")
            .docs("Draws members of a set and removes them.", "O(members drawn)")
            .acl("set")
            .tips("nondeterministic_output")
            .keys("RW access delete", 1, 0, 1),
        sets::spop,
    ),
    command(
        info("srandmember", -2, "readonly")
            .group("set", "1.0.0")
            .docs("Draws members of a set.", "O(members drawn)")
            .acl("set")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        sets::srandmember,
    ),
    command(
        info("srem", -3, "write fast")
            .group("set", "1.0.0")
            .docs("Removes members from a set.", "O(members removed)")
            .acl("set")
            .keys("RW delete", 1, 0, 1),
        sets::srem,
    ),
    command(
        info("sscan", -3, "readonly")
            .group("set", "2.8.0")
            .docs("Walks over a set, some members at a time.", "O(1) a call, O(members) in all")
            .acl("set")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        sets::sscan,
    ),
    command(
        info("strlen", 2, "readonly fast")
            .group("string", "2.2.0")
            .docs("Tells how long a string is.", "O(1)")
            .acl("string")
            .keys("RO", 1, 0, 1),
        strings::strlen,
    ),
    command(
        info("substr", 4, "readonly")
            .group("string", "1.0.0")
            .docs("Reads part of a string, by an older name.", "O(bytes read)")
            .acl("string")
            .keys("RO access", 1, 0, 1),
        strings::substr,
    ),
    command(
        info("sunion", -2, "readonly")
            .group("set", "1.0.0")
            .docs("Lists what any of the sets has.", "O(members of all sets)")
            .acl("set")
            .tips("nondeterministic_output_order")
            .keys("RO access", 1, -1, 1),
        sets::sunion,
    ),
    command(
        info("sunionstore", -3, "write denyoom")
            .group("set", "1.0.0")
            .docs("Keeps what any of the sets has.", "O(members of all sets)")
            .acl("set")
            .keys("OW update", 1, 0, 1)
            .keys("RO access", 2, -1, 1),
        sets::sunionstore,
    ),
    command(
        info("swapdb", 3, "write fast")
            .group("server", "4.0.0")
            .docs("Exchanges two databases.", "O(keys that sessions watch)")
            .acl("keyspace dangerous")
            .whole(),
        keys::swapdb,
    ),
    command(
        info("time", 1, "loading stale fast")
            .group("server", "2.6.0")
            .docs("Tells the time of the store's clock.", "O(1)")
            .tips("nondeterministic_output"),
        server::time,
    ),
    command(
        info("touch", -2, "readonly fast")
            .group("generic", "3.2.1")
            .docs("Counts which of the keys there are, and marks them as used now.", "O(keys)")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RO", 1, -1, 1),
        keys::touch,
    ),
    command(
        info("ttl", 2, "readonly fast")
            .group("generic", "1.0.0")
            .docs("Tells how many seconds a key has left.", "O(1)")
            .acl("keyspace")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        keys::ttl,
    ),
    command(
        info("type", 2, "readonly fast")
            .group("generic", "1.0.0")
            .docs("Tells of what type a value is.", "O(1)")
            .acl("keyspace")
            .keys("RO", 1, 0, 1),
        keys::key_type,
    ),
    command(
        info("unlink", -2, "write fast")
            .group("generic", "4.0.0")
            .docs("Removes keys and what they hold.", "O(keys), and the members of what they hold")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RM delete", 1, -1, 1),
        keys::unlink,
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
