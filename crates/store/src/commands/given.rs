//! The options that SET, GETEX and their like share, as words: in any order.

use super::time::{Time, Unit};
use super::{ExistenceCheck, ExpiryChange, FieldExistenceCheck};
use crate::error::{Error, Result};
use crate::execute::{int, one_of, take, take_with};

/// The commands that share options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// SET, which may or may not know IFEQ.
    Set {
        compares: bool,
    },
    GetEx,
    MSetEx,
    /// Valkey's HGETEX and HSETEX. Redis reads these two in its own way.
    HGetEx,
    HSetEx,
}

impl Of {
    const fn sets(self) -> bool {
        matches!(self, Self::Set { .. } | Self::MSetEx | Self::HSetEx)
    }
}

/// What the options say.
#[derive(Debug, Default)]
pub(super) struct GivenOptions<'a> {
    pub(super) condition: Option<ExistenceCheck>,
    /// What the string has to be: IFEQ.
    pub(super) equal_to: Option<&'a [u8]>,
    pub(super) fields: Option<FieldExistenceCheck>,
    pub(super) get: bool,
    pub(super) ttl: Option<GivenTtl<'a>>,
}

impl<'a> GivenOptions<'a> {
    /// Reads all options. One may come twice, and the last one counts; those that exclude each other may not.
    pub(super) fn parse(mut words: &[&'a [u8]], of: Of) -> Result<Self> {
        let mut options = Self::default();
        while !words.is_empty() {
            if !options.take(&mut words, of) {
                return Err(Error::syntax());
            }
        }
        Ok(options)
    }

    /// Takes the next option, if it may stand here.
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

    /// Whether an expiry of this sort can be said after what was said before.
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

    /// The expiry, once its number is to be read.
    pub(super) fn read(self) -> Result<ExpiryChange> {
        Ok(match self {
            Self::Keep => ExpiryChange::Keep,
            Self::Persist => ExpiryChange::Clear,
            Self::Until(time) => ExpiryChange::Until(time.read()?),
        })
    }
}

/// The names of the times, each with its unit and whether it counts from the epoch on.
const TIMES: [(&str, (Unit, bool)); 4] = [
    ("EX", (Unit::Seconds, false)),
    ("PX", (Unit::Milliseconds, false)),
    ("EXAT", (Unit::Seconds, true)),
    ("PXAT", (Unit::Milliseconds, true)),
];

/// A time whose number is not read yet: Redis reads some of them late.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenTime<'a> {
    unit: Unit,
    absolute: bool,
    amount: &'a [u8],
}

impl<'a> GivenTime<'a> {
    /// Whether a word is the name of one.
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

    /// Whether it has the name of another.
    fn is_named_as(&self, other: &Self) -> bool {
        (self.unit, self.absolute) == (other.unit, other.absolute)
    }

    /// The time, once its number is to be read.
    pub(super) fn read(self) -> Result<Time> {
        let Self { unit, absolute, amount } = self;
        Ok(Time { unit, absolute, amount: int(amount)? })
    }
}
