//! Replies of servers before 7.0 that differ while the state is the same.

use super::super::super::Reply;
use super::has;

/// Two replies to one command.
#[derive(Clone, Copy)]
struct Pair<'r> {
    /// The name of the command, in capitals.
    name: &'r [u8],
    words: &'r [Vec<u8>],
    ours: &'r Reply,
    theirs: &'r Reply,
}

/// A difference as a sentence, and whether it explains two replies.
type Answer = (&'static str, fn(Pair<'_>) -> bool);

const OTHERWISE: [Answer; 11] = [
    (
        "small hashes and sorted sets are ziplists, and HINCRBYFLOAT keeps a long value in one",
        |pair| match (pair.ours, pair.theirs) {
            (Reply::Bulk(ours), Reply::Bulk(theirs)) => is_ziplist(ours, theirs),
            // DEBUG OBJECT. The nodes of a list have other sizes.
            (Reply::Status(ours), Reply::Status(theirs)) => {
                encoding(ours).zip(encoding(theirs)).is_some_and(|(ours, theirs)| {
                    ours == theirs || is_ziplist(ours.as_bytes(), theirs.as_bytes())
                })
            }
            _ => false,
        },
    ),
    ("errors have different quotes around names, or none, and different capitals", |pair| {
        let bare = |text: &str| text.replace('\'', "").to_ascii_lowercase();
        pair.both_errors(|ours, theirs| bare(ours).trim_end_matches(" command") == bare(theirs))
            || pair.both_errors(|ours, theirs| bare(ours) == bare(theirs))
            || pair.both_begin("ERR unknown command ")
    }),
    ("the error of MSET and MSETNX with a wrong number of arguments names MSET", |pair| {
        matches!(pair.name, b"MSET" | b"MSETNX")
            && pair.both_begin("ERR wrong number of arguments for ")
    }),
    ("CONFIG SET and PFDEBUG have different errors", |pair| {
        matches!(pair.name, b"CONFIG" | b"PFDEBUG") && pair.both_begin("ERR ")
    }),
    ("the error of LPOS with RANK 0 is shorter", |pair| {
        pair.name == b"LPOS" && pair.both_begin("ERR RANK can't be zero")
    }),
    (
        "ZPOPMIN and ZPOPMAX with a count of 0 or less return an empty list, whatever the type of the key",
        |Pair { name, ours, theirs, .. }| {
            matches!(name, b"ZPOPMIN" | b"ZPOPMAX")
                && ours.is_error()
                && (is_empty(theirs) || theirs.is_error())
        },
    ),
    (
        "ZSCAN returns the scores of a ziplist as stored in it",
        |Pair { name, ours, theirs, .. }| {
            name == b"ZSCAN" && scores(ours).is_some_and(|ours| Some(ours) == scores(theirs))
        },
    ),
    ("CONFIG GET returns names in lower case", |Pair { name, ours, theirs, .. }| {
        name == b"CONFIG" && ours.to_string().eq_ignore_ascii_case(&theirs.to_string())
    }),
    (
        "LPOP and RPOP with a count return nil if they remove no element",
        |Pair { name, ours, theirs, .. }| {
            let is_nothing =
                |reply: &Reply| matches!(reply, Reply::Nil | Reply::NullArray) || is_empty(reply);
            matches!(name, b"LPOP" | b"RPOP")
                && is_nothing(theirs)
                && (is_nothing(ours) || ours.is_error())
        },
    ),
    ("geo searches check the key before the options", |Pair { name, ours, theirs, .. }| {
        name.starts_with(b"GEO") && ours.is_error() && (is_empty(theirs) || theirs.is_error())
    }),
    (
        "geo searches without ASC, DESC and COUNT return places in a different order",
        |Pair { name, words, ours, theirs }| {
            name.starts_with(b"GEO")
                && !["ASC", "DESC", "COUNT"].iter().any(|option| has(words, option))
                && in_order(ours).is_some_and(|ours| Some(ours) == in_order(theirs))
        },
    ),
];

impl Pair<'_> {
    /// Whether both replies are errors for which `holds` returns true.
    fn both_errors(self, holds: impl Fn(&str, &str) -> bool) -> bool {
        match (self.ours, self.theirs) {
            (Reply::Error(ours), Reply::Error(theirs)) => holds(ours, theirs),
            _ => false,
        }
    }

    /// Whether both replies are errors that begin with `start`.
    fn both_begin(self, start: &str) -> bool {
        self.both_errors(|ours, theirs| ours.starts_with(start) && theirs.starts_with(start))
    }
}

/// Whether two replies to the same command differ in a way that is expected of such a server.
pub(in super::super::super) fn replies_otherwise(
    words: &[Vec<u8>],
    ours: &Reply,
    theirs: &Reply,
) -> bool {
    let name = &words.first().map(|name| name.to_ascii_uppercase()).unwrap_or_default();
    let pair = Pair { name, words, ours, theirs };
    OTHERWISE.iter().any(|(_, explains)| explains(pair))
}

/// Returns the sentences.
pub(super) fn differences() -> impl ExactSizeIterator<Item = &'static str> {
    OTHERWISE.iter().map(|(what, _)| *what)
}

fn is_empty(reply: &Reply) -> bool {
    reply.elements().is_some_and(<[Reply]>::is_empty)
}

/// The elements, sorted.
fn in_order(reply: &Reply) -> Option<Vec<String>> {
    let mut all: Vec<String> = reply.elements()?.iter().map(ToString::to_string).collect();
    all.sort_unstable();
    Some(all)
}

