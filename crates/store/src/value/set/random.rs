//! Random members of a set.

use std::collections::HashSet;

use ahash::RandomState;

use super::SetRef;
use crate::member::Member;
use crate::store::{READ_ONCE, Random};

impl<'a> SetRef<'a> {
    /// A member, chosen uniformly at random; `None` if there is none. O(1) on average, O(members) in a listpack.
    pub(crate) fn random(self, random: &Random) -> Option<Member<'a>> {
        match self {
            Self::IntSet(set) => set.random_member(random.bits()).map(Member::Int),
            Self::Compact(set) => set.random_member(random.bits()).map(Member::Int),
            Self::ListPack(list) => list.get(random.below(list.len())).map(Member::from),
            Self::HashTable(table) => table
                .random(&mut || random.bits(), |bucket, position| bucket.nth(position))
                .map(Member::Bytes),
        }
    }

    /// Calls `visit` with `count` members, drawn with repetition. O(count), O(members + count) in a listpack.
    pub(crate) fn draw(self, count: usize, random: &Random, mut visit: impl FnMut(Member<'a>)) {
        if matches!(self, Self::ListPack(_)) && count >= READ_ONCE {
            let all = self.all();
            return random.draws(&all, count).for_each(|&member| visit(member));
        }
        (0..count).map_while(|_| self.random(random)).for_each(visit);
    }

    fn all(self) -> Vec<Member<'a>> {
        let mut all = Vec::with_capacity(self.len());
        self.for_each(|member| all.push(member));
        all
    }

    /// `count` distinct members, or all of them; every choice is equally likely. O(count) on average if count is small
    /// compared with the set, otherwise O(members).
    pub(crate) fn sample(self, count: usize, random: &Random) -> Vec<Member<'a>> {
        let len = self.len();
        // Drawing one by one repeats draws of members that were already drawn; up to a third of the set this is fast.
        if matches!(self, Self::HashTable(_)) && count < len / 3 {
            let mut seen: HashSet<&[u8], RandomState> = HashSet::default();
            let mut drawn = Vec::with_capacity(count);
            while drawn.len() < count {
                match self.random(random) {
                    Some(Member::Bytes(bytes)) if seen.insert(bytes) => {
                        drawn.push(Member::Bytes(bytes));
                    }
                    Some(_) => {}
                    None => break,
                }
            }
            return drawn;
        }
        let mut all = self.all();
        random.choose(&mut all, count);
        all
    }
}
