//! The subcommands of DEBUG that apply to an embedded store.

mod digest;

use std::thread;
use std::time::Duration;

use crate::commands::{encoding, references};
use crate::error::{Error, ErrorKind};
use crate::execute::{Answer, SHOWN, help_of, is, refused, shown};
use crate::persist;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::{double, memory};
use crate::value::List;
use digest::Digest;

const HELP: &[&str] = &[
    "DIGEST",
    "    Return the SHA-1 digest of all keys and values, equal to that of a Redis server with the same data.",
    "DIGEST-VALUE [<key> ...]",
    "    Return the digest of the value of each <key>, zeros if the key does not exist.",
    "OBJECT <key>",
    "    Show the encoding of the value at <key>, and its serialized length.",
    "QUICKLIST-PACKED-THRESHOLD <size>",
    "    Set the size from which a list element has its own node; 0 resets it to the default, 1gb.",
    "RELOAD",
    "    Save everything in memory and load it again.",
    "SET-ACTIVE-EXPIRE <0|1>",
    "    Disable or enable the removal of expired keys by sweepers.",
    "SLEEP <seconds>",
    "    Lock all keys for this time. Decimals are allowed.",
];

pub(super) fn debug(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let profile = store.shared().profile();
    match args {
        [sub, key] if is(sub, "object") => object(store, key, false),
        [sub, key, option] if is(sub, "object") && profile.debug_object_option() => {
            object(store, key, is(option, "fast"))
        }
        [sub] if is(sub, "digest") => store.read_stripes(all(store), |view| {
            Ok(Reply::Status(Digest::of_all(view).to_hex().into()))
        }),
        [sub, keys @ ..] if is(sub, "digest-value") => {
            let digests = keys.iter().map(|key| digest_value(store, key));
            Ok(Reply::Array(digests.collect::<Result<_, Error>>()?))
        }
        [sub, size] if is(sub, "quicklist-packed-threshold") => {
            let settings = store.shared().settings();
            if !memory::parse(shown(size, usize::MAX))
                .is_some_and(|bytes| settings.set_list_plain_from(bytes))
            {
                return Err(refused(
                    "ERR argument must be a memory value bigger than 1 and smaller than 4gb",
                ));
            }
            Ok(Reply::OK)
        }
        [sub] if is(sub, "reload") => {
            store.write_all(persist::reload)?;
            Ok(Reply::OK)
        }
        [sub, ..] if is(sub, "reload") => {
            Err(refused("ERR DEBUG RELOAD takes no options here: there is no file"))
        }
        [sub, active] if is(sub, "set-active-expire") => {
            store.shared().set_active_expire(as_in_c(active));
            Ok(Reply::OK)
        }
        [sub, seconds] if is(sub, "sleep") => sleep(store, seconds),
        [sub] if is(sub, "help") => Ok(help_of("debug", HELP.iter().map(|&line| line.to_owned()))),
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

fn all(store: &Store<impl Locks>) -> std::ops::Range<usize> {
    0..store.shared().stripe_count()
}

/// Returns whether C's `atoi` converts the text to a number other than zero.
fn as_in_c(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    digits.iter().take_while(|byte| byte.is_ascii_digit()).any(|&byte| byte != b'0')
}

/// If `strtod` cannot parse the number, the time is zero.
fn sleep(store: &Store<impl Locks>, seconds: &[u8]) -> Answer {
    let seconds = double::parse_end(seconds).unwrap_or(0.0);
    let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    store.write_all(|_| {
        thread::sleep(time);
        Ok(Reply::OK)
    })
}

fn digest_value(store: &Store<impl Locks>, key: &[u8]) -> Answer {
    store.read(key, |view, keys| {
        let profile = view.shared().profile();
        let found = view.find(keys[0]);
        let digest = found.map_or_else(Digest::default, |found| {
            Digest::of_value(found.peek(), found.expires_at().is_some(), profile)
        });
        Ok(Reply::Status(digest.to_hex().into()))
    })
}

/// Without the serialized length if the fast form is requested.
fn object(store: &Store<impl Locks>, key: &[u8], fast: bool) -> Answer {
    // A clock of seconds that wraps around after this many.
    const LRU_CLOCK: u32 = 1 << 24;
    store.read(key, |view, keys| {
        let (Some(found), Some(idle)) = (view.find(keys[0]), view.idle_secs(keys[0])) else {
            return Err(refused("ERR no such key"));
        };
        let value = found.peek();
        let len = if fast {
            String::new()
        } else {
            format!(" serializedlength:{}", persist::body_len(value)?)
        };
        Ok(Reply::Status(
            format!(
                "Value at:{value:p} refcount:{} encoding:{}{len} lru:{} lru_seconds_idle:{idle}{}",
                references(value),
                encoding(&found, key.len(), view.shared().profile()),
                found.accessed() % LRU_CLOCK,
                value.as_list().map(List::nodes_in_figures).unwrap_or_default(),
            )
            .into(),
        ))
    })
}
