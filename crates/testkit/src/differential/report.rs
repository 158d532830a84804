//! The report of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Commands that are in scripts only for their errors: two of them on servers before 7.2.
const REFUSED: [&str; 10] = [
    "(unknown)",
    "CLIENT",
    "CLIENT NO-TOUCH",
    "CLIENT SETINFO",
    "COMMAND",
    "CONFIG",
    "DEBUG",
    "MEMORY",
    "NONESUCH",
    "OBJECT",
];

/// How often a command was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// With a reply that is not an error.
    pub done: usize,
    /// With an error.
    pub refused: usize,
}

/// What a run without a difference has compared.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Commands whose replies were compared.
    pub commands: usize,
    /// The same by command: the name in upper case, with its subcommand if any.
    pub by_command: BTreeMap<String, Count>,
    /// Number of comparisons of a key's bytes.
    pub keys_compared: usize,
    /// Payloads that each side restored from the other.
    pub payloads_restored: usize,
    /// Transactions that a watched key has aborted.
    pub aborted: usize,
    /// The encodings that occurred: `embstr`, `intset-16`, `set-hashtable`, `hll-dense`, ...
    pub forms: BTreeSet<String>,
    /// The conversions of encodings of a key between two comparisons: `hll-sparse -> hll-dense`.
    pub transitions: BTreeMap<String, usize>,
}

impl Report {
    /// Returns the commands that had only errors as replies.
    #[must_use]
    pub fn never_done(&self) -> Vec<&str> {
        let never = self.by_command.iter().filter(|(_, count)| count.done == 0);
        never.map(|(name, _)| name.as_str()).collect()
    }

    /// Returns those of [`never_done`](Self::never_done) that should have succeeded: without those that are in scripts
    /// only for their errors, and those of newer servers.
    #[must_use]
    pub fn always_refused(&self) -> Vec<&str> {
        let mut never = self.never_done();
        never.retain(|name| !REFUSED.contains(name));
        never
    }

    /// Adds the numbers of another run.
    pub fn add(&mut self, other: &Self) {
        self.commands += other.commands;
        self.aborted += other.aborted;
        self.keys_compared += other.keys_compared;
        self.payloads_restored += other.payloads_restored;
        self.forms.extend(other.forms.iter().cloned());
        for (name, count) in &other.by_command {
            let sum = self.by_command.entry(name.clone()).or_default();
            sum.done += count.done;
            sum.refused += count.refused;
        }
        for (name, count) in &other.transitions {
            *self.transitions.entry(name.clone()).or_default() += count;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} commands, {} keys compared, {} payloads restored, {} transactions aborted",
            self.commands, self.keys_compared, self.payloads_restored, self.aborted
        )?;
        for (name, Count { done, refused }) in &self.by_command {
            writeln!(f, "  {name:<20} {done:>7} {refused:>7} refused")?;
        }
        for (name, count) in &self.transitions {
            writeln!(f, "  {name:<40} {count:>5}")?;
        }
        Ok(())
    }
}

/// A difference between server and subject, with the shortest script that was found for it.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The seed of the run.
    pub seed: u64,
    /// The index of the command, from 0; that of the last one before it, if a comparison of the bytes found the
    /// difference.
    pub step: usize,
    /// The command, or the comparison.
    pub command: String,
    /// The subject's reply or state.
    pub ours: String,
    /// The server's reply or state.
    pub theirs: String,
    /// A description of the difference.
    pub why: String,
    /// The last commands before it with the same key.
    pub recent: Vec<String>,
    /// A short script that leads to a difference from an empty state. Empty if the difference was not reproducible.
    pub script: Vec<String>,
    /// The difference at the end of that script.
    pub script_ends: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, step {}: {}", self.seed, self.step, self.why)?;
        writeln!(f, "  {}", self.command)?;
        writeln!(f, "  ours   {}", self.ours)?;
        writeln!(f, "  theirs {}", self.theirs)?;
        if !self.recent.is_empty() {
            writeln!(f, "the last commands on that key:")?;
        }
        for line in &self.recent {
            writeln!(f, "  {line}")?;
        }
        if self.script.is_empty() {
            return writeln!(
                f,
                "the difference did not occur again when the commands were run once more"
            );
        }
        writeln!(f, "the shortest script found:")?;
        for line in &self.script {
            writeln!(f, "  {line}")?;
        }
        writeln!(f, "which ends in:\n{}", self.script_ends)
    }
}
