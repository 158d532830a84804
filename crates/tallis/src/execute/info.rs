//! What is known of a command apart from how it runs: the facts that COMMAND INFO tells.

/// A row of the table, or a subcommand of one. Words that belong together are one string, in Redis's order.
#[derive(Debug)]
pub(crate) struct Info {
    /// In lower case; of a subcommand without its command.
    pub(crate) name: &'static str,
    /// How many words it takes, all names included; at least so many if negative. As in Redis's own table.
    pub(crate) arity: i8,
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
    /// ACL categories beyond those that follow from the flags.
    pub(crate) acl: &'static str,
    /// Hints for clients and proxies.
    pub(crate) tips: &'static str,
    /// Where its keys are.
    pub(crate) keys: [Option<KeySpec>; 2],
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
}

/// Which words from the first on are keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// Every `step`th word up to the one `last` behind the first, or so many before the end if negative.
    Range { last: i8, step: u8 },
    /// As many as the first word says, behind it.
    Counted,
}

/// A command by its name, its arity and its flags; the rest is added to it.
pub(super) const fn info(name: &'static str, arity: i8, flags: &'static str) -> Info {
    Info {
        name,
        arity,
        flags,
        group: "",
        since: "",
        summary: "",
        complexity: "",
        acl: "",
        tips: "",
        keys: [None, None],
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

    pub(super) const fn acl(mut self, categories: &'static str) -> Self {
        self.acl = categories;
        self
    }

    pub(super) const fn tips(mut self, tips: &'static str) -> Self {
        self.tips = tips;
        self
    }

    pub(super) const fn keys(self, flags: &'static str, first: usize, last: i8, step: u8) -> Self {
        self.key_spec(KeySpec { flags, first, find: Find::Range { last, step } })
    }

    pub(super) const fn counted_keys(self, flags: &'static str, first: usize) -> Self {
        self.key_spec(KeySpec { flags, first, find: Find::Counted })
    }

    const fn key_spec(mut self, spec: KeySpec) -> Self {
        let at = if self.keys[0].is_none() { 0 } else { 1 };
        self.keys[at] = Some(spec);
        self
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

    /// Whether that many words, the name included, are right in number.
    pub(crate) fn takes(&self, words: usize) -> bool {
        let arity = usize::from(self.arity.unsigned_abs());
        if self.arity < 0 { words >= arity } else { words == arity }
    }

    /// The keys among the words of a command that has the right number of them.
    pub(crate) fn keys_of<'a>(&self, words: &[&'a [u8]]) -> Vec<&'a [u8]> {
        self.keys.iter().flatten().flat_map(|spec| spec.keys_of(words)).collect()
    }
}

impl KeySpec {
    fn keys_of<'a>(&self, words: &[&'a [u8]]) -> Vec<&'a [u8]> {
        let (first, last, step) = match self.find {
            Find::Range { last, step } => {
                let last = if last < 0 {
                    words.len().saturating_sub(usize::from(last.unsigned_abs()))
                } else {
                    self.first + usize::from(last.unsigned_abs())
                };
                (self.first, last, usize::from(step))
            }
            Find::Counted => {
                let count = words.get(self.first).and_then(|count| crate::value::parse_int(count));
                let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
                // A number that is too great is an error that the command itself tells of.
                (self.first + 1, self.first.saturating_add(count).min(words.len() - 1), 1)
            }
        };
        words.iter().take(last + 1).skip(first).step_by(step).copied().collect()
    }
}
