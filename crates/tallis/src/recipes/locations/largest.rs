//! The largest user id: the sorted set `location:max`, as a server has it.
//!
//! The store does not work on sorted sets yet. This is the one thing about them that the recipe needs: to read the score of the one
//! member of such a set, whichever encoding a server gave it, and to write it as a server writes a small sorted set, a listpack.
//!
//! ```text
//! ZADD location:max 5 max
//!
//! 11 | 0e | 0e 00 00 00  02 00  83 'm' 'a' 'x' 04  05 01  ff
//! type len  bytes        2      text of 3          5      end
//! ```

use listpack::{ListPack, Validation};
use rdb::{RawValue, ValueType};

use crate::error::{Error, ErrorKind};
use crate::value::Value;

/// The one member.
const MEMBER: &[u8; 3] = b"max";

/// What a listpack of the member and a score has between its length and the score.
const HEAD: [u8; 7] = [2, 0, 0x83, b'm', b'a', b'x', 4];

/// The sorted set with that largest id, as a value of the store.
///
/// `None` cannot be: the bytes follow the grammar.
pub(super) fn value(user: u64) -> Option<Value> {
    let score = i64::try_from(user).ok()?;
    let mut list = ListPack::with_capacity(24);
    list.push_back(&MEMBER[..]).ok()?;
    list.push_back(score).ok()?;
    let blob = list.as_bytes();
    // At most 22 bytes, of which no compressor saves the four that would make a server store the shorter form.
    let mut body = Vec::with_capacity(1 + blob.len());
    body.push(u8::try_from(blob.len()).ok()?);
    body.extend_from_slice(blob);
    RawValue::new(ValueType::ZSetListpack, body).ok().map(|value| Value::Foreign(Box::new(value)))
}

/// Whether the value is such a set and its score is at least `user`: the question that each change of a user asks.
#[inline]
pub(super) fn covers(value: Option<&Value>, user: u64) -> bool {
    let Some(Value::Foreign(raw)) = value else { return false };
    raw.kind() == ValueType::ZSetListpack
        && whole_score(raw.body()).is_some_and(|score| score.cast_unsigned() >= user && score >= 0)
}

