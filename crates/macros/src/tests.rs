//! What is made of what.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::parse_quote;

use super::both;

/// Compares both forms of an item.
fn check(item: Tokens, wanted: &Tokens) {
    let item = syn::parse2(item).unwrap();
    let made = both(&Tokens::new(), item).unwrap();
    assert_eq!(made.to_string(), wanted.to_string());
}

#[test]
fn a_function() {
    check(
        quote! {
            /// Asks twice.
            #[inline]
            pub(crate) async fn twice<P>(backend: &impl Backend, keys: &[P]) -> Result<u64, Error> {
                let first = backend.call::<P>(&keys[0]).await?;
                Ok(first + other::once(backend, prepare(keys)).await? + not_awaited(first))
            }
        },
        &quote! {
            #[doc = r" Asks twice."]
            #[inline]
            pub(crate) fn twice<P>(backend: &impl Backend, keys: &[P]) -> Result<u64, Error> {
                let first = backend.call::<P>(&keys[0])?;
                Ok(first + other::once(backend, prepare(keys))? + not_awaited(first))
            }
            #[inline]
            pub(crate) async fn twice_async<P>(
                backend: &impl AsyncBackend, keys: &[P]
            ) -> Result<u64, Error> {
                let first = backend.call_async::<P>(&keys[0]).await?;
                Ok(first + other::once_async(backend, prepare(keys)).await? + not_awaited(first))
            }
        },
    );
}

#[test]
fn an_impl_has_the_asynchronous_functions_alone() {
    check(
        quote! {
            /// # Calls
            impl<B: Backend> Recipe<B> {
                /// A number.
                pub fn number(&self) -> u64 { 7 }

                /// Asks.
                ///
                /// # Errors
                ///
                /// Some.
                pub async fn ask(&self) -> Result<u64, Error> { self.look().await }

                /// Looks.
                async fn look(&self) -> Result<u64, Error> { self.0.send(self.number()).await }
            }
        },
        &quote! {
            #[doc = r" # Calls"]
            impl<B: Backend> Recipe<B> {
                #[doc = r" A number."]
                pub fn number(&self) -> u64 { 7 }
                #[doc = r" Asks."]
                #[doc = r""]
                #[doc = r" # Errors"]
                #[doc = r""]
                #[doc = r" Some."]
                pub fn ask(&self) -> Result<u64, Error> { self.look() }
                #[doc = r" Looks."]
                fn look(&self) -> Result<u64, Error> { self.0.send(self.number()) }
            }
            impl<B: AsyncBackend> Recipe<B> {
                #[doc = " The asynchronous form of [`ask`](Self::ask): it does not block the thread."]
                #[doc = ""]
                #[doc = " # Errors"]
                #[doc = ""]
                #[doc = " As [`ask`](Self::ask)."]
                pub async fn ask_async(&self) -> Result<u64, Error> { self.look_async().await }
                async fn look_async(&self) -> Result<u64, Error> {
                    self.0.send_async(self.number()).await
                }
            }
        },
    );
}

#[test]
fn a_closure_keeps_its_name() {
    check(
        quote! {
            async fn each(mut work: impl AsyncFnMut(u64), last: impl AsyncFnOnce()) {
                let more = async |of| of;
                (work)((more)(1).await).await;
                (last)().await
            }
        },
        &quote! {
            fn each(mut work: impl FnMut(u64), last: impl FnOnce()) {
                let more = |of| of;
                (work)((more)(1));
                (last)()
            }
            async fn each_async(mut work: impl AsyncFnMut(u64), last: impl AsyncFnOnce()) {
                let more = async |of| of;
                (work)((more)(1).await).await;
                (last)().await
            }
        },
    );
}

#[test]
fn the_asynchronous_form_can_have_a_condition() {
    let item = parse_quote!(
        async fn none<T: Transport>() {}
    );
    let made = both(&quote!(feature = "async"), item).unwrap();
    let wanted = quote! {
        fn none<T: Transport>() {}
        #[cfg(feature = "async")]
        async fn none_async<T: AsyncTransport>() {}
    };
    assert_eq!(made.to_string(), wanted.to_string());
}

#[test]
fn nothing_is_made_of_a_type() {
    let error = both(
        &Tokens::new(),
        parse_quote!(
            struct One;
        ),
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "not a function and not an impl");
}
