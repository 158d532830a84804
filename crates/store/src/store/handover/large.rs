//! A large value that is handed over in chunks.

use std::fmt;
use std::sync::Arc;

use rdb::{Attributes, Target, ValueType};

use super::{BloomPart, BytesPart, CHUNK, Change, MemberKind, MembersPart, NodesPart, Run};
use crate::key::Key;
use crate::policy::EncodingPolicy;
use crate::sync::atomic::Ordering;
use crate::value::{Lasting, List, Value};

/// Tables of up to this many members are written at once, unless they exceed [`CHUNK`] bytes.
const FEW_MEMBERS: usize = 256;

/// Lists of up to this many nodes are written at once, unless they exceed [`CHUNK`] bytes.
const FEW_NODES: usize = 4;

/// A large value that is handed over in chunks: its state at the start of the snapshot, and the part that is done.
pub(crate) struct Large {
    run: Arc<Run>,
    /// Unique among the large values of the snapshot.
    id: u64,
    /// Shared, since the snapshot needs it without a lock, too.
    origin: Arc<Origin>,
    part: Part,
}

/// The location of a value at the start of the snapshot.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) db: u32,
    pub(crate) key: Key,
    pub(crate) attributes: Attributes,
}

/// The part of a value that is not yet handed over.
#[derive(Debug)]
pub(crate) enum Part {
    /// Bytes of a string.
    Bytes(BytesPart),
    /// Bits of a Bloom filter.
    Bloom(BloomPart),
    /// Members of a table.
    Members(MembersPart),
    /// Nodes of a list.
    Nodes(NodesPart),
    /// The whole value, copied by the snapshot or by the first writer.
    Whole,
}

impl Part {
    /// Creates the state for the whole value; `None` if it is small.
    pub(super) fn of(value: &Value, target: Target) -> Option<Self> {
        let is_large = |bytes: usize| bytes > CHUNK;
        let members = |kind, count: usize| Self::Members(MembersPart::new(kind, count));
        match value {
            Value::Int(_) | Value::Short(_) => None,
            Value::Str { len, .. } => {
                let len = *len as usize;
                is_large(len).then(|| Self::Bytes(BytesPart::new(len)))
            }
            Value::HashTable(table) => {
                let large = table.len() > FEW_MEMBERS || is_large(table.heap_bytes());
                large.then(|| members(MemberKind::Set, table.len()))
            }
            Value::Hash(Lasting::Table(table)) => {
                let large = table.len() > FEW_MEMBERS || is_large(table.heap_bytes());
                large.then(|| members(MemberKind::Hash, table.len()))
            }
            Value::HashTtl(hash) if hash.table().is_some() => {
                let large = hash.held() > FEW_MEMBERS || is_large(hash.heap_bytes());
                large.then(|| members(MemberKind::ExpiringHash(hash.earliest()), hash.held()))
            }
            Value::ZSet(set) if set.as_listpack().is_none() => {
                let large = set.len() > FEW_MEMBERS || is_large(set.heap_bytes());
                large.then(|| members(MemberKind::ZSet, set.len()))
            }
            Value::List(List::Quick(list)) => {
                let large = list.node_count() > FEW_NODES || is_large(list.heap_bytes());
                let part = || {
                    if target.has(ValueType::ListQuicklist2) {
                        Self::Nodes(NodesPart::new(list.node_count()))
                    } else {
                        Self::Whole
                    }
                };
                large.then(part)
            }
            Value::Bloom(filter) => {
                is_large(filter.heap_bytes()).then(|| Self::Bloom(BloomPart::new(filter)))
            }
            Value::IntSet(_)
            | Value::Compact(_)
            | Value::ListPack(_)
            | Value::Hash(Lasting::ListPack(_))
            | Value::HashTtl(_)
            | Value::ZSet(_)
            | Value::List(List::ListPack(_))
            | Value::Opaque(_) => is_large(value.heap_bytes()).then_some(Self::Whole),
        }
    }

    /// The state of the bytes, if the value consists of bytes.
    pub(crate) fn bytes(&mut self) -> Option<&mut BytesPart> {
        match self {
            Self::Bytes(part) => Some(part),
            Self::Bloom(part) => Some(&mut part.bits),
            Self::Members(_) | Self::Nodes(_) | Self::Whole => None,
        }
    }
}

impl Large {
    pub(super) fn new(run: &Arc<Run>, origin: Origin, part: Part) -> Self {
        run.large.fetch_add(1, Ordering::Relaxed);
        let id = run.next_id.fetch_add(1, Ordering::Relaxed);
        Self { run: Arc::clone(run), id, origin: Arc::new(origin), part }
    }

    pub(crate) const fn id(&self) -> u64 {
        self.id
    }

    pub(super) const fn run(&self) -> &Arc<Run> {
        &self.run
    }

    pub(crate) const fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    pub(crate) const fn part(&mut self) -> &mut Part {
        &mut self.part
    }

    pub(crate) fn into_part(self) -> Part {
        self.part
    }

    /// Gives the value to the snapshot, since no key has it any longer.
    pub(super) fn own(self, value: Value) {
        let run = Arc::clone(&self.run);
        run.own(self, value);
    }

    /// Keeps the old form of what is about to change; returns `false` if the whole value must be kept.
    pub(super) fn keep(
        &mut self,
        value: &Value,
        change: Change<'_, '_>,
        policy: &EncodingPolicy<'_>,
    ) -> bool {
        match (&mut self.part, change) {
            (_, Change::Expiry | Change::Gone) => {}
            (Part::Members(part), Change::Members(members)) => members.for_each(|member| {
                member.with_bytes(|member| part.keep(value, member, policy));
            }),
            (part, Change::Bytes(ranges)) => {
                let Some(part) = part.bytes() else { return false };
                ranges.for_each(|range| part.keep(value, range));
            }
            (Part::Nodes(part), Change::End(end, elements)) => {
                return part.keep(value, end, elements);
            }
            _ => return false,
        }
        true
    }
}

impl fmt::Debug for Large {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Large").field("id", &self.id).finish_non_exhaustive()
    }
}
