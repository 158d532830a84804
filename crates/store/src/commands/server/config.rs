//! CONFIG: the settings that a store has.

use bytes::Bytes;

use crate::commands::STRING_MAX;
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{Answer, shown};
use crate::limits::Limits;
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::Shared;
use crate::text::glob;
use crate::value::parse_int;

/// A setting, by Redis's name.
struct Setting {
    name: &'static str,
    place: Place,
    /// Whether servers of that profile know it.
    known: fn(Profile) -> bool,
}

/// Where a setting is.
enum Place {
    /// Among the limits.
    Limit(Form, Field),
    /// Fixed as long as the store lives.
    Fixed(fn(&Shared) -> usize),
}

/// A limit among the limits.
type Field = fn(&mut Limits) -> &mut usize;

/// How a setting is written.
#[derive(Clone, Copy)]
enum Form {
    Number,
    /// A number of bytes, which may have a unit; to Redis a C string.
    Memory,
}

impl Setting {
    const fn new(name: &'static str, place: Place) -> Self {
        Self { name, place, known: |_| true }
    }

    const fn limit(name: &'static str, form: Form, limit: Field) -> Self {
        Self::new(name, Place::Limit(form, limit))
    }

    const fn known(mut self, known: fn(Profile) -> bool) -> Self {
        self.known = known;
        self
    }
}

/// Every setting that there is.
const SETTINGS: &[Setting] = &[
    Setting::new(
        "databases",
        Place::Fixed(|shared| usize::try_from(shared.databases()).unwrap_or(usize::MAX)),
    ),
    Setting::limit("hash-max-listpack-entries", Form::Number, HASH_ENTRIES),
    Setting::limit("hash-max-listpack-value", Form::Memory, HASH_VALUE),
    Setting::limit("hash-max-ziplist-entries", Form::Number, HASH_ENTRIES),
    Setting::limit("hash-max-ziplist-value", Form::Memory, HASH_VALUE),
    Setting::limit("hll-sparse-max-bytes", Form::Memory, |all| &mut all.hll_sparse_max_bytes),
    Setting::new("proto-max-bulk-len", Place::Fixed(|_| STRING_MAX)),
    Setting::limit("set-max-intset-entries", Form::Number, |all| &mut all.set_max_intset_entries),
    Setting::limit("set-max-listpack-entries", Form::Number, |all| {
        &mut all.set_max_listpack_entries
    })
    .known(Profile::set_listpacks),
    Setting::limit("set-max-listpack-value", Form::Number, |all| &mut all.set_max_listpack_value)
        .known(Profile::set_listpacks),
    Setting::limit("zset-max-listpack-entries", Form::Number, ZSET_ENTRIES),
    Setting::limit("zset-max-listpack-value", Form::Memory, ZSET_VALUE),
    Setting::limit("zset-max-ziplist-entries", Form::Number, ZSET_ENTRIES),
    Setting::limit("zset-max-ziplist-value", Form::Memory, ZSET_VALUE),
];

const HASH_ENTRIES: Field = |all| &mut all.hash_max_listpack_entries;

const HASH_VALUE: Field = |all| &mut all.hash_max_listpack_value;

const ZSET_ENTRIES: Field = |all| &mut all.zset_max_listpack_entries;

const ZSET_VALUE: Field = |all| &mut all.zset_max_listpack_value;

/// The greatest number that a setting takes. What does not fit into a word of this machine is as good as the greatest
/// that does.
const GREATEST: u64 = i64::MAX.unsigned_abs();

fn known(shared: &Shared) -> impl Iterator<Item = &'static Setting> {
    let profile = shared.profile();
    SETTINGS.iter().filter(move |setting| (setting.known)(profile))
}

/// CONFIG GET.
pub(super) fn get(shared: &Shared, patterns: &[&[u8]]) -> Reply {
    let mut limits = shared.settings().limits();
    let found = known(shared).filter_map(|setting| {
        // A name that is asked for as such is given back as it came.
        let name = patterns.iter().find_map(|&pattern| setting.named_by(pattern))?;
        let value = match setting.place {
            Place::Limit(_, of) => *of(&mut limits),
            Place::Fixed(of) => of(shared),
        };
        Some((Reply::Bulk(name), Reply::Bulk(value.to_string().into())))
    });
    Reply::Map(found.collect())
}

