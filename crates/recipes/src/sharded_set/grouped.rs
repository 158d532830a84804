//! Members, grouped by shard.

use std::ops::Range;

use store::Member;

use super::keys::{Fixed, of_each_shard};
use crate::text::Text;

/// How many members of a shard are one command at most. A server runs no other command meanwhile.
const AT_ONCE: usize = 1024;

/// Members, grouped by shard, in the order in which they were given.
#[derive(Debug)]
pub(super) struct Grouped<'m> {
    members: Vec<Member<'m>>,
    /// The index of each member in the input.
    places: Vec<usize>,
    /// The key of a shard, and the range of some of its members.
    groups: Vec<(Text, Range<usize>)>,
}

impl<'m> Grouped<'m> {
    pub(super) fn new(set: &Fixed, members: &[Member<'m>]) -> Self {
        let ordered = set.by_shard(members.iter().copied().enumerate(), |&(_, member)| member);
        let (mut groups, mut from) = (Vec::new(), 0);
        for of_shard in of_each_shard(&ordered) {
            let key = set.base.shard(of_shard[0].0);
            for some in of_shard.chunks(AT_ONCE) {
                groups.push((key.clone(), from..from + some.len()));
                from += some.len();
            }
        }
        let (places, members) = ordered.into_iter().map(|(_, member)| member).unzip();
        Self { members, places, groups }
    }

    /// Iterates over the groups: the key of a shard, and some of its members.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&Text, &[Member<'m>])> {
        self.groups.iter().map(|(key, range)| (key, &self.members[range.clone()]))
    }

    /// Returns the indexes in the input of the members of a group.
    pub(super) fn places(&self, group: usize) -> &[usize] {
        &self.places[self.groups[group].1.clone()]
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::super::keys::Base;
    use super::*;

    #[test]
    fn each_shard_has_its_members_in_their_order() {
        let set = Fixed { base: Base::new(b"set"), shards: 7 };
        let names: Vec<String> = (0..20).map(|number| format!("name {number}")).collect();
        let numbers = (0..5000).map(Member::Int);
        let many = iter::repeat_n(Member::Int(-1), 2 * AT_ONCE + 1);
        let members: Vec<Member<'_>> = names
            .iter()
            .map(|name| Member::Bytes(name.as_bytes()))
            .chain(numbers)
            .chain(many)
            .collect();
        let grouped = Grouped::new(&set, &members);
        let mut seen = vec![false; members.len()];
        let mut last: Option<(&Text, usize)> = None;
        for (number, (key, group)) in grouped.groups().enumerate() {
            assert!((1..=AT_ONCE).contains(&group.len()));
            let places = grouped.places(number);
            assert!(places.is_sorted());
            for (&place, member) in places.iter().zip(group) {
                assert_eq!(members[place].to_bytes(), member.to_bytes());
                assert_eq!(*key, set.shard_of(*member));
                assert!(!std::mem::replace(&mut seen[place], true));
            }
            if let Some((before, place)) = last {
                // Only a full group of a shard is followed by another.
                assert!(before != key || place < places[0]);
            }
            last = places.last().map(|&place| (key, place));
        }
        assert!(seen.into_iter().all(|seen| seen));
    }
}
