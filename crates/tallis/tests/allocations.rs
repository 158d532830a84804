//! The number of allocations of commands on strings, which are most of their possible cost.

use std::time::Duration;

use tallis::{BitFieldOp, FieldType, Funnel, Overflow, Quota, SetOptions, SlidingWindow, Store};
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

fn asked<R>(work: impl FnOnce() -> R) -> u64 {
    let before = ALLOCATOR.allocations();
    drop(work());
    ALLOCATOR.allocations() - before
}

#[test]
fn commands_allocate_no_more_than_they_must() {
    ALLOCATOR.this_thread(|| {
        let store = Store::new();
        store.set("n", 100_000).unwrap();
        store.set("short", "sixteen bytes...").unwrap();
        let long = "x".repeat(100);
        store.set("long", &long).unwrap();
        store.append("log", "begun;").unwrap();
        // Everything that is initialized once per thread or store.
        store.getset("n", 1).unwrap();

        assert_eq!(asked(|| store.incr("n", 1).unwrap()), 0);
        assert_eq!(asked(|| store.decr("n", 7).unwrap()), 0);
        assert_eq!(asked(|| store.set("n", 5).unwrap()), 0);
        assert_eq!(asked(|| store.set("short", "other bytes").unwrap()), 0);
        assert_eq!(asked(|| store.set_nx("short", &long).unwrap()), 0);
        assert_eq!(asked(|| store.set("long", &long).unwrap()), 1);
        assert_eq!(asked(|| store.set_options("n", 6, SetOptions::default()).unwrap()), 0);
        assert_eq!(asked(|| store.mset(&[("n", "1"), ("short", "2")]).unwrap()), 0);
        for key in ["n", "short", "long"] {
            assert_eq!(asked(|| store.get(key).unwrap()), 1, "{key}");
            assert_eq!(asked(|| store.getrange(key, 0, 0).unwrap()), 1, "{key}");
            assert_eq!(asked(|| store.strlen(key).unwrap()), 0, "{key}");
        }
        assert_eq!(asked(|| store.get("none").unwrap()), 0);
        store.setbit("bits", 8_000, true).unwrap();
        let u12 = FieldType::unsigned(12).unwrap();
        assert_eq!(asked(|| store.setbit("bits", 77, true).unwrap()), 0);
        assert_eq!(asked(|| store.getbit("bits", 77).unwrap()), 0);
        assert_eq!(asked(|| store.bitcount("bits").unwrap()), 0);
        assert_eq!(asked(|| store.bitpos("bits", true).unwrap()), 0);
        assert_eq!(asked(|| store.bitfield_get("bits", u12, 70).unwrap()), 0);
        assert_eq!(asked(|| store.bitfield_set("bits", u12, 70, 1, Overflow::Fail).unwrap()), 0);
        assert_eq!(asked(|| store.bitfield_incr("bits", u12, 70, 1, Overflow::Wrap).unwrap()), 0);
        let operations = [BitFieldOp::get(u12, 70), BitFieldOp::incr_by(u12, 70, 1)];
        assert_eq!(asked(|| store.bitfield("bits", operations).unwrap()), 1);
        assert_eq!(asked(|| store.execute(&["SETBIT", "bits", "77", "0"])), 0);
        assert_eq!(asked(|| store.execute(&["GETBIT", "bits", "77"])), 0);
        assert_eq!(asked(|| store.execute(&["BITFIELD", "bits", "GET", "u12", "70"])), 1);
        // The result replaces an older one in place; only its first block is copied if it is also a source.
        store.bit_or("union", ["bits", "bits"]).unwrap();
        assert_eq!(asked(|| store.bit_or("union", ["bits", "bits"]).unwrap()), 0);
        assert_eq!(asked(|| store.bit_or("union", ["bits", "union"]).unwrap()), 1);
        let quota = Quota::new(9, 1, Duration::from_secs(3600)).unwrap();
        let (funnel, window) =
            (Funnel::new(store.clone(), quota), SlidingWindow::new(store.clone()));
        let can_reply = || window.can_reply("Lei", "reply", Duration::from_secs(3600), 3).unwrap();
        assert!(!funnel.take("funnel", 1).unwrap().limited && can_reply());
        assert_eq!(asked(|| funnel.take("funnel", 1).unwrap()), 0);
        assert_eq!(asked(|| funnel.take("funnel", 9).unwrap()), 0);
        assert!(can_reply() && can_reply());
        assert_eq!(asked(|| assert!(!can_reply())), 0);
        // A growing string doubles its capacity, so 2^16 bytes take some sixteen steps.
        let appends = asked(|| {
            for _ in 0..1 << 13 {
                store.append("log", "8 bytes.").unwrap();
            }
        });
        assert!(appends <= 20, "{appends}");
    });
}
