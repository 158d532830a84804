//! The asynchronous form.

use proc_macro2::Span;
use quote::format_ident;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Error, Expr, ExprAwait, Ident, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, Path,
    Result, Visibility, parse_quote, parse_quote_spanned,
};

/// Renames asynchronous functions and calls, and removes everything else.
pub(crate) fn form(mut item: Item) -> Result<Item> {
    if let Item::Fn(function) = &mut item {
        of_function(function);
    } else if let Item::Impl(of_type) = &mut item {
        of_impl(of_type);
    } else {
        return Err(Error::new_spanned(item, "not a function and not an impl"));
    }
    Ok(item)
}

fn of_function(function: &mut ItemFn) {
    Asynchronous.visit_item_fn_mut(function);
    document(&mut function.attrs, &function.vis, &Path::from(function.sig.ident.clone()));
    function.sig.ident = renamed(&function.sig.ident);
}

fn of_impl(of_type: &mut ItemImpl) {
    of_type.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    of_type
        .items
        .retain(|item| matches!(item, ImplItem::Fn(function) if function.sig.asyncness.is_some()));
    Asynchronous.visit_item_impl_mut(of_type);
    for item in &mut of_type.items {
        if let ImplItem::Fn(function) = item {
            of_method(function);
        }
    }
}

fn of_method(function: &mut ImplItemFn) {
    let name = &function.sig.ident;
    document(&mut function.attrs, &function.vis, &parse_quote!(Self::#name));
    function.sig.ident = renamed(name);
}

/// Replaces the documentation by a link to the blocking form.
fn document(attributes: &mut Vec<Attribute>, visibility: &Visibility, blocking: &Path) {
    attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    if matches!(visibility, Visibility::Public(_)) {
        let segments: Vec<_> = blocking.segments.iter().map(|one| one.ident.to_string()).collect();
        let name = segments.last().cloned().unwrap_or_default();
        let link = format!("[`{name}`]({})", segments.join("::"));
        let summary = format!(" The asynchronous form of {link}: it does not block the thread.");
        let errors = format!(" As {link}.");
        let lines = [summary.as_str(), "", " # Errors", "", errors.as_str()];
        // The span of the name, because lints skip code that a macro of another crate has generated.
        let span = blocking.segments.last().map_or_else(Span::call_site, |one| one.ident.span());
        let documented = |line: &str| parse_quote_spanned!(span=> #[doc = #line]);
        attributes.splice(0..0, lines.map(documented));
    }
}

fn renamed(name: &Ident) -> Ident {
    format_ident!("{name}_async")
}

struct Asynchronous;

impl VisitMut for Asynchronous {
    fn visit_expr_await_mut(&mut self, awaited: &mut ExprAwait) {
        visit_mut::visit_expr_await_mut(self, awaited);
        if let Expr::MethodCall(call) = &mut *awaited.base {
            call.method = renamed(&call.method);
        } else if let Expr::Call(call) = &mut *awaited.base
            && let Expr::Path(function) = &mut *call.func
            && let Some(last) = function.path.segments.last_mut()
        {
            last.ident = renamed(&last.ident);
        }
    }

    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if ident == "Backend" || ident == "Transport" {
            *ident = format_ident!("Async{ident}");
        }
    }
}
