//! `cargo xtask fuzz-live`: random commands here and on a live `redis-server`, for as long as asked.
//!
//! The work is a test of `tallis`, ignored in ordinary runs; this builds it, sets its options, and passes on its
//! output. A release build makes ten times as many commands, but takes minutes to build; a run of an hour is worth it.

use clap::Args;

use crate::run::{Outcome, cargo, step, succeed_watched};
use crate::setup;

/// What `cargo xtask fuzz-live` takes.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Minutes in all. A seed that has begun is finished.
    #[arg(long, default_value_t = 10)]
    minutes: u32,
    /// The first seed; the next ones follow. A failure prints its seed.
    #[arg(long, default_value_t = 1_000)]
    seed: u64,
    /// Commands of each seed.
    #[arg(long, default_value_t = 20_000)]
    commands: u32,
    /// Families of commands, with commas between; without this all.
    #[arg(long)]
    families: Option<String>,
    /// Builds with optimisation.
    #[arg(long)]
    release: bool,
}

/// The test, as an argument of `cargo test`.
const TEST: [&str; 9] = [
    "-p",
    "tallis",
    "--test",
    "live",
    "differential::fuzz_live",
    "--",
    "--exact",
    "--ignored",
    "--nocapture",
];

/// Runs seeds until the time is over or the sides differ.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    step("Set-up", || Ok(setup::redis_server()))?;
    let Arguments { minutes, seed, commands, families, release } = arguments;
    step(&format!("{minutes} min from seed {seed}"), || {
        let mut command = cargo(["test", "--locked"]);
        if *release {
            command.arg("--release");
        }
        command.args(TEST);
        command.env("TALLIS_FUZZ_MINUTES", minutes.to_string());
        command.env("TALLIS_FUZZ_SEED", seed.to_string());
        command.env("TALLIS_FUZZ_COMMANDS", commands.to_string());
        if let Some(families) = families {
            command.env("TALLIS_FUZZ_FAMILIES", families);
        }
        let mut seeds = 0;
        let success = succeed_watched(&mut command, |line| {
            seeds += usize::from(line.contains(": no difference; "));
        })?;
        match (success, seeds) {
            (true, 0) => Err("not one seed was run; is there a redis-server?".to_owned()),
            (true, _) => Ok(()),
            (false, _) => Err(again(*seed, seeds, *commands, families.as_deref())),
        }
    })
    .inspect_err(|why| println!("{why}"))
}

/// What to type to see the failure again: seeds are tried one by one.
fn again(first: u64, clean: usize, commands: u32, families: Option<&str>) -> String {
    let seed = first.saturating_add(clean as u64);
    let families = families.map(|families| format!(" --families {families}")).unwrap_or_default();
    format!(
        "Again: cargo xtask fuzz-live --minutes 0 --seed {seed} --commands {commands}{families}"
    )
}

#[cfg(test)]
mod tests {
    use super::{TEST, again};
    use crate::tree;

    #[test]
    fn the_test_is_there() {
        let file = tree::root().join("crates/tallis/tests/live/differential.rs");
        let text = tree::read(&file).expect("the file of the test");
        let name = TEST[4].rsplit("::").next().expect("a name");
        assert!(text.contains(&format!("fn {name}()")), "{name}");
        for what in ["MINUTES", "SEED", "COMMANDS", "FAMILIES"] {
            assert!(text.contains(&format!("\"TALLIS_FUZZ_{what}\"")), "{what}");
        }
    }

    #[test]
    fn the_seed_that_failed_is_named() {
        let seed = "--minutes 0 --seed 1003 --commands 500";
        assert!(again(1_000, 3, 500, None).ends_with(seed));
        assert!(again(1_000, 3, 500, Some("a,b")).ends_with(&format!("{seed} --families a,b")));
    }
}
