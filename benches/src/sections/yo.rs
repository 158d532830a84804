//! yo-kv's keyspace behind the interface of the benchmarks: Redis's types in one process and for one thread, without a
//! lock.
//!
//! It is called as ours is, one member per call. Its clock does not advance unless it is set: no call reads the time.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::fmt;
use std::hint::black_box;
use std::iter::once;

use yo_kv::bitmaps::{Sub, SubOp};
use yo_kv::bits::{Field, Op, Overflow};
use yo_kv::geo::{Shape, Unit};
use yo_kv::geos::{Limit, Sort, circle};
use yo_kv::{End, Keyspace, Query, Str, ZAdd};

/// The name on the page.
pub(super) const NAME: &str = "yo-kv";

/// The longest string that it allows, in bytes.
pub(super) const STRING_MAX: usize = yo_kv::STRING_MAX;

/// A keyspace.
#[derive(Default)]
pub(super) struct Yo(Keyspace);

impl fmt::Debug for Yo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Yo").field("keys", &self.0.len()).finish()
    }
}

/// Keys and strings.
impl Yo {
    /// Returns the number of keys.
    pub(super) fn keys(&self) -> usize {
        self.0.len()
    }

    /// SET.
    pub(super) fn set(&mut self, key: &[u8], value: &[u8]) {
        self.0.set_plain(key, value).unwrap();
    }

    /// GET without a copy. Returns the value's length.
    pub(super) fn get(&mut self, key: &[u8]) -> usize {
        self.0.get(key).unwrap().unwrap().len()
    }

    /// Returns `true` if GET returns this value.
    pub(super) fn has(&mut self, key: &[u8], value: &[u8]) -> bool {
        matches!(self.0.get(key).unwrap(), Some(Str::Bytes(bytes)) if bytes == value)
    }
}

/// Hashes.
impl Yo {
    /// HSET of one field.
    pub(super) fn hset(&mut self, key: &[u8], field: &[u8], value: &[u8]) -> bool {
        self.0.hset(key, once((field, value))).unwrap() == 1
    }

    /// HGET without a copy. Returns `true` if the field exists.
    pub(super) fn hget(&mut self, key: &[u8], field: &[u8]) -> bool {
        self.0.hget(key, field, |value| black_box(value).is_some()).unwrap()
    }

    /// HGETALL without a copy. Returns the number of fields.
    pub(super) fn hgetall(&mut self, key: &[u8]) -> usize {
        let mut fields = 0;
        self.0
            .hgetall(key, |field, value| {
                black_box((field, value));
                fields += 1;
            })
            .unwrap();
        fields
    }
}

/// Lists.
impl Yo {
    /// LPUSH of one element.
    pub(super) fn lpush(&mut self, key: &[u8], element: &[u8]) {
        self.0.push(key, End::Left, once(element)).unwrap();
    }

    /// RPOP. Returns `true` if the list had an element.
    pub(super) fn rpop(&mut self, key: &[u8]) -> bool {
        black_box(self.0.pop(key, End::Right).unwrap()).is_some()
    }

    /// LPOP. Returns `true` if the list had an element.
    pub(super) fn lpop(&mut self, key: &[u8]) -> bool {
        black_box(self.0.pop(key, End::Left).unwrap()).is_some()
    }

    /// LINDEX without a copy. Returns `true` if the element exists.
    pub(super) fn lindex(&mut self, key: &[u8], index: i64) -> bool {
        black_box(self.0.lindex(key, index).unwrap()).is_some()
    }

    /// LSET.
    pub(super) fn lset(&mut self, key: &[u8], index: i64, element: &[u8]) {
        self.0.lset(key, index, element).unwrap();
    }

    /// LINSERT BEFORE. Returns `true` if the pivot exists.
    pub(super) fn linsert_before(&mut self, key: &[u8], pivot: &[u8], element: &[u8]) -> bool {
        self.0.linsert(key, true, pivot, element).unwrap() > 0
    }

    /// LRANGE without a copy. Returns the number of elements.
    pub(super) fn lrange(&mut self, key: &[u8], start: i64, stop: i64) -> usize {
        self.0.lrange(key, start, stop).unwrap().map(black_box).count()
    }
}

/// Sets.
impl Yo {
    /// SADD of one member.
    pub(super) fn sadd(&mut self, key: &[u8], member: &[u8]) -> bool {
        self.0.sadd(key, once(member)).unwrap() == 1
    }

    /// SISMEMBER.
    pub(super) fn sismember(&mut self, key: &[u8], member: &[u8]) -> bool {
        self.0.sismember(key, member).unwrap()
    }

