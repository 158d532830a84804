//! Finds the city of an IP address, as in Redis in Action (section 5.3), with the cities in a sharded hash (9.2.1).
//!
//! A sorted set contains the first address of each range and the id of its city. The hash contains the name, region and
//! country of each city. Run it with `cargo run --example ip_cities -p tallis`.

use std::net::Ipv4Addr;

use tallis::{Error, ShardedHash, Store, ZRange};

/// Ranges of addresses: the first address and the id of the city. The addresses are from the blocks for documentation.
const BLOCKS: [([u8; 4], u32); 5] = [
    ([192, 0, 2, 0], 1),
    ([192, 0, 2, 128], 2),
    ([198, 51, 100, 0], 1203),
    ([203, 0, 113, 0], 2),
    ([203, 0, 113, 200], 77_000),
];

/// Cities: id, and name, region, country.
const CITIES: [(u32, [&str; 3]); 4] = [
    (1, ["Quebec", "QC", "CAN"]),
    (2, ["Oslo", "", "NOR"]),
    (1203, ["Los Angeles", "CA", "USA"]),
    (77_000, ["Nairobi", "", "KEN"]),
];

/// The tables, with a lookup by address.
struct IpCities {
    store: Store,
    cities: ShardedHash,
}

impl IpCities {
    fn new(store: Store) -> Self {
        let cities = ShardedHash::new(store.clone(), "cityid2city", 100_000, 512);
        Self { store, cities }
    }

    fn load(&self) -> Result<(), Error> {
        // A city can have several ranges: the row number makes the members unique.
        let rows = BLOCKS.iter().enumerate();
        let ranges = rows.map(|(row, &(first, city))| {
            (f64::from(Ipv4Addr::from(first).to_bits()), format!("{city}_{row}"))
        });
        self.store.zadd_multiple("ip2cityid", ranges)?;
        self.cities.hset_multiple(CITIES.map(|(id, parts)| (id, parts.join(","))))?;
        Ok(())
    }

    /// Returns the city of the last range that begins at or before the address.
    fn find(&self, address: Ipv4Addr) -> Result<Option<String>, Error> {
        let upto = ZRange::by_score(..=f64::from(address.to_bits())).rev().limit(0, 1);
        let found: Vec<String> = self.store.zrange_by_as("ip2cityid", &upto)?;
        let Some((city, _)) = found.first().and_then(|range| range.split_once('_')) else {
            return Ok(None);
        };
        self.cities.hget_as(city)
    }
}

pub(crate) fn main() -> Result<(), Error> {
    let table = IpCities::new(Store::new());
    table.load()?;
    let asked = [[192, 0, 2, 200], [198, 51, 100, 7], [203, 0, 113, 255], [10, 0, 0, 1]];
    let mut found = Vec::new();
    for address in asked.map(Ipv4Addr::from) {
        let city = table.find(address)?;
        println!("{address:15} {}", city.as_deref().unwrap_or("unknown"));
        found.push(city);
    }
    let cities = ["Oslo,,NOR", "Los Angeles,CA,USA", "Nairobi,,KEN"].map(|city| Some(city.into()));
    assert_eq!(found, [&cities[..], &[None]].concat());
    // A shard contains 512 consecutive ids.
    assert_eq!(table.store.hlen("cityid2city:0")?, 2);
    assert_eq!(table.store.hlen("cityid2city:150")?, 1);
    Ok(())
}
