//! The declaration of a command: all that is known of it, and what runs it.

use super::Answer;
use super::notation::{self, Shape};
use super::words::is;
use crate::error::Error;
use crate::profile::Profile;
use crate::reply::Reply;
use crate::session::Client;
use crate::store::{Held, Store, Striped};

/// A command, or a subcommand of one. Words that belong together are one string, in Redis's order.
#[derive(Debug)]
pub(crate) struct Command {
    /// In lower case; of a subcommand behind its command and a bar.
    pub(crate) name: &'static str,
    /// The arguments, in the notation that [`notation`] explains.
    arguments: &'static str,
    /// How many words it takes, all names included; at least so many if negative. For each profile.
    arity: [i8; Profile::ALL.len()],
    /// Redis's command flags.
    pub(crate) flags: &'static str,
    /// The group of its documentation.
    pub(crate) group: &'static str,
    /// The first Redis that had it.
    pub(crate) since: &'static str,
    /// One sentence on what it does.
    pub(crate) summary: &'static str,
    /// How long it takes.
    pub(crate) complexity: &'static str,
    /// ACL categories beyond those that follow from the flags: that of the family, and others.
    pub(crate) acl: [&'static str; 2],
    /// Hints for clients and proxies.
    pub(crate) tips: &'static str,
    /// Where its keys are.
    pub(crate) keys: [Option<KeySpec>; 3],
    /// Its subcommands, one of which it needs if it takes more than its name.
    pub(crate) subcommands: &'static [Self],
    /// Whether it touches keys that its words do not name.
    pub(crate) whole: bool,
    pub(crate) run: Run,
}

/// What runs a command: the words after its names in, the reply out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// On a store, or in a transaction.
    Words {
        store: fn(&Store<Striped>, &[&[u8]]) -> Answer,
        tx: fn(&Store<Held<'_>>, &[&[u8]]) -> Answer,
    },
    /// On the state of a session. Between MULTI and EXEC it is queued as any other command.
    Session(fn(&mut Client, &[&[u8]]) -> Answer),
    /// On the state of a session, at once even between MULTI and EXEC.
    AtOnce(fn(&mut Client, &[&[u8]]) -> Answer),
}

/// Where some of the keys of a command are among its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeySpec {
    /// What happens to them, in Redis's words.
    pub(crate) flags: &'static str,
    /// The word with the first key, or with their number.
    pub(crate) first: usize,
    pub(crate) find: Find,
    /// Why it has its flags, where that is not plain.
    pub(crate) note: &'static str,
}

/// Which words from the first on are keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// Every `step`th word up to the one `last` behind the first, or so many before the end if negative.
    Range { last: i8, step: u8 },
    /// As many as the first word says, behind it: every `step`th word.
    Counted { step: u8 },
    /// The word behind this one, which stands at the first word or later, if it does.
    Keyword(&'static str),
    /// The word behind the last such option, wherever it is among the options.
    Option(&'static str),
    /// Those that the value of another key names.
    Unknown,
}

/// Declares a command by its name, its arguments and what runs it, a closure or a function.
///
/// It is compiled once for a store and once for a transaction. A pointer to either takes a fifth longer (decision 0031).
macro_rules! command {
    ($name:expr, $arguments:expr, |$store:pat_param, $words:pat_param| $run:expr $(,)?) => {
        $crate::execute::declared(
            $name,
            $arguments,
            $crate::execute::Run::Words {
                store: |$store: &$crate::store::Store<$crate::store::Striped>, $words: &[&[u8]]| {
                    $run
                },
                tx: |$store: &$crate::store::Store<$crate::store::Held<'_>>, $words: &[&[u8]]| $run,
            },
        )
    };
    ($name:expr, $arguments:expr, $run:path $(,)?) => {
        $crate::execute::declared(
            $name,
            $arguments,
            $crate::execute::Run::Words {
                store: |store, words| $run(store, words),
                tx: |store, words| $run(store, words),
            },
        )
    };
}

pub(crate) use command;

/// A command by what runs it, whatever that is.
pub(crate) const fn declared(name: &'static str, arguments: &'static str, run: Run) -> Command {
    let (mut names, mut at) = (1, 0);
    while at < name.len() {
        names += (name.as_bytes()[at] == b'|') as u8;
        at += 1;
    }
    let mut arity = [0; Profile::ALL.len()];
    let mut profile = 0;
    while profile < arity.len() {
        arity[profile] = Shape::of(arguments, names, Profile::ALL[profile]).arity();
        profile += 1;
    }
    let newest = Shape::of(arguments, names, Profile::ALL[arity.len() - 1]);
    Command {
        name,
        arguments,
        arity,
        flags: "",
        group: "",
        since: "",
        summary: "",
        complexity: "",
        acl: ["", ""],
        tips: "",
        keys: newest.keys,
        subcommands: &[],
        whole: false,
        run,
    }
}

/// A command that is nothing without one of its subcommands, which run instead of it.
pub(crate) const fn container(name: &'static str, subcommands: &'static [Command]) -> Command {
    command!(name, "", |_, _| Err(Error::syntax())).subcommands(subcommands)
}

/// What the commands of a family have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    group: &'static str,
    acl: &'static str,
}

