//! The command lines of `tallis completions` and `tallis man`.

use std::path::PathBuf;

use clap_complete::Shell;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  tallis completions bash > ~/.local/share/bash-completion/completions/tallis
  tallis completions zsh > ~/.zfunc/_tallis
  tallis completions fish > ~/.config/fish/completions/tallis.fish";

/// `tallis completions`.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  tallis man | man -l -
  tallis man --dir ~/.local/share/man/man1";

/// `tallis man`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// Write one page for the program and one for each command to this directory instead: tallis.1, tallis-uv.1 and so
    /// on
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}
