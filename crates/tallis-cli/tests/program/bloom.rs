use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use testkit::rng::rounds;

use crate::{Ran, run};

/// Runs `tallis bloom plan`.
fn plan(args: &str) -> Ran {
    run(&[&["bloom", "plan"], &*args.split(' ').collect::<Vec<_>>()].concat())
}

/// Returns the output of a successful run.
fn printed(args: &str) -> String {
    let Ran { status, out, err } = plan(args);
    assert_eq!((status, err.as_str()), (0, ""), "{args}");
    out
}

fn json(args: &str) -> Value {
    serde_json::from_str(&printed(&format!("{args} --json"))).unwrap()
}

#[test]
fn json_is_one_line_with_the_documented_fields() {
    for (args, want) in [
        ("-n 12345 -p 0.002", r#"{"n":12345,"p":0.002,"bits":159744,"hashes":9,"bytes":19968}"#),
        ("-p 0.002 -m 159700", r#"{"n":12349,"p":0.002,"bits":159744,"hashes":9,"bytes":19968}"#),
        ("-n 1 -p 0.9", r#"{"n":1,"p":0.9,"bits":64,"hashes":1,"bytes":8}"#),
        (
            "-n 300000000 -p 0.25",
            r#"{"n":300000000,"p":0.25,"bits":865617024,"hashes":3,"bytes":108202128}"#,
        ),
        (
            "-n 1_000_000_000_000 -p 1e-9",
            r#"{"n":1000000000000,"p":1e-9,"bits":43132762698176,"hashes":30,"bytes":5391595337272}"#,
        ),
    ] {
        assert_eq!(printed(&format!("{args} --json")), format!("{want}\n"), "{args}");
    }
}

/// Solved again here, with logarithms.
#[test]
#[expect(clippy::cast_precision_loss, reason = "bits far below 2^53")]
fn any_two_parameters_determine_the_third() {
    let word = |bits: u64| bits.div_ceil(64) * 64;
    for (items, rate) in [(777_u32, 0.3), (65_537, 0.013), (2_000_003, 4e-5), (9, 1e-12)] {
        let each = -f64::ln(rate) / std::f64::consts::LN_2.powi(2);
        let bits = json(&format!("-n {items} -p {rate}"))["bits"].as_u64().unwrap();
        let exact = f64::from(items) * each;
        assert!((0.0..64.0).contains(&(bits as f64 - exact.floor())), "{items} {rate}: {bits}");
        assert_eq!(bits % 64, 0);

        // A number of bits that is not a multiple of 64: the filter also uses the rest of the last word.
        let given = bits + 1;
        let of_rate = json(&format!("-m {given} -p {rate}"));
        assert_eq!(of_rate["bits"], word(given));
        let room = of_rate["n"].as_u64().unwrap() as f64 * each;
        let left = word(given) as f64 - room;
        assert!((-1e-6..each).contains(&left), "{items} {rate}: {left}");

        let of_items = json(&format!("-m {given} -n {items}"));
        assert_eq!(of_items["bits"], word(given));
        let told = of_items["p"].as_f64().unwrap();
        let want =
            (-(word(given) as f64) / f64::from(items) * std::f64::consts::LN_2.powi(2)).exp();
        assert!((told / want - 1.0).abs() < 1e-9, "{items} {rate}: {told}, {want}");
        let again = json(&format!("-n {items} -p {told}"));
        assert_eq!((&again["bits"], &again["hashes"]), (&of_items["bits"], &of_items["hashes"]));
    }
}

#[test]
fn numbers_may_be_abbreviated() {
    let want = printed("-n 10000000 -m 64000000 --json");
    for args in ["-n 10M -m 64M", "-n 1e7 -m 64_000k", "--items=10_000_000 --bits 64M"] {
        assert_eq!(printed(&format!("{args} --json")), want, "{args}");
    }
    assert_eq!(json("--items 2G --error=1e-3"), json("-p 0.001 -n 2000000000"));
}

#[test]
fn invalid_command_lines_are_reported() {
    for (args, what) in [
        ("--json", "two of -n, -p and -m are required"),
        ("-n 5", "two of -n, -p and -m are required"),
        ("-p 0.5 --measure", "two of -n, -p and -m are required"),
        ("-m 64 --plot x.svg", "two of -n, -p and -m are required"),
        ("-n 5 -p 0.1 -m 64", "only two of -n, -p and -m"),
        ("-n 0 -p 0.1", "'--items <N>': it must be at least 1"),
        ("-m 0 -p 0.1", "'--bits <M>': it must be at least 1"),
        ("-n -3 -p 0.1", "it is not an integer"),
        ("-n 1.5 -p 0.1", "it is not an integer"),
        ("-n many -p 0.1", "it is not a number"),
        ("-n 5 -p 0", "it must be above 0 and below 1"),
        ("-n 5 -p 1", "it must be above 0 and below 1"),
        ("-n 5 -p -0.5", "it must be above 0 and below 1"),
        ("-n 5 -p nan", "it must be above 0 and below 1"),
        ("-n 5 -p 1%", "it is not a number"),
        ("-n 18446744073709551615 -p 0.01", "at most 9007199254740992 bits"),
        ("-n 5 -m 9007199254740993", "at most 9007199254740992 bits"),
        ("-m 9e15 -p 0.9999", "at most 9007199254740992 items"),
        ("-m 64 -p 1e-50", "64 bits are too few for a single item"),
        ("-n 1 -m 1M", "too close to 0 or 1"),
        ("-n 1G -p 0.01 --measure", "--measure supports filters of up to 2147483648 bits"),
        ("-n 300M -p 0.2 --measure", "for up to 268435456 items"),
        ("-n 5 -n 6 -p 0.1", "cannot be used multiple times"),
        ("-n 5 -p 0.1 file", "unexpected argument"),
    ] {
        let Ran { status, out, err } = plan(args);
        assert_eq!((status, out.as_str()), (2, ""), "{args}: {err}");
        assert!(err.contains(what), "{args}: {err}");
    }
    assert_eq!(run(&["bloom"]).status, 2);
    let help = printed("--help");
    for word in ["-n", "-p", "-m", "--measure", "--plot", "--json", "multiple of 64", "256 MiB"] {
        assert!(help.contains(word), "{word}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}

#[test]
fn the_tables_compare_the_formula_with_the_rule_of_thumb() {
    let out = printed("-n 1000000 -p 0.001");
    let row = |name: &str| {
        let line = out.lines().find(|line| line.starts_with(name));
        let cells: Vec<_> = line.unwrap().split("  ").map(str::trim).collect();
        cells.into_iter().filter(|cell| !cell.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("bits m"), ["bits m", "14377600"]);
    assert_eq!(row("hashes k"), ["hashes k", "10", "10.06", "0.7 m/n"]);
    assert_eq!(row("error p, when"), ["error p, when full", "0.100 %", "0.100 %", "0.6185^(m/n)"]);
    // Filled to twice its capacity: stated as 5 %.
    assert_eq!(row("2.0"), ["2.0", "2000000", "5.72 %", "5.53 %"]);
    let fills: Vec<_> = ["0.5", "1.0", "1.5", "2.0", "3.0"].map(|fill| row(fill).len()).to_vec();
    assert_eq!(fills, [4; 5]);
    assert!(out.ends_with("BF.RESERVE key 0.001 1000000 NONSCALING\n"), "{out}");
    assert!(out.is_ascii() && out.lines().all(|line| line.len() <= 80), "{out}");
}

#[test]
fn measured_errors_are_those_of_the_formula() {
    let cases = [("-n 30k -p 0.2", 0.2), ("-n 90k -m 1M", 0.005), ("-n 40k -p 0.05", 0.05)];
    for ((args, rate), _) in cases.into_iter().zip(0..rounds(2, 3)) {
        let found = json(&format!("{args} --measure"));
        let items = found["n"].as_u64().unwrap();
        let keys: Vec<_> = found.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys.len(), 6, "{keys:?}");
        let rows = found["measured"].as_array().unwrap();
        assert_eq!(rows.len(), 6);
        for (row, halves) in rows.iter().zip(1_u32..) {
            let number = |name: &str| row[name].as_f64().unwrap();
            assert_eq!(row["items"], items * u64::from(halves) / 2);
            let [error, expected, deviation] = ["error", "expected", "standard_error"].map(number);
            assert!((error - expected).abs() <= 5.0 * deviation, "{args}: {row}");
            let negatives = number("negatives");
            assert!(negatives >= 1e6 && (number("wrong") / negatives - error).abs() < 1e-12);
            // The formulas, computed here from the printed values: the error, and the deviations of the numbers of
            // false positives and of set bits.
            let [bits, hashes] = ["bits", "hashes"].map(|name| found[name].as_f64().unwrap());
            let probes = hashes * number("items") / bits;
            let (unset, set) = ((-probes).exp(), 1.0 - (-probes).exp());
            assert!((set.powf(hashes) / expected - 1.0).abs() < 1e-9, "{args}: {row}");
            let counted = expected * (1.0 - expected) / negatives;
            let filled = unset * (1.0 - (1.0 + probes) * unset) / bits;
            let filled = (hashes * set.powf(hashes - 1.0)).powi(2) * filled;
            let want = (counted + filled).sqrt();
            assert!((deviation / want - 1.0).abs() < 1e-6, "{args}: {row}, {want}");
        }
        let full = rows[1]["error"].as_f64().unwrap();
        assert!((full / rate - 1.0).abs() < 0.25, "{args}: {full}");
    }
}

#[test]
fn a_measurement_is_in_the_table() {
    let out = printed("-n 7 -p 0.3 --measure");
    assert!(out.contains("measured") && out.contains("negatives\n"), "{out}");
    assert!(
        out.contains("one standard error") && out.contains("small filters have higher error rates"),
        "{out}"
    );
    assert_eq!(out.matches("     1000000\n").count(), 6, "{out}");
    assert_eq!(printed("-n 7 -p 0.3 --measure"), out);
}

/// Counts the elements of a document by name; panics if the document is not well-formed.
fn elements(svg: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some((text, tail)) = rest.split_once('<') {
        assert!(!text.contains('>') && (!open.is_empty() || text.trim().is_empty()), "{text}");
        for entity in text.split('&').skip(1) {
            assert!(["lt;", "gt;", "amp;"].iter().any(|known| entity.starts_with(known)), "{text}");
        }
        let (tag, tail) = tail.split_once('>').unwrap();
        rest = tail;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{tag}");
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap().to_owned();
        let attributes: Vec<_> = tag.split('"').collect();
        assert!(attributes.len() % 2 == 1 && !tag.contains('&'), "{tag}");
        for name in attributes.iter().step_by(2).take(attributes.len() / 2) {
            assert!(name.ends_with('='), "{tag}");
        }
        *counts.entry(name.clone()).or_insert(0) += 1;
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    counts
}

#[test]
fn a_plot_has_its_curves_and_labels() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("error.svg");
    let name = file.to_str().unwrap();
    let args = ["bloom", "plan", "-n", "20k", "-p", "0.01", "--plot", name];
    let Ran { status, out, err } = run(&args);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.ends_with(&format!("\nsaved to {name}\n")), "{out}");
    let svg = fs::read_to_string(&file).unwrap();
    let counts = elements(&svg);
    assert_eq!((counts["svg"], counts.get("circle")), (1, None), "{counts:?}");
    for text in ["fill t: items / n", "error", "formula", "rule of thumb", "0.01 %", "100 %", "1.5"]
    {
        assert!(svg.contains(text), "{text}");
    }
    // The curve passes through the formula's error of a full filter, at a third of the width.
    let curve = svg.lines().filter(|line| line.contains("#0072B2")).max_by_key(|line| line.len());
    let points: Vec<(f64, f64)> = curve
        .and_then(|line| line.split("points=\"").nth(1)?.split('"').next())
        .unwrap()
        .split_whitespace()
        .map(|point| point.split_once(',').unwrap())
        .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
        .collect();
    assert!(points.len() > 70, "{}", points.len());
    assert!(
        points.is_sorted_by(|a, b| a.0 <= b.0 && a.1 >= b.1),
        "an error that falls: {points:?}"
    );
    let (left, right, top, bottom) = (140.0, 1160.0, 120.0, 720.0);
    let x = left + (right - left) / 3.0;
    let y = top + (bottom - top) * 2.0 / 4.0;
    let full = points.iter().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())).unwrap();
    assert!((full.0 - x).abs() < 2.0 && (full.1 - y).abs() < 3.0, "{full:?}, not {x},{y}");

    let measured = run(&[&args[..], &["--measure", "--json"]].concat());
    assert!(measured.out.ends_with("}]}\n"), "{}", measured.out);
    let svg = fs::read_to_string(&file).unwrap();
    // Six levels and the legend.
    assert_eq!(elements(&svg)["circle"], 7);
    assert!(svg.contains("measured"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn any_plan_can_be_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("error.svg");
    let name = file.to_str().unwrap();
    for args in ["-n 1 -p 0.5 --measure", "-n 1 -p 1e-300", "-n 9e14 -p 0.9", "-m 9e15 -n 1G"] {
        if args.starts_with("-m") {
            assert_eq!(plan(args).status, 2);
            continue;
        }
        printed(&format!("{args} --plot {name}"));
        let counts = elements(&fs::read_to_string(&file).unwrap());
        assert!(counts["text"] >= 10 && counts["polyline"] > 5, "{args}: {counts:?}");
    }
}

#[test]
fn a_plot_that_cannot_be_saved_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("none").join("error.svg");
    for file in [inside.to_str().unwrap(), folder.path().to_str().unwrap()] {
        let Ran { status, out, err } = plan(&format!("-n 5 -p 0.1 --plot {file}"));
        assert_eq!((status, out.as_str()), (1, ""), "{err}");
        assert!(err.starts_with("tallis: ") && !err.contains("os error"), "{err}");
    }
}

/// The plan is printed nevertheless.
#[cfg(unix)]
#[test]
fn a_plot_replaces_only_files() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let name = socket.to_str().unwrap();
    let Ran { status, out, err } = plan(&format!("-n 5 -p 0.1 --json --plot {name}"));
    assert_eq!((status, err), (1, format!("tallis: {name}: not a regular file\n")));
    assert_eq!(out, "{\"n\":5,\"p\":0.1,\"bits\":64,\"hashes\":4,\"bytes\":8}\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_plot_replaces_the_target_of_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let [file, link] = ["error.svg", "link.svg"].map(|name| folder.path().join(name));
    fs::write(&file, "older").unwrap();
    std::os::unix::fs::symlink("error.svg", &link).unwrap();
    printed(&format!("-n 5 -p 0.1 --plot {}", link.to_str().unwrap()));
    assert!(link.is_symlink() && !file.is_symlink());
    assert!(fs::read_to_string(&file).unwrap().starts_with("<svg "));
}
