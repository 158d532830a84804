//! Servers before 7.0, which have no profile: how they differ from 7.0.
//!
//! A command that such a server parses differently is not sent, so that both sides stay in the same state ([`reads`]).
//! Replies that differ without a change of state are recognized by their form ([`replies`]).

mod reads;
mod replies;

use super::super::script::Op;
use super::super::{Reply, Settings};
use crate::live::{Version, name_in};

pub(in super::super) use replies::replies_otherwise;

/// Commands that servers before 7.0 do not have, those that describe the server's own commands, and DUMP and RESTORE,
/// whose versions differ.
pub const LATER_COMMANDS: [&str; 17] = [
    "CLIENT NO-EVICT",
    "COMMAND DOCS",
    "COMMAND GETKEYS",
    "COMMAND GETKEYSANDFLAGS",
    "COMMAND HELP",
    "COMMAND INFO",
    "COMMAND LIST",
    "DUMP",
    "EXPIRETIME",
    "LCS",
    "LMPOP",
    "PEXPIRETIME",
    "RESTORE",
    "SINTERCARD",
    "SORT_RO",
    "ZINTERCARD",
    "ZMPOP",
];

/// Returns the differences between servers before 7.0 and 7.0 that the harness allows for, one sentence each.
pub fn older_differences() -> impl Iterator<Item = &'static str> {
    const OTHERS: [&str; 4] = [
        "lists with compressed nodes may terminate the server",
        "PFCOUNT, PFMERGE and PFADD accept HyperLogLogs that 7.0 reports as corrupted",
        "GEOSEARCHSTORE, and GEORADIUS with STORE, do not change the destination if the source does not exist",
        "WATCH detects SETBIT and BITFIELD that change no bit",
    ];
    reads::differences().chain(OTHERS).chain(replies::differences())
}

/// Whether a server of that version is older than all profiles.
pub(in super::super) fn is_older(version: Version) -> bool {
    version < Version::new(7, 0, 0)
}

/// The settings for a server of that version.
pub(in super::super) fn known_in(version: Version, settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    if is_older(version) {
        settings.leave_out.extend(LATER_COMMANDS);
        // Redis 6.2.5 ends when it reads some lists with compressed nodes.
        settings.limits.lists.1 = 0;
    }
    settings
}

/// Adapts a script to a server of that version: renames settings, and removes commands that it parses differently.
pub(in super::super) fn as_known_in(version: Version, ops: &mut Vec<Op>) {
    for op in &mut *ops {
        let [config, set, setting, ..] = &mut op.words[..] else { continue };
        if !config.eq_ignore_ascii_case(b"CONFIG") || !set.eq_ignore_ascii_case(b"SET") {
            continue;
        }
        let name = std::str::from_utf8(setting).ok().and_then(|name| name_in(version, name));
        if let Some(name) = name {
            *setting = name.into();
        }
    }
    ops.retain(|op| !reads::reads_otherwise(&op.words));
}

/// Returns the key that WATCH reports as changed although the written bits are the same.
pub(in super::super) fn key_of_same_bits<'w>(
    words: &'w [Vec<u8>],
    theirs: &Reply,
) -> Option<&'w [u8]> {
    let [name, key, ..] = words else { return None };
    let sets = name.eq_ignore_ascii_case(b"SETBIT")
        || name.eq_ignore_ascii_case(b"BITFIELD") && (has(words, "SET") || has(words, "INCRBY"));
    (sets && !theirs.is_error()).then_some(key)
}

fn has(words: &[Vec<u8>], option: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(option.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::super::Limits;
    use super::super::super::harness::words;
    use super::super::super::script::How;
    use super::*;

    #[test]
    fn a_script_has_the_names_and_commands_of_the_server() {
        let op = |line: &[&str]| Op { session: 0, words: words(line), how: How::Plain };
        let mut ops = vec![
            op(&["config", "set", "zset-max-listpack-entries", "5"]),
            op(&["CONFIG", "SET", "set-max-intset-entries", "5"]),
            op(&["EXPIRE", "k", "100", "NX"]),
            op(&["EXPIRE", "k", "100"]),
        ];
        as_known_in(Version::new(6, 2, 5), &mut ops);
        let all: Vec<_> = ops.iter().map(|op| op.words.clone()).collect();
        assert_eq!(
            all,
            [
                words(&["config", "set", "zset-max-ziplist-entries", "5"]),
                words(&["CONFIG", "SET", "set-max-intset-entries", "5"]),
                words(&["EXPIRE", "k", "100"]),
            ]
        );
    }

    #[test]
    fn settings_are_only_those_of_an_older_server() {
        let limits = Limits::low();
        let settings = Settings { leave_out: vec!["GET"], limits, ..Settings::default() };
        let old = known_in(Version::new(6, 2, 5), &settings);
        assert!(old.leaves_out("GET") && old.leaves_out("LCS") && old.limits.lists.1 == 0);
        let new = known_in(Version::new(7, 0, 0), &settings);
        assert_eq!((new.leave_out.as_slice(), new.limits), (&["GET"][..], limits));
    }

    #[test]
    fn bits_that_are_set_to_the_same_value_touch_their_key() {
        let key = |line: &[&str], reply: Reply| {
            key_of_same_bits(&words(line), &reply)
                .map(|key| String::from_utf8_lossy(key).into_owned())
        };
        let k = Some("k".to_owned());
        assert_eq!(key(&["setbit", "k", "7", "1"], Reply::Int(1)), k);
        assert_eq!(key(&["BITFIELD", "k", "set", "u8", "0", "1"], Reply::Array(vec![])), k);
        assert_eq!(key(&["BITFIELD", "k", "GET", "u8", "0"], Reply::Array(vec![])), None);
        assert_eq!(key(&["SETBIT", "k", "7", "2"], Reply::Error("ERR".into())), None);
        assert_eq!(key(&["GETBIT", "k", "7"], Reply::Int(1)), None);
    }

    #[test]
    fn each_difference_has_its_own_sentence() {
        let all: Vec<_> = older_differences().collect();
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), all.len());
        assert_eq!(all.len(), reads::differences().len() + replies::differences().len() + 4);
    }
}
