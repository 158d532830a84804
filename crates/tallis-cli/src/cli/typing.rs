//! Hints and completions while a line is typed.

use tallis::Store;

use super::complete::complete;
use super::docs::Docs;
use super::hint::hint;

/// Hints and completions of incomplete lines.
#[derive(Debug)]
pub struct Typing {
    docs: Docs,
}

impl Typing {
    /// Creates them for the commands of a store.
    #[must_use]
    pub fn new(store: &Store) -> Self {
        Self { docs: Docs::of(store) }
    }

    /// Returns the arguments that are still to be typed, as printed after the line.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::cli::Typing;
    ///
    /// let typing = Typing::new(&tallis::Store::new());
    /// assert_eq!(typing.hint("get ").as_deref(), Some("key"));
    /// assert_eq!(typing.complete("pfc"), (0, vec!["pfcount".to_owned()]));
    /// ```
    #[must_use]
    pub fn hint(&self, line: &str) -> Option<String> {
        hint(&self.docs, line)
    }

    /// Returns where the word before the cursor begins, as an offset in bytes, and its completions.
    #[must_use]
    pub fn complete(&self, before: &str) -> (usize, Vec<String>) {
        complete(&self.docs, before)
    }
}
