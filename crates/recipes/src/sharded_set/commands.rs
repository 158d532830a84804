//! The procedures that are one command.

use bytes::Bytes;
use smallvec::SmallVec;
use store::{Error, KeyRef, Member, Tx};

use crate::procedure::Procedure;

/// Declares procedures of one command on one key: the fields beside the key, what it returns, how the key is named,
/// and the command.
macro_rules! commands {
    ($(
        $(#[$doc:meta])*
        $name:ident($key:ident: $naming:expr $(, $member:ident)?) -> $output:ty = |$tx:ident| $run:expr;
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name<'k> {
            pub(crate) $key: &'k [u8],
            $(pub(crate) $member: Member<'k>,)?
        }

        impl Procedure for $name<'_> {
            type Output = $output;
            type Keys<'p> = [KeyRef<'p>; 1] where Self: 'p;

            #[inline]
            fn keys(&self) -> Self::Keys<'_> {
                [$naming(self.$key)]
            }

            #[inline]
            fn run(&self, $tx: &Tx<'_>) -> Result<$output, Error> {
                let Self { $key, $($member,)? } = *self;
                $run
            }
        }
    )*};
}

pub(super) use commands;

commands! {
    /// SADD of one member: whether it is new.
    Add(key: KeyRef::new, member) -> bool = |tx| tx.with_set(key, |set| set.add(member));

    /// SREM of one member: whether it was there.
    Remove(key: KeyRef::new, member) -> bool = |tx| tx.with_set(key, |set| Ok(set.remove(member)));

    /// SISMEMBER.
    Contains(key: read, member) -> bool = |tx| tx.sismember(key, member);

    /// SCARD.
    Card(key: read) -> usize = |tx| tx.scard(key);

    /// SMEMBERS.
    Members(key: read) -> Vec<Bytes> = |tx| tx.smembers(key);

    /// GET.
    Get(key: read) -> Option<Bytes> = |tx| tx.get(key);
}

/// A key that is only read.
#[inline]
pub(super) const fn read(key: &[u8]) -> KeyRef<'_> {
    KeyRef::new(key).read()
}

/// An operation on sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetOperation {
    /// What all of them have.
    Inter,
    /// What any of them has.
    Union,
    /// What the first has and no other.
    Diff,
}

impl SetOperation {
    /// SINTER, SUNION or SDIFF.
    pub(super) fn members(self, tx: &Tx<'_>, sets: &[&[u8]]) -> Result<Vec<Bytes>, Error> {
        match self {
            Self::Inter => tx.sinter(sets),
            Self::Union => tx.sunion(sets),
            Self::Diff => tx.sdiff(sets),
        }
    }
}

/// SINTER, SUNION or SDIFF.
#[derive(Debug)]
pub(super) struct Combine<'k> {
    pub(super) operation: SetOperation,
    pub(super) sets: &'k [&'k [u8]],
}

impl Procedure for Combine<'_> {
    type Output = Vec<Bytes>;
    type Keys<'p>
        = SmallVec<[KeyRef<'p>; 4]>
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        self.sets.iter().map(|key| read(key)).collect()
    }

    fn run(&self, tx: &Tx<'_>) -> Result<Self::Output, Error> {
        self.operation.members(tx, self.sets)
    }
}

/// SINTERCARD without a limit.
#[derive(Debug)]
pub(super) struct InterCard<'k> {
    pub(super) sets: &'k [&'k [u8]],
}

impl Procedure for InterCard<'_> {
    type Output = usize;
    type Keys<'p>
        = SmallVec<[KeyRef<'p>; 4]>
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        self.sets.iter().map(|key| read(key)).collect()
    }

    fn run(&self, tx: &Tx<'_>) -> Result<usize, Error> {
        tx.sintercard(self.sets, 0)
    }
}

/// SINTERSTORE, SUNIONSTORE or SDIFFSTORE: how many members the target has now.
#[derive(Debug)]
pub(super) struct CombineStore<'k> {
    pub(super) operation: SetOperation,
    pub(super) sets: &'k [&'k [u8]],
    pub(super) target: &'k [u8],
}

impl Procedure for CombineStore<'_> {
    type Output = usize;
    type Keys<'p>
        = SmallVec<[KeyRef<'p>; 4]>
    where
        Self: 'p;

    fn keys(&self) -> Self::Keys<'_> {
        std::iter::once(&self.target).chain(self.sets).map(|key| KeyRef::new(key)).collect()
    }

    fn run(&self, tx: &Tx<'_>) -> Result<usize, Error> {
        match self.operation {
            SetOperation::Inter => tx.sinterstore(self.target, self.sets),
            SetOperation::Union => tx.sunionstore(self.target, self.sets),
            SetOperation::Diff => tx.sdiffstore(self.target, self.sets),
        }
    }
}
