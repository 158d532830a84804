//! The options and results of a geospatial search.

use bytes::Bytes;
use geo::{Point, Shape, Unit};

use super::{Found, place, place_of};
use crate::commands::byte_strings::ByteStrings;
use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::value::ZSet;

/// The centre of a search.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GeoCentre {
    /// FROMMEMBER: the position of this member.
    Member(Bytes),
    /// FROMLONLAT: a point.
    Place(Point),
}

impl GeoCentre {
    /// Creates a centre from a longitude and a latitude, in degrees.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the point is out of range.
    pub fn at(lon: f64, lat: f64) -> Result<Self> {
        place(lon, lat).map(Self::Place)
    }
}

impl From<Point> for GeoCentre {
    fn from(place: Point) -> Self {
        Self::Place(place)
    }
}

impl From<&str> for GeoCentre {
    fn from(member: &str) -> Self {
        Self::Member(Bytes::copy_from_slice(member.as_bytes()))
    }
}

impl From<&[u8]> for GeoCentre {
    fn from(member: &[u8]) -> Self {
        Self::Member(Bytes::copy_from_slice(member))
    }
}

/// The order of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GeoOrder {
    /// ASC: nearest first.
    Asc,
    /// DESC: furthest first.
    Desc,
}

/// What GEOSEARCHSTORE stores as scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GeoStored {
    /// Positions, so that the result can be searched too.
    #[default]
    Positions,
    /// STOREDIST: distances, in the unit of the search.
    Distances,
}

/// The area of a search, and the number and order of the results.
///
/// Without an order they are in Redis's order: by the cells that it searches, that of the centre first, and by position
/// in each.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {geo, store::*}; }
/// use tallis::geo::Unit;
/// use tallis::{GeoCentre, GeoOrder, GeoSearch};
///
/// // BYRADIUS 20 km FROMMEMBER meituan COUNT 3
/// let nearest = GeoSearch::circle("meituan", 20.0, Unit::Kilometres).count(3);
/// // BYBOX 400 200 mi FROMLONLAT 15 37 DESC
/// let boxed = GeoSearch::rectangle(GeoCentre::at(15.0, 37.0)?, 400.0, 200.0, Unit::Miles).order(GeoOrder::Desc);
/// # let _ = (nearest, boxed);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeoSearch {
    /// `None` for a polygon.
    centre: Option<GeoCentre>,
    area: Area,
    limits: Limits,
}

/// The area that is searched.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Area {
    Circle(f64, Unit),
    Rectangle(f64, f64, Unit),
    Polygon(Vec<Point>),
}

/// The number and order of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Limits {
    pub(crate) order: Option<GeoOrder>,
    /// 0 for all.
    pub(crate) count: usize,
    pub(crate) any: bool,
}

impl GeoSearch {
    /// BYRADIUS: creates a search for members within a radius.
    pub fn circle(centre: impl Into<GeoCentre>, radius: f64, unit: Unit) -> Self {
        Self::new(Some(centre.into()), Area::Circle(radius, unit))
    }

    /// BYBOX: creates a search for members at most half a width from the centre's meridian, and at most half a height
    /// along it.
    pub fn rectangle(centre: impl Into<GeoCentre>, width: f64, height: f64, unit: Unit) -> Self {
        Self::new(Some(centre.into()), Area::Rectangle(width, height, unit))
    }

    /// BYPOLYGON: creates a search for members inside a polygon, as in Valkey 9. Distances are from the mean of the
    /// vertices, in metres.
    pub fn polygon(vertices: impl IntoIterator<Item = Point>) -> Self {
        Self::new(None, Area::Polygon(vertices.into_iter().collect()))
    }

    fn new(centre: Option<GeoCentre>, area: Area) -> Self {
        Self { centre, area, limits: Limits::default() }
    }

    /// ASC or DESC: sets the order.
    pub fn order(mut self, order: GeoOrder) -> Self {
        self.limits.order = Some(order);
        self
    }

    /// COUNT: limits the number of results to the nearest ones, or by another requested order; 0 for all.
    pub fn count(mut self, count: usize) -> Self {
        self.limits.count = count;
        self.limits.any = false;
        self
    }

    /// COUNT ANY: limits the number of results to those that are found first; 0 for all.
    pub fn any(mut self, count: usize) -> Self {
        self.limits.count = count;
        self.limits.any = count > 0;
        self
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// The area, in a sorted set in which members have positions.
    pub(crate) fn shape(&self, set: &ZSet) -> Result<Shape> {
        let centre = self.centre.as_ref().map(|centre| match centre {
            GeoCentre::Place(place) => Ok(*place),
            GeoCentre::Member(member) => centre_at(set, member),
        });
        self.area.shape(centre.transpose()?)
    }
}

/// The position of the member that is the centre.
pub(crate) fn centre_at(set: &ZSet, member: &[u8]) -> Result<Point> {
    place_of(set, Member::Bytes(member)).ok_or_else(Error::undecodable)
}

impl Area {
    /// The area around its centre.
    pub(crate) fn shape(&self, centre: Option<Point>) -> Result<Shape> {
        let refused = |text: &'static str| move |_| Error::new(ErrorKind::Syntax, text);
        match (self, centre) {
            (&Self::Circle(radius, unit), Some(centre)) => Shape::circle(centre, radius, unit)
                .map_err(refused("ERR radius cannot be negative")),
            (&Self::Rectangle(width, height, unit), Some(centre)) => {
                Shape::rectangle(centre, width, height, unit)
                    .map_err(refused("ERR height or width cannot be negative"))
            }
            (Self::Polygon(vertices), _) => Shape::polygon(&vertices[..])
                .map_err(refused("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices")),
            (Self::Circle(..) | Self::Rectangle(..), None) => Err(Error::syntax()),
        }
    }
}

/// A member in an area.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeoHit {
    /// The member.
    pub member: Bytes,
    /// Its distance from the centre, in the unit of the search.
    pub distance: f64,
    /// Its position: the centre of its cell.
    pub place: Point,
    /// Its score.
    pub score: f64,
}

pub(super) fn members(found: &[Found<'_>]) -> Vec<Bytes> {
    let mut members = ByteStrings::with_capacity(found.len());
    for hit in found {
        members.push(hit.member.into());
    }
    members.finish()
}

pub(super) fn hits(found: &[Found<'_>], unit: Unit) -> Vec<GeoHit> {
    let members = members(found).into_iter().zip(found);
    let hit = |(member, found): (Bytes, &Found<'_>)| GeoHit {
        member,
        distance: unit.of_metres(found.distance),
        place: geo::decode(geo::hash_of_score(found.score)),
        score: found.score,
    };
    members.map(hit).collect()
}
