//! Finding a value among the members.
//!
//! # Idea
//!
//! A search that branches on each comparison mispredicts every other branch, at some 20 cycles each; and a binary
//! search waits for each new cache line, one after the other. So no loop here branches on a comparison, a step halves
//! twice, by three members that do not depend on each other, and in sets of some size the first step *interpolates*:
//! ids of one shard are spread evenly, so the least and the greatest member give the position of a value among n
//! members, with a standard deviation of sqrt(n)/2. A window of three or four cache lines around that position is
//! searched in two steps: the first members of its blocks are loaded independently, then one block is searched by
//! halving.
//!
//! If the value is outside the window, one that is three times as wide is tried. If members are not spread evenly that
//! may fail too, and then the remaining side is searched by halving: an adversary can add a constant to the cost of a
//! search, not a factor.

use core::hint::select_unpredictable;
use core::ops::{Range, RangeInclusive};

use crate::slot::Slot;

/// Members in a block: eight of 64 bits fill a cache line.
const BLOCK: usize = 8;
/// Members in the first window, in smaller sets: three or four cache lines, and one and a half standard deviations to
/// either side at 256 members.
const NEAR: usize = 3 * BLOCK;
const NEAR_BELOW: usize = 256;
/// The same in larger sets: two standard deviations at 512 members.
const WIDE: usize = 6 * BLOCK;
/// Members in the next window. At 512 members it reaches three standard deviations.
const FAR: usize = 9 * BLOCK;
/// The sizes for which a window is faster. In smaller sets halving reads as few cache lines; in larger ones the
/// deviation exceeds the windows.
const INTERPOLATED: RangeInclusive<usize> = 64..=4096;

const _: () = assert!(BLOCK.is_power_of_two() && *INTERPOLATED.start() >= NEAR);

/// The index of the first member that is not below `value`; the number of members when all are below.
///
/// Must not be inlined: inlined into a loop, the compiler has turned the selections into branches, at three times the
/// cost.
#[inline(always)]
pub(crate) fn lower_bound<S: Slot>(slots: &[S], value: i64) -> usize {
    let mut range = 0..slots.len();
    if let Some(centre) = centre(slots, value) {
        let near = if slots.len() < NEAR_BELOW {
            in_window::<NEAR, S>(slots, centre, value)
        } else {
            in_window::<WIDE, S>(slots, centre, value)
        };
        if let Ok(at) = near {
            return at;
        }
        match in_window::<FAR, S>(slots, centre, value) {
            Ok(at) => return at,
            Err(rest) => range = rest,
        }
    }
    range.start + halve(&slots[range], value)
}

/// The members among which [`lower_bound`] most likely finds `value`, to be prefetched; it also reads the first and the
/// last. Empty if it halves from the beginning.
#[inline(always)]
pub(crate) fn likely<S: Slot>(slots: &[S], value: i64) -> &[S] {
    let Some(centre) = centre(slots, value) else { return &[] };
    let window = if slots.len() < NEAR_BELOW {
        window::<NEAR, S>(slots, centre).1.map(<[S; NEAR]>::as_slice)
    } else {
        window::<WIDE, S>(slots, centre).1.map(<[S; WIDE]>::as_slice)
    };
    window.unwrap_or_default()
}

/// The members of the window around `centre`, if there are `N`, and the index of the first.
#[inline(always)]
fn window<const N: usize, S>(slots: &[S], centre: usize) -> (usize, Option<&[S; N]>) {
    let start = centre.saturating_sub(N / 2).min(slots.len().saturating_sub(N));
    (start, slots[start..].first_chunk())
}

/// The lower bound, if it is in the window about `centre`, or else the members among which it is.
#[inline(always)]
fn in_window<const N: usize, S: Slot>(
    slots: &[S],
    centre: usize,
    value: i64,
) -> Result<usize, Range<usize>> {
    let (start, Some(window)) = window::<N, S>(slots, centre) else { return Err(0..slots.len()) };
    if (window[0].get() < value) & (value <= window[N - 1].get()) {
        return Ok(start + lower_bound_in_window(window, value));
    }
    Err(if value <= window[0].get() { 0..start } else { start + N..slots.len() })
}

/// Two halvings per step: three members are compared in parallel, which takes little longer than one; the standard
/// library's search compares one after the other.
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

/// The estimated index of `value`, if the set has a size for which that is faster.
#[inline(always)]
fn centre<S: Slot>(slots: &[S], value: i64) -> Option<usize> {
    if !INTERPOLATED.contains(&slots.len()) {
        return None;
    }
    let (first, last) = (slots.first()?, slots.last()?);
    Some(guess([first.get(), last.get()], slots.len(), value))
}

