//! The options of SET, GETEX and LCS as words.

use crate::commands::time::GivenTime;
use crate::commands::{ExistenceCheck, ExpiryChange, LcsMatches, SetOptions};
use crate::error::{Error, Result};
use crate::execute::{int, refused, take, take_with};
use crate::reply::Reply;

/// The commands that share options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Set,
    GetEx,
}

/// What the options of SET or GETEX say.
#[derive(Debug, Default)]
pub(super) struct Options<'a> {
    pub(super) condition: Option<ExistenceCheck>,
    pub(super) get: bool,
    pub(super) ttl: Option<GivenTtl<'a>>,
}

/// An expiry as it was given.
#[derive(Clone, Copy, Debug)]
pub(super) enum GivenTtl<'a> {
    Keep,
    Persist,
    Until(GivenTime<'a>),
}

impl<'a> Options<'a> {
    /// Reads all options. One may come twice, and the last one counts; those that exclude each other may not.
    pub(super) fn parse(mut words: &[&'a [u8]], of: Of) -> Result<Self> {
        let mut options = Self::default();
        let set = of == Of::Set;
        while !words.is_empty() {
            let condition = options.condition;
            if set && condition != Some(ExistenceCheck::XX) && take(&mut words, "NX") {
                options.condition = Some(ExistenceCheck::NX);
            } else if set && condition != Some(ExistenceCheck::NX) && take(&mut words, "XX") {
                options.condition = Some(ExistenceCheck::XX);
            } else if set && take(&mut words, "GET") {
                options.get = true;
            } else {
                let ttl = GivenTtl::take(&mut words, of).filter(|&ttl| options.may(ttl));
                options.ttl = Some(ttl.ok_or_else(Error::syntax)?);
            }
        }
        Ok(options)
    }

    /// Whether an expiry of this sort can be said after what was said before.
    fn may(&self, new: GivenTtl<'_>) -> bool {
        match (self.ttl, new) {
            (None, _)
            | (Some(GivenTtl::Keep), GivenTtl::Keep)
            | (Some(GivenTtl::Persist), GivenTtl::Persist) => true,
            (Some(GivenTtl::Until(old)), GivenTtl::Until(new)) => new.is_named_as(&old),
            (Some(_), _) => false,
        }
    }

    /// The options of SET.
    pub(super) fn into_set(self) -> Result<SetOptions> {
        let ttl = self.ttl.map_or(Ok(ExpiryChange::Clear), GivenTtl::resolve)?;
        let mut options = SetOptions::default().get(self.get).ttl(ttl);
        if let Some(condition) = self.condition {
            options = options.conditional_set(condition);
        }
        Ok(options)
    }
}

impl<'a> GivenTtl<'a> {
    fn take(words: &mut &[&'a [u8]], of: Of) -> Option<Self> {
        if of == Of::Set && take(words, "KEEPTTL") {
            return Some(Self::Keep);
        }
        if of == Of::GetEx && take(words, "PERSIST") {
            return Some(Self::Persist);
        }
        GivenTime::take(words).map(Self::Until)
    }

    /// The expiry, once its number is to be read.
    pub(super) fn resolve(self) -> Result<ExpiryChange> {
        Ok(match self {
            Self::Keep => ExpiryChange::Keep,
            Self::Persist => ExpiryChange::Clear,
            Self::Until(time) => ExpiryChange::Until(time.read()?),
        })
    }
}

/// What the options of LCS say.
#[derive(Debug, Default)]
pub(super) struct LcsOptions {
    pub(super) len: bool,
    pub(super) idx: bool,
    pub(super) shortest: usize,
    pub(super) with_lengths: bool,
}

impl LcsOptions {
    pub(super) fn parse(mut words: &[&[u8]]) -> Result<Self> {
        let mut options = Self::default();
        while !words.is_empty() {
            if take(&mut words, "IDX") {
                options.idx = true;
            } else if take(&mut words, "LEN") {
                options.len = true;
            } else if take(&mut words, "WITHMATCHLEN") {
                options.with_lengths = true;
            } else if let Some([shortest]) = take_with(&mut words, "MINMATCHLEN") {
                options.shortest = usize::try_from(int(shortest)?).unwrap_or(0);
            } else {
                return Err(Error::syntax());
            }
        }
        if options.idx && options.len {
            let text = "ERR If you want both the length and indexes, please just use IDX.";
            return Err(refused(text));
        }
        Ok(options)
    }
}

/// The reply of LCS IDX: each run by its first and last byte in both strings.
pub(super) fn matches(found: &LcsMatches, with_lengths: bool) -> Reply {
    let ends = |run: &std::ops::Range<usize>| {
        Reply::Array(vec![Reply::count(run.start), Reply::count(run.end.saturating_sub(1))])
    };
    let runs = found.matches.iter().map(|run| {
        let mut parts = vec![ends(&run.a), ends(&run.b)];
        if with_lengths {
            parts.push(Reply::count(run.a.len()));
        }
        Reply::Array(parts)
    });
    Reply::Map(vec![
        (Reply::text("matches"), Reply::Array(runs.collect())),
        (Reply::text("len"), Reply::count(found.len)),
    ])
}
