//! What is known of a command apart from how it runs: the facts that COMMAND INFO tells.

use crate::profile::Profile;

/// A row of the table, or a subcommand of one. Words that belong together are one string, in Redis's order.
#[derive(Debug)]
pub(crate) struct Info {
    /// In lower case; of a subcommand without its command.
    pub(crate) name: &'static str,
    /// How many words it takes, all names included; at least so many if negative. As in Redis's own table.
    pub(crate) arity: i8,
    /// The arity in [`Profile::Redis70`](Profile::Redis70), where that is another one.
    pub(crate) arity_70: Option<i8>,
    /// Redis's command flags.
    pub(crate) flags: &'static str,
    /// The group of its documentation; a subcommand is in that of its command.
    pub(crate) group: &'static str,
    /// The first Redis that had it.
    pub(crate) since: &'static str,
    /// One sentence on what it does.
    pub(crate) summary: &'static str,
    /// How long it takes.
    pub(crate) complexity: &'static str,
    /// ACL categories beyond those that follow from the flags.
    pub(crate) acl: &'static str,
    /// Hints for clients and proxies.
    pub(crate) tips: &'static str,
    /// Where its keys are.
    pub(crate) keys: [Option<KeySpec>; 3],
    /// Its subcommands, if it is nothing without one.
    pub(crate) subcommands: &'static [Info],
    /// Whether it touches keys that its words do not name.
    pub(crate) whole: bool,
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
    /// As many as the first word says, behind it.
    Counted,
    /// The word behind this one, which stands at the first word or later, if it does.
    Keyword(&'static str),
}

/// A command by its name, its arity and its flags; the rest is added to it.
pub(super) const fn info(name: &'static str, arity: i8, flags: &'static str) -> Info {
    Info {
        name,
        arity,
        arity_70: None,
        flags,
        group: "",
        since: "",
        summary: "",
        complexity: "",
        acl: "",
        tips: "",
        keys: [None, None, None],
        subcommands: &[],
        whole: false,
    }
}

impl Info {
    pub(super) const fn group(mut self, group: &'static str, since: &'static str) -> Self {
        self.group = group;
        self.since = since;
        self
    }

    /// It took another number of words in Redis 7.0.
    pub(super) const fn before_72(mut self, arity: i8) -> Self {
        self.arity_70 = Some(arity);
        self
    }

    /// The first Redis that had a subcommand.
    pub(super) const fn since(mut self, since: &'static str) -> Self {
        self.since = since;
        self
    }

    /// What COMMAND DOCS says of it, in words of our own.
    pub(super) const fn docs(mut self, summary: &'static str, complexity: &'static str) -> Self {
        self.summary = summary;
        self.complexity = complexity;
        self
    }

    pub(super) const fn acl(mut self, categories: &'static str) -> Self {
        self.acl = categories;
        self
    }

    pub(super) const fn tips(mut self, tips: &'static str) -> Self {
        self.tips = tips;
        self
    }

    pub(super) const fn keys(self, flags: &'static str, first: usize, last: i8, step: u8) -> Self {
        self.key_spec(KeySpec { flags, first, find: Find::Range { last, step }, note: "" })
    }

    pub(super) const fn counted_keys(self, flags: &'static str, first: usize) -> Self {
        self.key_spec(KeySpec { flags, first, find: Find::Counted, note: "" })
    }

    /// Why the keys have the flags that they have.
    pub(super) const fn note(mut self, note: &'static str) -> Self {
        let at = self.specs().saturating_sub(1);
        if let Some(spec) = &mut self.keys[at] {
            spec.note = note;
        }
        self
    }

    /// The key behind a keyword, which may stand at the first word or later.
    pub(super) const fn keyword_key(
        self,
        flags: &'static str,
        keyword: &'static str,
        first: usize,
    ) -> Self {
        self.key_spec(KeySpec { flags, first, find: Find::Keyword(keyword), note: "" })
    }

    const fn key_spec(mut self, spec: KeySpec) -> Self {
        let at = self.specs();
        self.keys[at] = Some(spec);
        self
    }

    const fn specs(&self) -> usize {
        let mut count = 0;
        while count < self.keys.len() && self.keys[count].is_some() {
            count += 1;
        }
        count
    }

    pub(super) const fn subcommands(mut self, subcommands: &'static [Self]) -> Self {
        self.subcommands = subcommands;
        self
    }

    /// It touches keys that its words do not name.
    pub(super) const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// The subcommand of that name, in whatever case.
    pub(crate) fn subcommand(&self, name: &[u8]) -> Option<&'static Self> {
        self.subcommands.iter().find(|sub| name.eq_ignore_ascii_case(sub.name.as_bytes()))
    }

    /// The arity in that line of servers.
    pub(crate) fn arity_in(&self, profile: Profile) -> i8 {
        match profile {
            Profile::Redis70 => self.arity_70.unwrap_or(self.arity),
            Profile::Redis72 => self.arity,
        }
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
                Find::Range { .. } | Find::Counted => keys.extend(spec.keys_of(words)),
            }
        }
        keys
    }

    /// The keys among the words of a command, and what happens to each; `None` if the words are not right.
    pub(crate) fn keys_and_flags<'a>(
        &self,
        words: &[&'a [u8]],
    ) -> Option<Vec<(&'a [u8], &'static str)>> {
        let mut keys = Vec::new();
        for spec in self.keys.iter().flatten() {
            if let Find::Keyword(keyword) = spec.find {
                // Behind the first of them. As the last word it has nothing behind it and does not count.
                let mut pairs = words.windows(2).skip(spec.first);
                keys.extend(
                    pairs.find(|pair| is(pair[0], keyword)).map(|pair| (pair[1], spec.flags)),
                );
                continue;
            }
            let range = spec.range(words).map(|range| (range, spec.flags_in(words)));
            let (range, flags) = range.or_else(|| Some((spec.range_as_in_c(words)?, "")))?;
            let (first, last, step) = range;
            if first > last || last >= words.len() {
                return None;
            }
            keys.extend(words[first..=last].iter().step_by(step).map(|&key| (key, flags)));
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

    /// Whether it has keys that the older scheme cannot tell of.
    pub(crate) fn has_movable_keys(&self) -> bool {
        let movable = |spec: &KeySpec| match spec.find {
            Find::Range { .. } => false,
            Find::Counted | Find::Keyword(_) => true,
        };
        self.keys.iter().flatten().any(movable)
    }

    /// Whether a command or, of a command that is nothing without one, this subcommand names keys.
    pub(crate) const fn has_keys(&self) -> bool {
        self.keys[0].is_some()
    }
}

/// Whether a word is this one, in whatever case: as a C string, which a NUL ends.
fn is(word: &[u8], name: &str) -> bool {
    let word = word.split(|&byte| byte == 0).next().unwrap_or_default();
    word.eq_ignore_ascii_case(name.as_bytes())
}

impl KeySpec {
    fn keys_of<'a>(&self, words: &[&'a [u8]]) -> impl Iterator<Item = &'a [u8]> {
        // A number of keys that is too great, or is none, is an error of which the command itself tells.
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
            Find::Counted => {
                let count = crate::value::parse_int(words.get(self.first)?)?;
                let count = usize::try_from(count).ok().filter(|&count| count > 0)?;
                Some((self.first + 1, self.first.saturating_add(count), 1))
            }
            Find::Keyword(_) => None,
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
