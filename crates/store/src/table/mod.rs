//! The table of the keyspace: the buckets of keys and values in an [`Extendible`](extendible::Extendible) index.

pub(crate) mod keys;
mod metadata;

#[cfg(test)]
mod tests;
