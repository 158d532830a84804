//! Records of every width: their positions, incomplete records, and histograms.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::marker::PhantomData;

use bitpack::packed::{
    Codec, CountryCode, CountryRegion, CountryRegionCity, CountryRegionCityCode, CountryRegionCode,
    EncodeError, Histogram, LatLon, LatLon4, LatLon6, NumberCode, Packed, PackedView, PostalCode,
    Record,
};
use proptest::prelude::*;

/// Records without any encoding.
struct Raw<R>(PhantomData<R>);

impl<R: Record> Codec for Raw<R> {
    type Record = R;
    type Item = R;
    type Error = Infallible;

    fn decode(record: R) -> R {
        record
    }

    fn encode(record: R) -> Result<R, Infallible> {
        Ok(record)
    }
}

fn reads_and_writes<R: Record>(bytes: &[u8], index: usize) {
    let view = PackedView::<Raw<R>>::new(bytes);
    let chunks: Vec<&[u8]> = bytes.chunks_exact(R::WIDTH).collect();
    assert_eq!(view.len(), chunks.len());
    assert_eq!(view.is_empty(), chunks.is_empty());
    assert_eq!(view.as_bytes(), bytes);
    assert!(view.iter().map(|record| record.as_ref().to_vec()).eq(chunks.iter().copied()));
    assert_eq!(view.iter().len(), chunks.len());
    assert!(view.iter().rev().eq(view.records().iter().rev().copied()));
    assert_eq!(view.iter().nth(index), view.get(index));
    assert_eq!(view.get(index).as_ref().map(AsRef::as_ref), chunks.get(index).copied());
    assert_eq!(view.get(usize::MAX), None);

    let record = R::records(&[0xa5; 8])[0];
    let mut packed = Packed::<Raw<R>>::from_bytes(bytes.to_vec());
    assert_eq!(packed.set(index, record), Ok(()));
    let mut wanted = bytes.to_vec();
    let end = (index + 1) * R::WIDTH;
    if wanted.len() < end {
        wanted.resize(end, 0);
    }
    wanted[end - R::WIDTH..end].fill(0xa5);
    assert_eq!(packed.as_bytes(), wanted);
    assert_eq!(packed.get(index), Some(record));

    let mut plain = BTreeMap::new();
    for record in view.records() {
        *plain.entry(*record).or_insert(0u64) += 1;
    }
    let mut histogram = Histogram::<Raw<R>>::new();
    histogram.add(view);
    assert_eq!(histogram.total(), view.len() as u64);
    assert!(histogram.iter().eq(plain.clone()));
    assert_eq!(histogram.of(record), plain.get(&record).copied().unwrap_or(0));

    // Again from a second string, with the indices in reverse order, and by merging another histogram.
    let mut other = Histogram::<Raw<R>>::default();
    let beyond = other.add_at(view, (0..view.len() + 3).rev());
    assert_eq!(beyond, 3);
    other.add(view);
    histogram.merge(&other.clone());
    assert!(histogram.records().eq(plain.into_iter().map(|(record, count)| (record, 3 * count))));
    assert_eq!(histogram.total(), 3 * view.len() as u64);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_width_is_read_like_plain_chunks(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..100),
            prop::collection::vec(0u8..2, 0..3000),
        ],
        index in 0..60usize,
    ) {
        reads_and_writes::<[u8; 1]>(&bytes, index);
        reads_and_writes::<[u8; 2]>(&bytes, index);
        reads_and_writes::<[u8; 3]>(&bytes, index);
        reads_and_writes::<[u8; 4]>(&bytes, index);
        reads_and_writes::<[u8; 5]>(&bytes, index);
        reads_and_writes::<[u8; 6]>(&bytes, index);
        reads_and_writes::<[u8; 7]>(&bytes, index);
        reads_and_writes::<[u8; 8]>(&bytes, index);
    }

    #[test]
    fn positions_are_decoded_within_the_error(latitude in -90.0..=90.0f64, longitude in -180.0..=180.0f64) {
        place_comes_back::<LatLon4>(LatLon { latitude, longitude }, LatLon4::MAX_ERROR);
        place_comes_back::<LatLon6>(LatLon { latitude, longitude }, LatLon6::MAX_ERROR);
    }

    #[test]
    fn any_record_of_a_position_can_be_decoded_and_encoded(record in any::<[u8; 6]>()) {
        record_comes_back::<LatLon6>(record);
        let [a, b, c, d, ..] = record;
        record_comes_back::<LatLon4>([a, b, c, d]);
    }

    #[test]
    fn countries_and_regions_are_decoded(record in any::<[u8; 3]>()) {
        let [country, region, city] = record;
        prop_assert_eq!(CountryCode::encode(CountryCode::decode([country])), Ok([country]));
        let item = CountryRegionCode::decode([country, region]);
        prop_assert_eq!(CountryRegionCode::encode(item), Ok([country, region]));
        let item = CountryRegionCityCode::decode(record);
        prop_assert_eq!(item.city, city.checked_sub(1));
        prop_assert_eq!(CountryRegionCityCode::encode(item), Ok(record));
        prop_assert_eq!(PostalCode::encode(PostalCode::decode(record)), Ok(record));
    }

    #[test]
    fn numbers_are_big_endian(number: u32) {
        let text = format!("{number:08x}");
        let record = [0, 2, 4, 6].map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap());
        prop_assert_eq!(NumberCode::encode(number), Ok(record));
        prop_assert_eq!(NumberCode::decode(record), number);
    }
}

