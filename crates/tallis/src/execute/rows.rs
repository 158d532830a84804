//! Every command there is: what is known of it, and what runs it.
//!
//! The facts are those of Redis 7.0: a test compares them with COMMAND INFO of a live server.

use super::families::{hlls, keys, server, sessions, sets, strings};
use super::info::{Info, info};
use super::table::{Command, command};

const OBJECT: &[Info] = &[
    info("encoding", 3, "readonly")
        .acl("keyspace")
        .tips("nondeterministic_output")
        .keys("RO", 2, 0, 1),
    info("freq", 3, "readonly").acl("keyspace").tips("nondeterministic_output").keys("RO", 2, 0, 1),
    info("help", 2, "loading stale").acl("keyspace"),
    info("idletime", 3, "readonly")
        .acl("keyspace")
        .tips("nondeterministic_output")
        .keys("RO", 2, 0, 1),
    info("refcount", 3, "readonly")
        .acl("keyspace")
        .tips("nondeterministic_output")
        .keys("RO", 2, 0, 1),
];

const MEMORY: &[Info] =
    &[info("help", 2, "loading stale"), info("usage", -3, "readonly").keys("RO", 2, 0, 1)];

const CONFIG: &[Info] = &[
    info("get", -3, "admin noscript loading stale"),
    info("help", 2, "loading stale"),
    info("resetstat", 2, "admin noscript loading stale"),
    info("set", -4, "admin noscript loading stale")
        .tips("request_policy:all_nodes response_policy:all_succeeded"),
];

const COMMAND: &[Info] = &[
    info("count", 2, "loading stale").acl("connection"),
    info("docs", -2, "loading stale").acl("connection").tips("nondeterministic_output_order"),
    info("getkeys", -4, "loading stale").acl("connection"),
    info("getkeysandflags", -4, "loading stale").acl("connection"),
    info("help", 2, "loading stale").acl("connection"),
    info("info", -2, "loading stale").acl("connection").tips("nondeterministic_output_order"),
    info("list", -2, "loading stale").acl("connection").tips("nondeterministic_output_order"),
];

