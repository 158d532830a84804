//! The words of a search.

use geo::{Point, Shape, Unit};

use super::{place_of, unit};
use crate::commands::{GeoOrder, GeoStored, Limits, place_of as place_of_member};
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{int, int32, is, refused};
use crate::member::Member;
use crate::profile::Profile;
use crate::text::double;
use crate::value::ZSet;

/// What the name of a command says already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// GEORADIUS: a place and a radius come first.
    Radius { stores: bool },
    /// GEORADIUSBYMEMBER: a member and a radius come first.
    RadiusByMember { stores: bool },
    /// GEOSEARCH: all is said by options.
    Search,
    /// GEOSEARCHSTORE.
    SearchStore,
}

/// Where a search begins.
#[derive(Clone, Copy, Debug)]
enum Centre<'a> {
    Member(&'a [u8]),
    Place(Point),
}

/// What area is searched.
#[derive(Clone, Debug)]
enum Area {
    Circle(f64, Unit),
    Rectangle(f64, f64, Unit),
    Polygon(Vec<Point>),
}

/// What is returned of a member beside its name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct With {
    pub(super) distance: bool,
    pub(super) hash: bool,
    pub(super) coordinates: bool,
}

impl With {
    /// Whether anything is.
    pub(super) fn any(self) -> bool {
        self.distance || self.hash || self.coordinates
    }
}

/// What the options say, and what the name of the command does.
#[derive(Clone, Debug, Default)]
pub(super) struct Options<'a> {
    centre: Option<Centre<'a>>,
    area: Option<Area>,
    pub(super) limits: Limits,
    pub(super) with: With,
    pub(super) store: Option<(&'a [u8], GeoStored)>,
}

/// A command, read as far as it can be without the sorted set.
///
/// Redis looks members up while it reads, so a member that is missing is reported before what is wrong with the words
/// behind it. Here the words are read first, to know which keys to lock, and what was found on the way is kept in
/// order.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// Members that must be there, in front of what is wrong.
    members: Vec<&'a [u8]>,
    /// The radius of GEORADIUSBYMEMBER, which is not read where there is no set.
    radius: Option<Result<Area>>,
    pub(super) options: Result<Options<'a>>,
}

