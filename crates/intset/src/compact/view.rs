//! The parts of a blob, and the search in them.

use core::hint::black_box;

use super::bits;
use super::form::{Form, HEADER, ordered};
use super::upper::{Bucket, GROUP, Upper};

/// Members of a bucket that are compared without a branch between them. One in fifteen has more company than that.
const FEW: usize = 3;

/// A byte behind the first cache line, where a shard of some hundred members has its upper bits: it is prefetched
/// together with the header.
const AHEAD: usize = 96;

/// A whole blob, its header read.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) form: Form,
    pub(super) upper: Upper<'a>,
    /// The low parts, and what is behind them.
    lows: &'a [u8],
}

/// Where a key is, or belongs.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The number of members below it.
    pub(super) index: usize,
    pub(super) found: bool,
}

impl<'a> View<'a> {
    #[inline(always)]
    pub(super) fn new(blob: &'a [u8]) -> Self {
        black_box(blob.get(AHEAD).copied());
        let (header, parts) =
            blob.split_first_chunk::<HEADER>().expect("the blob begins with a header");
        let form = Form::decode(*header);
        let (directory, upper) = parts.split_at(form.upper_at() - HEADER);
        Self { form, upper: Upper::new(directory, upper), lows: &blob[form.lows_at()..] }
    }

    /// The low part of this index.
    #[inline(always)]
    pub(super) fn low(self, index: usize) -> u64 {
        bits::read(self.lows, index * self.form.low as usize) & bits::mask(self.form.low.into())
    }

    /// Prefetches the low parts around this index, estimated from the bucket, while the bits of the bucket are
    /// searched.
    #[inline(always)]
    fn touch_low(self, index: usize) {
        black_box(self.lows.get(index * self.form.low as usize / 8).copied());
    }

    /// Finds a key by its bucket and low part.
    #[inline(always)]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "the comparison must not be compiled to a branch"
    )]
    pub(super) fn find(self, bucket: usize, low: u64) -> Place {
        let before = self.upper.before(bucket / GROUP);
        self.touch_low(before + bucket % GROUP);
        let Bucket { start, run } = self.upper.bucket(bucket, before);
        let first = start - bucket;
        if run > FEW {
            return self.find_in_many(first, run, low);
        }
        let len = self.form.low as usize;
        // Beyond the bucket the answer does not count: but a field must be there to be read.
        let last = self.form.lows_end().saturating_sub(len);
        let (mut below, mut found) = (0, false);
        for k in 0..FEW {
            let bit = ((first + k) * len).min(last);
            let there = bits::read(self.lows, bit) & bits::mask(self.form.low.into());
            below += usize::from((k < run) & (there < low));
            found |= (k < run) & (there == low);
        }
        Place { index: first + below, found }
    }

    #[cold]
    #[inline(never)]
    fn find_in_many(self, first: usize, run: usize, low: u64) -> Place {
        let (mut at, mut end) = (first, first + run);
        while at < end {
            let middle = usize::midpoint(at, end);
            if self.low(middle) < low {
                at = middle + 1;
            } else {
                end = middle;
            }
        }
        Place { index: at, found: at < first + run && self.low(at) == low }
    }

    /// How many members are below a value.
    pub(super) fn count_below(self, value: i64) -> usize {
        let Some((bucket, low)) = self.form.split(value) else {
            return self.count_below_apart(value);
        };
        self.find(bucket, low).index
    }

    /// The same for a value that differs from all members in a bit that they share: it lies below or above all those
    /// that agree in the bits above that one.
    #[cold]
    fn count_below_apart(self, value: i64) -> usize {
        let form = self.form;
        let prefix = form.prefix();
        if !prefix.contains(value) {
            return if value < prefix.first() { 0 } else { form.len() };
        }
        // The bits from the hole up, and whether what is in the hole takes it beyond those that agree above it.
        let value = ordered(value);
        let hole = bits::mask(form.hole_len.into()) << form.hole_at;
        let above = (form.squeeze(value ^ form.base & !hole) >> form.hole_at)
            + u64::from(value & hole > form.base & hole);
        let bound = u128::from(above) << form.hole_at;
        let bucket = bound >> form.low;
        match usize::try_from(bucket) {
            Ok(bucket) if bucket < form.buckets() => {
                let low = u64::try_from(bound & u128::from(bits::mask(form.low.into())));
                self.find(bucket, low.unwrap_or(u64::MAX)).index
            }
            _ => form.len(),
        }
    }

    /// Hands all members to `each`, from the least, in their [`ordered`] form.
    pub(super) fn for_each(self, mut each: impl FnMut(u64)) {
        let Form { base, low, .. } = self.form;
        let (mut index, mut bit) = (0, 0);
        for at in (0..).step_by(64) {
            let mut ones = self.upper.word(at / 64);
            while ones != 0 {
                let bucket = at + ones.trailing_zeros() as usize - index;
                let key =
                    (bucket as u64) << low | bits::read(self.lows, bit) & bits::mask(low.into());
                each(self.form.spread(key) | base);
                ones &= ones - 1;
                index += 1;
                bit += usize::from(low);
            }
            if index == self.form.len() {
                break;
            }
        }
    }

    /// The member of this index, which must be below the count.
    #[inline(always)]
    pub(super) fn member(self, index: usize) -> i64 {
        let bucket = self.upper.select(index) - index;
        self.form.join(bucket, self.low(index))
    }
}
