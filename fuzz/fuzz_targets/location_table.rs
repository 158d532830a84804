//! The text of a location table: it is refused with the number of a line, or each of its names has a unique code and is
//! found by that code.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tallis::LocationTable;

fuzz_target!(|text: &str| {
    let table = match LocationTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count().max(1), "{error}");
            return;
        }
    };
    // Builds the same table again from its names only.
    let mut again = "COUNTRIES".to_owned();
    for country in table.countries() {
        again = again + " " + country;
    }
    for (country, first) in table.countries().zip(1..=u8::MAX) {
        assert_eq!(table.code(country, None).unwrap(), [first, 0]);
        assert_eq!(table.names([first, 0]), (Some(country), None));
        let Some(regions) = table.regions(country) else { continue };
        again = again + "\n" + country;
        for (region, second) in regions.zip(1..=u8::MAX) {
            assert_eq!(table.code(country, region).unwrap(), [first, second]);
            assert_eq!(table.names([first, second]), (Some(country), Some(region)));
            again = again + " " + region;
        }
    }
    assert_eq!(LocationTable::parse(&again).as_ref(), Ok(&table));
    // No other word of the text is a country.
    for word in text.split_whitespace() {
        let known = table.countries().any(|country| country == word);
        assert_eq!(table.code_lenient(word, None) != [0, 0], known, "{word}");
    }
});