/// Whether an encoding corresponds to one of such a server.
fn is_ziplist(ours: &[u8], theirs: &[u8]) -> bool {
    (ours == b"listpack" || ours == b"hashtable") && theirs == b"ziplist"
}

/// The encoding in the reply of DEBUG OBJECT.
fn encoding(text: &str) -> Option<&str> {
    text.split(' ').find_map(|word| word.strip_prefix("encoding:"))
}

/// The elements of a whole iteration, with the scores as numbers.
fn scores(reply: &Reply) -> Option<Vec<(String, f64)>> {
    let pair = |pair: &Reply| {
        let text = String::from_utf8_lossy(pair.bytes()?).into_owned();
        let (member, score) = text.rsplit_once(" has ")?;
        Some((member.to_owned(), score.parse().ok()?))
    };
    reply.elements()?.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::super::harness::words;
    use super::*;

    fn error(text: &str) -> Reply {
        Reply::Error(text.to_owned())
    }

    fn list(all: &[&str]) -> Reply {
        Reply::Array(all.iter().map(|text| Reply::Bulk(text.as_bytes().to_vec())).collect())
    }

    #[test]
    fn expected_differences_are_recognized_and_no_others() {
        let bulk = |text: &str| Reply::Bulk(text.into());
        let object =
            |encoding: &str| Reply::Status(format!("Value at:0x1 encoding:{encoding} lru:1"));
        let wrong_type =
            || error("WRONGTYPE Operation against a key holding the wrong kind of value");
        let cases = [
            ("OBJECT", bulk("listpack"), bulk("ziplist"), true),
            ("OBJECT", bulk("hashtable"), bulk("ziplist"), true),
            ("OBJECT", bulk("listpack"), bulk("hashtable"), false),
            ("OBJECT", bulk("skiplist"), bulk("ziplist"), false),
            ("DEBUG", object("listpack"), object("ziplist"), true),
            ("DEBUG", object("quicklist"), object("quicklist"), true),
            ("DEBUG", object("intset"), object("hashtable"), false),
            (
                "SET",
                error("ERR invalid expire time in 'set' command"),
                error("ERR invalid expire time in set"),
                true,
            ),
            (
                "SET",
                error("ERR invalid expire time in 'set' command"),
                error("ERR syntax error"),
                false,
            ),
            (
                "MSETNX",
                error("ERR wrong number of arguments for 'msetnx' command"),
                error("ERR wrong number of arguments for MSET"),
                true,
            ),
            (
                "GET",
                error("ERR wrong number of arguments for 'get' command"),
                error("ERR wrong number of arguments for MSET"),
                false,
            ),
            ("CONFIG", error("ERR a"), error("ERR b"), true),
            ("CONFIG", Reply::Status("OK".into()), error("ERR b"), false),
            ("CONFIG", list(&["MAXMEMORY", "0"]), list(&["maxmemory", "0"]), true),
            ("CONFIG", list(&["maxmemory", "1"]), list(&["maxmemory", "0"]), false),
            (
                "GETX",
                error("ERR unknown command 'GETX', with "),
                error("ERR unknown command `GETX`, with "),
                true,
            ),
            ("GETX", error("ERR unknown command 'GETX', with "), error("ERR syntax error"), false),
            ("LPOS", error("ERR RANK can't be zero: a"), error("ERR RANK can't be zero: b"), true),
            (
                "LPOS",
                error("ERR COUNT can't be negative"),
                error("ERR RANK can't be zero: b"),
                false,
            ),
            ("ZPOPMIN", error("ERR value is out of range, must be positive"), list(&[]), true),
            ("ZPOPMAX", wrong_type(), list(&[]), true),
            ("ZPOPMAX", wrong_type(), list(&["m", "1"]), false),
            ("ZPOPMAX", list(&[]), list(&["m", "1"]), false),
            ("ZSCAN", list(&["m has 100000000000000000"]), list(&["m has 1e+17"]), true),
            ("ZSCAN", list(&["m has 1"]), list(&["m has 2"]), false),
            ("HSCAN", list(&["m has 100000000000000000"]), list(&["m has 1e+17"]), false),
            ("LPOP", Reply::NullArray, Reply::Nil, true),
            ("RPOP", wrong_type(), Reply::NullArray, true),
            ("RPOP", list(&["a"]), Reply::NullArray, false),
            ("LRANGE", Reply::NullArray, Reply::Nil, false),
            ("GEOSEARCH", error("ERR COUNT must be > 0"), list(&[]), true),
            ("GEOSEARCH", list(&["a", "b"]), list(&["b", "a"]), true),
            ("GEOSEARCH", list(&["a", "b"]), list(&["b", "b"]), false),
            ("GEOSEARCH ASC", list(&["a", "b"]), list(&["b", "a"]), false),
            ("ZRANGE", list(&["a", "b"]), list(&["b", "a"]), false),
            ("DEBUG", error("ERR unknown subcommand"), error("ERR Unknown subcommand"), true),
            ("GEOSEARCH", list(&[]), error("ERR COUNT must be > 0"), false),
            ("SMEMBERS", error("ERR COUNT must be > 0"), list(&[]), false),
        ];
        for (line, ours, theirs, otherwise) in cases {
            assert_eq!(
                replies_otherwise(&words(&line.split(' ').collect::<Vec<_>>()), &ours, &theirs),
                otherwise,
                "{line}: {ours} {theirs}"
            );
        }
    }
}
