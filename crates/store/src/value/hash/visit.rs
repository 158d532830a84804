//! Iteration over the fields of a hash, and random fields.

use std::collections::HashSet;
use std::ops::ControlFlow;

use ahash::RandomState;
use extendible::FieldBucket;

use super::{HashRef, Lasting, NEVER, Pair, split};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::{CommandTime, READ_ONCE, Random};
use crate::value::scan::scan_table;

/// The number of draws, which may return expired fields, before all fields are scanned.
const DRAWS: usize = 16;

impl<'h> HashRef<'h> {
    /// Calls `visit` with every field and its value until it breaks, including expired ones, and with the expiry, or
    /// [`NEVER`]. Fields of a listpack come in their order, those of a hash table in hash order.
    #[inline]
    pub(crate) fn try_for_each_held<B>(
        self,
        mut visit: impl FnMut(Member<'h>, Member<'h>, i64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Self::Lasting(Lasting::ListPack(list)) => {
                let mut entries = list.iter();
                while let (Some(field), Some(value)) = (entries.next(), entries.next()) {
                    visit(field.into(), value.into(), NEVER)?;
                }
                ControlFlow::Continue(())
            }
            Self::Lasting(Lasting::Table(table)) => {
                table.buckets_by_hash().try_for_each(|bucket| {
                    bucket.try_for_each(&mut |field, value| {
                        visit(Member::Bytes(field), Member::Bytes(value), NEVER)
                    })
                })
            }
            Self::Expiring(hash) => {
                hash.try_for_each(|field| visit(field.name, field.value, field.expires_at))
            }
        }
    }

    /// Calls `visit` with every field and its value, including expired ones, and with the expiry.
    #[inline]
    pub(crate) fn for_each_held(self, mut visit: impl FnMut(Member<'h>, Member<'h>, i64)) {
        let whole: ControlFlow<()> = self.try_for_each_held(|field, value, expires_at| {
            visit(field, value, expires_at);
            ControlFlow::Continue(())
        });
        debug_assert!(whole.is_continue());
    }

    /// Calls `visit` with every field and its value.
    #[inline]
    pub(crate) fn for_each(
        self,
        time: &CommandTime<'_>,
        mut visit: impl FnMut(Member<'h>, Member<'h>),
    ) {
        self.for_each_held(|field, value, expires_at| {
            if expires_at == NEVER || !time.has_come(expires_at) {
                visit(field, value);
            }
        });
    }

    /// A field and its value, chosen uniformly at random; `None` if there is none. O(1) on average, O(fields) in a
    /// listpack.
    pub(crate) fn random(self, random: &Random, time: &CommandTime<'_>) -> Option<Pair<'h>> {
        match self {
            Self::Lasting(Lasting::ListPack(list)) => {
                let field = list.seek(random.below(self.held()) * 2)?;
                let value = list.next(field)?;
                Some((list.entry(field)?.into(), list.entry(value)?.into()))
            }
            Self::Lasting(Lasting::Table(table)) => {
                let (field, value) = table.random(&mut || random.bits(), FieldBucket::nth)?;
                Some((Member::Bytes(field), Member::Bytes(value)))
            }
            Self::Expiring(hash) => {
                let draws = std::iter::repeat_with(|| hash.random(random));
                let mut few = draws.take(DRAWS).map_while(|field| field);
                let live = few.find(|field| !time.has_come(field.expires_at));
                live.map(|field| (field.name, field.value))
                    .or_else(|| self.sample_of_all(1, random, time).pop())
            }
        }
    }

    /// Calls `visit` with `count` fields and their values, drawn with repetition. O(count) on average, O(fields + count)
    /// in a listpack.
    pub(crate) fn draw(
        self,
        count: usize,
        random: &Random,
        time: &CommandTime<'_>,
        mut visit: impl FnMut(Pair<'h>),
    ) {
        let packed = match self {
            Self::Lasting(hash) => matches!(hash, Lasting::ListPack(_)),
            Self::Expiring(hash) => hash.packed().is_some(),
        };
        if packed && count >= READ_ONCE {
            let all = self.all(time);
            return random.draws(&all, count).for_each(|&pair| visit(pair));
        }
        (0..count).map_while(|_| self.random(random, time)).for_each(visit);
    }

    fn all(self, time: &CommandTime<'_>) -> Vec<Pair<'h>> {
        let mut all = Vec::with_capacity(self.held());
        self.for_each(time, |field, value| all.push((field, value)));
        all
    }

    /// `count` distinct fields with their values, or all of them; every choice is equally likely. O(count) on average
    /// if count is small compared with the hash, otherwise O(fields).
    pub(crate) fn sample(
        self,
        count: usize,
        random: &Random,
        time: &CommandTime<'_>,
    ) -> Vec<Pair<'h>> {
        // Drawing one by one repeats draws of fields that were already drawn; up to a third of the hash this is fast.
        if matches!(self, Self::Lasting(Lasting::Table(_))) && count < self.len(time) / 3 {
            let mut seen: HashSet<&[u8], RandomState> = HashSet::default();
            let draws = std::iter::from_fn(|| self.random(random, time));
            let new =
                draws.filter(|pair| matches!(pair.0, Member::Bytes(field) if seen.insert(field)));
            return new.take(count).collect();
        }
        self.sample_of_all(count, random, time)
    }

    fn sample_of_all(self, count: usize, random: &Random, time: &CommandTime<'_>) -> Vec<Pair<'h>> {
        let mut all = self.all(time);
        if count < all.len() {
            random.choose(&mut all, count);
        }
        all
    }

    /// Visits about `want` fields with their values, starting at a cursor; returns the next cursor, 0 at the end. A
    /// listpack is visited in one call, as in Redis.
    pub(crate) fn scan(
        self,
        cursor: u64,
        want: usize,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
        mut visit: impl FnMut(Member<'_>, Member<'_>),
    ) -> u64 {
        let timed = matches!(self, Self::Expiring(_));
        let Some(table) = self.table() else {
            self.for_each(time, visit);
            return 0;
        };
        scan_table(table, cursor, want, |bucket, step| {
            let mut seen = 0;
            let _: ControlFlow<()> = bucket.try_for_each(&mut |field, record| {
                let (value, expires_at) =
                    if timed { split(record) } else { None }.unwrap_or((record, NEVER));
                if step.covers(policy.hash(field)) && !time.has_come(expires_at) {
                    seen += 1;
                    visit(Member::Bytes(field), Member::Bytes(value));
                }
                ControlFlow::Continue(())
            });
            seen
        })
    }
}
