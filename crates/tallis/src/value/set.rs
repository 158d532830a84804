//! A set: an intset while it is small and whole numbers only, then a hash table.

use std::ops::ControlFlow;

use intset::IntSet;

use super::{allocated, parse_int};
use crate::limits::Limits;
use crate::member::Member;
use crate::table::Extendible;
use crate::table::members::MemberPiece;

/// A set in one of its encodings.
#[derive(Debug)]
pub(crate) enum Set {
    /// Whole numbers, as Redis's own blob.
    IntSet(IntSet),
    /// Any members.
    HashTable(Box<Extendible<MemberPiece>>),
}

/// Why an intset does not take a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    NotInteger,
    TooMany,
}

impl Set {
    /// The empty set in the encoding that SADD starts with when `first` is the first member.
    pub(crate) fn for_member(first: Member<'_>) -> Self {
        if first.as_int().is_some() {
            Self::IntSet(IntSet::new())
        } else {
            Self::HashTable(Box::new(Extendible::new(0)))
        }
    }

    /// The set that an intset becomes when it is loaded under these limits.
    pub(crate) fn from_intset(set: IntSet, limits: &Limits, hash: &impl Fn(&[u8]) -> u64) -> Self {
        let outgrown = set.len() > limits.set_max_intset_entries;
        let mut set = Self::IntSet(set);
        if outgrown {
            set.promote(Refused::TooMany, hash);
        }
        set
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::IntSet(set) => set.len(),
            Self::HashTable(table) => table.len(),
        }
    }

    pub(crate) fn encoding(&self) -> &'static str {
        match self {
            Self::IntSet(_) => "intset",
            Self::HashTable(_) => "hashtable",
        }
    }

    /// Adds a member; `true` if it is new.
    pub(crate) fn add(
        &mut self,
        member: Member<'_>,
        limits: &Limits,
        hash: &impl Fn(&[u8]) -> u64,
    ) -> bool {
        let refused = match self {
            Self::IntSet(set) => match add_int(set, member, limits) {
                Ok(added) => return added,
                Err(refused) => refused,
            },
            Self::HashTable(table) => {
                return member.with_bytes(|bytes| add_bytes(table, bytes, hash));
            }
        };
        self.promote(refused, hash);
        // A member that was refused for the count is in already: Redis converts after the insert.
        refused == Refused::TooMany || self.add(member, limits, hash)
    }

    /// Turns an intset into a hash table.
    #[cold]
    fn promote(&mut self, why: Refused, hash: &impl Fn(&[u8]) -> u64) {
        let next = match (&*self, why) {
            (Self::IntSet(set), Refused::NotInteger | Refused::TooMany) => {
                let mut table = Box::new(Extendible::new(0));
                for number in set {
                    Member::Int(number).with_bytes(|bytes| add_bytes(&mut table, bytes, hash));
                }
                Self::HashTable(table)
            }
            (Self::HashTable(_), _) => return,
        };
        *self = next;
    }

    /// Removes a member; `true` if it was there.
    pub(crate) fn remove(&mut self, member: Member<'_>, hash: &impl Fn(&[u8]) -> u64) -> bool {
        match self {
            Self::IntSet(set) => member.as_int().is_some_and(|number| set.remove(number)),
            Self::HashTable(table) => member.with_bytes(|bytes| {
                let hashed = hash(bytes);
                let removed =
                    table.piece_mut(hashed).is_some_and(|piece| piece.remove(hashed, bytes, hash));
                if removed {
                    table.removed();
                }
                removed
            }),
        }
    }

    pub(crate) fn contains(&self, member: Member<'_>, hash: &impl Fn(&[u8]) -> u64) -> bool {
        match self {
            Self::IntSet(set) => member.as_int().is_some_and(|number| set.contains(number)),
            Self::HashTable(table) => member.with_bytes(|bytes| {
                let hashed = hash(bytes);
                table.piece(hashed).is_some_and(|piece| piece.contains(hashed, bytes))
            }),
        }
    }

    /// Hands every member to `visit` until it breaks.
    pub(crate) fn try_for_each<B>(
        &self,
        mut visit: impl FnMut(Member<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Self::IntSet(set) => set.iter().try_for_each(|number| visit(Member::Int(number))),
            Self::HashTable(table) => table.pieces().try_for_each(|piece| {
                piece.try_for_each(&mut |bytes: &[u8]| visit(Member::Bytes(bytes)))
            }),
        }
    }

    /// Hands every member to `visit`.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(Member<'_>)) {
        let whole: ControlFlow<()> = self.try_for_each(|member| {
            visit(member);
            ControlFlow::Continue(())
        });
        debug_assert!(whole.is_continue());
    }

    /// What the allocator holds for the set beyond its slot in the table.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::IntSet(set) => allocated(set.heap_bytes()),
            Self::HashTable(table) => {
                allocated(size_of::<Extendible<MemberPiece>>()) + table.table_bytes()
            }
        }
    }
}

/// A member for an intset: refuses what is no integer, and tells when the set has outgrown the limit by this member.
fn add_int(set: &mut IntSet, member: Member<'_>, limits: &Limits) -> Result<bool, Refused> {
    let number = member.as_int().ok_or(Refused::NotInteger)?;
    if !set.insert(number) {
        return Ok(false);
    }
    if set.len() > limits.set_max_intset_entries { Err(Refused::TooMany) } else { Ok(true) }
}

fn add_bytes(
    table: &mut Extendible<MemberPiece>,
    bytes: &[u8],
    hash: &impl Fn(&[u8]) -> u64,
) -> bool {
    let hashed = hash(bytes);
    if table.piece(hashed).is_some_and(|piece| piece.contains(hashed, bytes)) {
        return false;
    }
    table.piece_for_insert(hashed, hash).insert(hashed, bytes, hash);
    true
}

/// The integer that a member is, whichever way it came.
impl Member<'_> {
    pub(crate) fn as_int(&self) -> Option<i64> {
        match *self {
            Self::Int(number) => Some(number),
            Self::Bytes(bytes) => parse_int(bytes),
        }
    }
}
