//! The limits of a comparison with a server, as those of a store.

use tallis::Limits;
use testkit::differential::Settings;

/// The limits of both sides.
pub(crate) fn limits(settings: &Settings) -> Limits {
    let (of, or) = (&settings.limits, Limits::default());
    Limits {
        set_max_intset_entries: of.set_max_intset_entries,
        hll_sparse_max_bytes: of.hll_sparse_max_bytes,
        zset_max_listpack_entries: of.zset_max_listpack[0],
        zset_max_listpack_value: of.zset_max_listpack[1],
        hash_max_listpack_entries: of.hash_max_listpack[0],
        hash_max_listpack_value: of.hash_max_listpack[1],
        list_max_listpack_size: of.lists.0,
        list_compress_depth: of.lists.1,
        set_max_listpack_entries: of
            .set_max_listpack
            .map_or(or.set_max_listpack_entries, |of| of[0]),
        set_max_listpack_value: of.set_max_listpack.map_or(or.set_max_listpack_value, |of| of[1]),
        ..or
    }
}
