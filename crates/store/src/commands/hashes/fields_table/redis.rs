//! Parsing of the words as in Redis.

use bytes::Bytes;

use super::{ExpireCommand, members, pairs};
use crate::commands::ExpiryChange;
use crate::commands::expiry::ExpireOption;
use crate::commands::given::{FIELD_CHECKS, GivenTime};
use crate::commands::hashes::fields::{HashSetExOptions, field_time};
use crate::commands::hashes::{FieldExpire, HashEntry};

use crate::error::{Error, ErrorKind, Result};
use crate::execute::{is, one_of, refused, shown, size, take, wrong_arity};
use crate::member::Member;
use crate::store::{Locks, Store};

pub(super) const NOT_POSITIVE: &str = "ERR Number of fields must be a positive integer";
const NO_NUM_FIELDS: &str = "ERR Parameter `numFields` should be greater than 0";

/// The fields after FIELDS and their number.
pub(super) fn fields<'a>(
    words: &[&'a [u8]],
    no_number: &'static str,
    command: &str,
) -> Result<Vec<Member<'a>>> {
    let [name, number, fields @ ..] = words else { return Err(wrong_arity(command)) };
    if !is(name, "fields") {
        let text = "ERR Mandatory argument FIELDS is missing or not at the right position";
        return Err(refused(text));
    }
    let number = size(number).filter(|&number| number > 0).ok_or_else(|| refused(no_number))?;
    if number != fields.len() {
        return Err(refused("ERR The `numfields` parameter must match the number of arguments"));
    }
    Ok(members(fields))
}

const CONDITIONS: [(&str, ExpireOption); 4] = [
    ("NX", ExpireOption::Nx),
    ("XX", ExpireOption::Xx),
    ("GT", ExpireOption::Gt),
    ("LT", ExpireOption::Lt),
];

pub(super) fn expire(
    store: &Store<impl Locks>,
    words: &[&[u8]],
    command: ExpireCommand,
) -> Result<Vec<FieldExpire>> {
    // The type is checked first.
    store.entry(words[0], |hash: &mut HashEntry<'_>| {
        let time = command.time(words[1])?;
        let at_ms = field_time(time, || hash.now_ms(), hash.shared().profile(), command.name)?;
        let (option, rest) = match one_of(words[2], CONDITIONS) {
            Some(option) => (option, &words[3..]),
            None => (ExpireOption::Always, &words[2..]),
        };
        Ok(hash.expire_fields(&fields(rest, NO_NUM_FIELDS, command.name)?, at_ms, option))
    })
}

pub(super) fn get_ex(store: &Store<impl Locks>, words: &[&[u8]]) -> Result<Vec<Option<Bytes>>> {
    store.entry(words[0], |hash: &mut HashEntry<'_>| {
        let mut rest = &words[1..];
        let change = if take(&mut rest, "PERSIST") {
            ExpiryChange::Clear
        } else if let Some(time) = GivenTime::take(&mut rest) {
            ExpiryChange::Until(time.read()?)
        } else {
            ExpiryChange::Keep
        };
        let expiry = hash.time_of(change, "hgetex")?;
        Ok(hash.get_expiring(&fields(rest, NOT_POSITIVE, "hgetex")?, expiry))
    })
}

pub(super) fn set_ex(store: &Store<impl Locks>, words: &[&[u8]]) -> Result<bool> {
    let shared = store.shared();
    let mut rest = &words[1..];
    let mut condition = None;
    let mut expiry = None;
    while !take(&mut rest, "FIELDS") {
        if let Some((_, check)) = FIELD_CHECKS.into_iter().find(|&(name, _)| take(&mut rest, name))
        {
            if condition.replace(check).is_some() {
                return Err(refused("ERR Only one of FXX or FNX arguments can be specified"));
            }
            continue;
        }
        let names_expiry = |word: &&[u8]| is(word, "KEEPTTL") || GivenTime::is_name(word);
        if expiry.is_some() && rest.first().is_some_and(names_expiry) {
            let text = "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified";
            return Err(refused(text));
        }
        expiry = Some(if take(&mut rest, "KEEPTTL") {
            ExpiryChange::Keep
        } else if let Some(time) = GivenTime::take(&mut rest) {
            let time = time.read()?;
            field_time(time, || shared.clock().now_ms(), shared.profile(), "hsetex")?;
            ExpiryChange::Until(time)
        } else {
            let word = rest.first().map_or(&[][..], |word| shown(word, usize::MAX));
            return Err(Error::showing(ErrorKind::Syntax, &[b"ERR unknown argument: ", word]));
        });
    }
    // Whether there may be a field is checked before the number of fields.
    let [number, rest @ ..] = rest else { return Err(wrong_arity("hsetex")) };
    if rest.len() < 2 {
        return Err(wrong_arity("hsetex"));
    }
    let number = size(number).filter(|&number| number > 0);
    let number = number.ok_or_else(|| refused("ERR invalid number of fields"))?;
    let (chunks, []) = rest.as_chunks() else { return Err(wrong_arity("hsetex")) };
    if chunks.len() != number {
        return Err(wrong_arity("hsetex"));
    }
    let mut options = HashSetExOptions::default().ttl(expiry.unwrap_or_default());
    options.fields = condition;
    store.entry(words[0], |hash: &mut HashEntry<'_>| hash.set_with(&pairs(chunks), &options))
}
