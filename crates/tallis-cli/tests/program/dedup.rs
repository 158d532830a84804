use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::Stdio;

use serde_json::Value;
use testkit::rng::Rng;

use crate::{Ran, run, run_with, tallis};

/// The lines without repeated ones.
fn once(lines: &str) -> String {
    let mut seen = HashSet::new();
    let first: Vec<&str> = lines.lines().filter(|line| seen.insert(*line)).collect();
    first.join("\n") + "\n"
}

/// Lines of which many are repeated.
fn many(seed: u64, count: u64) -> String {
    let mut rng = Rng::new(seed);
    let lines: Vec<_> =
        (0..count).map(|_| format!("line {:05} of some length\n", rng.below(count))).collect();
    lines.concat()
}

fn numbers(numbers: impl Iterator<Item = u32>) -> String {
    let lines: Vec<_> = numbers.map(|number| format!("{number}\n")).collect();
    lines.concat()
}

#[test]
fn each_line_is_written_once_and_in_order() {
    let input = "b\na\nb\n\na\n\nc\r\nc\nlast";
    let Ran { status, out, err } = run_with(&["dedup"], input.as_bytes());
    assert_eq!((status, out.as_str()), (0, "b\na\n\nc\r\nc\nlast\n"));
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 1, "{err}");
    assert!(lines[0].starts_with("tallis: 3 of 9 lines dropped; "), "{err}");
    assert!(
        lines[0].ends_with("fewer than 1 in 10^15 new lines would now be dropped by mistake"),
        "{err}"
    );

    // The default error rate is so small that these lines are all distinguished.
    let input = many(1, 3000);
    let ran = run_with(&["dedup", "-"], input.as_bytes());
    let expected = once(&input);
    assert_eq!((ran.status, ran.out), (0, expected.clone()));
    let dropped = 3000 - expected.lines().count();
    assert!(
        ran.err.starts_with(&format!("tallis: {dropped} of 3000 lines dropped; ")),
        "{}",
        ran.err
    );
}

#[test]
fn an_empty_input_has_an_empty_output() {
    let Ran { status, out, err } = run_with(&["dedup"], b"");
    assert_eq!((status, out.as_str()), (0, ""));
    assert_eq!(err, "tallis: 0 of 0 lines dropped; no new line would be dropped by mistake\n");
}

/// With a small capacity and a large error rate, some lines are dropped by mistake, and none is written twice.
#[test]
fn the_error_is_about_the_requested_one() {
    let input = numbers(0..20_000);
    for (capacity, error, least, most) in
        [("20000", "0.1", 100, 2000), ("100", "0.1", 100, 2000), ("20000", "0.01", 5, 200)]
    {
        let args = ["dedup", "--json", "--capacity", capacity, "--error", error];
        let ran = run_with(&args, input.as_bytes());
        let written = ran.out.lines().count();
        let distinct: HashSet<&str> = ran.out.lines().collect();
        assert_eq!((ran.status, distinct.len()), (0, written));
        let dropped = 20_000 - written;
        assert!((least..=most).contains(&dropped), "{args:?}: {dropped}");
        // The reported error is the actual one, within a factor.
        let report: Value = serde_json::from_str(&ran.err).unwrap();
        let told = report["error_rate"].as_f64().unwrap();
        let asked: f64 = error.parse().unwrap();
        assert!(told > asked / 4.0 && told <= asked, "{}", ran.err);
    }
}

#[test]
fn the_filter_is_continued_from_run_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seen.rdb");
    let file = file.to_str().unwrap();
    let first = run_with(&["dedup", "--save", file], b"a\nb\n");
    assert_eq!((first.status, first.out.as_str()), (0, "a\nb\n"));
    let second = run_with(&["dedup", "--load", file, "--save", file], b"b\nc\n");
    assert_eq!((second.status, second.out.as_str()), (0, "c\n"));
    let third = run_with(&["dedup", "--load", file], b"a\nb\nc\nd\n");
    assert_eq!((third.status, third.out.as_str()), (0, "d\n"));
    // The filter is a key like any other.
    let asked = run(&["cli", "--rdb", file, "BF.MEXISTS", "dedup", "a", "c", "d"]);
    assert_eq!((asked.status, asked.out.as_str()), (0, "1\n1\n0\n"));
}

#[test]
fn the_report_can_be_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seen.rdb");
    let file = file.to_str().unwrap();
    // A requested report is not suppressed.
    for quiet in [&[][..], &["-q"]] {
        let args = [&["dedup", "--json", "--rotate", "2"], quiet].concat();
        let Ran { status, out, err } = run_with(&args, b"a\nb\na\n");
        assert_eq!((status, out.as_str()), (0, "a\nb\n"));
        let start = r#"{"lines_read":3,"lines_written":2,"lines_dropped":1,"error_rate":"#;
        assert!(err.starts_with(start) && err.ends_with(",\"saved\":null}\n"), "{err}");
    }
    let ran = run_with(&["dedup", "--json", "--save", file], b"a\n");
    let report: Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(report["saved"], Value::from(file));
    assert!(run_with(&["dedup", "--quiet"], b"a\na\n").err.is_empty());
}

