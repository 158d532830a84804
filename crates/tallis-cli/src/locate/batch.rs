//! Rows that are stored together.

use std::collections::HashSet;

use tallis::{Error, Locations, USERS_PER_SHARD};

/// How many rows are stored at once.
const AT_ONCE: usize = 256;

/// Why a location is not stored.
#[derive(Debug)]
pub(super) enum Unset {
    /// The row is refused.
    Row(String),
    /// The store refuses the rows before it, too.
    Store(String),
}

/// Locations of users, the last of which are not stored yet.
#[derive(Debug)]
pub(super) struct Batch<'l> {
    locations: &'l Locations,
    codes: Vec<(u64, [u8; 2])>,
    /// Shards that accept codes. Storing codes does not change that, so a waiting row will not be refused.
    sound: HashSet<u64>,
    /// The shard of the last row, if it accepts codes.
    last: Option<u64>,
}

impl<'l> Batch<'l> {
    pub(super) fn new(locations: &'l Locations) -> Self {
        Self { locations, codes: Vec::with_capacity(AT_ONCE), sound: HashSet::new(), last: None }
    }

    /// Stores a location now or later; with `lenient`, an unknown one as far as it is known.
    pub(super) fn set(
        &mut self,
        user: u64,
        country: &str,
        region: &str,
        lenient: bool,
    ) -> Result<(), Unset> {
        if !self.takes(user) {
            return set_one(self.locations, user, country, region, lenient).map_err(Unset::Row);
        }
        if self.codes.len() == AT_ONCE {
            self.store().map_err(|error| Unset::Store(without_prefix(&error)))?;
        }
        let table = self.locations.location_table();
        let code = table.code(country, region);
        if code.is_ok() || lenient {
            let known = || table.code_lenient(country, region);
            self.codes.push((user, code.as_ref().map_or_else(|_| known(), |code| *code)));
        }
        code.map(drop).map_err(|error| Unset::Row(without_prefix(&error)))
    }

    /// Stores the waiting rows.
    pub(super) fn store(&mut self) -> Result<(), Error> {
        self.locations.set_codes(self.codes.drain(..))
    }

    /// Returns whether the shard of a user accepts codes.
    #[inline]
    fn takes(&mut self, user: u64) -> bool {
        let shard = user / USERS_PER_SHARD;
        if self.last == Some(shard) {
            return true;
        }
        let takes = self.sound.contains(&shard)
            || self.locations.code(user).is_ok() && self.locations.largest_user().is_ok();
        if takes {
            self.sound.insert(shard);
            self.last = Some(shard);
        }
        takes
    }
}

/// Stores a location; with `lenient`, an unknown one as far as it is known.
#[cold]
fn set_one(
    locations: &Locations,
    user: u64,
    country: &str,
    region: &str,
    lenient: bool,
) -> Result<(), String> {
    locations.set(user, country, region).map_err(|error| {
        let stored = if lenient { locations.set_lenient(user, country, region) } else { Ok(()) };
        without_prefix(&stored.err().unwrap_or(error))
    })
}

/// Returns the text of an error of the store without its first word, the error code.
fn without_prefix(error: &Error) -> String {
    let text = error.to_string();
    text.strip_prefix("ERR ").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use tallis::Store;
    use testkit::rng::Rng;

    use super::*;

    fn payloads(store: &Store) -> Vec<(Bytes, Option<Bytes>)> {
        let mut keys = store.keys("*").unwrap();
        keys.sort_unstable();
        keys.into_iter().map(|key| (key.clone(), store.dump(&key).unwrap())).collect()
    }

    /// Returns two equal stores, in which some key of the locations may have another type.
    fn stores(rng: &mut Rng) -> [Store; 2] {
        let stores = [(); 2].map(|()| Store::new());
        let key = ["location:0", "location:1", "location:max"][rng.index(3)];
        let what = rng.below(4);
        for store in &stores {
            match what {
                0 => drop(store.sadd(key, [1]).unwrap()),
                1 => store.set(key, "odd").unwrap(),
                2 => store.set(key, 1234).unwrap(),
                _ => {}
            }
        }
        stores
    }

    #[test]
    fn rows_together_are_rows_one_by_one() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let [one, many] = stores(&mut rng);
            let [single, together] = [&one, &many].map(|store| Locations::new(store.clone()));
            let mut batch = Batch::new(&together);
            let lenient = seed % 4 > 0;
            for row in 0..rng.below(1_000) {
                let user = match rng.below(3) {
                    0 => rng.below(40),
                    1 => USERS_PER_SHARD - 4 + rng.below(8),
                    _ => USERS_PER_SHARD * rng.below(4) + rng.below(300),
                };
                let country = ["USA", "CAN", "FRA", "ZZZ", ""][rng.index(5).min(rng.index(5))];
                let region = ["", "CA", "QC", "QQ"][rng.index(4).min(rng.index(4))];
                let want = set_one(&single, user, country, region, lenient);
                let got = batch.set(user, country, region, lenient);
                match (&want, &got) {
                    (Ok(()), Ok(())) => {}
                    (Err(want), Err(Unset::Row(got))) => assert_eq!(got, want),
                    _ => panic!("{seed}, row {row}: {got:?} in place of {want:?}"),
                }
                if want.is_err() && !lenient {
                    break;
                }
            }
            batch.store().unwrap();
            assert_eq!(payloads(&one), payloads(&many), "{seed}");
        }
    }

    /// The codes of a shard are refused only if another client writes to the store meanwhile.
    #[test]
    fn what_the_store_does_not_take_any_more_is_no_fault_of_the_row() {
        let store = Store::new();
        let locations = Locations::new(store.clone());
        let mut batch = Batch::new(&locations);
        batch.set(0, "USA", "CA", false).unwrap();
        store.set("location:0", "odd").unwrap();
        for user in 1..256 {
            batch.set(user, "USA", "CA", false).unwrap();
        }
        assert!(matches!(batch.set(256, "USA", "CA", false), Err(Unset::Store(_))));
        assert!(batch.store().is_ok());
    }
}
