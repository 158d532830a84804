//! Commands by the names of the typed calls.

use super::Pipeline;
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::to_member::{ToMember, ToMembers};
use crate::to_score::ToScore;

/// Methods that add a command: what it does, its name and parameters, and the words of the command.
macro_rules! calls {
    ($(
        $(#[$doc:meta])*
        $call:ident($($arg:ident: $kind:ident),*) = $name:literal;
    )*) => {
        /// # Typed calls
        ///
        /// Each adds the command of the call of that name on a [`Store`](crate::Store); any other command is added by
        /// [`cmd`](Self::cmd).
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
    /// DEL of one or many keys.
    del(keys: keys) = "DEL";
    /// EXISTS of one key.
    exists(key: key) = "EXISTS";
    /// EXPIRE: lets a key expire after so many seconds, an integer.
    expire(key: key, seconds: arg) = "EXPIRE";
    /// PERSIST: takes the expiry of a key away.
    persist(key: key) = "PERSIST";
    /// TTL: the seconds after which a key expires.
    ttl(key: key) = "TTL";
    /// GET.
    get(key: key) = "GET";
    /// SET.
    set(key: key, value: arg) = "SET";
    /// SETNX: sets a string if there is nothing at the key.
    set_nx(key: key, value: arg) = "SETNX";
    /// MGET of one or many keys.
    mget(keys: keys) = "MGET";
    /// APPEND.
    append(key: key, value: arg) = "APPEND";
    /// INCRBY: adds to an integer.
    incr(key: key, increment: arg) = "INCRBY";
    /// DECRBY: subtracts from an integer.
    decr(key: key, decrement: arg) = "DECRBY";
    /// STRLEN.
    strlen(key: key) = "STRLEN";
    /// GETBIT.
    getbit(key: key, offset: arg) = "GETBIT";
    /// PFADD of one or many elements.
    pfadd(key: key, elements: args) = "PFADD";
    /// PFCOUNT of one or many keys.
    pfcount(keys: keys) = "PFCOUNT";
    /// SADD of one or many members.
    sadd(key: key, members: args) = "SADD";
    /// SREM of one or many members.
    srem(key: key, members: args) = "SREM";
    /// SISMEMBER.
    sismember(key: key, member: arg) = "SISMEMBER";
    /// SMISMEMBER of one or many members.
    smismember(key: key, members: args) = "SMISMEMBER";
    /// SMEMBERS.
    smembers(key: key) = "SMEMBERS";
    /// SCARD.
    scard(key: key) = "SCARD";
    /// ZREM of one or many members.
    zrem(key: key, members: args) = "ZREM";
    /// ZSCORE.
    zscore(key: key, member: arg) = "ZSCORE";
    /// ZRANK.
    zrank(key: key, member: arg) = "ZRANK";
    /// ZCARD.
    zcard(key: key) = "ZCARD";
    /// HGET.
    hget(key: key, field: arg) = "HGET";
    /// HSET of one field.
    hset(key: key, field: arg, value: arg) = "HSET";
    /// HDEL of one or many fields.
    hdel(key: key, fields: args) = "HDEL";
    /// HEXISTS.
    hexists(key: key, field: arg) = "HEXISTS";
    /// HINCRBY: adds to the integer of a field.
    hincr(key: key, field: arg, increment: arg) = "HINCRBY";
    /// HGETALL.
    hgetall(key: key) = "HGETALL";
    /// HLEN.
    hlen(key: key) = "HLEN";
    /// LPUSH of one or many elements.
    lpush(key: key, elements: args) = "LPUSH";
    /// RPUSH of one or many elements.
    rpush(key: key, elements: args) = "RPUSH";
    /// LRANGE: the elements from one index to another.
    lrange(key: key, start: arg, stop: arg) = "LRANGE";
    /// LLEN.
    llen(key: key) = "LLEN";
}

impl Pipeline<'_> {
    /// ZADD of one member.
    pub fn zadd(
        &mut self,
        key: impl ToKey,
        member: impl ToMember,
        score: impl ToScore,
    ) -> &mut Self {
        self.cmd("ZADD").key(key).arg(score.to_score()).arg(member)
    }

    /// ZINCRBY: adds to the score of a member.
    pub fn zincr(
        &mut self,
        key: impl ToKey,
        member: impl ToMember,
        increment: impl ToScore,
    ) -> &mut Self {
        self.cmd("ZINCRBY").key(key).arg(increment.to_score()).arg(member)
    }
}
