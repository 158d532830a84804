//! The order of elements.

use std::cmp::Ordering;

use bytes::Bytes;

use super::SortOptions;
use super::element::Element;
use crate::commands::byte_strings::ByteStrings;
use crate::execute::c_string;

/// The requested elements in the order of their numbers, and of their bytes if these are equal.
pub(super) fn by_number(
    numbers: &[f64],
    elements: &[Element],
    options: &SortOptions,
) -> Vec<Bytes> {
    let key = |number: &f64| if options.desc { !ordered(*number) } else { ordered(*number) };
    let tie = |a: &Element, b: &Element| directed(a.compare(b), options);
    let rows = numbers.iter().map(key).zip(elements).collect();
    let mut rows =
        select(rows, options, |(a, x): &(u64, &Element), (b, y)| a.cmp(b).then_with(|| tie(x, y)));
    // By the numbers alone there is no branch on the order of two rows; few numbers are equal.
    rows.sort_unstable_by_key(|&(key, _)| key);
    for equal in rows.chunk_by_mut(|(a, _), (b, _)| a == b) {
        equal.sort_unstable_by(|(_, x), (_, y)| tie(x, y));
    }
    ByteStrings::of(rows.iter().map(|(_, element)| element.as_member())).finish()
}

/// An integer for each number, in the same order. Both zeros are equal, and no number is NaN.
const fn ordered(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = (number + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The requested rows in the order of their texts. A row without a text comes first, and rows of equal texts stay as
/// they are.
pub(super) fn by_text<T>(
    rows: Vec<T>,
    text: impl Fn(&T) -> Option<&Bytes>,
    options: &SortOptions,
    stores: bool,
) -> Vec<T> {
    // A result that is stored is ordered by all bytes, one that is returned as C strings.
    let all = stores || rows.iter().filter_map(&text).all(|text| !text.contains(&0));
    let compare = |(i, a): &(usize, T), (j, b): &(usize, T)| {
        let [a, b] =
            [a, b].map(|row| text(row).map(|text| if all { text } else { c_string(text) }));
        directed(a.cmp(&b), options).then(i.cmp(j))
    };
    let mut rows = select(rows.into_iter().enumerate().collect(), options, compare);
    rows.sort_unstable_by(compare);
    rows.into_iter().map(|(_, row)| row).collect()
}

const fn directed(order: Ordering, options: &SortOptions) -> Ordering {
    if options.desc { order.reverse() } else { order }
}

/// The rows that a sort would return, in any order: O(rows). No two rows compare equal, unless it makes no difference
/// which of them is returned.
fn select<T>(
    mut rows: Vec<T>,
    options: &SortOptions,
    compare: impl Fn(&T, &T) -> Ordering + Copy,
) -> Vec<T> {
    let window = options.window(rows.len());
    if window.end < rows.len() {
        rows.select_nth_unstable_by(window.end, compare);
        rows.truncate(window.end);
    }
    if (1..rows.len()).contains(&window.start) {
        rows.select_nth_unstable_by(window.start, compare);
    }
    rows.drain(..window.start);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_order_of_the_numbers() {
        let least = f64::from_bits(1);
        let numbers = [f64::NEG_INFINITY, -1e300, -1.5, -1.0, -least, 0.0, least, 1.0, 1e300];
        assert!(numbers.map(ordered).is_sorted_by(|a, b| a < b));
        assert!(ordered(f64::INFINITY) > ordered(f64::MAX));
        assert_eq!(ordered(-0.0), ordered(0.0));
    }
}
