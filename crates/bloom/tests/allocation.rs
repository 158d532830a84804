//! No number in a header or a field makes a decoder allocate more than a constant factor of its input.

use bloom::{BloomFilter, ENCODING_VERSION, Field, HEADER_LEN, Loader, Settings};
use testkit::alloc::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// The bytes allocated for a byte of input, including a vector that grows.
const FACTOR: usize = 4;
const SLACK: usize = 1 << 10;

fn peak_of(work: impl FnOnce()) -> usize {
    let before = ALLOCATOR.live();
    ALLOCATOR.reset_peak();
    work();
    ALLOCATOR.peak() - before
}

#[test]
fn decoders_take_a_constant_factor_of_their_input() {
    ALLOCATOR.this_thread(|| {
        let mut filter = Settings::new(1, 0.01).expansion(1).build().unwrap();
        for n in 0..200_u32 {
            filter.add(&n.to_le_bytes()).unwrap();
        }
        let good = filter.header();

        // A header that announces more links than it has, or links of 2^59 bytes.
        let mut many = good.clone();
        many[8..12].fill(0xff);
        let mut large = good.clone();
        for link in large[HEADER_LEN..].chunks_mut(53) {
            link[..8].copy_from_slice(&(1_u64 << 59).to_le_bytes());
            link[8..16].copy_from_slice(&(1_u64 << 62).to_le_bytes());
        }
        for header in [&good[..], &many, &large, &good[..HEADER_LEN]] {
            let loaded = peak_of(|| drop(Loader::new(header)));
            assert!(loaded <= FACTOR * header.len() + SLACK, "{loaded} bytes of {}", header.len());
            let allowed = 1 << 14;
            let made = peak_of(|| drop(BloomFilter::from_header(header, allowed)));
            let allowed = usize::try_from(allowed).unwrap();
            assert!(
                made <= 2 * FACTOR * header.len() + allowed + SLACK,
                "{made} bytes of {}",
                header.len()
            );
        }
        let mut loader = Loader::new(&large).unwrap();
        let chunk = vec![1; 10_000];
        let taken = peak_of(|| loader.load(1 + 10_000, &chunk).unwrap());
        assert!(taken <= FACTOR * chunk.len() + SLACK, "{taken} bytes");

        // Fields that announce more links than follow.
        let head = [0, u64::MAX, 5, 2, 1].map(Field::<Vec<u8>>::Unsigned);
        let taken = peak_of(|| drop(BloomFilter::from_fields(ENCODING_VERSION, head)));
        assert!(taken <= SLACK, "{taken} bytes");
    });
}
