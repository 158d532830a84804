//! DEBUG DIGEST: forty hexadecimal digits that are the same for the same keys and values, also in Redis.
//!
//! A value, a key with its value, and the keys of all databases are mixed by SHA-1. Ordered data are mixed in their
//! order (`digest = SHA1(digest xor SHA1(data))`), unordered data are combined by exclusive or.

use std::collections::BTreeMap;
use std::fmt::Write;

use sha1::{Digest as _, Sha1};

use crate::profile::Profile;
use crate::store::scope::View;
use crate::table::keys::KeyBucket;
use crate::value::{Direction, NEVER, Value};

/// A digest that is being computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Digest([u8; 20]);

impl Digest {
    /// Adds data whose order does not matter.
    fn combine(&mut self, data: &[u8]) {
        self.combine_bits(&Sha1::digest(data).into());
    }

    fn combine_bits(&mut self, bits: &[u8; 20]) {
        for (own, other) in self.0.iter_mut().zip(bits) {
            *own ^= other;
        }
    }

    /// Adds data whose order matters.
    fn mix(&mut self, data: &[u8]) {
        self.combine(data);
        self.0 = Sha1::digest(self.0).into();
    }

    /// The digest of a value alone, as returned by DEBUG DIGEST-VALUE.
    pub(super) fn of_value(value: &Value, expires: bool, profile: Profile) -> Self {
        let mut digest = Self::default();
        digest.mix_value(value, expires, profile);
        digest
    }

    fn mix_value(&mut self, value: &Value, expires: bool, profile: Profile) {
        self.mix(&Type::of(value).number());
        if let Some(text) = value.as_str() {
            text.with_bytes(|bytes| self.mix(bytes));
        } else if let Some(set) = value.as_set() {
            set.for_each(|member| member.with_bytes(|bytes| self.combine(bytes)));
        } else if let Some(set) = value.as_zset() {
            let mut text = Vec::new();
            for (member, score) in set {
                let mut one = Self::default();
                member.with_bytes(|bytes| one.mix(bytes));
                text.clear();
                profile.score_text().push_digest(score, &mut text);
                one.mix(&text);
                self.combine(&one.0);
            }
        } else if let Some(list) = value.as_list() {
            list.for_each(0..list.len(), Direction::Left, |element| {
                element.with_bytes(|bytes| self.mix(bytes));
            });
        } else if let Some(hash) = value.as_hash() {
            hash.for_each_held(|field, value, expires_at| {
                let mut one = Self::default();
                field.with_bytes(|bytes| one.mix(bytes));
                value.with_bytes(|bytes| one.mix(bytes));
                if expires_at != NEVER && profile.digests_tell_expiring_fields() {
                    one.combine(b"!!hexpire!!");
                }
                self.combine(&one.0);
            });
        } else if let Value::Opaque(opaque) = value {
            // Its elements are not known here: it has the same digest if it has the same bytes, which Redis does not
            // require.
            self.mix(opaque.body());
        }
        if expires {
            self.combine(b"!!expire!!");
        }
    }

    /// The digest of every key of every database.
    pub(super) fn of_all(view: &View<'_>) -> Self {
        let profile = view.shared().profile();
        let mut databases: BTreeMap<u32, Self> = BTreeMap::new();
        for stripe in view.stripes() {
            for db in stripe.databases() {
                let Some(keyspace) = stripe.keyspace(db) else { continue };
                let keys = databases.entry(db).or_default();
                for (entry, expires) in keyspace.buckets().flat_map(KeyBucket::iter) {
                    let mut one = Self::default();
                    one.mix(entry.key.as_bytes());
                    one.mix_value(&entry.value, expires.is_some(), profile);
                    keys.combine(&one.0);
                }
            }
        }
        let mut all = Self::default();
        for (db, keys) in databases {
            all.mix(&network_order(db));
            all.combine_bits(&keys.0);
        }
        all
    }

    /// As hexadecimal digits.
    pub(super) fn to_hex(self) -> String {
        self.0.iter().fold(String::with_capacity(40), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

/// The types of Redis, by number.
#[derive(Clone, Copy, Debug)]
enum Type {
    String = 0,
    List = 1,
    Set = 2,
    ZSet = 3,
    Hash = 4,
    Module = 5,
    Stream = 6,
}

impl Type {
    fn of(value: &Value) -> Self {
        match &*value.type_name() {
            "string" => Self::String,
            "list" => Self::List,
            "set" => Self::Set,
            "zset" => Self::ZSet,
            "hash" => Self::Hash,
            "stream" => Self::Stream,
            _ => Self::Module,
        }
    }

    fn number(self) -> [u8; 4] {
        network_order(self as u32)
    }
}

#[expect(clippy::big_endian_bytes, reason = "Redis hashes numbers in network byte order")]
const fn network_order(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}
