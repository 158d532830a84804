//! `cargo xtask report`: runs the benchmarks and writes the page of results, or compares with an earlier run.

use std::ffi::OsString;
use std::path::{self, Path, PathBuf};

use clap::Args;

use crate::run::{Outcome, cargo, output_of, step};
use crate::tree;

/// The arguments of `cargo xtask report`.
#[derive(Debug, Default, Args)]
pub(crate) struct Arguments {
    /// Runs fewer rounds, to check that the report works; the figures are not reliable. Prints the page and does not change docs/benchmarks.md and docs/plots.
    #[arg(long)]
    quick: bool,
    /// Also writes all rows to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Compares with the run that `--json` wrote to this file. Prints the comparison and does not change docs/benchmarks.md.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Compares the run in this file, instead of measuring.
    #[arg(long, value_name = "FILE", requires = "compare", conflicts_with_all = ["json", "quick"])]
    with: Option<PathBuf>,
    /// Runs only these sections. Prints them and does not change docs/benchmarks.md.
    section: Vec<String>,
}

/// The page of results.
const PAGE: &str = "docs/benchmarks.md";

/// The folder of the plots, to which the page links.
const PLOTS: &str = "docs/plots";

impl Arguments {
    /// Returns the arguments with absolute paths, because the program does not run in the caller's folder.
    fn passed_on(&self) -> Outcome<Vec<OsString>> {
        let mut passed: Vec<OsString> = Vec::new();
        passed.extend(self.quick.then(|| "--quick".into()));
        for (name, file) in
            [("--json", &self.json), ("--compare", &self.compare), ("--with", &self.with)]
        {
            if let Some(file) = file {
                passed.extend([name.into(), absolute(file)?.into()]);
            }
        }
        if self.is_page() {
            passed.extend(["--plots".into(), tree::root().join(PLOTS).into()]);
        }
        passed.extend(self.section.iter().map(OsString::from));
        Ok(passed)
    }

    /// Returns whether the output is the page.
    const fn is_page(&self) -> bool {
        !self.quick && self.compare.is_none() && self.section.is_empty()
    }
}

fn absolute(file: &Path) -> Outcome<PathBuf> {
    path::absolute(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Runs the report of the package `tallis-benches`.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut command = cargo(["run", "--profile=dist", "--quiet", "--locked"]);
    command.args(["--package", "tallis-benches", "--bin", "report", "--"]);
    command.args(arguments.passed_on()?);
    let title = if arguments.with.is_some() {
        "Compare"
    } else {
        "Measure (run nothing else at the same time)"
    };
    let text = step(title, || output_of(&mut command))?;
    if !arguments.is_page() {
        print!("{text}");
        return Ok(());
    }
    tree::write(&tree::root().join(PAGE), &text)?;
    println!("wrote {PAGE} and {PLOTS}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::ffi::OsString;

    use clap::{Args, Command, FromArgMatches};

    use super::Arguments;

    fn parsed(words: &[&str]) -> Result<Arguments, String> {
        let command = Arguments::augment_args(Command::new("report").no_binary_name(true));
        let matches = command.try_get_matches_from(words).map_err(|error| error.to_string())?;
        Arguments::from_arg_matches(&matches).map_err(|error| error.to_string())
    }

    #[test]
    fn files_are_relative_to_the_callers_folder() {
        let here = env::current_dir().expect("a folder");
        let arguments = parsed(&["--quick", "--compare", "old.json", "--json", "new.json", "sets"]);
        let arguments = arguments.expect("these go together");
        let expected: Vec<OsString> = vec![
            "--quick".into(),
            "--json".into(),
            here.join("new.json").into(),
            "--compare".into(),
            here.join("old.json").into(),
            "sets".into(),
        ];
        assert_eq!(arguments.passed_on(), Ok(expected));
    }

    #[test]
    fn the_page_has_plots() {
        let passed = parsed(&[]).expect("no arguments").passed_on();
        let plots = crate::tree::root().join("docs/plots");
        assert_eq!(passed, Ok(vec!["--plots".into(), plots.into()]));
    }

    #[test]
    fn only_a_full_run_is_the_page() {
        let is_page = |words: &[&str]| parsed(words).map(|arguments| arguments.is_page());
        assert_eq!(is_page(&[]), Ok(true));
        assert_eq!(is_page(&["--json", "new.json"]), Ok(true));
        for words in [&["--quick"][..], &["sets"], &["--compare", "old.json"]] {
            assert_eq!(is_page(words), Ok(false), "{words:?}");
        }
    }

    #[test]
    fn two_files_are_compared_without_a_run() {
        assert!(parsed(&["--compare", "old.json", "--with", "new.json"]).is_ok());
        assert!(parsed(&["--with", "new.json"]).is_err());
        assert!(parsed(&["--compare", "a", "--with", "b", "--json", "c"]).is_err());
    }
}
