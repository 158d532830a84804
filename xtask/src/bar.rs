//! A progress bar on a terminal, while the test programs run.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The number of programs that have ended, the number of tests passed, and the running programs. If the output is not a
/// terminal, nothing is drawn.
#[derive(Debug)]
pub(crate) struct Bar {
    drawn: ProgressBar,
    running: Mutex<Vec<String>>,
    passed: AtomicUsize,
}

/// The template of the bar.
const TEMPLATE: &str = "{elapsed_precise} [{bar:30}] {pos}/{len} programs, {wide_msg}";

impl Bar {
    /// Creates a bar for that many programs.
    pub(crate) fn new(programs: usize) -> Self {
        let is_seen = io::stdout().is_terminal() && io::stderr().is_terminal();
        let bar = if is_seen {
            ProgressBar::new(u64::try_from(programs).unwrap_or(u64::MAX))
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("=> "));
        }
        if is_seen {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { drawn: bar, running: Mutex::default(), passed: AtomicUsize::new(0) }
    }

    /// Returns whether nothing is drawn.
    pub(crate) fn is_hidden(&self) -> bool {
        self.drawn.is_hidden()
    }

    /// Records that a program was started.
    pub(crate) fn start(&self, name: &str) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
        self.show();
    }

    /// Records that a test has passed.
    pub(crate) fn passed(&self) {
        self.passed.fetch_add(1, Ordering::Relaxed);
        self.show();
    }

    /// Records that a program has ended; `print` writes its output above the bar. It must not call the bar: that would
    /// wait for `print`.
    pub(crate) fn end(&self, name: &str, print: impl FnOnce()) {
        self.drawn.suspend(print);
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = running.iter().position(|other| other == name) {
            running.remove(at);
        }
        drop(running);
        self.drawn.inc(1);
        self.show();
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.drawn.finish_and_clear();
    }

    fn show(&self) {
        if self.is_hidden() {
            return;
        }
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).join(", ");
        let passed = self.passed.load(Ordering::Relaxed);
        self.drawn.set_message(format!("{passed} tests passed: {running}"));
    }
}

#[cfg(test)]
mod tests {
    use super::Bar;

    #[test]
    fn running_programs_are_listed_until_they_end() {
        let bar = Bar::new(2);
        bar.start("one");
        bar.start("other");
        bar.passed();
        let mut printed = false;
        bar.end("one", || printed = true);
        assert!(printed && bar.drawn.position() == 1);
        assert_eq!(*bar.running.lock().expect("no panic"), ["other"]);
        bar.finish();
    }
}
