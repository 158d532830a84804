//! Commands on sets.

use crate::execute::families::sets;
use crate::execute::info::info;
use crate::execute::table::{Command, command};

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
    command(
        info("sadd", -3, "write denyoom fast")
            .group("set", "1.0.0")
            .docs("Adds members to a set, which is made if need be.", "O(members added)")
            .acl("set")
            .keys("RW insert", 1, 0, 1),
        sets::sadd,
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
];
