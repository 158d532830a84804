//! Keys grouped by prefix.

use std::collections::HashMap;

use serde::Serialize;

use super::tally::Sums;
use crate::files::lossy;

/// The most prefixes that are counted separately; temporarily there are twice as many.
const MOST: usize = 8192;

/// Keys grouped by the prefix of their names up to and including a separator. Of very many prefixes those that take the
/// most memory are kept, and the others are counted together.
#[derive(Debug)]
pub(super) struct Prefixes {
    separator: Vec<u8>,
    depth: u32,
    found: HashMap<Vec<u8>, Sums>,
    others: Sums,
}

/// A prefix, as a JSON object whose fields are a stable interface of the program.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Prefix {
    /// Empty for keys without a separator; `null` for those that were not counted separately.
    pub(super) prefix: Option<String>,
    #[serde(flatten)]
    pub(super) sums: Sums,
}

impl Prefixes {
    pub(super) fn new(separator: &str, depth: u32) -> Self {
        let separator = separator.as_bytes().to_vec();
        Self { separator, depth, found: HashMap::new(), others: Sums::default() }
    }

    /// Returns the name up to and including the last of the separators.
    fn prefix_of<'k>(&self, name: &'k [u8]) -> &'k [u8] {
        let mut end = 0;
        for _ in 0..self.depth {
            let rest = name.get(end..).unwrap_or_default();
            match memchr::memmem::find(rest, &self.separator) {
                Some(at) => end += at + self.separator.len(),
                None => break,
            }
        }
        name.get(..end).unwrap_or_default()
    }

    pub(super) fn add(&mut self, name: &[u8], key: Sums) {
        let prefix = self.prefix_of(name);
        if let Some(sums) = self.found.get_mut(prefix) {
            sums.add(key);
            return;
        }
        self.found.insert(prefix.to_vec(), key);
        if self.found.len() > 2 * MOST {
            self.release();
        }
    }

    /// Counts the smaller half together.
    #[cold]
    fn release(&mut self) {
        let mut weights: Vec<u64> = self.found.values().map(|sums| sums.bytes_memory).collect();
        let (_, &mut limit, _) = weights.select_nth_unstable(MOST);
        let mut room = MOST;
        let others = &mut self.others;
        self.found.retain(|_, sums| {
            let stays = sums.bytes_memory >= limit && room > 0;
            if stays {
                room -= 1;
            } else {
                others.add(*sums);
            }
            stays
        });
    }

    /// Returns those that take the most memory, followed by the others.
    pub(super) fn into_top(mut self, top: usize) -> Vec<Prefix> {
        let mut rows: Vec<(Vec<u8>, Sums)> = self.found.into_iter().collect();
        rows.sort_by(|(a, one), (b, other)| {
            other.bytes_memory.cmp(&one.bytes_memory).then_with(|| a.cmp(b))
        });
        for (_, sums) in rows.drain(top.min(rows.len())..) {
            self.others.add(sums);
        }
        let named = |(prefix, sums): (Vec<u8>, Sums)| Prefix {
            prefix: Some(lossy(&prefix).into_owned()),
            sums,
        };
        let others = (self.others.keys > 0).then_some(Prefix { prefix: None, sums: self.others });
        rows.into_iter().map(named).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(bytes_memory: u64) -> Sums {
        Sums { keys: 1, bytes_memory, ..Sums::default() }
    }

    #[test]
    fn a_prefix_ends_with_its_separators() {
        for (separator, depth, name, want) in [
            (":", 1, "user:1:name", "user:"),
            (":", 2, "user:1:name", "user:1:"),
            (":", 3, "user:1:name", "user:1:"),
            ("::", 1, "a:b::c", "a:b::"),
            (":", 1, "plain", ""),
            (":", 1, "", ""),
            (":", 1, ":x", ":"),
        ] {
            let prefixes = Prefixes::new(separator, depth);
            assert_eq!(prefixes.prefix_of(name.as_bytes()), want.as_bytes(), "{name} {depth}");
        }
    }

    #[test]
    fn of_very_many_the_heaviest_are_kept_and_nothing_is_lost() {
        let mut prefixes = Prefixes::new(":", 1);
        let count = 5 * MOST as u64;
        for number in 0..count {
            prefixes.add(format!("{number}:").as_bytes(), key(number % 1000));
            prefixes.add(b"heavy:x", key(1_000_000));
        }
        assert!(prefixes.found.len() <= 2 * MOST);
        let top = prefixes.into_top(2);
        assert_eq!(top.len(), 3);
        assert_eq!(top[0].prefix.as_deref(), Some("heavy:"));
        assert_eq!(top[0].sums.keys, count);
        assert_eq!(top[1].sums.bytes_memory, 999);
        assert_eq!(top.iter().map(|row| row.sums.keys).sum::<u64>(), 2 * count);
        assert_eq!(top[2].prefix, None);
    }
}
