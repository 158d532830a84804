//! One source, two forms: blocking and asynchronous functions.
//!
//! The recipes ask a backend several times, one after the other. What they ask is the same whether the caller waits for the
//! replies in a thread or in a future, so it is written once.

mod asynchronous;
mod blocking;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Error, Item, Result, parse_macro_input};

/// Makes of `async` functions a blocking form of the same name, and an asynchronous one whose name ends with `_async`, as
/// the methods of the `redis` crate do. It stands on a function or on an `impl`.
///
/// In the blocking form `async` and `.await` are left out, and `AsyncFn` is `Fn`. In the asynchronous one
///
/// * functions and methods that are awaited have the names of their own asynchronous forms: `x.call(y).await` is
///   `x.call_async(y).await`. A closure that is awaited is called in parentheses, `(each)(x).await`, and keeps its name;
/// * the traits `Backend` and `Transport` are `AsyncBackend` and `AsyncTransport`;
/// * an `impl` has no functions but these, and their documentation is a reference to the blocking form;
/// * `#[blocking_and_async(feature = "async")]` makes it if the crate has that feature.
///
/// The inside of a macro's call, such as `vec![]`, is left as it is.
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

/// Both forms, the asynchronous one under a condition if there is any.
fn both(condition: &Tokens, item: Item) -> Result<Tokens> {
    let asynchronous = asynchronous::form(item.clone())?;
    let blocking = blocking::form(item);
    let condition = (!condition.is_empty()).then(|| quote!(#[cfg(#condition)]));
    Ok(quote!(#blocking #condition #asynchronous))
}
