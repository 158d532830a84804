//! Commands that servers before 7.0 parse differently.

use super::has;

/// A difference as a sentence, and whether a command is affected. The name of the command is in capitals.
type Read = (&'static str, fn(&[u8], &[Vec<u8>]) -> bool);

/// The number of characters, including the sign, from which on a number may be out of range.
const MOST_DIGITS: usize = 15;

/// The length from which on a value may be too long for a ziplist, under the lowest limits of the settings.
const SHORT_VALUE: usize = 20;

const OTHERWISE: [Read; 17] = [
    ("EXPIRE, EXPIREAT, PEXPIRE and PEXPIREAT accept no options", |name, words| {
        expires(name) && words.len() > 3
    }),
    (
        "EXPIRE, EXPIREAT, PEXPIRE and PEXPIREAT accept times that are out of range",
        |name, words| expires(name) && words.get(2).is_some_and(|time| time.len() > MOST_DIGITS),
    ),
    ("BITCOUNT and BITPOS do not support BYTE and BIT", |name, words| {
        name == b"BITCOUNT" && words.len() > 4 || name == b"BITPOS" && words.len() > 5
    }),
    ("BITFIELD INCRBY may not detect the overflow of an i64", |name, words| {
        name == b"BITFIELD" && words.iter().any(|word| word.starts_with(b"i64"))
    }),
    ("SET does not accept NX with GET", |name, words| {
        name == b"SET" && has(words, "NX") && has(words, "GET")
    }),
    ("units of distance are accepted only in lower case", |name, words| {
        let is_unit = |word: &&Vec<u8>| {
            ["M", "KM", "FT", "MI"].iter().any(|unit| word.eq_ignore_ascii_case(unit.as_bytes()))
        };
        let in_capitals = |word: &Vec<u8>| word.iter().any(u8::is_ascii_uppercase);
        name.starts_with(b"GEO") && words.iter().filter(is_unit).any(in_capitals)
    }),
    ("COUNT with ANY selects other places", |name, words| {
        name.starts_with(b"GEO") && has(words, "ANY")
    }),
    ("CONFIG GET and CONFIG SET accept only one parameter", |name, words| {
        let most = match words.get(1) {
            Some(sub) if sub.eq_ignore_ascii_case(b"SET") => 4,
            _ => 3,
        };
        name == b"CONFIG" && words.len() > most
    }),
    ("CONFIG SET accepts numbers that are out of range", |name, words| {
        name == b"CONFIG" && words.get(3).is_some_and(|value| value.len() > MOST_DIGITS)
    }),
    ("INFO accepts only one section", |name, words| name == b"INFO" && words.len() > 2),
    (
        "a transaction queues subcommands that are unknown or have a wrong number of arguments",
        is_wrong_subcommand,
    ),
    ("SETRANGE with an offset near 2^63 terminates the server", |name, words| {
        name == b"SETRANGE" && words.get(2).is_some_and(|offset| offset.len() > MOST_DIGITS)
    }),
    (
        "SRANDMEMBER, HRANDFIELD and ZRANDMEMBER accept counts that are out of range",
        |name, words| {
            matches!(name, b"SRANDMEMBER" | b"HRANDFIELD" | b"ZRANDMEMBER")
                && words.get(2).is_some_and(|count| count.len() > MOST_DIGITS)
        },
    ),
    ("DECRBY accepts -9223372036854775808", |name, words| {
        name == b"DECRBY" && words.get(2).is_some_and(|by| by == b"-9223372036854775808")
    }),
    ("HINCRBYFLOAT with an increment that is not finite creates an empty hash", |name, words| {
        let is_finite = |by: &Vec<u8>| number(by).is_some_and(f64::is_finite);
        name == b"HINCRBYFLOAT" && words.get(3).is_some_and(|by| !is_finite(by))
    }),
    ("HSETNX with a long value converts a hash that already has the field", |name, words| {
        name == b"HSETNX" && words.get(3).is_some_and(|value| value.len() > SHORT_VALUE)
    }),
    ("small sorted sets keep the score -0", |name, words| {
        let weighs = has(words, "WEIGHTS");
        // A weight can turn a score that is negative, 0 or close to 0 into -0.
        let gives_zero = |number: f64| {
            number.is_sign_negative() && (weighs || number == 0.0) || weighs && number < 1e-100
        };
        name.starts_with(b"Z") && words.iter().filter_map(|word| number(word)).any(gives_zero)
    }),
];

/// Returns the sentences.
pub(super) fn differences() -> impl ExactSizeIterator<Item = &'static str> {
    OTHERWISE.iter().map(|(what, _)| *what)
}

