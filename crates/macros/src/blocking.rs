//! The blocking form.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprClosure, Ident, Item, Signature};

/// Removes `async` and `.await`.
pub(crate) fn form(mut item: Item) -> Item {
    Blocking.visit_item_mut(&mut item);
    item
}

struct Blocking;

impl VisitMut for Blocking {
    fn visit_signature_mut(&mut self, signature: &mut Signature) {
        signature.asyncness = None;
        visit_mut::visit_signature_mut(self, signature);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        closure.asyncness = None;
        visit_mut::visit_expr_closure_mut(self, closure);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Await(awaited) = expr {
            *expr = (*awaited.base).clone();
            self.visit_expr_mut(expr);
        } else {
            visit_mut::visit_expr_mut(self, expr);
        }
    }

    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        let of_blocking = match ident.to_string().as_str() {
            "AsyncFn" => "Fn",
            "AsyncFnMut" => "FnMut",
            "AsyncFnOnce" => "FnOnce",
            _ => return,
        };
        *ident = Ident::new(of_blocking, ident.span());
    }
}
