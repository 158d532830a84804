//! The test programs: built by cargo, and run here.
//!
//! `cargo test` would also run them, but it prints their names only to a terminal, and runs one after the other. Many
//! tests wait for a server or a clock, so running two programs at a time takes less time.

use std::cmp::Reverse;
use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use crate::bar::Bar;
use crate::count::{Count, Timing};
use crate::run::{Outcome, cargo, shown, timed, watch, with_flags};

/// A test program that cargo has built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The package, and the option of cargo that selects the program: `tallis-intset --test suite`.
    name: String,
    /// The path of the program.
    path: PathBuf,
    /// The folder of its package, which is its working directory.
    folder: PathBuf,
}

impl Program {
    /// Parses a JSON message of cargo. `None` if it is not about a test program.
    fn parse(message: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(message).ok()?;
        let is_test = message["profile"]["test"].as_bool()?;
        let path = message["executable"].as_str()?;
        if message["reason"] != "compiler-artifact" || !is_test {
            return None;
        }
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        let target = &message["target"];
        let of = match target["kind"][0].as_str()? {
            kind @ ("bin" | "test" | "example" | "bench") => {
                format!("--{kind} {}", target["name"].as_str()?)
            }
            _ => "--lib".to_owned(),
        };
        let name = format!("{} {of}", package(message["package_id"].as_str()?)?);
        Some(Self { name, path: path.into(), folder: folder.to_owned() })
    }

    /// Returns the command that runs the program in its folder, with the variables that `cargo test` sets.
    fn command(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(&self.folder);
        // The cargo that runs this program has set these for it.
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("CARGO_PKG_") {
                command.env_remove(name);
            }
        }
        command.env("CARGO_MANIFEST_DIR", &self.folder).envs(variables.iter().copied());
        command
    }
}

/// Returns the name in a package's id: `path+file:///tallis/crates/intset#tallis-intset@0.1.0`, or without a name if
/// the folder has the same.
fn package(id: &str) -> Option<&str> {
    let (place, end) = id.split_once('#')?;
    match end.split_once('@') {
        Some((name, _)) => Some(name),
        None => place.rsplit('/').next(),
    }
}

/// Builds test programs of the workspace: `arguments` are those of `cargo test`. With `flags` for the compiler,
/// unstable ones are accepted.
///
/// # Errors
///
/// If one of them does not build.
pub(crate) fn build(arguments: &[&str], flags: &str) -> Outcome<Vec<Program>> {
    let mut command = cargo(["test", "--no-run", "--message-format=json-render-diagnostics"]);
    command.args(arguments);
    if !flags.is_empty() {
        with_flags(&mut command, [flags]);
    }
    println!("$ {}", shown(&command));
    let mut programs = Vec::new();
    let success = watch(&mut command, |line| {
        programs.extend(Program::parse(&String::from_utf8_lossy(line)));
    })?;
    // Large programs have the most tests. They start first, because one started last would run alone at the end.
    programs.sort_by_key(|program| Reverse(size(program)));
    if success { Ok(programs) } else { Err("A test program did not build.".to_owned()) }
}

/// Returns the size of a program in bytes.
fn size(program: &Program) -> u64 {
    fs::metadata(&program.path).map_or(0, |found| found.len())
}

