//! The numbers that pages name: those that take less than a second to compute are computed, those of the report are
//! looked up in its page.

#![expect(clippy::unwrap_used, reason = "these are tests")]
#![expect(clippy::cast_precision_loss, reason = "the numbers are small")]

use std::fs;
use std::path::Path;

use tallis::geo::{EARTH_RADIUS, LONGITUDES, Point};
use tallis::{Dedup, Limits, Locations, Store, hll};

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// Asserts that a page says each of these.
fn says(name: &str, claims: &[String]) {
    let page = page(name);
    for claim in claims {
        assert!(page.contains(claim.as_str()), "{name} does not say: {claim}");
    }
}

#[test]
fn what_a_filter_takes_by_its_error_rate() {
    let bits = |error_rate: f64| {
        let items = 100_000;
        let seen = Dedup::new(Store::new(), "seen", items, error_rate).unwrap();
        seen.insert("an item").unwrap();
        seen.info().unwrap().bytes as f64 * 8.0 / items as f64
    };
    let rows = [("1 %", 0.01), ("0.1 %", 0.001), ("0.01 %", 0.0001)];
    says("seen-before.md", &rows.map(|(shown, rate)| format!("| {shown} | {:.1} |", bits(rate))));
}

#[test]
fn what_a_sketch_takes_and_how_far_it_is_off() {
    let error = 1.04 / (hll::REGISTERS as f64).sqrt();
    let of_a_million = (error * 1e6 / 100.0).round() * 100.0;
    assert_eq!((hll::DENSE_LEN / 1000, of_a_million), (12, 8_100.0));
    says(
        "counting-visitors.md",
        &[
            format!("The standard error is {:.2} %", error * 100.0),
            "two counts in three are within 8,100 of the truth".to_owned(),
            format!("takes {} KB however many", hll::DENSE_LEN / 1000),
        ],
    );
}

#[test]
fn how_often_two_of_a_million_ids_share_a_hash() {
    let pairs = 1e6 * (1e6 - 1.0) / 2.0;
    let percent = pairs / 2_f64.powi(60) * 100.0;
    says("counting-visitors.md", &[format!("share a hash is {percent:.5} %")]);
}

#[test]
fn where_encodings_change() {
    let limits = Limits::default();
    assert_eq!(limits.set_max_listpack_value, limits.zset_max_listpack_value);
    assert_eq!(limits.set_max_listpack_value, limits.hash_max_listpack_value);
    let bytes = limits.set_max_listpack_value;
    says(
        "encodings.md",
        &[
            format!(
                "| set of integers | sorted array | {} members |",
                limits.set_max_intset_entries
            ),
            format!(
                "| set | listpack | {} members, or one of more than {bytes} bytes |",
                limits.set_max_listpack_entries
            ),
            format!(
                "| hash | listpack | {} fields, or a field or value of more than {bytes} bytes |",
                limits.hash_max_listpack_entries
            ),
            format!(
                "| sorted set | listpack | {} members, or one of more than {bytes} bytes |",
                limits.zset_max_listpack_entries
            ),
            format!("| HyperLogLog | sparse | {},000 bytes |", limits.hll_sparse_max_bytes / 1000),
        ],
    );
    says(
        "sharded.md",
        &[format!("Sets of at most {} integers are sorted arrays", limits.set_max_intset_entries)],
    );
}

#[test]
fn how_far_a_position_is_off() {
    // A cell is that wide at the equator, and a position comes back as its middle.
    let cell = (LONGITUDES.end() - LONGITUDES.start()) / 2_f64.powi(26);
    let width = cell.to_radians() * EARTH_RADIUS;
    assert_eq!(format!("{:.1}", width / 2.0), "0.3");
    let store = Store::new();
    let point = Point::new(8.5417, 47.3769).unwrap();
    store.geo_add("k", [(point.lon(), point.lat(), "there")]).unwrap();
    let back = store.geo_pos("k", ["there"]).unwrap()[0].unwrap();
    assert!(point.distance(back) < 0.6, "{}", point.distance(back));
    assert_eq!(format!("{:.1}", EARTH_RADIUS / 1000.0), "6372.8");
    says("near.md", &["up to 0.3 m off".to_owned(), "a radius of 6,372.8 km".to_owned()]);
}

#[test]
fn what_a_user_s_location_takes() {
    let store = Store::new();
    let locations = Locations::new(store.clone());
    locations.set(999, "USA", "CA").unwrap();
    assert_eq!(store.strlen("location:0").unwrap(), 2 * 1_000);
    let countries = Locations::new(store.clone()).countries().prefix("country");
    countries.set(999, "USA").unwrap();
    assert_eq!(store.strlen("country:0").unwrap(), 1_000);
    let rows = ["| country and region | `Locations::new(store)` | 2 |", ".countries()` | 1 |"];
    says("locations.md", &rows.map(str::to_owned));
    says("locations.md", &["a hundred million users are 200 MB".to_owned()]);
}

/// What stands in a text behind one piece of it and before the next such piece.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before}"));
    rest.split_once(after).unwrap().0
}

/// `cargo xtask report` has written the page. A row of it begins with its work, and names each rival with a factor.
#[test]
fn the_readme_has_the_figures_of_the_report() {
    let report = page("../benchmarks.md");
    let line = |begins: &str| report.lines().find(|line| line.starts_with(begins)).unwrap();
    let redis = line("Beside Redis ours takes");
    let yo_kv = line("Beside yo-kv it takes");
    let get = between(line("| GET | "), "hashbrown ", ";");
    let ids = line("| bytes an id, random |");
    let visitors = line("| all of them, sharded and in one set |");
    let factor = |line| between(line, "takes **", "**");
    let rows = |line| between(line, "mean of ", " rows");
    says(
        "../../README.md",
        &[
            format!(
                "takes {} of the server's own time for a command, the geometric mean of {} rows",
                factor(redis),
                rows(redis)
            ),
            format!(
                "a million visitors take {} in shards where the server takes {}",
                between(visitors, "**", "**"),
                between(visitors, "redis-server, sharded ", " (")
            ),
            format!(
                "takes {} of the time, the geometric mean of {} rows, and {} for lists",
                factor(yo_kv),
                rows(yo_kv),
                family(yo_kv, "lists")
            ),
            format!("takes {} of the time for a GET", between(get, "(", ")")),
            format!(
                "a million random ids in {} bytes each where a `HashSet` takes {}",
                between(ids, "compact: **", " B"),
                between(ids, "HashSet ", " B")
            ),
        ],
    );
}

/// Returns the factor of a family in a line of the summary: `... 38 rows: bits x0.10, lists x0.87.`
fn family<'t>(line: &'t str, name: &str) -> &'t str {
    let mut parts = line.split([':', ',']).map(|part| part.trim().trim_end_matches('.'));
    parts.find_map(|part| part.strip_prefix(name)?.strip_prefix(' ')).unwrap()
}
