//! Measures every section and prints the page on standard output: `report [--quick] [SECTION...]`.
//!
//! `cargo xtask report` runs it and keeps the page.

use std::env;
use std::process::ExitCode;

use tallis_benches::report::{Bench, Effort, Machine, page};
use tallis_benches::sections;
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

fn main() -> ExitCode {
    let (options, names): (Vec<String>, Vec<String>) =
        env::args().skip(1).partition(|argument| argument.starts_with('-'));
    let known = |name: &String| sections::ALL.iter().any(|(known, _)| known == name);
    if options.iter().any(|option| option != "--quick") || !names.iter().all(known) {
        let all: Vec<&str> = sections::ALL.iter().map(|(name, _)| *name).collect();
        eprintln!("report [--quick] [SECTION...]; the sections are: {}", all.join(", "));
        return ExitCode::from(2);
    }
    let effort = if options.is_empty() { Effort::Full } else { Effort::Quick };
    let bench = Bench::new(effort, &ALLOCATOR);
    let mut measured = Vec::new();
    for (name, measure) in sections::ALL {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            eprintln!("measuring: {name}");
            measured.push(measure(&bench));
        }
    }
    let command = match effort {
        Effort::Quick => "cargo xtask report --quick",
        Effort::Full => "cargo xtask report",
    };
    let today = jiff::Zoned::now().date().to_string();
    print!("{}", page(&Machine::here(), command, &today, &measured));
    ExitCode::SUCCESS
}
