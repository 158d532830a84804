//! The Lua of all recipes.

use store::Script;

use crate::{dedup, locations, rates, visitors};

/// The scripts of all recipes: what a [procedure](crate::Procedure) is on a server where one command is not enough.
///
/// A server learns them as they are used. A store is told of them, and then does what they do:
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{Store, scripts};
///
/// let store = Store::new();
/// store.add_scripts(scripts());
/// for script in scripts() {
///     let known = store.execute(&["SCRIPT", "EXISTS", script.digest()]);
///     assert_eq!(known.convert::<Vec<bool>>()?, [true]);
/// }
/// # Ok::<(), tallis::Error>(())
/// ```
pub fn scripts() -> impl Iterator<Item = &'static Script> {
    let all = [
        &dedup::SCRIPTS[..],
        &locations::SCRIPTS,
        &rates::SCRIPTS,
        &visitors::SCRIPTS,
        #[cfg(feature = "calendar")]
        &crate::cohorts::SCRIPTS,
        #[cfg(feature = "calendar")]
        &crate::windows::SCRIPTS,
    ];
    all.into_iter().flatten().copied()
}
