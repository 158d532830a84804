//! Properties of commands that differ between Redis 7.0 and newer servers.

use crate::profile::Profile;

/// A property of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    Flags,
    Tips,
    /// The flags of the keys of a specification; the first one has index 0.
    Keys(usize),
}

/// The servers with the difference.
#[derive(Clone, Copy, Debug)]
enum Servers {
    Both,
    Valkey,
}

impl Servers {
    const fn have(self, profile: Profile) -> bool {
        match self {
            Self::Both => profile.tells_newer_facts(),
            Self::Valkey => profile.tells_facts_as_valkey(),
        }
    }
}

/// A difference: the words to remove, and the words to add.
type Change = (&'static str, Fact, Servers, &'static str, &'static str);

const CHANGES: [Change; 25] = [
    ("randomkey", Fact::Tips, Servers::Both, "", "response_policy:special"),
    ("scan", Fact::Tips, Servers::Both, "", "response_policy:special"),
    ("msetnx", Fact::Tips, Servers::Both, "request_policy:multi_shard response_policy:agg_min", ""),
    (
        "config|resetstat",
        Fact::Tips,
        Servers::Both,
        "",
        "request_policy:all_nodes response_policy:all_succeeded",
    ),
    (
        "client|setname",
        Fact::Tips,
        Servers::Both,
        "",
        "request_policy:all_nodes response_policy:all_succeeded",
    ),
    ("client|getname", Fact::Flags, Servers::Valkey, "", "allow_busy"),
    ("client|id", Fact::Flags, Servers::Valkey, "", "allow_busy"),
    ("client|no-evict", Fact::Flags, Servers::Valkey, "", "allow_busy"),
    ("client|no-touch", Fact::Flags, Servers::Valkey, "", "allow_busy"),
    ("client|setinfo", Fact::Flags, Servers::Valkey, "", "allow_busy"),
    ("client|setname", Fact::Flags, Servers::Valkey, "", "allow_busy"),
    ("sinterstore", Fact::Keys(0), Servers::Both, "RW update", "OW update"),
    ("httl", Fact::Tips, Servers::Valkey, "nondeterministic_output", ""),
    ("hpttl", Fact::Tips, Servers::Valkey, "nondeterministic_output", ""),
    ("hsetex", Fact::Keys(0), Servers::Valkey, "update", "insert"),
    ("georadius", Fact::Keys(1), Servers::Valkey, "", "variable_flags"),
    ("georadius", Fact::Keys(2), Servers::Valkey, "", "variable_flags"),
    ("georadiusbymember", Fact::Keys(1), Servers::Valkey, "", "variable_flags"),
    ("georadiusbymember", Fact::Keys(2), Servers::Valkey, "", "variable_flags"),
    ("script|exists", Fact::Flags, Servers::Valkey, "", "stale"),
    ("script|flush", Fact::Flags, Servers::Valkey, "", "stale"),
    ("select", Fact::Flags, Servers::Valkey, "", "allow_busy"),
    ("multi", Fact::Flags, Servers::Valkey, "", "no_multi"),
    ("watch", Fact::Flags, Servers::Valkey, "", "no_multi"),
    ("exec", Fact::Flags, Servers::Valkey, "skip_slowlog", "skip_commandlog"),
];

/// The words of a property in the servers of a profile.
pub(super) fn words(
    command: &str,
    fact: Fact,
    words: &'static str,
    profile: Profile,
) -> impl Iterator<Item = &'static str> {
    let change = CHANGES
        .iter()
        .find(|&&(of, what, servers, ..)| of == command && what == fact && servers.have(profile));
    let (without, with) = change.map_or(("", ""), |&(.., without, with)| (without, with));
    let kept = words
        .split_ascii_whitespace()
        .filter(move |word| !without.split_ascii_whitespace().any(|one| one == *word));
    kept.chain(with.split_ascii_whitespace())
}
