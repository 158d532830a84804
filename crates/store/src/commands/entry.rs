//! Entries: access of callers to the value of one key.

/// Defines the method of a store that opens an entry of a type.
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
            #[doc = concat!("Opens the ", $name, " at a key for `work`, which reads and changes it atomically.")]
            ///
            /// The key is locked while `work` runs: a command on the store inside it returns an error.
            ///
            /// # Errors
            ///
            #[doc = concat!("[`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no ", $name, "; the error of `work`;")]
            /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key.
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