/// Whether such a server parses the command differently.
pub(super) fn reads_otherwise(words: &[Vec<u8>]) -> bool {
    let name = words.first().map(|name| name.to_ascii_uppercase()).unwrap_or_default();
    OTHERWISE.iter().any(|(_, meets)| meets(&name, words))
}

fn expires(name: &[u8]) -> bool {
    matches!(name, b"EXPIRE" | b"EXPIREAT" | b"PEXPIRE" | b"PEXPIREAT")
}

fn number(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Whether a command with subcommands has none that such a server knows, or a wrong number of arguments for it.
fn is_wrong_subcommand(name: &[u8], words: &[Vec<u8>]) -> bool {
    // The name, the minimum number of words, and whether more are allowed.
    let subcommands: &[(&str, usize, bool)] = match name {
        b"CLIENT" => &[
            ("GETNAME", 2, false),
            ("HELP", 2, false),
            ("ID", 2, false),
            ("INFO", 2, false),
            ("LIST", 2, true),
            ("SETNAME", 3, false),
        ],
        b"COMMAND" => &[("COUNT", 2, false)],
        b"CONFIG" => &[("GET", 3, true), ("SET", 4, true), ("RESETSTAT", 2, false)],
        b"MEMORY" => &[("USAGE", 3, true)],
        b"OBJECT" => &[
            ("ENCODING", 3, false),
            ("FREQ", 3, false),
            ("IDLETIME", 3, false),
            ("REFCOUNT", 3, false),
        ],
        b"PFDEBUG" => return words.len() != 3,
        _ => return false,
    };
    let Some(sub) = words.get(1) else { return true };
    !subcommands.iter().any(|(name, least, open)| {
        let fits = words.len() == *least || *open && words.len() > *least;
        sub.eq_ignore_ascii_case(name.as_bytes()) && fits
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::super::harness::words;
    use super::*;

    #[test]
    fn commands_that_are_parsed_differently_are_recognized() {
        let otherwise = [
            "expire k 100 GT",
            "PEXPIREAT k -9223372036854775808",
            "BITCOUNT k 0 1 BYTE",
            "BITPOS k 1 0 -1 BIT",
            "BITFIELD k INCRBY i64 0 1",
            "SET k v nx get",
            "GEODIST k a b Km",
            "GEOSEARCH k FROMMEMBER m BYRADIUS 1 km COUNT 2 any",
            "CONFIG GET a b",
            "CONFIG SET a 1 b 2",
            "CONFIG SET a 9223372036854775808",
            "INFO memory keyspace",
            "OBJECT NONESUCH k",
            "CLIENT NO-TOUCH on",
            "CLIENT SETNAME",
            "OBJECT ENCODING",
            "MEMORY USAGE",
            "COMMAND",
            "COMMAND COUNT x",
            "PFDEBUG DECODE k x",
            "SETRANGE k 9223372036854775807 v",
            "SRANDMEMBER k -9223372036854775808",
            "DECRBY k -9223372036854775808",
            "HINCRBYFLOAT k f inf",
            "HINCRBYFLOAT k f x",
            "HSETNX k f 012345678901234567890",
            "ZADD k -0 m",
            "ZADD k 1 a -0.0 m",
            "ZUNIONSTORE k 1 a WEIGHTS -1",
            "ZUNIONSTORE k 1 a WEIGHTS 0",
        ];
        let alike = [
            "EXPIRE k 100",
            "EXPIRE k -5",
            "BITCOUNT k 0 1",
            "BITPOS k 1 0 -1",
            "BITFIELD k INCRBY i63 0 1",
            "SET k v NX",
            "SET k v GET XX",
            "GEODIST K:1 a b km",
            "GEOADD k 1 2 M1",
            "GEOSEARCH k FROMMEMBER m BYRADIUS 1 km COUNT 2",
            "CONFIG GET a",
            "CONFIG SET a 512",
            "CONFIG RESETSTAT",
            "INFO memory",
            "OBJECT ENCODING k",
            "CLIENT SETNAME me",
            "CLIENT LIST TYPE normal",
            "MEMORY USAGE k SAMPLES 5",
            "COMMAND COUNT",
            "PFDEBUG DECODE k",
            "SETRANGE k 536870912 v",
            "SRANDMEMBER k -5",
            "DECRBY k 9223372036854775807",
            "HINCRBYFLOAT k f 1e308",
            "HSETNX k f 01234567890123456789",
            "ZADD k -5 m",
            "ZADD k 0 -m",
            "ZUNIONSTORE k 1 a WEIGHTS 2",
        ];
        let reads = |line: &str| reads_otherwise(&words(&line.split(' ').collect::<Vec<_>>()));
        for line in otherwise {
            assert!(reads(line), "{line}");
        }
        for line in alike {
            assert!(!reads(line), "{line}");
        }
    }
}
