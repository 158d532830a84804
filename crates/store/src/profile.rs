//! The differences between release series of servers.

use rdb::Target;
use skiplist_zset::ScoreText;

use crate::text::double::Weights;

/// The release series whose bytes and replies a store follows.
///
/// | | [`Redis70`](Self::Redis70) | [`Redis72`](Self::Redis72) | [`Redis82`](Self::Redis82) | [`Valkey91`](Self::Valkey91) |
/// |---|---|---|---|---|
/// | small sets with text | hash tables | listpacks | listpacks | listpacks |
/// | small lists | quicklists | listpacks | listpacks | listpacks |
/// | strings that are `embstr` | up to 44 bytes | up to 44 bytes | up to 41 including the key, 33 with an expiry | up to 113 including the key |
/// | elements of a list with their own node | of 1 GiB and more | of 1 GiB and more | larger than a node | larger than a node |
/// | LREM with the count -9223372036854775808 | accepted | accepted | refused | refused |
/// | LTRIM that removes nothing, for WATCH | is a change | is a change | is a change | is no change |
/// | LSET of an index beyond 32 bits | refused | refused | uses its last 32 bits | uses its last 32 bits |
/// | LPOS RANK -9223372036854775808 | as -1, with any COUNT | refused | refused | refused |
/// | SADD of many members at once | chooses an encoding by the first member | also by their number | also by their number | also by their number |
/// | HSET of many fields at once | chooses an encoding field by field | also by their number | also by their number | also by their number |
/// | ZADD of many members at once | chooses an encoding by the first member | also by their number | also by their number | also by their number |
/// | scores in replies and listpacks | 17 digits: `0.10000000000000001` | few digits: `0.1` | few digits | few digits |
/// | coordinates | 17 digits after the point | 17 digits after the point | as scores | 17 digits after the point |
/// | hexadecimal numbers | scores, weights, positions, ends of ranges | the same | scores, weights, positions | none |
/// | ends of ranges of scores with leading white space | accepted | accepted | refused | refused |
/// | weights of SORT | as C parses them | as C parses them | no hexadecimal numbers or white space; out of range is infinite | the same, but empty or out of range is refused |
/// | nodes of a list that SORT stores | of the default size | of the default size | as configured | as configured |
/// | ZRANK, ZREVRANK WITHSCORE | unknown | supported | supported | supported |
/// | CONFIG `set-max-listpack-*`, `locale-collate`, `cluster-announce-human-nodename`, `cluster-ping-interval` | unknown | supported | supported | supported |
/// | CONFIG SET of a limit that is out of range: error | names both ends of the range | names both ends | names the lower end | names both ends |
/// | BITCOUNT, BITPOS if the key does not exist | 0 or -1, for any range | 0 or -1, for any range | refuse a wrong range | refuse a wrong range |
/// | BITCOUNT with a start alone | refused | refused | refused | supported |
/// | BITOP DIFF, DIFF1, ANDOR, ONE | unknown | supported, as in Redis 8.2 | supported | unknown |
/// | type of a bit field with a NUL in it | read up to the NUL | read up to the NUL | read up to the NUL | refused |
/// | GEOSEARCH BYPOLYGON | unknown | supported, as in Valkey 9 | unknown | supported |
/// | error if the centre of a search is not a member | could not decode | could not decode | could not decode | names the member |
/// | fourth digit of a distance | nearest | of the distance times 10,000 | of the distance times 10,000 | of the distance times 10,000 |
/// | cursor of a scan | may be empty or negative | may be empty or negative | is an unsigned number | is an unsigned number |
/// | SCAN TYPE with an unknown type | finds nothing | finds nothing | finds nothing | refused |
/// | SCAN TYPE that visits an expired key of another type | deletes it | deletes it | deletes it | leaves it |
/// | GETEX if the key does not exist | nil, for any expiry | nil, for any expiry | nil, for any expiry | refuses a wrong expiry |
/// | COMMAND GETKEYS of a name alone: error | wrong number of arguments | wrong number of arguments | the error of that command | the error of that command |
/// | COMMAND INFO: flags, tips, key specifications | of 7.0 | of 7.0 | of 8.2 | of 9.1 |
/// | MULTI, WATCH in a transaction | refused | refused | refused | refused, and EXEC fails |
/// | CLIENT SETINFO, CLIENT NO-TOUCH | unknown | supported | supported | supported |
/// | CLIENT LIST TYPE and ID | one of them | one of them | one of them | both, and TYPE PRIMARY |
/// | a name with a NUL in CLIENT SETNAME and HELLO | refused | checked up to the NUL | the same | the same |
/// | HELLO SETNAME before a refused option | names the session | does not | does not | does not |
/// | CLIENT NO-EVICT after RESET | stays on | is off | is off | is off |
/// | DEBUG OBJECT key fast | unknown | unknown | unknown | supported |
/// | commands on the expiry of fields | unknown | supported, as in Redis 8.2 | supported | supported, with other errors, HSETEX NX and XX, and later times |
/// | HSETEX with a time in the past, of fields that do not exist, for WATCH | - | is a change | is a change | is no change |
/// | small hashes with fields that expire | - | listpacks | listpacks | hash tables |
/// | SET IFEQ, DELIFEQ, MSETEX | unknown | supported, as in Valkey 9.1 | unknown | supported |
/// | DEBUG DIGEST of a field that expires | differs from one that does not | differs from one that does not | differs from one that does not | the same as of one that does not |
/// | version of DUMP | 10 | 11 | 12 | 80 |
/// | versions that RESTORE accepts | up to 10 | any with known types | up to 12 | 1 to 11, and 80 |
/// | LIMIT with a negative offset, of a skip list | nothing | nothing | nothing | counts from the end of the range |
/// | ZADD of several members, one of which is too long for a listpack | adds those before it to a listpack | adds those before it to a listpack | adds those before it to a listpack | makes a skip list first |
/// | SET with an expiry in the past | leaves an expired key | leaves an expired key | leaves an expired key | deletes the key |
///
/// The version of a snapshot is chosen separately (see [`SaveOptions`](crate::SaveOptions)).
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
    /// Redis 8.2.
    Redis82,
    /// Valkey 9.1.
    Valkey91,
}

