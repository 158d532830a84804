//! Which users have had a row.

use std::collections::HashMap;

use bitpack::Bitmap;

/// Users of one bitmap: 128 KiB at most.
const USERS: u64 = 1 << 20;

/// The set of the users who have had a row. In the locations themselves, one of whom nothing is known looks like one
/// who is not there.
#[derive(Debug, Default)]
pub(super) struct Seen {
    bitmaps: HashMap<u64, Bitmap>,
    count: u64,
}

impl Seen {
    pub(super) fn insert(&mut self, user: u64) {
        let bitmap = self.bitmaps.entry(user / USERS).or_default();
        self.count += u64::from(!bitmap.set(user % USERS, true));
    }

    /// All of them, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        let of_bitmap = |(at, bitmap): (&u64, &'_ Bitmap)| {
            let first = at * USERS;
            bitmap.bits().ones().map(move |bit| first + bit).collect::<Vec<_>>()
        };
        self.bitmaps.iter().flat_map(of_bitmap)
    }

    /// How many there are.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_counts_once() {
        let mut seen = Seen::default();
        for user in [0, 5, 0, USERS - 1, USERS, 5, u64::MAX, USERS] {
            seen.insert(user);
        }
        assert_eq!(seen.count(), 5);
        let mut all: Vec<_> = seen.iter().collect();
        all.sort_unstable();
        assert_eq!(all, [0, 5, USERS - 1, USERS, u64::MAX]);
    }
}
