//! The table of SORT and `SORT_RO`: declarations, and the mapping from words to typed calls.

use super::SortOptions;
use crate::error::{Error, Result};
use crate::execute::{Answer, Command, command, family, int, take, take_with};
use crate::reply::Reply;
use crate::store::{Locks, Store};

const BY_CONTENT: &str = "Their names depend on the elements.";

pub(in crate::commands) const COMMANDS: &[Command] =
    &family("generic", "set sortedset list dangerous").of([
        command!(
            "sort",
            "key [BY pattern:pattern#1] [LIMIT offset_count:(offset:integer count:integer)] \
             [GET... pattern:pattern#1] [order:<ASC | DESC>] [sorting:ALPHA] [STORE destination:key]",
            |store, words| {
                let (options, destination) = read(&words[1..], true)?;
                match destination {
                    Some(to) => Ok(Reply::count(store.sort_store(words[0], to, &options)?)),
                    None => sort(store, words[0], &options),
                }
            }
        )
        .info("1.0.0", "write denyoom", ["RO access", "RO access", "OW update"])
        .note(1, BY_CONTENT)
        .note(2, "The last STORE counts, wherever it is among the options.")
        .among_options(2)
        .whole()
        .docs(
            "Sorts the elements of a list, a set or a sorted set, and returns or stores them.",
            "O(elements + results log results)",
        ),
        command!(
            "sort_ro",
            "key [BY pattern:pattern#1] [LIMIT offset_count:(offset:integer count:integer)] \
             [GET... pattern:pattern#1] [order:<ASC | DESC>] [sorting:ALPHA]",
            |store, words| {
                let (options, _) = read(&words[1..], false)?;
                sort(store, words[0], &options)
            }
        )
        .info("7.0.0", "readonly", ["RO access", "RO access"])
        .note(1, BY_CONTENT)
        .whole()
        .docs(
            "Sorts the elements of a list, a set or a sorted set, and returns them.",
            "O(elements + results log results)",
        ),
    ]);

fn sort(store: &Store<impl Locks>, key: &[u8], options: &SortOptions) -> Answer {
    Ok(store.sort(key, options)?.into())
}

/// The options, and the destination if there is one.
fn read<'a>(mut words: &[&'a [u8]], may_store: bool) -> Result<(SortOptions, Option<&'a [u8]>)> {
    let (mut options, mut destination) = (SortOptions::default(), None);
    while !words.is_empty() {
        if take(&mut words, "asc") {
            options = options.asc();
        } else if take(&mut words, "desc") {
            options = options.desc();
        } else if take(&mut words, "alpha") {
            options = options.alpha();
        } else if let Some([offset, count]) = take_with(&mut words, "limit") {
            options = options.limit(int(offset)?, int(count)?);
        } else if may_store && let Some([key]) = take_with(&mut words, "store") {
            destination = Some(key);
        } else if let Some([pattern]) = take_with(&mut words, "by") {
            options = options.by(pattern);
        } else if let Some([pattern]) = take_with(&mut words, "get") {
            options = options.get(pattern);
        } else {
            return Err(Error::syntax());
        }
    }
    Ok((options, destination))
}
