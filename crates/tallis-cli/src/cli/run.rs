//! Runs the command: reads commands and prints replies.

use std::cell::OnceCell;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::rc::Rc;

use tallis::resp::split_words;
use tallis::{SaveOptions, Session, Store};

use super::docs::Docs;
use super::format::Style;
use super::help::{TOPICS, help};
use super::prompt::run_prompt;
use super::terminal::Mode;
use crate::args::CliArgs;
use crate::color::has_color;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::input::{is_file_on_standard_input, standard_input};
use crate::interrupt::{interrupted, watch_and};
use crate::snapshot;

/// Runs `tallis cli`.
///
/// An error reply is not a failure of the program, as in `redis-cli`.
///
/// # Errors
///
/// A file that cannot be loaded, before any command was run, or saved, after all were. An interrupt: the changes until
/// then are saved.
pub fn run(args: &CliArgs) -> Result<(), Failure> {
    let options = SaveOptions { version: args.rdb_version, ..SaveOptions::default() };
    let destination = Destination::new(&args.directory, args.save.as_ref())?.options(options);
    let store = destination.open(Store::builder().profile(args.profile))?;
    if let Some(file) = &args.load {
        if args.salvage {
            snapshot::salvage(&store, file)?;
        } else {
            snapshot::load(&store, file)?;
        }
    }
    let prompt = args.command.is_empty() && io::stdin().is_terminal();
    let lines = args.command.is_empty() && !prompt;
    let style = if args.json {
        Style::Json
    } else if args.quoted_json {
        Style::QuotedJson
    } else if args.no_raw || (!lines && io::stdout().is_terminal()) {
        Style::Formatted
    } else {
        Style::Raw
    };
    let mut client = Client::new(&store, style, io::stdout());
    if args.is_resp3() {
        client.session.execute(&["HELLO", "3"]);
    }
    let ran = if prompt {
        save_when_killed(&store, &destination)?;
        run_prompt(&mut client)
    } else if lines {
        destination.watch()?;
        let input = standard_input().map_err(|error| Failure::input(&error))?;
        run_lines(&mut client, input, !is_file_on_standard_input())
    } else {
        let words: Vec<_> = args.command.iter().map(|word| word.as_encoded_bytes()).collect();
        client.one(&words).and_then(|()| client.send())
    };
    // The changes are kept even if the replies could not be written.
    if interrupted() {
        return Err(destination.save_interrupted(&store));
    }
    destination.save(&store)?;
    ran
}

/// Runs each line of `input` on the store, and writes the replies to `output`, as `tallis cli` does in a pipe.
///
/// # Errors
///
/// If the input cannot be read, or the output cannot be written.
///
/// # Examples
///
/// ```
/// use tallis::Store;
/// use tallis_cli::cli::{Style, answer};
///
/// let mut out = Vec::new();
/// answer(&Store::new(), Style::Formatted, &b"set k 'a b'\nget k\n"[..], &mut out)?;
/// assert_eq!(out, b"OK\n\"a b\"\n");
/// # Ok::<(), tallis_cli::Failure>(())
/// ```
pub fn answer(
    store: &Store,
    style: Style,
    input: impl Read,
    output: impl Write,
) -> Result<(), Failure> {
    run_lines(&mut Client::new(store, style, output), input, false)
}

/// Saves at a signal, in a thread of its own, because the prompt blocks in the line editor.
fn save_when_killed(store: &Store, destination: &Destination) -> Result<(), Failure> {
    if destination.is_none() {
        return Ok(());
    }
    let (store, destination, mode) = (store.clone(), destination.clone(), Mode::now());
    watch_and(move || {
        mode.restore();
        destination.save_interrupted(&store)
    })
}

/// A session, and the replies that were not written yet.
pub(super) struct Client<W> {
    store: Store,
    session: Session,
    docs: OnceCell<Rc<Docs>>,
    style: Style,
    replies: Vec<u8>,
    output: W,
}

/// Whether to continue after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    GoOn,
    Leave,
}

impl<W: Write> Client<W> {
    fn new(store: &Store, style: Style, output: W) -> Self {
        let (session, docs) = (store.session(), OnceCell::new());
        Self { store: store.clone(), session, docs, style, replies: Vec::new(), output }
    }

    /// Returns the documentation of the commands.
    pub(super) fn docs(&self) -> Rc<Docs> {
        Rc::clone(self.docs.get_or_init(|| Rc::new(Docs::of(&self.store))))
    }

    /// Returns the prompt: the database, if it is not the first, and whether there is a transaction.
    pub(super) fn prompt(&self) -> String {
        let db = match self.session.db_number() {
            0 => String::new(),
            db => format!("[{db}]"),
        };
        let transaction = if self.session.is_in_transaction() { "(TX)" } else { "" };
        format!("tallis{db}{transaction}> ")
    }

