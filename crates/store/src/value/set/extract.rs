//! Taking many members out of a set at once.

use bytes::Bytes;
use intset::{Compact, IntSet};

use super::SetRef;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::value::Value;

/// Members that were taken out of a set.
#[derive(Debug)]
pub(crate) enum Extracted {
    /// Of a set of integers, in ascending order.
    Numbers(Vec<i64>),
    /// Of any other set.
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

impl Value {
    /// Takes the members that `chosen` is true of out of a set; returns them, and how many are left. The encoding is
    /// the one that removing them one by one leaves.
    pub(crate) fn extract_if(
        &mut self,
        mut chosen: impl FnMut(Member<'_>) -> bool,
        policy: &EncodingPolicy<'_>,
    ) -> (Extracted, usize) {
        let Some(set) = self.as_set() else { return (Extracted::default(), 0) };
        let len = set.len();
        let (extracted, rest) = match set {
            SetRef::IntSet(set) => {
                let (numbers, rest) = halves(set.iter(), chosen);
                let rest: IntSet = rest.into_iter().collect();
                // An intset that loses its widest members stays as wide.
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
        let left = len - extracted.len();
        if left == 0 || left == len {
            // The key goes, or nothing changes.
            return (extracted, left);
        }
        match (rest, self.as_set_mut()) {
            (Some(rest), _) => *self = rest,
            (None, Some(mut set)) => {
                for member in extracted.members() {
                    set.remove(member, policy);
                }
            }
            (None, None) => {}
        }
        (extracted, left)
    }
}

/// The numbers that are chosen, and the others.
fn halves(
    numbers: impl Iterator<Item = i64>,
    mut chosen: impl FnMut(Member<'_>) -> bool,
) -> (Vec<i64>, Vec<i64>) {
    numbers.partition(|&number| chosen(Member::Int(number)))
}
