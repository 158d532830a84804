//! The table of the forms that are measured.

use clap::ValueEnum;
use serde::Serialize;
use tallis::Limits;

use super::items::Kind;
use super::shape::{
    Bitmap, Bloom as Filter, Hash, HyperLogLog, List, Packed, Set, Shape, Sharded, ZSet,
};

/// A family of forms: a word of `--only`, and a chart of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Family {
    /// Sets of integers: intsets, hash tables, shards, bitmaps
    Sets,
    /// Sets of names: listpacks, hash tables, shards
    Names,
    /// Sketches, sparse and dense.
    #[value(help = "HyperLogLogs, sparse and dense")]
    Hll,
    /// Bloom filters of several error rates
    Bloom,
    /// Packed records of two bytes: the locations of users
    Records,
    /// Hashes: listpacks, hash tables
    Hashes,
    /// Lists: listpacks, quicklists
    Lists,
    /// Sorted sets: listpacks, skip lists
    Zsets,
}

impl Family {
    /// Returns the heading of its rows.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Sets => "Sets of integers",
            Self::Names => "Sets of names",
            Self::Hll => "HyperLogLogs",
            Self::Bloom => "Bloom filters",
            Self::Records => "Packed records",
            Self::Hashes => "Hashes",
            Self::Lists => "Lists",
            Self::Zsets => "Sorted sets",
        }
    }
}

/// A structure in one encoding, with what it is measured with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) family: Family,
    pub(super) name: &'static str,
    /// The possible results of OBJECT ENCODING for its values.
    pub(super) encodings: &'static [&'static str],
    pub(super) kind: Kind,
    /// The smallest and the largest size that is useful.
    pub(super) sizes: [usize; 2],
    /// The largest size for which the default limits choose it, and the name of the limit.
    pub(super) until: Option<(usize, &'static str)>,
    pub(super) limits: Limit,
    /// The most values, if each takes much memory for any number of elements.
    pub(super) values: usize,
    pub(super) shape: &'static dyn Shape,
}

impl Form {
    /// Returns whether it is useful at a size.
    pub(super) const fn takes(&self, size: usize) -> bool {
        let [from, to] = self.sizes;
        from <= size && size <= to
    }

    /// Returns whether elements are looked up by index, so that there are no elements to look up that do not exist.
    pub(super) const fn is_asked_by_place(&self) -> bool {
        matches!(self.family, Family::Lists)
    }

    /// Returns whether it is exact. If not, counts may be wrong, and elements may be found that were not added.
    pub(super) const fn is_exact(&self) -> bool {
        !matches!(self.family, Family::Hll | Family::Bloom)
    }

    const fn limits(mut self, limits: Limit) -> Self {
        self.limits = limits;
        self
    }

    const fn until(mut self, size: usize, limit: &'static str) -> Self {
        self.until = Some((size, limit));
        self.limits(Limit::Small)
    }
}

/// The largest size.
const LARGEST: usize = 10_000_000;

/// The largest size for forms whose operations take time in proportion to their size.
const SMALL: usize = 10_000;

/// The number of bits of random ids.
pub(super) const ID_BITS: u32 = 60;

const IDS: Kind = Kind::Random(ID_BITS);

/// Returns a form with the default limits.
pub(super) const fn form(
    family: Family,
    name: &'static str,
    encodings: &'static [&'static str],
    kind: Kind,
    sizes: [usize; 2],
    shape: &'static dyn Shape,
) -> Form {
    let (until, limits, values) = (None, Limit::Default, usize::MAX);
    Form { family, name, encodings, kind, sizes, until, limits, values, shape }
}

const BOOK: Sharded = Sharded::Book;
const SPLITTING: Sharded = Sharded::Splitting;
const COMPACT: Sharded = Sharded::Compact { bits: ID_BITS };

/// The encodings of the parts of a sharded set. One may happen to have more than 512 members.
const OF_SHARDS: &[&str] = &["intset", "hashtable"];
const STRING: &[&str] = &["raw", "embstr"];

