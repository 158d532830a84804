//! Finding a value among the members.

use crate::slot::Slot;

/// The index of the first member that is not below `value`; the number of members when all are below.
#[inline]
pub(crate) fn lower_bound<S: Slot>(slots: &[S], value: i64) -> usize {
    slots.partition_point(|slot| slot.get() < value)
}

/// Where `value` is, or where it belongs.
#[inline]
pub(crate) fn find<S: Slot>(slots: &[S], value: i64) -> Result<usize, usize> {
    let at = lower_bound(slots, value);
    match slots.get(at) {
        Some(slot) if slot.get() == value => Ok(at),
        _ => Err(at),
    }
}

#[inline]
pub(crate) fn contains<S: Slot>(slots: &[S], value: i64) -> bool {
    find(slots, value).is_ok()
}

/// [`lower_bound`] in `slots[from..]`, for a value that is expected near `from`: doubling steps, then a search between the
/// last two. O(log d), d the distance.
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
    from + low + lower_bound(&rest[low..high], value)
}
