//! Redis's encoding limits, by Redis's names.

use crate::sync::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Settings that have no effect, as CONFIG SET has left them.
pub(crate) type Remembered = BTreeMap<&'static str, Box<[u8]>>;

/// A limit as the word that is kept of it.
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

/// The limits by name, with their defaults, and as they are kept while commands run: a number each, with a method that
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

        /// The limits of a store, which CONFIG SET changes while commands run.
        #[derive(Debug)]
        pub(crate) struct Settings {
            $($name: AtomicUsize,)*
            /// From how many bytes on an element of a list has a node of its own, or 0 for what the profile says: DEBUG
            /// QUICKLIST-PACKED-THRESHOLD.
            list_plain_from: AtomicU32,
            /// Held by a caller that sets some of them and leaves the others.
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

            /// All limits as they are now.
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
    /// The limits at which a value changes its encoding, and of a Bloom filter; the defaults are Redis's where it has
    /// them.
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
        /// `set-max-listpack-entries`: a set with text and with more members is a hash table. Default 128. Not in
        /// [`Profile::Redis70`](crate::Profile::Redis70), whose sets have no listpacks.
        set_max_listpack_entries: usize = 128,
        /// `set-max-listpack-value`: a set with a member of more bytes is a hash table. Default 64.
        set_max_listpack_value: usize = 64,
        /// `zset-max-listpack-entries`: a sorted set with more members is a skip list. Default 128.
        zset_max_listpack_entries: usize = 128,
        /// `zset-max-listpack-value`: a sorted set with a member of more bytes is a skip list. Default 64.
        zset_max_listpack_value: usize = 64,
        /// `list-max-listpack-size`: how full a node of a list gets, and from 7.2 on how large a list is a listpack. -1 to
        /// -5 for 4, 8, 16, 32 and 64 KiB, a positive number for as many elements. Default -2.
        list_max_listpack_size: isize = -2,
        /// `list-compress-depth`: how many nodes from either end of a list stay uncompressed; 0 compresses none. Default 0.
        list_compress_depth: usize = 0,
        /// `hash-max-listpack-entries`: a hash with more fields is a hash table. Default 512.
        hash_max_listpack_entries: usize = 512,
        /// `hash-max-listpack-value`: a hash with a field or a value of more bytes is a hash table. Default 64.
        hash_max_listpack_value: usize = 64,
        /// `hll-sparse-max-bytes`: a sparse HyperLogLog that would be longer, header included, is dense. Default 3000.
        hll_sparse_max_bytes: usize = 3000,
        /// `bloom-memory-usage-limit`: a Bloom filter whose bit arrays would take more bytes is not made, and one does
        /// not grow beyond. Default 4 GiB, enough for 3.5 thousand million items at 1 %. What a file holds is loaded
        /// whatever its size.
        bloom_memory_usage_limit: usize = 4 << 30,
    }
}

/// The largest number of bytes that can be said instead: a listpack's 4 GiB with room to spare.
const LIST_PLAIN_MOST: u32 = u32::MAX - (1 << 20) + 1;

impl Settings {
    /// From how many bytes on an element of a list has a node of its own, if that was set.
    pub(crate) fn list_plain_from(&self) -> Option<u32> {
        Some(self.list_plain_from.load(Ordering::Relaxed)).filter(|&bytes| bytes > 0)
    }

    /// Lets an element of a list have a node of its own from so many bytes on, or as the profile says if it is 0; `false`
    /// if nodes cannot be so large.
    pub(crate) fn set_list_plain_from(&self, bytes: u64) -> bool {
        let Some(bytes) = u32::try_from(bytes).ok().filter(|&bytes| bytes <= LIST_PLAIN_MOST)
        else {
            return false;
        };
        self.list_plain_from.store(bytes, Ordering::Relaxed);
        true
    }

    /// Sets them all. Commands that run meanwhile may still go by the old ones.
    pub(crate) fn set(&self, limits: Limits) {
        let _changing = self.remembered.lock();
        self.store(limits);
    }

    /// All of them at one moment, those without effect too.
    pub(crate) fn all(&self) -> (Limits, Remembered) {
        let remembered = self.remembered.lock();
        (self.limits(), remembered.clone())
    }

    /// Changes some of them; no other change comes between. A change that fails has changed nothing.
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