/// A family: a group of the documentation and an ACL category.
pub(crate) const fn family(group: &'static str, acl: &'static str) -> Family {
    Family { group, acl }
}

impl Family {
    /// The commands of the family.
    pub(crate) const fn of<const N: usize>(self, mut commands: [Command; N]) -> [Command; N] {
        let mut at = 0;
        while at < N {
            commands[at].group = self.group;
            commands[at].acl[0] = self.acl;
            at += 1;
        }
        commands
    }
}

impl Command {
    /// The first Redis that had it, its flags, and what happens to the keys of each key specification.
    pub(crate) const fn info<const N: usize>(
        mut self,
        since: &'static str,
        flags: &'static str,
        keys: [&'static str; N],
    ) -> Self {
        self.since = since;
        self.flags = flags;
        let mut at = 0;
        while at < self.keys.len() {
            assert!(self.keys[at].is_some() == (at < N), "each key specification has its flags");
            if let Some(spec) = &mut self.keys[at] {
                spec.flags = keys[at];
            }
            at += 1;
        }
        self
    }

    /// What COMMAND DOCS says of it, in words of our own.
    pub(crate) const fn docs(mut self, summary: &'static str, complexity: &'static str) -> Self {
        self.summary = summary;
        self.complexity = complexity;
        self
    }

    /// An arity that does not follow from the arguments, as Redis documents them.
    pub(crate) const fn arity(mut self, arity: i8) -> Self {
        self.arity = [arity; Profile::ALL.len()];
        self
    }

    /// The same where profiles differ.
    pub(crate) const fn arities(mut self, arities: [i8; Profile::ALL.len()]) -> Self {
        self.arity = arities;
        self
    }

    /// ACL categories beyond that of the family.
    pub(crate) const fn acl(mut self, categories: &'static str) -> Self {
        self.acl[1] = categories;
        self
    }

    pub(crate) const fn tips(mut self, tips: &'static str) -> Self {
        self.tips = tips;
        self
    }

    /// Why the keys of a key specification have the flags that they have, or where they are.
    pub(crate) const fn note(mut self, spec: usize, note: &'static str) -> Self {
        if let Some(spec) = &mut self.keys[spec] {
            spec.note = note;
        }
        self
    }

    /// The keyword of a key specification may stand anywhere among options that have words of their own.
    pub(crate) const fn among_options(mut self, spec: usize) -> Self {
        if let Some(KeySpec { find, .. }) = &mut self.keys[spec]
            && let Find::Keyword(keyword) = *find
        {
            *find = Find::Option(keyword);
        }
        self
    }

    /// It touches keys that its words do not name.
    pub(crate) const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// It has subcommands, and is nothing without one unless another arity is set behind this.
    pub(crate) const fn subcommands(mut self, subcommands: &'static [Self]) -> Self {
        self.subcommands = subcommands;
        self.arity(-2)
    }

    /// The arguments as COMMAND DOCS shows them.
    pub(super) fn arguments(&self, profile: Profile) -> Vec<Reply> {
        notation::docs(self.arguments, profile)
    }

    /// The arguments as redis.io shows them.
    pub(super) fn syntax(&self, profile: Profile) -> String {
        notation::syntax(self.arguments, profile)
    }

    /// The subcommands that servers of the profile have.
    pub(crate) fn subcommands_in(&self, profile: Profile) -> impl Iterator<Item = &'static Self> {
        self.subcommands.iter().filter(move |sub| profile.knows(sub.since))
    }

