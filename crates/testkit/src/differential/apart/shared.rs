//! The access time of small integers: a server shares one object between all keys with the same value, the subject has
//! one per key.

use super::super::Reply;
use super::super::run::Run;
use super::super::subject::Subject;
use super::Difference;

/// Whether two idle times differ because the key holds such a number.
pub(super) fn explains<S: Subject>(run: &mut Run<'_, S>, found: Difference<'_>) -> bool {
    let Difference { session, words, ours, theirs, .. } = found;
    let [name, sub, key] = words else { return false };
    if !name.eq_ignore_ascii_case(b"OBJECT") || !sub.eq_ignore_ascii_case(b"IDLETIME") {
        return false;
    }
    let count =
        run.subject.execute(session, &[b"OBJECT".to_vec(), b"REFCOUNT".to_vec(), key.clone()]);
    matches!((ours, theirs), (Reply::Int(_), Reply::Int(_)))
        && matches!(count, Reply::Int(count) if count > 1)
}
