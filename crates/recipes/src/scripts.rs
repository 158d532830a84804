//! The Lua scripts of all recipes.

use store::Script;

use crate::{dedup, locations, rates, visitors};

/// Returns the scripts of all recipes, which are the [procedures](crate::Procedure) on a server for which one command
/// is not enough.
///
/// A server loads them when they are first used. A store can be given them, and then runs the equivalent functions:
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
