//! The table of the geospatial commands: declarations, and the mapping from words to typed calls.

mod call;
mod search;

use bytes::Bytes;
use geo::{Point, Unit};

use crate::SortedSetAddOptions;
use crate::commands::place;
use crate::error::{Error, Result};
use crate::execute::{Answer, Command, c_string, command, family, flags, refused};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::store::{Locks, Store};
use crate::text::double;
use call::Form;
use search::{geosearchstore, run};

pub(in crate::commands) const COMMANDS: &[Command] = &family("geo", "geo").of([
    command!("geoadd",
        "key [condition:<NX | XX>@6.2.0] [change:CH@6.2.0] \
         longitude_latitude_member:(longitude:double latitude:double member)...",
        geoadd,
    )
    .info("3.2.0", "write denyoom", ["RW update"])
    .docs("Adds members with their coordinates to a sorted set.", "O(log members) for each"),
    command!("geodist", "key member1 member2 [unit:<M | KM | FT | MI>]", geodist)
        .info("3.2.0", "readonly", ["RO access"])
        .docs("Returns the distance between two members.", "O(1)"),
    command!("geohash", "key member...", geohash)
        .arity(-2)
        .info("3.2.0", "readonly", ["RO access"])
        .docs("Returns the positions of members as geohash strings.", "O(members asked for)"),
    command!("geopos", "key member...", geopos)
        .arity(-2)
        .info("3.2.0", "readonly", ["RO access"])
        .docs("Returns the longitude and latitude of members.", "O(members asked for)"),
    command!("georadius",
        "key longitude:double latitude:double radius:double unit:<M | KM | FT | MI> \
         [WITHCOORD] [WITHDIST] [WITHHASH] [count:(COUNT count:integer [ANY@6.2.0])] \
         [order:<ASC | DESC>] [STORE key] [STOREDIST key]",
        |store, words| run(store, Form::Radius { stores: true }, words),
    )
    .info("3.2.0", "write denyoom", ["RO access", "OW update", "OW update"])
    .docs(
        "Returns or stores the members within a distance of a point.",
        "O(log members + members near the area)",
    ),
    command!("georadius_ro",
        "key longitude:double latitude:double radius:double unit:<M | KM | FT | MI> \
         [WITHCOORD] [WITHDIST] [WITHHASH] [count:(COUNT count:integer [ANY@6.2.0])] \
         [order:<ASC | DESC>]",
        |store, words| run(store, Form::Radius { stores: false }, words),
    )
    .info("3.2.10", "readonly", ["RO access"])
    .docs(
        "Returns the members within a distance of a point.",
        "O(log members + members near the area)",
    ),
    command!("georadiusbymember",
        "key member radius:double unit:<M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] \
         [count:(COUNT count:integer [ANY])] [order:<ASC | DESC>] [STORE key] [STOREDIST key]",
        |store, words| run(store, Form::RadiusByMember { stores: true }, words),
    )
    .info("3.2.0", "write denyoom", ["RO access", "OW update", "OW update"])
    .docs(
        "Returns or stores the members within a distance of a member.",
        "O(log members + members near the area)",
    ),
    command!("georadiusbymember_ro",
        "key member radius:double unit:<M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] \
         [count:(COUNT count:integer [ANY])] [order:<ASC | DESC>]",
        |store, words| run(store, Form::RadiusByMember { stores: false }, words),
    )
    .info("3.2.10", "readonly", ["RO access"])
    .docs(
        "Returns the members within a distance of a member.",
        "O(log members + members near the area)",
    ),
    command!("geosearch",
        "key from:<FROMMEMBER member | \
         FROMLONLAT longitude_latitude:(longitude:double latitude:double)> \
         by:<circle:(BYRADIUS radius:double unit:<M | KM | FT | MI>) | \
         box:(BYBOX width:double height:double unit:<M | KM | FT | MI>) | \
         polygon:(BYPOLYGON num-vertices:integer \
         vertex:(longitude:double latitude:double)...)@9.0.0> \
         [order:<ASC | DESC>] [count:(COUNT count:integer [ANY])] [WITHCOORD] [WITHDIST] [WITHHASH]",
        |store, words| run(store, Form::Search, words),
    )
    .info("6.2.0", "readonly", ["RO access"])
    .docs(
        "Returns the members inside a circle, a box or a polygon.",
        "O(log members + members near the area)",
    ),
    command!("geosearchstore",
        "destination:key source:key from:<FROMMEMBER member | \
         FROMLONLAT longitude_latitude:(longitude:double latitude:double)> \
         by:<circle:(BYRADIUS radius:double unit:<M | KM | FT | MI>) | \
         box:(BYBOX width:double height:double unit:<M | KM | FT | MI>) | \
         polygon:(BYPOLYGON num-vertices:integer \
         vertex:(longitude:double latitude:double)...)@9.0.0> \
         [order:<ASC | DESC>] [count:(COUNT count:integer [ANY])] [STOREDIST]",
        geosearchstore,
    )
    .info("6.2.0", "write denyoom", ["OW update", "RO access"])
    .docs(
        "Stores the members inside a circle, a box or a polygon in a key.",
        "O(log members + members near the area + found * log found)",
    ),
]);

