//! Writing one key while another one stays as it is.

use super::Store;
use super::door::{Locked, Scope, View};
use crate::key::HashedKey;

impl Store {
    /// Changes `key` if `agrees` says yes to another key, which stays locked, for reading, until the change is done: those
    /// who change different keys beside the same one seldom wait for each other.
    ///
    /// `None` if it says no. An expired key counts as none and is left to whoever writes it.
    #[inline]
    pub(crate) fn write_beside<R>(
        &self,
        key: &[u8],
        beside: &[u8],
        agrees: impl FnOnce(&View<'_>, HashedKey<'_>) -> bool,
        change: impl FnOnce(&mut Scope<'_>, HashedKey<'_>) -> R,
    ) -> Option<R> {
        let shared = &*self.shared;
        let (key, beside) = (shared.hashed_one(key), shared.hashed_one(beside));
        let (number, other) = (shared.stripe_of(key.hash), shared.stripe_of(beside.hash));
        // Locks are taken in the order of their numbers, and given back after the scope has told the sinks.
        let after;
        let before = (other < number).then(|| shared.stripes[other].read());
        let mut scope = shared.write_scope_one(self.db, number);
        after = (other > number).then(|| shared.stripes[other].read());
        let agreed = match before.as_ref().or(after.as_ref()) {
            Some(stripe) => {
                let moment = &scope.context.moment;
                let locked = Locked::One(stripe);
                agrees(&View { shared, db: self.db, locked, moment }, beside)
            }
            None => agrees(&scope.view(), beside),
        };
        agreed.then(|| change(&mut scope, key))
    }
}
