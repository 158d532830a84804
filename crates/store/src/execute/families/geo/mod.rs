//! Places: from words to typed calls, and from their results to replies.
//!
//! The table has checked the number of words, so that `args[0]` and whatever else it promises are there.

mod call;
mod search;

pub(in crate::execute) use search::{
    georadius, georadius_ro, georadiusbymember, georadiusbymember_ro, geosearch, geosearchstore,
};

use bytes::Bytes;
use geo::{Point, Unit};

use super::{Answer, Caller, is};
use crate::commands::{ExistenceCheck, place};
use crate::error::{Error, ErrorKind};
use crate::profile::Profile;
use crate::reply::Reply;
use crate::text::double;
use crate::{SortedSetAddOptions, SortedSetAddOptions as Options};

/// A longitude and a latitude.
fn place_of(lon: &[u8], lat: &[u8]) -> Result<Point, Error> {
    place(double::float(lon)?, double::float(lat)?)
}

/// A unit of length.
fn unit(name: &[u8]) -> Result<Unit, Error> {
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    Unit::parse(name).ok_or_else(|| {
        let text = "ERR unsupported unit provided. please use M, KM, FT, MI";
        Error::new(ErrorKind::Syntax, text)
    })
}

/// A distance as a reply.
fn distance(door: Caller<'_, '_>, distance: f64) -> Reply {
    Reply::Bulk(printed(distance, door.shared().profile()).into())
}

/// A distance as Redis prints it, with four digits behind the point.
///
/// From 7.2 on it multiplies by 10,000 and takes the nearest whole number, which differs in the last digit now and then.
fn printed(distance: f64, profile: Profile) -> String {
    match profile {
        // What is no number comes out of the processor with a sign.
        _ if distance.is_nan() => "-nan".to_owned(),
        Profile::Redis70 => format!("{distance:.4}"),
        Profile::Redis72 => format!("{:.4}", (distance * 1e4).round_ties_even() / 1e4),
    }
}

/// A place: a longitude and a latitude.
fn coordinates(place: Point) -> Reply {
    Reply::Array(vec![Reply::Coordinate(place.lon()), Reply::Coordinate(place.lat())])
}

pub(in crate::execute) fn geoadd(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let (mut check, mut counts_changes) = (None, false);
    let mut rest = &args[1..];
    while let [word, behind @ ..] = rest {
        let next = match () {
            () if is(word, "nx") => Some(ExistenceCheck::NX),
            () if is(word, "xx") => Some(ExistenceCheck::XX),
            () if is(word, "ch") => {
                counts_changes = true;
                check
            }
            () => break,
        };
        if check.is_some() && check != next {
            return Err(Error::syntax());
        }
        (check, rest) = (next, behind);
    }
    let (items, []) = rest.as_chunks::<3>() else { return Err(Error::syntax()) };
    if items.is_empty() {
        return Err(Error::syntax());
    }
    let mut places = Vec::with_capacity(items.len());
    for &[lon, lat, member] in items {
        let place = place_of(lon, lat)?;
        places.push((place.lon(), place.lat(), member));
    }
    let options = match check {
        Some(ExistenceCheck::NX) => Options::add_only(),
        Some(ExistenceCheck::XX) => Options::update_only(None),
        None => SortedSetAddOptions::default(),
    };
    let options = if counts_changes { options.include_changed_count() } else { options };
    Ok(Reply::count(door.geo_add_options(args[0], places, options)?))
}

pub(in crate::execute) fn geodist(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let (key, from, to, unit) = match *args {
        [key, from, to] => (key, from, to, Unit::Metres),
        [key, from, to, name] => (key, from, to, unit(name)?),
        _ => return Err(Error::syntax()),
    };
    let apart = door.geo_dist(key, from, to, unit)?;
    Ok(apart.map_or(Reply::Nil, |apart| distance(door, apart)))
}

pub(in crate::execute) fn geohash(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let texts = door.geo_hash(args[0], &args[1..])?;
    let text = |text: geo::GeohashText| Reply::Bulk(Bytes::copy_from_slice(text.as_bytes()));
    Ok(Reply::Array(texts.into_iter().map(|found| found.map_or(Reply::Nil, text)).collect()))
}

pub(in crate::execute) fn geopos(door: Caller<'_, '_>, args: &[&[u8]]) -> Answer {
    let places = door.geo_pos(args[0], &args[1..])?;
    let place = |place: Option<Point>| place.map_or(Reply::Nil, coordinates);
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
            // A little more than the half, until it is multiplied.
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