    /// SCARD.
    pub(super) fn scard(&mut self, key: &[u8]) -> usize {
        self.0.scard(key).unwrap()
    }

    /// SINTERSTORE.
    pub(super) fn sinterstore(&mut self, target: &[u8], keys: [&[u8]; 2]) -> usize {
        self.0.sinterstore(target, keys.into_iter()).unwrap()
    }

    /// SUNIONSTORE.
    pub(super) fn sunionstore(&mut self, target: &[u8], keys: [&[u8]; 2]) -> usize {
        self.0.sunionstore(target, keys.into_iter()).unwrap()
    }

    /// SDIFFSTORE.
    pub(super) fn sdiffstore(&mut self, target: &[u8], keys: [&[u8]; 2]) -> usize {
        self.0.sdiffstore(target, keys.into_iter()).unwrap()
    }
}

/// Sorted sets.
impl Yo {
    /// ZADD of one member.
    pub(super) fn zadd(&mut self, key: &[u8], member: &[u8], score: f64) {
        self.0.zadd(key, once((score, member)), ZAdd::default()).unwrap();
    }

    /// ZCARD.
    pub(super) fn zcard(&mut self, key: &[u8]) -> usize {
        self.0.zcard(key).unwrap()
    }

    /// ZSCORE.
    pub(super) fn zscore(&mut self, key: &[u8], member: &[u8]) -> Option<f64> {
        self.0.zscore(key, member).unwrap()
    }

    /// ZRANK.
    pub(super) fn zrank(&mut self, key: &[u8], member: &[u8]) -> Option<usize> {
        self.0.zrank(key, member, false).unwrap().map(|(rank, _)| rank)
    }

    /// ZRANGE with scores, without a copy. Returns the number of members.
    pub(super) fn zrange(&mut self, key: &[u8], first: i64, last: i64) -> usize {
        let window = self.0.zwindow(key, &Query::rank(first, last)).unwrap();
        let mut count = 0;
        self.0
            .zwalk(key, window, |member, score| {
                black_box((member, score));
                count += 1;
            })
            .unwrap();
        count
    }
}

/// Sketches.
impl Yo {
    /// PFADD of one element.
    pub(super) fn pfadd(&mut self, key: &[u8], element: &[u8]) -> bool {
        self.0.pfadd(key, once(element)).unwrap()
    }

    /// PFCOUNT.
    pub(super) fn pfcount(&mut self, key: &[u8]) -> u64 {
        self.0.pfcount(once(key)).unwrap()
    }
}

/// Bits.
impl Yo {
    /// BITCOUNT of the whole string.
    pub(super) fn bitcount(&mut self, key: &[u8]) -> u64 {
        self.0.bitcount(key, None).unwrap()
    }

    /// BITOP OR.
    pub(super) fn bit_or(&mut self, target: &[u8], keys: [&[u8]; 2]) -> usize {
        self.0.bitop(Op::Or, target, keys.into_iter()).unwrap()
    }

    /// BITFIELD GET of an unsigned field.
    pub(super) fn bitfield_get(&mut self, key: &[u8], bits: u32, at: u64) -> i64 {
        self.bitfield(key, SubOp::Get, bits, at)
    }

    /// BITFIELD INCRBY of an unsigned field, which wraps on overflow.
    pub(super) fn bitfield_incr(&mut self, key: &[u8], bits: u32, at: u64, by: i64) -> i64 {
        self.bitfield(key, SubOp::Incr(by), bits, at)
    }

    fn bitfield(&mut self, key: &[u8], op: SubOp, bits: u32, at: u64) -> i64 {
        let field = Field::new(false, bits).unwrap();
        self.0.bitfield(key, &[Sub { op, field, at, on: Overflow::Wrap }]).unwrap()[0].unwrap()
    }
}

/// Places.
impl Yo {
    /// GEOADD of one member.
    pub(super) fn geoadd(&mut self, key: &[u8], lon: f64, lat: f64, member: &[u8]) {
        self.0.geoadd(key, once((lon, lat, member)), ZAdd::default()).unwrap();
    }

    /// GEOSEARCH by a circle with a radius in kilometres, in no order or nearest first. Returns the number of members
    /// in it. The results are in a buffer that the next search overwrites.
    pub(super) fn geosearch(
        &mut self,
        key: &[u8],
        [lon, lat, km]: [f64; 3],
        nearest: bool,
    ) -> usize {
        let shape: Shape = circle(lon, lat, km, Unit::Km);
        let sort = nearest.then_some(Sort::Near);
        let found = self.0.geosearch(key, &shape, Limit { sort, ..Limit::default() }).unwrap();
        black_box(self.0.geohits());
        found
    }
}
