//! `tallis encodings`.

use std::sync::LazyLock;

use serde_json::Value;

use super::{Ran, run, run_with};

/// Every form at one size, as JSON.
fn rows(args: &[&str]) -> Vec<Value> {
    let Ran { status, out, err } = run(&[&["encodings", "--quick", "--json"], args].concat());
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["version"], 1);
    report["rows"].as_array().unwrap().clone()
}

/// Every form with 1,000 elements, measured once for all tests; with a server if there is one.
static FORMS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let server: &[&str] = if testkit::live::locate().is_some() { &["--vs", "redis"] } else { &[] };
    rows(&[&["--sizes", "1000"], server].concat())
});

fn bytes(row: &Value) -> f64 {
    row["bytes"].as_f64().unwrap()
}

#[test]
fn every_form_is_measured_at_a_size_that_it_supports() {
    let forms: Vec<_> = FORMS.iter().map(|row| (&row["family"], &row["form"])).collect();
    assert_eq!(forms.len(), 25, "{forms:?}");
    for row in &*FORMS {
        assert!(bytes(row) > 0.0 && row["nanos"]["add"]["median"].as_f64().unwrap() > 0.0, "{row}");
    }
    // The layouts determine the bytes; these ranges check that the layout is the right one.
    let of = |form: &str| bytes(FORMS.iter().find(|row| row["form"] == form).unwrap());
    for (form, least, most) in [
        ("intset, 16 bits", 2.0, 2.6),
        ("intset, 64 bits", 8.0, 8.8),
        ("shards, compact", 5.0, 8.0),
        ("bitmap of ids from 0", 0.125, 0.7),
        ("dense", 12.3, 13.0),
        ("error rate 1 %", 1.2, 1.8),
        ("2 bytes a user", 2.0, 5.0),
    ] {
        assert!((least..=most).contains(&of(form)), "{form}: {}", of(form));
    }
}

#[test]
fn families_and_sizes_are_the_requested_ones() {
    let rows = rows(&["--only", "hll,lists", "--sizes", "10,1e3"]);
    let shown: Vec<_> = rows
        .iter()
        .map(|row| format!("{} {}", row["form"].as_str().unwrap(), row["size"]))
        .collect();
    let want = [
        "sparse 10",
        "sparse 1000",
        "dense 10",
        "dense 1000",
        "listpack 10",
        "listpack 1000",
        "quicklist 1000",
    ];
    assert_eq!(shown, want);
}

#[test]
fn the_server_does_the_same_work_in_the_same_encodings() {
    let Some(_server) = testkit::live::server() else { return };
    for row in &*FORMS {
        let form = row["form"].as_str().unwrap();
        let server = &row["server"];
        let is_there = !form.starts_with("shards, s") && !form.starts_with("shards, c");
        if row["family"] == "bloom" {
            continue;
        }
        assert_eq!(server.is_object(), is_there, "{row}");
        if !is_there {
            continue;
        }
        // Redis 7.0 has no listpacks for sets of names and for lists, and the encoding of a string depends on how it
        // was created.
        let family = row["family"].as_str().unwrap();
        let ours = row["encoding"].as_str().unwrap();
        let theirs = server["encoding"].as_str().unwrap();
        let known = match (family, ours) {
            ("names", "listpack") => &["listpack", "hashtable"][..],
            ("lists", "listpack") => &["listpack", "quicklist"],
            (_, "raw" | "embstr") => &["raw", "embstr"],
            _ => std::slice::from_ref(&ours),
        };
        assert!(known.contains(&theirs), "{form}: {theirs} for {ours}");
        assert!(server["bytes"].as_f64().unwrap() > 0.0, "{row}");
        assert!(server["nanos"]["add"]["median"].as_f64().unwrap() > 0.0, "{row}");
    }
}

#[test]
fn the_page_is_self_contained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let args = ["encodings", "--quick", "--only", "sets,zsets", "--sizes", "10,1k", "--html"];
    let Ran { status, out, err } = run(&[&args[..], &[file.to_str().unwrap()]].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.ends_with(&format!("saved to {}\n", file.display())), "{out}");
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for part in [
        "Sets of integers",
        "Sorted sets",
        "prefers-color-scheme: dark",
        "<code>zset-max-listpack-entries</code> 128",
        "width=device-width",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Bytes, add, test, remove, scan; and count for shards and bitmaps.
    assert_eq!(page.matches("<figure>").count(), 6 + 5);
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    // The only URL is the XML namespace of the plots.
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    assert!(!page.contains("<script") && !page.contains("<link") && !page.contains("NaN"));
}

