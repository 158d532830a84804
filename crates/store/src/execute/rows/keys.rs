//! Commands on keys of any type, and on all keys.

use crate::execute::families::keys;
use crate::execute::info::{Info, info};
use crate::execute::table::{Command, command};

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

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
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
        info("del", -2, "write")
            .group("generic", "1.0.0")
            .docs("Removes keys and what they hold.", "O(keys), and the members of what they hold")
            .acl("keyspace")
            .tips("request_policy:multi_shard response_policy:agg_sum")
            .keys("RM delete", 1, -1, 1),
        keys::del,
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
        info("keys", 2, "readonly")
            .group("generic", "1.0.0")
            .docs("Lists the keys whose names match a pattern.", "O(keys of the database)")
            .acl("keyspace dangerous")
            .tips("request_policy:all_shards nondeterministic_output_order")
            .whole(),
        keys::keys,
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
        info("pttl", 2, "readonly fast")
            .group("generic", "2.6.0")
            .docs("Tells how many milliseconds a key has left.", "O(1)")
            .acl("keyspace")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        keys::pttl,
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
        info("restore", -4, "write denyoom")
            .group("generic", "2.6.0")
            .docs("Makes a key of what DUMP gave.", "O(size of the value)")
            .acl("keyspace dangerous")
            .keys("OW update", 1, 0, 1),
        keys::restore,
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
        info("swapdb", 3, "write fast")
            .group("server", "4.0.0")
            .docs("Exchanges two databases.", "O(keys that sessions watch)")
            .acl("keyspace dangerous")
            .whole(),
        keys::swapdb,
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
];