/// Parses a longitude and a latitude.
fn place_of(lon: &[u8], lat: &[u8], profile: Profile) -> Result<Point> {
    place(double::float(lon, profile)?, double::float(lat, profile)?)
}

/// Parses a unit of length.
fn unit(name: &[u8]) -> Result<Unit> {
    let name = c_string(name);
    let refused = || refused("ERR unsupported unit provided. please use M, KM, FT, MI");
    Unit::parse(name).ok_or_else(refused)
}

/// Formats a distance as a reply.
fn distance(store: &Store<impl Locks>, distance: f64) -> Reply {
    Reply::Bulk(printed(distance, store.shared().profile()).into())
}

/// Formats a distance as Redis does, with four digits after the decimal point.
///
/// Some release series multiply by 10,000 and round to the nearest integer, which sometimes changes the last digit.
fn printed(distance: f64, profile: Profile) -> String {
    if distance.is_nan() {
        // On x86-64, a NaN result has its sign bit set.
        return "-nan".to_owned();
    }
    let rounds = profile.rounds_ten_thousandths();
    let distance = if rounds { (distance * 1e4).round_ties_even() / 1e4 } else { distance };
    format!("{distance:.4}")
}

/// Formats a position: a longitude and a latitude.
fn coordinates(place: Point) -> Reply {
    Reply::Array(vec![Reply::Coordinate(place.lon()), Reply::Coordinate(place.lat())])
}

fn geoadd(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let mut rest = &args[1..];
    let [nx, xx, ch] = flags(&mut rest, ["nx", "xx", "ch"]);
    let (items, []) = rest.as_chunks::<3>() else { return Err(Error::syntax()) };
    if items.is_empty() || nx && xx {
        return Err(Error::syntax());
    }
    let mut places = Vec::with_capacity(items.len());
    for &[lon, lat, member] in items {
        let place = place_of(lon, lat, store.shared().profile())?;
        places.push((place.lon(), place.lat(), member));
    }
    let options = match (nx, xx) {
        (true, _) => SortedSetAddOptions::add_only(),
        (_, true) => SortedSetAddOptions::update_only(None),
        (false, false) => SortedSetAddOptions::default(),
    };
    let options = if ch { options.include_changed_count() } else { options };
    Ok(Reply::count(store.geo_add_options(args[0], places, options)?))
}

fn geodist(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let (key, from, to, unit) = match *args {
        [key, from, to] => (key, from, to, Unit::Metres),
        [key, from, to, name] => (key, from, to, unit(name)?),
        _ => return Err(Error::syntax()),
    };
    let apart = store.geo_dist(key, from, to, unit)?;
    Ok(apart.map_or(Reply::Nil, |apart| distance(store, apart)))
}

fn geohash(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let texts = store.geo_hash(args[0], &args[1..])?;
    let text = |text: geo::GeohashText| Reply::Bulk(Bytes::copy_from_slice(text.as_bytes()));
    Ok(Reply::Array(texts.into_iter().map(|found| found.map_or(Reply::Nil, text)).collect()))
}

fn geopos(store: &Store<impl Locks>, args: &[&[u8]]) -> Answer {
    let places = store.geo_pos(args[0], &args[1..])?;
    let place = |place: Option<Point>| place.map_or(Reply::NullArray, coordinates);
    Ok(Reply::Array(places.into_iter().map(place).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_four_digits_as_their_line_of_servers_rounds() {
        for (distance, old, new) in [
            (0.0, "0.0000", "0.0000"),
            (1_387.816_6, "1387.8166", "1387.8166"),
            (20_015_086.796_02, "20015086.7960", "20015086.7960"),
            // Slightly more than one half, until it is multiplied.
            (0.000_05, "0.0001", "0.0000"),
            (1.000_05, "1.0001", "1.0001"),
            (0.000_15, "0.0001", "0.0001"),
            (f64::NAN, "-nan", "-nan"),
        ] {
            assert_eq!(printed(distance, Profile::Redis70), old);
            assert_eq!(printed(distance, Profile::Redis72), new);
        }
    }
}
