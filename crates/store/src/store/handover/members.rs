//! Snapshots of the members of a large table.

use std::ops::ControlFlow;

use extendible::Extendible;

use super::CHUNK;
use crate::policy::EncodingPolicy;
use crate::value::{Fields, HashRef, Value};

/// The byte before the old value of a member that existed.
const THERE: u8 = 1;

/// The kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberKind {
    Set,
    Hash,
    /// No field of the hash expires before that time. A time precedes each value.
    ExpiringHash(i64),
    ZSet,
}

/// The members of a table that are not yet handed over.
#[derive(Debug)]
pub(crate) struct MembersPart {
    kind: MemberKind,
    /// The number of members at the start.
    count: usize,
    /// The hash at which to continue; `None` once all are done.
    position: Option<u64>,
    /// The old forms of members after it that have changed since: nothing for one that did not exist, otherwise
    /// [`THERE`] and its old value.
    kept: Fields,
}

/// A chunk of members.
#[derive(Debug, Default)]
pub(crate) struct MemberChunk {
    bytes: Vec<u8>,
    /// The end of each string: a member, or a field and its value.
    ends: Vec<usize>,
    scores: Vec<f64>,
}

impl MemberChunk {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.scores.clear();
    }

    fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len());
    }

    fn len(&self) -> usize {
        self.bytes.len() + 16 * self.ends.len()
    }

    /// Iterates over the members of a set, or the fields and values of a hash in turn.
    pub(crate) fn strings(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }

    /// Iterates over the members of a sorted set with their scores.
    pub(crate) fn scores(&self) -> impl Iterator<Item = (&[u8], f64)> {
        self.strings().zip(self.scores.iter().copied())
    }
}

impl MembersPart {
    pub(super) fn new(kind: MemberKind, count: usize) -> Self {
        Self { kind, count, position: Some(0), kept: Extendible::new(0) }
    }

    pub(crate) const fn kind(&self) -> MemberKind {
        self.kind
    }

    pub(crate) const fn count(&self) -> u64 {
        self.count as u64
    }

    /// Keeps a member that is about to change.
    pub(super) fn keep(&mut self, value: &Value, member: &[u8], policy: &EncodingPolicy<'_>) {
        let hash = policy.hash(member);
        if self.position.is_none_or(|position| hash < position) || self.has_kept(hash, member) {
            return;
        }
        let rehash = |member: &[u8]| policy.hash(member);
        let old = old_form(value, hash, member);
        self.kept.insert(hash, &rehash, |bucket| bucket.insert(hash, member, &old));
    }

    fn has_kept(&self, hash: u64, member: &[u8]) -> bool {
        self.kept.bucket(hash).is_some_and(|bucket| bucket.get(hash, member).is_some())
    }

    /// Hands over the next members; returns `false` once all of the table is done and only [`rest`](Self::rest)
    /// remains.
    pub(crate) fn next(
        &mut self,
        value: &Value,
        policy: &EncodingPolicy<'_>,
        out: &mut MemberChunk,
    ) -> bool {
        out.clear();
        while let Some(position) = self.position
            && out.len() < CHUNK
        {
            self.position = self.hand_over(value, policy, position, out);
        }
        self.position.is_some()
    }

    /// Hands over the members of one bucket; returns the first hash of the next bucket.
    fn hand_over(
        &self,
        value: &Value,
        policy: &EncodingPolicy<'_>,
        position: u64,
        out: &mut MemberChunk,
    ) -> Option<u64> {
        let is_new = |hash: u64, member: &[u8]| hash >= position && !self.has_kept(hash, member);
        match value {
            Value::HashTable(table) => {
                let step = table.step(position, usize::MAX);
                let _: Option<ControlFlow<()>> = step.bucket.map(|bucket| {
                    bucket.try_for_each(&mut |member| {
                        if is_new(policy.hash(member), member) {
                            out.push(member);
                        }
                        ControlFlow::Continue(())
                    })
                });
                step.next()
            }
            Value::Hash(_) | Value::HashTtl(_) => {
                let table = value.as_hash()?.table()?;
                let step = table.step(position, usize::MAX);
                let _: Option<ControlFlow<()>> = step.bucket.map(|bucket| {
                    bucket.try_for_each(&mut |field, value| {
                        if is_new(policy.hash(field), field) {
                            out.push(field);
                            out.push(value);
                        }
                        ControlFlow::Continue(())
                    })
                });
                step.next()
            }
            Value::ZSet(set) => {
                let bucket = set.bucket(position)?;
                bucket.for_each(|hash, member, score| {
                    if is_new(hash, member) {
                        out.push(member);
                        out.scores.push(score);
                    }
                });
                bucket.next()
            }
            Value::Int(_)
            | Value::Short(_)
            | Value::Str { .. }
            | Value::IntSet(_)
            | Value::Compact(_)
            | Value::ListPack(_)
            | Value::List(_)
            | Value::Bloom(_)
            | Value::Opaque(_) => None,
        }
    }

    /// Hands over the kept members.
    pub(crate) fn rest<E>(
        &self,
        mut hand_over: impl FnMut(&MemberChunk) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut chunk = MemberChunk::default();
        for bucket in self.kept.buckets() {
            chunk.clear();
            let _: ControlFlow<()> = bucket.try_for_each(&mut |member, old| {
                if let Some((&THERE, old)) = old.split_first() {
                    chunk.push(member);
                    match self.kind {
                        MemberKind::Set => {}
                        MemberKind::Hash | MemberKind::ExpiringHash(_) => chunk.push(old),
                        MemberKind::ZSet => {
                            chunk.scores.extend(old.try_into().map(f64::from_le_bytes));
                        }
                    }
                }
                ControlFlow::Continue(())
            });
            hand_over(&chunk)?;
        }
        Ok(())
    }
}

/// The old form of a member, for [`MembersPart::kept`].
fn old_form(value: &Value, hash: u64, member: &[u8]) -> Vec<u8> {
    let there = |old: &[u8]| [&[THERE], old].concat();
    match value {
        Value::HashTable(table) => {
            let bucket = table.bucket(hash).filter(|bucket| bucket.contains(hash, member));
            bucket.map_or_else(Vec::new, |_| there(&[]))
        }
        Value::Hash(_) | Value::HashTtl(_) => {
            let table = value.as_hash().and_then(HashRef::table);
            let bucket = table.and_then(|table| table.bucket(hash));
            bucket.and_then(|bucket| bucket.get(hash, member)).map_or_else(Vec::new, there)
        }
        Value::ZSet(set) => {
            set.score(member).map_or_else(Vec::new, |score| there(&score.to_le_bytes()))
        }
        Value::Int(_)
        | Value::Short(_)
        | Value::Str { .. }
        | Value::IntSet(_)
        | Value::Compact(_)
        | Value::ListPack(_)
        | Value::List(_)
        | Value::Bloom(_)
        | Value::Opaque(_) => Vec::new(),
    }
}