/// Defines everything in which release series differ: a method for each switch and format, with its value in each
/// profile. A new profile is a new column; commands do not compare releases.
macro_rules! table {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $redis_70:expr, $redis_72:expr, $redis_82:expr, $valkey_91:expr;)*) => {
        impl Profile {
            $($(#[$doc])*
            #[inline]
            pub(crate) const fn $name(self) -> $type {
                match self {
                    Self::Redis70 => $redis_70,
                    Self::Redis72 => $redis_72,
                    Self::Redis82 => $redis_82,
                    Self::Valkey91 => $valkey_91,
                }
            })*
        }
    };
}

table! {
    /// The name for selecting it.
    label: &'static str = "7.0", "7.2", "8.2", "valkey-9.1";
    /// The first release that it applies to, and whether that is one of Valkey.
    first_release: ([u32; 2], bool) = ([0, 0], false), ([7, 2], false), ([8, 2], false), ([9, 0], true);
    /// The `redis_version` of INFO; Valkey returns the Redis version that it is compatible with.
    server_version: &'static str = "7.0.0", "7.2.0", "8.2.0", "7.2.4";
    /// The digits of the newest release whose commands and arguments are supported: 99 for all that are declared.
    newest_release: [u8; 2] = *b"70", *b"99", *b"82", *b"91";
    /// Whether small sets with text are listpacks. The settings for them exist then.
    set_listpacks: bool = false, true, true, true;
    /// Whether CONFIG has the settings that were added in 7.2.
    settings_of_72: bool = false, true, true, true;
    /// Whether a command that adds many members chooses the encoding by their number too.
    sizes_ahead: bool = false, true, true, true;
    /// Whether LPOS refuses the minimum rank, which was treated as -1 before.
    lpos_ranks: bool = false, true, true, true;
    /// Whether a list of one packed node is a listpack.
    list_listpacks: bool = false, true, true, true;
    /// Whether nodes of a list are merged if their bytes fit into one: earlier series allow 4 bytes more.
    list_merges_exactly: bool = false, true, true, true;
    /// Whether nodes of a list are merged around an element with its own node that replaced a smaller one.
    list_merges_replaced: bool = false, true, true, true;
    /// The length in bytes from which an element of a list has its own node; 0 for those that are larger than a node.
    list_plain_from: u32 = 1 << 30, 1 << 30, 0, 0;
    /// Whether commands on the expiry of fields parse their words as Valkey does.
    reads_fields_as_valkey: bool = false, false, false, true;
    /// Whether a small hash with fields that expire is a listpack.
    expiring_listpacks: bool = true, true, true, false;
    /// Whether HSETEX with a time in the past is a change for WATCH if none of the fields existed.
    watch_sees_expired_fields: bool = true, true, true, false;
    /// The latest expiry of a field, in milliseconds since the epoch. Later times are refused.
    last_field_expiry: i64 = (1 << 46) - 1, (1 << 46) - 1, (1 << 46) - 1, i64::MAX - 1;
    /// Whether LTRIM that removes nothing is a change for WATCH.
    ltrim_always_changes: bool = true, true, true, false;
    /// Whether LREM refuses the minimum count.
    lrem_counts: bool = false, false, true, true;
    /// Whether LSET uses the last 32 bits of its index.
    lset_takes_32_bits: bool = false, false, true, true;
    /// Which strings are `embstr` in OBJECT ENCODING.
    embedding: Embedding = Embedding::ALONE, Embedding::ALONE, Embedding::REDIS_82, Embedding::VALKEY_91;
    /// How scores and distances are formatted.
    score_text: ScoreText = ScoreText::Digits17, ScoreText::Shortest, ScoreText::Shortest, ScoreText::Shortest;
    /// Whether coordinates are formatted as scores are, or with up to 17 digits after the decimal point.
    coordinates_as_scores: bool = false, false, true, false;
    /// Whether a score, a weight or a position may be a hexadecimal number.
    hexadecimal_scores: bool = true, true, true, false;
    /// Whether the end of a range of scores may be a hexadecimal number, or have leading white space.
    range_ends_of_c: bool = true, true, false, false;
    /// Which texts are valid weights of SORT.
    sort_weights: Weights = Weights::OfC, Weights::OfC, Weights::Rounded, Weights::Plain;
    /// Whether a list that SORT stores has nodes of the configured size, or of the default size.
    sort_keeps_to_settings: bool = false, false, true, true;
    /// Whether a distance is multiplied by 10,000 before it is rounded.
    rounds_ten_thousandths: bool = false, true, true, true;
    /// Whether BITCOUNT and BITPOS parse all of their words before they look up the key.
    bits_read_words_first: bool = false, false, true, true;
    /// Whether BITCOUNT accepts a start without an end.
    bitcount_without_end: bool = false, false, false, true;
    /// Whether the bytes after a NUL in the type of a bit field are parsed.
    field_types_are_whole: bool = false, false, false, true;
    /// Whether BITOP supports DIFF, DIFF1, ANDOR and ONE.
    bitop_differences: bool = false, true, true, false;
    /// Whether GEOSEARCH supports BYPOLYGON.
    geo_polygons: bool = false, true, false, true;
    /// Whether the error of a search around a missing member names it.
    geo_names_member: bool = false, false, false, true;
    /// Whether the error of GEOSEARCH without an area mentions polygons.
    geo_tells_of_polygons: bool = false, false, false, true;
    /// Whether GETEX parses the expiry before it looks up the key.
    getex_reads_expiry_first: bool = false, false, false, true;
    /// Whether a negative offset counts from the end of a range of a skip list, or is after it.
    offsets_from_end: bool = false, false, false, true;
    /// Whether ZADD chooses an encoding by its longest member.
    zadd_looks_ahead: bool = false, false, false, true;
    /// Whether SET with an expiry in the past deletes the key, or leaves an expired one.
    set_deletes: bool = false, false, false, true;
    /// Whether SCAN refuses a TYPE that no key can have.
    scan_refuses_types: bool = false, false, false, true;
    /// Whether SCAN TYPE leaves expired keys of other types.
    scan_keeps_other_types: bool = false, false, false, true;
    /// Whether the cursor of a scan may have leading white space, and may not be empty or negative.
    cursors_are_unsigned: bool = false, false, true, true;
    /// The arity of COMMAND GETKEYS and COMMAND GETKEYSANDFLAGS.
    getkeys_arity: i8 = -4, -4, -3, -3;
    /// Whether WATCH and MULTI inside a transaction make EXEC fail.
    transactions_refuse: bool = false, false, false, true;
    /// The error of EVALSHA for an unknown digest.
    no_script: &'static str = NO_SCRIPT, NO_SCRIPT, NO_SCRIPT, "NOSCRIPT No matching script.";
    /// Whether COMMAND INFO returns the facts of newer servers where they differ from 7.0.
    tells_newer_facts: bool = false, false, true, true;
    /// The same for facts of Valkey alone.
    tells_facts_as_valkey: bool = false, false, false, true;
    /// The fields of CLIENT LIST.
    client_fields: &'static str = FIELDS_70, FIELDS_72, FIELDS_82, FIELDS_VALKEY_91;
    /// Whether CLIENT LIST accepts any number of filters, or one.
    filters_clients: bool = false, false, false, true;
    /// Whether the name of a client is checked only up to a NUL.
    names_end_at_nul: bool = false, true, true, true;
    /// Whether HELLO sets the name at once, or only if no option was refused.
    hello_names_at_once: bool = true, false, false, false;
    /// Whether CLIENT NO-EVICT is kept after RESET.
    reset_keeps_no_evict: bool = true, false, false, false;
    /// Whether DEBUG OBJECT accepts a second word.
    debug_object_option: bool = false, false, false, true;
    /// Whether DEBUG DIGEST includes that a field expires.
    digests_tell_expiring_fields: bool = true, true, true, false;
    /// Whether CONFIG SET omits the maximum in the error of a limit.
    config_open_limits: bool = false, false, true, false;
    /// The version of DUMP.
    dump_version: Target = Target::V10, Target::V11, Target::V12, Target::Valkey80;
    /// The first and the last versions that RESTORE accepts, among those whose types are known.
    restored_versions: [[u16; 2]; 2] = [[0, 10]; 2], [[0, u16::MAX]; 2], [[0, 12]; 2], [[1, 11], [80, 80]];
}

