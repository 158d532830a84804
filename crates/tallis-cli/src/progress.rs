//! Progress bars, and notes on standard error.

use std::fmt::Arguments;
use std::io::{IsTerminal, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

const ITEMS: &str = "{wide_bar} {human_pos} of {human_len}, {eta} left";

static QUIET: AtomicBool = AtomicBool::new(false);

/// Disables bars and notes.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a note to standard error. Errors are not notes, but a [`Failure`](crate::Failure).
pub(crate) fn note(what: Arguments<'_>) {
    if !is_quiet() {
        eprintln!("tallis: {what}");
    }
}

/// A progress bar on the terminal, or none.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    /// The bytes of the files before this one.
    before: u64,
    /// The bytes of this file.
    here: u64,
    lines: u64,
    /// What the lines are called.
    unit: &'static str,
}

impl Progress {
    /// Creates a bar on standard error if that and the output are terminals. `total` is the number of bytes to read, if
    /// it is known.
    pub(crate) fn new(total: Option<u64>) -> Self {
        Self::of_bytes(total, stdout().is_terminal())
    }

    /// Creates a bar for a command that reads keys, not lines.
    pub(crate) fn of_keys(total: Option<u64>, shown: bool) -> Self {
        let mut progress = Self::of_bytes(total, shown);
        progress.unit = "keys";
        progress
    }

    /// As [`new`](Self::new), for a command that writes while it reads: it has no bar if the output goes to the
    /// terminal too.
    pub(crate) fn beside_output(total: Option<u64>) -> Self {
        Self::of_bytes(total, !stdout().is_terminal())
    }

    fn of_bytes(total: Option<u64>, shown: bool) -> Self {
        Self::shown(shown, || match total {
            Some(total) => ProgressBar::new(total)
                .with_style(style("{wide_bar} {bytes} of {total_bytes}, {msg}")),
            None => ProgressBar::new_spinner().with_style(style("{spinner} {bytes}, {msg}")),
        })
    }

    /// Creates a bar for work without input: `total` items are to be done.
    pub(crate) fn of_items(total: u64) -> Self {
        Self::shown(stdout().is_terminal(), || ProgressBar::new(total).with_style(style(ITEMS)))
    }

    fn shown(shown: bool, bar: impl FnOnce() -> ProgressBar) -> Self {
        let shown = shown && !is_quiet() && stderr().is_terminal();
        let bar = if shown { bar() } else { ProgressBar::hidden() };
        Self { bar, before: 0, here: 0, lines: 0, unit: "lines" }
    }

    /// Advances the bar by this number of items.
    pub(crate) fn items(&self, done: u64) {
        self.bar.inc(done);
    }

    /// Advances the bar by a line; `read` bytes of this file were read so far.
    #[inline]
    pub(crate) fn line(&mut self, read: u64) {
        self.lines += 1;
        // Bytes are read in chunks, so this is rare.
        if read != self.here {
            self.here = read;
            self.show();
        }
    }

    /// Sets the total number of lines, and the bytes read of this file.
    pub(crate) fn lines(&mut self, lines: u64, read: u64) {
        self.lines = lines;
        self.here = read;
        self.show();
    }

    /// Marks the end of the file.
    pub(crate) fn next_file(&mut self) {
        self.before += self.here;
        self.here = 0;
    }

    /// Prints a note to standard error, above the bar.
    pub(crate) fn note(&self, what: Arguments<'_>) {
        self.bar.suspend(|| note(what));
    }

    #[cold]
    fn show(&self) {
        if !self.bar.is_hidden() {
            self.bar.set_position(self.before + self.here);
            let seconds = self.bar.elapsed().as_secs_f64().max(0.001);
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a rate for people to read"
            )]
            let rate = (self.lines as f64 / seconds) as u64;
            self.bar.set_message(format!("{} {}/s", HumanCount(rate), self.unit));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_valid() {
        for template in
            ["{wide_bar} {bytes} of {total_bytes}, {msg}", "{spinner} {bytes}, {msg}", ITEMS]
        {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
