//! Commands on Bloom filters: those of RedisBloom, a module.

use crate::execute::families::bloom;
use crate::execute::info::{Info, info};
use crate::execute::table::{Command, command};

/// A row whose first word is the key that it changes.
const fn writes(name: &'static str, arity: i8) -> Info {
    info(name, arity, "write denyoom module").group("module", "1.0.0").keys("RW", 1, 0, 1)
}

/// A row whose first word is the key that it reads.
const fn reads(name: &'static str, arity: i8) -> Info {
    info(name, arity, "readonly module fast").group("module", "1.0.0").keys("RO", 1, 0, 1)
}

/// In the order of their names.
pub(super) const ROWS: &[Command] = &[
    command(
        writes("bf.add", 3).docs(
            "Adds an item to a Bloom filter, which is made if need be.",
            "O(hashes) for each link",
        ),
        bloom::add,
    ),
    command(
        reads("bf.card", 2)
            .since("2.4.4")
            .docs("Counts the items that were new to a Bloom filter.", "O(1)"),
        bloom::card,
    ),
    command(
        reads("bf.debug", 2)
            .tips("dont_cache")
            .docs("Tells the numbers of each link of a Bloom filter.", "O(links)"),
        bloom::debug,
    ),
    command(
        reads("bf.exists", 3).docs(
            "Tells whether a Bloom filter has seen an item, or takes it for one.",
            "O(hashes) for each link",
        ),
        bloom::exists,
    ),
    command(
        reads("bf.info", -2)
            .tips("dont_cache")
            .docs("Tells what a Bloom filter holds and takes.", "O(links)"),
        bloom::info,
    ),
    command(
        writes("bf.insert", -4).docs(
            "Adds items to a Bloom filter, which is made as told if need be.",
            "O(items * hashes) for each link",
        ),
        bloom::insert,
    ),
    command(
        writes("bf.loadchunk", 4)
            .docs("Takes a piece of a dump of a Bloom filter.", "O(bytes), O(bits) for the first"),
        bloom::loadchunk,
    ),
    command(
        writes("bf.madd", -3).docs(
            "Adds items to a Bloom filter, which is made if need be.",
            "O(items * hashes) for each link",
        ),
        bloom::madd,
    ),
    command(
        reads("bf.mexists", -3).docs(
            "Tells of each item whether a Bloom filter has seen it, or takes it for one.",
            "O(items * hashes) for each link",
        ),
        bloom::mexists,
    ),
    command(
        writes("bf.reserve", -4).docs("Makes an empty Bloom filter.", "O(bits)"),
        bloom::reserve,
    ),
    command(
        info("bf.scandump", 3, "readonly module fast")
            .group("module", "1.0.0")
            .keys("RW", 1, 0, 1)
            .tips("dont_cache")
            .docs("Gives a piece of a dump of a Bloom filter.", "O(bytes)"),
        bloom::scandump,
    ),
];
