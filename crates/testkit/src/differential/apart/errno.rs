//! Numbers that a server's SORT does not accept, because the C library's `errno` still has an overflow from an earlier
//! command. Reading a score resets it.

use super::super::Reply;
use super::super::run::Run;
use super::super::subject::Subject;
use super::Difference;

/// Whether a command sorts. No other command may have run after it on the server before its reply is explained.
pub(in super::super) fn sorts(words: &[Vec<u8>]) -> bool {
    words.first().is_some_and(|name| {
        name.eq_ignore_ascii_case(b"SORT") || name.eq_ignore_ascii_case(b"SORT_RO")
    })
}

/// Whether the server sorts in the same way after that error is reset.
pub(super) fn explains<S: Subject>(run: &mut Run<'_, S>, found: Difference<'_>) -> bool {
    let Difference { session, words, behind, ours, theirs } = found;
    let refused = matches!(theirs, Reply::Error(text) if text.contains("converted into double"));
    if !sorts(words) || !refused {
        return false;
    }
    if !behind.is_empty() {
        // The rest of the transaction may have changed what was sorted.
        return !matches!(ours, Reply::Error(_));
    }
    let reads_score = [&b"ZADD"[..], b"nonesuch", b"XX", b"1", b"m"].map(<[u8]>::to_vec);
    run.live.execute(session, &reads_score);
    run.live.execute(session, words) == *ours
}
