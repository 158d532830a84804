//! The counting allocator as the allocator of this test. A single test, because the counters are those of the whole
//! process.

use std::hint::black_box;
use std::sync::mpsc;
use std::thread;

use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

#[test]
fn counts_what_the_allocator_holds() {
    ALLOCATOR.this_thread(|| {
        let (live, count) = (ALLOCATOR.live(), ALLOCATOR.allocations());
        let requested = ALLOCATOR.requested();
        ALLOCATOR.reset_peak();

        let mut bytes: Vec<u8> = black_box(Vec::with_capacity(1000));
        let held = ALLOCATOR.live() - live;
        assert!((1000..1100).contains(&held), "{held}");
        assert_eq!(ALLOCATOR.allocations() - count, 1);
        assert_eq!(ALLOCATOR.largest_request(), 1000);

        bytes.reserve_exact(5000);
        bytes.push(1);
        let held = ALLOCATOR.live() - live;
        assert!((5000..5100).contains(&held), "{held}");
        assert_eq!(ALLOCATOR.requested() - requested, 6000);
        bytes.shrink_to(100);
        assert!(ALLOCATOR.live() - live < 200);
        drop(black_box(bytes));
        assert_eq!(ALLOCATOR.live(), live);
        assert!(ALLOCATOR.peak() - live >= 5000);

        ALLOCATOR.reset_peak();
        assert_eq!(ALLOCATOR.peak(), live);
        let zeroed = black_box(vec![0_u64; 512]);
        assert!(ALLOCATOR.peak() - live >= 4096);
        drop(zeroed);

        let small: Vec<Box<u8>> = (0..100).map(Box::new).collect();
        let (slots, boxes) = (100 * size_of::<Box<u8>>(), ALLOCATOR.live() - live);
        if cfg!(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")) {
            // The smallest chunk of glibc is 32 bytes, header included.
            assert!((slots + 3200..slots + 3300).contains(&boxes), "{boxes}");
        }
        drop(black_box(small));
        assert_eq!(ALLOCATOR.live(), live);

        let (kept, held) = ALLOCATOR.counting(|| {
            drop(black_box(vec![0_u8; 9_000]));
            vec![0_u8; 2_000]
        });
        assert!((2_000..2_100).contains(&held), "{held}");
        assert_eq!(ALLOCATOR.live() - live, held);
        drop(black_box(kept));
        assert_eq!(ALLOCATOR.live(), live, "it goes on counting");
    });

    // One thread, then all threads again.
    let (ask, asked) = mpsc::channel();
    let (answer, answered) = mpsc::channel();
    let other = thread::spawn(move || {
        while let Ok(bytes) = asked.recv() {
            answer.send(black_box(vec![1_u8; bytes])).unwrap();
        }
    });
    let of_other = |bytes| {
        ask.send(bytes).unwrap();
        answered.recv().unwrap()
    };
    // The first message allocates the channels.
    drop(of_other(1));
    let requested = ALLOCATOR.requested();
    let (ours, theirs) =
        ALLOCATOR.this_thread(|| (black_box(vec![1_u8; 10_000]), of_other(1 << 20)));
    let counted = ALLOCATOR.requested() - requested;
    assert!((10_000..1 << 20).contains(&counted), "{counted}");
    drop((ours, theirs));
    let all = of_other(1 << 20);
    assert!(ALLOCATOR.requested() - requested - counted >= 1 << 20, "all threads count again");
    drop((all, ask));
    other.join().unwrap();
}
