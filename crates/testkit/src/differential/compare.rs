//! When two replies are equal.

use super::Reply;
use super::payload::Payload;

/// How the replies of a command are compared. Errors are compared word for word under every rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Equal in every byte.
    Exact,
    /// Lists in any order.
    Unordered,
    /// Pairs in any order, as a map or as a list.
    Pairs,
    /// A time to live or an expiry that may differ by this many units; negative values are exact.
    Time(u32),
    /// A payload of DUMP: the same value.
    Dump,
    /// The same kind of reply; arrays may differ in length.
    Shape,
    /// Random members: the same number, and all of them are members.
    RandomMember,
    /// A random key that exists.
    RandomKey,
    /// Members removed at random. The run brings both sides to the same state afterwards.
    Pop,
    /// A page of a scan: a cursor and some elements.
    Page,
    /// `DEBUG OBJECT`: the encoding, and the length where nothing was compressed.
    DebugObject,
    /// `COMMAND INFO`: everything but texts and history.
    CommandInfo,
}

/// The maximum difference between the clocks of both sides.
pub(super) const SLACK_SECONDS: u32 = 120;

/// The maximum number of names in a COMMAND INFO of a script.
const MOST_INFO: usize = 8;

/// Compares under `rule`.
pub(super) fn same(rule: Rule, ours: &Reply, theirs: &Reply) -> Result<(), String> {
    let differ = || Err("the replies differ".to_owned());
    let queued = |reply: &Reply| matches!(reply, Reply::Status(text) if text == "QUEUED");
    if ours.is_error() || theirs.is_error() || queued(ours) || queued(theirs) {
        return if ours == theirs { Ok(()) } else { differ() };
    }
    let equal = match rule {
        Rule::Exact => ours == theirs,
        Rule::Unordered => unordered(ours) == unordered(theirs),
        Rule::Pairs => pairs(ours) == pairs(theirs),
        Rule::Time(slack) => match (ours, theirs) {
            (Reply::Int(ours), Reply::Int(theirs)) => {
                ours == theirs
                    || (*ours >= 0 && *theirs >= 0 && ours.abs_diff(*theirs) <= u64::from(slack))
            }
            (Reply::Array(ours), Reply::Array(theirs)) => {
                ours.len() == theirs.len()
                    && ours
                        .iter()
                        .zip(theirs)
                        .all(|(ours, theirs)| same(rule, ours, theirs).is_ok())
            }
            _ => ours == theirs,
        },
        Rule::Dump => match (ours, theirs) {
            (Reply::Bulk(ours), Reply::Bulk(theirs)) => {
                return match (Payload::read(ours), Payload::read(theirs)) {
                    (Ok(ours), Ok(theirs)) if ours == theirs => Ok(()),
                    (Ok(ours), Ok(theirs)) => {
                        Err(format!("the values differ\n  ours   {ours:?}\n  theirs {theirs:?}"))
                    }
                    (ours, theirs) => {
                        let errors: Vec<_> =
                            [ours.err(), theirs.err()].into_iter().flatten().collect();
                        Err(format!("a payload is malformed: {errors:?}"))
                    }
                };
            }
            _ => ours == theirs,
        },
        Rule::Shape => shape(ours) == shape(theirs),
        Rule::RandomMember | Rule::RandomKey | Rule::Pop => {
            let len = |reply: &Reply| reply.elements().map(<[Reply]>::len);
            shape(ours) == shape(theirs) && len(ours) == len(theirs)
        }
        Rule::Page => page(ours).is_some() && page(theirs).is_some(),
        Rule::DebugObject => same_object(ours, theirs),
        // Without names it lists all commands, of which the subject may have fewer.
        Rule::CommandInfo => {
            let all = |reply: &Reply| reply.elements().is_some_and(|all| all.len() > MOST_INFO);
            (all(ours) && all(theirs)) || info(ours) == info(theirs)
        }
    };
    if equal { Ok(()) } else { differ() }
}

/// The reply with its arrays sorted, inner ones too.
fn unordered(reply: &Reply) -> String {
    let Some(elements) = reply.elements() else { return format!("{reply:?}") };
    let mut all: Vec<String> = elements.iter().map(unordered).collect();
    all.sort_unstable();
    format!("{} {all:?}", shape(reply))
}

/// Whether it is a map, and its pairs, sorted; `None` if it does not consist of pairs.
fn pairs(reply: &Reply) -> Option<(bool, Vec<String>)> {
    let map = if let Reply::Map(pairs) = reply { Some(pairs) } else { None };
    let mut all: Vec<String> = match map {
        Some(pairs) => pairs.iter().map(|pair| format!("{pair:?}")).collect(),
        None => reply.elements()?.chunks(2).map(|pair| format!("{pair:?}")).collect(),
    };
    all.sort_unstable();
    Some((map.is_some(), all))
}

/// The kind of a reply, without its content. An empty array has the kind of an array.
fn shape(reply: &Reply) -> &'static str {
    match reply {
        Reply::Status(_) => "status",
        Reply::Error(_) => "error",
        Reply::Int(_) => "integer",
        Reply::Bulk(_) => "bulk",
        Reply::Nil => "nil",
        Reply::NullArray => "nil array",
        Reply::Array(_) => "array",
        Reply::Set(_) => "set",
        Reply::Map(_) => "map",
        Reply::Double(_) => "double",
        Reply::Bool(_) => "bool",
        Reply::BigNumber(_) => "big number",
        Reply::Verbatim { .. } => "verbatim",
    }
}

