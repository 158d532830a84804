//! What differs between lines of servers.

/// The line of servers whose bytes and replies a store gives: all that differs between them, in one place.
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
