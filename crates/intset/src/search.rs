//! Finding a value among the members.
//!
//! # Idea
//!
//! A search that branches on what it compares guesses wrongly every other time, at some 20 cycles a miss; and of the
//! members that a binary search looks at, the last few in each new cache line must be waited for one after the other.
//! So no loop here branches on a comparison, a step halves twice, by three members that do not depend on each other, and
//! in sets of some size the first step *interpolates*: ids of one shard are spread evenly, so that the place of a value
//! among n members is known, but for a deviation of sqrt(n)/2, from the least and the greatest alone. A window about
//! that place is searched in two steps: the firsts of its blocks are loaded side by side, then one block is halved.
//!
//! Where the members are not spread evenly the window misses, and the rest on the right side is halved as ever: an
//! adversary can add a constant to a search, not a factor.

use core::hint::select_unpredictable;

use crate::slot::Slot;

/// Members in a block: eight of 64 bits fill a cache line.
const BLOCK: usize = 8;
/// Members in a window. At 512 members it reaches two standard deviations to either side.
const WINDOW: usize = 6 * BLOCK;
/// The sizes for which a window pays. In smaller sets halving touches fewer cache lines; in greater ones the deviation
/// leaves the window.
const INTERPOLATED: core::ops::RangeInclusive<usize> = 256..=4096;

const _: () = assert!(BLOCK.is_power_of_two() && *INTERPOLATED.start() >= WINDOW);

/// The index of the first member that is not below `value`; the number of members when all are below.
///
/// To be called out of line: inlined into a loop of the caller's, the selections have been seen to turn into branches,
/// at three times the cost.
#[inline(always)]
pub(crate) fn lower_bound<S: Slot>(slots: &[S], value: i64) -> usize {
    let mut range = 0..slots.len();
    if INTERPOLATED.contains(&slots.len()) {
        let start = window_start(slots, value);
        if let Some(window) = slots[start..].first_chunk::<WINDOW>() {
            if (window[0].get() < value) & (value <= window[WINDOW - 1].get()) {
                return start + lower_bound_in_window(window, value);
            }
            range = if value <= window[0].get() { 0..start } else { start + WINDOW..slots.len() };
        }
    }
    range.start + halve(&slots[range], value)
}

/// Two halvings a step: three members are compared side by side, which takes hardly longer than one, where the standard
/// library's search waits for one after the other.
#[inline(always)]
fn halve<S: Slot>(slots: &[S], value: i64) -> usize {
    let below = |at: usize| slots[at].get() < value;
    let (mut at, mut len) = (0, slots.len());
    if len == 0 {
        return 0;
    }
    while len >= 4 {
        let step = len / 4;
        let [first, second, third] = [at + step, at + 2 * step, at + 3 * step];
        let low = select_unpredictable(below(first), first, at);
        let high = select_unpredictable(below(third), third, second);
        at = select_unpredictable(below(second), high, low);
        len -= 3 * step;
    }
    while len > 1 {
        let middle = at + len / 2;
        at = select_unpredictable(below(middle), middle, at);
        len -= len / 2;
    }
    at + usize::from(below(at))
}

/// Where the window begins that most likely holds `value`, for at least [`WINDOW`] slots.
#[inline(always)]
fn window_start<S: Slot>(slots: &[S], value: i64) -> usize {
    let (Some(first), Some(last)) = (slots.first(), slots.last()) else { return 0 };
    let centre = guess([first.get(), last.get()], slots.len(), value);
    centre.saturating_sub(WINDOW / 2).min(slots.len() - WINDOW)
}

/// About where `value` is among so many members that are spread evenly between the least and the greatest; beyond the end
/// if it is not between these.
#[inline(always)]
pub(crate) fn guess([first, last]: [i64; 2], len: usize, value: i64) -> usize {
    // Halved, so that any distance is an `i64`, which converts in one instruction.
    let offset = (value.wrapping_sub(first).cast_unsigned() >> 1).cast_signed();
    let span = (last.wrapping_sub(first).cast_unsigned() >> 1).cast_signed();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a guess; the cast saturates, and makes 0 of the NaN that members out of order may give"
    )]
    let guess = (offset as f64 / span as f64 * len as f64) as i64;
    usize::try_from(guess).unwrap_or(0)
}

/// The members that the first two steps of [`find`] look at, if the value is at the guessed place.
#[inline(always)]
pub(crate) fn looked_at(len: usize, guess: usize) -> [usize; 6] {
    let step = len / 4;
    let quarters = [step, 2 * step, 3 * step];
    let from = step * quarters.map(|at| usize::from(guess > at)).iter().sum::<usize>();
    let step = (len - 3 * step) / 4;
    let [a, b, c] = quarters;
    [a, b, c, from + step, from + 2 * step, from + 3 * step]
}

