//! Parsing of the words as in Valkey: all of them before the key is looked up.

use bytes::Bytes;

use super::{ExpireCommand, members, pairs};
use crate::commands::ExpiryChange;
use crate::commands::given::{GivenOptions, GivenTtl, Of};
use crate::commands::hashes::fields::{HashSetExOptions, field_time};
use crate::commands::hashes::{FieldExpire, HashEntry};
use crate::commands::keys_table::expire_option;
use crate::error::{Error, Result};
use crate::execute::{int, is, refused};
use crate::member::Member;
use crate::store::{Locks, Store};

/// Returns an error unless the number of fields, each of that many words, is right.
fn check_number(number: &[u8], each: usize, words: &[&[u8]], wrong: fn() -> Error) -> Result<()> {
    let number = usize::try_from(int(number)?).ok().and_then(|number| number.checked_mul(each));
    if number == Some(words.len()) && !words.is_empty() { Ok(()) } else { Err(wrong()) }
}

fn wrong_number() -> Error {
    let text = "ERR numfields should be greater than 0 and match the provided number of fields";
    refused(text)
}

/// The fields after FIELDS and their number.
pub(super) fn fields<'a>(words: &[&'a [u8]], command: &str) -> Result<Vec<Member<'a>>> {
    let [name, number, fields @ ..] = words else { return Err(Error::syntax()) };
    if !is(name, "fields") {
        return Err(Error::syntax());
    }
    // Commands that change nothing have another error text.
    let changes = matches!(command, "hpersist" | "hgetdel");
    let wrong = if changes { wrong_number } else { Error::syntax };
    check_number(number, 1, fields, wrong)?;
    Ok(members(fields))
}

/// The words of a command with options.
struct Words<'w, 'a> {
    options: &'w [&'a [u8]],
    number: &'a [u8],
    fields: &'w [&'a [u8]],
}

/// The words before the first FIELDS, and the number and the words after it.
fn split<'w, 'a>(words: &'w [&'a [u8]]) -> Result<Words<'w, 'a>> {
    let at = words.iter().position(|word| is(word, "fields"));
    let (options, behind) = words.split_at(at.unwrap_or(words.len()));
    let [_, number, fields @ ..] = behind else { return Err(wrong_number()) };
    Ok(Words { options, number, fields })
}

pub(super) fn expire(
    store: &Store<impl Locks>,
    words: &[&[u8]],
    command: ExpireCommand,
) -> Result<Vec<FieldExpire>> {
    let Words { options, number, fields } = split(&words[2..])?;
    let option = expire_option(options)?;
    check_number(number, 1, fields, wrong_number)?;
    let time = command.time(words[1])?;
    let shared = store.shared();
    // An error in the time is reported before one in the type.
    field_time(time, || shared.clock().now_ms(), shared.profile(), command.name)?;
    store.entry(words[0], |hash: &mut HashEntry<'_>| {
        let at_ms = field_time(time, || hash.now_ms(), shared.profile(), command.name)?;
        Ok(hash.expire_fields(&members(fields), at_ms, option))
    })
}

pub(super) fn get_ex(store: &Store<impl Locks>, words: &[&[u8]]) -> Result<Vec<Option<Bytes>>> {
    let Words { options, number, fields } = split(&words[1..])?;
    let given = GivenOptions::parse(options, Of::HGetEx)?;
    check_number(number, 1, fields, wrong_number)?;
    store.entry(words[0], |hash: &mut HashEntry<'_>| {
        let change = given.ttl.map_or(Ok(ExpiryChange::Keep), GivenTtl::read)?;
        let expiry = hash.time_of(change, "hgetex")?;
        Ok(hash.get_expiring(&members(fields), expiry))
    })
}

pub(super) fn set_ex(store: &Store<impl Locks>, words: &[&[u8]]) -> Result<bool> {
    let Words { options, number, fields } = split(&words[1..])?;
    let given = GivenOptions::parse(options, Of::HSetEx)?;
    check_number(number, 2, fields, wrong_number)?;
    let (chunks, _) = fields.as_chunks();
    store.entry(words[0], |hash: &mut HashEntry<'_>| {
        if given.condition.is_some_and(|check| !check.holds(hash.exists())) {
            return Ok(false);
        }
        let expiry = given.ttl.map_or(Ok(ExpiryChange::Clear), GivenTtl::read)?;
        let mut options = HashSetExOptions::default().ttl(expiry);
        options.fields = given.fields;
        hash.set_with(&pairs(chunks), &options)
    })
}
