//! Searches for points on the edge of the map, which a server omits (see `geo::RedisCells`) and the subject finds.
//!
//! No script adds such points, but scores of 2^52 and more and negative ones represent some: sums of ZUNIONSTORE and
//! ZINTERSTORE, and those of sorted sets that were not created by GEOADD.

use super::super::Reply;
use super::super::compare::{self, Rule};
use super::super::run::Run;
use super::super::subject::Subject;
use super::Difference;

/// The scores below and above those of all points.
const RIM: [[&[u8]; 2]; 2] = [[b"-inf", b"(0"], [b"4503599627370496", b"+inf"]];

/// The sorted set that a search reads, and the key that it writes.
struct Search<'w> {
    source: &'w [u8],
    target: Option<&'w [u8]>,
}

impl<'w> Search<'w> {
    fn of(words: &'w [Vec<u8>]) -> Option<Self> {
        let name = words.first()?.to_ascii_uppercase();
        if name == b"GEOSEARCHSTORE" {
            return Some(Self { source: words.get(2)?, target: Some(words.get(1)?) });
        }
        if name != b"GEOSEARCH" && !name.starts_with(b"GEORADIUS") {
            return None;
        }
        let stores = |word: &Vec<u8>| {
            word.eq_ignore_ascii_case(b"STORE") || word.eq_ignore_ascii_case(b"STOREDIST")
        };
        let at = words.iter().position(stores);
        let target = at.and_then(|at| words.get(at + 1)).map(Vec::as_slice);
        Some(Self { source: words.get(1)?, target })
    }
}

/// Whether a command is a search that stores its result.
pub(in super::super) fn writes(words: &[Vec<u8>]) -> bool {
    Search::of(words).is_some_and(|search| search.target.is_some())
}

/// Whether a search reads a sorted set with members on the edge of the map.
pub(in super::super) fn is_near<S: Subject>(
    run: &mut Run<'_, S>,
    session: usize,
    words: &[Vec<u8>],
) -> bool {
    Search::of(words).is_some_and(|search| !members(run, session, search.source).is_empty())
}

/// Whether a search reads a key that does not exist.
pub(in super::super) fn finds_no_key<S: Subject>(
    run: &mut Run<'_, S>,
    session: usize,
    words: &[Vec<u8>],
) -> bool {
    Search::of(words).is_some_and(|search| {
        let ask = [b"EXISTS", search.source].map(<[u8]>::to_vec);
        run.subject.execute(session, &ask) == Reply::Int(0)
    })
}

fn members<S: Subject>(run: &mut Run<'_, S>, session: usize, set: &[u8]) -> Vec<Reply> {
    let mut rim = Vec::new();
    for [min, max] in RIM {
        let range = [b"ZRANGEBYSCORE", set, min, max].map(<[u8]>::to_vec);
        rim.extend(run.subject.execute(session, &range).elements().unwrap_or_default().to_vec());
    }
    rim
}

/// Whether replies differ only in points on the edge of the map.
pub(super) fn explains<S: Subject>(run: &mut Run<'_, S>, found: Difference<'_>) -> bool {
    let Difference { session, words, behind, ours, theirs } = found;
    let Some(Search { source, target }) = Search::of(words) else { return false };
    let rim = members(run, session, source);
    // Inside a transaction, the stored result may have replaced the source.
    if let Some(target) = target {
        let takes =
            matches!((ours, theirs), (Reply::Int(ours), Reply::Int(theirs)) if ours >= theirs);
        return takes && (target == source || !rim.is_empty());
    }
    if rim.is_empty() {
        // The members may have existed until the rest of the transaction removed them.
        return !behind.is_empty() && finds_more(ours, theirs);
    }
    // Around a position on the edge, any may be missing. With COUNT, other members take the place of missing ones.
    words.iter().any(|word| rim.contains(&Reply::Bulk(word.clone())))
        || words.iter().any(|word| word.eq_ignore_ascii_case(b"COUNT"))
        || compare::same(Rule::Exact, &without(ours, &rim), &without(theirs, &rim)).is_ok()
}

/// Whether a search has all results of the other one, and more.
fn finds_more(ours: &Reply, theirs: &Reply) -> bool {
    let (Some(ours), Some(theirs)) = (ours.elements(), theirs.elements()) else { return false };
    ours.len() > theirs.len() && theirs.iter().all(|found| ours.contains(found))
}

/// A list without the elements that are one of these members, or begin with one.
fn without(reply: &Reply, members: &[Reply]) -> Reply {
    let member = |found: &Reply| match found.elements() {
        Some(parts) => parts.first().is_some_and(|member| members.contains(member)),
        None => members.contains(found),
    };
    let kept = reply.elements().unwrap_or_default().iter().filter(|found| !member(found));
    Reply::Array(kept.cloned().collect())
}