/// The score of a listpack as servers write it, if it is a whole number: what [`score`] finds too, without a copy.
#[inline]
fn whole_score(body: &[u8]) -> Option<i64> {
    // Twice the length of the list: that of the string, and its own.
    let (&[len, low, 0, 0, 0], rest) = body.split_first_chunk()? else { return None };
    // The number, its length, and the end of the list.
    let [number @ .., back, 0xff] = rest.strip_prefix(&HEAD)? else { return None };
    let sound =
        len == low && usize::from(len) == body.len() - 1 && usize::from(*back) == number.len();
    if !sound {
        return None;
    }
    match *number {
        [tag @ 0..0x80] => Some(i64::from(tag)),
        [tag @ 0xc0..0xe0, low] => {
            // 13 bits, of which the first is the sign.
            let bits = u16::from(tag & 0x1f) << 8 | u16::from(low);
            Some(i64::from((bits << 3).cast_signed() >> 3))
        }
        [0xf1, a, b] => Some(i64::from(i16::from_le_bytes([a, b]))),
        [0xf2, a, b, c] => Some(i64::from(i32::from_le_bytes([0, a, b, c]) >> 8)),
        [0xf3, a, b, c, d] => Some(i64::from(i32::from_le_bytes([a, b, c, d]))),
        [0xf4, a, b, c, d, e, f, g, h] => Some(i64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    }
}

/// The score of the one member, if there is a value.
///
/// # Errors
///
/// A value that is no sorted set, or one with other members, or a malformed one.
pub(super) fn score(value: Option<&Value>) -> Result<Option<f64>, Error> {
    let raw = match value {
        None => return Ok(None),
        Some(Value::Foreign(raw)) => raw,
        Some(_) => return Err(Error::wrong_type()),
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a sorted set")]
    let score = match raw.kind() {
        ValueType::ZSetListpack => raw.blob().and_then(listpack_score),
        ValueType::ZSetZiplist => raw.blob().and_then(|blob| ziplist_score(&blob)),
        ValueType::ZSet => {
            plain(raw.body()).and_then(|bytes| Some(f64::from_le_bytes(bytes.try_into().ok()?)))
        }
        ValueType::ZSetText => plain(raw.body()).and_then(<[u8]>::split_first).and_then(counted),
        _ => return Err(Error::wrong_type()),
    };
    score.filter(|score| !score.is_nan()).map(Some).ok_or_else(not_ours)
}

#[cold]
fn not_ours() -> Error {
    Error::new(
        ErrorKind::WrongType,
        "WRONGTYPE the sorted set of the largest user id has to have the one member 'max'",
    )
}

fn listpack_score(blob: Vec<u8>) -> Option<f64> {
    let list = ListPack::from_bytes(blob, Validation::Deep).ok()?;
    let mut entries = list.iter();
    let (member, score) = (entries.next()?, entries.next()?);
    let ours = member.to_vec() == MEMBER && entries.next().is_none();
    ours.then(|| number(&score.to_vec()))?
}

/// A score as text.
fn number(text: &[u8]) -> Option<f64> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// What stands behind the one member of a set that is written member by member.
fn plain(body: &[u8]) -> Option<&[u8]> {
    body.strip_prefix(&[1, 3])?.strip_prefix(MEMBER)
}

/// A score as text behind its length; the three greatest lengths stand for what is no number and for the infinities.
fn counted((&len, text): (&u8, &[u8])) -> Option<f64> {
    match len {
        0xfd => Some(f64::NAN),
        0xfe => Some(f64::INFINITY),
        0xff => Some(f64::NEG_INFINITY),
        _ => number(text),
    }
}

/// The score in a ziplist, which was what servers before 7.0 had in place of the listpack.
///
/// ```text
/// bytes u32, last u32, 2 u16 | 00 03 'm' 'a' 'x' | 05 score | ff
/// ```
///
/// An entry begins with the length of the one before it.
fn ziplist_score(blob: &[u8]) -> Option<f64> {
    let (_, entries) = blob.split_first_chunk::<8>()?;
    let rest = entries.strip_prefix(&[2, 0, 0, 3])?.strip_prefix(MEMBER)?.strip_prefix(&[5])?;
    let [score @ .., 0xff] = rest else { return None };
    #[expect(clippy::cast_precision_loss, reason = "a score is a double")]
    let wide = |bytes| i64::from_le_bytes(bytes) as f64;
    Some(match *score {
        // Four bits that count from 0, kept one higher.
        [tag @ 0xf1..=0xfd] => f64::from(tag - 0xf1),
        [0xfe, a] => f64::from(a.cast_signed()),
        [0xc0, a, b] => f64::from(i16::from_le_bytes([a, b])),
        [0xf0, a, b, c] => f64::from(i32::from_le_bytes([0, a, b, c]) >> 8),
        [0xd0, a, b, c, d] => f64::from(i32::from_le_bytes([a, b, c, d])),
        [0xe0, a, b, c, d, e, f, g, h] => wide([a, b, c, d, e, f, g, h]),
        [len @ 0..0x40, ref text @ ..] if usize::from(len) == text.len() => number(text)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(kind: ValueType, body: &[u8]) -> Value {
        Value::Foreign(Box::new(RawValue::new(kind, body.to_vec()).unwrap()))
    }

    fn packed(kind: ValueType, blob: &[u8]) -> Value {
        foreign(kind, &[&[u8::try_from(blob.len()).unwrap()], blob].concat())
    }

    /// Ids around each form of a number in a listpack.
    fn ids() -> impl Iterator<Item = u64> {
        let around = |bits: u32| [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1];
        (0..=52).flat_map(around)
    }

    #[test]
    fn the_drawn_bytes_are_those_that_are_written() {
        let Some(Value::Foreign(raw)) = value(5) else { panic!() };
        let blob = [0x0e, 0, 0, 0, 2, 0, 0x83, b'm', b'a', b'x', 4, 5, 1, 0xff];
        assert_eq!((raw.kind().byte(), raw.body()), (0x11, &[&[0x0e], &blob[..]].concat()[..]));
    }

    #[test]
    fn what_is_written_is_read_both_ways() {
        for id in ids() {
            let value = value(id).unwrap();
            #[expect(clippy::cast_precision_loss, reason = "at most 53 bits")]
            let want = id as f64;
            assert_eq!(score(Some(&value)).unwrap(), Some(want));
            let Value::Foreign(raw) = &value else { panic!() };
            assert_eq!(whole_score(raw.body()), Some(id.cast_signed()));
            assert!(covers(Some(&value), id) && covers(Some(&value), 0));
            assert!(!covers(Some(&value), id + 1));
        }
    }

    #[test]
    fn no_compressor_would_have_shortened_it() {
        let mut compressor = rdb::lzf::Compressor::new();
        for id in ids() {
            let Some(Value::Foreign(raw)) = value(id) else { panic!() };
            let blob = raw.blob().unwrap();
            let stored = blob.len() > 20 && compressor.compress(&blob, blob.len() - 4, &mut vec![]);
            assert!(!stored, "{id}");
        }
    }

    #[test]
    fn every_encoding_of_a_server_is_read() {
        for (kind, body, want) in [
            (ValueType::ZSet, &b"\x01\x03max\0\0\0\0\0\0\x59\x40"[..], 100.0),
            (ValueType::ZSetText, b"\x01\x03max\x03100", 100.0),
            (ValueType::ZSetText, b"\x01\x03max\xfe", f64::INFINITY),
            (ValueType::ZSetText, b"\x01\x03max\xff", f64::NEG_INFINITY),
        ] {
            assert_eq!(score(Some(&foreign(kind, body))).unwrap(), Some(want), "{body:?}");
        }
        // A compressed listpack: of a score that no user has, but servers compress what they can.
        let text = b"0.000000000000000000000000000000001";
        let mut list = ListPack::new();
        list.push_back(&MEMBER[..]).unwrap();
        list.push_back(&text[..]).unwrap();
        let mut stream = Vec::new();
        let plain = list.as_bytes();
        assert!(rdb::lzf::Compressor::new().compress(plain, plain.len() - 4, &mut stream));
        let lens = [stream.len(), plain.len()].map(|len| u8::try_from(len).unwrap());
        let body = [&[0xc3][..], &lens, &stream].concat();
        assert_eq!(score(Some(&foreign(ValueType::ZSetListpack, &body))).unwrap(), Some(1e-33));
        for (number, want) in [
            (&b"\xf1"[..], 0.0),
            (b"\xfd", 12.0),
            (b"\xfe\x0d", 13.0),
            (b"\xfe\xff", -1.0),
            (b"\xc0\0\x80", -32_768.0),
            (b"\xf0\0\0\x80", -8_388_608.0),
            (b"\xf0\xff\xff\x7f", 8_388_607.0),
            (b"\xd0\0\0\0\x40", 1_073_741_824.0),
            (b"\xe0\0\0\0\0\x01\0\0\0", 4_294_967_296.0),
            (b"\x03100", 100.0),
            (b"\x052.5e3", 2500.0),
        ] {
            let len = u8::try_from(17 + number.len()).unwrap();
            let blob = [&[len, 0, 0, 0, 15, 0, 0, 0, 2, 0, 0, 3][..], b"max\x05", number, b"\xff"]
                .concat();
            let value = packed(ValueType::ZSetZiplist, &blob);
            assert_eq!(score(Some(&value)).unwrap(), Some(want), "{number:?}");
        }
    }

    #[test]
    fn scores_that_no_id_has_are_read_and_cover_nothing_that_they_should_not() {
        for (score_as, want, covered) in [(&b"-5"[..], -5.0, false), (b"2.5", 2.5, false)] {
            let mut list = ListPack::new();
            list.push_back(&b"max"[..]).unwrap();
            list.push_back(listpack::Entry::from(score_as)).unwrap();
            let value = packed(ValueType::ZSetListpack, list.as_bytes());
            assert_eq!(score(Some(&value)).unwrap(), Some(want));
            assert_eq!(covers(Some(&value), 0), covered);
        }
    }

    #[test]
    fn what_is_not_such_a_set_is_refused() {
        assert_eq!(score(None).unwrap(), None);
        assert!(!covers(None, 0));
        let two = {
            let mut list = ListPack::new();
            for entry in [&b"max"[..], b"5", b"min", b"6"] {
                list.push_back(entry).unwrap();
            }
            packed(ValueType::ZSetListpack, list.as_bytes())
        };
        for value in [
            Value::Int(5),
            foreign(ValueType::List, b"\x01\x03max"),
            foreign(ValueType::ZSet, b"\x01\x03min\0\0\0\0\0\0\x59\x40"),
            foreign(ValueType::ZSet, b"\x00"),
            foreign(ValueType::ZSet, b"\x01\x03max\0\0\0\0\0\0\xf8\x7f"),
            foreign(ValueType::ZSetText, b"\x01\x03max\xfd"),
            foreign(ValueType::ZSetText, b"\x01\x03max\x03abc"),
            packed(ValueType::ZSetListpack, b"junk"),
            packed(ValueType::ZSetListpack, b""),
            packed(ValueType::ZSetZiplist, b"junk"),
            two,
        ] {
            assert_eq!(score(Some(&value)).unwrap_err().kind(), ErrorKind::WrongType, "{value:?}");
            assert!(!covers(Some(&value), 0), "{value:?}");
        }
    }

    #[test]
    fn bytes_that_are_damaged_are_refused_or_are_another_number() {
        for id in [5, 5000, 1 << 20, 1 << 40] {
            let Some(Value::Foreign(raw)) = value(id) else { panic!() };
            let body = raw.body().to_vec();
            for at in 0..body.len() {
                for flip in 1..=u8::MAX {
                    let mut bytes = body.clone();
                    bytes[at] ^= flip;
                    let Ok(raw) = RawValue::new(ValueType::ZSetListpack, bytes) else { continue };
                    let value = Value::Foreign(Box::new(raw));
                    let read = score(Some(&value));
                    if covers(Some(&value), 0) {
                        assert!(read.is_ok_and(|score| score >= Some(0.0)), "{value:?}");
                    }
                }
            }
        }
    }
}
