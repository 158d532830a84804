//! A bar on a terminal, while the programs of tests run.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How many programs have ended, how many tests have passed, and what runs now. Where the output is no terminal, nothing
/// is drawn.
#[derive(Debug)]
pub(crate) struct Bar {
    drawn: ProgressBar,
    running: Mutex<Vec<String>>,
    passed: AtomicUsize,
}

/// How the bar looks.
const TEMPLATE: &str = "{elapsed_precise} [{bar:30}] {pos}/{len} programs, {wide_msg}";

impl Bar {
    /// A bar for that many programs.
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

    /// Whether nothing is drawn.
    pub(crate) fn is_hidden(&self) -> bool {
        self.drawn.is_hidden()
    }

    /// A program has been started.
    pub(crate) fn start(&self, name: &str) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
        self.show();
    }

    /// A test has passed.
    pub(crate) fn passed(&self) {
        self.passed.fetch_add(1, Ordering::Relaxed);
        self.show();
    }

    /// A program has ended; `print` writes what is to be said of it, beside the bar. It may not ask the bar for anything:
    /// that waits for it.
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

    /// Takes the bar away.
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
    fn programs_that_run_are_known_until_they_end() {
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
