//! The options of SORT.

use std::ops::Range;

use bytes::Bytes;

use super::pattern::Pattern;

/// How SORT sorts, and what it returns. Default: all elements, as numbers, in ascending order.
///
/// # Patterns
///
/// In a pattern the first `*` is replaced by an element: `age:*` is the key of a string, `user:*->name` a key and a
/// field of a hash. `#` is the element itself. A pattern without `*` finds nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SortOptions {
    pub(super) by: Option<Bytes>,
    pub(super) limit: Option<(i64, i64)>,
    pub(super) get: Vec<Bytes>,
    pub(super) desc: bool,
    pub(super) alpha: bool,
}

impl SortOptions {
    /// BY: sorts by what the pattern finds for each element. Elements for which it finds nothing come first. A pattern
    /// without `*`, such as `nosort`, keeps lists and sorted sets in their own order, and sets in any order.
    pub fn by(mut self, pattern: impl AsRef<[u8]>) -> Self {
        self.by = Some(Bytes::copy_from_slice(pattern.as_ref()));
        self
    }

    /// LIMIT: skips the first `offset` elements, and returns at most `count`, or all if it is negative.
    pub const fn limit(mut self, offset: i64, count: i64) -> Self {
        self.limit = Some((offset, count));
        self
    }

    /// GET: returns what the pattern finds instead of each element; several patterns give several results per element.
    pub fn get(mut self, pattern: impl AsRef<[u8]>) -> Self {
        self.get.push(Bytes::copy_from_slice(pattern.as_ref()));
        self
    }

    /// ASC: sorts in ascending order, the default.
    pub const fn asc(mut self) -> Self {
        self.desc = false;
        self
    }

    /// DESC: sorts in descending order.
    pub const fn desc(mut self) -> Self {
        self.desc = true;
        self
    }

    /// ALPHA: sorts by bytes instead of numbers.
    pub const fn alpha(mut self) -> Self {
        self.alpha = true;
        self
    }

    /// Returns whether keys are accessed that the command does not name.
    pub(super) fn looks_up(&self) -> bool {
        self.by.iter().chain(&self.get).any(|text| Pattern::parse(text).varies())
    }

    /// The range of the requested elements in a sorted sequence of this length.
    pub(super) fn window(&self, len: usize) -> Range<usize> {
        let Some((offset, count)) = self.limit else { return 0..len };
        let clamp = |number: i64| usize::try_from(number.max(0)).unwrap_or(len).min(len);
        let start = clamp(offset);
        let end = if count < 0 { len } else { start.saturating_add(clamp(count)).min(len) };
        start..end
    }

    /// The options as words of the command.
    pub(super) fn words(&self) -> Vec<Bytes> {
        let mut words: Vec<Bytes> = Vec::new();
        if let Some(pattern) = &self.by {
            words.extend([Bytes::from_static(b"BY"), pattern.clone()]);
        }
        if let Some((offset, count)) = self.limit {
            words.extend(["LIMIT".into(), offset.to_string().into(), count.to_string().into()]);
        }
        for pattern in &self.get {
            words.extend([Bytes::from_static(b"GET"), pattern.clone()]);
        }
        let flags = [(self.desc, "DESC"), (self.alpha, "ALPHA")];
        words.extend(flags.into_iter().filter(|(set, _)| *set).map(|(_, name)| name.into()));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_within_the_elements() {
        for (limit, window) in [
            ((0, -1), 0..5),
            ((0, 0), 0..0),
            ((1, 2), 1..3),
            ((-3, 2), 0..2),
            ((2, -9), 2..5),
            ((4, 9), 4..5),
            ((5, 1), 5..5),
            ((i64::MAX, i64::MAX), 5..5),
            ((1, i64::MAX), 1..5),
            ((i64::MIN, i64::MIN), 0..5),
        ] {
            let options = SortOptions::default().limit(limit.0, limit.1);
            assert_eq!(options.window(5), window, "{limit:?}");
        }
        assert_eq!(SortOptions::default().window(5), 0..5);
        assert_eq!(SortOptions::default().limit(2, 2).window(0), 0..0);
    }

    #[test]
    fn options_are_written_as_words() {
        let options = SortOptions::default().by("w:*").limit(1, -1).get("#").get("*->f");
        assert_eq!(options.words(), ["BY", "w:*", "LIMIT", "1", "-1", "GET", "#", "GET", "*->f"]);
        assert_eq!(SortOptions::default().desc().alpha().words(), ["DESC", "ALPHA"]);
        assert_eq!(SortOptions::default().desc().asc().words(), [""; 0]);
    }
}
