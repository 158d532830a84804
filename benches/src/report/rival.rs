//! What kinds of rivals there are, by their names on the page.

/// What a rival is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A live server.
    Redis,
    /// The crate yo-kv: Redis's types in the process.
    Yo,
    /// Another crate, or the standard library.
    Crate,
    /// The same work in plain code, or in a published algorithm written down plainly.
    Plain,
    /// Not the same work: what the machine can give.
    Bound,
    /// Another way to ask ours: no rival, but a yardstick of the same rounds.
    Form,
}

/// The beginnings of names, and what they are of. The longest that fits counts.
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
    /// The kind of a rival, if its name is one of those that are known.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let known = NAMES.iter().filter(|(start, _)| name.starts_with(start));
        known.max_by_key(|(start, _)| start.len()).map(|&(_, kind)| kind)
    }

    /// Whether it does the same work, so that it can be ahead. A name that is not known counts as one that does.
    #[must_use]
    pub fn competes(name: &str) -> bool {
        !matches!(Self::of(name), Some(Self::Bound | Self::Form))
    }
}

/// Those beside whom a mean is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Live servers.
    Redis,
    /// Crates, yo-kv among them, and the standard library.
    Crates,
    /// yo-kv alone.
    Yo,
}

impl Side {
    /// In the order of the page.
    pub const ALL: [Self; 3] = [Self::Redis, Self::Crates, Self::Yo];

    /// How the page calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redis => "Redis",
            Self::Crates => "the best crate",
            Self::Yo => "yo-kv",
        }
    }

    /// Whether a rival of that name is on it.
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
    fn names_are_known_by_their_beginnings() {
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