/// CONFIG SET.
pub(super) fn set(shared: &Shared, pairs: &[&[u8]]) -> Answer {
    let (pairs, []) = pairs.as_chunks::<2>() else { return Err(Error::syntax()) };
    let mut changes: Vec<(&Setting, Form, Field, &[u8])> = Vec::new();
    for [name, value] in pairs {
        let is_named = |setting: &&Setting| name.eq_ignore_ascii_case(setting.name.as_bytes());
        let Some(setting) = known(shared).find(is_named) else {
            let text = b"ERR Unknown option or number of arguments for CONFIG SET - '";
            let parts: [&[u8]; 3] = [text, shown(name, usize::MAX), b"'"];
            return Err(Error::showing(ErrorKind::Syntax, &parts));
        };
        let Place::Limit(form, of) = setting.place else {
            return Err(failed(name, "can't set immutable config"));
        };
        if changes.iter().any(|(other, ..)| other.name == setting.name) {
            return Err(failed(name, "duplicate parameter"));
        }
        changes.push((setting, form, of, value));
    }
    shared.settings().change(|limits| {
        for (setting, form, of, value) in changes {
            let value = form.read(value).map_err(|why| failed(setting.name.as_bytes(), why))?;
            *of(limits) = usize::try_from(value).unwrap_or(usize::MAX);
        }
        Ok(Reply::OK)
    })
}

#[cold]
fn failed(name: &[u8], why: &str) -> Error {
    let text = b"ERR CONFIG SET failed (possibly related to argument '";
    let parts: [&[u8]; 4] = [text, shown(name, usize::MAX), b"') - ", why.as_bytes()];
    Error::showing(ErrorKind::Syntax, &parts)
}

impl Setting {
    /// The name to show if a pattern of CONFIG GET asks for this setting.
    fn named_by(&self, pattern: &[u8]) -> Option<Bytes> {
        let name = self.name.as_bytes();
        // A pattern is a C string to Redis, and a backslash alone makes none.
        let glob = shown(pattern, usize::MAX);
        if !glob.iter().any(|byte| b"[*?".contains(byte)) {
            return pattern.eq_ignore_ascii_case(name).then(|| Bytes::copy_from_slice(pattern));
        }
        glob::matches_no_case(glob, name).then_some(Bytes::from_static(name))
    }
}

impl Form {
    fn read(self, text: &[u8]) -> Result<u64, &'static str> {
        const RANGE: &str = "argument must be between 0 and 9223372036854775807 inclusive";
        match self {
            Self::Number => {
                let number =
                    parse_int(text).ok_or("argument couldn't be parsed into an integer")?;
                u64::try_from(number).map_err(|_| RANGE)
            }
            Self::Memory => {
                let bytes =
                    memory(shown(text, usize::MAX)).ok_or("argument must be a memory value")?;
                if bytes <= GREATEST { Ok(bytes) } else { Err(RANGE) }
            }
        }
    }
}

/// A number of bytes with or without a unit: `3000`, `3k` (3000), `3kb` (3072), up to `gb`. Without digits it is 0.
fn memory(text: &[u8]) -> Option<u64> {
    // What Redis copies the digits to has so much room.
    const DIGITS_MAX: usize = 127;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, unit) = text.split_at(digits);
    let factor = match &unit.to_ascii_lowercase()[..] {
        b"" | b"b" => 1,
        b"k" => 1000,
        b"kb" => 1 << 10,
        b"m" => 1_000_000,
        b"mb" => 1 << 20,
        b"g" => 1_000_000_000,
        b"gb" => 1 << 30,
        _ => return None,
    };
    if digits.len() > DIGITS_MAX {
        return None;
    }
    let number = digits.iter().fold(0_u64, |number, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    });
    // As in C: the digits stop at the greatest number, the product wraps around.
    Some(number.wrapping_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_values_have_units() {
        let cases: &[(&str, Option<u64>)] = &[
            ("", Some(0)),
            ("kb", Some(0)),
            ("0", Some(0)),
            ("007", Some(7)),
            ("12B", Some(12)),
            ("3k", Some(3000)),
            ("3Kb", Some(3072)),
            ("2m", Some(2_000_000)),
            ("2mb", Some(2 << 20)),
            ("1g", Some(1_000_000_000)),
            ("1GB", Some(1 << 30)),
            ("18446744073709551616", Some(u64::MAX)),
            ("-1", None),
            ("+1", None),
            (" 1", None),
            ("1.5k", None),
            ("1kib", None),
            ("1t", None),
        ];
        for (text, bytes) in cases {
            assert_eq!(memory(text.as_bytes()), *bytes, "{text}");
        }
        assert_eq!(memory(&[b'0'; 127]), Some(0));
        assert_eq!(memory(&[b'0'; 128]), None);
    }
}
