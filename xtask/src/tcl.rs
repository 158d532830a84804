//! `cargo xtask tcl`: Redis's own test suite on a store behind a socket.
//!
//! The suite starts `src/redis-server` for each block of tests, with a configuration file that it writes. Here that
//! program is `tallis-testserver`, in a folder of links to the suite's files: the suite itself is only read.

mod farm;
mod left_out;
mod output;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::metadata::Metadata;
use crate::run::{Outcome, cargo, step, succeed, succeed_watched, watch};
use crate::{setup, tree};
use farm::Farm;
use output::{Output, Unit};

/// The arguments of `cargo xtask tcl`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A checkout of Redis, whose directory `tests` is used.
    suite: PathBuf,
    /// Units, such as `type/string`; by default those of the supported types.
    units: Vec<String>,
    /// Runs only the tests with this name; a name that begins with a slash is a regular expression.
    #[arg(long)]
    only: Vec<String>,
    /// The release series that the store emulates: 7.0, 7.2 or 8.2; by default that of the suite.
    #[arg(long)]
    series: Option<String>,
    /// Prints the output of the suite.
    #[arg(long)]
    verbose: bool,
}

/// The units that are run by default.
const UNITS: &[&str] = &[
    "type/string",
    "type/incr",
    "type/hash",
    "type/list",
    "type/list-2",
    "type/list-3",
    "type/set",
    "type/zset",
    "bitops",
    "bitfield",
    "hyperloglog",
    "geo",
    "sort",
    "scan",
    "keyspace",
    "expire",
    "multi",
];

/// The ones that suites before 7.4 do not have.
const LATER_UNITS: &[&str] = &["type/hash-field-expire"];

/// Groups of tests that the suite tags, and that are skipped: those of replicas, and those that need more memory than a
/// machine may have.
const LEFT_OUT_TAGS: &str = "-needs:repl -large-memory";

/// The seconds without output after which a unit is ended.
const TIMEOUT: &str = "300";

/// Runs the units and prints the results of their tests.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let tclsh = tclsh()?;
    let suite = arguments.suite.canonicalize();
    let suite = suite.map_err(|error| format!("{}: {error}", arguments.suite.display()))?;
    let units = units(&suite, &arguments.units)?;
    let series = match &arguments.series {
        Some(series) => series.clone(),
        None => series(&suite)?,
    };
    step("The server", || {
        succeed(&mut cargo(["build", "--locked", "--package", "tallis-testserver"]))
    })?;
    let target = Metadata::read()?.target;
    let server = target.join("debug/tallis-testserver");
    let farm = Farm::make(&target.join("tcl"), &suite, &server, &series)?;
    let mut all = Vec::new();
    for unit in units {
        let name = unit.clone();
        let outcome = step(&name, || run_unit(&tclsh, &farm, unit, arguments))?;
        all.push(outcome);
    }
    report(&all)
}

/// Runs one unit. Failed tests are part of the result; an error means that the unit cannot be run.
fn run_unit(tclsh: &Path, farm: &Farm, name: String, arguments: &Arguments) -> Outcome<Unit> {
    let mut command = farm.command(tclsh);
    command.args(["--single", &name, "--clients", "1", "--durable", "--timeout", TIMEOUT]);
    command.args(["--tags", LEFT_OUT_TAGS, "--skipfile"]).arg(farm.left_out());
    for test in &arguments.only {
        command.args(["--only", test]);
    }
    let mut output = Output::default();
    // The output says more than the exit status.
    if arguments.verbose {
        succeed_watched(&mut command, |line| output.line(line))?;
    } else {
        watch(&mut command, |line| output.line(String::from_utf8_lossy(line).trim_end()))?;
    }
    let unit = output.end(name);
    for failure in &unit.failures {
        println!("FAILED {failure}");
    }
    println!("{unit}");
    Ok(unit)
}

fn report(all: &[Unit]) -> Outcome {
    println!();
    for unit in all {
        println!("{unit}");
    }
    let sum = |of: fn(&Unit) -> usize| all.iter().map(of).sum::<usize>();
    let failed = sum(|unit| unit.failures.len());
    println!(
        "all: {} passed, {failed} failed, {} ignored, of which {} need features that are left out",
        sum(|unit| unit.passed),
        sum(|unit| unit.ignored + unit.skipped),
        sum(|unit| unit.skipped),
    );
    if failed == 0 { Ok(()) } else { Err(String::new()) }
}

