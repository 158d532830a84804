//! What differs between release series of servers.

use rdb::Target;
use skiplist_zset::ScoreText;

/// The release series of servers whose bytes and replies a store gives.
///
/// | | [`Redis70`](Self::Redis70) | [`Redis72`](Self::Redis72) |
/// |---|---|---|
/// | small sets with text | hash tables | listpacks |
/// | SADD of many members at once | chooses an encoding by the first member | also by their number |
/// | ZADD of many members at once | chooses an encoding by the first member | also by their number |
/// | scores in replies and listpacks | 17 digits: `0.10000000000000001` | few digits: `0.1` |
/// | ZRANK, ZREVRANK WITHSCORE | unknown | known |
/// | CONFIG `set-max-listpack-*` | unknown | known |
/// | BITOP DIFF, DIFF1, ANDOR, ONE | unknown | known, as in Redis 8.2 |
/// | GEOSEARCH BYPOLYGON | unknown | known, as in Valkey 9 |
/// | fourth digit of a distance | the nearest | that of the distance by 10,000 |
/// | version of DUMP, and the newest that RESTORE takes | 10 | 11, and 12 as far as its types are known |
///
/// The version of a snapshot is chosen apart from it (see [`WriteOptions`](crate::WriteOptions)).
///
/// # Examples
///
/// ```
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
pub enum Profile {
    /// Redis 7.0.
    Redis70,
    /// Redis 7.2, and Valkey 7.2 and 8.
    #[default]
    Redis72,
}

/// Everything in which release series differ: switches and formats. A new one is a new row of data; no command asks for a
/// release.
#[expect(clippy::struct_excessive_bools, reason = "a switch each")]
#[derive(Debug)]
struct Table {
    /// What INFO shows as `redis_version`.
    server_version: &'static str,
    /// The digits of the newest release whose commands and arguments are known.
    newest_release: [u8; 2],
    /// Whether small sets with text are listpacks. Settings for them are known then.
    set_listpacks: bool,
    /// Whether a command that adds many members chooses the encoding by their number too.
    sizes_ahead: bool,
    /// Whether a list of one packed node is a listpack.
    list_listpacks: bool,
    /// How scores and distances are written.
    score_text: ScoreText,
    /// Whether a distance is rounded by way of its ten thousandths.
    rounds_ten_thousandths: bool,
    /// Whether BITOP knows DIFF, DIFF1, ANDOR and ONE.
    bitop_differences: bool,
    /// Whether GEOSEARCH knows BYPOLYGON.
    geo_polygons: bool,
    /// The version of DUMP.
    dump_version: Target,
    /// The newest version that RESTORE takes.
    restore_version: u16,
}

const REDIS_70: Table = Table {
    server_version: "7.0.0",
    newest_release: *b"70",
    set_listpacks: false,
    sizes_ahead: false,
    list_listpacks: false,
    score_text: ScoreText::Digits17,
    rounds_ten_thousandths: false,
    bitop_differences: false,
    geo_polygons: false,
    dump_version: Target::V10,
    restore_version: 10,
};

const REDIS_72: Table = Table {
    server_version: "7.2.0",
    // All that is declared, some of it from later releases.
    newest_release: *b"99",
    set_listpacks: true,
    sizes_ahead: true,
    list_listpacks: true,
    score_text: ScoreText::Shortest,
    rounds_ten_thousandths: true,
    bitop_differences: true,
    geo_polygons: true,
    dump_version: Target::V11,
    restore_version: rdb::Version::NEWEST_REDIS,
};

/// A method for each column of the table.
macro_rules! columns {
    ($($name:ident: $type:ty),* $(,)?) => {
        impl Profile {
            $(
                #[inline]
                pub(crate) const fn $name(self) -> $type {
                    self.table().$name
                }
            )*
        }
    };
}

columns! {
    server_version: &'static str,
    set_listpacks: bool,
    sizes_ahead: bool,
    list_listpacks: bool,
    score_text: ScoreText,
    rounds_ten_thousandths: bool,
    bitop_differences: bool,
    geo_polygons: bool,
    dump_version: Target,
    restore_version: u16,
}

impl Profile {
    /// Every profile, in the order of their numbers.
    pub(crate) const ALL: [Self; 2] = [Self::Redis70, Self::Redis72];

    /// Whether servers of this series have what came with that release.
    pub(crate) const fn knows(self, since: &str) -> bool {
        let (since, [major, minor]) = (since.as_bytes(), self.table().newest_release);
        since[0] < major || since[0] == major && since[2] <= minor
    }

    const fn table(self) -> &'static Table {
        match self {
            Self::Redis70 => &REDIS_70,
            Self::Redis72 => &REDIS_72,
        }
    }

    /// How servers of this series write a score or a distance.
    ///
    /// ```
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