const FIELDS_70: &str = "id addr laddr fd name age idle flags db sub psub ssub multi qbuf qbuf-free argv-mem \
    multi-mem rbs rbp obl oll omem tot-mem events cmd user redir resp";
const FIELDS_72: &str = "id addr laddr fd name age idle flags db sub psub ssub multi qbuf qbuf-free argv-mem \
    multi-mem rbs rbp obl oll omem tot-mem events cmd user redir resp lib-name lib-ver";
const FIELDS_82: &str = "id addr laddr fd name age idle flags db sub psub ssub multi watch qbuf qbuf-free argv-mem \
    multi-mem rbs rbp obl oll omem tot-mem events cmd user redir resp lib-name lib-ver io-thread tot-net-in \
    tot-net-out tot-cmds";
const FIELDS_VALKEY_91: &str = "id addr laddr fd name age idle flags capa db sub psub ssub multi watch qbuf \
    qbuf-free argv-mem multi-mem rbs rbp obl oll omem tot-mem events cmd user redir resp lib-name lib-ver \
    tot-net-in tot-net-out tot-cmds";

const NO_SCRIPT: &str = "NOSCRIPT No matching script. Please use EVAL.";

/// Which strings are in one block with their object and key, shown by OBJECT ENCODING as `embstr`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Embedding {
    /// The maximum length of the string; of string and key together if the key is in the block too.
    most: usize,
    with_key: bool,
    /// The bytes that an expiry takes.
    expiry: usize,
    /// The additional bytes that a key of 32 bytes and more takes.
    long_key: usize,
    /// The bytes that are reserved for the expiry of the value that a string replaces, whether or not it is kept.
    replaced_expiry: usize,
}

