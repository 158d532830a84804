//! Commands on strings.

use crate::execute::families::strings;
use crate::execute::info::info;
use crate::execute::table::{Command, command};

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
    command(
        info("append", 3, "write denyoom fast")
            .group("string", "2.0.0")
            .docs("Adds bytes to the end of a string, or makes it.", "O(bytes added), amortized")
            .acl("string")
            .keys("RW insert", 1, 0, 1),
        strings::append,
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
        info("mget", -2, "readonly fast")
            .group("string", "1.0.0")
            .docs("Reads several strings at once.", "O(keys)")
            .acl("string")
            .tips("request_policy:multi_shard")
            .keys("RO access", 1, -1, 1),
        strings::mget,
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
        info("psetex", 4, "write denyoom")
            .group("string", "2.6.0")
            .docs("Sets a string that expires after so many milliseconds.", "O(1)")
            .acl("string")
            .keys("OW update", 1, 0, 1),
        strings::psetex,
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
];
