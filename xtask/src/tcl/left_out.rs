//! Tests of commands that are intentionally not supported.

/// Names of tests, or Tcl regular expressions that begin with a slash, by the feature that they need.
const LEFT_OUT: &[(&str, &[&str])] = &[
    (
        "commands that wait",
        &[
            r"/^(BLPOP|BRPOP|BLMOVE|BLMPOP|BRPOPLPUSH|BZPOPMIN|BZPOPMAX|BZMPOP|BZPOP)",
            r"/[Bb]lock(ed|ing) (client|command)",
            r"/^(Circular|Self-referential) BRPOPLPUSH",
            r"/unblock|Unblock",
            r"/BRPOPLPUSH (affect|does not affect) WATCH",
            r"/chaining BRPOPLPUSH",
            "/^(PUSH resulting from|LPUSH|RPUSH).*(BLMOVE|BRPOPLPUSH|BLPOP|BRPOP)",
            "Linked LMOVEs",
            r"/from the point of view of (BLPOP|BLMPOP|BZPOPMIN|BZMPOP)",
            "LPOP/RPOP/LMPOP NON-BLOCK or BLOCK against non list value",
            "exec with read commands and stale replica state change",
            "Blocking commands ignores the timeout",
        ],
    ),
    (
        "scripts",
        &[
            r"/script timeout",
            r"/from scripts?$| from scripts",
            r"/MULTI propagation of (SCRIPT|EVAL|PUBLISH)",
        ],
    ),
    (
        "servers that follow another one, and the log",
        &[
            r"/propagate|replica|REPLICAOF|AOF|loadaof",
            "MULTI with SAVE",
            "MULTI with config set appendonly",
            r"/Lazy-expire should not be wrapped",
        ],
    ),
    (
        "a limit of memory",
        &[
            r"/EXEC with .* OOM|DISCARD should not fail during OOM",
            "EXEC with at least one use-memory command should fail",
            "EXEC fails if there are errors while queueing commands #2",
        ],
    ),
    (
        "copies on other servers",
        &["BITFIELD: setup slave", "BITFIELD: write on master, read on slave"],
    ),
    (
        "fields that have expired and are counted, found or met until a sweep comes",
        &[
            r"/^Lazy Expire - (fields are lazy deleted|HLEN does count|verify various HASH)",
            r"/^Test HSCAN with mostly expired fields",
            "Test listpack converts to ht and active expiry works",
        ],
    ),
    (
        "figures of a server on fields that expire, and its view of a listpack",
        &[
            r"/^Test HRANDFIELD deletes all expired fields",
            r"/^Statistics - Hashes with HFEs",
            "Test listpack debug listpack",
        ],
    ),
    ("the layout of Redis's hash tables", &["/dict containing long chain|HTSTATS|rehashing"]),
    // The first of the last two counts keys after a test on streams has removed all; the second one depends on the
    // first.
    (
        "streams",
        &[
            "/XREADGROUP|XADD|stream",
            "MOVE basic usage",
            "MOVE against key existing in the target DB",
        ],
    ),
];

/// One per line, as the suite reads them.
pub(super) fn patterns() -> String {
    let tests: Vec<&str> = LEFT_OUT.iter().flat_map(|(_, tests)| *tests).copied().collect();
    tests.join("\n")
}