    /// Runs a command, or prints help, which is a command of `redis-cli` itself.
    fn one<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Result<(), Failure> {
        let first = words.first().map(A::as_ref).unwrap_or_default();
        if !TOPICS.iter().any(|topic| first.eq_ignore_ascii_case(topic.as_bytes())) {
            return self.execute(words);
        }
        let topic: Vec<_> = words.iter().skip(1).map(|word| word.as_ref().to_vec()).collect();
        let text = help(&self.docs(), &topic, has_color());
        self.replies.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn execute<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Result<(), Failure> {
        const ENOUGH: usize = 64 << 10;
        let reply = self.session.execute(words);
        let profile = self.session.profile();
        // The reply of this command is a text to read: it is printed raw, also in case of an error.
        let as_it_is =
            words.first().is_some_and(|name| name.as_ref().eq_ignore_ascii_case(b"info"));
        if as_it_is {
            Style::Raw.write_reply(&reply, profile, &mut self.replies);
        } else {
            self.style.write(&reply, profile, &mut self.replies);
        }
        if self.replies.len() < ENOUGH { Ok(()) } else { self.send() }
    }

    /// Runs a line: a command of the store, or one of `redis-cli` itself.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<Next, Failure> {
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
            self.one(&words)?;
        } else if let Some(times) = parse_count(first) {
            (0..times).take_while(|_| !interrupted()).try_for_each(|_| self.one(rest))?;
        } else {
            self.replies.extend_from_slice(b"Invalid redis-cli repeat command option value.\n");
        }
        Ok(Next::GoOn)
    }

    pub(super) fn send(&mut self) -> Result<(), Failure> {
        if self.replies.is_empty() {
            return Ok(());
        }
        let sent = self.output.write_all(&self.replies).and_then(|()| self.output.flush());
        self.replies.clear();
        sent.map_err(|error| Failure::output(&error))
    }
}

/// Returns whether a word before a command is its repeat count. As in C, the empty word is 0.
fn is_count(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"+").or(word.strip_prefix(b"-")).unwrap_or(word);
    digits.is_empty() == word.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Parses a repeat count; `None` for less than 1, and if it overflows.
fn parse_count(word: &[u8]) -> Option<u64> {
    let number: i64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    u64::try_from(number).ok().filter(|&times| times > 0)
}

/// Runs every line of the input, until an interrupt. With `each`, each line is answered before the next one is run: a
/// program that writes to a pipe may wait for the reply, and relies on it.
fn run_lines(client: &mut Client<impl Write>, input: impl Read, each: bool) -> Result<(), Failure> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let ended = match input.read_until(b'\n', &mut line) {
            Ok(read) => read == 0 || interrupted(),
            Err(_) if interrupted() => true,
            Err(error) => return Err(Failure::input(&error)),
        };
        let next = if ended { Next::Leave } else { client.line(&line)? };
        if each || next == Next::Leave || !input.buffer().contains(&b'\n') {
            client.send()?;
        }
        if next == Next::Leave {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(style: Style, input: &[u8]) -> String {
        let mut output = Vec::new();
        let mut client = Client::new(&Store::new(), style, &mut output);
        run_lines(&mut client, input, false).unwrap();
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
    fn each_line_of_a_pipe_is_answered_by_itself() {
        /// Counts writes.
        #[derive(Default)]
        struct Pieces(Vec<Vec<u8>>);

        impl Write for Pieces {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.push(bytes.to_vec());
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        for (each, want) in [(true, &["OK\n", "1\n2\n", "2\n"][..]), (false, &["OK\n1\n2\n2\n"])] {
            let mut pieces = Pieces::default();
            let mut client = Client::new(&Store::new(), Style::Raw, &mut pieces);
            run_lines(&mut client, &b"set a 0\n2 incr a\n\nget a\n"[..], each).unwrap();
            let written: Vec<_> =
                pieces.0.iter().map(|piece| String::from_utf8_lossy(piece)).collect();
            assert_eq!(written, want);
        }
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
    fn the_prompt_shows_database_and_transaction() {
        let mut client = Client::new(&Store::new(), Style::Raw, Vec::new());
        let mut prompt = |line: &[u8]| {
            client.line(line).unwrap();
            client.prompt()
        };
        assert_eq!(prompt(b"get k"), "tallis> ");
        assert_eq!(prompt(b"select 3"), "tallis[3]> ");
        assert_eq!(prompt(b"multi"), "tallis[3](TX)> ");
        assert_eq!(prompt(b"select 0"), "tallis[3](TX)> ");
        assert_eq!(prompt(b"exec"), "tallis> ");
    }

    #[test]
    fn help_is_no_command_of_the_store() {
        let shown = shown(Style::Raw, b"HELP echo\nmulti\n? echo\ndiscard\n");
        let help = "\n  ECHO message\n  summary: Returns its argument.\n  since: 1.0.0\n  group: connection\n\n";
        assert_eq!(shown, format!("{help}OK\n{help}OK\n"));
    }

    #[test]
    fn what_is_selected_stays() {
        let input = b"select 1\nset k v\nselect 0\nget k\nselect 1\nget k\n";
        assert_eq!(shown(Style::Formatted, input), "OK\nOK\nOK\n(nil)\nOK\n\"v\"\n");
    }
}
