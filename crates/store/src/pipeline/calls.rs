//! Adding commands by the names of the typed methods.

use super::Pipeline;
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::to_member::{ToMember, ToMembers};
use crate::to_score::ToScore;

/// Defines methods that add a command: what it does, its name and parameters, and the words of the command.
macro_rules! calls {
    ($(
        $(#[$doc:meta])*
        $call:ident($($arg:ident: $kind:ident),*) = $name:literal;
    )*) => {
        /// # Typed calls
        ///
        /// Each method adds the command of the method with that name on a [`Store`](crate::Store); use
        /// [`cmd`](Self::cmd) for other commands.
        impl Pipeline<'_> {
            $(
                $(#[$doc])*
                pub fn $call(&mut self, $($arg: calls!(@type $kind)),*) -> &mut Self {
                    self.cmd($name)$(.$kind($arg))*
                }
            )*
        }
    };
    (@type key) => { impl ToKey };
    (@type keys) => { impl ToKeys };
    (@type arg) => { impl ToMember };
    (@type args) => { impl ToMembers };
}

calls! {
    /// Adds DEL of one or many keys.
    del(keys: keys) = "DEL";
    /// Adds EXISTS of one key.
    exists(key: key) = "EXISTS";
    /// Adds EXPIRE: sets a key to expire after that many seconds.
    expire(key: key, seconds: arg) = "EXPIRE";
    /// Adds PERSIST: removes the expiry of a key.
    persist(key: key) = "PERSIST";
    /// Adds TTL: returns the time to live of a key in seconds.
    ttl(key: key) = "TTL";
    /// Adds GET: returns a string.
    get(key: key) = "GET";
    /// Adds SET: sets a string.
    set(key: key, value: arg) = "SET";
    /// Adds SETNX: sets a string if the key does not exist.
    set_nx(key: key, value: arg) = "SETNX";
    /// Adds MGET of one or many keys.
    mget(keys: keys) = "MGET";
    /// Adds APPEND: appends to a string.
    append(key: key, value: arg) = "APPEND";
    /// Adds INCRBY: adds to an integer.
    incr(key: key, increment: arg) = "INCRBY";
    /// Adds DECRBY: subtracts from an integer.
    decr(key: key, decrement: arg) = "DECRBY";
    /// Adds STRLEN: returns the length of a string in bytes.
    strlen(key: key) = "STRLEN";
    /// Adds GETBIT: returns a bit.
    getbit(key: key, offset: arg) = "GETBIT";
    /// Adds PFADD of one or many elements.
    pfadd(key: key, elements: args) = "PFADD";
    /// Adds PFCOUNT of one or many keys.
    pfcount(keys: keys) = "PFCOUNT";
    /// Adds SADD of one or many members.
    sadd(key: key, members: args) = "SADD";
    /// Adds SREM of one or many members.
    srem(key: key, members: args) = "SREM";
    /// Adds SISMEMBER: returns whether a set has a member.
    sismember(key: key, member: arg) = "SISMEMBER";
    /// Adds SMISMEMBER of one or many members.
    smismember(key: key, members: args) = "SMISMEMBER";
    /// Adds SMEMBERS: returns all members of a set.
    smembers(key: key) = "SMEMBERS";
    /// Adds SCARD: returns the number of members of a set.
    scard(key: key) = "SCARD";
    /// Adds ZREM of one or many members.
    zrem(key: key, members: args) = "ZREM";
    /// Adds ZSCORE: returns the score of a member.
    zscore(key: key, member: arg) = "ZSCORE";
    /// Adds ZRANK: returns the rank of a member.
    zrank(key: key, member: arg) = "ZRANK";
    /// Adds ZCARD: returns the number of members of a sorted set.
    zcard(key: key) = "ZCARD";
    /// Adds HGET: returns the value of a field.
    hget(key: key, field: arg) = "HGET";
    /// Adds HSET of one field.
    hset(key: key, field: arg, value: arg) = "HSET";
    /// Adds HDEL of one or many fields.
    hdel(key: key, fields: args) = "HDEL";
    /// Adds HEXISTS: returns whether a hash has a field.
    hexists(key: key, field: arg) = "HEXISTS";
    /// Adds HINCRBY: adds to the integer in a field.
    hincr(key: key, field: arg, increment: arg) = "HINCRBY";
    /// Adds HGETALL: returns all fields and values.
    hgetall(key: key) = "HGETALL";
    /// Adds HLEN: returns the number of fields.
    hlen(key: key) = "HLEN";
    /// Adds LPUSH of one or many elements.
    lpush(key: key, elements: args) = "LPUSH";
    /// Adds RPUSH of one or many elements.
    rpush(key: key, elements: args) = "RPUSH";
    /// Adds LRANGE: returns the elements between two indexes, both included.
    lrange(key: key, start: arg, stop: arg) = "LRANGE";
    /// Adds LLEN: returns the number of elements.
    llen(key: key) = "LLEN";
}

impl Pipeline<'_> {
    /// Adds ZADD of one member.
    pub fn zadd(
        &mut self,
        key: impl ToKey,
        member: impl ToMember,
        score: impl ToScore,
    ) -> &mut Self {
        self.cmd("ZADD").key(key).arg(score.to_score()).arg(member)
    }

    /// Adds ZINCRBY: adds to the score of a member.
    pub fn zincr(
        &mut self,
        key: impl ToKey,
        member: impl ToMember,
        increment: impl ToScore,
    ) -> &mut Self {
        self.cmd("ZINCRBY").key(key).arg(increment.to_score()).arg(member)
    }
}
