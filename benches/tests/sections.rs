//! Runs every section of the report in the quick form: each has rows, and each figure is a positive number.

use std::collections::HashSet;

use tallis_benches::report::{Bench, Effort, Kind, Machine, Row, Run, page, plots};
use tallis_benches::sections;
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

#[test]
fn every_section_has_figures() {
    let bench = Bench::new(Effort::Quick, &ALLOCATOR);
    let mut measured = Vec::new();
    let mut titles = HashSet::new();
    for part in sections::ALL {
        let (name, run) = (part.name, part.run(&bench));
        let section = &run.section;
        // Links lead to titles, so a title is unique.
        assert!(titles.insert(section.title().to_owned()), "{name}: a duplicate title");
        assert!(!section.rows().is_empty(), "{name}");
        for result in section.rows().iter().flat_map(Row::results) {
            let median = result.sample.median;
            assert!(median.is_finite() && median > 0.0, "{name}: {result:?}");
        }
        for row in section.rows() {
            // No machine has more memory. If `used_memory` fails, the largest integer is taken.
            assert!(
                row.touched().is_some_and(|touched| touched.count() < 1 << 40),
                "{name}: {row:?}"
            );
            // Sides and kinds are derived from names: see `report/rival.rs`.
            for rival in row.rivals() {
                assert!(
                    Kind::of(&rival.name).is_some(),
                    "{name}: a rival of unknown kind: {}",
                    rival.name
                );
            }
        }
        // Two runs are compared by these names, so they are unique.
        let works: HashSet<&str> = section.rows().iter().map(Row::work).collect();
        assert_eq!(works.len(), section.rows().len(), "{name}: duplicate rows");
        for row in section.rows() {
            let names: HashSet<&str> = row.results().iter().map(|result| &*result.name).collect();
            assert_eq!(names.len(), row.results().len(), "{name}: {row:?}");
            assert!(!row.results()[0].rival, "{name}: {row:?}");
            // A server may not be installed.
            let mut yardsticks = row.yardsticks().filter(|name| !name.starts_with("redis-server"));
            assert!(yardsticks.all(|name| names.contains(name)), "{name}: {row:?}");
        }
        measured.push(run);
    }
    let run = Run::new(Machine::here(), "cargo test".to_owned(), "today".to_owned(), measured);
    assert_eq!(Run::from_json(&run.to_json()).as_ref(), Ok(&run));
    let plots = plots(&run).expect("plots");
    let text = page(&run, &plots);
    let head =
        ["The rows that we lose", "Summary", "Plots", "How to read the tables"].map(|title| {
            assert!(text.contains(&format!("\n## {title}\n")), "{title}");
        });
    assert_eq!(text.matches("\n## ").count(), head.len() + sections::ALL.len());
    let families: HashSet<&str> = sections::ALL.iter().filter_map(|part| part.family).collect();
    assert!(families.len() < sections::ALL.len() && plots.len() <= families.len() + 9);
    for plot in &plots {
        assert!(text.contains(&format!("](plots/{})", plot.file)), "{}", plot.file);
    }
}
