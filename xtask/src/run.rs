//! Running other programs, with headings and timings.

use std::env;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::tree;

/// The result of a task or a step: the error is a message for the terminal.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Runs one step under a heading and prints how long it took.
pub(crate) fn step<T>(title: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    println!("\n{}", bold(&format!("== {title}")));
    let (outcome, took) = timed(work);
    let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
    println!("-- {title}: {verdict}, {:.1} s", took.as_secs_f64());
    outcome
}

/// Runs `work` and returns how long it took.
#[expect(clippy::disallowed_methods, reason = "the time a step takes is what is asked for")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// Returns `text` in bold if the output is a terminal, and unchanged otherwise.
pub(crate) fn bold(text: &str) -> String {
    if io::stdout().is_terminal() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

/// Returns a command that runs the current cargo, in the root of the workspace.
pub(crate) fn cargo<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(tree::root()).stdin(Stdio::null());
    command
}

/// Returns the target triple of this machine.
pub(crate) fn host() -> Outcome<String> {
    let text = output_of(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV does not print a host".to_owned())
}

/// Adds these flags to those for the compiler that are already set. Unstable flags are accepted.
pub(crate) fn with_flags<'f>(command: &mut Command, flags: impl IntoIterator<Item = &'f str>) {
    let mut flags: Vec<String> = flags.into_iter().map(str::to_owned).collect();
    flags.extend(env::var("RUSTFLAGS"));
    command.env_remove("CARGO_ENCODED_RUSTFLAGS");
    command.env("RUSTFLAGS", flags.join(" ")).env("RUSTC_BOOTSTRAP", "1");
}

/// Runs `command` to its end.
pub(crate) fn succeed(command: &mut Command) -> Outcome {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|error| cannot_run(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed ({status})", shown(command))) }
}

/// Runs `command` to its end, prints its standard output and passes each line to `look`. `false` if it failed.
pub(crate) fn succeed_watched(command: &mut Command, mut look: impl FnMut(&str)) -> Outcome<bool> {
    println!("$ {}", shown(command));
    watch(command, |line| {
        // A closed standard output (`| head`) does not end the tests.
        let _ = io::stdout().write_all(line);
        look(String::from_utf8_lossy(line).trim_end());
    })
}

/// Runs `command` to its end and passes each line of its standard output to `look`, including its line feed. `false` if
/// it failed.
pub(crate) fn watch(command: &mut Command, mut look: impl FnMut(&[u8])) -> Outcome<bool> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| cannot_run(command, &error))?;
    if let Some(output) = child.stdout.take() {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).map_err(|error| error.to_string())? > 0 {
            look(&line);
            line.clear();
        }
    }
    Ok(child.wait().map_err(|error| error.to_string())?.success())
}

/// Runs `command` to its end; returns whether it succeeded, and all of its output, in the order in which it was written.
pub(crate) fn captured(mut command: Command) -> Outcome<(bool, Vec<u8>)> {
    let shown = shown(&command);
    let run = || -> io::Result<(bool, Vec<u8>)> {
        let (mut reader, writer) = io::pipe()?;
        command.stdout(writer.try_clone()?).stderr(writer);
        let mut child = command.spawn()?;
        // It holds the writing end, without which the reading end sees the end of the output.
        drop(command);
        let mut output = Vec::new();
        reader.read_to_end(&mut output)?;
        Ok((child.wait()?.success(), output))
    };
    run().map_err(|why| format!("cannot run {shown}: {why}"))
}

/// Returns the standard output of `command`, which must succeed.
pub(crate) fn output_of(command: &mut Command) -> Outcome<String> {
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| cannot_run(command, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{} failed ({})", shown(command), output.status))
    }
}

fn cannot_run(command: &Command, error: &io::Error) -> String {
    format!("cannot run {}: {error}", shown(command))
}

/// Returns the command approximately as a user would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = command.get_program();
    let name = std::path::Path::new(program).file_name().unwrap_or(program);
    let mut text = name.to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{captured, cargo};

    #[cfg(unix)]
    #[test]
    fn the_output_of_both_streams_is_kept_in_order() {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; echo three; exit 3"]);
        assert_eq!(captured(command), Ok((false, b"one\ntwo\nthree\n".to_vec())));
        let (success, _) = captured(cargo(["--version"])).expect("it starts");
        assert!(success);
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let why = captured(std::process::Command::new("no-such-program")).expect_err("missing");
        assert!(why.starts_with("cannot run no-such-program: "), "{why}");
    }
}
