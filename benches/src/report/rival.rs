//! The kinds of rivals, recognised by their names on the page.

/// The kind of a rival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A live server.
    Redis,
    /// The crate yo-kv: Redis's types in the process.
    Yo,
    /// Another crate, or the standard library.
    Crate,
    /// The same work in plain code, or in a plain form of a published algorithm.
    Plain,
    /// Not the same work: a limit of the machine.
    Bound,
    /// Another way to call ours: not a rival, but a reference in the same rounds.
    Form,
}

/// Prefixes of names and their kinds. The longest matching prefix counts.
const NAMES: &[(&str, Kind)] = &[
    ("redis-server", Kind::Redis),
    ("redis-8.2.3", Kind::Redis),
    ("yo-kv", Kind::Yo),
    ("BTreeSet", Kind::Crate),
    ("HashSet", Kind::Crate),
    ("RoaringBitmap", Kind::Crate),
    ("RoaringTreemap", Kind::Crate),
    ("VecDeque", Kind::Crate),
    ("bitvec", Kind::Crate),
    ("bloomfilter", Kind::Crate),
    ("cardinality-estimator", Kind::Crate),
    ("dashmap", Kind::Crate),
    ("fastbloom", Kind::Crate),
    ("fixedbitset", Kind::Crate),
    ("governor", Kind::Crate),
    ("hashbrown", Kind::Crate),
    ("hyperloglockless", Kind::Crate),
    ("hyperloglogplus", Kind::Crate),
    ("indexset", Kind::Crate),
    ("kdbush", Kind::Crate),
    ("kiddo", Kind::Crate),
    ("papaya", Kind::Crate),
    ("rdb 0.4", Kind::Crate),
    ("rstar", Kind::Crate),
    ("sbbf-rs-safe", Kind::Crate),
    ("simple_hll", Kind::Crate),
    ("skiplist and HashMap", Kind::Crate),
    ("Redis's algorithm", Kind::Plain),
    ("a plain loop", Kind::Plain),
    ("classic", Kind::Plain),
    ("sorted Vec", Kind::Plain),
    ("sorted merge", Kind::Plain),
    ("a plain read", Kind::Bound),
    ("arithmetic", Kind::Bound),
    ("one by one", Kind::Form),
];

impl Kind {
    /// Returns the kind of a rival, or `None` if its name is not known.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let known = NAMES.iter().filter(|(start, _)| name.starts_with(start));
        known.max_by_key(|(start, _)| start.len()).map(|&(_, kind)| kind)
    }

    /// Returns `true` if the rival does the same work, so that it can be ahead. An unknown name is assumed to.
    #[must_use]
    pub fn competes(name: &str) -> bool {
        !matches!(Self::of(name), Some(Self::Bound | Self::Form))
    }
}

/// A group of rivals for which a mean is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Live servers.
    Redis,
    /// Crates, yo-kv among them, and the standard library.
    Crates,
    /// Only yo-kv.
    Yo,
}

impl Side {
    /// All sides, in the order of the page.
    pub const ALL: [Self; 3] = [Self::Redis, Self::Crates, Self::Yo];

    /// Returns the name on the page.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redis => "Redis",
            Self::Crates => "the best crate",
            Self::Yo => "yo-kv",
        }
    }

    /// Returns `true` if a rival of this name belongs to the side.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        match (self, Kind::of(name)) {
            (Self::Redis, Some(Kind::Redis))
            | (Self::Crates, Some(Kind::Yo | Kind::Crate))
            | (Self::Yo, Some(Kind::Yo)) => true,
            (_, Some(_) | None) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, NAMES, Side};

    #[test]
    fn names_are_known_by_their_prefixes() {
        for (name, kind) in [
            ("redis-server, SADD alone", Some(Kind::Redis)),
            ("hashbrown of boxes", Some(Kind::Crate)),
            ("a plain loop, words", Some(Kind::Plain)),
            ("a plain read", Some(Kind::Bound)),
            ("HashSet of UUIDs as text", Some(Kind::Crate)),
            ("a new crate", None),
        ] {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
        let names: std::collections::HashSet<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), NAMES.len());
    }

    #[test]
    fn bounds_are_never_ahead_and_unknown_names_may_be() {
        let competes =
            ["arithmetic", "one by one", "hashbrown", "no such name"].map(Kind::competes);
        assert_eq!(competes, [false, false, true, true]);
    }

    #[test]
    fn yo_kv_is_a_crate_too() {
        let sides = |name| Side::ALL.map(|side| side.has(name));
        assert_eq!(sides("yo-kv"), [false, true, true]);
        assert_eq!(sides("redis-server"), [true, false, false]);
        assert_eq!(sides("Redis's algorithm"), [false; 3]);
        assert_eq!(sides("no such name"), [false; 3]);
    }
}