impl<'a> Call<'a> {
    pub(super) fn parse(
        form: Form,
        words: &[&'a [u8]],
        destination: Option<&'a [u8]>,
        profile: Profile,
    ) -> Self {
        let mut call = Self { members: Vec::new(), radius: None, options: Err(Error::syntax()) };
        call.options = call.read(form, words, destination, profile);
        call
    }

    fn read(
        &mut self,
        form: Form,
        words: &[&'a [u8]],
        destination: Option<&'a [u8]>,
        profile: Profile,
    ) -> Result<Options<'a>> {
        let mut options = Options::default();
        let (rest, stores) = match (form, words) {
            (Form::Radius { stores }, [lon, lat, radius, unit, rest @ ..]) => {
                options.centre = Some(Centre::Place(place_of(lon, lat)?));
                options.area = Some(circle(radius, unit)?);
                (rest, stores)
            }
            (Form::RadiusByMember { stores }, [member, radius, unit, rest @ ..]) => {
                options.centre = Some(Centre::Member(member));
                self.members.push(member);
                self.radius = Some(circle(radius, unit));
                (rest, stores)
            }
            (Form::Search | Form::SearchStore, rest) => {
                options.store = destination.map(|key| (key, GeoStored::Positions));
                (rest, false)
            }
            _ => return Err(Error::syntax()),
        };
        let is_search = matches!(form, Form::Search | Form::SearchStore);
        let mut rest = rest;
        while let [word, behind @ ..] = rest {
            rest = if let Some(rest) = options.flag(word, behind)? {
                rest
            } else if let Some(rest) = options.stored(word, behind, form, stores) {
                rest
            } else if is_search {
                self.area_word(&mut options, word, behind, profile)?.ok_or_else(Error::syntax)?
            } else {
                return Err(Error::syntax());
            };
        }
        options.check(form, is_search, profile)?;
        Ok(options)
    }

    /// Reads FROM and BY, of which each excludes others.
    fn area_word<'w>(
        &mut self,
        options: &mut Options<'a>,
        word: &[u8],
        behind: &'w [&'a [u8]],
        profile: Profile,
    ) -> Result<Option<&'w [&'a [u8]]>> {
        let centre = options.centre;
        let is_polygon = matches!(options.area, Some(Area::Polygon(_)));
        let is_circle = matches!(options.area, None | Some(Area::Circle(..)));
        let is_box = matches!(options.area, None | Some(Area::Rectangle(..)));
        match behind {
            [member, rest @ ..]
                if is(word, "frommember")
                    && !is_polygon
                    && !matches!(centre, Some(Centre::Place(_))) =>
            {
                self.members.push(member);
                options.centre = Some(Centre::Member(member));
                Ok(Some(rest))
            }
            [lon, lat, rest @ ..]
                if is(word, "fromlonlat")
                    && !is_polygon
                    && !matches!(centre, Some(Centre::Member(_))) =>
            {
                options.centre = Some(Centre::Place(place_of(lon, lat)?));
                Ok(Some(rest))
            }
            [radius, unit, rest @ ..] if is(word, "byradius") && is_circle => {
                options.area = Some(circle(radius, unit)?);
                Ok(Some(rest))
            }
            [width, height, unit, rest @ ..] if is(word, "bybox") && is_box => {
                options.area = Some(rectangle(width, height, unit)?);
                Ok(Some(rest))
            }
            [count, vertices @ ..]
                if profile.geo_polygons()
                    && is(word, "bypolygon")
                    && !vertices.is_empty()
                    && (options.area.is_none() || is_polygon)
                    && centre.is_none() =>
            {
                let (polygon, rest) = polygon(count, vertices)?;
                options.area = Some(polygon);
                Ok(Some(rest))
            }
            _ => Ok(None),
        }
    }

    /// The area in a sorted set, if there is one, and the options; or what is wrong first.
    pub(super) fn prepare(self, set: Option<&ZSet>) -> Result<(Option<Shape>, Options<'a>)> {
        let place = |set: &ZSet, member: &[u8]| {
            place_of_member(set, Member::Bytes(member)).ok_or_else(Error::undecodable)
        };
        let Some(set) = set else { return Ok((None, self.options?)) };
        for member in self.members {
            place(set, member)?;
        }
        let radius = self.radius.transpose()?;
        let options = self.options?;
        let area = options.area.clone().or(radius).ok_or_else(Error::syntax)?;
        let centre = match options.centre {
            Some(Centre::Place(place)) => Some(place),
            Some(Centre::Member(member)) => Some(place(set, member)?),
            None => None,
        };
        let shape = match (area, centre) {
            (Area::Circle(radius, unit), Some(centre)) => Shape::circle(centre, radius, unit),
            (Area::Rectangle(width, height, unit), Some(centre)) => {
                Shape::rectangle(centre, width, height, unit)
            }
            (Area::Polygon(vertices), None) => Shape::polygon(vertices),
            _ => return Err(Error::syntax()),
        };
        // Lengths and vertices were checked when they were read.
        Ok((Some(shape.map_err(|_| Error::syntax())?), options))
    }
}

