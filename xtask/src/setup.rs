//! The prerequisites of the tests in addition to Rust: a `redis-server`.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::run::succeed;
use crate::servers::version;

/// A hint for a missing server.
const ADVICE: &str = "apt-get install redis-server";

/// Finds `redis-server`, or installs Debian's package where that is possible.
///
/// This does not fail: without a server the live tests are skipped, or fail themselves with `CI=true`.
pub(crate) fn redis_server() {
    if let Some(named) = env::var_os("TALLIS_REDIS_SERVER").filter(|value| !value.is_empty()) {
        let named = PathBuf::from(named);
        let exists = named.is_file();
        let verdict = if exists { version(&named) } else { "no such file".to_owned() };
        println!("redis-server: {verdict}, {}, as TALLIS_REDIS_SERVER says", named.display());
        return;
    }
    if found() {
        return;
    }
    install();
    if found() {
        return;
    }
    println!("redis-server: none, and it could not be installed here. Install it with: {ADVICE}");
    println!(
        "or name a program in TALLIS_REDIS_SERVER. The tests against a live server are left out."
    );
}

fn found() -> bool {
    let Some(program) = on_path("redis-server") else { return false };
    println!("redis-server: {}, {}", version(&program), program.display());
    true
}

/// Returns the program of that name on the `PATH`.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn install() {
    if on_path("apt-get").is_none() {
        println!("redis-server: none, and no apt-get to install it with");
        return;
    }
    let Some(prefix) = as_root() else {
        println!("redis-server: none, and installing it needs root");
        return;
    };
    println!("redis-server: none, installing Debian's package");
    // The installation may succeed with old package lists.
    for arguments in
        [&["update"][..], &["install", "--yes", "--no-install-recommends", "redis-server"]]
    {
        let mut command = Command::new(prefix.first().copied().unwrap_or("env"));
        command.args(prefix.iter().skip(1));
        // Run level 1 prevents the package from starting a server: the tests start their own.
        command.args(["DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "apt-get", "--quiet"]);
        command.args(arguments).stdin(Stdio::null());
        if let Err(why) = succeed(&mut command) {
            println!("{why}");
        }
    }
}

/// Returns the words before a command that run it as root, ending with `env`; `None` if that requires a password.
fn as_root() -> Option<&'static [&'static str]> {
    let asks = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output()
    };
    let user = asks("id", &["-u"]).ok()?;
    if user.stdout.trim_ascii() == b"0" {
        return Some(&["env"]);
    }
    let sudo = asks("sudo", &["--non-interactive", "true"]).ok()?;
    sudo.status.success().then_some(&["sudo", "--non-interactive", "env"])
}
