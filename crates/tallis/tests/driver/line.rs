//! Command lines from arbitrary bytes.

#![expect(clippy::wildcard_enum_match_arm, reason = "a reply of any other shape fails the test")]

use std::sync::OnceLock;

use arbitrary::{Result, Unstructured};
use tallis::bloom::BloomFilter;
use tallis::{Reply, Store};

use super::fields::operations;
use super::script::call;

/// The description of a command by COMMAND, as far as a line needs it.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) name: String,
    /// The minimum number of words, including the name.
    least: usize,
    /// Whether more words are allowed.
    open: bool,
    /// The first key, the last (counted from the end if negative) and the step; 0 for none.
    keys: [i64; 3],
}

/// Every command in the reply of COMMAND.
pub(crate) fn shapes() -> &'static [Shape] {
    static SHAPES: OnceLock<Vec<Shape>> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let Reply::Array(all) = Store::new().execute(&["COMMAND"]) else { panic!("no list") };
        let mut shapes: Vec<Shape> = all.iter().map(shape).collect();
        // It tests the registers millions of times and does not depend on the stored values.
        shapes.retain(|shape| shape.name != "pfselftest");
        shapes.sort_by(|a, b| a.name.cmp(&b.name));
        shapes
    })
}

fn shape(description: &Reply) -> Shape {
    let Reply::Array(parts) = description else { panic!("{description:?}") };
    let int = |at: usize| match parts[at] {
        Reply::Int(number) => number,
        ref other => panic!("{other:?}"),
    };
    let Reply::Bulk(name) = &parts[0] else { panic!("{description:?}") };
    Shape {
        name: String::from_utf8_lossy(name).into_owned(),
        least: usize::try_from(int(1).abs()).unwrap(),
        open: int(1) < 0,
        keys: [int(3), int(4), int(5)],
    }
}

/// A small set, so that commands use the same keys.
pub(super) const KEYS: &[&[u8]] = &[b"a", b"b", b"c", b"d", b"", b"e\0\r\n\xff"];

const MEMBERS: &[&[u8]] = &[
    b"0",
    b"1",
    b"2",
    b"3",
    b"-1",
    b"7",
    b"10",
    b"32768",
    b"-40000",
    b"x",
    b"y",
    b"zz",
    b"",
    b"007",
    b"-0",
    b"text",
    b"longer",
    b"a member of more than a few bytes",
    b"\0\xff\n",
    b"1234567890",
    b"abcabcabc",
    b"9223372036854775807",
    b"-9223372036854775808",
];

const NUMBERS: &[&[u8]] = &[
    b"0",
    b"1",
    b"2",
    b"-1",
    b"-2",
    b"5",
    b"10",
    b"100",
    b"-100",
    b"299",
    b"1.5",
    b"-0.25",
    b"1e2",
    b"nan",
    b"inf",
    b"-inf",
    b"1e400",
    b"3.0e-5",
    b"+1",
    b" 1",
    b"1 ",
    b"",
    b"0x10",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"9223372036854775808",
    b"1099511627776",
    b"-1099511627776",
];

