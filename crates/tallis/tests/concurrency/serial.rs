//! Whether a history of concurrent calls has a serial order.
//!
//! # Idea
//!
//! A history is what the callers saw: each call with its reply, and when it began and ended. The calls were atomic if
//! they can be put into one order, such that a plain, sequential model answers each of them as it was answered, and a
//! call that ended before another began comes before it. The search tries every call that may come next (none that is
//! still to come has ended before it began), lets the model answer it, and goes on if the answers agree. Two paths that
//! did the same calls and left the model in the same state have the same future: it is explored once.
//!
//! Source: Wing and Gong, "Testing and Verifying Concurrent Objects", 1993; the memory of what failed is Lowe's.

use std::collections::HashSet;
use std::hash::Hash;

/// A call as its caller saw it. Times are those of one counter that all callers advance.
#[derive(Clone, Debug)]
pub(crate) struct Call<C, R> {
    pub(crate) began: u64,
    pub(crate) ended: u64,
    pub(crate) command: C,
    pub(crate) reply: R,
}

/// The order in which `model`, from a state on, gives every call the reply that it got; `None` if there is none.
///
/// At most 64 calls.
pub(crate) fn serial_order<S, C, R>(
    start: &S,
    history: &[Call<C, R>],
    model: impl Fn(&mut S, &C) -> R,
) -> Option<Vec<usize>>
where
    S: Clone + Eq + Hash,
    R: PartialEq,
{
    assert!(history.len() <= 64, "a set of calls is a word");
    let mut search = Search { history, model, failed: HashSet::new(), order: Vec::new() };
    search.from(start.clone(), 0).then_some(search.order)
}

struct Search<'h, S, C, R, M> {
    history: &'h [Call<C, R>],
    model: M,
    /// What led nowhere: the calls that were done, and the state that they left.
    failed: HashSet<(u64, S)>,
    order: Vec<usize>,
}

impl<S, C, R, M> Search<'_, S, C, R, M>
where
    S: Clone + Eq + Hash,
    R: PartialEq,
    M: Fn(&mut S, &C) -> R,
{
    fn from(&mut self, state: S, done: u64) -> bool {
        let history = self.history;
        let open = || history.iter().enumerate().filter(|(at, _)| done >> at & 1 == 0);
        let Some(first_end) = open().map(|(_, call)| call.ended).min() else { return true };
        if self.failed.contains(&(done, state.clone())) {
            return false;
        }
        for (at, call) in open().filter(|(_, call)| call.began <= first_end) {
            let mut next = state.clone();
            if (self.model)(&mut next, &call.command) == call.reply {
                self.order.push(at);
                if self.from(next, done | 1 << at) {
                    return true;
                }
                self.order.pop();
            }
        }
        self.failed.insert((done, state));
        false
    }
}

/// The checker itself, on a register that is written, read and incremented.
mod tests {
    use super::{Call, serial_order};

    #[derive(Clone, Debug)]
    enum Register {
        Write(i64),
        Read,
        Incr,
    }
    use Register::{Incr, Read, Write};

    fn call(times: [u64; 2], command: Register, reply: i64) -> Call<Register, i64> {
        Call { began: times[0], ended: times[1], command, reply }
    }

    fn order(history: &[Call<Register, i64>]) -> Option<Vec<usize>> {
        serial_order(&0, history, |value: &mut i64, command| {
            match command {
                Write(new) => *value = *new,
                Incr => *value += 1,
                Read => {}
            }
            *value
        })
    }

    #[test]
    fn calls_one_after_the_other_keep_their_order() {
        assert_eq!(order(&[]), Some(vec![]));
        let history = [call([0, 1], Write(5), 5), call([2, 3], Incr, 6), call([4, 5], Read, 6)];
        assert_eq!(order(&history), Some(vec![0, 1, 2]));
    }

    #[test]
    fn calls_that_overlap_may_come_in_any_order() {
        // The read began first and ended last: it may have seen either.
        for seen in [0, 1, 2] {
            let history = [call([0, 9], Read, seen), call([1, 2], Incr, 1), call([3, 4], Incr, 2)];
            assert!(order(&history).is_some(), "{seen}");
        }
        // Against the order in which they began.
        let history = [call([0, 9], Incr, 2), call([1, 8], Incr, 1)];
        assert_eq!(order(&history), Some(vec![1, 0]));
    }

    #[test]
    fn a_stale_read_is_refused() {
        let history = [call([0, 1], Write(1), 1), call([2, 3], Read, 0)];
        assert_eq!(order(&history), None);
        // Nor may a later read go back to what an earlier one no longer saw, while the write lasts.
        let history = [call([0, 9], Write(1), 1), call([1, 2], Read, 1), call([3, 4], Read, 0)];
        assert_eq!(order(&history), None);
        let history = [call([0, 9], Write(1), 1), call([1, 2], Read, 0), call([3, 4], Read, 1)];
        assert!(order(&history).is_some());
    }

    #[test]
    fn a_lost_update_is_refused() {
        // Two increments that overlap cannot both find nothing.
        let history = [call([0, 3], Incr, 1), call([1, 2], Incr, 1)];
        assert_eq!(order(&history), None);
        // Nor can one be gone afterwards.
        let history = [call([0, 3], Incr, 1), call([1, 2], Incr, 2), call([4, 5], Read, 1)];
        assert_eq!(order(&history), None);
    }

    #[test]
    fn a_reply_out_of_nowhere_is_refused() {
        assert_eq!(order(&[call([0, 1], Read, 7)]), None);
    }
}
