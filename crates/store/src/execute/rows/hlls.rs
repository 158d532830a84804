//! Commands on `HyperLogLog`s.

use crate::execute::families::hlls;
use crate::execute::info::info;
use crate::execute::table::{Command, command};

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
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
];
