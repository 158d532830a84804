//! `cargo xtask faults`: runs the tests in builds that reveal faults which the usual build does not.

use clap::{Args, ValueEnum};

use crate::count::Count;
use crate::features::FEATURES;
use crate::programs;
use crate::run::{Outcome, host, step};
use crate::test::{CHOSEN, PROGRAMS};

/// The arguments of `cargo xtask faults`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The builds to test; all builds by default.
    build: Vec<Build>,
    /// Seconds for which each test explores thread schedules.
    #[arg(long, value_name = "SECONDS", default_value_t = SECONDS)]
    seconds: u64,
}

/// The default number of seconds for which each test tries schedules.
const SECONDS: u64 = 10;

/// A build of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Build {
    /// All tests with checked arithmetic and without debug assertions, as in a release.
    Overflow,
    /// The tests of the crates with `unsafe` code, each kernel that this machine can run, with the address sanitizer.
    Address,
    /// The store and the recipes under thread schedules that are chosen at each lock.
    Schedules,
}

/// The packages with `unsafe` code in their libraries.
const UNSAFE: [&str; 4] = ["tallis-bitpack", "tallis-bloom", "tallis-hll", "tallis-testkit"];

/// Runs the tests in all builds.
pub(crate) fn run_all() -> Outcome {
    run(&Arguments { build: Vec::new(), seconds: SECONDS })
}

/// Runs the tests in each build.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let builds =
        if arguments.build.is_empty() { Build::value_variants() } else { &arguments.build };
    let mut total = Count::default();
    for &build in builds {
        // A failure appears in the count; the other builds still run.
        let _ = step(build.title(), || build.test(arguments.seconds, &mut total))
            .inspect_err(|why| println!("{why}"));
    }
    println!();
    total.conclude()
}

impl Build {
    const fn title(self) -> &'static str {
        match self {
            Self::Overflow => "Checked arithmetic without debug assertions",
            Self::Address => "Address sanitizer",
            Self::Schedules => "Schedules",
        }
    }

    /// Returns the arguments of `cargo test`.
    fn arguments(self) -> Outcome<Vec<String>> {
        let words = |words: &[&[&str]]| words.concat().into_iter().map(str::to_owned).collect();
        Ok(match self {
            Self::Overflow => words(&[&CHOSEN, &FEATURES, &PROGRAMS, &["--profile", "overflow"]]),
            Self::Address => {
                let packages = UNSAFE.map(|package| ["--package", package]).concat();
                // With an explicit target, build scripts and procedural macros run without the sanitizer.
                let rest = ["--locked", "--lib", "--test", "suite", "--target", &host()?];
                words(&[&packages, &rest])
            }
            Self::Schedules => {
                let tests = ["--package", "tallis", "--locked", "--test", "schedules"];
                words(&[&tests, &FEATURES])
            }
        })
    }

    /// Returns the flags for the compiler.
    const fn flags(self) -> &'static str {
        match self {
            Self::Overflow => "",
            Self::Address => "-Zsanitizer=address",
            Self::Schedules => "--cfg=shuttle",
        }
    }

    fn test(self, seconds: u64, total: &mut Count) -> Outcome {
        let result = self.count(seconds);
        total.add(*result.as_ref().unwrap_or(&Count::FAILURE));
        if result?.failed == 0 { Ok(()) } else { Err(String::new()) }
    }

    fn count(self, seconds: u64) -> Outcome<Count> {
        let arguments = self.arguments()?;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let programs = programs::build(&arguments, self.flags())?;
        let seconds = seconds.to_string();
        // An allocation that is too large returns null, as without the sanitizer.
        let asan = ("ASAN_OPTIONS", "allocator_may_return_null=1");
        let variables = [("TALLIS_SCHEDULES", &*seconds), asan];
        let mut count = Count::default();
        for timing in programs::run(&programs, &[], &variables)? {
            count.add(timing.count);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::UNSAFE;
    use crate::tree;

    #[test]
    fn the_packages_with_unsafe_code_are_those_whose_sources_allow_it() {
        let root = tree::root().join("crates");
        let mut found = BTreeSet::new();
        for file in tree::files(&root, "rs").unwrap() {
            let inner = file.strip_prefix(&root).unwrap().to_path_buf();
            let mut folders = inner.iter().map(|part| part.to_string_lossy().into_owned());
            let (package, part) = (folders.next().unwrap(), folders.next().unwrap());
            if part == "src" && tree::read(&file).unwrap().contains("#![expect(unsafe_code") {
                found.insert(format!("tallis-{package}"));
            }
        }
        assert!(found.iter().eq(UNSAFE), "{found:?}");
    }
}
