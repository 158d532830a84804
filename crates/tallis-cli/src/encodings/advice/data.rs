//! The elements to give advice for: described in words, or those of a file.

use std::collections::HashSet;
use std::path::Path;

use super::super::items::{Items, Kind};
use super::describe::{self, Description};
use crate::failure::Failure;
use crate::input;

/// Distinct elements, with a description.
#[derive(Clone, Debug)]
pub struct Data {
    /// The description of the elements.
    pub(super) title: String,
    pub(super) elements: Elements,
}

/// The elements.
#[derive(Clone, Debug)]
pub(super) enum Elements {
    /// Generated elements.
    Described(Description),
    /// The integers of a file.
    Ids(Vec<i64>),
    /// The lines of a file.
    Names(Vec<Box<[u8]>>),
}

/// The properties of the elements that matter for the choice of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Integers from `low` to `high`.
    Ids { low: i64, high: i64 },
    /// Texts.
    Names,
}

impl Data {
    /// Parses a description: `200k random 60-bit ids`, `1M small ids`, `50000 ids below 2M`, `1M names`, `10k 36-byte
    /// names`, `3M uuids`. The elements are generated at random, except small ids, which are 0, 1, 2 and so on.
    ///
    /// # Errors
    ///
    /// A message that describes what is wrong with the text, and what is possible.
    pub fn describe(text: &str) -> Result<Self, String> {
        let description = describe::parse(text)?;
        Ok(Self { title: description.to_string(), elements: Elements::Described(description) })
    }

    /// Reads the lines of a file, plain or compressed, or of standard input for `-`. If all are integers they are ids.
    /// Duplicate and empty lines are skipped.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, has a line longer than 1 MiB, or no line.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let mut source = input::open(path).map_err(|error| Failure::at(path, &error))?;
        let mut names: HashSet<Box<[u8]>> = HashSet::new();
        let mut lines = 0;
        loop {
            let line = source.next_line().map_err(|error| Failure::after(path, lines, &error))?;
            let Some(line) = line else { break };
            lines += 1;
            let Ok(line) = line else {
                let what = format!("{}: line {lines} is longer than 1 MiB", path.display());
                return Err(Failure::BadLine(what));
            };
            if !line.is_empty() && !names.contains(line) {
                names.insert(line.into());
            }
        }
        if names.is_empty() {
            return Err(Failure::BadLine(format!("{}: no elements", path.display())));
        }
        let mut names: Vec<_> = names.into_iter().collect();
        // The order of a hash table differs between runs, and the figures would too.
        names.sort_unstable();
        Ok(Self::of_lines(path, lines, names))
    }

    fn of_lines(path: &Path, lines: u64, names: Vec<Box<[u8]>>) -> Self {
        let ids: Option<Vec<i64>> = names.iter().map(|name| canonical(name)).collect();
        let count = names.len();
        let what = if ids.is_some() { "ids" } else { "names" };
        let title = format!("{count} {what} in {lines} lines of {}", path.display());
        Self { title, elements: ids.map_or(Elements::Names(names), Elements::Ids) }
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.elements {
            Elements::Described(description) => description.count,
            Elements::Ids(ids) => ids.len(),
            Elements::Names(names) => names.len(),
        }
    }

    /// Returns the largest possible id; `None` for names.
    #[must_use]
    pub fn largest_id(&self) -> Option<i64> {
        match self.sort() {
            Sort::Ids { high, .. } => Some(high),
            Sort::Names => None,
        }
    }

    /// Returns the properties of the elements.
    pub(super) fn sort(&self) -> Sort {
        match &self.elements {
            Elements::Described(description) => description.sort(),
            Elements::Ids(ids) => Sort::Ids {
                low: ids.iter().copied().min().unwrap_or(0),
                high: ids.iter().copied().max().unwrap_or(0),
            },
            Elements::Names(_) => Sort::Names,
        }
    }

    /// Returns the elements, and at most this many others.
    pub(in super::super) fn items(&self, others: usize) -> Items {
        match &self.elements {
            Elements::Described(description) => description.items(others),
            Elements::Ids(ids) => {
                let there: HashSet<i64> = ids.iter().copied().collect();
                let Sort::Ids { low, high } = self.sort() else {
                    return Items::of_ids(Vec::new(), []);
                };
                // Others are of the same range if it has some left, as most lookups are, and then beyond it.
                let more = Items::of(Kind::Random(63), others.min(ids.len()), 0, 1);
                let span = high.abs_diff(low).saturating_add(1);
                let near = (0..more.present())
                    .filter_map(|at| more.id(at))
                    .map(|id| low.wrapping_add_unsigned(id.unsigned_abs() % span));
                let mut others: Vec<i64> = near.filter(|id| !there.contains(id)).collect();
                others.sort_unstable();
                others.dedup();
                if others.is_empty() {
                    // All integers of the range are elements.
                    others.extend(
                        (1..=ids.len() as u64).filter_map(|n| high.checked_add_unsigned(n)),
                    );
                    others.truncate(more.present());
                }
                Items::of_ids(ids.clone(), others)
            }
            Elements::Names(names) => {
                // A name with another byte at its end is another name, unless that is an element too.
                let there: HashSet<&[u8]> = names.iter().map(AsRef::as_ref).collect();
                let longer = names.iter().take(others).map(|name| [name, &b"~"[..]].concat());
                let others = longer.filter(|name| !there.contains(name.as_slice()));
                Items::of_names(names.iter().map(|name| name.to_vec()), others)
            }
        }
    }
}

/// Parses an integer in canonical decimal.
fn canonical(text: &[u8]) -> Option<i64> {
    let id: i64 = str::from_utf8(text).ok()?.parse().ok()?;
    (id.to_string().as_bytes() == text).then_some(id)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(text: &str) -> Result<Data, Failure> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Data::read(file.path())
    }

    #[test]
    fn integers_are_ids_and_lines_are_counted_once() {
        let data = read("7\n-3\n7\n\n12\n").unwrap();
        assert_eq!((data.count(), data.sort()), (3, Sort::Ids { low: -3, high: 12 }));
        assert_eq!(data.largest_id(), Some(12));
        let data = read("7\n07\n").unwrap();
        assert_eq!((data.count(), data.sort()), (2, Sort::Names));
        assert_eq!(data.largest_id(), None);
        assert!(data.title.starts_with("2 names in 2 lines of "), "{}", data.title);
        assert!(
            matches!(read("\n\n"), Err(Failure::BadLine(what)) if what.ends_with(": no elements"))
        );
    }

    #[test]
    fn the_others_are_not_among_the_elements() {
        for text in ["1\n2\n3\n5\n90\n", "a\na~\nb\n"] {
            let items = read(text).unwrap().items(100);
            let all = |count: usize, get: &dyn Fn(usize) -> String| -> HashSet<String> {
                (0..count).map(get).collect()
            };
            let there = all(items.present(), &|at| format!("{:?}", items.get(at)));
            let others = all(items.others(), &|at| format!("{:?}", items.other(at)));
            assert!(!others.is_empty() && there.is_disjoint(&others), "{text:?}: {others:?}");
        }
        // There is none in the range, and none above it.
        let others = |text: &str| read(text).unwrap().items(100).others();
        assert_eq!([others("1\n2\n3\n"), others("9223372036854775807\n")], [3, 0]);
    }
}