/// Runs the programs, some at a time, and prints the output of each in one piece. `arguments` and `variables` are
/// passed to each of them.
///
/// On a terminal, a bar shows the running programs, and only the output of programs with a failure is printed.
///
/// # Errors
///
/// If a program cannot be started.
pub(crate) fn run(
    programs: &[Program],
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Outcome<Vec<Timing>> {
    let bar = Bar::new(programs.len());
    let next = AtomicUsize::new(0);
    let timings = Mutex::new(Vec::with_capacity(programs.len()));
    let run_some = || -> Outcome {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let timing = run_one(program, arguments, variables, &bar)?;
            timings.lock().unwrap_or_else(PoisonError::into_inner).push(timing);
        }
        Ok(())
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.min(MOST)).map(|_| scope.spawn(run_some)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().map_err(|_| "the thread that ran a test program panicked".to_owned())?
        })
    })?;
    bar.finish();
    Ok(timings.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The number of programs at a time: each uses as many threads as there are cores.
const MOST: usize = 2;

/// Runs a program to its end.
fn run_one(
    program: &Program,
    arguments: &[&str],
    variables: &[(&str, &str)],
    bar: &Bar,
) -> Outcome<Timing> {
    let mut command = program.command(arguments, variables);
    let (mut output, mut count) = (Vec::new(), Count::default());
    bar.start(&program.name);
    let (success, took) = timed(|| {
        watch(&mut command, |line| {
            output.extend_from_slice(line);
            let text = String::from_utf8_lossy(line);
            if let Some(result) = Count::parse(text.trim_end()) {
                count.add(result);
            } else if text.starts_with("test ") && text.trim_end().ends_with(" ... ok") {
                bar.passed();
            }
        })
    });
    let success = success.map_err(|error| format!("{}: {error}", program.name))?;
    if !success && count.failed == 0 {
        output.extend_from_slice(b"The program ended before its tests were finished.\n");
        count.add(Count::FAILURE);
    }
    let is_printed = !success || bar.is_hidden();
    bar.end(&program.name, || {
        let mut out = io::stdout().lock();
        // A closed standard output (`| head`) does not end the tests.
        if is_printed {
            let _ = writeln!(out, "\n{}", program.name);
            let _ = out.write_all(&output);
        }
        if !success {
            let _ = writeln!(out, "To reproduce: cargo test --all-features -p {}", program.name);
        }
    });
    Ok(Timing { name: program.name.clone(), count, took })
}

#[cfg(test)]
mod tests {
    use super::{Count, Program, package, run};

    /// A message of cargo, as far as it is used.
    fn message(kind: &str, name: &str, is_test: bool, executable: &str) -> String {
        let manifest = "/tallis/crates/intset/Cargo.toml";
        let id = "path+file:///tallis/crates/intset#tallis-intset@0.1.0";
        format!(
            r#"{{"reason":"compiler-artifact","package_id":"{id}","manifest_path":"{manifest}",
            "target":{{"kind":["{kind}"],"crate_types":["lib"],"name":"{name}"}},
            "profile":{{"opt_level":"1","test":{is_test}}},"executable":{executable},"fresh":false}}"#
        )
    }

    #[test]
    fn a_test_program_is_parsed() {
        let program = |of: &str| {
            Some(Program {
                name: format!("tallis-intset {of}"),
                path: "/target/debug/deps/x-1".into(),
                folder: "/tallis/crates/intset".into(),
            })
        };
        let read =
            |kind, name| Program::parse(&message(kind, name, true, r#""/target/debug/deps/x-1""#));
        assert_eq!(read("lib", "intset"), program("--lib"));
        assert_eq!(read("proc-macro", "macros"), program("--lib"));
        assert_eq!(read("bin", "tallis"), program("--bin tallis"));
        assert_eq!(read("test", "suite"), program("--test suite"));
    }

    #[test]
    fn other_messages_are_ignored() {
        assert_eq!(Program::parse(&message("lib", "intset", false, "null")), None);
        assert_eq!(Program::parse(&message("lib", "intset", true, "null")), None, "only checked");
        assert_eq!(
            Program::parse(&message("bin", "tallis", false, r#""/target/debug/tallis""#)),
            None
        );
        assert_eq!(Program::parse(r#"{"reason":"build-finished","success":true}"#), None);
        assert_eq!(Program::parse("warning: something"), None);
        assert_eq!(Program::parse(""), None);
    }

    /// A test program in the form of a script.
    #[cfg(unix)]
    fn script(folder: &std::path::Path, name: &str, text: &str) -> Program {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("it can be run");
        Program { name: name.to_owned(), path, folder: folder.to_owned() }
    }

    #[cfg(unix)]
    #[test]
    fn programs_run_to_their_end_and_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let result = "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out;";
        let passes = format!("echo 'test a ... ok'; echo '{result} finished in 0.01s'");
        let programs = [
            script(folder.path(), "first", &passes),
            script(folder.path(), "breaks", "echo 'test a ... ok'; exit 3"),
            script(folder.path(), "last", &passes),
        ];
        let mut timings = run(&programs, &[], &[]).expect("all can be started");
        timings.sort_by(|one, other| one.name.cmp(&other.name));
        let counts: Vec<_> = timings.iter().map(|timing| (&*timing.name, timing.count)).collect();
        let passed = Count { passed: 2, failed: 0, skipped: 1 };
        assert_eq!(counts, [("breaks", Count::FAILURE), ("first", passed), ("last", passed)]);
    }

    #[test]
    fn the_name_of_a_package_is_parsed() {
        assert_eq!(
            package("path+file:///tallis/crates/intset#tallis-intset@0.1.0"),
            Some("tallis-intset")
        );
        assert_eq!(package("path+file:///tallis/crates/tallis#0.1.0"), Some("tallis"));
        assert_eq!(package("tallis"), None);
    }
}
