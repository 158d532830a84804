//! Snapshots of a large Bloom filter.

use bloom::{BloomFilter, Field};

use super::BytesPart;

/// The bits of a filter that are not yet handed over.
#[derive(Debug)]
pub(crate) struct BloomPart {
    /// The fields of the filter at the start; for a bit array, its length in bytes.
    fields: Vec<Field<usize>>,
    /// The bit arrays.
    pub(super) bits: BytesPart,
}

impl BloomPart {
    pub(super) fn new(filter: &BloomFilter) -> Self {
        let mut len = 0;
        let fields = filter.fields().map(|field| match field {
            Field::Unsigned(number) => Field::Unsigned(number),
            Field::Double(number) => Field::Double(number),
            Field::Bytes(bytes) => {
                len += bytes.len();
                Field::Bytes(bytes.len())
            }
        });
        let fields = fields.collect();
        Self { fields, bits: BytesPart::new(len) }
    }

    pub(crate) fn fields(&self) -> &[Field<usize>] {
        &self.fields
    }
}