/// The cursor and the elements of a page.
pub(super) fn page(reply: &Reply) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
    let [cursor, elements] = reply.elements()? else { return None };
    let cursor = cursor.bytes()?;
    std::str::from_utf8(cursor).ok()?.parse::<u64>().ok()?;
    let elements = elements.elements()?.iter();
    let elements = elements.map(|element| element.bytes().map(<[u8]>::to_vec));
    Some((cursor.to_vec(), elements.collect::<Option<_>>()?))
}

/// `Value at:0x7f refcount:1 encoding:raw serializedlength:22 lru:1 lru_seconds_idle:0`
fn same_object(ours: &Reply, theirs: &Reply) -> bool {
    let names = |reply: &Reply| -> Option<Vec<String>> {
        let Reply::Status(text) = reply else { return None };
        // The nodes of a list are the same; of other fields only the names.
        let nodes = |word: &str| word.starts_with("ql_");
        let shown = |word: &str| {
            let name = word.split_once(':')?.0;
            Some(if nodes(word) { word } else { name }.to_owned())
        };
        Some(text.split(' ').filter_map(shown).collect())
    };
    let (a, b) = (length(ours), length(theirs));
    // Two correct compressors may differ, and one of them may give up. A string shorter than this is not compressed: a
    // mark, two lengths, and the shortest stream of more than 20 bytes.
    let lengths = a.is_some() && b.is_some() && (a == b || a.min(b) >= Some(8));
    let encoding = "encoding:";
    let (a, b) = (field(ours, encoding), field(theirs, encoding));
    names(ours) == names(theirs) && a == b && lengths
}

fn field<'a>(reply: &'a Reply, name: &str) -> Option<&'a str> {
    let Reply::Status(text) = reply else { return None };
    text.split(' ').find_map(|word| word.strip_prefix(name))
}

/// The `serializedlength` of DEBUG OBJECT.
pub(super) fn length(reply: &Reply) -> Option<u64> {
    field(reply, "serializedlength:")?.parse().ok()
}

/// Of each command: name, arity, flags, first key, last key and step.
fn info(reply: &Reply) -> Option<Vec<Option<Vec<String>>>> {
    let one = |command: &Reply| Some(command.elements()?.iter().take(6).map(unordered).collect());
    Some(reply.elements()?.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Reply {
        Reply::Bulk(text.into())
    }

    fn array(all: &[&str]) -> Reply {
        Reply::Array(all.iter().map(|text| bulk(text)).collect())
    }

    #[test]
    fn each_rule_accepts_and_refuses() {
        let cases = [
            (Rule::Exact, array(&["a", "b"]), array(&["a", "b"]), true),
            (Rule::Exact, array(&["a", "b"]), array(&["b", "a"]), false),
            (Rule::Unordered, array(&["a", "b"]), array(&["b", "a"]), true),
            (Rule::Unordered, array(&["a", "b", "b"]), array(&["b", "a", "a"]), false),
            (Rule::Unordered, array(&["a"]), Reply::Set(vec![bulk("a")]), false),
            (Rule::Pairs, array(&["a", "1", "b", "2"]), array(&["b", "2", "a", "1"]), true),
            (Rule::Pairs, array(&["a", "1", "b", "2"]), array(&["b", "1", "a", "2"]), false),
            (Rule::Time(5), Reply::Int(7), Reply::Int(12), true),
            (Rule::Time(5), Reply::Int(7), Reply::Int(13), false),
            (Rule::Time(5), Reply::Int(-1), Reply::Int(-2), false),
            (Rule::Time(5), Reply::Int(-1), Reply::Int(0), false),
            (Rule::Shape, bulk("a"), bulk("b"), true),
            (Rule::Shape, bulk("a"), Reply::Nil, false),
            (Rule::RandomMember, array(&["a"]), array(&["b"]), true),
            (Rule::RandomMember, array(&["a"]), array(&[]), false),
            (Rule::Page, array(&["a"]), array(&["a"]), false),
            (
                Rule::Page,
                Reply::Array(vec![bulk("0"), array(&[])]),
                Reply::Array(vec![bulk("9"), array(&["x"])]),
                true,
            ),
            (Rule::Shape, Reply::Error("ERR a".into()), Reply::Error("ERR b".into()), false),
            (Rule::Shape, Reply::Error("ERR a".into()), Reply::Error("ERR a".into()), true),
        ];
        for (rule, ours, theirs, equal) in cases {
            assert_eq!(same(rule, &ours, &theirs).is_ok(), equal, "{rule:?} {ours} {theirs}");
        }
    }

    #[test]
    fn an_object_is_compared_by_its_encoding_and_short_length() {
        let object = |encoding: &str, length: u32| {
            Reply::Status(format!(
                "Value at:0x1 refcount:1 encoding:{encoding} serializedlength:{length}"
            ))
        };
        let same = |ours, theirs| same(Rule::DebugObject, &ours, &theirs).is_ok();
        assert!(same(object("raw", 9), object("raw", 9)));
        assert!(same(object("raw", 900), object("raw", 901)));
        assert!(same(object("raw", 8), object("raw", 12)));
        assert!(!same(object("raw", 7), object("raw", 8)));
        assert!(!same(object("raw", 9), object("embstr", 9)));
        let Reply::Status(list) = object("quicklist", 17) else { panic!("no status") };
        let nodes = |count: u32| Reply::Status(format!("{list} ql_nodes:{count} ql_avg_node:2.00"));
        assert!(same(nodes(1), nodes(1)));
        assert!(!same(nodes(1), nodes(2)));
        assert!(!same(object("quicklist", 17), nodes(1)));
    }
}
