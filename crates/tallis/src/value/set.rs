//! A set: an intset while it is small and whole numbers only, then a hash table.

use std::ops::ControlFlow;

use intset::IntSet;

use super::{Members, Value, parse_int};
use crate::member::Member;
use crate::rules::Rules;
use crate::table::Extendible;

/// A set, to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SetRef<'a> {
    /// Whole numbers.
    IntSet(&'a IntSet),
    /// Any members.
    HashTable(&'a Members),
}

/// A set, to be changed: it may turn into another encoding.
#[derive(Debug)]
pub(crate) struct SetMut<'a>(&'a mut Value);

/// Why an encoding does not take a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    NotInteger,
    TooMany,
}

impl Value {
    /// The set, if it is one.
    #[inline]
    pub(crate) const fn as_set(&self) -> Option<SetRef<'_>> {
        match self {
            Self::IntSet(set) => Some(SetRef::IntSet(set)),
            Self::HashTable(table) => Some(SetRef::HashTable(table)),
            Self::Int(_) | Self::Short { .. } | Self::Str { .. } | Self::Foreign(_) => None,
        }
    }

    /// The set, if it is one, to be changed.
    #[inline]
    pub(crate) const fn as_set_mut(&mut self) -> Option<SetMut<'_>> {
        if self.as_set().is_some() { Some(SetMut(self)) } else { None }
    }

    /// The empty set in the encoding with which a command begins that is about to add `count` members, `first` the first
    /// of them.
    pub(crate) fn set_for(first: Member<'_>, _count: usize, _rules: &Rules<'_>) -> Self {
        if first.as_int().is_some() {
            Self::IntSet(IntSet::new())
        } else {
            Self::HashTable(Box::new(Extendible::new(0)))
        }
    }

    /// The set that an intset becomes when it is loaded under these rules.
    pub(crate) fn set_from_intset(set: IntSet, rules: &Rules<'_>) -> Self {
        let outgrown = set.len() > rules.limits.set_max_intset_entries;
        let mut set = Self::IntSet(set);
        if outgrown {
            SetMut(&mut set).promote(Refused::TooMany, rules);
        }
        set
    }
}

impl SetRef<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::IntSet(set) => set.len(),
            Self::HashTable(table) => table.len(),
        }
    }

    /// How OBJECT ENCODING names it.
    pub(crate) const fn encoding(self) -> &'static str {
        match self {
            Self::IntSet(_) => "intset",
            Self::HashTable(_) => "hashtable",
        }
    }

    #[inline]
    pub(crate) fn contains(self, member: Member<'_>, rules: &Rules<'_>) -> bool {
        match self {
            Self::IntSet(set) => member.as_int().is_some_and(|number| set.contains(number)),
            Self::HashTable(table) => member.with_bytes(|bytes| {
                let hashed = rules.hash(bytes);
                table.piece(hashed).is_some_and(|piece| piece.contains(hashed, bytes))
            }),
        }
    }

    /// Hands every member to `visit` until it breaks.
    pub(crate) fn try_for_each<B>(
        self,
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
    pub(crate) fn for_each(self, mut visit: impl FnMut(Member<'_>)) {
        let whole: ControlFlow<()> = self.try_for_each(|member| {
            visit(member);
            ControlFlow::Continue(())
        });
        debug_assert!(whole.is_continue());
    }
}

impl SetMut<'_> {
    /// The set, to be read.
    pub(crate) fn as_ref(&self) -> SetRef<'_> {
        match &*self.0 {
            Value::IntSet(set) => SetRef::IntSet(set),
            Value::HashTable(table) => SetRef::HashTable(table),
            Value::Int(_) | Value::Short { .. } | Value::Str { .. } | Value::Foreign(_) => {
                unreachable!("it is made of sets only")
            }
        }
    }

    /// Adds a member; `true` if it is new.
    pub(crate) fn add(&mut self, member: Member<'_>, rules: &Rules<'_>) -> bool {
        let refused = match self.0 {
            Value::IntSet(set) => match add_int(set, member, rules) {
                Ok(added) => return added,
                Err(refused) => refused,
            },
            Value::HashTable(table) => {
                return member.with_bytes(|bytes| add_bytes(table, bytes, rules));
            }
            Value::Int(_) | Value::Short { .. } | Value::Str { .. } | Value::Foreign(_) => {
                return false;
            }
        };
        self.promote(refused, rules);
        // A member that was refused for the count is in already: Redis converts after the insert.
        refused == Refused::TooMany || self.add(member, rules)
    }

    /// Turns an intset into a hash table.
    #[cold]
    fn promote(&mut self, why: Refused, rules: &Rules<'_>) {
        let next = match (self.as_ref(), why) {
            (set @ SetRef::IntSet(_), Refused::NotInteger | Refused::TooMany) => {
                hash_table(set, rules)
            }
            (SetRef::HashTable(_), _) => return,
        };
        *self.0 = next;
    }

    /// Removes a member; `true` if it was there.
    pub(crate) fn remove(&mut self, member: Member<'_>, rules: &Rules<'_>) -> bool {
        match self.0 {
            Value::IntSet(set) => member.as_int().is_some_and(|number| set.remove(number)),
            Value::HashTable(table) => member.with_bytes(|bytes| {
                let hashed = rules.hash(bytes);
                let removed = table
                    .piece_mut(hashed)
                    .is_some_and(|piece| piece.remove(hashed, bytes, &|bytes| rules.hash(bytes)));
                if removed {
                    table.removed();
                }
                removed
            }),
            Value::Int(_) | Value::Short { .. } | Value::Str { .. } | Value::Foreign(_) => false,
        }
    }
}

/// The same members in a hash table.
fn hash_table(set: SetRef<'_>, rules: &Rules<'_>) -> Value {
    let mut table = Box::new(Extendible::new(0));
    set.for_each(|member| {
        member.with_bytes(|bytes| add_bytes(&mut table, bytes, rules));
    });
    Value::HashTable(table)
}

/// A member for an intset: refuses what is no integer, and tells when the set has outgrown the limit by this member.
fn add_int(set: &mut IntSet, member: Member<'_>, rules: &Rules<'_>) -> Result<bool, Refused> {
    let number = member.as_int().ok_or(Refused::NotInteger)?;
    if !set.insert(number) {
        return Ok(false);
    }
    if set.len() > rules.limits.set_max_intset_entries { Err(Refused::TooMany) } else { Ok(true) }
}

fn add_bytes(table: &mut Members, bytes: &[u8], rules: &Rules<'_>) -> bool {
    let hashed = rules.hash(bytes);
    if table.piece(hashed).is_some_and(|piece| piece.contains(hashed, bytes)) {
        return false;
    }
    let rehash = |bytes: &[u8]| rules.hash(bytes);
    table.insert(hashed, &rehash, |piece| piece.insert(hashed, bytes, &rehash));
    true
}

/// The integer that a member is, whichever way it came.
impl Member<'_> {
    #[inline]
    pub(crate) fn as_int(&self) -> Option<i64> {
        match *self {
            Self::Int(number) => Some(number),
            Self::Bytes(bytes) => parse_int(bytes),
        }
    }
}
