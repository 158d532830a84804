//! Panics as errors, without their output.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are being caught.
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// The message and the location of the last panic.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

static HOOK: Once = Once::new();

/// Returns the result of `work`, or the message of its panic with the location, as the standard library formats it.
/// Nothing is printed.
///
/// The panic hook is wrapped once for the process. This also bypasses the hook of libFuzzer, which ends the process. A
/// hook that is set later is called for every panic.
///
/// # Errors
///
/// The message of the panic.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                SAID.set(info.to_string());
            } else {
                before(info);
            }
        }));
    });
    let outer = CATCHING.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    outcome.map_err(|payload| {
        let said = SAID.take();
        if said.is_empty() { text_of(&*payload) } else { said }
    })
}

/// The text for a panic if the hook was replaced.
fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_is_an_error_with_its_location() {
        assert_eq!(caught(|| 7), Ok(7));
        let said = caught(|| assert_eq!(1, 2, "a reason")).unwrap_err();
        assert!(said.contains("caught.rs") && said.contains("a reason"), "{said}");
        let inner = caught(|| caught(|| panic!("inside")).unwrap_err()).unwrap();
        assert!(inner.contains("inside"), "{inner}");
        assert!(caught(|| panic!("again")).is_err());
    }
}
