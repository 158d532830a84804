//! Validation of a whole set, for tests.

use alloc::vec::Vec;

use super::bits::PAD;
use super::form::HEADER;
use super::set::Compact;
use super::upper::GROUP;

impl Compact {
    /// Checks every invariant of the set. O(n).
    ///
    /// # Panics
    ///
    /// If an invariant does not hold, which is a bug of this crate.
    #[doc(hidden)]
    pub fn internal_validate(&self) {
        let view = self.view();
        let form = view.form;
        assert!(form.low <= 60 && form.width <= 64);
        assert!(form.hole_at + form.hole_len + form.low <= form.width + form.hole_at);
        assert!(form.hole_at + form.hole_len <= form.width, "the hole is below the prefix");
        assert!(!form.is_crowded() && !form.is_sparse(), "{form:?}");

        // The upper bits are a one for each member and a zero for each bucket, then zeros.
        let bits = form.len() + form.buckets();
        let words = (form.lows_at() - form.upper_at()) / 8;
        assert_eq!(words, bits.div_ceil(64));
        let ones: u32 = (0..words).map(|index| view.upper.word(index).count_ones()).sum();
        assert_eq!(ones as usize, form.len());
        let last = view.upper.word(words - 1);
        let used = (bits - 1) % 64;
        assert_eq!(last >> used, 0, "the last bucket ends with a zero");

        // Members increase, by buckets and by low parts, and have the bits that all share.
        let members: Vec<i64> = self.iter().collect();
        assert_eq!(members.len(), form.len());
        assert!(members.is_sorted_by(|a, b| a < b), "{members:?}");
        for (index, &member) in members.iter().enumerate() {
            assert!(form.prefix().contains(member));
            let (bucket, low) = form.split(member).expect("a member fits the form");
            assert_eq!(form.join(bucket, low), member);
            assert_eq!(view.upper.select(index), index + bucket);
        }

        let groups = form.buckets().div_ceil(GROUP);
        assert_eq!(form.upper_at(), HEADER + 2 * groups);
        for group in 0..groups {
            let before = members.partition_point(|member| {
                form.split(*member).expect("a member fits the form").0 < GROUP * group
            });
            assert_eq!(view.upper.before(group), before);
        }

        // Room for all of it, and not much more.
        let used =
            form.upper_at() + 8 * words + (form.len() * usize::from(form.low)).div_ceil(8) + PAD;
        assert_eq!(used, form.bytes());
        let held = self.heap_bytes();
        assert!(held >= used, "{held} bytes held for {used}");
        assert!(held < used + (held / 10).max(32), "{held} bytes held for {used}");
    }
}
