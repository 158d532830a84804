//! Tests that run the program: arguments and input, output, files and exit status.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod bloom;
mod check;
mod cli;
mod cli_json;
mod convert;
mod dedup;
mod directory;
#[cfg(unix)]
mod encodings;
mod errors;
mod geo;
mod inspect;
#[cfg(unix)]
mod interrupts;
mod live;
mod locate;
mod logs;
mod manual;
mod merge;
#[cfg(unix)]
mod printed;
#[cfg(unix)]
mod prompt;
mod sample;
mod uv;
mod uv_formats;
mod uv_load;
mod uv_plot;
mod uv_threads;
mod window;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The result of a run of the program.
struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn tallis() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tallis"))
}

/// Runs the program with these arguments and an empty input.
fn run<A: AsRef<std::ffi::OsStr>>(args: &[A]) -> Ran {
    run_with(args, b"")
}

/// Runs the program with these arguments, and `input` as its standard input.
fn run_with<A: AsRef<std::ffi::OsStr>>(args: &[A], input: &[u8]) -> Ran {
    let mut command = tallis();
    command.args(args);
    ran(&feed(&mut command, input))
}

/// Runs a command to its end with `input` as its standard input.
fn feed(command: &mut Command, input: &[u8]) -> Output {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // On a thread, so that no pipe fills up while neither side reads. The program may end before it has read
    // everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn ran(output: &Output) -> Ran {
    Ran {
        status: output.status.code().unwrap(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The path of a data file of the tests.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The log of the example in the README.
fn example_log() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/access.log")
}

/// The files written by servers: those in the tests of `tallis`, and those of the folder in `TALLIS_GOLDEN`, if set.
fn golden(wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut roots = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../tallis/tests/data")];
    roots.extend(std::env::var_os("TALLIS_GOLDEN").map(PathBuf::from));
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let folders = roots.iter().flat_map(|root| entries(root)).filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rdb") && wanted(path));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Decodes Base64.
fn decode(text: &str) -> Vec<u8> {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    BASE64_STANDARD.decode(text).unwrap()
}
