//! DEBUG: as much of it as a library can answer.

use crate::commands::references;
use crate::error::{Error, ErrorKind};
use crate::execute::{Answer, SHOWN, help_of, is, refused, shown};
use crate::persist;
use crate::reply::Reply;
use crate::store::{Locks, Store};

pub(super) fn debug(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    match args {
        [sub, key] if is(sub, "object") => object(store, key),
        [sub] if is(sub, "help") => Ok(help_of(
            "debug",
            [
                "OBJECT <key>",
                "    Show how the value at <key> is kept, and how long it is when saved.",
            ]
            .map(str::to_owned),
        )),
        _ => Err(Error::showing(
            ErrorKind::Syntax,
            &[
                b"ERR unknown subcommand or wrong number of arguments for '",
                shown(args[0], SHOWN),
                b"'. Try DEBUG HELP.",
            ],
        )),
    }
}

fn object(store: &Store<impl Locks>, key: &[u8]) -> Answer {
    // A clock of seconds that begins anew after so many.
    const LRU_CLOCK: u32 = 1 << 24;
    store.read(key, |view, keys| {
        let (Some(found), Some(idle)) = (view.find(keys[0]), view.idle_secs(keys[0])) else {
            return Err(refused("ERR no such key"));
        };
        let value = found.peek();
        Ok(Reply::Status(
            format!(
                "Value at:{value:p} refcount:{} encoding:{} serializedlength:{} lru:{} \
                 lru_seconds_idle:{idle}",
                references(value),
                value.encoding(view.shared().profile()),
                persist::body_len(value)?,
                found.accessed() % LRU_CLOCK,
            )
            .into(),
        ))
    })
}