    /// The subcommand of that name, in whatever case, if servers of the profile have it.
    pub(crate) fn subcommand(&self, name: &[u8], profile: Profile) -> Option<&'static Self> {
        self.subcommands_in(profile).find(|sub| {
            let own = sub.name.split_once('|').map_or("", |(_, own)| own);
            name.eq_ignore_ascii_case(own.as_bytes())
        })
    }

    /// The arity in that release series.
    pub(crate) const fn arity_in(&self, profile: Profile) -> i8 {
        self.arity[profile as usize]
    }

    /// Whether that many words, the name included, are right in number.
    pub(crate) fn takes(&self, words: usize, profile: Profile) -> bool {
        let arity = self.arity_in(profile);
        let least = usize::from(arity.unsigned_abs());
        if arity < 0 { words >= least } else { words == least }
    }

    /// The keys among the words of a command that has the right number of them.
    pub(crate) fn keys_of<'a>(&self, words: &[&'a [u8]]) -> Vec<&'a [u8]> {
        let mut keys = Vec::new();
        for spec in self.keys.iter().flatten() {
            match spec.find {
                // Behind each of them: the last one counts, but it does no harm to name more.
                Find::Keyword(keyword) => {
                    let pairs = words.windows(2).skip(spec.first);
                    keys.extend(pairs.filter(|pair| is(pair[0], keyword)).map(|pair| pair[1]));
                }
                Find::Option(keyword) => keys.extend(last_option(words, spec.first, keyword)),
                Find::Unknown => {}
                Find::Range { .. } | Find::Counted { .. } => keys.extend(spec.keys_of(words)),
            }
        }
        keys
    }

    /// The keys among the words of a command, and what happens to each; `None` if the words are not right.
    pub(crate) fn keys_and_flags<'a>(
        &self,
        words: &[&'a [u8]],
    ) -> Option<Vec<(&'a [u8], usize, &'static str)>> {
        let mut keys = Vec::new();
        for (at, spec) in self.keys.iter().flatten().enumerate() {
            if spec.find == Find::Unknown {
                continue;
            }
            if let Find::Option(keyword) = spec.find {
                let key = last_option(words, spec.first, keyword);
                keys.extend(key.map(|key| (key, at, spec.flags)));
                continue;
            }
            if let Find::Keyword(keyword) = spec.find {
                // Behind the first of them. As the last word it has nothing behind it and does not count.
                let mut pairs = words.windows(2).skip(spec.first);
                keys.extend(
                    pairs.find(|pair| is(pair[0], keyword)).map(|pair| (pair[1], at, spec.flags)),
                );
                continue;
            }
            let range = spec.range(words).map(|range| (range, spec.flags_in(words)));
            let (range, flags) = range.or_else(|| Some((spec.range_as_in_c(words)?, "")))?;
            let (first, last, step) = range;
            if first > last || last >= words.len() {
                return None;
            }
            keys.extend(words[first..=last].iter().step_by(step).map(|&key| (key, at, flags)));
        }
        Some(keys)
    }

    /// Where the keys are by the older scheme of one range: the first, the last (so many before the end if negative)
    /// and the step; zeros if there is none.
    pub(crate) fn legacy_range(&self) -> [i64; 3] {
        let mut range = None;
        for (first, last, step) in self.keys.iter().flatten().filter_map(KeySpec::one_range) {
            range = match range {
                None => Some((first, last, step)),
                // A further range belongs to the first if it goes on where that one ends.
                Some((begin, end, 1)) if step == 1 && first == end + 1 => Some((begin, last, 1)),
                old => old,
            };
        }
        range.map_or([0; 3], |(first, last, step)| [first, last, step])
    }

    /// Whether it has keys that the older scheme cannot describe.
    pub(crate) fn has_movable_keys(&self) -> bool {
        let movable = |spec: &KeySpec| match spec.find {
            Find::Range { .. } => false,
            Find::Counted { .. } | Find::Keyword(_) | Find::Option(_) | Find::Unknown => true,
        };
        self.keys.iter().flatten().any(movable)
    }
}