/// The lower bound of a value that is above the first of `window` and not above its last.
#[inline(always)]
fn lower_bound_in_window<S: Slot>(window: &[S; WINDOW], value: i64) -> usize {
    let (blocks, _) = window.as_chunks::<BLOCK>();
    let block = blocks[1..].iter().map(|block| usize::from(block[0].get() < value)).sum::<usize>();
    let slots = &blocks[block];
    // The last in the block that is below `value`; the first is.
    let mut at = 0;
    let mut step = BLOCK / 2;
    while step > 0 {
        // The remainder is for the compiler's proof alone.
        let probe = (at + step) % BLOCK;
        at = select_unpredictable(slots[probe].get() < value, probe, at);
        step /= 2;
    }
    block * BLOCK + at + 1
}

/// Where `value` is, or where it belongs, for a caller that is about to move what is behind it.
///
/// Halves only. The move waits for the place, so that here the time from first load to result counts, which is longer
/// for the division of a window; elsewhere the processor overlaps one search with the next.
#[inline(always)]
pub(crate) fn find<S: Slot>(slots: &[S], value: i64) -> Result<usize, usize> {
    let at = halve(slots, value);
    match slots.get(at) {
        Some(slot) if slot.get() == value => Ok(at),
        _ => Err(at),
    }
}

/// Whether `value` is there.
#[inline(always)]
pub(crate) fn contains<S: Slot>(slots: &[S], value: i64) -> bool {
    // Not by way of `find`: the answer must not become a branch.
    slots.get(lower_bound(slots, value)).is_some_and(|slot| slot.get() == value)
}

/// The index of `value`, if it is there.
#[inline(always)]
pub(crate) fn rank<S: Slot>(slots: &[S], value: i64) -> Option<usize> {
    let at = lower_bound(slots, value);
    slots.get(at).is_some_and(|slot| slot.get() == value).then_some(at)
}

/// [`lower_bound`] for a value that is not below `slots[from - 1]`, where it is expected near `from`: doubling steps,
/// then a search between the last two. O(log d), d the distance.
#[inline]
pub(crate) fn gallop<S: Slot>(slots: &[S], from: usize, value: i64) -> usize {
    let rest = &slots[from..];
    let mut low = 0;
    let mut step = 1;
    while low + step <= rest.len() && rest[low + step - 1].get() < value {
        low += step;
        step *= 2;
    }
    let high = (low + step - 1).min(rest.len());
    from + low + halve(&rest[low..high], value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn halving_ends_where_the_standard_library_does() {
        for len in 0..300i64 {
            let slots: Vec<[u8; 8]> = (0..len).map(|at| (2 * at).to_le_bytes()).collect();
            for value in -1..=2 * len {
                let expected = slots.partition_point(|slot| slot.get() < value);
                assert_eq!(halve(&slots, value), expected, "{value} among {len}");
            }
        }
    }

    std::thread_local! {
        static SEEN: std::cell::RefCell<Vec<usize>> = const { std::cell::RefCell::new(Vec::new()) };
    }

    /// A member that is its own index, and notes that it was looked at.
    #[derive(Clone, Copy)]
    struct Seen(usize);

    impl Slot for Seen {
        const WIDTH: crate::Width = crate::Width::W64;

        fn get(self) -> i64 {
            SEEN.with_borrow_mut(|seen| seen.push(self.0));
            i64::try_from(self.0).unwrap()
        }

        fn put(_: i64) -> Self {
            unreachable!("a search puts nothing")
        }

        fn slots(_: &[u8]) -> &[Self] {
            unreachable!("a search is given slots")
        }

        fn slots_mut(_: &mut [u8]) -> &mut [Self] {
            unreachable!("a search is given slots")
        }
    }

    #[test]
    fn the_first_steps_look_where_it_is_said() {
        for len in 16..400 {
            let slots: Vec<Seen> = (0..len).map(Seen).collect();
            for value in 0..len {
                SEEN.take();
                let value = i64::try_from(value).unwrap();
                let place = halve(&slots, value);
                let mut seen = SEEN.take();
                // Each step compares three.
                seen.truncate(6);
                seen.sort_unstable();
                let mut said = looked_at(len, place);
                said.sort_unstable();
                assert_eq!(seen, said, "{value} among {len}");
            }
        }
    }

    #[test]
    fn a_guess_is_about_where_a_value_is() {
        assert_eq!(guess([0, 1_000], 100, 500), 50);
        assert_eq!(guess([i64::MIN, i64::MAX], 1_000, 0), 500);
        assert!(
            [-40, 9, 21, 40].map(|value| guess([10, 20], 5, value)).into_iter().all(|at| at >= 5)
        );
        assert_eq!(guess([7, 7], 1, 7), 0);
    }

    #[test]
    fn halving_ends_inside_of_members_that_are_out_of_order() {
        let mut state = 1i64;
        for len in 0..300 {
            let slots: Vec<[u8; 8]> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    state.to_le_bytes()
                })
                .collect();
            for value in [i64::MIN, -1, 0, state, i64::MAX] {
                assert!(halve(&slots, value) <= len);
            }
        }
    }
}
