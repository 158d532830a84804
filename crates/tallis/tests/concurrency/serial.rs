//! Whether a history of concurrent calls has a serial order.
//!
//! # Idea
//!
//! A history is a set of calls, each with its reply and the times of its begin and end. The calls were atomic if there
//! is an order in which a sequential model gives the same reply to each, and in which a call that ended before another
//! began precedes it. The search tries every call that may be next (no remaining call has ended before it began), runs
//! it on the model, and continues if the replies agree. Two paths with the same calls and the same state of the model
//! have the same continuations, which are searched once.
//!
//! Source: Wing and Gong, "Testing and Verifying Concurrent Objects", 1993; remembering failed states is due to Lowe.

use std::collections::HashSet;
use std::hash::Hash;

/// A call from the perspective of its caller. Times are values of one counter that all callers advance.
#[derive(Clone, Debug)]
pub(crate) struct Call<C, R> {
    pub(crate) began: u64,
    pub(crate) ended: u64,
    pub(crate) command: C,
    pub(crate) reply: R,
}

/// Returns an order in which `model`, beginning with a state, gives every call the reply that it had; `None` if there
/// is none.
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
    /// Failed paths: the calls that were made, and the resulting state.
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

/// Tests of the checker itself, on a register that is written, read and incremented.
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
    fn consecutive_calls_keep_their_order() {
        assert_eq!(order(&[]), Some(vec![]));
        let history = [call([0, 1], Write(5), 5), call([2, 3], Incr, 6), call([4, 5], Read, 6)];
        assert_eq!(order(&history), Some(vec![0, 1, 2]));
    }

    #[test]
    fn overlapping_calls_may_have_any_order() {
        // The read began first and ended last: it may have returned any of the values.
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
        // A later read cannot return an older value than an earlier read, even while the write is running.
        let history = [call([0, 9], Write(1), 1), call([1, 2], Read, 1), call([3, 4], Read, 0)];
        assert_eq!(order(&history), None);
        let history = [call([0, 9], Write(1), 1), call([1, 2], Read, 0), call([3, 4], Read, 1)];
        assert!(order(&history).is_some());
    }

    #[test]
    fn a_lost_update_is_refused() {
        // Two overlapping increments cannot both read zero.
        let history = [call([0, 3], Incr, 1), call([1, 2], Incr, 1)];
        assert_eq!(order(&history), None);
        // An increment cannot be lost later.
        let history = [call([0, 3], Incr, 1), call([1, 2], Incr, 2), call([4, 5], Read, 1)];
        assert_eq!(order(&history), None);
    }

    #[test]
    fn an_impossible_reply_is_refused() {
        assert_eq!(order(&[call([0, 1], Read, 7)]), None);
    }
}
