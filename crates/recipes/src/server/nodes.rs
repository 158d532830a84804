//! The map from slots to nodes of a cluster.

use std::collections::{BTreeMap, BTreeSet};

use store::Reply;

use crate::request::Request;
use crate::slot::key_slot;

/// The masters of a cluster, by slot: the index of a node for each slot.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// The last slot of each range, in order, and the node that has the range.
    ranges: Vec<(u16, usize)>,
}

impl Nodes {
    /// Parses the reply of CLUSTER SLOTS.
    pub(super) fn parse(reply: Reply) -> Option<Self> {
        let Reply::Array(told) = reply else { return None };
        let mut names: Vec<Reply> = Vec::new();
        let mut ranges = Vec::with_capacity(told.len());
        for range in told {
            let Reply::Array(range) = range else { return None };
            let [_, Reply::Int(last), Reply::Array(master), ..] = &*range else { return None };
            // The address, or the name if it is unknown, and the port.
            let name = Reply::Array(master.iter().take(2).cloned().collect());
            let node = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            ranges.push((u16::try_from(*last).ok()?, node));
        }
        ranges.sort_unstable();
        Some(Self { ranges })
    }

    /// Returns the index of the node that has a slot, or an arbitrary one if none is known to have it.
    pub(super) fn of_slot(&self, slot: u16) -> usize {
        let at = self.ranges.partition_point(|&(last, _)| last < slot);
        self.ranges.get(at).map_or(0, |&(_, node)| node)
    }

    /// Returns the index of the node that has a request's keys, or an arbitrary one.
    pub(super) fn of_request(&self, request: &Request) -> usize {
        request.slot().map_or(0, |slot| self.of_slot(slot))
    }

    /// Returns a key for each node that has slots, in one of its slots.
    pub(super) fn guides(&self) -> Vec<String> {
        let nodes: BTreeSet<usize> = self.ranges.iter().map(|&(_, node)| node).collect();
        let mut guides: BTreeMap<usize, String> = BTreeMap::new();
        // The first few hundred thousand integers reach all slots.
        for number in 0..1_u32 << 20 {
            if guides.len() == nodes.len() {
                break;
            }
            let key = number.to_string();
            let node = self.of_slot(key_slot(&key));
            guides.entry(node).or_insert(key);
        }
        guides.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: i64, last: i64, port: i64) -> Reply {
        let master = Reply::Array(vec!["127.0.0.1".into(), Reply::Int(port), "id".into()]);
        Reply::Array(vec![Reply::Int(first), Reply::Int(last), master])
    }

    #[test]
    fn a_slot_belongs_to_the_node_whose_range_has_it() {
        let told = [
            range(10_923, 16_383, 3),
            range(0, 5_460, 1),
            range(5_461, 10_922, 2),
            range(16_383, 16_383, 1),
        ];
        let nodes = Nodes::parse(Reply::Array(told[..3].to_vec())).unwrap();
        let of = |slot| nodes.of_slot(slot);
        assert_eq!([of(0), of(5_460)], [1, 1]);
        assert_eq!([of(5_461), of(10_922)], [2, 2]);
        assert_eq!([of(10_923), of(16_383)], [0, 0]);
    }

    #[test]
    fn each_node_has_a_guide() {
        let told = vec![range(0, 0, 1), range(1, 16_382, 2), range(16_383, 16_383, 3)];
        let nodes = Nodes::parse(Reply::Array(told)).unwrap();
        let guides = nodes.guides();
        let slots: Vec<u16> = guides.iter().map(key_slot).collect();
        assert_eq!(slots.iter().map(|&slot| nodes.of_slot(slot)).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!((slots[0], slots[2]), (0, 16_383));
        // A node whose slots all belong to another one has no keys.
        let twice = Nodes::parse(Reply::Array(vec![range(0, 9, 1), range(0, 9, 2)])).unwrap();
        assert_eq!(twice.guides().len(), 1);
    }

    #[test]
    fn several_ranges_of_a_node_make_one_node() {
        let told = vec![range(0, 9, 1), range(20, 29, 1), range(10, 19, 2)];
        let nodes = Nodes::parse(Reply::Array(told)).unwrap();
        assert_eq!([5, 15, 25, 99].map(|slot| nodes.of_slot(slot)), [0, 1, 0, 0]);
    }

    #[test]
    fn other_replies_are_refused() {
        assert!(Nodes::parse(Reply::Nil).is_none());
        assert!(Nodes::parse(Reply::Array(vec![Reply::Int(1)])).is_none());
        assert!(Nodes::parse(Reply::Array(vec![range(0, 1 << 16, 1)])).is_none());
    }
}
