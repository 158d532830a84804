//! The published algorithms of Redis's own C code, plain and without optimisations, written for this comparison. Their
//! times represent those of Redis, measured in the same run.

#[expect(
    missing_docs,
    missing_debug_implementations,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::must_use_candidate,
    clippy::new_without_default,
    clippy::precedence,
    clippy::unwrap_used,
    reason = "the published algorithm, without changes"
)]
pub mod hll;
pub mod intset;