const OPTIONS: &[&[u8]] = &[
    b"NX",
    b"XX",
    b"GT",
    b"LT",
    b"EX",
    b"PX",
    b"EXAT",
    b"PXAT",
    b"GET",
    b"KEEPTTL",
    b"PERSIST",
    b"REPLACE",
    b"ABSTTL",
    b"IDLETIME",
    b"FREQ",
    b"DB",
    b"LIMIT",
    b"MATCH",
    b"COUNT",
    b"TYPE",
    b"LEN",
    b"IDX",
    b"MINMATCHLEN",
    b"WITHMATCHLEN",
    b"ENCODING",
    b"REFCOUNT",
    b"GETREG",
    b"DECODE",
    b"TODENSE",
    b"OBJECT",
    b"USAGE",
    b"SAMPLES",
    b"STATS",
    b"HELP",
    b"LIST",
    b"FILTERBY",
    b"ACLCAT",
    b"PATTERN",
    b"INFO",
    b"DOCS",
    b"GETKEYS",
    b"GETKEYSANDFLAGS",
    b"ASYNC",
    b"SYNC",
    b"set-max-intset-entries",
    b"string",
    b"set",
    b"*",
    b"[a-c]?",
    b"\\",
    b"[^",
    b"memory",
    b"BIT",
    b"BYTE",
    b"AND",
    b"OR",
    b"XOR",
    b"NOT",
    b"DIFF",
    b"DIFF1",
    b"ANDOR",
    b"ONE",
    b"SET",
    b"INCRBY",
    b"OVERFLOW",
    b"SAT",
    b"FAIL",
    b"u4",
    b"i5",
    b"i64",
    b"#3",
    b"CH",
    b"INCR",
    b"BYSCORE",
    b"BYLEX",
    b"REV",
    b"WITHSCORE",
    b"WITHSCORES",
    b"WEIGHTS",
    b"AGGREGATE",
    b"SUM",
    b"MIN",
    b"MAX",
    b"ASC",
    b"DESC",
    b"ANY",
    b"STORE",
    b"STOREDIST",
    b"WITHDIST",
    b"FROMMEMBER",
    b"BYBOX",
    b"BYPOLYGON",
    b"km",
    b"(1",
    b"[1",
    b"(x",
    b"-",
    b"+",
    b"ITEMS",
    b"ERROR",
    b"CAPACITY",
    b"EXPANSION",
    b"NONSCALING",
    b"NOCREATE",
];

/// Error rates: arguments of BF.RESERVE that are not numbers of another kind.
const RATES: &[&[u8]] = &[b"0.01", b"0.5", b"1e-5", b"1e-300", b"5e-324", b"0.99"];

const CAPACITIES: &[&[u8]] = &[b"1", b"2", b"3", b"10", b"100"];

/// A line: usually a command with a valid number of words, at the positions that it expects.
pub(crate) fn line(u: &mut Unstructured<'_>) -> Result<Vec<Vec<u8>>> {
    if u.ratio(1, 32)? {
        return (0..u.int_in_range(1..=4)?).map(|_| word(u)).collect();
    }
    let shape = u.choose(shapes())?;
    let least = shape.least.max(1);
    let count = match u.int_in_range(0..=15)? {
        0 => least.saturating_sub(1).max(1),
        1 => least + 1,
        extra if shape.open => least + extra % 7,
        _ => least,
    };
    let mut words = vec![shape.name.clone().into_bytes()];
    for at in 1..count {
        words.push(if is_key(shape, at, count) && !u.ratio(1, 32)? {
            u.choose(KEYS)?.to_vec()
        } else {
            word(u)?
        });
    }
    if shape.name.starts_with("geo") && !u.ratio(1, 4)? {
        place(u, &mut words)?;
    }
    if shape.name.starts_with("bf.") && !u.ratio(1, 4)? {
        filter(u, &mut words)?;
    }
    if shape.name.starts_with("bitfield") && words.len() > 1 && !u.ratio(1, 4)? {
        operations(u, &mut words)?;
    }
    if shape.name.starts_with("eval") && !u.ratio(1, 4)? {
        call(u, &mut words)?;
    }
    // The limits are not changed, because later commands depend on them.
    if words[0] == b"config" && words.get(1).is_some_and(|sub| sub.eq_ignore_ascii_case(b"set")) {
        words[1] = b"GET".to_vec();
    }
    // The first one takes long, the other one gives values the encodings that they have in files.
    if words[0] == b"debug"
        && let Some(sub) = words.get_mut(1)
        && [&b"sleep"[..], b"reload"].iter().any(|name| sub.eq_ignore_ascii_case(name))
    {
        *sub = b"DIGEST".to_vec();
    }
    Ok(words)
}

/// Inserts words for a position and an area into a command on positions.
fn place(u: &mut Unstructured<'_>, words: &mut Vec<Vec<u8>>) -> Result<()> {
    let mut degrees = || Ok(u.int_in_range(-60..=60_i64)?.to_string());
    let (lon, lat) = (degrees()?, degrees()?);
    let km = u.int_in_range(0..=9000_i64)?.to_string();
    let area = match &*words[0] {
        b"geoadd" => vec![lon, lat],
        b"georadius" | b"georadius_ro" => vec![lon, lat, km, "km".into()],
        b"georadiusbymember" | b"georadiusbymember_ro" => vec![km, "km".into()],
        b"geosearch" | b"geosearchstore" => {
            vec!["FROMLONLAT".into(), lon, lat, "BYRADIUS".into(), km, "km".into()]
        }
        _ => return Ok(()),
    };
    // After the keys, and the member that some commands name.
    let behind = if matches!(&*words[0], b"geoadd" | b"geosearch" | b"georadius" | b"georadius_ro")
    {
        2
    } else {
        3
    };
    for (at, word) in (behind..).zip(area) {
        let word = word.into_bytes();
        match words.get_mut(at) {
            Some(old) => *old = word,
            None => words.push(word),
        }
    }
    Ok(())
}

