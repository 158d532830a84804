//! A large Bloom filter.

use bloom::{BloomFilter, Field};

use super::BytesPart;

/// Which bits of a filter are yet to be handed over.
#[derive(Debug)]
pub(crate) struct BloomPart {
    /// What the fields of the filter were; of a bit array, how many bytes it had.
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