impl Embedding {
    const ALONE: Self =
        Self { most: 44, with_key: false, expiry: 0, long_key: 0, replaced_expiry: 0 };
    const REDIS_82: Self =
        Self { most: 41, with_key: true, expiry: 8, long_key: 0, replaced_expiry: 0 };
    const VALKEY_91: Self =
        Self { most: 113, with_key: true, expiry: 0, long_key: 2, replaced_expiry: 8 };

    /// Returns whether it depends on the key.
    pub(crate) const fn goes_by_key(self) -> bool {
        self.with_key
    }

    /// Returns whether a string of `len` bytes that was set as a whole is `embstr`.
    pub(crate) const fn holds(self, len: usize, key: usize, expires: bool) -> bool {
        let expiry = if expires { self.expiry } else { 0 };
        let key = key + if key >= 32 { self.long_key } else { 0 };
        len + expiry + if self.with_key { key } else { 0 } <= self.most
    }

    /// Returns whether a string is not `embstr` only because it replaced a value with an expiry.
    pub(crate) const fn yields_to_expiry(self, len: usize, key: usize) -> bool {
        self.holds(len, key, false) && !self.holds(len + self.replaced_expiry, key, false)
    }
}

impl Profile {
    /// Every profile, the oldest first and Valkey's last.
    pub const ALL: [Self; 4] = [Self::Redis70, Self::Redis72, Self::Redis82, Self::Valkey91];

