#![doc = include_str!("../README.md")]

mod asynchronous;
mod blocking;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Error, Item, Result, parse_macro_input};

/// Generates two forms of `async` functions: a blocking one with the same name, and an asynchronous one whose name ends
/// with `_async`. It is applied to a function or to an `impl` block.
///
/// In the blocking form `async` and `.await` are removed, and `AsyncFn` becomes `Fn`. In the asynchronous form:
///
/// * Functions and methods that are awaited get the names of their asynchronous forms: `x.call(y).await` becomes
///   `x.call_async(y).await`. To await a closure, call it in parentheses, `(each)(x).await`: it keeps its name.
/// * The traits `Backend` and `Transport` become `AsyncBackend` and `AsyncTransport`.
/// * An `impl` block has only the `async` functions, and their documentation is a link to the blocking form.
/// * With `#[blocking_and_async(feature = "async")]` it is generated only if the crate has that feature.
///
/// Arguments of macro calls, such as those of `vec![]`, are not changed.
///
/// # Examples
///
/// ```
/// use macros::blocking_and_async;
///
/// trait Backend {
///     fn ask(&self, question: &str) -> usize;
/// }
///
/// trait AsyncBackend {
///     async fn ask_async(&self, question: &str) -> usize;
/// }
///
/// struct Echo;
///
/// impl Backend for Echo {
///     fn ask(&self, question: &str) -> usize {
///         question.len()
///     }
/// }
///
/// impl AsyncBackend for Echo {
///     async fn ask_async(&self, question: &str) -> usize {
///         question.len()
///     }
/// }
///
/// struct Recipe<B>(B);
///
/// #[blocking_and_async]
/// impl<B: Backend> Recipe<B> {
///     /// Asks twice.
///     async fn twice(&self) -> usize {
///         self.0.ask("one").await + self.0.ask("three").await
///     }
/// }
///
/// assert_eq!(Recipe(Echo).twice(), 8);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # let future = std::pin::pin!(async {
/// assert_eq!(Recipe(Echo).twice_async().await, 8);
/// # });
/// # assert!(future.poll(&mut context).is_ready());
/// ```
#[proc_macro_attribute]
pub fn blocking_and_async(condition: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as Item);
    both(&condition.into(), item).unwrap_or_else(Error::into_compile_error).into()
}

/// Returns both forms, the asynchronous one under the condition, if any.
fn both(condition: &Tokens, item: Item) -> Result<Tokens> {
    let asynchronous = asynchronous::form(item.clone())?;
    let blocking = blocking::form(item);
    let condition = (!condition.is_empty()).then(|| quote!(#[cfg(#condition)]));
    Ok(quote!(#blocking #condition #asynchronous))
}
