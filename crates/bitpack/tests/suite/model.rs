//! Random operations against the models.

use proptest::prelude::*;

#[path = "../driver/bitfield.rs"]
mod bitfield;
#[path = "../driver/bitmap.rs"]
mod bitmap;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bitmaps_match_their_model(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        bitmap::run(&bytes);
    }

    #[test]
    fn fields_match_their_model(bytes in prop::collection::vec(any::<u8>(), 0..1500)) {
        bitfield::run(&bytes);
    }
}
