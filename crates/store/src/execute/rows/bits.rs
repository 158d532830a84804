//! Commands on bits.

use crate::execute::families::bits;
use crate::execute::info::info;
use crate::execute::table::{Command, command};

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
    command(
        info("bitcount", -2, "readonly")
            .group("bitmap", "2.6.0")
            .docs("Counts the bits of a string that are set.", "O(length)")
            .acl("bitmap")
            .keys("RO access", 1, 0, 1),
        bits::bitcount,
    ),
    command(
        info("bitfield", -2, "write denyoom")
            .group("bitmap", "3.2.0")
            .docs("Reads, writes and counts numbers of any few bits in a string.", "O(operations)")
            .acl("bitmap")
            .keys("RW access update variable_flags", 1, 0, 1)
            .note("It writes unless all of its operations are GET."),
        bits::bitfield,
    ),
    command(
        info("bitfield_ro", -2, "readonly fast")
            .group("bitmap", "6.0.0")
            .docs("Reads numbers of any few bits in a string.", "O(operations)")
            .acl("bitmap")
            .keys("RO access", 1, 0, 1),
        bits::bitfield_ro,
    ),
    command(
        info("bitop", -4, "write denyoom")
            .group("bitmap", "2.6.0")
            .docs("Combines strings bit by bit, and keeps the result.", "O(length of the strings)")
            .acl("bitmap")
            .keys("OW update", 2, 0, 1)
            .keys("RO access", 3, -1, 1),
        bits::bitop,
    ),
    command(
        info("bitpos", -3, "readonly")
            .group("bitmap", "2.8.7")
            .docs("Finds the first bit of a string that is 0, or 1.", "O(length)")
            .acl("bitmap")
            .keys("RO access", 1, 0, 1),
        bits::bitpos,
    ),
    command(
        info("getbit", 3, "readonly fast")
            .group("bitmap", "2.2.0")
            .docs("Reads one bit of a string.", "O(1)")
            .acl("bitmap")
            .keys("RO access", 1, 0, 1),
        bits::getbit,
    ),
    command(
        info("setbit", 4, "write denyoom")
            .group("bitmap", "2.2.0")
            .docs(
                "Sets or clears one bit of a string, which grows if need be.",
                "O(1), and the length when it grows",
            )
            .acl("bitmap")
            .keys("RW access update", 1, 0, 1),
        bits::setbit,
    ),
];
