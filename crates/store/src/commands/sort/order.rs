//! The order of elements.

use std::cmp::Ordering;

use bytes::Bytes;

use super::SortOptions;
use crate::error::{Error, Result};
use crate::execute::c_string;
use crate::text::double::{self, Weights};

/// The sort key of an element.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Weight {
    Number(f64),
    /// `None` if the pattern found nothing.
    Text(Option<Bytes>),
    /// The element itself.
    Itself,
}

impl Weight {
    /// The weight of an element for which a pattern finds nothing.
    pub(super) const fn missing(alpha: bool) -> Self {
        if alpha { Self::Text(None) } else { Self::Number(0.0) }
    }
}

/// The weight of a text: its bytes, or the number.
pub(super) fn weight(text: &[u8], alpha: bool, weights: Weights) -> Result<Weight> {
    if alpha {
        return Ok(Weight::Text(Some(Bytes::copy_from_slice(text))));
    }
    let number = double::parse_weight(text, weights);
    number.map(Weight::Number).ok_or_else(Error::not_a_weight)
}

/// An element and its weight.
#[derive(Clone, Debug)]
pub(super) struct Row {
    weight: Weight,
    element: Bytes,
}

impl Row {
    pub(super) const fn new(weight: Weight, element: Bytes) -> Self {
        Self { weight, element }
    }

    pub(super) const fn itself(element: Bytes) -> Self {
        Self { weight: Weight::Itself, element }
    }

    /// Compares two elements. A result that is returned is ordered as C strings, one that is stored by all bytes.
    fn compare(&self, other: &Self, stores: bool) -> Ordering {
        let bytes =
            |a: &[u8], b: &[u8]| if stores { a.cmp(b) } else { c_string(a).cmp(c_string(b)) };
        match (&self.weight, &other.weight) {
            (Weight::Itself, Weight::Itself) => bytes(&self.element, &other.element),
            (Weight::Text(Some(a)), Weight::Text(Some(b))) => bytes(a, b),
            (Weight::Text(a), Weight::Text(b)) => a.is_some().cmp(&b.is_some()),
            (Weight::Number(a), Weight::Number(b)) => {
                let numbers = a.partial_cmp(b).unwrap_or(Ordering::Equal);
                numbers.then_with(|| self.element.cmp(&other.element))
            }
            // All weights of a call are of the same kind.
            _ => Ordering::Equal,
        }
    }
}

/// Sorts the elements and returns the requested window. The sort is stable.
pub(super) fn sort(mut rows: Vec<Row>, options: &SortOptions, stores: bool) -> Vec<Bytes> {
    rows.sort_by(|a, b| {
        let order = a.compare(b, stores);
        if options.desc { order.reverse() } else { order }
    });
    let window = options.window(rows.len());
    rows.drain(window).map(|row| row.element).collect()
}
