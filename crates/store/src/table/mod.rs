//! The keyspace's table: the buckets of keys and values that an [`Extendible`](extendible::Extendible) index is made
//! of.

pub(crate) mod keys;
mod metadata;

#[cfg(test)]
mod tests;