/// Every command, in the order of their names.
pub(super) static COMMANDS: &[Command] = &[
    command(
        info("append", 3, "write denyoom fast").group("string", "2.0.0").acl("string").keys(
            "RW insert",
            1,
            0,
            1,
        ),
        strings::append,
    ),
    command(
        info("command", -1, "loading stale")
            .group("server", "2.8.13")
            .acl("connection")
            .tips("nondeterministic_output_order")
            .subcommands(COMMAND),
        server::command,
    ),
    command(info("config", -2, "").group("server", "2.0.0").subcommands(CONFIG), server::config),
    command(
        info("copy", -3, "write denyoom")
            .group("generic", "6.2.0")
            .acl("keyspace")
            .keys("RO access", 1, 0, 1)
            .keys("OW update", 2, 0, 1),
        keys::copy,
    ),
    command(
        info("dbsize", 1, "readonly fast")
            .group("server", "1.0.0")
            .acl("keyspace")
            .tips("request_policy:all_shards response_policy:agg_sum")
            .whole(),
        keys::dbsize,
    ),
    command(
        info("debug", -2, "admin noscript loading stale").group("server", "1.0.0").whole(),
        server::debug,
    ),
    command(
        info("decr", 2, "write denyoom fast").group("string", "1.0.0").acl("string").keys(
            "RW access update",
            1,
            0,
            1,
        ),
        strings::decr,
    ),
    command(
        info("decrby", 3, "write denyoom fast").group("string", "1.0.0").acl("string").keys(
            "RW access update",
            1,
            0,
            1,
        ),
        strings::decrby,
    ),
    command(
        info("del", -2, "write")
            .group("generic", "1.0.0")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RM delete", 1, -1, 1),
        keys::del,
    ),
    command(
        info("discard", 1, "noscript loading stale fast allow_busy")
            .group("transactions", "2.0.0")
            .acl("transaction"),
        sessions::discard,
    ),
    command(
        info("dump", 2, "readonly")
            .group("generic", "2.6.0")
            .acl("keyspace")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        keys::dump,
    ),
    command(
        info("echo", 2, "loading stale fast").group("connection", "1.0.0").acl("connection"),
        server::echo,
    ),
    command(
        info("exec", 1, "noscript loading stale skip_slowlog")
            .group("transactions", "1.2.0")
            .acl("transaction"),
        sessions::exec,
    ),
    command(
        info("exists", -2, "readonly fast")
            .group("generic", "1.0.0")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RO", 1, -1, 1),
        keys::exists,
    ),
    command(
        info("expire", -3, "write fast").group("generic", "1.0.0").acl("keyspace").keys(
            "RW update",
            1,
            0,
            1,
        ),
        keys::expire,
    ),
    command(
        info("expireat", -3, "write fast").group("generic", "1.2.0").acl("keyspace").keys(
            "RW update",
            1,
            0,
            1,
        ),
        keys::expireat,
    ),
    command(
        info("expiretime", 2, "readonly fast").group("generic", "7.0.0").acl("keyspace").keys(
            "RO access",
            1,
            0,
            1,
        ),
        keys::expiretime,
    ),
    command(
        info("flushall", -1, "write")
            .group("server", "1.0.0")
            .acl("keyspace dangerous")
            .tips("request_policy:all_shards response_policy:all_succeeded")
            .whole(),
        keys::flushall,
    ),
    command(
        info("flushdb", -1, "write")
            .group("server", "1.0.0")
            .acl("keyspace dangerous")
            .tips("request_policy:all_shards response_policy:all_succeeded")
            .whole(),
        keys::flushdb,
    ),
    command(
        info("get", 2, "readonly fast").group("string", "1.0.0").acl("string").keys(
            "RO access",
            1,
            0,
            1,
        ),
        strings::get,
    ),
    command(
        info("getdel", 2, "write fast").group("string", "6.2.0").acl("string").keys(
            "RW access delete",
            1,
            0,
            1,
        ),
        strings::getdel,
    ),
    command(
        info("getex", -2, "write fast").group("string", "6.2.0").acl("string").keys(
            "RW access update",
            1,
            0,
            1,
        ),
        strings::getex,
    ),
    command(
        info("getrange", 4, "readonly").group("string", "2.4.0").acl("string").keys(
            "RO access",
            1,
            0,
            1,
        ),
        strings::getrange,
    ),
    command(
        info("getset", 3, "write denyoom fast").group("string", "1.0.0").acl("string").keys(
            "RW access update",
            1,
            0,
            1,
        ),
        strings::getset,
    ),
    command(
        info("hello", -1, "noscript loading stale fast no_auth allow_busy")
            .group("connection", "6.0.0")
            .acl("connection"),
        sessions::hello,
    ),
    command(
        info("incr", 2, "write denyoom fast").group("string", "1.0.0").acl("string").keys(
            "RW access update",
            1,
            0,
            1,
        ),
        strings::incr,
    ),
    command(
        info("incrby", 3, "write denyoom fast").group("string", "1.0.0").acl("string").keys(
            "RW access update",
            1,
            0,
            1,
        ),
        strings::incrby,
    ),
    command(
        info("incrbyfloat", 3, "write denyoom fast").group("string", "2.6.0").acl("string").keys(
            "RW access update",
            1,
            0,
            1,
        ),
        strings::incrbyfloat,
    ),
    command(
        info("info", -1, "loading stale")
            .group("server", "1.0.0")
            .acl("dangerous")
            .tips("nondeterministic_output request_policy:all_shards response_policy:special")
            .whole(),
        server::info,
    ),
    command(
        info("keys", 2, "readonly")
            .group("generic", "1.0.0")
            .acl("keyspace dangerous")
            .tips("request_policy:all_shards nondeterministic_output_order")
            .whole(),
        keys::keys,
    ),
    command(
        info("lcs", -3, "readonly").group("string", "7.0.0").acl("string").keys(
            "RO access",
            1,
            1,
            1,
        ),
        strings::lcs,
    ),
    command(info("memory", -2, "").group("server", "4.0.0").subcommands(MEMORY), server::memory),
    command(
        info("mget", -2, "readonly fast")
            .group("string", "1.0.0")
            .acl("string")
            .tips("request_policy:multi_shard")
            .keys("RO access", 1, -1, 1),
        strings::mget,
    ),
    command(
        info("move", 3, "write fast").group("generic", "1.0.0").acl("keyspace").keys(
            "RW access update",
            1,
            0,
            1,
        ),
        keys::move_key,
    ),
    command(
        info("mset", -3, "write denyoom")
            .group("string", "1.0.1")
            .acl("string")
            .tips("request_policy:multi_shard response_policy:all_succeeded")
            .keys("OW update", 1, -1, 2),
        strings::mset,
    ),
    command(
        info("msetnx", -3, "write denyoom")
            .group("string", "1.0.1")
            .acl("string")
            .tips("request_policy:multi_shard response_policy:agg_min")
            .keys("OW insert", 1, -1, 2),
        strings::msetnx,
    ),
    command(
        info("multi", 1, "noscript loading stale fast allow_busy")
            .group("transactions", "1.2.0")
            .acl("transaction"),
        sessions::multi,
    ),
    command(info("object", -2, "").group("generic", "2.2.3").subcommands(OBJECT), keys::object),
    command(
        info("persist", 2, "write fast").group("generic", "2.2.0").acl("keyspace").keys(
            "RW update",
            1,
            0,
            1,
        ),
        keys::persist,
    ),
    command(
        info("pexpire", -3, "write fast").group("generic", "2.6.0").acl("keyspace").keys(
            "RW update",
            1,
            0,
            1,
        ),
        keys::pexpire,
    ),
    command(
        info("pexpireat", -3, "write fast").group("generic", "2.6.0").acl("keyspace").keys(
            "RW update",
            1,
            0,
            1,
        ),
        keys::pexpireat,
    ),
    command(
        info("pexpiretime", 2, "readonly fast").group("generic", "7.0.0").acl("keyspace").keys(
            "RO access",
            1,
            0,
            1,
        ),
        keys::pexpiretime,
    ),
    command(
        info("pfadd", -2, "write denyoom fast")
            .group("hyperloglog", "2.8.9")
            .acl("hyperloglog")
            .keys("RW insert", 1, 0, 1),
        hlls::pfadd,
    ),
    command(
        info("pfcount", -2, "readonly").group("hyperloglog", "2.8.9").acl("hyperloglog").keys(
            "RW access",
            1,
            -1,
            1,
        ),
        hlls::pfcount,
    ),
    command(
        info("pfdebug", 3, "write denyoom admin")
            .group("hyperloglog", "2.8.9")
            .acl("hyperloglog")
            .keys("RW access", 2, 0, 1),
        hlls::pfdebug,
    ),
    command(
        info("pfmerge", -2, "write denyoom")
            .group("hyperloglog", "2.8.9")
            .acl("hyperloglog")
            .keys("RW access insert", 1, 0, 1)
            .keys("RO access", 2, -1, 1),
        hlls::pfmerge,
    ),
    command(
        info("pfselftest", 1, "admin").group("hyperloglog", "2.8.9").acl("hyperloglog"),
        hlls::pfselftest,
    ),
    command(
        info("ping", -1, "fast")
            .group("connection", "1.0.0")
            .acl("connection")
            .tips("request_policy:all_shards response_policy:all_succeeded"),
        server::ping,
    ),
    command(
        info("psetex", 4, "write denyoom").group("string", "2.6.0").acl("string").keys(
            "OW update",
            1,
            0,
            1,
        ),
        strings::psetex,
    ),
    command(
        info("pttl", 2, "readonly fast")
            .group("generic", "2.6.0")
            .acl("keyspace")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        keys::pttl,
    ),
    command(
        info("quit", -1, "noscript loading stale fast no_auth allow_busy")
            .group("connection", "1.0.0")
            .acl("connection"),
        sessions::quit,
    ),
    command(
        info("randomkey", 1, "readonly")
            .group("generic", "1.0.0")
            .acl("keyspace")
            .tips("request_policy:all_shards nondeterministic_output")
            .whole(),
        keys::randomkey,
    ),
    command(
        info("rename", 3, "write")
            .group("generic", "1.0.0")
            .acl("keyspace")
            .keys("RW access delete", 1, 0, 1)
            .keys("OW update", 2, 0, 1),
        keys::rename,
    ),
    command(
        info("renamenx", 3, "write fast")
            .group("generic", "1.0.0")
            .acl("keyspace")
            .keys("RW access delete", 1, 0, 1)
            .keys("OW insert", 2, 0, 1),
        keys::renamenx,
    ),
    command(
        info("reset", 1, "noscript loading stale fast no_auth allow_busy")
            .group("connection", "6.2.0")
            .acl("connection"),
        sessions::reset,
    ),
    command(
        info("restore", -4, "write denyoom")
            .group("generic", "2.6.0")
            .acl("keyspace dangerous")
            .keys("OW update", 1, 0, 1),
        keys::restore,
    ),
    command(
        info("sadd", -3, "write denyoom fast").group("set", "1.0.0").acl("set").keys(
            "RW insert",
            1,
            0,
            1,
        ),
        sets::sadd,
    ),
    command(
        info("scan", -2, "readonly")
            .group("generic", "2.8.0")
            .acl("keyspace")
            .tips("nondeterministic_output request_policy:special")
            .whole(),
        keys::scan,
    ),
    command(
        info("scard", 2, "readonly fast").group("set", "1.0.0").acl("set").keys("RO", 1, 0, 1),
        sets::scard,
    ),
    command(
        info("sdiff", -2, "readonly")
            .group("set", "1.0.0")
            .acl("set")
            .tips("nondeterministic_output_order")
            .keys("RO access", 1, -1, 1),
        sets::sdiff,
    ),
    command(
        info("sdiffstore", -3, "write denyoom")
            .group("set", "1.0.0")
            .acl("set")
            .keys("OW update", 1, 0, 1)
            .keys("RO access", 2, -1, 1),
        sets::sdiffstore,
    ),
    command(
        info("select", 2, "loading stale fast").group("connection", "1.0.0").acl("connection"),
        sessions::select,
    ),
    command(
        info("set", -3, "write denyoom").group("string", "1.0.0").acl("string").keys(
            "RW access update variable_flags",
            1,
            0,
            1,
        ),
        strings::set,
    ),
    command(
        info("setex", 4, "write denyoom").group("string", "2.0.0").acl("string").keys(
            "OW update",
            1,
            0,
            1,
        ),
        strings::setex,
    ),
    command(
        info("setnx", 3, "write denyoom fast").group("string", "1.0.0").acl("string").keys(
            "OW insert",
            1,
            0,
            1,
        ),
        strings::setnx,
    ),
    command(
        info("setrange", 4, "write denyoom").group("string", "2.2.0").acl("string").keys(
            "RW update",
            1,
            0,
            1,
        ),
        strings::setrange,
    ),
    command(
        info("sinter", -2, "readonly")
            .group("set", "1.0.0")
            .acl("set")
            .tips("nondeterministic_output_order")
            .keys("RO access", 1, -1, 1),
        sets::sinter,
    ),
    command(
        info("sintercard", -3, "readonly")
            .group("set", "7.0.0")
            .acl("set")
            .counted_keys("RO access", 1),
        sets::sintercard,
    ),
    command(
        info("sinterstore", -3, "write denyoom")
            .group("set", "1.0.0")
            .acl("set")
            .keys("RW update", 1, 0, 1)
            .keys("RO access", 2, -1, 1),
        sets::sinterstore,
    ),
    command(
        info("sismember", 3, "readonly fast").group("set", "1.0.0").acl("set").keys("RO", 1, 0, 1),
        sets::sismember,
    ),
    command(
        info("smembers", 2, "readonly")
            .group("set", "1.0.0")
            .acl("set")
            .tips("nondeterministic_output_order")
            .keys("RO access", 1, 0, 1),
        sets::smembers,
    ),
    command(
        info("smismember", -3, "readonly fast").group("set", "6.2.0").acl("set").keys(
            "RO access",
            1,
            0,
            1,
        ),
        sets::smismember,
    ),
    command(
        info("smove", 4, "write fast")
            .group("set", "1.0.0")
            .acl("set")
            .keys("RW access delete", 1, 0, 1)
            .keys("RW insert", 2, 0, 1),
        sets::smove,
    ),
    command(
        info("spop", -2, "write fast")
            .group("set", "1.0.0")
            .acl("set")
            .tips("nondeterministic_output")
            .keys("RW access delete", 1, 0, 1),
        sets::spop,
    ),
    command(
        info("srandmember", -2, "readonly")
            .group("set", "1.0.0")
            .acl("set")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        sets::srandmember,
    ),
    command(
        info("srem", -3, "write fast").group("set", "1.0.0").acl("set").keys("RW delete", 1, 0, 1),
        sets::srem,
    ),
    command(
        info("sscan", -3, "readonly")
            .group("set", "2.8.0")
            .acl("set")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        sets::sscan,
    ),
    command(
        info("strlen", 2, "readonly fast")
            .group("string", "2.2.0")
            .acl("string")
            .keys("RO", 1, 0, 1),
        strings::strlen,
    ),
    command(
        info("substr", 4, "readonly").group("string", "1.0.0").acl("string").keys(
            "RO access",
            1,
            0,
            1,
        ),
        strings::substr,
    ),
    command(
        info("sunion", -2, "readonly")
            .group("set", "1.0.0")
            .acl("set")
            .tips("nondeterministic_output_order")
            .keys("RO access", 1, -1, 1),
        sets::sunion,
    ),
    command(
        info("sunionstore", -3, "write denyoom")
            .group("set", "1.0.0")
            .acl("set")
            .keys("OW update", 1, 0, 1)
            .keys("RO access", 2, -1, 1),
        sets::sunionstore,
    ),
    command(
        info("swapdb", 3, "write fast").group("server", "4.0.0").acl("keyspace dangerous").whole(),
        keys::swapdb,
    ),
    command(
        info("time", 1, "loading stale fast")
            .group("server", "2.6.0")
            .tips("nondeterministic_output"),
        server::time,
    ),
    command(
        info("touch", -2, "readonly fast")
            .group("generic", "3.2.1")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RO", 1, -1, 1),
        keys::touch,
    ),
    command(
        info("ttl", 2, "readonly fast")
            .group("generic", "1.0.0")
            .acl("keyspace")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        keys::ttl,
    ),
    command(
        info("type", 2, "readonly fast")
            .group("generic", "1.0.0")
            .acl("keyspace")
            .keys("RO", 1, 0, 1),
        keys::key_type,
    ),
    command(
        info("unlink", -2, "write fast")
            .group("generic", "4.0.0")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RM delete", 1, -1, 1),
        keys::unlink,
    ),
    command(
        info("unwatch", 1, "noscript loading stale fast allow_busy")
            .group("transactions", "2.2.0")
            .acl("transaction"),
        sessions::unwatch,
    ),
    command(
        info("watch", -2, "noscript loading stale fast allow_busy")
            .group("transactions", "2.2.0")
            .acl("transaction")
            .keys("RO", 1, -1, 1),
        sessions::watch,
    ),
];
