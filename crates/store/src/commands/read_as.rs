//! Reading calls with the caller's types as results.

use std::ops::RangeBounds;

use super::hashes::table::map;
use super::zsets::table::pairs;
use super::{GeoSearch, LexBound, SortOptions, ZRange};
use crate::error::Result;
use crate::reply::{FromReply, Reply};
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::to_member::{ToMember, ToMembers};
use crate::value::Direction;

/// Defines reading calls, and how their results become replies.
macro_rules! read_as {
    ($($name:ident = $plain:ident($($argument:ident: $type:ty),*) by $reply:expr;)*) => {$(
        #[doc = concat!("As [`", stringify!($plain), "`](Self::", stringify!($plain), "), with the result converted to `T`: see [`FromReply`].")]
        ///
        /// # Errors
        ///
        #[doc = concat!("As [`", stringify!($plain), "`](Self::", stringify!($plain), ");")]
        /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the result cannot be converted to `T`. The
        /// command has taken effect in this case too.
        pub fn $name<T: FromReply>(&self, $($argument: $type),*) -> Result<T> {
            T::from_reply(($reply)(self.$plain($($argument),*)?))
        }
    )*};
}

/// # Results as the caller's types
///
/// Bytes can be read as a number, a string, an `Option` of these for a result that may be missing, or a list, a set or
/// a map of them.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use std::collections::{BTreeSet, HashMap};
///
/// use tallis::{ErrorKind, Store};
///
/// let store = Store::new();
/// store.mset(&[("count", "12"), ("pi", "3.14")])?;
/// assert_eq!(store.get_as::<u32>("count")?, 12);
/// assert_eq!(store.get_as::<Option<f64>>("pi")?, Some(3.14));
/// assert_eq!(store.get_as::<Option<f64>>("none")?, None);
/// assert_eq!(store.get_as::<u32>("pi").unwrap_err().kind(), ErrorKind::Conversion);
/// let (count, none): (i64, Option<String>) = store.mget_as(["count", "none"])?;
/// assert_eq!((count, none), (12, None));
///
/// store.sadd("ids", [3, 1, 2])?;
/// assert_eq!(store.smembers_as::<BTreeSet<u64>>("ids")?, BTreeSet::from([1, 2, 3]));
///
/// store.zadd_multiple("scores", &[(9.5, "ann"), (7.0, "bob")])?;
/// let scores: HashMap<String, f64> = store.zrange_withscores_as("scores", 0, -1)?;
/// assert_eq!(scores["ann"], 9.5);
/// # Ok::<(), tallis::Error>(())
/// ```
impl<L: Locks> Store<L> {
    read_as! {
        get_as = get(key: impl ToKey) by Reply::from;
        mget_as = mget(keys: impl ToKeys) by Reply::from;
        getrange_as = getrange(key: impl ToKey, from: i64, to: i64) by Reply::from;
        getset_as = getset(key: impl ToKey, value: impl ToMember) by Reply::from;
        get_del_as = get_del(key: impl ToKey) by Reply::from;
        lpop_as = lpop(key: impl ToKey) by Reply::from;
        rpop_as = rpop(key: impl ToKey) by Reply::from;
        lpop_multiple_as = lpop_multiple(key: impl ToKey, count: usize) by Reply::from;
        rpop_multiple_as = rpop_multiple(key: impl ToKey, count: usize) by Reply::from;
        lindex_as = lindex(key: impl ToKey, index: i64) by Reply::from;
        lrange_as = lrange(key: impl ToKey, start: i64, stop: i64) by Reply::from;
        lmove_as = lmove(source: impl ToKey, destination: impl ToKey, from: Direction, to: Direction) by Reply::from;
        rpoplpush_as = rpoplpush(source: impl ToKey, destination: impl ToKey) by Reply::from;
        sort_as = sort(key: impl ToKey, options: &SortOptions) by Reply::from;
        smembers_as = smembers(key: impl ToKey) by Reply::from;
        spop_as = spop(key: impl ToKey) by Reply::from;
        spop_multiple_as = spop_multiple(key: impl ToKey, count: usize) by Reply::from;
        srandmember_as = srandmember(key: impl ToKey) by Reply::from;
        srandmember_multiple_as = srandmember_multiple(key: impl ToKey, count: i64) by Reply::from;
        sinter_as = sinter(keys: impl ToKeys) by Reply::from;
        sunion_as = sunion(keys: impl ToKeys) by Reply::from;
        sdiff_as = sdiff(keys: impl ToKeys) by Reply::from;
        hget_as = hget(key: impl ToKey, field: impl ToMember) by Reply::from;
        hmget_as = hmget(key: impl ToKey, fields: impl ToMembers) by Reply::from;
        hgetall_as = hgetall(key: impl ToKey) by map;
        hkeys_as = hkeys(key: impl ToKey) by Reply::from;
        hvals_as = hvals(key: impl ToKey) by Reply::from;
        hrandfield_as = hrandfield(key: impl ToKey) by Reply::from;
        zrange_as = zrange(key: impl ToKey, start: i64, stop: i64) by Reply::from;
        zrange_withscores_as = zrange_withscores(key: impl ToKey, start: i64, stop: i64) by |members| Reply::Pairs(pairs(members));
        zrevrange_as = zrevrange(key: impl ToKey, start: i64, stop: i64) by Reply::from;
        zrevrange_withscores_as =
            zrevrange_withscores(key: impl ToKey, start: i64, stop: i64) by |members| Reply::Pairs(pairs(members));
        zrangebyscore_as =
            zrangebyscore(key: impl ToKey, scores: impl RangeBounds<f64>) by Reply::from;
        zrangebyscore_withscores_as =
            zrangebyscore_withscores(key: impl ToKey, scores: impl RangeBounds<f64>) by |members| Reply::Pairs(pairs(members));
        zrevrangebyscore_as =
            zrevrangebyscore(key: impl ToKey, scores: impl RangeBounds<f64>) by Reply::from;
        zrevrangebyscore_withscores_as =
            zrevrangebyscore_withscores(key: impl ToKey, scores: impl RangeBounds<f64>) by |members| Reply::Pairs(pairs(members));
        zrangebylex_as = zrangebylex(key: impl ToKey, min: LexBound, max: LexBound) by Reply::from;
        zrange_by_as = zrange_by(key: impl ToKey, range: &ZRange) by Reply::from;
        zrange_by_withscores_as =
            zrange_by_withscores(key: impl ToKey, range: &ZRange) by |members| Reply::Pairs(pairs(members));
        zpopmin_as = zpopmin(key: impl ToKey, count: usize) by |members| Reply::Pairs(pairs(members));
        zpopmax_as = zpopmax(key: impl ToKey, count: usize) by |members| Reply::Pairs(pairs(members));
        zrandmember_as = zrandmember(key: impl ToKey) by Reply::from;
        geo_search_as = geo_search(key: impl ToKey, search: &GeoSearch) by Reply::from;
    }
}
