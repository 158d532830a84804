//! Random operations on a filter and on a plain one.

use arbitrary::{Arbitrary, Unstructured};
use proptest::prelude::*;

mod driver;

proptest! {
    #[test]
    fn a_filter_does_what_the_plain_one_does(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut data = Unstructured::new(&bytes);
        let made = driver::Made::arbitrary(&mut data).unwrap();
        let ops = Vec::<driver::Op>::arbitrary(&mut data).unwrap();
        driver::run(made, &ops);
    }
}
