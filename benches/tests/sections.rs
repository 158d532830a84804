//! Every section of the report, run quickly: it measures something, and each figure is one.

use std::collections::HashSet;

use tallis_benches::report::{Bench, Effort, Machine, Measured, Row, Run, page};
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
        // Two runs are compared by these names.
        let works: HashSet<&str> = section.rows().iter().map(Row::work).collect();
        assert_eq!(works.len(), section.rows().len(), "{name}: rows of the same name");
        for row in section.rows() {
            let names: HashSet<&str> = row.results().iter().map(|result| &*result.name).collect();
            assert_eq!(names.len(), row.results().len(), "{name}: {row:?}");
            assert!(!row.results()[0].rival, "{name}: {row:?}");
            // A server may not be installed.
            let mut yardsticks = row.yardsticks().filter(|name| !name.starts_with("redis-server"));
            assert!(yardsticks.all(|name| names.contains(name)), "{name}: {row:?}");
        }
        measured.push(Measured { name: (*name).to_owned(), section });
    }
    let run = Run::new(Machine::here(), "cargo test".to_owned(), "today".to_owned(), measured);
    assert_eq!(Run::from_json(&run.to_json()).as_ref(), Ok(&run));
    let text = page(&run);
    assert_eq!(text.matches("\n## ").count(), sections::ALL.len());
}