/// All forms.
pub(super) const FORMS: [Form; 25] = {
    use Family::{Bloom, Hashes, Hll, Lists, Names, Records, Sets, Zsets};
    const INTSET: (usize, &str) = (512, "set-max-intset-entries 512");
    let small = [1, SMALL];
    let any = [1, LARGEST];
    [
        form(Sets, "intset, 16 bits", &["intset"], Kind::Random(15), small, &Set)
            .until(INTSET.0, INTSET.1),
        form(Sets, "intset, 32 bits", &["intset"], Kind::Random(31), small, &Set)
            .until(INTSET.0, INTSET.1),
        form(Sets, "intset, 64 bits", &["intset"], IDS, small, &Set).until(INTSET.0, INTSET.1),
        form(Sets, "hash table", &["hashtable"], IDS, any, &Set).limits(Limit::Large),
        form(Sets, "shards, the book's", OF_SHARDS, IDS, [1000, LARGEST], &BOOK),
        form(Sets, "shards, splitting", OF_SHARDS, IDS, any, &SPLITTING),
        form(Sets, "shards, compact", OF_SHARDS, IDS, any, &COMPACT),
        form(Sets, "bitmap of ids from 0", STRING, Kind::Dense, any, &Bitmap),
        form(Names, "listpack", &["listpack"], Kind::Names, small, &Set)
            .until(128, "set-max-listpack-entries 128"),
        form(Names, "hash table", &["hashtable"], Kind::Names, any, &Set).limits(Limit::Large),
        form(
            Names,
            "shards, the book's",
            &["listpack", "hashtable"],
            Kind::Names,
            [1000, LARGEST],
            &BOOK,
        ),
        form(Names, "shards, splitting", &["listpack", "hashtable"], Kind::Names, any, &SPLITTING),
        form(Hll, "sparse", STRING, IDS, small, &HyperLogLog)
            .until(1680, "hll-sparse-max-bytes 3000, at about 1680 elements"),
        Form {
            values: 1000,
            ..form(Hll, "dense", STRING, IDS, any, &HyperLogLog).limits(Limit::Large)
        },
        form(Bloom, "error rate 10 %", &["raw"], Kind::Names, any, &Filter(0.1)),
        form(Bloom, "error rate 1 %", &["raw"], Kind::Names, any, &Filter(0.01)),
        form(Bloom, "error rate 0.1 %", &["raw"], Kind::Names, any, &Filter(0.001)),
        form(Bloom, "error rate 0.01 %", &["raw"], Kind::Names, any, &Filter(0.0001)),
        form(Records, "2 bytes a user", STRING, Kind::Dense, any, &Packed),
        form(Hashes, "listpack", &["listpack"], Kind::Names, small, &Hash)
            .until(512, "hash-max-listpack-entries 512"),
        form(Hashes, "hash table", &["hashtable"], Kind::Names, any, &Hash).limits(Limit::Large),
        form(Lists, "listpack", &["listpack"], Kind::Names, [1, 1000], &List)
            .until(511, "list-max-listpack-size -2, 8 KiB, at 511 names"),
        form(Lists, "quicklist", &["quicklist"], Kind::Names, [1000, LARGEST], &List),
        form(Zsets, "listpack", &["listpack"], Kind::Names, small, &ZSet)
            .until(128, "zset-max-listpack-entries 128"),
        form(Zsets, "skip list", &["skiplist"], Kind::Names, any, &ZSet).limits(Limit::Large),
    ]
};

/// The limits with which a value is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// Those of Redis.
    Default,
    /// So high that a value keeps the encoding of small ones.
    Small,
    /// So low that a value has the encoding of large ones from the first element on.
    Large,
}

impl Limit {
    /// Returns the limits of a store.
    pub(super) fn limits(self) -> Limits {
        /// More elements than any size that is measured.
        const MANY: usize = 1 << 30;
        let default = Limits::default();
        match self {
            Self::Default => default,
            Self::Small => Limits {
                set_max_intset_entries: MANY,
                set_max_listpack_entries: MANY,
                hash_max_listpack_entries: MANY,
                zset_max_listpack_entries: MANY,
                list_max_listpack_size: -5,
                hll_sparse_max_bytes: 1 << 16,
                ..default
            },
            Self::Large => Limits {
                set_max_intset_entries: 0,
                set_max_listpack_entries: 0,
                hash_max_listpack_entries: 0,
                zset_max_listpack_entries: 0,
                hll_sparse_max_bytes: 0,
                ..default
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use tallis::Store;

    use super::super::measure::{Effort, Load};
    use super::super::shape::Work;
    use super::*;

    /// Returns the encoding and the length of a value of this size with the default limits.
    fn made(form: &Form, size: usize) -> (&'static str, usize) {
        let effort = Effort { elements: 1, questions: 1, rounds: 1 };
        let load = Load::of(form, size, effort);
        let store = Store::new();
        let mut holder = form.shape.holder(store.clone(), load.extent);
        let steps: Vec<_> = (0..size).map(|number| load.step(Work::Add, number)).collect();
        holder.run(Work::Add, &steps).unwrap();
        let key = holder.key().unwrap();
        let bytes = if form.family == Family::Hll { store.strlen(&*key).unwrap() } else { 0 };
        (store.object_encoding(&*key).unwrap().unwrap(), bytes)
    }

    #[test]
    fn the_default_limits_are_where_they_are_marked() {
        let mut marked = 0;
        for form in &FORMS {
            let Some((until, limit)) = form.until else { continue };
            marked += 1;
            if form.family == Family::Hll {
                // The limit is reached a few elements earlier or later. A dense value has 12,304 bytes.
                let sparse = made(form, until * 95 / 100).1;
                assert!(sparse <= 3000 && made(form, until * 105 / 100).1 == 12_304, "{sparse}");
                continue;
            }
            let [within, beyond] = [until, until + 1].map(|size| made(form, size).0);
            assert!(form.encodings.contains(&within), "{}: {within} {limit}", form.name);
            assert!(!form.encodings.contains(&beyond), "{}: {beyond} {limit}", form.name);
        }
        assert_eq!(marked, 8);
    }
}
