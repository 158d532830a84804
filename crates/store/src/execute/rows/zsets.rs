//! Commands on sorted sets.

use crate::execute::families::zsets;
use crate::execute::info::info;
use crate::execute::table::{Command, command};

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
    command(
        info("zadd", -4, "write denyoom fast")
            .group("sorted-set", "1.2.0")
            .docs(
                "Gives members scores, and makes the sorted set if need be.",
                "O(log members) for each",
            )
            .acl("sortedset")
            .keys("RW update", 1, 0, 1),
        zsets::zadd,
    ),
    command(
        info("zcard", 2, "readonly fast")
            .group("sorted-set", "1.2.0")
            .docs("Counts the members of a sorted set.", "O(1)")
            .acl("sortedset")
            .keys("RO", 1, 0, 1),
        zsets::zcard,
    ),
    command(
        info("zcount", 4, "readonly fast")
            .group("sorted-set", "2.0.0")
            .docs("Counts the members with scores in a range.", "O(log members)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zcount,
    ),
    command(
        info("zdiff", -3, "readonly")
            .group("sorted-set", "6.2.0")
            .docs(
                "Lists what is in the first sorted set and in none of the others.",
                "O(members of the first * sets)",
            )
            .acl("sortedset")
            .counted_keys("RO access", 1),
        zsets::zdiff,
    ),
    command(
        info("zdiffstore", -4, "write denyoom")
            .group("sorted-set", "6.2.0")
            .docs(
                "Keeps what is in the first sorted set and in none of the others.",
                "O(members of the first * sets)",
            )
            .acl("sortedset")
            .keys("OW update", 1, 0, 1)
            .counted_keys("RO access", 2),
        zsets::zdiffstore,
    ),
    command(
        info("zincrby", 4, "write denyoom fast")
            .group("sorted-set", "1.2.0")
            .docs("Adds to the score of a member.", "O(log members)")
            .acl("sortedset")
            .keys("RW access update", 1, 0, 1),
        zsets::zincrby,
    ),
    command(
        info("zinter", -3, "readonly")
            .group("sorted-set", "6.2.0")
            .docs(
                "Lists what all of the sorted sets have.",
                "O(members of the smallest * sets + found * log found)",
            )
            .acl("sortedset")
            .counted_keys("RO access", 1),
        zsets::zinter,
    ),
    command(
        info("zintercard", -3, "readonly")
            .group("sorted-set", "7.0.0")
            .docs(
                "Counts what all of the sorted sets have, up to a limit.",
                "O(members of the smallest * sets)",
            )
            .acl("sortedset")
            .counted_keys("RO access", 1),
        zsets::zintercard,
    ),
    command(
        info("zinterstore", -4, "write denyoom")
            .group("sorted-set", "2.0.0")
            .docs(
                "Keeps what all of the sorted sets have.",
                "O(members of the smallest * sets + found * log found)",
            )
            .acl("sortedset")
            .keys("OW update", 1, 0, 1)
            .counted_keys("RO access", 2),
        zsets::zinterstore,
    ),
    command(
        info("zlexcount", 4, "readonly fast")
            .group("sorted-set", "2.8.9")
            .docs("Counts the members between two, all scores being equal.", "O(log members)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zlexcount,
    ),
    command(
        info("zmpop", -4, "write")
            .group("sorted-set", "7.0.0")
            .docs(
                "Takes the lowest or highest members out of the first sorted set that is there.",
                "O(keys + taken * log members)",
            )
            .acl("sortedset")
            .counted_keys("RW access delete", 1),
        zsets::zmpop,
    ),
    command(
        info("zmscore", -3, "readonly fast")
            .group("sorted-set", "6.2.0")
            .docs("Tells the scores of several members.", "O(members asked for)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zmscore,
    ),
    command(
        info("zpopmax", -2, "write fast")
            .group("sorted-set", "5.0.0")
            .docs("Takes out the members with the highest scores.", "O(taken * log members)")
            .acl("sortedset")
            .keys("RW access delete", 1, 0, 1),
        zsets::zpopmax,
    ),
    command(
        info("zpopmin", -2, "write fast")
            .group("sorted-set", "5.0.0")
            .docs("Takes out the members with the lowest scores.", "O(taken * log members)")
            .acl("sortedset")
            .keys("RW access delete", 1, 0, 1),
        zsets::zpopmin,
    ),
    command(
        info("zrandmember", -2, "readonly")
            .group("sorted-set", "6.2.0")
            .docs("Draws members of a sorted set.", "O(drawn * log members)")
            .acl("sortedset")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        zsets::zrandmember,
    ),
    command(
        info("zrange", -4, "readonly")
            .group("sorted-set", "1.2.0")
            .docs("Lists a range of a sorted set.", "O(log members + listed)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zrange,
    ),
    command(
        info("zrangebylex", -4, "readonly")
            .group("sorted-set", "2.8.9")
            .docs(
                "Lists the members between two, all scores being equal.",
                "O(log members + listed)",
            )
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zrangebylex,
    ),
    command(
        info("zrangebyscore", -4, "readonly")
            .group("sorted-set", "1.0.5")
            .docs("Lists the members with scores in a range.", "O(log members + listed)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zrangebyscore,
    ),
    command(
        info("zrangestore", -5, "write denyoom")
            .group("sorted-set", "6.2.0")
            .docs("Keeps a range of a sorted set.", "O(log members + kept * log kept)")
            .acl("sortedset")
            .keys("OW update", 1, 0, 1)
            .keys("RO access", 2, 0, 1),
        zsets::zrangestore,
    ),
    command(
        info("zrank", -3, "readonly fast")
            .before_72(3)
            .group("sorted-set", "2.0.0")
            .docs("Tells how many members have a lower score.", "O(log members)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zrank,
    ),
    command(
        info("zrem", -3, "write fast")
            .group("sorted-set", "1.2.0")
            .docs("Removes members from a sorted set.", "O(log members) for each")
            .acl("sortedset")
            .keys("RW delete", 1, 0, 1),
        zsets::zrem,
    ),
    command(
        info("zremrangebylex", 4, "write")
            .group("sorted-set", "2.8.9")
            .docs(
                "Removes the members between two, all scores being equal.",
                "O(removed * log members)",
            )
            .acl("sortedset")
            .keys("RW delete", 1, 0, 1),
        zsets::zremrangebylex,
    ),
    command(
        info("zremrangebyrank", 4, "write")
            .group("sorted-set", "2.0.0")
            .docs("Removes a range of ranks.", "O(removed * log members)")
            .acl("sortedset")
            .keys("RW delete", 1, 0, 1),
        zsets::zremrangebyrank,
    ),
    command(
        info("zremrangebyscore", 4, "write")
            .group("sorted-set", "1.2.0")
            .docs("Removes the members with scores in a range.", "O(removed * log members)")
            .acl("sortedset")
            .keys("RW delete", 1, 0, 1),
        zsets::zremrangebyscore,
    ),
    command(
        info("zrevrange", -4, "readonly")
            .group("sorted-set", "1.2.0")
            .docs("Lists a range of ranks, the highest score first.", "O(log members + listed)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zrevrange,
    ),
    command(
        info("zrevrangebylex", -4, "readonly")
            .group("sorted-set", "2.8.9")
            .docs(
                "Lists the members between two backwards, all scores being equal.",
                "O(log members + listed)",
            )
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zrevrangebylex,
    ),
    command(
        info("zrevrangebyscore", -4, "readonly")
            .group("sorted-set", "2.2.0")
            .docs(
                "Lists the members with scores in a range, the highest first.",
                "O(log members + listed)",
            )
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zrevrangebyscore,
    ),
    command(
        info("zrevrank", -3, "readonly fast")
            .before_72(3)
            .group("sorted-set", "2.0.0")
            .docs("Tells how many members have a higher score.", "O(log members)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zrevrank,
    ),
    command(
        info("zscan", -3, "readonly")
            .group("sorted-set", "2.8.0")
            .docs(
                "Walks over a sorted set, some members at a time.",
                "O(1) a call, O(members) in all",
            )
            .acl("sortedset")
            .tips("nondeterministic_output")
            .keys("RO access", 1, 0, 1),
        zsets::zscan,
    ),
    command(
        info("zscore", 3, "readonly fast")
            .group("sorted-set", "1.2.0")
            .docs("Tells the score of a member.", "O(1)")
            .acl("sortedset")
            .keys("RO access", 1, 0, 1),
        zsets::zscore,
    ),
    command(
        info("zunion", -3, "readonly")
            .group("sorted-set", "6.2.0")
            .docs("Lists what any of the sorted sets has.", "O(members of all * log found)")
            .acl("sortedset")
            .counted_keys("RO access", 1),
        zsets::zunion,
    ),
    command(
        info("zunionstore", -4, "write denyoom")
            .group("sorted-set", "2.0.0")
            .docs("Keeps what any of the sorted sets has.", "O(members of all * log found)")
            .acl("sortedset")
            .keys("OW update", 1, 0, 1)
            .counted_keys("RO access", 2),
        zsets::zunionstore,
    ),
];
