//! The registered scripts of a store.

use std::collections::BTreeMap;

use super::{Locks, Store};
use crate::script::{DIGEST_LEN, Script, digest_of};
use crate::sync::RwLock;

/// The registered scripts, by digest.
#[derive(Debug, Default)]
pub(crate) struct Scripts {
    known: RwLock<BTreeMap<&'static [u8], &'static Script>>,
}

impl Scripts {
    /// Registers scripts. One with the same text replaces the registered one.
    pub(super) fn add(&self, scripts: impl IntoIterator<Item = &'static Script>) {
        // Before the lock is taken: the iterator is the caller's, and digests are computed at first use.
        let scripts: Vec<_> =
            scripts.into_iter().map(|script| (script.digest().as_bytes(), script)).collect();
        self.known.write().extend(scripts);
    }

    /// Returns the script with that digest, in any case. O(log scripts).
    pub(crate) fn find(&self, digest: &[u8]) -> Option<&'static Script> {
        let mut digest: [u8; DIGEST_LEN] = digest.try_into().ok()?;
        digest.make_ascii_lowercase();
        self.known.read().get(&digest[..]).copied()
    }

    /// Returns the script with that text. O(length of the text).
    pub(crate) fn of_text(&self, text: &[u8]) -> Option<&'static Script> {
        let script = self.find(digest_of(text).as_bytes())?;
        // Different texts can have the same SHA-1 digest.
        (script.text().as_bytes() == text).then_some(script)
    }
}

/// # Scripts
impl<L: Locks> Store<L> {
    /// Registers scripts: EVAL and EVALSHA run their functions from now on. They cannot be removed, and apply to all
    /// handles, databases and sessions of the store.
    ///
    /// A script with the same text replaces the registered one. The log of a store is read by [`open`](Self::open),
    /// before scripts can be added here: use [`StoreBuilder::scripts`](crate::StoreBuilder::scripts) for those that it
    /// needs. O(n log scripts).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ErrorKind, Reply, Script, Store};
    ///
    /// static LENGTHS: Script = Script::new(
    ///     "local sum = 0 for _, key in ipairs(KEYS) do sum = sum + redis.call('STRLEN', key) end return sum",
    ///     |tx, call| {
    ///         let lengths = call.keys.iter().map(|key| tx.strlen(key));
    ///         Ok(Reply::Int(lengths.sum::<Result<usize, _>>()?.try_into().unwrap_or(i64::MAX)))
    ///     },
    /// );
    ///
    /// let store = Store::new();
    /// store.mset(&[("a", "one"), ("b", "three")])?;
    /// let call = ["EVALSHA_RO", LENGTHS.digest(), "2", "a", "b"];
    /// let unknown = store.execute(&call).into_result().unwrap_err();
    /// assert_eq!(unknown.kind(), ErrorKind::NoScript);
    ///
    /// store.add_scripts([&LENGTHS]);
    /// assert_eq!(store.execute(&call), Reply::Int(8));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn add_scripts(&self, scripts: impl IntoIterator<Item = &'static Script>) {
        self.shared().scripts().add(scripts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::Reply;

    static ONE: Script = Script::new("return 1", |_, _| Ok(Reply::Int(1)));
    static ALSO: Script = Script::new("return 1", |_, _| Ok(Reply::Int(-1)));

    #[test]
    fn a_script_is_found_by_its_text_and_its_digest() {
        let scripts = Scripts::default();
        assert!(scripts.of_text(b"return 1").is_none());
        scripts.add([&ONE]);
        let is = |found: Option<&'static Script>, script: &'static Script| {
            found.is_some_and(|found| std::ptr::eq(found, script))
        };
        // The digest that a server returns for the text.
        let digest = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
        assert_eq!(ONE.digest(), digest);
        assert!(is(scripts.find(digest.as_bytes()), &ONE));
        assert!(is(scripts.find(digest.to_uppercase().as_bytes()), &ONE));
        for other in ["", &digest[1..], &digest.replace('e', "f"), &format!("{digest}0")] {
            assert!(scripts.find(other.as_bytes()).is_none(), "{other}");
        }
        assert!(scripts.of_text(b"return 1 ").is_none());
        scripts.add([&ALSO]);
        assert!(is(scripts.of_text(b"return 1"), &ALSO));
    }
}
