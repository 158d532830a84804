//! The counting allocator of a benchmark: it counts only where requested.

use std::hint::black_box;

use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

#[test]
fn counts_only_where_requested() {
    ALLOCATOR.this_thread(|| {
        drop(black_box(vec![0_u8; 1_000]));
        assert_eq!((ALLOCATOR.live(), ALLOCATOR.allocations()), (0, 0));
        let (mut kept, held) = ALLOCATOR.counting(|| {
            drop(black_box(vec![0_u8; 9_000]));
            vec![0_u8; 2_000]
        });
        assert!((2_000..2_100).contains(&held), "{held}");
        assert!((11_000..11_200).contains(&(ALLOCATOR.peak() + 2_000)), "{}", ALLOCATOR.peak());
        kept.reserve_exact(7_000);
        drop(black_box(kept));
        assert_eq!(ALLOCATOR.live(), held, "what is freed outside stays in the count");
        let (_kept, again) = ALLOCATOR.counting(|| black_box(vec![0_u8; 2_000]));
        assert_eq!(again, held, "only the difference counts");
    });
}
