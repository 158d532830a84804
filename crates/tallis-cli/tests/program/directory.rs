//! `--dir`: stores that are kept in a directory.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use testkit::rng::rounds;

use crate::uv::{counts, json};
use crate::uv_load::{days, values};
use crate::{Ran, run, run_with, tallis};

/// A `tallis cli` that reads from a pipe.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(args: &[&str]) -> Self {
        let mut command = tallis();
        command.arg("cli").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    /// Sends a line, and waits for one line of the reply.
    fn ask(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").unwrap();
        self.reply()
    }

    fn reply(&mut self) -> String {
        let mut reply = String::new();
        self.output.read_line(&mut reply).unwrap();
        reply.trim_end().to_owned()
    }

    /// Kills the process, as `kill -9` does.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes its input.
    fn end(self) -> i32 {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait().unwrap().code().unwrap()
    }
}

/// The last increment of the log in a directory.
pub(crate) fn last_increment(dir: &str) -> PathBuf {
    let files = fs::read_dir(Path::new(dir).join("appendonlydir")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    files.filter(|file| file.to_str().unwrap().ends_with(".incr.aof")).max().unwrap()
}

#[test]
fn acknowledged_commands_are_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("made/on/the/way");
    let dir = dir.to_str().unwrap();
    let args = ["--dir", dir, "--fsync", "always"];
    for round in 1..=5 {
        let mut client = Client::start(&args);
        assert_eq!(client.ask("incr n"), (round * 2 - 1).to_string());
        assert_eq!(client.ask("incr n"), (round * 2).to_string());
        assert_eq!(client.ask("select 3"), "OK");
        assert_eq!(client.ask("multi"), "OK");
        assert_eq!(client.ask(&format!("rpush l {round}")), "QUEUED");
        assert_eq!(client.ask("append s x"), "QUEUED");
        assert_eq!(client.ask("exec"), round.to_string());
        assert_eq!(client.reply(), round.to_string());
        assert_eq!(client.ask("multi"), "OK");
        assert_eq!(client.ask("append s never"), "QUEUED");
        client.kill();
    }
    let asked = b"get n\nselect 3\nget s\nlrange l 0 -1\n";
    let Ran { status, out, err } = run_with(&["cli", "--dir", dir], asked);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, "10\nOK\nxxxxx\n1\n2\n3\n4\n5\n");
    // The folder of the log can be loaded like a file.
    let log = format!("{dir}/appendonlydir");
    assert_eq!(run_with(&["cli", "--load", &log], asked).out, out);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a reply comes at once or after a sleep")]
fn lines_that_arrive_together_are_answered_one_by_one() {
    let mut client = Client::start(&[]);
    client.input.write_all(b"echo first\ndebug sleep 3\necho last\n").unwrap();
    let begin = std::time::Instant::now();
    assert_eq!(client.reply(), "first");
    assert!(begin.elapsed().as_secs() < 2);
    assert_eq!((client.reply(), client.reply()), ("OK".to_owned(), "last".to_owned()));
    assert_eq!(client.end(), 0);
}

#[test]
fn whatever_the_policy_the_end_of_the_program_writes_everything_to_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    for fsync in ["always", "everysec", "no"] {
        let dir = folder.path().join(fsync);
        let dir = dir.to_str().unwrap();
        let lines: Vec<_> = (0..1000).map(|n| format!("rpush l {n}\n")).collect();
        let ran = run_with(&["cli", "--dir", dir, "--fsync", fsync], lines.concat().as_bytes());
        assert_eq!(ran.status, 0);
        let saved = folder.path().join("copy.rdb");
        let saved = saved.to_str().unwrap();
        // A snapshot can be saved in addition.
        assert_eq!(run(&["cli", "--dir", dir, "--save", saved, "LLEN", "l"]).out, "1000\n");
        assert_eq!(values(saved), values(dir));
    }
}

