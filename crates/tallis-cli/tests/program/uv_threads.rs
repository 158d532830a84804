//! `tallis uv --threads`: the result of one thread.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use testkit::rng::rounds;

use crate::uv::{counts, json};
use crate::uv_formats::{gzip, zstd};
use crate::uv_load::values;
use crate::{Ran, example_log, run};

/// The example log repeated this many times, each time with mostly different visitors.
fn long_log(times: usize) -> String {
    let log = fs::read_to_string(example_log()).unwrap();
    (0..times).flat_map(|time| log.lines().map(move |line| line_of(time, line))).collect()
}

fn line_of(time: usize, line: &str) -> String {
    if line.len().is_multiple_of(3) { format!("{line}\n") } else { format!("{time}.{line}\n") }
}

/// The fields that must be equal in two runs: all but the bytes of memory, which depend on a seed.
fn figures(report: &Value) -> Value {
    let mut report = report.clone();
    let fields = report.as_object_mut().unwrap();
    fields.remove("bytes");
    fields.remove("saved");
    report
}

#[test]
fn several_threads_have_the_result_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let times = usize::try_from(rounds(4, 12)).unwrap();
    let text = long_log(times);
    let (half, _) =
        text.char_indices().find(|&(at, byte)| at > text.len() / 2 && byte == '\n').unwrap();
    let halves = [&text[..=half], &text[half + 1..]];
    let mut logs: Vec<Vec<PathBuf>> = Vec::new();
    for pack in [<[u8]>::to_vec, gzip, zstd] {
        let files = [0, 1].map(|half| {
            let file = folder.path().join(format!("{}.{half}", logs.len()));
            fs::write(&file, pack(halves[half].as_bytes())).unwrap();
            file
        });
        logs.push(files.to_vec());
    }
    // And one file of each kind.
    logs.push(vec![logs[1][0].clone(), logs[0][1].clone()]);
    let shared: [&[&str]; 4] = [
        &["--form", "tagged", "--expected", "1k"],
        &["--expected", "1M"],
        &["--every", "hour", "--window", "36h", "--by", "ip-agent", "--expected", "100"],
        &["--form", "split"],
    ];
    for options in shared {
        let mut want: Option<(Value, Vec<(String, String)>)> = None;
        for files in &logs {
            for threads in ["1", "2", "3"] {
                let saved = name("out.rdb");
                let files = files.iter().map(|file| file.to_str().unwrap());
                let args: Vec<_> = ["--threads", threads, "--save", &*saved]
                    .into_iter()
                    .chain(options.iter().copied())
                    .chain(files)
                    .collect();
                let report = json(&args, b"");
                assert_eq!(report["total"]["events"], 4000 * times);
                let found = (figures(&report), values(&saved));
                match &want {
                    None => want = Some(found),
                    Some(want) => {
                        assert_eq!(found.0, want.0, "{args:?}");
                        assert!(found.1 == want.1, "{args:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn invalid_lines_are_those_of_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = long_log(4).into_bytes();
    let mut log = text.clone();
    // The first one is late in the first log, and the second log begins with one.
    log.extend_from_slice(b"bad\n");
    log.extend_from_slice(&text);
    log.resize(log.len() + (1 << 20) + 9, b'x');
    log.extend_from_slice(b"\nbad\n");
    text.splice(..0, b"worse [\n".iter().copied());
    let files = [("one.log", &log), ("two.log", &text)].map(|(name, text)| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    });
    let run = |more: &[&str]| run(&[&["uv", "--json"], more, &[&files[0], &files[1]]].concat());
    let want = run(&["--lenient"]);
    let bad: Vec<_> = want.err.lines().collect();
    let [one, two] = &files;
    for (line, place) in bad.iter().zip([
        format!("{one}:16001: "),
        format!("{one}:32002: "),
        format!("{one}:32003: "),
        format!("{two}:1: "),
        "4 lines skipped".to_owned(),
    ]) {
        assert!(line.contains(&place), "{line} and not {place}");
    }
    assert_eq!((want.status, bad.len()), (0, 5));
    let figures_of = |ran: &Ran| figures(&serde_json::from_str(&ran.out).unwrap());
    for threads in ["2", "3", "8"] {
        for _ in 0..3 {
            let found = run(&["--lenient", "--threads", threads]);
            assert_eq!((found.status, &found.err), (0, &want.err), "{threads}");
            assert_eq!(figures_of(&found), figures_of(&want));
            let strict = run(&["--threads", threads]);
            assert_eq!((strict.status, strict.out.as_str()), (2, ""));
            assert!(strict.err.contains(&format!("{one}:16001: ")), "{}", strict.err);
        }
    }
}

#[test]
fn threads_are_at_least_one_and_may_exceed_the_work() {
    let report = json(&["--threads", "64", example_log().to_str().unwrap()], b"");
    assert_eq!(counts(&report), counts(&json(&[example_log().to_str().unwrap()], b"")));
    for threads in ["0", "-1", "x"] {
        assert_eq!(run(&["uv", "--threads", threads, "-"]).status, 2);
    }
}

#[test]
fn a_log_that_cannot_be_decompressed_ends_the_run_like_with_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let text = long_log(6);
    let packed = gzip(text.as_bytes());
    let files =
        [("cut.gz", &packed[..packed.len() / 2]), ("whole.gz", &packed[..])].map(|(name, text)| {
            let file = folder.path().join(name);
            fs::write(&file, text).unwrap();
            file.to_str().unwrap().to_owned()
        });
    let run = |threads: &str| run(&["uv", "--threads", threads, &files[0], &files[1]]);
    let want = run("1");
    assert_eq!((want.status, want.out.as_str()), (1, ""));
    assert!(want.err.contains("cut.gz: ") && want.err.contains(" (after line "), "{}", want.err);
    for threads in ["2", "4"] {
        assert_eq!(run(threads).err, want.err);
    }
}