/// Returns the interpreter, under one of its names.
fn tclsh() -> Outcome<PathBuf> {
    let names = ["tclsh8.6", "tclsh8.7", "tclsh8.5", "tclsh"];
    let found = names.iter().find_map(|name| setup::on_path(name));
    found.ok_or_else(|| "tclsh not found; install it with: apt-get install tcl".to_owned())
}

/// Returns the names of the units as in the suite.
fn units(suite: &Path, asked: &[String]) -> Outcome<Vec<String>> {
    let tests = suite.join("tests");
    if !tests.join("test_helper.tcl").is_file() {
        let suite = suite.display();
        return Err(format!(
            "{suite}: tests/test_helper.tcl not found; specify a checkout of Redis"
        ));
    }
    let asked: Vec<&str> = match asked {
        [] => {
            let there = |unit: &&str| tests.join(format!("unit/{unit}.tcl")).is_file();
            UNITS.iter().copied().chain(LATER_UNITS.iter().copied().filter(there)).collect()
        }
        _ => asked.iter().map(String::as_str).collect(),
    };
    let full = |unit: &str| {
        let names = [format!("unit/{unit}"), unit.to_owned()];
        let found = names.into_iter().find(|name| tests.join(format!("{name}.tcl")).is_file());
        found.ok_or_else(|| format!("the suite has no unit {unit}"))
    };
    asked.into_iter().map(full).collect()
}

/// Returns the release series of the suite, by the version of its sources, if it is supported.
fn series(suite: &Path) -> Outcome<String> {
    let text = tree::read(&suite.join("src/version.h"))
        .map_err(|why| format!("{why}; specify the release series with --series"))?;
    let mut numbers = text.split('"').nth(1).unwrap_or_default().split('.').map(str::parse::<u32>);
    let mut next = || numbers.next().and_then(Result::ok).unwrap_or(0);
    // Sources under development have the version 255.
    let series = match (next(), next()) {
        (..7, _) | (7, ..2) => "7.0",
        (7, 2 | 3) => "7.2",
        _ => "8.2",
    };
    Ok(series.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Farm, UNITS, series, units};

    fn suite(folder: &Path, version: &str) {
        for file in ["tests/test_helper.tcl", "tests/unit/type/set.tcl", "tests/tmp/old"] {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, "").expect("written");
        }
        fs::create_dir(folder.join("src")).expect("made");
        let header = format!("#define REDIS_VERSION \"{version}\"\n");
        fs::write(folder.join("src/version.h"), header).expect("written");
    }

    #[test]
    fn units_are_found_by_either_name() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(units(folder.path(), &[]).expect_err("no suite").contains("test_helper.tcl"));
        suite(folder.path(), "7.2.6");
        let full = vec!["unit/type/set".to_owned()];
        assert_eq!(units(folder.path(), &["type/set".to_owned()]), Ok(full.clone()));
        assert_eq!(units(folder.path(), &full), Ok(full));
        let why = units(folder.path(), &[]).expect_err("one unit is not all");
        assert_eq!(why, format!("the suite has no unit {}", UNITS[0]));
    }

    #[test]
    fn the_suite_is_only_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        suite(&from, "7.0.15");
        let of = |version| {
            let other = folder.path().join(version);
            suite(&other, version);
            series(&other).expect("a version")
        };
        let all = ["7.0.15", "7.2.6", "7.4.1", "8.2.3", "255.255.255"].map(of);
        assert_eq!(all, ["7.0", "7.2", "8.2", "8.2", "8.2"]);
        for _ in 0..2 {
            Farm::make(&to, &from, Path::new("/bin/server"), "7.0").expect("made");
            fs::write(to.join("tests/tmp/new"), "").expect("a folder of its own");
        }
        assert!(!from.join("tests/tmp/new").exists() && from.join("tests/tmp/old").exists());
        assert!(to.join("tests/unit/type/set.tcl").is_file());
        let program = fs::read_to_string(to.join("src/redis-server")).expect("a program");
        assert!(program.ends_with("exec '/bin/server' --series 7.0 \"$@\"\n"), "{program}");
    }
}