/// The estimated index of `value` among `len` members, at most 4096, that are spread evenly between the least and the
/// greatest: 0 or `len` if it is not between these.
#[inline(always)]
fn guess([first, last]: [i64; 2], len: usize, value: i64) -> usize {
    // Distances in 19 bits: the product has 32, whose division is quicker than one of 64.
    const DROPPED: u32 = u64::BITS - 19;
    let [offset, span] = [value, last].map(|to| to.wrapping_sub(first).cast_unsigned());
    if offset > span || span == 0 {
        return if value < first { 0 } else { len };
    }
    let shift = span.leading_zeros();
    let factors = [offset << shift >> DROPPED, len as u64, span << shift >> DROPPED];
    let [offset, len, span] = factors.map(|factor| u32::try_from(factor).unwrap_or(1));
    (offset.wrapping_mul(len) / span) as usize
}

/// The lower bound of a value that is above the first of `window` and not above its last.
#[inline(always)]
fn lower_bound_in_window<const N: usize, S: Slot>(window: &[S; N], value: i64) -> usize {
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

/// The index of `value`, or where to insert it.
#[inline(always)]
pub(crate) fn find<S: Slot>(slots: &[S], value: i64) -> Result<usize, usize> {
    let at = lower_bound(slots, value);
    match slots.get(at) {
        Some(slot) if slot.get() == value => Ok(at),
        _ => Err(at),
    }
}

/// Whether `value` is there.
#[inline(always)]
pub(crate) fn contains<S: Slot>(slots: &[S], value: i64) -> bool {
    // Does not use `find`: the result must not become a branch.
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
            unreachable!("a search does not write")
        }

        fn slots(_: &[u8]) -> &[Self] {
            unreachable!("a search receives its slots")
        }

        fn slots_mut(_: &mut [u8]) -> &mut [Self] {
            unreachable!("a search receives its slots")
        }
    }

    #[test]
    fn a_search_looks_where_it_is_said() {
        for len in [64, 65, 72, 100, 255, 1000, 4096] {
            let slots: Vec<Seen> = (0..len).map(Seen).collect();
            for place in 1..len - 1 {
                let value = i64::try_from(place).unwrap();
                let likely: Vec<usize> = likely(&slots, value).iter().map(|slot| slot.0).collect();
                SEEN.take();
                assert_eq!(lower_bound(&slots, value), place);
                let mut seen = SEEN.take();
                seen.retain(|at| ![0, len - 1].contains(at));
                assert!(seen.iter().all(|at| likely.contains(at)), "{value} among {len}");
            }
        }
        assert!([1, 63, 4097].iter().all(|&len| likely(&[Seen(0)].repeat(len), 0).is_empty()));
    }

    #[test]
    fn members_are_found_however_they_are_spread() {
        let even = |at: i64| 10 * at;
        let steps = |at: i64| if at < 50 { at } else { i64::MAX - 4096 + at };
        let squares = |at: i64| at * at * at;
        let ends = |at: i64| if at == 0 { i64::MIN } else { i64::MAX - 9000 + 2 * at };
        for spread in [even, steps, squares, ends] {
            for len in [64, 71, 72, 73, 200, 512, 4096, 4097] {
                let members: Vec<i64> = (0..len).map(spread).collect();
                let slots: Vec<[u8; 8]> = members.iter().map(|at| at.to_le_bytes()).collect();
                for &member in &members {
                    for value in [member.saturating_sub(1), member, member.saturating_add(1)] {
                        let expected = members.partition_point(|member| *member < value);
                        assert_eq!(lower_bound(&slots, value), expected, "{value} among {len}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_guess_is_about_where_a_value_is() {
        assert_eq!(guess([0, 1_000], 100, 500), 50);
        assert_eq!(guess([i64::MIN, i64::MAX], 1_000, 0), 500);
        assert_eq!([-40, 9, 10].map(|value| guess([10, 20], 5, value)), [0; 3]);
        assert_eq!([20, 21, i64::MAX].map(|value| guess([10, 20], 5, value)), [5; 3]);
        // The least and the greatest may be out of order, and one.
        assert_eq!(guess([20, 10], 5, 15), 0);
        assert_eq!(guess([7, 7], 1, 7), 1);
        assert!((0..63).all(|bit| guess([0, 1 << bit], 4096, (1 << bit) / 2) <= 2048));
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