impl<'a> Options<'a> {
    /// Reads an option that all forms have.
    fn flag<'w>(&mut self, word: &[u8], behind: &'w [&'a [u8]]) -> Result<Option<&'w [&'a [u8]]>> {
        match () {
            () if is(word, "withdist") => self.with.distance = true,
            () if is(word, "withhash") => self.with.hash = true,
            () if is(word, "withcoord") => self.with.coordinates = true,
            () if is(word, "any") => self.limits.any = true,
            () if is(word, "asc") => self.limits.order = Some(GeoOrder::Asc),
            () if is(word, "desc") => self.limits.order = Some(GeoOrder::Desc),
            () if is(word, "count") => {
                let [count, rest @ ..] = behind else { return Ok(None) };
                let count = int(count)?;
                if count <= 0 {
                    return Err(refused("ERR COUNT must be > 0"));
                }
                self.limits.count = usize::try_from(count).unwrap_or(usize::MAX);
                return Ok(Some(rest));
            }
            () => return Ok(None),
        }
        Ok(Some(behind))
    }

    /// Reads STORE and STOREDIST.
    fn stored<'w>(
        &mut self,
        word: &[u8],
        behind: &'w [&'a [u8]],
        form: Form,
        stores: bool,
    ) -> Option<&'w [&'a [u8]]> {
        let distances = is(word, "storedist");
        let stored = if distances { GeoStored::Distances } else { GeoStored::Positions };
        match (form, behind) {
            (Form::SearchStore, _) if distances => {
                self.store = self.store.map(|(key, _)| (key, GeoStored::Distances));
                Some(behind)
            }
            (_, [key, rest @ ..]) if stores && (distances || is(word, "store")) => {
                self.store = Some((key, stored));
                Some(rest)
            }
            _ => None,
        }
    }

    /// What does not go together, or is missing.
    fn check(&self, form: Form, is_search: bool, profile: Profile) -> Result<()> {
        let refused = |text: &'static str| Err(refused(text));
        if self.store.is_some() && self.with.any() {
            return refused(match form {
                Form::SearchStore => {
                    "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options"
                }
                Form::Radius { .. } | Form::RadiusByMember { .. } | Form::Search => {
                    "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options"
                }
            });
        }
        let is_polygon = matches!(self.area, Some(Area::Polygon(_)));
        if is_search && self.centre.is_none() && !is_polygon {
            // The name of the command, as it was called, is added.
            return refused("ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ");
        }
        if is_search && self.area.is_none() {
            return refused(if profile.geo_polygons() {
                "ERR exactly one of BYRADIUS, BYBOX and BYPOLYGON can be specified for "
            } else {
                "ERR exactly one of BYRADIUS and BYBOX can be specified for "
            });
        }
        if self.limits.any && self.limits.count == 0 {
            return refused("ERR the ANY argument requires COUNT argument");
        }
        Ok(())
    }
}

fn length(text: &[u8], refusal: &'static str) -> Result<f64> {
    double::parse(text).ok_or_else(|| Error::new(ErrorKind::NotInteger, refusal))
}

fn circle(radius: &[u8], of: &[u8]) -> Result<Area> {
    let radius = length(radius, "ERR need numeric radius")?;
    if radius < 0.0 {
        return Err(refused("ERR radius cannot be negative"));
    }
    Ok(Area::Circle(radius, unit(of)?))
}

fn rectangle(width: &[u8], height: &[u8], of: &[u8]) -> Result<Area> {
    let width = length(width, "ERR need numeric width")?;
    let height = length(height, "ERR need numeric height")?;
    if width < 0.0 || height < 0.0 {
        return Err(refused("ERR height or width cannot be negative"));
    }
    Ok(Area::Rectangle(width, height, unit(of)?))
}

/// A polygon of so many vertices, and the words behind it.
fn polygon<'w, 'a>(count: &[u8], words: &'w [&'a [u8]]) -> Result<(Area, &'w [&'a [u8]])> {
    let count = int32(count).map_err(|_| refused("ERR invalid number of vertices"))?;
    let split = usize::try_from(count)
        .ok()
        .filter(|&count| count >= 3)
        .and_then(|count| words.split_at_checked(count.checked_mul(2)?));
    let few = || refused("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices");
    let (vertices, rest) = split.ok_or_else(few)?;
    let (vertices, _) = vertices.as_chunks::<2>();
    let vertices = vertices.iter().map(|[lon, lat]| place_of(lon, lat));
    Ok((Area::Polygon(vertices.collect::<Result<_>>()?), rest))
}
