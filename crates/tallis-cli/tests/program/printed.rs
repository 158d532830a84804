//! `tallis encodings --printed`.

use serde_json::Value;

use crate::{feed, ran, run, tallis};

/// The rows in order, and whether the figure of each is determined.
const ROWS: [(&str, bool); 28] = [
    ("visitors_sharded", false),
    ("visitors_one_set", false),
    ("locations", false),
    ("users_set_serialized", true),
    ("users_hll_serialized", true),
    ("users_hll_count", true),
    ("users_set_held", false),
    ("users_hll_held", false),
    ("next_day_set", false),
    ("next_day_hll", false),
    ("day_windows", false),
    ("day_windows_kept", false),
    ("hll_count_100", true),
    ("hll_count_100000", false),
    ("hll_held", false),
    ("lowest_zeros", false),
    ("zeros_100000", false),
    ("zeros_200000", false),
    ("zeros_300000", false),
    ("zeros_400000", false),
    ("zeros_500000", false),
    ("zeros_600000", false),
    ("zeros_700000", false),
    ("zeros_800000", false),
    ("zeros_900000", false),
    ("zeros_1000000", false),
    ("zeros_error", false),
    ("bloom_overfilled_10", false),
];

fn row<'r>(report: &'r Value, name: &str) -> &'r Value {
    report["rows"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap()
}

#[test]
fn without_a_server_the_other_columns_are_measured() {
    let mut command = tallis();
    command.args(["encodings", "--printed", "--json"]);
    command.env("TALLIS_REDIS_SERVER", "/nonexistent/redis-server");
    let ran = ran(&feed(&mut command, b""));
    assert_eq!(ran.status, 0, "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["version"], 1);
    assert_eq!(report["server"], Value::Null);
    let rows = report["rows"].as_array().unwrap();
    let names: Vec<_> =
        rows.iter().map(|row| (row["name"].as_str().unwrap(), row["determined"] == true)).collect();
    assert_eq!(names[..ROWS.len()], ROWS);
    assert_eq!(names.len(), ROWS.len() + 2);
    for row in rows {
        let keys: Vec<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
        let mut want = [
            "source",
            "name",
            "what",
            "unit",
            "printed",
            "printed_as",
            "tallis",
            "server",
            "determined",
            "remark",
        ];
        want.sort_unstable();
        let mut got = keys;
        got.sort_unstable();
        assert_eq!(got, want);
        assert_eq!(row["server"], Value::Null);
        if row["determined"] == true {
            assert_eq!(row["tallis"], row["printed"], "{}", row["name"]);
        }
    }
    let held = |name| row(&report, name)["tallis"].as_u64().unwrap();
    // Figures that depend on the allocator: the shards take less than half of one set, the location of a user about two
    // bytes.
    assert!((8_000_000..11_000_000).contains(&held("visitors_sharded")), "{rows:?}");
    assert!(held("visitors_one_set") > 2 * held("visitors_sharded"), "{rows:?}");
    assert!((2_000_000..3_200_000).contains(&held("locations")), "{rows:?}");
    assert!((12_304..20_000).contains(&held("hll_held")), "{rows:?}");
    assert!(held("day_windows") < 2_000_000, "{rows:?}");
    assert!(held("day_windows") < held("day_windows_kept"), "{rows:?}");
}

#[test]
fn options_that_select_forms_exclude_printed_figures() {
    for other in
        [&["--only", "sets"][..], &["--sizes", "10"], &["--vs", "redis"], &["--html", "a.html"]]
    {
        let ran = run(&[&["encodings", "--printed"], other].concat());
        assert_eq!(ran.status, 2, "{other:?}");
        assert!(ran.err.contains("cannot be used with"), "{}", ran.err);
    }
}
