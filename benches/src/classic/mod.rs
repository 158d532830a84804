//! The algorithms of Redis's own C as they were published, plain and without shortcuts, written anew: what they take
//! stands for what Redis takes, measured in the same run.

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
    reason = "the published algorithm, as plain as it is"
)]
pub mod hll;
pub mod intset;