/// Inserts words for a filter into a command on filters.
fn filter(u: &mut Unstructured<'_>, words: &mut Vec<Vec<u8>>) -> Result<()> {
    let (rate, capacity) = (u.choose(RATES)?.to_vec(), u.choose(CAPACITIES)?.to_vec());
    let [name, key, ..] = &**words else { return Ok(()) };
    let (name, key) = (name.clone(), key.clone());
    match &*name {
        b"bf.reserve" => {
            *words = vec![name, key, rate, capacity];
            match u.int_in_range(0..=3)? {
                0 => words.push(b"NONSCALING".to_vec()),
                1 => words.extend([b"EXPANSION".to_vec(), u.choose(CAPACITIES)?.to_vec()]),
                _ => {}
            }
        }
        b"bf.insert" => {
            let items = words.split_off(2);
            words.extend([b"ERROR".to_vec(), rate, b"CAPACITY".to_vec(), capacity]);
            words.extend([b"ITEMS".to_vec()].into_iter().chain(items));
        }
        b"bf.loadchunk" => {
            // After a cursor of the first link, as many bytes as it accepts; or the header of a filter.
            let header = BloomFilter::default().header();
            let (cursor, piece) = match u.int_in_range(0..=2)? {
                0 => (1, header),
                1 => (1, u.choose(&[&header[..40], b"", b"x"])?.to_vec()),
                _ => {
                    let len = u.int_in_range(0..=16)?;
                    (u.int_in_range(1..=40)?, u.bytes(len)?.to_vec())
                }
            };
            *words = vec![name, key, cursor.to_string().into_bytes(), piece];
        }
        b"bf.scandump" => *words = vec![name, key, u.choose(&["0", "1", "2"])?.as_bytes().to_vec()],
        _ => {}
    }
    Ok(())
}

fn is_key(shape: &Shape, at: usize, count: usize) -> bool {
    let [first, last, step] = shape.keys;
    let (at, count) = (i64::try_from(at).unwrap(), i64::try_from(count).unwrap());
    let last = if last < 0 { count + last } else { last };
    // The keys of commands with subcommands come after these.
    let object = matches!(shape.name.as_str(), "object" | "memory" | "debug" | "pfdebug");
    if first == 0 {
        let counted = ["sintercard", "zdiff", "zinter", "zintercard", "zmpop", "zunion"]
            .contains(&&*shape.name);
        return object && at == 2 || counted && at > 1;
    }
    if matches!(shape.name.as_str(), "zdiffstore" | "zinterstore" | "zunionstore") && at > 2 {
        return true;
    }
    at >= first && at <= last && (at - first) % step.max(1) == 0
}

fn word(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let word = match u.int_in_range(0..=11)? {
        0..=2 => u.choose(KEYS)?.to_vec(),
        3..=5 => u.choose(MEMBERS)?.to_vec(),
        6..=7 => u.choose(NUMBERS)?.to_vec(),
        8..=9 => u.choose(OPTIONS)?.to_vec(),
        10 => u.int_in_range(-300..=300_i64)?.to_string().into_bytes(),
        _ => {
            let len = u.int_in_range(0..=12)?;
            u.bytes(len)?.to_vec()
        }
    };
    Ok(bounded(word))
}

/// The same word, but without numbers that need much memory or time: they are either small or out of every range.
fn bounded(word: Vec<u8>) -> Vec<u8> {
    let number = std::str::from_utf8(&word).ok().and_then(|text| text.trim().parse::<i64>().ok());
    match number {
        Some(number) if (50_000..1 << 40).contains(&number.unsigned_abs()) => {
            (number % 300).to_string().into_bytes()
        }
        Some(_) | None => word,
    }
}
