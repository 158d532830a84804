//! The commands that create a value of every type in every encoding.

use testkit::rng::Rng;

/// A command.
pub(crate) type Words = Vec<Vec<u8>>;

/// The database with hashes whose fields expire: not every version of a file supports them.
pub(crate) const FIELDS_DB: u32 = 8;

/// The database with streams, whose DEBUG DIGEST in a store is that of their bytes.
pub(crate) const STREAMS_DB: u32 = 9;

/// The year 2100.
pub(crate) const LATER: &str = "4102444800000";

/// Streams with every part: groups, consumers, pending and deleted entries, and one without entries.
pub(crate) const STREAMS: &str = "
    XADD stream 1-1 field value
    XADD stream 2-1 field other more text
    XADD stream 3-1 field value
    XGROUP CREATE stream group 0
    XREADGROUP GROUP group consumer COUNT 1 STREAMS stream >
    XDEL stream 2-1
    XADD empty 1-1 a b
    XTRIM empty MAXLEN 0
";

/// Values with short commands.
const SHORT: &str = "
    SET text some_text
    SET almost 007
    SET eight -128
    SET sixteen 12345
    SET thirty-two -70000
    SET sixty-four 9223372036854775807
    SETBIT bits 300 1
    SET expiring later PXAT 4102444800000
    PFADD sparse a b c d e
    PFCOUNT sparse
    SADD i16 -5 0 7
    SADD i32 -5 70000
    SADD i64 -5 1099511627776
    SADD words a b c 7
    SADD lasting a 1 2
    PEXPIREAT lasting 4102444800000
    HSET pairs a 1 b text 3 -70000
    RPUSH one element
    RPUSH several a 1 -5 70000 1099511627776 text
    ZADD scores 1 a 2.5 b 3 7 0.1 c inf e -inf f 1e17 g 1e-7 h
    GEOADD places 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
    SELECT 3
    SET elsewhere yes
    SADD far 1
    SELECT 0
";

/// Filters with one link and with several.
const BLOOM: &str = "
    BF.RESERVE filter 0.01 100
    BF.MADD filter a b c
    BF.RESERVE links 0.05 2 EXPANSION 2
    BF.MADD links a b c d e f g h
";

/// Kinds of values that not every server supports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kinds {
    /// Hashes whose fields expire.
    pub(crate) fields: bool,
    /// Nodes of a list with a single plain element.
    pub(crate) plain_nodes: bool,
    /// Bloom filters.
    pub(crate) bloom: bool,
}

/// The words of each line.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Words> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| line.split(' ').map(Into::into).collect())
}

/// A command with many arguments.
fn command(name: &str, key: &str, rest: impl IntoIterator<Item = Vec<u8>>) -> Words {
    let head = [name.as_bytes().to_vec(), key.as_bytes().to_vec()];
    head.into_iter().chain(rest).collect()
}

fn numbered(text: &str, numbers: std::ops::Range<u32>) -> impl Iterator<Item = Vec<u8>> {
    numbers.map(move |number| format!("{text} {number}").into())
}

/// The commands without those for streams; they end in database 0.
pub(crate) fn commands(kinds: Kinds) -> Vec<Words> {
    let mut rng = Rng::new(30);
    let mut all: Vec<Words> = lines(SHORT).collect();
    let long = || [b"tallis ".repeat(20)];
    let numbers = |range: std::ops::Range<u32>| range.map(|number| number.to_string().into());
    let pairs = |range: std::ops::Range<u32>| {
        numbered("field", range.clone()).zip(numbered("value", range))
    };
    let scored = |range: std::ops::Range<u32>| {
        range.flat_map(|n| [format!("{}.25", n % 50).into(), format!("member {n}").into()])
    };
    all.extend([
        command("SET", "no bytes", [vec![]]),
        command("SET", "compressible", [b"tallis ".repeat(1000)]),
        command("SET", "binary", [rng.bytes(5000)]),
        vec![b"SET".to_vec(), rng.bytes(40), b"a binary key".to_vec()],
        command("PFADD", "dense", numbers(0..5000)),
        command("SADD", "full", numbers(0..512)),
        command("SADD", "numbers", numbers(0..2000)),
        command("SADD", "many words", numbered("word", 0..600)),
        command("SADD", "long word", long().into_iter().chain([b"short".to_vec()])),
        command("HSET", "table", pairs(0..600).flat_map(|(field, value)| [field, value])),
        command("HSET", "long value", [b"field".to_vec()].into_iter().chain(long())),
        // Nodes in the middle are compressed.
        command("RPUSH", "nodes", numbered("an element of a list", 0..3000)),
        command("RPUSH", "larger than a node", [rng.bytes(20_000), b"small".to_vec()]),
        command("ZADD", "skip list", scored(0..300)),
        command("ZADD", "long member", [b"1".to_vec()].into_iter().chain(long())),
        // A small sorted set of 6.2 keeps the sign of a zero, one of 7.0 does not.
        command("ZADD", "long member", [b"-0".to_vec(), b"zero".to_vec()]),
    ]);
    if kinds.plain_nodes {
        all.extend(lines("DEBUG QUICKLIST-PACKED-THRESHOLD 200b"));
        all.push(command("RPUSH", "plain", [rng.bytes(300), b"small".to_vec(), rng.bytes(400)]));
        all.extend(lines("DEBUG QUICKLIST-PACKED-THRESHOLD 0"));
    }
    if kinds.bloom {
        all.extend(lines(BLOOM));
    }
    if kinds.fields {
        all.push(command("SELECT", &FIELDS_DB.to_string(), []));
        all.extend(lines("HSET listpack a 1 b text c 3"));
        all.extend(lines(&format!("HPEXPIREAT listpack {LATER} FIELDS 2 a b")));
        all.push(command("HSET", "table", pairs(0..600).flat_map(|(field, value)| [field, value])));
        let some = numbered("field", 0..50);
        let head = [LATER, "FIELDS", "50"].map(|word| word.as_bytes().to_vec());
        all.push(command("HPEXPIREAT", "table", head.into_iter().chain(some)));
        all.push(command("SELECT", "0", []));
    }
    all
}
