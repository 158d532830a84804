//! Redis's encoding limits, by Redis's names.

/// The limits at which a value changes its encoding; the defaults are Redis's.
///
/// # Examples
///
/// ```
/// use tallis::{Limits, Store, prelude::*};
///
/// let store = Store::builder().limits(Limits { set_max_intset_entries: 2, ..Limits::default() }).build();
/// store.sadd("s", [1, 2])?;
/// assert_eq!(store.object_encoding("s")?, Some("intset"));
/// store.sadd("s", [3])?;
/// assert_eq!(store.object_encoding("s")?, Some("hashtable"));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `set-max-intset-entries`: a set of integers with more members is a hash table. Default 512.
    pub set_max_intset_entries: usize,
    /// `hll-sparse-max-bytes`: a sparse HyperLogLog that would be longer, header included, is dense. Default 3000.
    pub hll_sparse_max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { set_max_intset_entries: 512, hll_sparse_max_bytes: 3000 }
    }
}