/// The output without the memory of keys, which differs from run to run.
fn shown(out: &str) -> Result<Value, &str> {
    let mut report: Value = serde_json::from_str(out).map_err(|_| out)?;
    strip(&mut report);
    Ok(report)
}

/// Removes the memory of keys from a report.
fn strip(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.remove("bytes");
        fields.values_mut().for_each(strip);
    } else if let Value::Array(items) = value {
        items.iter_mut().for_each(strip);
    }
}

/// Runs a command on several inputs, kept in a directory, and passed from run to run in a file: output and data must be
/// equal.
fn compare(args: &[&str], inputs: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let [dir, file] = ["d", "f.rdb"].map(|name| folder.path().join(name));
    let [dir, file] = [&dir, &file].map(|path| path.to_str().unwrap());
    for (at, input) in inputs.iter().enumerate() {
        let kept = run_with(&[args, &["--dir", dir]].concat(), input.as_bytes());
        let load: &[&str] = if at == 0 { &[] } else { &["--load", file] };
        let handed = run_with(&[args, load, &["--save", file]].concat(), input.as_bytes());
        assert_eq!((kept.status, handed.status), (0, 0), "{args:?}: {}{}", kept.err, handed.err);
        assert_eq!(shown(&kept.out.replace(dir, file)), shown(&handed.out), "{args:?}");
        assert_eq!(kept.err.replace(dir, file), handed.err, "{args:?}");
        assert_eq!(values(dir), values(file), "{args:?}, input {at}");
    }
}

#[test]
fn counting_continues_from_a_directory_as_from_a_file() {
    let days = days();
    let days: Vec<&str> = days.iter().map(String::as_str).collect();
    // The second day occurs twice.
    let logs = [days[0], days[1], days[1], days[2]];
    for form in ["book", "tagged", "split", "compact"] {
        compare(&["uv", "--form", form, "--threads", "3", "--json", "-"], &logs);
    }
    compare(&["uv", "--every", "hour", "--window", "24h", "--json", "-"], &logs);
    compare(&["dedup", "--capacity", "10"], &["a\nb\na\n", "b\nc\nd\n", &"long\n".repeat(1000)]);
    let many: Vec<_> = (0..5000).map(|n| format!("line {n}\n")).collect();
    let many = many.concat();
    compare(&["dedup", "--capacity", "100"], &[&many[..20_000], &many]);
    compare(&["dedup", "--rotate", "100"], &[&many, "x\nline 4999\n", &many[..20_000]]);
    compare(
        &["geo", "--nearest", "13,38,5"],
        &["a,13.3,38.1\nb,15,37\n", "a,13,38\n", "id,lon,lat\nc,-70,10\n"],
    );
    compare(&["geo", "--nearest", "13,38,5", "--json"], &["a,13.3,38.1\n", "b,13.3,38\n"]);
    compare(&["locate"], &["1,USA,CA\n900000,FRA,\n", "1,CAN,QC\n2,USA,NY\n", "3,XXX,\n"][..2]);
    compare(&["locate", "--lenient", "--json"], &["7,XXX,\n1,USA,CA\n", "9,YYY,\n", "7,FRA,\n"]);
    let zip = "00501,40.92,-72.63,Holtsville,NY,Suffolk,UNIQUE\n";
    compare(&["locate", "--zip"], &[zip, zip]);
}

#[test]
fn visits_counted_by_uv_before_an_invalid_line_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("d");
    let dir = dir.to_str().unwrap();
    let days = days();
    let bad = format!("{}no line of a log\n", days[0]);
    assert_eq!(run_with(&["uv", "--dir", dir, "-"], bad.as_bytes()).status, 2);
    // Counting it again changes nothing.
    let report = json(&["--dir", dir, "-"], days[0].as_bytes());
    assert_eq!(
        report["buckets"][0]["exact"],
        json(&["-"], days[0].as_bytes())["buckets"][0]["exact"]
    );
    assert_eq!((&report["loaded"], &report["saved"]), (&dir.into(), &dir.into()));
}

