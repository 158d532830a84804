//! Receivers of the effects of commands.

use std::fmt;

use bytes::Bytes;
use smallvec::SmallVec;

/// The effects of a command or transaction: one for most commands.
pub(super) type Effects = SmallVec<[Effect; 1]>;

/// A change that a command made, as a command that makes the same change again.
///
/// Effects are deterministic: random choices are replaced by their results, and times are absolute. Executing the
/// effects of a store in order on an empty store gives the same values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effect {
    /// The number of the database.
    pub db: u32,
    /// The command and its arguments, as for [`Store::execute`](crate::Store::execute).
    pub args: Vec<Bytes>,
}

/// Formats the command as one line: the words separated by spaces, each as [`escape_ascii`](slice::escape_ascii)
/// formats it.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.args.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            word.escape_ascii().fmt(f)?;
        }
        Ok(())
    }
}

/// Receives every change, for example to write a log, keep a replica, or count.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use std::sync::{Arc, Mutex};
/// use tallis::{Effect, Sink, Store};
///
/// #[derive(Debug, Default)]
/// struct Journal(Mutex<Vec<Effect>>);
///
/// impl Sink for Journal {
///     fn commit(&self, effects: &[Effect]) {
///         self.0.lock().unwrap().extend_from_slice(effects);
///     }
/// }
///
/// let journal = Arc::new(Journal::default());
/// let store = Store::builder().sink(journal.clone()).build();
/// store.incr("visits", 1)?;
/// store.get("visits")?;
/// let effects = journal.0.lock().unwrap();
/// assert_eq!(effects.len(), 1);
/// assert_eq!(effects[0].args, ["INCRBY", "visits", "1"]);
/// assert_eq!(effects[0].to_string(), "INCRBY visits 1");
/// # Ok::<(), tallis::Error>(())
/// ```
pub trait Sink: Send + Sync + fmt::Debug {
    /// Receives the effects of one command or transaction. The slice is never empty.
    ///
    /// The locks of the affected keys are still held, so the calls for a key come in the order of its changes. For the
    /// same reason an implementation must be fast and must not use the store.
    fn commit(&self, effects: &[Effect]);
}
