//! The error of counts.
//!
//! The relative standard error is 1.04 / sqrt(16384) = 0.8125 %. The seeds are fixed, so a test passes always or never;
//! with random seeds, a correct sketch would pass the bounds with a probability of at least 0.9999.

use hll::{HllMut, HyperLogLog, SPARSE_MAX_BYTES, Union};

const SIGMA: f64 = 1.04 / 128.0;

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn relative_error(count: u64, truth: u64) -> f64 {
    count as f64 / truth as f64 - 1.0
}

fn sketch<T: AsRef<[u8]>>(elements: impl Iterator<Item = T>) -> HyperLogLog {
    elements.collect()
}

#[test]
fn counts_stay_within_five_sigma_at_every_size() {
    for seed in 0..4u64 {
        let mut value = hll::empty();
        let mut edit = HllMut::new(&mut value).unwrap();
        let mut next = 10;
        for size in 1..=400_000u64 {
            let mut element = [0; 16];
            element[..8].copy_from_slice(&seed.to_le_bytes());
            element[8..].copy_from_slice(&size.to_le_bytes());
            edit.add(&element, SPARSE_MAX_BYTES).unwrap();
            if size == next {
                next += next / 3;
                let error = relative_error(edit.view().unwrap().count().unwrap(), size);
                assert!(error.abs() < 5.0 * SIGMA, "seed {seed}, size {size}: {error:+.4}");
            }
        }
    }
}

#[test]
fn errors_have_no_bias_and_the_stated_spread() {
    for size in [200u64, 3000, 40_000] {
        let errors: Vec<f64> = (0..100u64)
            .map(|seed| {
                let sketch = sketch((0..size).map(|i| (seed << 32 | i).to_le_bytes()));
                relative_error(sketch.count(), size)
            })
            .collect();
        let mean = errors.iter().sum::<f64>() / 100.0;
        let spread = (errors.iter().map(|error| error * error).sum::<f64>() / 100.0).sqrt();
        // The mean of a hundred errors has a standard deviation of a tenth of sigma, and their spread is known within 7
        // %.
        assert!(mean.abs() < 0.4 * SIGMA, "size {size}: mean {mean:+.5}");
        assert!(spread < 1.3 * SIGMA, "size {size}: spread {spread:.5}");
    }
}

#[test]
fn a_union_counts_what_its_parts_share_once() {
    let numbers = |from: u64, to: u64| sketch((from..to).map(u64::to_le_bytes));
    let mut union = Union::new();
    for from in [0, 25_000, 50_000] {
        union.merge(&numbers(from, from + 50_000).view()).unwrap();
    }
    assert_eq!(union.count(), numbers(0, 100_000).count());
    assert!(relative_error(union.count(), 100_000).abs() < 4.0 * SIGMA);
}