#[test]
fn lines_are_forgotten_in_periods() {
    let input = "1\n2\n3\n4\n1\n5\n6\n1\n2\n";
    let ran = run_with(&["dedup", "--rotate", "4"], input.as_bytes());
    assert_eq!((ran.status, ran.out.as_str()), (0, "1\n2\n3\n4\n5\n6\n2\n"));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seen.rdb");
    let file = file.to_str().unwrap();
    let args = ["dedup", "--rotate", "200", "--save", file, "--capacity", "5"];
    let input = numbers(0..1000);
    assert!(run_with(&args, input.as_bytes()).out.lines().count() >= 995);
    let args = ["dedup", "--rotate", "200", "--load", file];
    let again = run_with(&args, input.as_bytes()).out;
    // The last hundred lines are known, and older ones are forgotten eventually.
    assert!(again.starts_with("0\n1\n"), "{again}");
    let reversed = numbers((0..1000).rev());
    let again = run_with(&args, reversed.as_bytes()).out;
    assert!(!again.contains("999\n") && again.contains("\n500\n"), "{again}");
    let Ran { status, err, .. } = run_with(&["dedup", "--load", file], b"x\n");
    assert_eq!(status, 1);
    assert!(err.contains("saved with --rotate"), "{err}");
}

/// Ten million lines, of which a third are repeated: none is written twice, all are in order, and the number of lost
/// lines is as requested.
#[test]
#[ignore = "takes half a minute"]
fn ten_million_lines() {
    const LINES: u64 = 10_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines.txt");
    let mut rng = Rng::new(1);
    let mut file = BufWriter::new(fs::File::create(&path).unwrap());
    let mut first = vec![false; usize::try_from(LINES).unwrap()];
    let mut expected = 0_usize;
    for _ in 0..LINES {
        let line = rng.below(LINES);
        writeln!(file, "{line:040}").unwrap();
        let came = &mut first[usize::try_from(line).unwrap()];
        expected += usize::from(!std::mem::replace(came, true));
    }
    file.into_inner().unwrap().sync_all().unwrap();
    let mut command = tallis();
    command.args(["dedup", "--capacity", "10M", "--error", "0.01"]).arg(&path);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut written, mut input) = (0, BufReader::new(fs::File::open(&path).unwrap()));
    let mut line = String::new();
    for unique in BufReader::new(child.stdout.take().unwrap()).lines() {
        let unique = unique.unwrap();
        // The next new line of the input; the lines between have occurred before, or are false positives.
        while line.trim_end() != unique {
            line.clear();
            assert!(input.read_line(&mut line).unwrap() > 0, "{unique} is out of order");
        }
        let came = &mut first[unique.parse::<usize>().unwrap()];
        assert!(std::mem::replace(came, false), "{unique} came twice");
        written += 1;
    }
    assert!(child.wait().unwrap().success());
    let lost = expected - written;
    assert!(lost * 100 < expected, "{lost} of {expected}");
}

#[test]
fn many_files_are_one_stream() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
    for (path, text) in paths.iter().zip(["1\n2", "2\n3\n", "1\n4\n"]) {
        fs::write(path, text).unwrap();
    }
    let [a, b, c] = paths.each_ref().map(|path| path.to_str().unwrap());
    let ran = run_with(&["dedup", a, "-", b, c], b"0\n1\n");
    assert_eq!((ran.status, ran.out.as_str()), (0, "1\n2\n0\n3\n4\n"));
}

/// Lines are written before more input arrives.
#[test]
fn lines_are_written_as_they_arrive() {
    let mut command = tallis();
    command.arg("dedup").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut stdout = BufReader::new(stdout);
    for (input, output) in [("a\n", "a\n"), ("a\nb\n", "b\n"), ("b\nc\npart", "c\n")] {
        stdin.write_all(input.as_bytes()).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, output);
    }
    drop(stdin);
    let mut rest = String::new();
    stdout.read_line(&mut rest).unwrap();
    assert_eq!(rest, "part\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn errors_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("long"), [b"ok\n".to_vec(), vec![b'x'; (1 << 20) + 1]].concat()).unwrap();
    let ran = run(&["dedup", &path("long")]);
    assert_eq!((ran.status, ran.out.as_str()), (2, "ok\n"));
    assert!(ran.err.contains("long:2: the line is longer than 1 MiB"), "{}", ran.err);

    let other = path("other.rdb");
    assert_eq!(run(&["cli", "--save", &other, "SET", "dedup", "x"]).status, 0);
    let none = path("none.rdb");
    assert_eq!(run(&["cli", "--save", &none, "SET", "k", "x"]).status, 0);
    for (args, status, says) in [
        (vec!["dedup", "/nonesuch"], 1, "/nonesuch: No such file"),
        (vec!["dedup", "--load", "/nonesuch.rdb"], 1, "tallis: /nonesuch.rdb: No such file"),
        (vec!["dedup", "--load", &other], 1, "the key dedup does not hold a Bloom filter"),
        (vec!["dedup", "--load", &none], 1, "none.rdb: the key dedup does not exist\n"),
        (vec!["dedup", "--load", &none, "--rotate", "5"], 1, "the key dedup does not exist\n"),
        (vec!["dedup", "--save", "/nonesuch/x.rdb"], 1, "/nonesuch: No such file"),
        (vec!["dedup", "-", "-"], 1, "standard input can be read only once"),
        (vec!["dedup", "--error", "0"], 2, "above 0 and below 1"),
        (vec!["dedup", "--error", "1"], 2, "above 0 and below 1"),
        (vec!["dedup", "--error", "nan"], 2, "above 0 and below 1"),
        (vec!["dedup", "--error", "x"], 2, "it is not a number"),
        (vec!["dedup", "--capacity", "0"], 2, "it must be at least 1"),
        (vec!["dedup", "--capacity", "2G"], 2, "it must be at most 1073741824"),
        (vec!["dedup", "--rotate", "0"], 2, "it must be at least 1"),
    ] {
        let ran = run(&args);
        assert_eq!(ran.status, status, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(says), "{args:?}: {}", ran.err);
    }
}
