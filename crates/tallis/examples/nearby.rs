//! Finds towns near a point, in a box, and near another town, nearest first.
//!
//! Run it with `cargo run -p tallis --example nearby`. It prints the towns at most 80 km from a point with their
//! distances, those in a box of 200 by 100 km, and the three nearest to Zurich.
//!
//! Notes:
//!
//! * **Keys.** One sorted set, `towns`. A town is a member, and its score is the position: a geohash of 52 bits. All
//!   sorted set commands work on the key; ZREM removes a town.
//! * **Cost.** O(log n + k), where k is the number of towns near the point. `GeoSearch::any` stops after a number of
//!   results.
//! * **Bytes.** About 40 per town with a short name.
//! * **Error.** A returned position is up to 30 cm off. Distances are computed on a sphere: they differ from distances
//!   on the Earth by up to half a percent.
//! * **Order.** Longitude comes first, as in all Redis commands; most maps print latitude first.
//! * **On a server** you can load the file that [`Store::save`] writes, and GEOSEARCH returns the same results.

use tallis::geo::Unit::Kilometres;
use tallis::{Error, ErrorKind, GeoCentre, GeoHit, GeoOrder, GeoSearch, Store};

/// Towns: longitude, latitude, name.
const TOWNS: [(f64, f64, &str); 12] = [
    (7.5886, 47.5596, "Basel"),
    (7.4474, 46.9480, "Bern"),
    (7.8421, 47.9990, "Freiburg"),
    (6.1432, 46.2044, "Geneva"),
    (9.1770, 47.6779, "Konstanz"),
    (6.6323, 46.5197, "Lausanne"),
    (8.3093, 47.0502, "Lucerne"),
    (8.9511, 46.0037, "Lugano"),
    (9.1900, 45.4642, "Milan"),
    (9.3767, 47.4245, "St. Gallen"),
    (8.7241, 47.4988, "Winterthur"),
    (8.5417, 47.3769, "Zurich"),
];

/// Prints the results of a search, and returns the names.
fn find(store: &Store, title: &str, search: GeoSearch) -> Result<Vec<String>, Error> {
    println!("{title}");
    let hits = store.geo_search_hits("towns", &search.order(GeoOrder::Asc))?;
    for GeoHit { member, distance, place, .. } in &hits {
        let name = String::from_utf8_lossy(member);
        println!("{name:12} {distance:6.1} km   at {:.4}, {:.4}", place.lon(), place.lat());
    }
    println!();
    Ok(hits.iter().map(|hit| String::from_utf8_lossy(&hit.member).into_owned()).collect())
}

pub(crate) fn main() -> Result<(), Error> {
    let store = Store::new();
    store.geo_add("towns", TOWNS)?;

    let point = GeoCentre::at(8.0, 47.4)?;
    let circle = GeoSearch::circle(point.clone(), 80.0, Kilometres);
    let near = find(&store, "At most 80 km from 8.0, 47.4", circle)?;
    assert_eq!(near, ["Basel", "Zurich", "Lucerne", "Winterthur", "Bern", "Freiburg"]);

    let rectangle = GeoSearch::rectangle(point, 200.0, 100.0, Kilometres);
    let boxed = find(&store, "In the box of 200 by 100 km around it", rectangle)?;
    assert!(boxed.contains(&"Konstanz".to_owned()) && !boxed.contains(&"Freiburg".to_owned()));

    // A member that is the centre is the first result, at distance 0, so the count is one more than three.
    let nearest = GeoSearch::circle("Zurich", 1_000.0, Kilometres).count(4);
    let nearest = find(&store, "The three nearest to Zurich", nearest)?;
    assert_eq!(nearest, ["Zurich", "Winterthur", "Lucerne", "Konstanz"]);

    let distance = store.geo_dist("towns", "Zurich", "Milan", Kilometres)?;
    println!("From Zurich to Milan: {:.1} km", distance.unwrap_or(f64::NAN));
    let bytes = store.memory_usage("towns")?.unwrap_or(0);
    println!("{} towns take {bytes} bytes", store.zcard("towns")?);

    // A search around a member that does not exist returns an error, not an empty result.
    let unknown = GeoSearch::circle("Paris", 10.0, Kilometres);
    let refused = store.geo_search("towns", &unknown).err();
    assert_eq!(refused.map(|error| error.kind()), Some(ErrorKind::InvalidArgument));
    Ok(())
}
