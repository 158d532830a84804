//! `cargo xtask package`: checks that each published crate builds, and passes its documentation tests, from its own
//! package.
//!
//! A crate in the workspace can read files that its package does not have. So the packages are unpacked into one
//! folder, and built there.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::metadata::{Metadata, Package};
use crate::run::{Outcome, cargo, step, succeed};
use crate::tree;

/// Creates the packages, unpacks them, builds each and runs its documentation tests.
pub(crate) fn run() -> Outcome {
    let metadata = Metadata::read()?;
    let packages: Vec<&Package> = metadata.published().collect();
    let folder = metadata.target.join("packages");
    step("Packages", || {
        pack(&packages)?;
        unpack(&packages, &metadata.target.join("package"), &folder)
    })?;
    let mut failed = Vec::new();
    for package in &packages {
        let name = package.name.as_str();
        let work = || {
            // First without the dev-dependencies, then with them, because the examples are run.
            succeed(&mut beside(&folder, &["check", "--package", name]))?;
            succeed(&mut beside(&folder, &["test", "--doc", "--quiet", "--package", name]))
        };
        if let Err(why) = step(name, work) {
            println!("{why}");
            failed.push(name);
        }
    }
    println!();
    if failed.is_empty() {
        println!("package: {} packages build on their own", packages.len());
        Ok(())
    } else {
        Err(format!("package: failed: {}", failed.join(", ")))
    }
}

fn pack(packages: &[&Package]) -> Outcome {
    // Uncommitted changes are checked, too; the packages are built below, all in one folder.
    let mut command = cargo(["package", "--quiet", "--no-verify", "--allow-dirty"]);
    for package in packages {
        command.args(["--package", &package.name]);
    }
    succeed(&mut command)
}

/// Unpacks each package, and creates a workspace of them in which they replace those of the registry.
fn unpack(packages: &[&Package], from: &Path, folder: &Path) -> Outcome {
    let mut manifest = String::from("[workspace]\nresolver = \"3\"\nmembers = [\"tallis*\"]\n");
    manifest.push_str("\n[profile.dev]\ndebug = false\n\n[patch.crates-io]\n");
    for package in packages {
        let Package { name, version, .. } = package;
        let own = format!("{name}-{version}");
        if folder.join(&own).exists() {
            fs::remove_dir_all(folder.join(&own)).map_err(|error| format!("{own}: {error}"))?;
        }
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(from.join(format!("{own}.crate"))).arg("-C").arg(folder);
        succeed(&mut tar)?;
        for part in [name, " = { path = \"", &own, "\" }\n"] {
            manifest.push_str(part);
        }
    }
    tree::write(&folder.join("Cargo.toml"), &manifest)?;
    // The versions with which the workspace is tested. Cargo removes the ones that the packages do not need.
    tree::write(&folder.join("Cargo.lock"), &tree::read(&tree::root().join("Cargo.lock"))?)
}

/// Returns cargo in the folder of the packages. It has its own target directory, so that its programs do not replace
/// those of the workspace.
fn beside(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.current_dir(folder).env("CARGO_TARGET_DIR", folder.join("target"));
    // The cargo that runs this program has set these for it.
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_") {
            command.env_remove(name);
        }
    }
    command
}
