//! Removing many members of a set together.

use bytes::Bytes;
use intset::{Compact, IntSet};

use super::SetRef;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::value::Value;

/// Members that were removed from a set.
#[derive(Debug)]
pub(crate) enum Extracted {
    /// From a set of integers, in ascending order.
    Numbers(Vec<i64>),
    /// From any other set.
    Members(Vec<Bytes>),
}

impl Default for Extracted {
    fn default() -> Self {
        Self::Numbers(Vec::new())
    }
}

impl Extracted {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Members(members) => members.len(),
        }
    }

    pub(crate) fn members(&self) -> Vec<Member<'_>> {
        match self {
            Self::Numbers(numbers) => numbers.iter().copied().map(Member::Int).collect(),
            Self::Members(members) => members.iter().map(Member::from).collect(),
        }
    }
}

/// Members that will be removed from a set.
#[derive(Debug)]
pub(crate) struct Extraction {
    pub(crate) extracted: Extracted,
    /// The number of members that remain.
    pub(crate) left: usize,
    /// The remaining set, if it is built as a whole.
    rest: Option<Value>,
}

impl Value {
    /// Selects the members for which `chosen` returns true, for [`extract`](Self::extract).
    pub(crate) fn to_extract(
        &self,
        mut chosen: impl FnMut(Member<'_>) -> bool,
    ) -> Option<Extraction> {
        let set = self.as_set()?;
        let (extracted, rest) = match set {
            SetRef::IntSet(set) => {
                let (numbers, rest) = halves(set.iter(), chosen);
                let rest: IntSet = rest.into_iter().collect();
                // An intset that loses its widest members keeps its width.
                let rest = (rest.width() == set.width()).then_some(Self::IntSet(rest));
                (Extracted::Numbers(numbers), rest)
            }
            SetRef::Compact(set) => {
                let (numbers, rest) = halves(set.iter(), chosen);
                let rest = Compact::from_sorted(set.prefix(), rest).ok().map(Self::Compact);
                (Extracted::Numbers(numbers), rest)
            }
            SetRef::ListPack(_) | SetRef::HashTable(_) => {
                let mut members = Vec::new();
                set.for_each(|member| {
                    if chosen(member) {
                        members.push(member.to_bytes());
                    }
                });
                (Extracted::Members(members), None)
            }
        };
        let left = set.len() - extracted.len();
        Some(Extraction { extracted, left, rest })
    }

    /// Removes members from a set in which others remain. The encoding is the one that results from removing them one
    /// by one.
    pub(crate) fn extract(
        &mut self,
        Extraction { extracted, rest, .. }: Extraction,
        policy: &EncodingPolicy<'_>,
    ) -> Extracted {
        if let Some(rest) = rest {
            *self = rest;
        } else if let Some(mut set) = self.as_set_mut() {
            for member in extracted.members() {
                set.remove(member, policy);
            }
        }
        extracted
    }
}

/// The selected numbers, and the others.
fn halves(
    numbers: impl Iterator<Item = i64>,
    mut chosen: impl FnMut(Member<'_>) -> bool,
) -> (Vec<i64>, Vec<i64>) {
    numbers.partition(|&number| chosen(Member::Int(number)))
}
