//! A sorted list of names, and the index of a name.

/// A sorted list of at most [`MAX`] names. Codes consist of their indexes.
///
/// A binary search takes eight steps with unpredictable branches. Names are short, so those of up to eight bytes are
/// found as one word in a hash table, most of them at the first probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    words: Box<[Box<str>]>,
    /// A power of two, at least twice as many as there are names.
    slots: Box<[Slot]>,
    /// The right shift that maps a hash to a slot.
    shift: u32,
}

/// The most names of a list: an index and 0 for unknown fit into a byte.
pub(super) const MAX: usize = 255;

/// The longest name in the hash table, in bytes.
const WORD: usize = 8;

/// A slot of the hash table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slot {
    word: u64,
    /// 0 if the slot is empty, because no name is empty.
    len: u8,
    index: u8,
}

/// Why words are not a valid list of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The word at this index is less than the one before it.
    Unsorted(usize),
    /// The word at this index is equal to the one before it.
    Twice(usize),
    /// There are more than [`MAX`].
    TooMany(usize),
    /// There are no words.
    Empty,
}

impl Names {
    /// Creates the list of these words.
    pub(super) fn new(words: &[&str]) -> Result<Self, Fault> {
        if words.is_empty() {
            return Err(Fault::Empty);
        }
        for (index, pair) in words.windows(2).enumerate() {
            match pair[0].cmp(pair[1]) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Err(Fault::Twice(index + 1)),
                std::cmp::Ordering::Greater => return Err(Fault::Unsorted(index + 1)),
            }
        }
        if words.len() > MAX {
            return Err(Fault::TooMany(words.len()));
        }
        let count = (2 * words.len()).next_power_of_two();
        let mut names = Self {
            words: words.iter().map(|&word| word.into()).collect(),
            slots: vec![Slot::default(); count].into_boxed_slice(),
            shift: 64 - count.trailing_zeros(),
        };
        for (index, word) in (0..=u8::MAX).zip(words) {
            if word.len() <= WORD {
                let (word, len) = packed(word.as_bytes());
                let mut at = names.first_slot(word);
                while names.slots[at].len > 0 {
                    at = (at + 1) & (count - 1);
                }
                names.slots[at] = Slot { word, len, index };
            }
        }
        Ok(names)
    }

    /// Returns the number of names.
    pub(super) const fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the name at an index.
    #[inline]
    pub(super) fn get(&self, index: u8) -> Option<&str> {
        self.words.get(usize::from(index)).map(|name| &**name)
    }

    /// Iterates over all names, in order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.words.iter().map(|name| &**name)
    }

    /// Returns the index of a name.
    #[inline]
    pub(super) fn index(&self, name: &str) -> Option<u8> {
        if name.len() > WORD {
            let index = self.words.binary_search_by(|known| (**known).cmp(name)).ok()?;
            return u8::try_from(index).ok();
        }
        let (word, len) = packed(name.as_bytes());
        let mut at = self.first_slot(word);
        loop {
            // Half of the slots are empty, so this terminates.
            let slot = self.slots[at];
            if slot.len == 0 {
                return None;
            }
            if slot.word == word && slot.len == len {
                return Some(slot.index);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn first_slot(&self, word: u64) -> usize {
        // 2^64 divided by the golden ratio: the high bits of the product depend on the whole word.
        let hash = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        usize::try_from(hash >> self.shift).unwrap_or(0)
    }
}

/// Returns the bytes of a short name as an integer, and their number.
#[inline]
fn packed(name: &[u8]) -> (u64, u8) {
    let word = name.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    (word, u8::try_from(name.len()).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_index_and_no_other_word_has_one() {
        let mut words: Vec<String> = (0..MAX).map(|n| format!("{n:x}")).collect();
        // Around the longest name in the hash table, and one that ends in the padding byte.
        for word in ["seven77", "eight888", "nine99999", "a\0", "a\0\0", "\u{e4}\u{f6}"] {
            words.pop();
            words.push(word.to_owned());
        }
        words.sort();
        words.dedup();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let names = Names::new(&words).unwrap();
        assert_eq!(names.len(), words.len());
        for (index, &word) in (0..=u8::MAX).zip(&words) {
            assert_eq!((names.index(word), names.get(index)), (Some(index), Some(word)));
        }
        assert!(names.iter().eq(words.iter().copied()));
        for word in ["", "A", "b\0", "a\0\0\0", "eight88", "eight888\0", "nine9999", "zzzzzzzzzzzz"]
        {
            assert_eq!(names.index(word), None, "{word:?}");
        }
        assert_eq!(names.get(255), None);
    }

    #[test]
    fn one_name_makes_a_list() {
        let names = Names::new(&["only"]).unwrap();
        assert_eq!((names.index("only"), names.index("other")), (Some(0), None));
    }

    #[test]
    fn invalid_lists_are_reported() {
        assert_eq!(Names::new(&[]), Err(Fault::Empty));
        assert_eq!(Names::new(&["a", "c", "b"]), Err(Fault::Unsorted(2)));
        assert_eq!(Names::new(&["a", "a"]), Err(Fault::Twice(1)));
        let words: Vec<String> = (0..=MAX).map(|n| format!("{n:03}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(Names::new(&words), Err(Fault::TooMany(256)));
        assert!(Names::new(&words[..MAX]).is_ok());
    }
}
