//! Loading of lists.

use listpack::ListPack;
use quicklist::{Fill, Limits, QuickList};

use super::{Direction, List};
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// A list that is being loaded, node by node or element by element.
#[derive(Debug)]
pub(crate) struct Loading<'p>(List, EncodingPolicy<'p>);

impl<'p> Loading<'p> {
    /// Starts loading a list.
    pub(crate) fn new(policy: EncodingPolicy<'p>) -> Self {
        Self(List::quick(&policy), policy)
    }

    /// Starts a list that SORT stores: it has the default node size, and keeps it.
    pub(crate) fn sorted(policy: EncodingPolicy<'p>) -> Self {
        let limits = Limits { fill: Fill::default(), depth: 0, ..policy.list_limits() };
        Self(List::Quick(Box::new(QuickList::new(limits))), policy)
    }

    /// Adds an element.
    pub(crate) fn element(&mut self, element: &[u8]) {
        self.0.push(Direction::Right, Member::Bytes(element));
    }

    /// Adds a node of several elements. An empty node is ignored.
    pub(crate) fn packed(&mut self, node: ListPack) {
        if let List::Quick(list) = &mut self.0 {
            list.append_listpack(node);
        }
    }

    /// Adds a node of one element.
    pub(crate) fn plain(&mut self, element: Vec<u8>) {
        if let List::Quick(list) = &mut self.0 {
            list.append_plain(element);
        }
    }

    /// Returns the list, in the encoding that the policy requires; `None` if it has no elements.
    pub(crate) fn finish(self) -> Option<List> {
        let Self(mut list, policy) = self;
        list.settle(1, &policy);
        (list.len() > 0).then_some(list)
    }
}
