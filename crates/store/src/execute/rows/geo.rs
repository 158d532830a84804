//! Commands on places.

use crate::execute::families::geo;
use crate::execute::info::{Info, info};
use crate::execute::table::{Command, command};

/// A row whose first word is the key that it reads.
const fn reads(name: &'static str, arity: i8, since: &'static str) -> Info {
    info(name, arity, "readonly").group("geo", since).acl("geo").keys("RO access", 1, 0, 1)
}

/// A row that reads the key of its first word and may store what it finds.
const fn may_store(name: &'static str, arity: i8, from: usize) -> Info {
    info(name, arity, "write denyoom")
        .group("geo", "3.2.0")
        .acl("geo")
        .keys("RO access", 1, 0, 1)
        .keyword_key("OW update", "STORE", from)
        .keyword_key("OW update", "STOREDIST", from)
}

const SEARCH: &str = "O(log members + members near the area)";

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
    command(
        info("geoadd", -5, "write denyoom")
            .group("geo", "3.2.0")
            .docs(
                "Gives members places, and makes the sorted set if need be.",
                "O(log members) for each",
            )
            .acl("geo")
            .keys("RW update", 1, 0, 1),
        geo::geoadd,
    ),
    command(
        reads("geodist", -4, "3.2.0").docs("Tells how far apart two members are.", "O(1)"),
        geo::geodist,
    ),
    command(
        reads("geohash", -2, "3.2.0")
            .docs("Tells the places of members as geohash texts.", "O(members asked for)"),
        geo::geohash,
    ),
    command(
        reads("geopos", -2, "3.2.0")
            .docs("Tells the places of members as coordinates.", "O(members asked for)"),
        geo::geopos,
    ),
    command(
        may_store("georadius", -6, 6)
            .docs("Lists or keeps the members within a distance of a place.", SEARCH),
        geo::georadius,
    ),
    command(
        reads("georadius_ro", -6, "3.2.10")
            .docs("Lists the members within a distance of a place.", SEARCH),
        geo::georadius_ro,
    ),
    command(
        may_store("georadiusbymember", -5, 5)
            .docs("Lists or keeps the members within a distance of another member.", SEARCH),
        geo::georadiusbymember,
    ),
    command(
        reads("georadiusbymember_ro", -5, "3.2.10")
            .docs("Lists the members within a distance of another member.", SEARCH),
        geo::georadiusbymember_ro,
    ),
    command(
        reads("geosearch", -7, "6.2.0")
            .docs("Lists the members in a circle, a box or a polygon.", SEARCH),
        geo::geosearch,
    ),
    command(
        info("geosearchstore", -8, "write denyoom")
            .group("geo", "6.2.0")
            .docs(
                "Keeps the members in a circle, a box or a polygon.",
                "O(log members + members near the area + found * log found)",
            )
            .acl("geo")
            .keys("OW update", 1, 0, 1)
            .keys("RO access", 2, 0, 1),
        geo::geosearchstore,
    ),
];
