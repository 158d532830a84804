//! Redis's integer set in plain Rust.

/// The published algorithm of Redis's intset at 64 bits: a binary search with branches, after a comparison with both
/// ends, and an array that is reallocated to its exact size for each insertion. Written for this comparison; it is not
/// Redis's source.
#[derive(Debug, Default)]
pub struct ClassicIntSet {
    members: Box<[u8]>,
}

impl ClassicIntSet {
    fn get(&self, index: usize) -> i64 {
        i64::from_le_bytes(self.members.as_chunks().0[index])
    }

    #[expect(clippy::comparison_chain, reason = "the branches are measured")]
    fn search(&self, value: i64) -> Result<usize, usize> {
        let len = self.members.len() / 8;
        if len == 0 {
            return Err(0);
        }
        if value > self.get(len - 1) {
            return Err(len);
        }
        if value < self.get(0) {
            return Err(0);
        }
        let (mut low, mut end) = (0, len);
        while low < end {
            let middle = usize::midpoint(low, end);
            let member = self.get(middle);
            if value > member {
                low = middle + 1;
            } else if value < member {
                end = middle;
            } else {
                return Ok(middle);
            }
        }
        Err(low)
    }

    /// Adds a value. Returns `true` if it is new.
    pub fn insert(&mut self, value: i64) -> bool {
        let Err(at) = self.search(value) else { return false };
        let mut members = std::mem::take(&mut self.members).into_vec();
        let used = members.len();
        members.reserve_exact(8);
        members.extend_from_slice(&[0; 8]);
        members.copy_within(8 * at..used, 8 * at + 8);
        members[8 * at..8 * at + 8].copy_from_slice(&value.to_le_bytes());
        self.members = members.into_boxed_slice();
        true
    }

    /// Returns `true` if the set contains the value.
    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        self.search(value).is_ok()
    }
}
