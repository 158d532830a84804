//! Every section of the report, run quickly: it measures something, and each figure is one.

use tallis_benches::report::{Bench, Effort, Machine, Row, page};
use tallis_benches::sections;
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

#[test]
fn every_section_has_figures() {
    let bench = Bench::new(Effort::Quick, &ALLOCATOR);
    let mut measured = Vec::new();
    for (name, measure) in sections::ALL {
        let section = measure(&bench);
        assert!(!section.rows().is_empty(), "{name}");
        for result in section.rows().iter().flat_map(Row::results) {
            let median = result.sample.median;
            assert!(median.is_finite() && median > 0.0, "{name}: {result:?}");
        }
        measured.push(section);
    }
    let text = page(&Machine::here(), "cargo test", "today", &measured);
    assert_eq!(text.matches("\n## ").count(), sections::ALL.len());
}
