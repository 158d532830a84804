//! The command itself: where commands come from, and where replies go.

use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use tallis::resp::split_words;
use tallis::{Session, Store};

use super::format::Style;
use crate::args::CliArgs;
use crate::failure::Failure;
use crate::target::check_target;

/// Runs `tallis cli`.
///
/// A command that answers with an error is no failure: the error is its reply, as it is for `redis-cli`.
///
/// # Errors
///
/// A file that cannot be loaded or saved; then nothing was run, or everything was.
pub fn run(args: &CliArgs) -> Result<(), Failure> {
    if let Some(file) = &args.save {
        check_target(file)?;
    }
    let store = Store::builder().profile(args.profile).build();
    if let Some(file) = &args.rdb {
        store.load(file)?;
    }
    let prompt = args.command.is_empty() && io::stdin().is_terminal();
    let lines = args.command.is_empty() && !prompt;
    let style = if args.no_raw || (!lines && io::stdout().is_terminal()) {
        Style::Formatted
    } else {
        Style::Raw
    };
    let mut client = Client::new(&store, style, io::stdout());
    if args.resp3 {
        client.session.execute(&["HELLO", "3"]);
    }
    let ran = if prompt {
        run_prompt(&mut client)
    } else if lines {
        run_lines(&mut client, io::stdin().lock())
    } else {
        let words: Vec<_> = args.command.iter().map(|word| word.as_encoded_bytes()).collect();
        client.execute(&words).and_then(|()| client.send())
    };
    // What the commands did is kept even if their replies could not be written.
    if let Some(file) = &args.save {
        store.save(file)?;
    }
    ran
}

/// A session, and the replies that are yet to be written.
struct Client<W> {
    session: Session,
    style: Style,
    replies: Vec<u8>,
    output: W,
}

/// Whether to go on after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

impl<W: Write> Client<W> {
    fn new(store: &Store, style: Style, output: W) -> Self {
        Self { session: store.session(), style, replies: Vec::new(), output }
    }

    fn execute<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Result<(), Failure> {
        const ENOUGH: usize = 64 << 10;
        let reply = self.session.execute(words);
        let profile = self.session.profile();
        // The one command whose text is for people: shown as it is, whatever came of it.
        let as_it_is =
            words.first().is_some_and(|name| name.as_ref().eq_ignore_ascii_case(b"info"));
        if as_it_is {
            Style::Raw.write_reply(&reply, profile, &mut self.replies);
        } else {
            self.style.write(&reply, profile, &mut self.replies);
        }
        if self.replies.len() < ENOUGH { Ok(()) } else { self.send() }
    }

    /// Runs a line: a command, or one of the few words that `redis-cli` keeps for itself.
    fn line(&mut self, line: &[u8]) -> Result<Next, Failure> {
        let Ok(words) = split_words(line) else {
            self.replies.extend_from_slice(b"Invalid argument(s)\n");
            return Ok(Next::GoOn);
        };
        let Some((first, rest)) = words.split_first() else { return Ok(Next::GoOn) };
        if first.eq_ignore_ascii_case(b"quit") || first.eq_ignore_ascii_case(b"exit") {
            return Ok(Next::Leave);
        }
        if first.eq_ignore_ascii_case(b"clear") && rest.is_empty() {
            self.replies.extend_from_slice(b"\x1b[H\x1b[2J");
            return Ok(Next::GoOn);
        }
        if rest.is_empty() || !is_count(first) {
            self.execute(&words)?;
        } else if let Some(times) = parse_count(first) {
            (0..times).try_for_each(|_| self.execute(rest))?;
        } else {
            self.replies.extend_from_slice(b"Invalid redis-cli repeat command option value.\n");
        }
        Ok(Next::GoOn)
    }

    fn send(&mut self) -> Result<(), Failure> {
        let sent = self.output.write_all(&self.replies).and_then(|()| self.output.flush());
        self.replies.clear();
        sent.map_err(|error| Failure::output(&error))
    }
}

/// Whether a word before a command says how often to run it. As in C, the empty word is the number 0.
fn is_count(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"+").or(word.strip_prefix(b"-")).unwrap_or(word);
    digits.is_empty() == word.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// How often; `None` for less than once, and for more than a number can hold.
fn parse_count(word: &[u8]) -> Option<u64> {
    let number: i64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    u64::try_from(number).ok().filter(|&times| times > 0)
}

/// Runs every line of the input.
fn run_lines(client: &mut Client<impl Write>, input: impl Read) -> Result<(), Failure> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        let ended = read.map_err(|error| Failure::input(&error))? == 0;
        let next = if ended { Next::Leave } else { client.line(&line)? };
        // A client that waits for a reply before the next command must get it.
        if next == Next::Leave || input.buffer().is_empty() {
            client.send()?;
        }
        if next == Next::Leave {
            return Ok(());
        }
    }
}

/// Runs what is typed at a prompt.
fn run_prompt(client: &mut Client<impl Write>) -> Result<(), Failure> {
    let mut editor = DefaultEditor::new().map_err(editor_error)?;
    loop {
        let prompt = match client.session.db_number() {
            0 => "tallis> ".to_owned(),
            db => format!("tallis[{db}]> "),
        };
        let line = match editor.readline(&prompt) {
            Ok(line) => line,
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => return Ok(()),
            Err(error) => return Err(editor_error(error)),
        };
        if !line.trim().is_empty() {
            editor.add_history_entry(&line).map_err(editor_error)?;
        }
        let next = client.line(line.as_bytes())?;
        client.send()?;
        if next == Next::Leave {
            return Ok(());
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the form that map_err takes")]
fn editor_error(error: ReadlineError) -> Failure {
    Failure::Trouble(format!("cannot read the terminal: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(style: Style, input: &[u8]) -> String {
        let mut output = Vec::new();
        let mut client = Client::new(&Store::new(), style, &mut output);
        run_lines(&mut client, input).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_line_that_cannot_be_split_is_reported_and_skipped() {
        let input = b"set a 1\nget \"a\n\n  \nget a\nnosuch x\nget a";
        let unknown = "ERR unknown command 'nosuch', with args beginning with: 'x' ";
        assert_eq!(
            shown(Style::Raw, input),
            format!("OK\nInvalid argument(s)\n1\n{unknown}\n\n1\n")
        );
        assert_eq!(
            shown(Style::Formatted, input),
            format!("OK\nInvalid argument(s)\n\"1\"\n(error) {unknown}\n\"1\"\n")
        );
    }

    #[test]
    fn quit_and_exit_leave() {
        for word in ["quit", "EXIT", "quit now"] {
            assert_eq!(shown(Style::Raw, format!("echo a\n{word}\necho b\n").as_bytes()), "a\n");
        }
    }

    #[test]
    fn a_number_before_a_command_repeats_it() {
        assert_eq!(shown(Style::Raw, b"3 incr n\n+1 incr n\n"), "1\n2\n3\n4\n");
        for bad in ["0", "-1", "99999999999999999999", "\"\""] {
            assert_eq!(
                shown(Style::Raw, format!("{bad} incr n\n").as_bytes()),
                "Invalid redis-cli repeat command option value.\n",
                "{bad}"
            );
        }
        for command in ["2", "2x incr n", "+ incr n"] {
            assert!(shown(Style::Raw, command.as_bytes()).starts_with("ERR unknown command"));
        }
    }

    #[test]
    fn what_is_selected_stays() {
        let input = b"select 1\nset k v\nselect 0\nget k\nselect 1\nget k\n";
        assert_eq!(shown(Style::Formatted, input), "OK\nOK\nOK\n(nil)\nOK\n\"v\"\n");
    }
}
