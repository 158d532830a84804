//! Checks that each set of features builds by itself, and that its dependencies are the expected ones.

use crate::run::{Outcome, cargo, output_of, succeed};
use crate::tree;

/// The features that are not enabled by default, for commands on the whole workspace.
pub(crate) const FEATURES: [&str; 2] =
    ["--features", "tallis/async,tallis/redis,tallis/redis2,tallis/serde,tallis/wire"];

/// Packages and features, built in addition to the default features of the whole workspace.
const SETS: &[(&str, &[&str])] = &[
    // Without `std`. The other `no_std` leaf crates do not have this feature: clippy checks them with the workspace.
    ("tallis-bitpack", &[]),
    ("tallis-hll", &[]),
    ("tallis-lzf", &[]),
    ("tallis-recipes", &[]),
    ("tallis", &[]),
    ("tallis", &["recipes"]),
    ("tallis", &["serde"]),
    ("tallis", &["recipes", "serde"]),
    ("tallis", &["calendar", "serde"]),
    ("tallis", &["wire"]),
    ("tallis", &["recipes", "wire"]),
    ("tallis", &["redis"]),
    ("tallis", &["async", "redis2"]),
    // Each leaf by itself: in `tallis`, a feature enabled by one crate is available to all.
    ("tallis-bitpack", &["serde"]),
    ("tallis-bloom", &["serde"]),
    ("tallis-geo", &["serde"]),
    ("tallis-hll", &["serde"]),
    ("tallis-intset", &["serde"]),
    ("tallis-listpack", &["serde"]),
    ("tallis-quicklist", &["serde"]),
    ("tallis-rdb", &["serde"]),
    ("tallis-skiplist-zset", &["serde"]),
    // The features that the fuzz targets and the program use.
    ("tallis-testkit", &[]),
    ("tallis-testkit", &["server"]),
];

/// The crates whose sources declare `no_std`.
const NO_STD: &[&str] =
    &["bitpack", "extendible", "hll", "intset", "listpack", "lzf", "murmur", "prefetch"];

/// The dependencies that `tallis` without features must not have.
const LEFT_OUT: &[&str] = &["jiff", "redis", "serde", "tallis-recipes"];

/// Checks each set, the sources of the crates without `std`, and the dependencies of `tallis` without features.
pub(crate) fn run() -> Outcome {
    for crate_name in NO_STD {
        let file = tree::root().join("crates").join(crate_name).join("src/lib.rs");
        if !tree::read(&file)?.contains("\n#![cfg_attr(not(test), no_std)]\n") {
            return Err(format!("{} must be no_std", file.display()));
        }
    }
    for (package, features) in SETS {
        let features = features.join(",");
        succeed(&mut cargo([
            "clippy",
            "--locked",
            "--package",
            package,
            "--no-default-features",
            "--features",
            &features,
            "--",
            "--deny",
            "warnings",
        ]))?;
    }
    let built_from = output_of(&mut cargo([
        "tree",
        "--locked",
        "--package",
        "tallis",
        "--no-default-features",
        "--edges",
        "normal",
        "--prefix",
        "none",
    ]))?;
    let names = built_from.lines().filter_map(|line| line.split(' ').next());
    let found: Vec<&str> = names.filter(|name| LEFT_OUT.contains(name)).collect();
    if found.is_empty() {
        Ok(())
    } else {
        Err(format!("tallis without features must not depend on {}", found.join(", ")))
    }
}
