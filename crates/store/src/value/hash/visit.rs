//! Going through the fields of a hash, and drawing some.

use std::collections::HashSet;
use std::ops::ControlFlow;

use ahash::RandomState;
use extendible::FieldBucket;

use super::{Hash, Pair};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::Random;
use crate::value::scan::scan_table;

impl Hash {
    /// Hands every field and its value to `visit` until it breaks. Those of a listpack come in their order, those of a
    /// hash table in the order of their hashes.
    #[inline]
    pub(crate) fn try_for_each<'a, B>(
        &'a self,
        mut visit: impl FnMut(Member<'a>, Member<'a>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Self::ListPack(list) => {
                let mut entries = list.iter();
                while let (Some(field), Some(value)) = (entries.next(), entries.next()) {
                    visit(field.into(), value.into())?;
                }
                ControlFlow::Continue(())
            }
            Self::Table(table) => table.buckets_by_hash().try_for_each(|bucket| {
                bucket.try_for_each(&mut |field, value| {
                    visit(Member::Bytes(field), Member::Bytes(value))
                })
            }),
        }
    }

    /// Hands every field and its value to `visit`.
    #[inline]
    pub(crate) fn for_each<'a>(&'a self, mut visit: impl FnMut(Member<'a>, Member<'a>)) {
        let whole: ControlFlow<()> = self.try_for_each(|field, value| {
            visit(field, value);
            ControlFlow::Continue(())
        });
        debug_assert!(whole.is_continue());
    }

    /// A field and its value, chosen uniformly at random; `None` if there is none. O(1) on average, O(fields) in a
    /// listpack.
    pub(crate) fn random(&self, random: &Random) -> Option<Pair<'_>> {
        match self {
            Self::ListPack(list) => {
                let field = list.seek(random.below(self.len()) * 2)?;
                let value = list.next(field)?;
                Some((list.entry(field)?.into(), list.entry(value)?.into()))
            }
            Self::Table(table) => {
                let (field, value) = table.random(&mut || random.bits(), FieldBucket::nth)?;
                Some((Member::Bytes(field), Member::Bytes(value)))
            }
        }
    }

    /// `count` different fields with their values, all of them if there are no more; every choice is equally likely.
    /// O(count) on average where count is small beside the hash, else O(fields).
    pub(crate) fn sample(&self, count: usize, random: &Random) -> Vec<Pair<'_>> {
        let len = self.len();
        // Drawing one by one repeats those that were drawn already; up to a third of the hash that is cheap.
        if matches!(self, Self::Table(_)) && count < len / 3 {
            let mut seen: HashSet<&[u8], RandomState> = HashSet::default();
            let draws = std::iter::from_fn(|| self.random(random));
            let new =
                draws.filter(|pair| matches!(pair.0, Member::Bytes(field) if seen.insert(field)));
            return new.take(count).collect();
        }
        let mut all = Vec::with_capacity(len);
        self.for_each(|field, value| all.push((field, value)));
        if count < len {
            random.choose(&mut all, count);
        }
        all
    }

    /// Hands over about `want` fields with their values from a cursor on; returns the next cursor, 0 at the end. A
    /// listpack comes whole, as in Redis.
    pub(crate) fn scan(
        &self,
        cursor: u64,
        want: usize,
        policy: &EncodingPolicy<'_>,
        mut visit: impl FnMut(Member<'_>, Member<'_>),
    ) -> u64 {
        let Self::Table(table) = self else {
            self.for_each(visit);
            return 0;
        };
        scan_table(table, cursor, want, |bucket, step| {
            let mut seen = 0;
            let _: ControlFlow<()> = bucket.try_for_each(&mut |field, value| {
                if step.covers(policy.hash(field)) {
                    seen += 1;
                    visit(Member::Bytes(field), Member::Bytes(value));
                }
                ControlFlow::Continue(())
            });
            seen
        })
    }
}
