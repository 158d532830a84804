//! Tests that deterministic figures equal the printed ones, in Tallis and on a server, and tests of the report's format.

use testkit::live;

use super::super::server::Live;
use super::bench::Bench;
use super::row::{Figure, Row};
use super::run::report;
use super::{article, filters, sketches, zeros};
use crate::memory::Memory;

/// An allocator that reports the same for everything.
struct Fixed;

impl Memory for Fixed {
    fn held(&self, work: &mut dyn FnMut()) -> isize {
        work();
        4321
    }
}

/// Returns an environment with a server, if there is one.
fn with_server() -> Option<Bench<'static>> {
    // Counts the test as skipped, or fails it, by the rules of the harness.
    live::server()?;
    Some(Bench::new(&Fixed, Some(Live::start().unwrap())))
}

fn row<'r>(rows: &'r [Row], name: &str) -> &'r Row {
    rows.iter().find(|row| row.name == name).unwrap()
}

fn whole(figure: Figure) -> u64 {
    match figure {
        Figure::Whole(number) => number,
        Figure::Part(_) => panic!("{figure:?}"),
    }
}

#[test]
fn a_million_users_are_as_the_article_printed_them() {
    let bench = &mut Bench::new(&Fixed, None);
    let rows = article::first_day(bench).unwrap();
    let determined: Vec<_> = rows.iter().filter(|row| row.determined).collect();
    assert_eq!(determined.len(), 3);
    for row in determined {
        assert_eq!(row.tallis, row.printed, "{}", row.name);
        assert_eq!(row.server, None);
    }
    assert_eq!(whole(row(&rows, "users_hll_count").tallis), 1_007_336);
    assert_eq!(whole(row(&rows, "users_set_held").tallis), 4321, "held by the allocator");
}

#[test]
fn a_server_has_the_articles_figures_too() {
    let Some(mut bench) = with_server() else { return };
    let rows = article::first_day(&mut bench).unwrap();
    for row in rows.iter().filter(|row| row.determined) {
        assert_eq!(row.server, Some(row.printed), "{}", row.name);
        assert_eq!(row.tallis, row.printed, "{}", row.name);
    }
    // The memory is far above the serialized length.
    let held = whole(row(&rows, "users_set_held").server.unwrap());
    assert!((30_000_000..60_000_000).contains(&held), "{held}");
}

#[test]
fn hundred_users_are_counted_as_the_notes_printed_it() {
    let rows = sketches::rows(&mut Bench::new(&Fixed, None)).unwrap();
    assert_eq!(whole(row(&rows, "hll_count_100").tallis), 99);
    assert_eq!(whole(row(&rows, "hll_count_100000").tallis), 99_725, "Redis 4 had 99723");
}

#[test]
fn a_server_counts_and_errs_as_tallis_does() {
    let Some(mut bench) = with_server() else { return };
    bench.million = 200_000;
    let mut rows = sketches::rows(&mut bench).unwrap();
    rows.extend(zeros::rows(&mut bench).unwrap());
    rows.extend(filters::rows(&mut bench).unwrap());
    let has_bloom = bench.live.as_ref().unwrap().has_bloom();
    for row in rows.iter().filter(|row| !row.name.ends_with("held")) {
        if row.server.is_some() || has_bloom || !row.name.starts_with("bloom") {
            assert_eq!(row.server, Some(row.tallis), "{}", row.name);
        }
    }
    assert_eq!(rows.len(), 3 + 12 + 3);
}

#[test]
fn estimates_are_as_rough_as_the_notes_had_them() {
    let mut bench = Bench::new(&Fixed, None);
    bench.million = 500_000;
    let rows = zeros::rows(&mut bench).unwrap();
    let Figure::Part(zeros) = row(&rows, "lowest_zeros").tallis else { panic!("whole") };
    assert!((13.0..18.0).contains(&zeros), "{zeros}");
    let Figure::Part(error) = row(&rows, "zeros_error").tallis else { panic!("whole") };
    assert!((0.002..0.15).contains(&error), "{error}");
}

// With fewer users, only the printed figures that do not depend on their number match.
#[test]
fn a_servers_figures_stand_beside_those_of_tallis() {
    let Some(mut bench) = with_server() else { return };
    bench.million = 20_000;
    let name = bench.live.as_ref().unwrap().name().to_owned();
    let report = report(&mut bench).unwrap();
    let text = report.to_string();
    let head = text.lines().next().unwrap();
    for part in ["the book", "printed", "Tallis", &name, "remark"] {
        assert!(head.contains(part), "{part} in {head}");
    }
    let line = |what: &str| text.lines().find(|line| line.starts_with(what)).unwrap();
    assert_eq!(line("PFCOUNT of 100 users").matches("= 99").count(), 2);
    assert!(!line("PFCOUNT of the million").contains('='), "it is not what was printed");
    // 8 bytes per id in shards, more in one set; 2 bytes per location; the minutes of a day take more than those of two
    // hours.
    let server = |name| whole(row(&report.rows, name).server.unwrap());
    assert!(server("visitors_sharded") > 8 * 20_000);
    assert!(server("visitors_one_set") > 20 * 20_000);
    assert!((40_000..200_000).contains(&server("locations")));
    assert!(server("next_day_set") > 20 * 20_000);
    assert!(server("day_windows") < server("day_windows_kept"));
    for row in &report.rows {
        assert!(row.server.is_some() || row.name.starts_with("bloom"), "{}", row.name);
    }
}

#[test]
fn without_a_server_its_column_says_so() {
    let mut bench = Bench::new(&Fixed, None);
    bench.million = 2000;
    let text = report(&mut bench).unwrap().to_string();
    assert_eq!(text.matches("no redis-server").count(), 3, "a head for each source");
    let line = |what: &str| text.lines().find(|line| line.starts_with(what)).unwrap();
    assert!(line("2-byte locations").contains("4.32 kB"), "what the allocator says");
    assert_eq!(line("PFCOUNT of 100 users").matches("= 99").count(), 1);
    assert!(text.contains("\n[1] random UUIDs"));
}