/// A visit is stored completely or not at all, so counting can continue after a process was killed.
#[test]
fn counting_continues_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let line = |visitor: u32| {
        let day = visitor / 20_000 + 1;
        format!("v{visitor} - - [{day:02}/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 512\n")
    };
    let log: Vec<_> = (0..60_000).map(line).collect();
    let log = log.concat();
    let expected = ["--expected", "20000"];
    let want = json(&[&expected[..], &["-"]].concat(), log.as_bytes());
    let mut found = 0;
    for (round, fsync) in ["everysec", "no", "everysec", "no"].iter().enumerate() {
        let dir = folder.path().join(round.to_string());
        let dir = dir.to_str().unwrap();
        let mut command = tallis();
        command.args(["uv", "--dir", dir, "--fsync", fsync]).args(expected).arg("-");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(&log.as_bytes()[..log.len() * (round + 2) / 6]).unwrap();
        sleep(Duration::from_millis(30));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = run(&["cli", "--load", dir, "--salvage", "DBSIZE"]);
        found += u32::from(left.out != "0\n");
        let ran = run_with(
            &[&["uv", "--json", "--dir", dir], &expected[..], &["-"]].concat(),
            log.as_bytes(),
        );
        assert_eq!(ran.status, 0, "{}", ran.err);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(counts(&report), counts(&want));
        assert_eq!(report["total"]["approx"], want["total"]["approx"]);
    }
    assert!(found > 0);
}

/// Wherever a log ends, counting can continue.
#[test]
fn uv_continues_from_any_prefix_of_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("d");
    let name = dir.to_str().unwrap();
    let days = days();
    let lines: Vec<&str> = days[..2].iter().flat_map(|day| day.lines().take(2)).collect();
    let input = lines.join("\n");
    // The cases are some bytes apart.
    let apart = usize::try_from(rounds(23, 9)).unwrap();
    for form in ["book", "tagged", "split", "compact"] {
        let args = ["--form", form, "--dir", name, "-"];
        let want = json(&args, input.as_bytes());
        let file = last_increment(name);
        let log = fs::read(&file).unwrap();
        for len in (0..log.len()).step_by(apart) {
            fs::write(&file, &log[..len]).unwrap();
            let Ran { status, out, err } =
                run_with(&[&["uv", "--json"], &args[..]].concat(), input.as_bytes());
            assert_eq!(status, 0, "{form} {len}: {err}");
            let report: Value = serde_json::from_str(&out).unwrap();
            assert_eq!(counts(&report), counts(&want), "{form} {len}");
            assert_eq!(report["total"]["approx"], want["total"]["approx"], "{form} {len}");
        }
        fs::remove_dir_all(&dir).unwrap();
    }
}

/// The incomplete end that a killed process leaves is reported and removed.
#[test]
fn an_incomplete_end_is_removed_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("d");
    let dir = dir.to_str().unwrap();
    assert_eq!(run(&["cli", "--dir", dir, "SET", "k", "v"]).out, "OK\n");
    let file = last_increment(dir);
    let whole = fs::metadata(&file).unwrap().len();
    let mut log = OpenOptions::new().append(true).open(&file).unwrap();
    log.write_all(b"*3\r\n$3\r\nSET\r\n$1\r\nk").unwrap();
    drop(log);
    let want = format!(
        "tallis: {}: 18 bytes cut off after offset {whole}, where a command is incomplete\n",
        file.display()
    );
    for err in [&want[..], ""] {
        let ran = run(&["--quiet", "cli", "--dir", dir, "GET", "k"]);
        assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (0, "v\n", err));
    }
    assert_eq!(fs::metadata(&file).unwrap().len(), whole);
}