#[test]
fn errors_are_reported() {
    for (args, want) in [
        (&["--only", "cats"][..], "invalid value 'cats' for '--only <FAMILY>'"),
        (&["--sizes", "0"], "it must be at least 1"),
        (&["--sizes", "1G"], "it must be at most 100000000"),
        (&["--sizes", "50M"], "none of the selected forms supports one of these sizes"),
        (&["--advise", "1M cats"], "expected a number and a kind of elements"),
        (&["--advise", "1k names", "--only", "sets"], "cannot be used with"),
        (&["--html", "/"], "/: is a directory"),
    ] {
        let Ran { status, out, err } = run(&[&["encodings"], args].concat());
        let expected = if args[0] == "--html" { 1 } else { 2 };
        assert_eq!((status, out.as_str()), (expected, ""), "{args:?}");
        assert!(err.contains(want), "{args:?}: {err}");
    }
}

fn advice(args: &[&str], input: &[u8]) -> Value {
    let Ran { status, out, err } = run_with(&[&["encodings", "--json"], args].concat(), input);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn advice_is_for_the_described_elements() {
    let advice = advice(&["--advise", "20k random 60-bit ids"], b"");
    assert_eq!(
        (advice["count"].as_u64(), advice["elements"].as_str()),
        (Some(20_000), Some("20,000 random ids of 60 bits"))
    );
    let forms = advice["forms"].as_array().unwrap();
    let of = |name: &str| forms.iter().find(|form| form["form"] == name).unwrap();
    let bytes = |name: &str| of(name)["bytes"].as_u64().unwrap();
    assert_eq!(of("one set")["encoding"], "hashtable");
    assert!(bytes("shards, compact") < bytes("shards, splitting"));
    assert!(bytes("shards, splitting") < bytes("one set"));
    assert!((12_304..13_500).contains(&bytes("HyperLogLog")), "{}", bytes("HyperLogLog"));
    let error = of("Bloom filter, 1 %")["error"].as_f64().unwrap();
    assert!((0.005..0.015).contains(&error), "{error}");
    let said = advice["advice"].as_array().unwrap();
    assert!(said[0].as_str().unwrap().starts_with("Exactly: "), "{said:?}");
}

#[test]
fn advice_is_for_the_lines_of_a_file() {
    let ids: Vec<String> = (0..3000).map(|id| (id * 7).to_string()).collect();
    let ids = format!("{}\n", ids.join("\n"));
    let of_ids = advice(&["--from", "-"], ids.repeat(2).as_bytes());
    assert_eq!(of_ids["elements"], "3000 ids in 6000 lines of -");
    let names: Vec<_> = of_ids["forms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|form| form["form"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"bitmap") && names.contains(&"shards, compact"), "{names:?}");
    // Ids that use only a part of their bits leave some shards empty.
    assert_eq!(advice(&["--advise", "1120 small ids"], b"")["count"], 1120);
    // Ids above 2^32 have no bit in a bitmap, so no bitmap is offered.
    let far = advice(&["--from", "-"], b"7\n7580658008\n");
    assert!(far["advice"][1].as_str().unwrap().starts_with("A bitmap would take 948 MB"), "{far}");
    let of_names = advice(&["--from", "-"], b"ann\nbob\n");
    let forms = of_names["forms"].as_array().unwrap();
    assert_eq!((&forms[0]["form"], &forms[0]["encoding"]), (&"one set".into(), &"listpack".into()));
    let Ran { status, err, .. } = run_with(&["encodings", "--from", "-"], b"\n");
    assert_eq!((status, err.as_str()), (2, "tallis: -: no elements\n"));
    let Ran { status, err, .. } = run(&["encodings", "--from", "/no/file"]);
    assert_eq!((status, err.as_str()), (1, "tallis: /no/file: No such file or directory\n"));
}