/// Metres on a sphere with the earth's equatorial radius.
#[test]
fn a_histogram_of_few_records_becomes_one_of_many() {
    /// Parts of a string, as numbers of records. A list has up to 4,096.
    const PARTS: [(usize, usize); 9] = [
        (0, 0),
        (1, 1),
        (4096, 0),
        (4095, 1),
        (4096, 1),
        (0, 4097),
        (3, 9000),
        (9000, 3),
        (9000, 9000),
    ];
    fn check<R: Record>() {
        let byte = |at: u64| (at * at % 251 % 7).to_le_bytes()[0];
        let bytes: Vec<u8> = (0..).map(byte).take(18_000 * R::WIDTH).collect();
        for (first, second) in PARTS {
            let all = &bytes[..(first + second) * R::WIDTH];
            let (head, tail) = all.split_at(first * R::WIDTH);
            let [head, tail] = [head, tail].map(PackedView::new);
            let [mut added, mut merged, mut other] = [(); 3].map(|()| Histogram::<Raw<R>>::new());
            added.add(head);
            added.add(tail);
            merged.add(head);
            other.add(tail);
            merged.merge(&other);
            let mut plain = BTreeMap::new();
            for &record in R::records(all) {
                *plain.entry(record).or_insert(0u64) += 1;
            }
            for histogram in [added, merged] {
                assert!(histogram.records().eq(plain.clone()), "{first} and {second}");
                assert_eq!(histogram.total(), (first + second) as u64);
                assert!(plain.iter().all(|(&record, &count)| histogram.of(record) == count));
                assert_eq!(histogram.of(R::records(&[200; 8])[0]), 0);
            }
        }
    }
    check::<[u8; 1]>();
    check::<[u8; 2]>();
    check::<[u8; 3]>();
    check::<[u8; 4]>();
}

fn distance(a: LatLon, b: LatLon) -> f64 {
    let half = |a: f64, b: f64| ((b - a).to_radians() / 2.0).sin().powi(2);
    let across = a.latitude.to_radians().cos() * b.latitude.to_radians().cos();
    let square = half(a.latitude, b.latitude) + across * half(a.longitude, b.longitude);
    2.0 * 6_378_137.0 * square.sqrt().asin()
}

fn place_comes_back<C: Codec<Item = Option<LatLon>, Error = EncodeError>>(
    place: LatLon,
    most: f64,
) -> f64 {
    let record = C::encode(Some(place)).unwrap();
    assert_ne!(record, C::Record::default());
    let read = C::decode(record).unwrap();
    let error = distance(place, read);
    assert!(error <= most, "{place:?} became {read:?}, {error} m away");
    error
}

fn record_comes_back<C: Codec<Item = Option<LatLon>, Error = EncodeError>>(record: C::Record) {
    match C::decode(record) {
        Some(place) => {
            assert!((-90.0..=90.0).contains(&place.latitude), "{place:?}");
            assert!((-180.0..180.0).contains(&place.longitude), "{place:?}");
            assert_eq!(C::encode(Some(place)), Ok(record));
        }
        None => assert_eq!(C::encode(None), Ok(C::Record::default())),
    }
}

#[test]
fn the_error_is_the_stated_one_and_is_reached() {
    fn worst<C: Codec<Item = Option<LatLon>, Error = EncodeError>>(rows: u64, most: f64) {
        let step = 180.0 / f64::from(u32::try_from(rows).unwrap());
        let mut worst: f64 = 0.0;
        let mut one_axis: f64 = 0.0;
        for place in 0..200 {
            // The corners and edges of cells along the equator, which may divide a row in the middle.
            let row = f64::from(u32::try_from(rows / 2).unwrap() + place % 3);
            let latitude = step * row - 90.0;
            let longitude = step * f64::from(place * 97) - 180.0;
            let corner = LatLon { latitude, longitude };
            worst = worst.max(place_comes_back::<C>(corner, most));
            let middle = C::decode(C::encode(Some(corner)).unwrap()).unwrap();
            let edge = LatLon { longitude, ..middle };
            one_axis = one_axis.max(place_comes_back::<C>(edge, most));
        }
        assert!(worst > most * 0.999, "{worst}");
        let half = step / 2.0 * 6_378_137f64.to_radians();
        assert!((one_axis / half - 1.0).abs() < 0.001, "{one_axis} {half}");
        assert!((worst / half - 2f64.sqrt()).abs() < 0.001, "{worst} {half}");
    }
    worst::<LatLon4>(LatLon4::ROWS, LatLon4::MAX_ERROR);
    worst::<LatLon6>(LatLon6::ROWS, LatLon6::MAX_ERROR);
    // Half a step, as documented.
    for (rows, metres) in [(LatLon4::ROWS, 216.2), (LatLon6::ROWS, 0.845)] {
        let half = 90.0 / f64::from(u32::try_from(rows).unwrap()) * 6_378_137f64.to_radians();
        assert!((half - metres).abs() < metres * 0.001, "{half}");
    }
}