/// The files of a directory, with their bytes.
pub(crate) fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() {
                contents(&path)
            } else {
                vec![(path.clone(), fs::read(&path).unwrap())]
            }
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_directory_that_cannot_be_opened_is_an_error_of_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let dir = name("d");
    let lines =
        b"set k v\nsadd s a\nset unique:2015-05-17:bits 1\nset places 1\nset location:max 1\n";
    assert_eq!(run_with(&["cli", "--dir", &dir], lines).status, 0);
    let file = last_increment(&dir);
    let whole = fs::read(&file).unwrap();
    let at = whole.len();
    let cli = |args: &[&str]| run(&[&["cli"], args, &["PING"]].concat());

    // Only one program at a time.
    let mut client = Client::start(&["--dir", &dir]);
    assert_eq!(client.ask("get k"), "v");
    let ran = cli(&["--dir", &dir]);
    let want = format!("tallis: {dir}: it is already open\n");
    assert_eq!((ran.status, ran.out.as_str(), ran.err), (1, "", want));
    assert_eq!(client.ask("get k"), "v");
    assert_eq!(client.end(), 0);

    // An unknown command, or damage, with its offset.
    let stream = b"*5\r\n$4\r\nXADD\r\n$1\r\nx\r\n$1\r\n*\r\n$1\r\nf\r\n$1\r\nv\r\n";
    for (bytes, says) in [
        (&stream[..], format!("command 'XADD' on key 'x' at offset {at}: unknown command")),
        (b"*1\r\nx\r\n", format!("expected '$', got 'x' at offset {}", at + 4)),
    ] {
        fs::write(&file, [&whole, bytes].concat()).unwrap();
        let before = contents(Path::new(&dir));
        let ran = cli(&["--dir", &dir]);
        let want = format!("tallis: {}: {says}\n", file.display());
        assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (1, "", want.as_str()));
        assert_eq!(contents(Path::new(&dir)), before);
        // The data before it can be salvaged.
        let saved = name("salvaged.rdb");
        let ran = cli(&["--load", &dir, "--salvage", "--save", &saved]);
        let note = format!("tallis: {dir}: loaded 5 keys from before the damage\n");
        assert_eq!((ran.status, ran.err), (0, want.clone() + &note));
        assert_eq!(run(&["cli", "--load", &saved, "SMEMBERS", "s"]).out, "a\n");
        assert_eq!(cli(&["--load", &dir]).err, want);
    }
    fs::write(&file, &whole).unwrap();

    // The directory has no data of this command.
    for (args, says) in [
        (&["geo", "--nearest", "0,0,1"][..], "the key places does not hold places"),
        (&["locate"], "the key location:max does not hold the largest user"),
        (&["uv"], "unique:2015-05-17 was counted with --form compact"),
    ] {
        let ran = run(&[args, &["--dir", &dir]].concat());
        let want = format!("tallis: {dir}: {says}\n");
        assert_eq!((ran.status, ran.out.as_str(), ran.err), (1, "", want));
    }

    // The command line.
    let plain = name("plain");
    fs::write(&plain, "x").unwrap();
    let ran = cli(&["--dir", &plain]);
    assert_eq!((ran.status, ran.err), (1, format!("tallis: {plain}: not a directory\n")));
    let log = format!("{dir}/appendonlydir");
    let ran = cli(&["--dir", &log]);
    let want = format!(
        "tallis: {log}: this is the directory of a log; --dir takes its parent directory\n"
    );
    assert_eq!((ran.status, ran.err), (2, want));
    for (args, says) in [
        (&["--fsync", "always"][..], "the following required arguments were not provided:\n"),
        (
            &["--dir", &dir, "--fsync", "sometimes"],
            "invalid value 'sometimes' for '--fsync <always|everysec|no>'\n",
        ),
        (
            &["--dir", &dir, "--load", &plain],
            "the argument '--dir <DIR>' cannot be used with '--load <FILE.rdb>'\n",
        ),
    ] {
        let ran = cli(args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(ran.err.starts_with(&format!("tallis: {says}")), "{}", ran.err);
    }
}
