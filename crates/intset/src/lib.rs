//! A set of `i64` kept as one sorted array of the narrowest width that fits.
