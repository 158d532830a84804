//! Geospatial commands.

mod find;
mod partial;
mod search;
mod store;
pub(super) mod table;

use std::borrow::Borrow;

use bytes::Bytes;
use geo::{GeohashText, Point, Unit};
use smallvec::SmallVec;

pub use search::{GeoCentre, GeoHit, GeoOrder, GeoSearch, GeoStored};

pub(crate) use find::{Found, find};
pub(crate) use search::{Area, Limits, centre_at};
pub(crate) use store::store;

use super::{SortedSetAddOptions, check, zset_at};
use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_member::{ToMember, ToMembers};
use crate::value::{ZSet, of_scores, prefetch_in_zset};

/// Geospatial commands: sorted sets whose scores are positions, encoded as by [`geo`].
///
/// A returned position is the centre of its cell, up to 30 cm from the original. Lengths and distances are in the unit
/// that the caller gives. In the complexities, n is the number of members and k the number of results.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {geo, store::*}; }
/// use tallis::geo::Unit;
/// use tallis::{GeoCentre, GeoSearch, Store};
///
/// let store = Store::new();
/// store.geo_add("sicily", [(13.361389, 38.115556, "Palermo"), (15.087269, 37.502669, "Catania")])?;
/// let distance = store.geo_dist("sicily", "Palermo", "Catania", Unit::Kilometres)?;
/// assert_eq!(distance.map(|km| km.round()), Some(166.0));
/// let near = GeoSearch::circle(GeoCentre::at(15.0, 37.0)?, 100.0, Unit::Kilometres);
/// assert_eq!(store.geo_search("sicily", &near)?, ["Catania"]);
/// # Ok::<(), tallis::Error>(())
/// ```
impl<L: Locks> Store<L> {
    /// GEOADD: sets the positions of members, each a longitude and a latitude in degrees; returns the number of new
    /// members. O(log n) each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if a position is out of range (see [`geo::LONGITUDES`] and
    /// [`geo::LATITUDES`]); [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set; an
    /// error if a member exceeds 512 MiB.
    pub fn geo_add<M: ToMember>(
        &self,
        key: impl ToKey,
        items: impl IntoIterator<Item: Borrow<(f64, f64, M)>>,
    ) -> Result<usize> {
        self.geo_add_options(key, items, SortedSetAddOptions::default())
    }

    /// GEOADD with NX, XX, CH: sets positions; returns the number of members that are new or, with CH, moved. O(log n)
    /// each.
    ///
    /// # Errors
    ///
    /// As [`geo_add`](Self::geo_add).
    pub fn geo_add_options<M: ToMember>(
        &self,
        key: impl ToKey,
        items: impl IntoIterator<Item: Borrow<(f64, f64, M)>>,
        options: SortedSetAddOptions,
    ) -> Result<usize> {
        let items: SmallVec<[_; 8]> = items.into_iter().collect();
        let mut scored = SmallVec::<[(f64, &M); 8]>::with_capacity(items.len());
        for item in &items {
            let (lon, lat, member) = item.borrow();
            scored.push((geo::score(place(*lon, *lat)?.hash()), member));
        }
        self.zadd_multiple_options(key, scored, options)
    }

