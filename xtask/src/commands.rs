//! The cargo commands that sources and pages name: cargo must accept them.
//!
//! A target that needs a feature is refused without it, and no compiler notices that a sentence names such a command.

use crate::metadata::{Metadata, Package};
use crate::run::Outcome;
use crate::tree;

/// Checks the commands in every Rust and Markdown file of the workspace.
pub(crate) fn run() -> Outcome {
    let metadata = Metadata::read()?;
    let root = tree::root();
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in [tree::files(root, "rs")?, tree::files(root, "md")?].concat() {
        let text = tree::read(&file)?;
        let shown = file.strip_prefix(root).unwrap_or(&file).display();
        for (at, command) in text
            .lines()
            .enumerate()
            .flat_map(|(at, line)| commands(line).into_iter().map(move |command| (at + 1, command)))
        {
            count += 1;
            if let Err(why) = check(&metadata, &command) {
                wrong.push(format!("{shown}:{at}: cargo {}: {why}", command.join(" ")));
            }
        }
    }
    println!("{count} commands");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Returns the arguments of each cargo command in a line: up to the end of the code, or to the arguments of the program
/// that it runs.
fn commands(line: &str) -> Vec<Vec<&str>> {
    let rest = line.split("cargo ").skip(1);
    let words = rest.map(|rest| {
        let code = rest.split(['`', '"', '#']).next().unwrap_or_default();
        code.split_whitespace().take_while(|word| *word != "--").collect()
    });
    words.filter(|words: &Vec<&str>| !words.is_empty()).collect()
}

/// Returns why cargo would refuse the arguments of a command for one package of the workspace.
pub(crate) fn check(metadata: &Metadata, arguments: &[&str]) -> Result<(), String> {
    // `-p CRATE` and `-p {}` stand for any package.
    let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let Some(name) = values(arguments, &["-p", "--package"]).next().filter(is_name) else {
        return Ok(());
    };
    let package = metadata.own(name).ok_or_else(|| format!("no package {name}"))?;
    let given = values(arguments, &["--features", "-F"]);
    let mut given: Vec<&str> = given.flat_map(|it| it.split(',')).collect();
    if let Some(none) = given.iter().find(|feature| !package.features.contains_key(**feature)) {
        return Err(format!("{name} has no feature {none}"));
    }
    if arguments.contains(&"--all-features") {
        given.extend(package.features.keys().map(String::as_str));
    }
    if !arguments.contains(&"--no-default-features") {
        given.push("default");
    }
    let enabled = enabled(package, given);
    for kind in ["test", "example", "bench", "bin"] {
        let option = format!("--{kind}");
        for target in values(arguments, &[&option]) {
            let found = package.targets.iter().find(|it| it.kind == kind && it.name == target);
            let found = found.ok_or_else(|| format!("{name} has no {kind} {target}"))?;
            if let Some(needed) = found.needs.iter().find(|it| !enabled.contains(&it.as_str())) {
                return Err(format!("{kind} {target} needs the feature {needed}"));
            }
        }
    }
    Ok(())
}

/// Returns the words after options with these names.
fn values<'a>(arguments: &'a [&'a str], names: &'a [&str]) -> impl Iterator<Item = &'a str> {
    arguments.windows(2).filter(|pair| names.contains(&pair[0])).map(|pair| pair[1])
}

/// Returns the features of the package that these features enable, and they.
fn enabled<'f>(package: &'f Package, mut open: Vec<&'f str>) -> Vec<&'f str> {
    let mut enabled = Vec::new();
    while let Some(feature) = open.pop() {
        if !enabled.contains(&feature) {
            enabled.push(feature);
            open.extend(package.features.get(feature).into_iter().flatten().map(String::as_str));
        }
    }
    enabled
}

#[cfg(test)]
mod tests {
    use super::{check, commands};
    use crate::metadata::Metadata;

    #[test]
    fn commands_end_with_their_code() {
        let line = "run `cargo test -p A --test b`, or `X=1 cargo run -p C -- --test d`  # cargo e";
        assert_eq!(
            commands(line),
            [vec!["test", "-p", "A", "--test", "b"], vec!["run", "-p", "C"], vec!["e"]]
        );
        assert_eq!(
            commands("//! cargo bench -p tallis-benches --bench"),
            [["bench", "-p", "tallis-benches", "--bench"]]
        );
        assert!(commands("a cargo").is_empty());
    }

    #[test]
    fn a_command_that_cargo_refuses_is_found() {
        let metadata = Metadata::read().expect("the workspace has metadata");
        let check = |line: &str| check(&metadata, &line.split(' ').collect::<Vec<_>>());
        let refused = |line| check(line).expect_err(line);
        let live = "test --package tallis --test live";
        assert_eq!(refused(live), "test live needs the feature redis");
        assert_eq!(check(&format!("{live} --features wire,redis")), Ok(()));
        assert_eq!(check(&format!("{live} --all-features")), Ok(()));
        let bare = format!("{live} --features redis --no-default-features");
        assert_eq!(refused(&bare), "test live needs the feature calendar");
        assert_eq!(check("test -p tallis-testkit --test live"), Ok(()), "enabled by default");
        assert_eq!(refused("test -p tallis --features cake"), "tallis has no feature cake");
        assert_eq!(refused("run -p tallis --example no_such"), "tallis has no example no_such");
        assert_eq!(refused("test -p tallis-cake"), "no package tallis-cake");
        for line in ["test -p CRATE --test x", "test --test x", "bench -p tallis-benches --bench"] {
            assert_eq!(check(line), Ok(()), "{line}");
        }
    }
}
