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
    // Short rows are moved faster than elements.
    let rows = numbers.iter().copied().zip(elements).collect();
    let sorted = sort(rows, options, |(a, x): &(f64, &Element), (b, y)| {
        // No number is NaN.
        let order = a.partial_cmp(b).unwrap_or(Ordering::Equal).then_with(|| x.compare(y));
        directed(order, options)
    });
    let mut found = ByteStrings::with_capacity(sorted.len());
    for (_, element) in sorted {
        found.push(element.as_member());
    }
    found.finish()
}

/// The requested rows in the order of their texts. A row without a text comes first, and rows of equal texts stay as
/// they are.
pub(super) fn by_text<T>(
    rows: Vec<T>,
    text: impl Fn(&T) -> Option<&Bytes>,
    options: &SortOptions,
    stores: bool,
) -> Vec<T> {
    let rows = rows.into_iter().enumerate().collect();
    let sorted = sort(rows, options, |(i, a): &(usize, T), (j, b)| {
        let [a, b] = [a, b].map(|row| text(row).map(|text| compared(text, stores)));
        directed(a.cmp(&b), options).then(i.cmp(j))
    });
    sorted.into_iter().map(|(_, row)| row).collect()
}

/// The bytes that are compared: those of a C string if the result is returned, all if it is stored.
fn compared(text: &[u8], stores: bool) -> &[u8] {
    if stores { text } else { c_string(text) }
}

const fn directed(order: Ordering, options: &SortOptions) -> Ordering {
    if options.desc { order.reverse() } else { order }
}

/// The requested rows in an order that is total, so that no two rows are equal unless their results are. Only these are
/// sorted: first they are selected, which takes O(rows).
fn sort<T>(
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
    rows.sort_unstable_by(compare);
    rows
}
