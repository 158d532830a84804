//! Shrinking a failing case: elements are removed, many at once at first.
//!
//! # Idea
//!
//! The meaning of the elements does not matter: a part is removed if the case still fails without it. Halves are tried
//! before quarters and single elements, so a long case with a short core takes few tries (Zeller's delta debugging,
//! without its complements).

/// Removes elements from `items` while the rest still fails, and returns the rest with its failure.
///
/// `fails` is called with shorter and shorter cases. It returns the relevant part of the case, such as that up to the
/// failure, with the failure; or `None` if the case does not fail, or to stop trying. No single element of the result
/// can be removed, unless `fails` has stopped. It takes O(n log n) tries for n elements if few of them matter, and
/// O(n^2) at worst.
///
/// # Examples
///
/// ```
/// // Fails where a 3 comes before a 7.
/// let fails = |case: Vec<u8>| {
///     let seven = case.iter().position(|&it| it == 7)?;
///     case[..seven].contains(&3).then(|| (case[..=seven].to_vec(), ()))
/// };
/// let (least, ()) = testkit::shrink::fewer((0..100).collect(), (), fails);
/// assert_eq!(least, [3, 7]);
/// ```
pub fn fewer<T: Clone, E>(
    mut items: Vec<T>,
    mut failure: E,
    mut fails: impl FnMut(Vec<T>) -> Option<(Vec<T>, E)>,
) -> (Vec<T>, E) {
    let mut size = items.len().div_ceil(2);
    while size > 0 {
        let (mut at, mut shorter) = (0, false);
        while at < items.len() {
            let end = (at + size).min(items.len());
            if let Some(found) = fails([&items[..at], &items[end..]].concat()) {
                (items, failure) = found;
                shorter = true;
            } else {
                at = end;
            }
        }
        // An element may become removable after others were removed.
        if size > 1 {
            size = size.div_ceil(2);
        } else if !shorter {
            break;
        }
    }
    (items, failure)
}

/// Lowers the bytes at and before `at` as far as the case still fails: the value at `at` by binary search, then what is
/// borrowed from it.
///
/// `fails` takes the bytes. It returns the failure, or `None`, as in [`fewer`]. Some ten tries for a byte.
pub(crate) fn lower<E>(
    bytes: &mut [u8],
    at: usize,
    mut fails: impl FnMut(&[u8]) -> Option<E>,
) -> Option<E> {
    let mut found = None;
    let mut attempt = |bytes: &[u8], found: &mut Option<E>| {
        let failure = fails(bytes);
        let does = failure.is_some();
        *found = failure.or(found.take());
        does
    };
    // Everything from `below` on is known to fail, or is not smaller; `least` is the smallest that is known to fail.
    let (mut passes, mut least) = (None::<u8>, bytes[at]);
    while least > passes.map_or(0, |passes| passes + 1) {
        let next = passes.map_or(0, |passes| passes + (least - passes) / 2);
        bytes[at] = next;
        if attempt(bytes, &mut found) {
            least = next;
        } else {
            passes = Some(next);
        }
    }
    bytes[at] = least;
    // Numbers lie with their low bytes first: one less here is more than whatever the byte before can add.
    if least > 0 && at > 0 && bytes[at - 1] < u8::MAX {
        let before = bytes[at - 1];
        (bytes[at - 1], bytes[at]) = (u8::MAX, least - 1);
        if !attempt(bytes, &mut found) {
            (bytes[at - 1], bytes[at]) = (before, least);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{fewer, lower};

    #[test]
    fn nothing_can_be_removed_from_the_result() {
        // Two of three marked elements, and at least as many even ones as odd ones.
        let fails = |case: Vec<u32>| {
            let marked = case.iter().filter(|&&it| it % 40 == 0).count();
            let balance: i64 = case.iter().map(|&it| if it % 2 == 0 { 1 } else { -1 }).sum();
            (marked >= 2 && balance >= 0).then_some((case, marked))
        };
        let (least, marked) = fewer((0..200).collect(), 5, fails);
        assert_eq!(marked, 2);
        assert_eq!(least.len(), 2, "{least:?}");
        let (all, ()) = fewer(vec![1, 2, 3], (), |_: Vec<u8>| None);
        assert_eq!(all, [1, 2, 3]);
        assert_eq!(fewer(vec![1_u8; 9], (), |rest| Some((rest, ()))).0, []);
    }

    #[test]
    fn a_number_is_lowered_to_the_smallest_that_fails() {
        for bound in [0_u16, 1, 255, 256, 1001, 0x8000, 0x8001] {
            let fails =
                |bytes: &[u8]| (u16::from_le_bytes([bytes[0], bytes[1]]) >= bound).then_some(());
            let mut bytes = u16::MAX.to_le_bytes();
            for _ in 0..3 {
                for at in 0..2 {
                    lower(&mut bytes, at, fails);
                }
            }
            assert_eq!(u16::from_le_bytes(bytes), bound);
        }
    }
}
