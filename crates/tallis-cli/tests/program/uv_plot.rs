//! `tallis uv --plot`, and the bars of a terminal.

use std::fs;
use std::process::{Command, Stdio};

use crate::uv::{counts, json, small_log};
use crate::{Ran, data, run, run_with, tallis};

#[test]
fn a_plot_has_a_column_and_a_point_for_each_bucket() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("visitors.svg");
    let plot = file.to_str().unwrap();
    let log = small_log();
    for (every, unit, buckets) in [("hour", "hour", 7), ("day", "day", 3), ("all", "bucket", 1)] {
        // The report is the same as without a plot.
        let told = json(&["--every", every, "--plot", plot, "-"], &log);
        assert_eq!(counts(&told), counts(&json(&["--every", every, "-"], &log)));
        let svg = fs::read_to_string(&file).unwrap();
        // One more of each is in the legend, and the background is a rectangle, too.
        assert_eq!(svg.matches("<circle").count(), buckets + 1, "{every}");
        assert_eq!(svg.matches("<rect").count(), buckets + 2, "{every}");
        for text in
            ["5 unique visitors in 9 events", "unique visitors", unit, "exact", "HyperLogLog"]
        {
            assert!(svg.contains(text), "{every}: {text}");
        }
    }
    assert_eq!(run_with(&["uv", "--plot", plot, "-"], b"").status, 0);
    let refused = run_with(&["uv", "--plot", folder.path().to_str().unwrap(), "-"], &log);
    assert_eq!((refused.status, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("s a directory"), "{}", refused.err);
}

#[test]
fn bars_are_at_their_time_and_gaps_are_visible() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("visitors.svg");
    let svg = |every: &str| {
        json(&["--every", every, "--plot", file.to_str().unwrap(), "-"], &small_log());
        fs::read_to_string(&file).unwrap()
    };
    // The left ends of all bars, which are rectangles of this colour; the last one is in the legend.
    let lefts = |svg: &str| {
        let bars = svg.lines().filter(|line| line.starts_with("<rect") && line.contains("#80B9D9"));
        let left = |line: &str| line.split('"').nth(1).unwrap().parse::<f64>().unwrap();
        let mut lefts: Vec<_> = bars.map(left).collect();
        lefts.pop();
        lefts
    };
    // 10, 11 and 23 o'clock, after midnight 0, 8 and 9, and 0 two days later.
    let hourly = svg("hour");
    let hours = lefts(&hourly);
    let want = [0.0, 1.0, 13.0, 14.0, 22.0, 23.0, 62.0];
    let hour = (hours[6] - hours[0]) / 62.0;
    assert!(hour > 10.0 && hours.len() == want.len(), "{hours:?}");
    for (left, want) in hours.iter().zip(want) {
        assert!((left - hours[0] - want * hour).abs() <= 2.0, "{hours:?}");
    }
    for text in
        ["12:00", "18:00", "May 18", "May 19", "May 20", "hour, 2015-05-17T10 to 2015-05-20T00"]
    {
        assert!(hourly.contains(&format!("\n{text}\n")), "{text}");
    }
    let daily = svg("day");
    let days = lefts(&daily);
    assert!(((days[2] - days[0]) - 3.0 * (days[1] - days[0])).abs() <= 2.0, "{days:?}");
    for text in ["May 17", "May 19", "day, 2015-05-17 to 2015-05-20"] {
        assert!(daily.contains(&format!("\n{text}\n")), "{text}");
    }
    assert!(daily.contains("<title>5 unique visitors in 9 events</title>"));
}

#[test]
fn a_plot_of_no_lines_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("visitors.svg");
    assert_eq!(run_with(&["uv", "--plot", file.to_str().unwrap(), "-"], b"").status, 0);
    let svg = fs::read_to_string(&file).unwrap();
    assert!(svg.contains("no lines, therefore no visitors") && !svg.contains("<line"), "{svg}");
}

#[test]
fn two_outputs_cannot_have_one_path() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let name = out.to_str().unwrap();
    let beside = folder.path().join(".").join("out");
    // The input is not read before that: its line is invalid.
    let twice =
        run_with(&["uv", "--plot", name, "--save", beside.to_str().unwrap(), "-"], b"bad\n");
    assert_eq!((twice.status, twice.out.as_str()), (2, ""));
    assert!(twice.err.contains("out: two outputs would be written to this file"), "{}", twice.err);
    assert!(!out.exists());
    for option in ["--plot", "--save"] {
        for target in ["/dev/stdout", name] {
            let file = fs::File::create(&out).unwrap();
            let mut command = tallis();
            command.args(["uv", "--json", option, target]).arg(data("small.log"));
            let ran = command.stdout(file).stderr(Stdio::piped()).output().unwrap();
            let err = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(ran.status.code(), Some(2), "{option} {target}: {err}");
            assert!(
                err.contains(": standard output is written to this file, and would be overwritten"),
                "{err}"
            );
            assert_eq!(fs::read(&out).unwrap(), b"");
        }
    }
    let mut command = tallis();
    command.args(["bloom", "plan", "--items", "1000", "--error", "0.01", "--plot", "/dev/stdout"]);
    let ran = command.stdout(fs::File::create(&out).unwrap()).output().unwrap();
    assert_eq!((ran.status.code(), fs::read(&out).unwrap()), (Some(2), vec![]));
}

#[test]
fn a_terminal_shows_a_bar_for_each_bucket() {
    // `script` runs the program on a terminal.
    let command = |columns: u32| {
        let program = tallis().get_program().to_str().unwrap().to_owned();
        let log = data("small.log");
        let run = format!("stty cols {columns} rows 24; exec {program} uv {}", log.display());
        let mut script = Command::new("script");
        script.args(["-qec", &run, "/dev/null"]).stdin(Stdio::null()).env("NO_COLOR", "1");
        script.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Ok(wide) = command(100) else { return };
    let bars = |text: &str| text.lines().map(|line| line.matches('#').count()).collect::<Vec<_>>();
    let wide_bars = bars(&wide);
    // The counts are 2, 4 and 1.
    let most = *wide_bars.iter().max().unwrap();
    assert!(most > 20, "{wide}");
    let drawn: Vec<_> = wide_bars.into_iter().filter(|&length| length > 0).collect();
    assert_eq!(drawn, [most / 2, most, most / 4], "{wide}");
    let mut rows = wide.lines().filter(|line| line.starts_with("2015"));
    assert!(rows.all(|line| line.is_ascii() && line.trim_end().len() <= 100), "{wide}");
    assert!(!wide.contains("\u{1b}[3"), "{wide}");
    let narrow = command(60).unwrap();
    assert!(bars(&narrow).iter().all(|&length| length == 0), "{narrow}");
    let Ran { out, .. } = run(&["uv", data("small.log").to_str().unwrap()]);
    assert!(!out.contains('#'), "{out}");
}