    /// Returns the name of the release series: `7.0`, `7.2`, `8.2` or `valkey-9.1`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.label()
    }

    /// Returns the profile of a server, given its reply to `INFO server`, or `None` if that has no version.
    ///
    /// A server between two release series has the older profile, a server that is older than all of them the oldest
    /// one. Valkey before 9 has the profile of the Redis version that it is compatible with.
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Profile;
    ///
    /// assert_eq!(Profile::of("# Server\r\nredis_version:8.2.3\r\n"), Some(Profile::Redis82));
    /// assert_eq!(Profile::of("redis_version:7.4.1"), Some(Profile::Redis72));
    /// assert_eq!(Profile::of("redis_version:7.2.4\nserver_name:valkey\nvalkey_version:9.1.2"), Some(Profile::Valkey91));
    /// assert_eq!(Profile::of("redis_version:7.2.4\nserver_name:valkey\nvalkey_version:8.0.1"), Some(Profile::Redis72));
    /// assert_eq!(Profile::of(""), None);
    /// ```
    #[must_use]
    pub fn of(info: &str) -> Option<Self> {
        let version = |name: &str| {
            let text = info.lines().find_map(|line| line.strip_prefix(name))?;
            let mut numbers = text.trim().split('.').map(str::parse);
            Some([numbers.next()?.ok()?, numbers.next()?.ok()?])
        };
        let (redis, valkey) = (version("redis_version:")?, version("valkey_version:"));
        Self::ALL.into_iter().rfind(|profile| {
            let (first, is_valkey) = profile.first_release();
            let own = if is_valkey { valkey } else { Some(redis) };
            own.is_some_and(|version| version >= first)
        })
    }

    /// Returns whether servers of this series have what was added in that release.
    pub(crate) const fn knows(self, since: &str) -> bool {
        let (since, [major, minor]) = (since.as_bytes(), self.newest_release());
        since[0] < major || since[0] == major && since[2] <= minor
    }

    /// Formats a score or a distance as servers of this series do.
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
        // The text is ASCII.
        String::from_utf8_lossy(&text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lengths of keys and strings at which OBJECT ENCODING of Redis 8.2.3 and Valkey 9.1.2 changes.
    #[test]
    fn a_string_is_embedded_as_far_as_its_block_has_room() {
        let most = |embedding: Embedding, key, expires| {
            (0..200).rfind(|&len| embedding.holds(len, key, expires))
        };
        for expires in [false, true] {
            assert_eq!(most(Embedding::ALONE, 100, expires), Some(44));
        }
        for (key, redis, expiring, valkey) in [
            (0, Some(41), Some(33), Some(113)),
            (10, Some(31), Some(23), Some(103)),
            (31, Some(10), Some(2), Some(82)),
            (40, Some(1), None, Some(71)),
            (100, None, None, Some(11)),
            (127, None, None, None),
        ] {
            for len in 0..200 {
                let yields = valkey
                    .is_some_and(|most: usize| (most.saturating_sub(7)..=most).contains(&len));
                assert_eq!(Embedding::VALKEY_91.yields_to_expiry(len, key), yields, "{key}, {len}");
                assert!(!Embedding::REDIS_82.yields_to_expiry(len, key), "{key}, {len}");
            }
            assert_eq!(most(Embedding::REDIS_82, key, false), redis, "{key}");
            assert_eq!(most(Embedding::REDIS_82, key, true), expiring, "{key}");
            assert_eq!(most(Embedding::VALKEY_91, key, false), valkey, "{key}");
            assert_eq!(most(Embedding::VALKEY_91, key, true), valkey, "{key}");
        }
    }

    #[test]
    fn each_profile_is_that_of_the_server_that_it_shows() {
        for profile in [Profile::Redis70, Profile::Redis72, Profile::Redis82] {
            let info = format!("redis_version:{}\r\n", profile.server_version());
            assert_eq!(Profile::of(&info), Some(profile));
        }
        assert_eq!(Profile::of("redis_version:6.2.5"), Some(Profile::Redis70));
        assert_eq!(Profile::of("redis_version:255.255.255"), Some(Profile::Redis82));
    }
}
