//! The mode of the terminal, which a line editor changes while it waits.

/// The saved mode, restored if the process ends in the middle of a line.
#[cfg(unix)]
pub(super) struct Mode(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl Mode {
    /// Returns the current mode of standard input.
    pub(super) fn now() -> Self {
        Self(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    pub(super) fn restore(&self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(mode) = &self.0 {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, mode);
        }
    }
}

/// On other systems it is restored automatically.
#[cfg(not(unix))]
pub(super) struct Mode;

#[cfg(not(unix))]
impl Mode {
    pub(super) const fn now() -> Self {
        Self
    }

    pub(super) const fn restore(&self) {}
}
