//! SPOP, whose removed members are random.
//!
//! Both sides pop; on each, the removed and the remaining members must be the previous ones. Then both sides are
//! brought to one state that depends only on the script: the same number of members, the first ones in their order. If
//! it were the server's remaining members, the same seed would give another run the next time.
//!
//! One member less does not change the encoding, so the member is added again and the last one removed: the key keeps
//! its encoding and its expiry. If the count is most of a set, Redis builds a new set of the few that remain, and its
//! encoding depends on them. Then both sides create the key again.

use std::collections::BTreeSet;

use super::Reply;
use super::harness::{Failure, failure};
use super::run::Run;
use super::script::Op;
use super::subject::Subject;

type Members = BTreeSet<Vec<u8>>;

/// Runs an SPOP outside a transaction.
pub(super) fn run<S: Subject>(run: &mut Run<'_, S>, at: usize, op: &Op) -> Result<(), Failure> {
    let (session, words) = (op.session, &op.words);
    let Some(key) = words.get(1).cloned() else {
        let theirs = run.live.execute(session, words);
        let ours = run.subject.execute(session, words);
        return run.compare(at, session, words, &ours, &theirs);
    };
    let before = members(&mut run.live, session, &key);
    let theirs = run.live.execute(session, words);
    let ours = run.subject.execute(session, words);
    run.compare(at, session, words, &ours, &theirs)?;
    if theirs.is_error() {
        return Ok(());
    }
    let fail = |why: &str| Err(failure(at, words, &ours, &theirs, why));
    let their_rest = members(&mut run.live, session, &key);
    let our_rest = members(&mut run.subject, session, &key);
    if !adds_up(&theirs, &their_rest, &before) {
        return fail("the members that the server popped and kept are not the members before");
    }
    if !adds_up(&ours, &our_rest, &before) {
        return fail("the members that were popped and kept are not the members before");
    }
    let encodings =
        [encoding(&mut run.live, session, &key), encoding(&mut run.subject, session, &key)];
    // Without a count, one member less does not change the encoding. With a count, the encoding is determined only if
    // the remaining members are of the same kind on both sides, and equally long: a limit may lie between them.
    let kind = |rest: &Members| {
        let longest = rest.iter().map(Vec::len).max();
        (rest.iter().all(|member| is_integer(member)), longest)
    };
    if (words.len() == 2 || kind(&their_rest) == kind(&our_rest)) && encodings[0] != encodings[1] {
        return Err(failure(
            at,
            words,
            &encodings[1],
            &encodings[0],
            "the encodings of the remaining members differ",
        ));
    }
    // No member or all members were removed: the script continues unchanged.
    if our_rest.is_empty() || our_rest.len() == before.len() {
        return Ok(());
    }
    let target: Members = before.iter().take(our_rest.len()).cloned().collect();
    // The order inside a listpack shows which members were removed and added again.
    let anew = words.len() > 2 || run.settings.limits.set_max_listpack.is_some();
    let expiry = run.live.execute(session, &[b"PEXPIRETIME".to_vec(), key.clone()]);
    let expiry = if let Reply::Int(at) = expiry { Some(at) } else { None };
    let expiry = expiry.filter(|at| *at >= 0 && anew);
    let sides: [(&mut dyn Subject, Members); 2] = [
        (&mut run.live, theirs.given().into_iter().collect()),
        (&mut run.subject, ours.given().into_iter().collect()),
    ];
    for (side, taken) in sides {
        if anew {
            side.execute(session, &[b"DEL".to_vec(), key.clone()]);
            change(side, session, "SADD", &key, target.iter());
        } else {
            // The same on both sides, even if it changes nothing: adding a member may apply a limit that was lowered.
            change(side, session, "SADD", &key, taken.iter());
            change(side, session, "SREM", &key, before.difference(&target));
        }
        if let Some(at) = expiry {
            side.execute(session, &[b"PEXPIREAT".to_vec(), key.clone(), at.to_string().into()]);
        }
    }
    Ok(())
}

/// Adds or removes members, if there are any.
fn change<'a>(
    side: &mut dyn Subject,
    session: usize,
    name: &str,
    key: &[u8],
    members: impl Iterator<Item = &'a Vec<u8>>,
) {
    let mut command = vec![name.into(), key.to_vec()];
    command.extend(members.cloned());
    if command.len() > 2 {
        side.execute(session, &command);
    }
}

fn members(side: &mut dyn Subject, session: usize, key: &[u8]) -> Members {
    let reply = side.execute(session, &[b"SMEMBERS".to_vec(), key.to_vec()]);
    reply.members().unwrap_or_default().into_iter().collect()
}

fn encoding(side: &mut dyn Subject, session: usize, key: &[u8]) -> Reply {
    side.execute(session, &[b"OBJECT".to_vec(), b"ENCODING".to_vec(), key.to_vec()])
}

/// Whether the removed and the remaining members together are exactly the previous ones.
fn adds_up(taken: &Reply, rest: &Members, before: &Members) -> bool {
    let taken = taken.given();
    let count = taken.len() + rest.len();
    let all: Members = taken.into_iter().chain(rest.iter().cloned()).collect();
    count == before.len() && all == *before
}

/// Whether an intset could hold it. A listpack or a hash table of 7.0 accepts every member.
fn is_integer(member: &[u8]) -> bool {
    let text = std::str::from_utf8(member).unwrap_or_default();
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::{Members, adds_up, is_integer};
    use crate::differential::{LiveSubject, Reply, Settings, Subject};

    #[test]
    fn members_add_up_only_once_each() {
        let set =
            |all: &[&str]| -> Members { all.iter().map(|text| text.as_bytes().to_vec()).collect() };
        let taken = |all: &[&str]| {
            Reply::Array(all.iter().map(|text| Reply::Bulk(text.as_bytes().to_vec())).collect())
        };
        assert!(adds_up(&taken(&["a"]), &set(&["b"]), &set(&["a", "b"])));
        assert!(!adds_up(&taken(&["a"]), &set(&["a", "b"]), &set(&["a", "b"])));
        assert!(!adds_up(&taken(&["c"]), &set(&["b"]), &set(&["a", "b"])));
        assert!(!adds_up(&taken(&[]), &set(&["b"]), &set(&["a", "b"])));
        assert!(adds_up(&Reply::Bulk(b"a".to_vec()), &set(&[]), &set(&["a"])));
    }

    #[test]
    fn integers_are_canonical() {
        assert!(is_integer(b"-5") && is_integer(b"9223372036854775807"));
        assert!(!is_integer(b"05") && !is_integer(b"-0") && !is_integer(b"") && !is_integer(b"1 "));
    }

    #[test]
    fn a_live_subject_is_empty_at_first() {
        let settings = Settings::default();
        let Some(server) = crate::live::server_with(&settings.options()) else { return };
        LiveSubject::new(&server, &settings)
            .execute(0, &[b"SET".to_vec(), b"k".to_vec(), b"v".to_vec()]);
        let mut fresh = LiveSubject::new(&server, &settings);
        assert_eq!(fresh.execute(0, &[b"DBSIZE".to_vec()]), Reply::Int(0));
    }
}
