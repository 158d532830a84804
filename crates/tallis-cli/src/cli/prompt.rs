//! The prompt: a line editor with completions and hints.

use std::borrow::Cow;
use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};

use super::complete::complete;
use super::docs::Docs;
use super::hint::hint;
use super::run::{Client, Next};
use crate::color::has_color;
use crate::failure::Failure;
use crate::progress::note;

/// The number of lines in the history.
const HISTORY_LINES: usize = 1000;

/// Runs the commands that are typed at a prompt.
pub(super) fn run_prompt(client: &mut Client<impl Write>) -> Result<(), Failure> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .color_mode(if has_color() { ColorMode::Enabled } else { ColorMode::Disabled })
        .history_ignore_space(true)
        .max_history_size(HISTORY_LINES)
        .map_err(editor_error)?
        .build();
    let mut editor: Editor<Typist, FileHistory> =
        Editor::with_config(config).map_err(editor_error)?;
    editor.set_helper(Some(Typist { docs: client.docs() }));
    let history = history_file();
    if let Some(file) = history.as_ref().filter(|file| file.exists())
        && let Err(error) = editor.load_history(file)
    {
        note(format_args!("{}: cannot read the history: {error}", file.display()));
    }
    loop {
        let line = match editor.readline(&client.prompt()) {
            Ok(line) => line,
            // An interrupt discards the line.
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(editor_error(error)),
        };
        if !line.trim().is_empty() {
            let added = editor.add_history_entry(&line).map_err(editor_error)?;
            // Saved after each line, because the process may be killed.
            if let Some(file) = history.as_ref().filter(|_| added) {
                let _ = editor.append_history(file);
            }
        }
        let next = client.line(line.as_bytes())?;
        client.send()?;
        if next == Next::Leave {
            return Ok(());
        }
    }
}

/// Returns the file of the history: `TALLIS_HISTFILE`, or `.tallis_history` in the home folder. With `/dev/null` or an
/// empty name there is none.
fn history_file() -> Option<PathBuf> {
    let file = match env::var_os("TALLIS_HISTFILE") {
        Some(file) => PathBuf::from(file),
        None => {
            env::home_dir().filter(|home| !home.as_os_str().is_empty())?.join(".tallis_history")
        }
    };
    let is_none = file.as_os_str().is_empty() || file.as_os_str() == "/dev/null";
    (!is_none).then_some(file)
}

#[expect(clippy::needless_pass_by_value, reason = "the form that map_err takes")]
fn editor_error(error: ReadlineError) -> Failure {
    Failure::Trouble(format!("cannot read the terminal: {error}"))
}

/// The helper of the line editor, with completions and hints.
struct Typist {
    docs: Rc<Docs>,
}

/// The missing arguments. They are placeholders, so no key inserts them.
struct ArgumentHint(String);

impl Hint for ArgumentHint {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Typist {
    type Hint = ArgumentHint;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<ArgumentHint> {
        if pos < line.len() { None } else { hint(&self.docs, line).map(ArgumentHint) }
    }
}

impl Completer for Typist {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, found) = complete(&self.docs, line.get(..pos).unwrap_or(line));
        let pair = |name: String| Pair { replacement: format!("{name} "), display: name };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

impl Highlighter for Typist {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        format!("\x1b[90m{hint}\x1b[0m").into()
    }
}

impl Validator for Typist {}

impl Helper for Typist {}
