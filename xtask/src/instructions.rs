//! `cargo xtask instructions`: the number of instructions for an item of a batched call, by the size of the batch.

use std::process::Command;

use crate::run::{Outcome, cargo, output_of, step, succeed};
use crate::tree;

/// The numbers of items in a call.
const SIZES: [u64; 4] = [1, 10, 100, 1000];

/// The minimum number of items of a count: the cost of a call is the difference to a run with twice as many calls.
const ITEMS: u64 = 4000;

/// Counts with callgrind, and prints a table.
pub(crate) fn run() -> Outcome {
    let build = ["build", "--profile=dist", "--quiet", "--locked", "--package", "tallis-benches"];
    let mut build = cargo(build);
    step("Build", || succeed(build.args(["--bin", "calls"])))?;
    let program = tree::root().join("target/dist/calls");
    let names = output_of(&mut Command::new(&program))?;
    println!("\n| call | {} |", SIZES.map(|size| format!("of {size}")).join(" | "));
    println!("|---|---|---|---|---|");
    for name in names.lines() {
        let count = |items: u64, rounds: u64| -> Outcome<u64> {
            let mut command = Command::new("valgrind");
            command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
            command.arg(&program).args([name, &items.to_string(), &rounds.to_string()]);
            let output = command.output().map_err(|error| {
                format!("cannot run valgrind ({error}); install it with: apt-get install valgrind")
            })?;
            counted(&String::from_utf8_lossy(&output.stderr))
                .ok_or_else(|| format!("{name}: valgrind printed no instruction count"))
        };
        let item = |items: u64| -> Outcome<String> {
            let rounds = ITEMS.div_ceil(items);
            let (once, twice) = (count(items, rounds)?, count(items, 2 * rounds)?);
            Ok((twice.saturating_sub(once) / (rounds * items)).to_string())
        };
        let row: Vec<String> = SIZES.into_iter().map(item).collect::<Outcome<_>>()?;
        println!("| {name} | {} |", row.join(" | "));
    }
    Ok(())
}

/// Returns the number of instructions in a report of callgrind.
fn counted(report: &str) -> Option<u64> {
    let (_, count) = report.lines().find(|line| line.contains("Collected : "))?.rsplit_once(' ')?;
    count.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn the_count_is_read_from_the_report() {
        let report = "==7== Events    : Ir\n==7== Collected : 123456\n==7== \n";
        assert_eq!(counted(report), Some(123_456));
        assert_eq!(counted("==7== Events    : Ir\n"), None);
    }
}
