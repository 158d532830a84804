//! Parsing of the options that SET, GETEX and similar commands share, in any order.

use super::time::{Time, Unit};
use super::{ExistenceCheck, ExpiryChange, FieldExistenceCheck};
use crate::error::{Error, Result};
use crate::execute::{int, one_of, take, take_with};

/// The commands that share options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// SET, with or without IFEQ.
    Set {
        compares: bool,
    },
    GetEx,
    MSetEx,
    /// Valkey's HGETEX and HSETEX. Redis parses these two differently.
    HGetEx,
    HSetEx,
}

impl Of {
    const fn sets(self) -> bool {
        matches!(self, Self::Set { .. } | Self::MSetEx | Self::HSetEx)
    }
}

/// The parsed options.
#[derive(Debug, Default)]
pub(super) struct GivenOptions<'a> {
    pub(super) condition: Option<ExistenceCheck>,
    /// The condition on the string: IFEQ.
    pub(super) equal_to: Option<&'a [u8]>,
    pub(super) fields: Option<FieldExistenceCheck>,
    pub(super) get: bool,
    pub(super) ttl: Option<GivenTtl<'a>>,
}

impl<'a> GivenOptions<'a> {
    /// Parses all options. An option may be repeated, and the last one counts; options that exclude each other are an
    /// error.
    pub(super) fn parse(mut words: &[&'a [u8]], of: Of) -> Result<Self> {
        let mut options = Self::default();
        while !words.is_empty() {
            if !options.take(&mut words, of) {
                return Err(Error::syntax());
            }
        }
        Ok(options)
    }

    /// Parses the next option, if it is allowed here.
    fn take(&mut self, words: &mut &[&'a [u8]], of: Of) -> bool {
        if of.sets() && self.take_condition(words, of) {
            return true;
        }
        if matches!(of, Of::Set { .. }) && take(words, "GET") {
            self.get = true;
            return true;
        }
        let Some(ttl) = GivenTtl::take(words, of).filter(|ttl| self.may(ttl)) else { return false };
        self.ttl = Some(ttl);
        true
    }

    fn take_condition(&mut self, words: &mut &[&'a [u8]], of: Of) -> bool {
        let first = self.condition.is_none() && self.equal_to.is_none();
        for (name, condition) in [("NX", ExistenceCheck::NX), ("XX", ExistenceCheck::XX)] {
            if (first || self.condition == Some(condition)) && take(words, name) {
                self.condition = Some(condition);
                return true;
            }
        }
        if of == (Of::Set { compares: true })
            && first
            && let Some([string]) = take_with(words, "IFEQ")
        {
            self.equal_to = Some(string);
            return true;
        }
        for (name, check) in FIELD_CHECKS {
            let may = of == Of::HSetEx && self.fields.is_none_or(|fields| fields == check);
            if may && take(words, name) {
                self.fields = Some(check);
                return true;
            }
        }
        false
    }

    /// Returns whether this kind of expiry is allowed after the previous options.
    fn may(&self, new: &GivenTtl<'_>) -> bool {
        match (&self.ttl, new) {
            (None, _)
            | (Some(GivenTtl::Keep), GivenTtl::Keep)
            | (Some(GivenTtl::Persist), GivenTtl::Persist) => true,
            (Some(GivenTtl::Until(old)), GivenTtl::Until(new)) => new.is_named_as(old),
            (Some(_), _) => false,
        }
    }
}

/// The conditions of HSETEX on its fields.
pub(super) const FIELD_CHECKS: [(&str, FieldExistenceCheck); 2] =
    [("FNX", FieldExistenceCheck::FNX), ("FXX", FieldExistenceCheck::FXX)];

/// An expiry as it was given.
#[derive(Clone, Copy, Debug)]
pub(super) enum GivenTtl<'a> {
    Keep,
    Persist,
    Until(GivenTime<'a>),
}

impl<'a> GivenTtl<'a> {
    fn take(words: &mut &[&'a [u8]], of: Of) -> Option<Self> {
        if of.sets() && take(words, "KEEPTTL") {
            return Some(Self::Keep);
        }
        if !of.sets() && take(words, "PERSIST") {
            return Some(Self::Persist);
        }
        GivenTime::take(words).map(Self::Until)
    }

    /// Parses the number and returns the expiry.
    pub(super) fn read(self) -> Result<ExpiryChange> {
        Ok(match self {
            Self::Keep => ExpiryChange::Keep,
            Self::Persist => ExpiryChange::Clear,
            Self::Until(time) => ExpiryChange::Until(time.read()?),
        })
    }
}

/// The names of the time options, each with its unit and whether it counts from the epoch.
const TIMES: [(&str, (Unit, bool)); 4] = [
    ("EX", (Unit::Seconds, false)),
    ("PX", (Unit::Milliseconds, false)),
    ("EXAT", (Unit::Seconds, true)),
    ("PXAT", (Unit::Milliseconds, true)),
];

/// A time option whose number is not yet parsed: Redis parses some of them late.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenTime<'a> {
    unit: Unit,
    absolute: bool,
    amount: &'a [u8],
}

impl<'a> GivenTime<'a> {
    /// Returns whether a word is the name of a time option.
    pub(super) fn is_name(word: &[u8]) -> bool {
        one_of(word, TIMES).is_some()
    }

    /// Takes the next two words, if they are EX, PX, EXAT or PXAT and a number.
    pub(super) fn take(words: &mut &[&'a [u8]]) -> Option<Self> {
        TIMES.into_iter().find_map(|(name, (unit, absolute))| {
            let [amount] = take_with(words, name)?;
            Some(Self { unit, absolute, amount })
        })
    }

    /// Returns whether both have the same name.
    fn is_named_as(&self, other: &Self) -> bool {
        (self.unit, self.absolute) == (other.unit, other.absolute)
    }

    /// Parses the number and returns the time.
    pub(super) fn read(self) -> Result<Time> {
        let Self { unit, absolute, amount } = self;
        Ok(Time { unit, absolute, amount: int(amount)? })
    }
}
