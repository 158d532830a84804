//! `cargo xtask fuzz-live`: random commands here and on a live server, for a given time.
//!
//! The comparison is a test of `tallis` that is ignored in ordinary runs; this task builds it, sets its options, and
//! prints its output. A release build runs ten times as many commands, but takes minutes to build, which is worth it
//! for a run of an hour.

use clap::Args;
use clap::builder::PossibleValuesParser;
use testkit::servers::INSTALLED;

use crate::run::{Outcome, cargo, step, succeed_watched};
use crate::servers;

/// The arguments of `cargo xtask fuzz-live`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Minutes in total. A seed that has started is finished.
    #[arg(long, default_value_t = 10)]
    minutes: u32,
    /// The first seed; the following seeds are consecutive. A failure prints its seed.
    #[arg(long, default_value_t = 1_000)]
    seed: u64,
    /// Number of commands per seed.
    #[arg(long, default_value_t = 20_000)]
    commands: u32,
    /// Comma-separated families of commands, or `all`.
    #[arg(long, default_value = ALL)]
    families: String,
    /// The server to compare with; the store uses its profile.
    #[arg(long, default_value = INSTALLED, value_parser = PossibleValuesParser::new(servers::names()))]
    server: String,
    /// Builds with optimisation.
    #[arg(long)]
    release: bool,
}

/// The word for all families.
const ALL: &str = "all";

/// The test, as an argument of `cargo test`.
const TEST: [&str; 11] = [
    "--package",
    "tallis",
    "--features",
    "redis",
    "--test",
    "live",
    "differential::fuzz_live",
    "--",
    "--exact",
    "--ignored",
    "--nocapture",
];

/// Runs seeds until the time is over or the two sides differ.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { minutes, seed, commands, families, server, release } = arguments;
    step("Set-up", || {
        servers::set_up_one(server);
        Ok(())
    })?;
    step(&format!("{minutes} min against {server}, from seed {seed}"), || {
        let mut command = cargo(["test", "--locked"]);
        if *release {
            command.arg("--release");
        }
        command.args(TEST);
        command.env("TALLIS_FUZZ_MINUTES", minutes.to_string());
        command.env("TALLIS_FUZZ_SEED", seed.to_string());
        command.env("TALLIS_FUZZ_COMMANDS", commands.to_string());
        if families != ALL {
            command.env("TALLIS_FUZZ_FAMILIES", families);
        }
        // Without a name, the server of TALLIS_REDIS_SERVER is used, which may be any.
        if server != INSTALLED {
            command.env("TALLIS_FUZZ_SERVER", server);
        }
        let mut seeds = 0;
        let success = succeed_watched(&mut command, |line| {
            seeds += usize::from(line.contains(": no difference; "));
        })?;
        match (success, seeds) {
            (true, 0) => Err("no seed was run; check that the server is installed".to_owned()),
            (true, _) => Ok(()),
            (false, _) => Err(again(arguments, seeds)),
        }
    })
    .inspect_err(|why| println!("{why}"))
}

/// Returns the command that reproduces the failure: seeds are tried one by one.
fn again(arguments: &Arguments, clean: usize) -> String {
    let Arguments { seed, commands, families, server, .. } = arguments;
    let seed = seed.saturating_add(clean as u64);
    let options = [("families", families, ALL), ("server", server, INSTALLED)];
    let options = options.into_iter().filter(|(_, value, default)| value != default);
    let options: String =
        options.map(|(name, value, _)| [" --", name, " ", value].concat()).collect();
    format!(
        "To reproduce: cargo xtask fuzz-live --minutes 0 --seed {seed} --commands {commands}{options}"
    )
}

#[cfg(test)]
mod tests {
    use super::{ALL, Arguments, INSTALLED, TEST, again};
    use crate::metadata::Metadata;
    use crate::{commands, tree};

    #[test]
    fn the_test_exists() {
        let file = tree::root().join("crates/tallis/tests/live/differential.rs");
        let text = tree::read(&file).expect("the file of the test");
        let name = TEST[6].rsplit("::").next().expect("a name");
        assert!(text.contains(&format!("fn {name}()")), "{name}");
        let metadata = Metadata::read().expect("the workspace has metadata");
        assert_eq!(commands::check(&metadata, &TEST), Ok(()));
        for what in ["MINUTES", "SEED", "COMMANDS", "FAMILIES", "SERVER"] {
            assert!(text.contains(&format!("\"TALLIS_FUZZ_{what}\"")), "{what}");
        }
    }

    #[test]
    fn the_failed_seed_is_named() {
        let of = |families: &str, server: &str| Arguments {
            minutes: 1,
            seed: 1_000,
            commands: 500,
            families: families.to_owned(),
            server: server.to_owned(),
            release: false,
        };
        let seed = "--minutes 0 --seed 1003 --commands 500";
        assert!(again(&of(ALL, INSTALLED), 3).ends_with(seed));
        let named = again(&of("a,b", "redis-8.2.3"), 3);
        assert!(named.ends_with(&format!("{seed} --families a,b --server redis-8.2.3")));
    }
}