#[test]
fn grids_fill_their_records() {
    for (rows, bits) in [(LatLon4::ROWS, 32), (LatLon6::ROWS, 48)] {
        let codes = |rows: u64| 1 + 2 * rows * rows;
        assert!(codes(rows) <= 1 << bits && codes(rows + 1) > 1 << bits, "{rows}");
    }
    assert_eq!((LatLon4::ROWS, LatLon6::ROWS), (46_340, 11_863_283));
    let last = LatLon { latitude: 90.0, longitude: 179.999_999 };
    let code = 2 * LatLon4::ROWS * LatLon4::ROWS;
    let record = LatLon4::encode(Some(last)).unwrap();
    assert_eq!(record.iter().fold(0, |code, &byte| code << 8 | u64::from(byte)), code);
    assert_eq!(LatLon4::decode([0xff; 4]), None);
    assert_eq!(LatLon6::decode([0xff; 6]), None);
    let first = LatLon { latitude: -90.0, longitude: -180.0 };
    assert_eq!(LatLon6::encode(Some(first)), Ok([0, 0, 0, 0, 0, 1]));
}

#[test]
fn the_edges_of_the_map_are_positions() {
    for latitude in [-90.0, -0.0, 0.0, 90.0] {
        for longitude in [-180.0, -0.0, 0.0, 180.0, 180f64.next_down()] {
            let place = LatLon { latitude, longitude };
            place_comes_back::<LatLon4>(place, LatLon4::MAX_ERROR);
            place_comes_back::<LatLon6>(place, LatLon6::MAX_ERROR);
        }
    }
}

#[test]
fn other_items_than_positions_are_refused() {
    let encode = |latitude, longitude| {
        let four = LatLon4::encode(Some(LatLon { latitude, longitude })).map(|_| ());
        let six = LatLon6::encode(Some(LatLon { latitude, longitude })).map(|_| ());
        assert_eq!(format!("{four:?}"), format!("{six:?}"));
        four
    };
    for got in [90f64.next_up(), -91.0, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(encode(got, 0.0), Err(EncodeError::Latitude { got }));
    }
    for got in [180f64.next_up(), -181.0, f64::INFINITY] {
        assert_eq!(encode(0.0, got), Err(EncodeError::Longitude { got }));
    }
    assert!(matches!(encode(f64::NAN, 0.0), Err(EncodeError::Latitude { got }) if got.is_nan()));
    assert!(matches!(encode(0.0, f64::NAN), Err(EncodeError::Longitude { got }) if got.is_nan()));
}

#[test]
fn indices_and_numbers_that_have_no_code_are_refused() {
    assert_eq!(CountryCode::encode(Some(255)), Err(EncodeError::Country { got: 255 }));
    let refused = |country, region| CountryRegionCode::encode(CountryRegion { country, region });
    assert_eq!(refused(Some(255), None), Err(EncodeError::Country { got: 255 }));
    assert_eq!(refused(Some(1), Some(255)), Err(EncodeError::Region { got: 255 }));
    assert_eq!(refused(Some(254), Some(254)), Ok([255, 255]));
    assert_eq!(PostalCode::encode(Some(PostalCode::MAX)), Ok([0xff; 3]));
    let city = CountryRegionCity { city: Some(255), ..CountryRegionCity::UNKNOWN };
    assert_eq!(CountryRegionCityCode::encode(city), Err(EncodeError::City { got: 255 }));
    assert_eq!(CountryRegionCityCode::decode([0; 3]), CountryRegionCity::UNKNOWN);
    for got in [PostalCode::MAX + 1, u32::MAX] {
        assert_eq!(PostalCode::encode(Some(got)), Err(EncodeError::Postal { got }));
    }
    let mut packed = Packed::<PostalCode>::new();
    assert!(packed.set(3, Some(u32::MAX)).is_err());
    assert!(packed.is_empty(), "what is refused makes nothing grow");
}

#[test]
fn a_part_of_a_record_is_not_a_record() {
    let mut packed = Packed::<CountryRegionCode>::from_bytes(b"\x01\x02\x03".to_vec());
    assert_eq!((packed.len(), packed.get(1)), (1, None));
    assert_ne!(
        packed,
        Packed::from_bytes(b"\x01\x02\x04".to_vec()),
        "the same record, another part"
    );
    let known = CountryRegion { country: Some(6), region: None };
    packed.set(2, known).unwrap();
    assert_eq!(packed.as_bytes(), b"\x01\x02\x03\0\x07\0");
    assert_eq!(packed.get(1), Some(CountryRegion { country: Some(2), region: None }));
    assert_eq!(packed.clone(), packed);
    assert_eq!(format!("{:?}", Packed::<CountryCode>::from_bytes(vec![0, 1])), "[None, Some(0)]");
}
