//! Entries: how callers get at the value of one key.

/// The method of a store that opens an entry of that type.
macro_rules! entry_of {
    ($entry:ident, $kind:ident, $with:ident, $name:literal, $is:expr) => {
        #[doc = concat!("Marks an [`Entry`](crate::Entry) whose value is a ", $name, ".")]
        #[derive(Clone, Copy, Debug)]
        pub enum $kind {}

        impl $crate::store::slot::Kind for $kind {
            #[inline]
            #[expect(private_interfaces, reason = "only this crate calls it")]
            fn is_kind_of(value: &$crate::value::Value) -> bool {
                let is: fn(&$crate::value::Value) -> bool = $is;
                is(value)
            }
        }

        /// # Entries
        impl<L: $crate::store::Locks> $crate::store::Store<L> {
            #[doc = concat!("Finds the ", $name, " at a key once, and lets `work` read and change it as one step.")]
            ///
            /// The lock of the key is held while `work` runs: what it asks of the store itself is an error.
            ///
            /// # Errors
            ///
            #[doc = concat!("[`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no ", $name, "; that of `work`;")]
            /// in a transaction, a key that it did not name.
            #[inline]
            pub fn $with<R>(
                &self,
                key: impl $crate::to_key::ToKey,
                work: impl FnOnce(&mut $entry<'_>) -> Result<R, $crate::error::Error>,
            ) -> Result<R, $crate::error::Error> {
                self.entry(key, |entry| {
                    let _holding = self.holding();
                    work(entry)
                })
            }
        }
    };
}

pub(crate) use entry_of;