    /// GEOPOS: returns the positions of members; `None` for one that does not exist. O(1) each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn geo_pos(&self, key: impl ToKey, of: impl ToMembers) -> Result<Vec<Option<Point>>> {
        of.with_members(|of| {
            check(of)?;
            self.read(key, |view, keys| {
                let Some(set) = zset_at(view, keys[0])? else { return Ok(vec![None; of.len()]) };
                Ok(of_scores(set, of, |score| score.map(place_of_score)))
            })
        })
    }

    /// GEODIST: returns the distance between two members; `None` if one does not exist. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn geo_dist(
        &self,
        key: impl ToKey,
        from: impl ToMember,
        to: impl ToMember,
        unit: Unit,
    ) -> Result<Option<f64>> {
        self.read(key, |view, keys| {
            let Some(set) = zset_at(view, keys[0])? else { return Ok(None) };
            let ends = from.with_member(|from| {
                to.with_member(|to| {
                    prefetch_in_zset(set, [from, to].into_iter());
                    place_of(set, from).zip(place_of(set, to))
                })
            });
            Ok(ends.map(|(from, to)| unit.of_metres(from.distance(to))))
        })
    }

    /// GEOHASH: returns the positions of members as Geohash strings of 11 characters; `None` for one that does not
    /// exist. O(1) each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.geo_add("company", [(116.489033, 40.007669, "meituan")])?;
    /// let texts = store.geo_hash("company", ["meituan"])?;
    /// assert_eq!(texts[0].unwrap().as_str(), "wx4gdg0tx40");
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn geo_hash(
        &self,
        key: impl ToKey,
        of: impl ToMembers,
    ) -> Result<Vec<Option<GeohashText>>> {
        let places = self.geo_pos(key, of)?;
        Ok(places.into_iter().map(|place| place.map(Point::geohash)).collect())
    }

    /// GEOSEARCH: returns the members in an area. O(log n + k) and, for a polygon, O(vertices) for each member near it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set;
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the member at the centre does not exist;
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for negative lengths and for polygons of fewer than three
    /// vertices.
    pub fn geo_search(&self, key: impl ToKey, search: &GeoSearch) -> Result<Vec<Bytes>> {
        self.read(key, |view, keys| {
            let Some(set) = zset_at(view, keys[0])? else { return Ok(Vec::new()) };
            Ok(search::members(&find(set, &search.shape(set)?, search.limits(), false)))
        })
    }

    /// GEOSEARCH WITHDIST WITHHASH WITHCOORD: returns the members in an area, with positions and distances. Complexity
    /// as [`geo_search`](Self::geo_search).
    ///
    /// # Errors
    ///
    /// As [`geo_search`](Self::geo_search).
    pub fn geo_search_hits(&self, key: impl ToKey, search: &GeoSearch) -> Result<Vec<GeoHit>> {
        self.read(key, |view, keys| {
            let Some(set) = zset_at(view, keys[0])? else { return Ok(Vec::new()) };
            let shape = search.shape(set)?;
            Ok(search::hits(&find(set, &shape, search.limits(), true), shape.unit()))
        })
    }

    /// GEOSEARCHSTORE: stores the members in an area of `source` at `destination`, replacing a value of any type;
    /// returns their number. An empty result removes the key. O(log n + k log k).
    ///
    /// # Errors
    ///
    /// As [`geo_search`](Self::geo_search), for the source.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {geo, store::*}; }
    /// use tallis::geo::Unit;
    /// use tallis::{GeoSearch, GeoStored, Store};
    ///
    /// let store = Store::new();
    /// store.geo_add("sicily", [(13.361389, 38.115556, "Palermo"), (15.087269, 37.502669, "Catania")])?;
    /// let search = GeoSearch::circle("Palermo", 200.0, Unit::Kilometres);
    /// assert_eq!(store.geo_search_store("near", "sicily", &search, GeoStored::Distances)?, 2);
    /// assert_eq!(store.zscore("near", "Palermo")?, Some(0.0));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn geo_search_store(
        &self,
        destination: impl ToKey,
        source: impl ToKey,
        search: &GeoSearch,
        stored: GeoStored,
    ) -> Result<usize> {
        self.write((destination, source), |scope, keys| {
            let [destination, source] = *keys else { return Ok(0) };
            // Accessed through the store, so that sinks receive the drop of an expired source too.
            scope.drop_expired(source);
            let shape = match zset_at(scope, source)? {
                Some(set) => Some(search.shape(set)?),
                None => None,
            };
            store(scope, destination, source, shape.as_ref(), search.limits(), stored)
        })
    }

    /// GEORADIUS WITHDIST WITHHASH WITHCOORD: returns the members within a radius of a point, nearest first, at most
    /// `count` of them unless that is 0. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`geo_add`](Self::geo_add) for the point, and as [`geo_search`](Self::geo_search).
    pub fn geo_radius(
        &self,
        key: impl ToKey,
        lon: f64,
        lat: f64,
        radius: f64,
        unit: Unit,
        count: usize,
    ) -> Result<Vec<GeoHit>> {
        let search = GeoSearch::circle(GeoCentre::at(lon, lat)?, radius, unit);
        self.geo_search_hits(key, &search.order(GeoOrder::Asc).count(count))
    }

    /// GEORADIUSBYMEMBER WITHDIST WITHHASH WITHCOORD: as [`geo_radius`](Self::geo_radius), around a member.
    ///
    /// # Errors
    ///
    /// As [`geo_search`](Self::geo_search).
    pub fn geo_radius_by_member(
        &self,
        key: impl ToKey,
        member: impl ToMember,
        radius: f64,
        unit: Unit,
        count: usize,
    ) -> Result<Vec<GeoHit>> {
        member.with_member(|member| {
            let centre = GeoCentre::Member(member.to_bytes());
            let search = GeoSearch::circle(centre, radius, unit);
            self.geo_search_hits(key, &search.order(GeoOrder::Asc).count(count))
        })
    }
}

/// Creates a point, if it is in range.
pub(crate) fn place(lon: f64, lat: f64) -> Result<Point> {
    Point::new(lon, lat).map_err(|_| {
        let text = format!("ERR invalid longitude,latitude pair {lon:.6},{lat:.6}");
        Error::new(ErrorKind::Syntax, text)
    })
}

/// The position of a member.
pub(crate) fn place_of(set: &ZSet, member: Member<'_>) -> Option<Point> {
    Some(place_of_score(member.with_bytes(|bytes| set.score(bytes))?))
}

/// The position that a score encodes.
fn place_of_score(score: f64) -> Point {
    geo::decode(geo::hash_of_score(score))
}
