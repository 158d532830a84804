//! What all entries have in common: finding them, and their key's expiry.

/// The method of a store that opens an entry of that type, and what every entry can do with its key.
macro_rules! entry_of {
    ($entry:ident, $with:ident, $kind:literal) => {
        /// # Entries
        impl<L: $crate::store::Locks> $crate::store::Store<L> {
            #[doc = concat!("Finds the ", $kind, " at a key once, and lets `work` read and change it as one step.")]
            ///
            /// Each method of the entry counts, is seen by sessions that watch the key, and is told to the sinks as the
            /// command that it stands for. The lock of the key is held while `work` runs: what it asks of the store itself
            /// is refused.
            ///
            /// # Errors
            ///
            #[doc = concat!("[`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no ", $kind, "; that of `work`;")]
            /// in a transaction, a key that it did not name.
            #[inline]
            pub fn $with<R>(
                &self,
                key: impl $crate::to_key::ToKey,
                work: impl FnOnce(&mut $entry<'_>) -> Result<R, $crate::error::Error>,
            ) -> Result<R, $crate::error::Error> {
                self.write([key], |scope, keys| {
                    let _holding = $crate::store::locks::Holding::new(scope.shared());
                    work(&mut $entry::new(scope.slot(keys[0]))?)
                })
            }
        }

        /// # The key
        impl $entry<'_> {
            /// Whether the key exists.
            #[must_use]
            pub const fn exists(&self) -> bool {
                self.slot.exists()
            }

            /// When the key expires, in milliseconds since the epoch.
            #[must_use]
            pub fn expires_at_ms(&self) -> Option<i64> {
                self.slot.expires_at()
            }

            /// PEXPIREAT: lets the key expire at a time in milliseconds since the epoch, if it exists; a time that has come
            /// deletes it.
            pub fn expire_at_ms(&mut self, at_ms: i64) {
                self.slot.expire_at(at_ms);
            }

            /// PERSIST: takes the expiry away; `false` if there was none.
            pub fn persist(&mut self) -> bool {
                self.slot.persist()
            }

            /// DEL: deletes the key; `false` if it does not exist.
            pub fn delete(&mut self) -> bool {
                self.slot.delete()
            }

            /// The time of the command or transaction, in microseconds since the epoch.
            #[must_use]
            pub fn now_us(&self) -> i64 {
                self.slot.now_us()
            }

            /// The same time in milliseconds.
            #[must_use]
            pub fn now_ms(&self) -> i64 {
                self.slot.now_ms()
            }
        }
    };
}

pub(crate) use entry_of;
