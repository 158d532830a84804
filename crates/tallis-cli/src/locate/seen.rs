//! The set of users with a row.

use std::collections::HashMap;

use bitpack::Bitmap;

/// The number of users of one bitmap, which takes at most 128 KiB.
const USERS: u64 = 1 << 20;

/// The set of users with a row. The locations themselves do not distinguish a user with an unknown location from none.
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

    /// Iterates over the users, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        let of_bitmap = |(at, bitmap): (&u64, &'_ Bitmap)| {
            let first = at * USERS;
            bitmap.bits().ones().map(move |bit| first + bit).collect::<Vec<_>>()
        };
        self.bitmaps.iter().flat_map(of_bitmap)
    }

    /// Returns the number of users.
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
