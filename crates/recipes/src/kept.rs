//! The expiry of the keys of a recipe.

use store::{Error, ErrorKind, Member, ScriptCall, SetEntry, Tx};

/// When keys expire, in milliseconds since the epoch; `None` for never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptUntil(pub(crate) Option<i64>);

impl KeptUntil {
    /// Returns the argument of a script: in decimal, or empty.
    pub(crate) const fn as_arg(&self) -> Member<'_> {
        match self.0 {
            Some(at) => Member::Int(at),
            None => Member::Bytes(b""),
        }
    }

    /// Parses an argument.
    pub(crate) fn of_arg(call: &ScriptCall<'_>, at: usize) -> Result<Self, Error> {
        if call.arg(at)?.is_empty() { Ok(Self(None)) } else { call.int(at).map(Some).map(Self) }
    }

    /// Fails if that time has passed.
    #[inline]
    pub(crate) fn check(self, tx: &Tx<'_>) -> Result<(), Error> {
        match self.0 {
            Some(at) if at <= tx.now_us().div_euclid(1000) => Err(not_kept()),
            _ => Ok(()),
        }
    }

    /// Sets the expiry of a set that has just got its first member.
    #[inline]
    pub(crate) fn begin_set(self, set: &mut SetEntry<'_>) {
        if let Some(at) = self.0
            && set.len() == 1
        {
            set.expire_at_ms(at);
        }
    }

    /// Sets the expiry of keys that were just created.
    #[inline]
    pub(crate) fn begin_keys<const N: usize>(
        self,
        tx: &Tx<'_>,
        keys: [&[u8]; N],
    ) -> Result<(), Error> {
        let Some(at) = self.0 else { return Ok(()) };
        keys.into_iter().try_for_each(|key| tx.pexpire_at(key, at).map(drop))
    }
}

#[cold]
fn not_kept() -> Error {
    Error::new(ErrorKind::NotKept, "ERR the bucket is not kept any more")
}