impl KeySpec {
    /// The word with the only key, if there is only one.
    pub(crate) const fn only(&self) -> Option<usize> {
        if matches!(self.find, Find::Range { last: 0, .. }) { Some(self.first) } else { None }
    }

    fn keys_of<'a>(&self, words: &[&'a [u8]]) -> impl Iterator<Item = &'a [u8]> {
        // A number of keys that is too great, or is none, is an error that the command itself reports.
        let (first, last, step) = self.range(words).unwrap_or((1, 0, 1));
        let end = words.len().min(last.saturating_add(1));
        words.get(first..end).unwrap_or_default().iter().step_by(step).copied()
    }

    /// The first word that is a key, the last, and the step between them; they may lie behind the end. `None` if a word
    /// that should say how many there are does not.
    fn range(&self, words: &[&[u8]]) -> Option<(usize, usize, usize)> {
        match self.find {
            Find::Range { last, step } => {
                let distance = usize::from(last.unsigned_abs());
                let last = if last < 0 {
                    words.len().saturating_sub(distance)
                } else {
                    self.first + distance
                };
                Some((self.first, last, usize::from(step)))
            }
            Find::Counted { step } => {
                let count = crate::value::parse_int(words.get(self.first)?)?;
                let count = usize::try_from(count).ok().filter(|&count| count > 0)?;
                let step = usize::from(step);
                Some((self.first + 1, self.first.saturating_add(count.saturating_mul(step)), step))
            }
            Find::Keyword(_) | Find::Option(_) | Find::Unknown => None,
        }
    }

    /// Where the number of keys is not well formed, Redis goes by the digits that it begins with, and says nothing of
    /// what happens to the keys.
    fn range_as_in_c(&self, words: &[&[u8]]) -> Option<(usize, usize, usize)> {
        let text = words.get(self.first)?.trim_ascii_start();
        let text = text.strip_prefix(b"+").unwrap_or(text);
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
        let count = digits.fold(0_usize, |count, digit| {
            count.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
        });
        Some((self.first + 1, self.first.saturating_add(count), 1))
    }

    /// What happens to the keys when the command has these words.
    fn flags_in(&self, words: &[&[u8]]) -> &'static str {
        if !self.flags.ends_with("variable_flags") {
            return self.flags;
        }
        if words.first().is_some_and(|name| is(name, "set")) {
            // Without GET it does not care for what was there.
            let reads = words.iter().skip(3).any(|word| word.eq_ignore_ascii_case(b"get"));
            return if reads { "RW access update" } else { "OW update" };
        }
        // BITFIELD writes if one of its operations may, or if they are not well formed.
        let mut rest = words.get(2..).unwrap_or_default();
        loop {
            rest = match rest {
                [] => return "RO access",
                [get, _, _, rest @ ..] if is(get, "get") => rest,
                [overflow, _, rest @ ..] if is(overflow, "overflow") => rest,
                [_, ..] => return "RW access update",
            };
        }
    }

    /// The keys as a first word, a last and a step.
    fn one_range(&self) -> Option<(i64, i64, i64)> {
        let Find::Range { last, step } = self.find else { return None };
        let first = i64::try_from(self.first).ok()?;
        let last = i64::from(last);
        Some((first, if last < 0 { last } else { first + last }, i64::from(step)))
    }
}

/// The word behind the last option of that name, as SORT has options: those before it may be LIMIT with two words, and
/// GET and BY with one.
fn last_option<'a>(words: &[&'a [u8]], first: usize, name: &str) -> Option<&'a [u8]> {
    let (mut at, mut found) = (first, None);
    while let Some(word) = words.get(at) {
        let skipped = [("limit", 2), ("get", 1), ("by", 1)].iter().find(|(name, _)| is(word, name));
        if is(word, name) {
            found = words.get(at + 1).copied().or(found);
        }
        at += 1 + skipped.map_or(0, |&(_, words)| words);
    }
    found
}
