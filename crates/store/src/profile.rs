//! What differs between release series of servers.

use rdb::Target;
use skiplist_zset::ScoreText;

/// The release series of servers whose bytes and replies a store gives.
///
/// | | [`Redis70`](Self::Redis70) | [`Redis72`](Self::Redis72) |
/// |---|---|---|
/// | small sets with text | hash tables | listpacks |
/// | small lists | quicklists | listpacks |
/// | LPOS RANK -9223372036854775808 | as -1, whatever COUNT says | refused |
/// | SADD of many members at once | chooses an encoding by the first member | also by their number |
/// | HSET of many fields at once | chooses an encoding field by field | also by their number |
/// | ZADD of many members at once | chooses an encoding by the first member | also by their number |
/// | scores in replies and listpacks | 17 digits: `0.10000000000000001` | few digits: `0.1` |
/// | ZRANK, ZREVRANK WITHSCORE | unknown | known |
/// | CONFIG `set-max-listpack-*`, `locale-collate`, `cluster-announce-human-nodename`, `cluster-ping-interval` | unknown | known |
/// | BITOP DIFF, DIFF1, ANDOR, ONE | unknown | known, as in Redis 8.2 |
/// | GEOSEARCH BYPOLYGON | unknown | known, as in Valkey 9 |
/// | fourth digit of a distance | the nearest | that of the distance by 10,000 |
/// | version of DUMP, and the newest that RESTORE takes | 10 | 11, and later ones and those of Valkey as far as their types are known |
///
/// The version of a snapshot is chosen apart from it (see [`SaveOptions`](crate::SaveOptions)).
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Profile, Store};
///
/// let new = Store::new();
/// new.sadd("s", ["a", "b"])?;
/// assert_eq!(new.object_encoding("s")?, Some("listpack"));
///
/// let old = Store::builder().profile(Profile::Redis70).build();
/// old.sadd("s", ["a", "b"])?;
/// assert_eq!(old.object_encoding("s")?, Some("hashtable"));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Profile {
    /// Redis 7.0.
    Redis70,
    /// Redis 7.2, and Valkey 7.2 and 8.
    #[default]
    Redis72,
}

/// Everything in which release series differ: a method for each switch and format, and what it is in each profile. A
/// new profile is a new column; no command asks for a release.
macro_rules! table {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $redis_70:expr, $redis_72:expr;)*) => {
        impl Profile {
            $($(#[$doc])*
            #[inline]
            pub(crate) const fn $name(self) -> $type {
                match self {
                    Self::Redis70 => $redis_70,
                    Self::Redis72 => $redis_72,
                }
            })*
        }
    };
}

table! {
    /// What INFO shows as `redis_version`.
    server_version: &'static str = "7.0.0", "7.2.0";
    /// The digits of the newest release whose commands and arguments are known: 99 is all that is declared.
    newest_release: [u8; 2] = *b"70", *b"99";
    /// Whether small sets with text are listpacks. Settings for them are known then.
    set_listpacks: bool = false, true;
    /// Whether CONFIG knows the settings that came with 7.2.
    settings_of_72: bool = false, true;
    /// Whether a command that adds many members chooses the encoding by their number too.
    sizes_ahead: bool = false, true;
    /// Whether LPOS refuses the one rank that is less than all others, which once was as good as -1.
    lpos_ranks: bool = false, true;
    /// Whether a list of one packed node is a listpack.
    list_listpacks: bool = false, true;
    /// Whether nodes of a list are merged if their bytes fit into one: before, 4 bytes more had room.
    list_merges_exactly: bool = false, true;
    /// Whether nodes of a list are merged about an element of its own node that took the place of a smaller one.
    list_merges_replaced: bool = false, true;
    /// How scores and distances are written.
    score_text: ScoreText = ScoreText::Digits17, ScoreText::Shortest;
    /// Whether a distance is rounded by way of its ten thousandths.
    rounds_ten_thousandths: bool = false, true;
    /// Whether BITOP knows DIFF, DIFF1, ANDOR and ONE.
    bitop_differences: bool = false, true;
    /// Whether GEOSEARCH knows BYPOLYGON.
    geo_polygons: bool = false, true;
    /// The version of DUMP.
    dump_version: Target = Target::V10, Target::V11;
    /// The newest version that RESTORE takes, of those whose types are known.
    restore_version: u16 = 10, u16::MAX;
}

impl Profile {
    /// Every profile, in the order of their numbers.
    pub(crate) const ALL: [Self; 2] = [Self::Redis70, Self::Redis72];

    /// Whether servers of this series have what came with that release.
    pub(crate) const fn knows(self, since: &str) -> bool {
        let (since, [major, minor]) = (since.as_bytes(), self.newest_release());
        since[0] < major || since[0] == major && since[2] <= minor
    }

    /// How servers of this series write a score or a distance.
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Profile;
    ///
    /// assert_eq!(Profile::Redis70.double(0.1), "0.10000000000000001");
    /// assert_eq!(Profile::Redis72.double(0.1), "0.1");
    /// ```
    #[must_use]
    pub fn double(self, number: f64) -> String {
        let mut text = Vec::with_capacity(24);
        self.score_text().push(number, &mut text);
        // All of it is ASCII.
        String::from_utf8_lossy(&text).into_owned()
    }
}
