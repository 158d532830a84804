//! Redis's encoding limits, by Redis's names.

use crate::sync::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The values of settings without effect, as set by CONFIG SET.
pub(crate) type Remembered = BTreeMap<&'static str, Box<[u8]>>;

/// Conversion of a limit to the integer that is stored.
trait Limit {
    fn to_word(self) -> usize;
    fn of_word(word: usize) -> Self;
}

impl Limit for usize {
    fn to_word(self) -> usize {
        self
    }

    fn of_word(word: usize) -> Self {
        word
    }
}

impl Limit for isize {
    fn to_word(self) -> usize {
        self.cast_unsigned()
    }

    fn of_word(word: usize) -> Self {
        word.cast_signed()
    }
}

/// Defines the limits by name, with their defaults, and their shared form: an atomic integer each, with a method that
/// reads it.
macro_rules! limits {
    ($(#[$about:meta])* Limits { $($(#[$doc:meta])* $name:ident: $type:ident = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(default))]
        pub struct Limits {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        /// The current limits of a store, which CONFIG SET changes while commands run.
        #[derive(Debug)]
        pub(crate) struct Settings {
            $($name: AtomicUsize,)*
            /// The length in bytes from which an element of a list has its own node, or 0 for the profile's: DEBUG
            /// QUICKLIST-PACKED-THRESHOLD.
            list_plain_from: AtomicU32,
            /// Locked by a caller that sets some of them and keeps the others.
            remembered: Mutex<Remembered>,
        }

        impl Settings {
            pub(crate) fn new(limits: Limits, remembered: Remembered) -> Self {
                Self {
                    $($name: AtomicUsize::new(limits.$name.to_word()),)*
                    list_plain_from: AtomicU32::new(0),
                    remembered: Mutex::new(remembered),
                }
            }

            $(
                #[inline]
                pub(crate) fn $name(&self) -> $type {
                    $type::of_word(self.$name.load(Ordering::Relaxed))
                }
            )*

            /// Returns the current limits.
            pub(crate) fn limits(&self) -> Limits {
                Limits { $($name: self.$name(),)* }
            }

            fn store(&self, limits: Limits) {
                $(self.$name.store(limits.$name.to_word(), Ordering::Relaxed);)*
            }
        }
    };
}

limits! {
    /// The limits at which a value changes its encoding, and the size limit of a Bloom filter. The defaults are
    /// Redis's.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{Limits, Store};
    ///
    /// let store = Store::builder().limits(Limits { set_max_intset_entries: 2, ..Limits::default() }).build();
    /// store.sadd("s", [1, 2])?;
    /// assert_eq!(store.object_encoding("s")?, Some("intset"));
    /// store.sadd("s", [3])?;
    /// assert_eq!(store.object_encoding("s")?, Some("hashtable"));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    Limits {
        /// `set-max-intset-entries`: a set of integers with more members is a hash table. Default 512.
        set_max_intset_entries: usize = 512,
        /// `set-max-listpack-entries`: a set with text and with more members is a hash table. Default 128. Not used in
        /// [`Profile::Redis70`](crate::Profile::Redis70), whose sets have no listpacks.
        set_max_listpack_entries: usize = 128,
        /// `set-max-listpack-value`: a set with a member of more bytes is a hash table. Default 64.
        set_max_listpack_value: usize = 64,
        /// `zset-max-listpack-entries`: a sorted set with more members is a skip list. Default 128.
        zset_max_listpack_entries: usize = 128,
        /// `zset-max-listpack-value`: a sorted set with a member of more bytes is a skip list. Default 64.
        zset_max_listpack_value: usize = 64,
        /// `list-max-listpack-size`: the size of a node of a list and, as of 7.2, the largest list that is a listpack.
        /// -1 to -5 mean 4, 8, 16, 32 and 64 KiB, a positive number is a number of elements. Default -2.
        list_max_listpack_size: isize = -2,
        /// `list-compress-depth`: the number of nodes at both ends of a list that stay uncompressed; 0 disables
        /// compression. Default 0.
        list_compress_depth: usize = 0,
        /// `hash-max-listpack-entries`: a hash with more fields is a hash table. Default 512.
        hash_max_listpack_entries: usize = 512,
        /// `hash-max-listpack-value`: a hash with a field or a value of more bytes is a hash table. Default 64.
        hash_max_listpack_value: usize = 64,
        /// `hll-sparse-max-bytes`: a sparse HyperLogLog that would be longer, header included, is dense. Default 3000.
        hll_sparse_max_bytes: usize = 3000,
        /// `bloom-memory-usage-limit`: the maximum size of a Bloom filter's bit arrays, in bytes; a larger filter is
        /// not created, and a filter does not grow beyond it. Default 4 GiB, enough for 3.5 billion items at 1 %. It
        /// does not apply to filters that are loaded from a file.
        bloom_memory_usage_limit: usize = 4 << 30,
    }
}

/// The maximum that can be set: a listpack's 4 GiB, minus some reserve.
const LIST_PLAIN_MOST: u32 = u32::MAX - (1 << 20) + 1;

impl Settings {
    /// The length in bytes from which an element of a list has its own node, if it was set.
    pub(crate) fn list_plain_from(&self) -> Option<u32> {
        Some(self.list_plain_from.load(Ordering::Relaxed)).filter(|&bytes| bytes > 0)
    }

    /// Sets the length in bytes from which an element of a list has its own node; 0 for the profile's. Returns `false`
    /// if nodes cannot be that large.
    pub(crate) fn set_list_plain_from(&self, bytes: u64) -> bool {
        let Some(bytes) = u32::try_from(bytes).ok().filter(|&bytes| bytes <= LIST_PLAIN_MOST)
        else {
            return false;
        };
        self.list_plain_from.store(bytes, Ordering::Relaxed);
        true
    }

    /// Sets all limits. Commands that run concurrently may still use the old ones.
    pub(crate) fn set(&self, limits: Limits) {
        let _changing = self.remembered.lock();
        self.store(limits);
    }

    /// Returns a consistent copy of all settings, including those without effect.
    pub(crate) fn all(&self) -> (Limits, Remembered) {
        let remembered = self.remembered.lock();
        (self.limits(), remembered.clone())
    }

    /// Changes some of the settings atomically. A change that fails has no effect.
    pub(crate) fn change<R, E>(
        &self,
        change: impl FnOnce(&mut Limits, &mut Remembered) -> Result<R, E>,
    ) -> Result<R, E> {
        let mut remembered = self.remembered.lock();
        let mut limits = self.limits();
        let result = change(&mut limits, &mut remembered)?;
        self.store(limits);
        Ok(result)
    }
}
