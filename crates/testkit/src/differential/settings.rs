//! The settings of a run.

use std::path::PathBuf;

use super::families::{self, FAMILIES};
use crate::live::{Options, Protocol};

/// The limits at which a value changes its encoding, named as in Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `set-max-intset-entries`.
    pub set_max_intset_entries: usize,
    /// `hll-sparse-max-bytes`.
    pub hll_sparse_max_bytes: usize,
    /// `set-max-listpack-entries` and `set-max-listpack-value`; `None` for a server before 7.2, which has neither.
    pub set_max_listpack: Option<[usize; 2]>,
    /// `zset-max-listpack-entries` and `zset-max-listpack-value`.
    pub zset_max_listpack: [usize; 2],
    /// `hash-max-listpack-entries` and `hash-max-listpack-value`.
    pub hash_max_listpack: [usize; 2],
    /// `list-max-listpack-size` and `list-compress-depth`.
    pub lists: (isize, usize),
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            set_max_intset_entries: 512,
            hll_sparse_max_bytes: 3000,
            set_max_listpack: None,
            zset_max_listpack: [128, 64],
            hash_max_listpack: [512, 64],
            lists: (-2, 0),
        }
    }
}

impl Limits {
    /// Returns limits that are so low that every conversion happens within tens of commands.
    #[must_use]
    pub const fn low() -> Self {
        Self {
            set_max_intset_entries: 5,
            hll_sparse_max_bytes: 40,
            set_max_listpack: None,
            zset_max_listpack: [6, 20],
            hash_max_listpack: [6, 20],
            lists: (4, 1),
        }
    }

    /// Names and values, as in the configuration.
    pub(super) fn pairs(&self) -> Vec<[String; 2]> {
        let pair = |name: &str, value: usize| [name.to_owned(), value.to_string()];
        let mut pairs = vec![
            pair("set-max-intset-entries", self.set_max_intset_entries),
            pair("hll-sparse-max-bytes", self.hll_sparse_max_bytes),
            pair("zset-max-listpack-entries", self.zset_max_listpack[0]),
            pair("zset-max-listpack-value", self.zset_max_listpack[1]),
            pair("hash-max-listpack-entries", self.hash_max_listpack[0]),
            pair("hash-max-listpack-value", self.hash_max_listpack[1]),
        ];
        pairs.push(["list-max-listpack-size".to_owned(), self.lists.0.to_string()]);
        pairs.push(pair("list-compress-depth", self.lists.1));
        if let Some([entries, value]) = self.set_max_listpack {
            pairs.push(pair("set-max-listpack-entries", entries));
            pairs.push(pair("set-max-listpack-value", value));
        }
        pairs
    }
}

/// The settings of a run. The same settings give the same commands.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed, which determines every command.
    pub seed: u64,
    /// The number of commands.
    pub commands: usize,
    /// The number of commands between two comparisons of the bytes.
    pub look_every: usize,
    /// The names of the command families to use; see [`family_names`].
    pub families: Vec<&'static str>,
    /// The module that the server loads, which [`MODULE_FAMILY`] needs.
    pub module: Option<PathBuf>,
    /// Commands that the subject does not have, in upper case (`SPOP`, `OBJECT FREQ`). They are not sent, and the
    /// harness itself avoids them where possible: `DUMP`, `RESTORE`, `PEXPIRETIME`, `CONFIG SET`.
    pub leave_out: Vec<&'static str>,
    /// The limits on both sides.
    pub limits: Limits,
    /// The protocol of the replies.
    pub protocol: Protocol,
    /// Whether both sides compress strings. If not, every `serializedlength` is compared, else only short ones.
    pub compression: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            commands: 10_000,
            look_every: 100,
            families: family_names(),
            module: None,
            leave_out: Vec::new(),
            limits: Limits::default(),
            protocol: Protocol::Resp2,
            compression: true,
        }
    }
}

impl Settings {
    /// Returns the options to start the server with.
    #[must_use]
    pub fn options(&self) -> Options {
        let mut options = Options::new()
            .config("enable-debug-command", "yes")
            .config("rdbcompression", if self.compression { "yes" } else { "no" });
        for [name, value] in self.limits.pairs() {
            options = options.config(&name, &value);
        }
        match &self.module {
            Some(module) => options.module(module),
            None => options,
        }
    }

    /// Whether a command is left out: `words` may be a container and its subcommand, `OBJECT FREQ`.
    pub(super) fn leaves_out(&self, words: &str) -> bool {
        let container = words.split(' ').next().unwrap_or_default();
        self.leave_out.iter().any(|name| *name == words || *name == container)
    }
}

/// The families that only newer servers have, each with a command that shows whether a server has it.
pub const LATER_FAMILIES: [(&str, &str); 2] = families::LATER;

/// The family that a server has only with RedisBloom.
pub const MODULE_FAMILY: &str = families::BLOOM;

/// Returns the names of the families that every server has: all but [`MODULE_FAMILY`] and [`LATER_FAMILIES`].
#[must_use]
pub fn family_names() -> Vec<&'static str> {
    let is_later = |name| name == MODULE_FAMILY || LATER_FAMILIES.iter().any(|it| it.0 == name);
    FAMILIES.iter().map(|family| family.name).filter(|&name| !is_later(name)).collect()
}
