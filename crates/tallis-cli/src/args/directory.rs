//! The options of commands that can keep their store in a directory.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tallis::Fsync;

/// Where a store is kept while a command works on it.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct DirectoryArgs {
    /// Keep the store in this directory, in Redis's append-only log, and continue from its contents; the directory is
    /// created if it does not exist
    #[arg(long, value_name = "DIR", conflicts_with = "load")]
    pub dir: Option<PathBuf>,

    /// When to sync the log of --dir: before each change is acknowledged, every second, or when the system does
    #[arg(
        long,
        value_name = "always|everysec|no",
        default_value = "everysec",
        requires = "dir",
        hide_possible_values = true,
        value_parser = policies()
    )]
    pub fsync: Fsync,
}

fn policies() -> impl TypedValueParser<Value = Fsync> {
    let all = [Fsync::Always, Fsync::EverySecond, Fsync::No];
    PossibleValuesParser::new(all.map(Fsync::name))
        .map(|name| Fsync::from_name(&name).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    #[test]
    fn a_log_is_synced_as_the_command_line_says() {
        let parse = |args: &[&str]| {
            let args = Args::try_parse_from([&["tallis", "cli"], args].concat()).ok()?;
            let Command::Cli(args) = args.command else { panic!("not cli") };
            Some((args.directory.dir, args.directory.fsync))
        };
        let dir = Some(PathBuf::from("d"));
        assert_eq!(parse(&[]), Some((None, Fsync::EverySecond)));
        assert_eq!(parse(&["--dir", "d"]), Some((dir.clone(), Fsync::EverySecond)));
        for (name, fsync) in
            [("always", Fsync::Always), ("everysec", Fsync::EverySecond), ("no", Fsync::No)]
        {
            assert_eq!(parse(&["--dir", "d", "--fsync", name]), Some((dir.clone(), fsync)));
            assert_eq!(parse(&["--fsync", name]), None, "without --dir");
        }
        assert_eq!(parse(&["--dir", "d", "--fsync", "sometimes"]), None);
        assert_eq!(parse(&["--dir", "d", "--load", "f"]), None);
    }
}
