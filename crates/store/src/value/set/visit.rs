//! Iteration over the members of a set.

use std::ops::ControlFlow;

use super::SetRef;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::value::scan::scan_table;

impl<'a> SetRef<'a> {
    /// Calls `visit` with every member until it breaks. Members of an intset are in ascending order; those of a hash
    /// table are in hash order, so that look-ups in another table are in its order too.
    #[inline]
    pub(crate) fn try_for_each<B>(
        self,
        mut visit: impl FnMut(Member<'a>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Self::IntSet(set) => set.iter().try_for_each(|number| visit(Member::Int(number))),
            Self::Compact(set) => set.iter().try_for_each(|number| visit(Member::Int(number))),
            Self::ListPack(list) => list.iter().try_for_each(|entry| visit(entry.into())),
            Self::HashTable(table) => table.buckets_by_hash().try_for_each(|bucket| {
                bucket.try_for_each(&mut |bytes| visit(Member::Bytes(bytes)))
            }),
        }
    }

    /// The members, if all of them are integers.
    pub(super) fn numbers(self) -> Option<Vec<i64>> {
        let mut numbers = Vec::with_capacity(self.len());
        let all = self.try_for_each(|member| match member.as_int() {
            Some(number) => {
                numbers.push(number);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        });
        all.is_continue().then_some(numbers)
    }

    /// Calls `visit` with every member.
    #[inline]
    pub(crate) fn for_each(self, mut visit: impl FnMut(Member<'a>)) {
        let whole: ControlFlow<()> = self.try_for_each(|member| {
            visit(member);
            ControlFlow::Continue(())
        });
        debug_assert!(whole.is_continue());
    }

    /// Visits about `want` members, starting at a cursor; returns the next cursor, 0 at the end. Intsets and listpacks
    /// are visited in one call, as in Redis.
    pub(crate) fn scan(
        self,
        cursor: u64,
        want: usize,
        policy: &EncodingPolicy<'_>,
        mut visit: impl FnMut(Member<'a>),
    ) -> u64 {
        let Self::HashTable(table) = self else {
            self.for_each(visit);
            return 0;
        };
        scan_table(table, cursor, want, |bucket, step| {
            let mut seen = 0;
            let _: ControlFlow<()> = bucket.try_for_each(&mut |bytes| {
                if step.covers(policy.hash(bytes)) {
                    seen += 1;
                    visit(Member::Bytes(bytes));
                }
                ControlFlow::Continue(())
            });
            seen
        })
    }
}
