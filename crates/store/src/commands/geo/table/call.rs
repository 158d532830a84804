//! Parsing of a search.

use geo::{Point, Shape};

use super::{place_of, unit};
use crate::commands::{Area, GeoOrder, GeoStored, Limits, centre_at};
use crate::error::{Error, ErrorKind, Result};
use crate::execute::{c_string, int, int32, refused, take, take_with};
use crate::profile::Profile;
use crate::text::double;
use crate::value::ZSet;

/// What the command's name determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// GEORADIUS: starts with a point and a radius.
    Radius { stores: bool },
    /// GEORADIUSBYMEMBER: starts with a member and a radius.
    RadiusByMember { stores: bool },
    /// GEOSEARCH: has only options.
    Search,
    /// GEOSEARCHSTORE.
    SearchStore,
}

/// The centre of a search.
#[derive(Clone, Copy, Debug)]
enum Centre<'a> {
    Member(&'a [u8]),
    Place(Point),
}

/// What is returned for a member in addition to its name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct With {
    pub(super) distance: bool,
    pub(super) hash: bool,
    pub(super) coordinates: bool,
}

impl With {
    /// Returns whether any is set.
    pub(super) fn any(self) -> bool {
        self.distance || self.hash || self.coordinates
    }
}

/// The parsed options, and what the command does.
#[derive(Clone, Debug, Default)]
pub(super) struct Options<'a> {
    centre: Option<Centre<'a>>,
    area: Option<Area>,
    pub(super) limits: Limits,
    pub(super) with: With,
    pub(super) store: Option<(&'a [u8], GeoStored)>,
}

/// A command, parsed as far as possible without the sorted set.
///
/// Redis looks up members while it parses, so a missing member is reported before an error in later words. Here the
/// words are parsed first, to know which keys to lock, and errors are kept in order.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// Members that must exist, before the error.
    members: Vec<&'a [u8]>,
    /// The radius of GEORADIUSBYMEMBER, which is not parsed if the key does not exist.
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
                options.centre = Some(Centre::Place(place_of(lon, lat, profile)?));
                options.area = Some(circle(radius, unit, profile)?);
                (rest, stores)
            }
            (Form::RadiusByMember { stores }, [member, radius, unit, rest @ ..]) => {
                options.centre = Some(Centre::Member(member));
                self.members.push(member);
                self.radius = Some(circle(radius, unit, profile));
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
        while !rest.is_empty() {
            let known = options.flag(&mut rest)?
                || options.stored(&mut rest, form, stores)
                || is_search && self.area_word(&mut options, &mut rest, profile)?;
            if !known {
                return Err(Error::syntax());
            }
        }
        options.check(form, is_search, profile)?;
        Ok(options)
    }

    /// Parses FROM and BY options, which exclude each other; returns `false` for another word.
    fn area_word(
        &mut self,
        options: &mut Options<'a>,
        words: &mut &[&'a [u8]],
        profile: Profile,
    ) -> Result<bool> {
        let (centre, area) = (options.centre, &options.area);
        let is_polygon = matches!(area, Some(Area::Polygon(_)));
        let may_be_circle = matches!(area, None | Some(Area::Circle(..)));
        let may_be_box = matches!(area, None | Some(Area::Rectangle(..)));
        let may_be_polygon = profile.geo_polygons() && (area.is_none() || is_polygon);
        let may_be_member = !is_polygon && !matches!(centre, Some(Centre::Place(_)));
        let may_be_place = !is_polygon && !matches!(centre, Some(Centre::Member(_)));
        if may_be_member && let Some([member]) = take_with(words, "frommember") {
            self.members.push(member);
            options.centre = Some(Centre::Member(member));
        } else if may_be_place && let Some([lon, lat]) = take_with(words, "fromlonlat") {
            options.centre = Some(Centre::Place(place_of(lon, lat, profile)?));
        } else if may_be_circle && let Some([radius, unit]) = take_with(words, "byradius") {
            options.area = Some(circle(radius, unit, profile)?);
        } else if may_be_box && let Some([width, height, unit]) = take_with(words, "bybox") {
            options.area = Some(rectangle(width, height, unit, profile)?);
        } else if may_be_polygon
            && centre.is_none()
            && words.len() > 2
            && let Some([count]) = take_with(words, "bypolygon")
        {
            options.area = Some(polygon(count, words, profile)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The area in a sorted set, if it exists, and the options; or the first error.
    pub(super) fn prepare(
        self,
        set: Option<&ZSet>,
        profile: Profile,
    ) -> Result<(Option<Shape>, Options<'a>)> {
        let Some(set) = set else { return Ok((None, self.options?)) };
        for member in self.members {
            centre_at(set, member).map_err(|error| named(error, member, profile))?;
        }
        let radius = self.radius.transpose()?;
        let options = self.options?;
        let area = options.area.clone().or(radius).ok_or_else(Error::syntax)?;
        let centre = options.centre.map(|centre| match centre {
            Centre::Place(place) => Ok(place),
            Centre::Member(member) => centre_at(set, member),
        });
        Ok((Some(area.shape(centre.transpose()?)?), options))
    }
}

impl<'a> Options<'a> {
    /// Parses an option that all forms have; returns `false` for another word.
    fn flag(&mut self, words: &mut &[&'a [u8]]) -> Result<bool> {
        match () {
            () if take(words, "withdist") => self.with.distance = true,
            () if take(words, "withhash") => self.with.hash = true,
            () if take(words, "withcoord") => self.with.coordinates = true,
            () if take(words, "any") => self.limits.any = true,
            () if take(words, "asc") => self.limits.order = Some(GeoOrder::Asc),
            () if take(words, "desc") => self.limits.order = Some(GeoOrder::Desc),
            () => {
                let Some([count]) = take_with(words, "count") else { return Ok(false) };
                let count = int(count)?;
                if count <= 0 {
                    return Err(refused("ERR COUNT must be > 0"));
                }
                self.limits.count = usize::try_from(count).unwrap_or(usize::MAX);
            }
        }
        Ok(true)
    }

    /// Parses STORE and STOREDIST; returns `false` for another word.
    fn stored(&mut self, words: &mut &[&'a [u8]], form: Form, stores: bool) -> bool {
        if form == Form::SearchStore && take(words, "storedist") {
            self.store = self.store.map(|(key, _)| (key, GeoStored::Distances));
            return true;
        }
        let names = [("store", GeoStored::Positions), ("storedist", GeoStored::Distances)];
        let found = names.into_iter().filter(|_| stores).find_map(|(name, stored)| {
            let [key] = take_with(words, name)?;
            Some((key, stored))
        });
        self.store = found.or(self.store);
        found.is_some()
    }

    /// Checks that the options are complete and do not exclude each other.
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
            // The name of the command, as it was called, is appended.
            return refused("ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ");
        }
        if is_search && self.area.is_none() {
            return refused(if profile.geo_tells_of_polygons() {
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

/// The error of a search around a member that does not exist.
fn named(error: Error, member: &[u8], profile: Profile) -> Error {
    if !profile.geo_names_member() {
        return error;
    }
    let parts: [&[u8]; 3] = [b"ERR member ", c_string(member), b" does not exist"];
    Error::showing(ErrorKind::InvalidArgument, &parts)
}

fn length(text: &[u8], refusal: &'static str, profile: Profile) -> Result<f64> {
    double::parse_in(text, profile).ok_or_else(|| Error::new(ErrorKind::NotInteger, refusal))
}

fn circle(radius: &[u8], of: &[u8], profile: Profile) -> Result<Area> {
    let radius = length(radius, "ERR need numeric radius", profile)?;
    if radius < 0.0 {
        return Err(refused("ERR radius cannot be negative"));
    }
    Ok(Area::Circle(radius, unit(of)?))
}

fn rectangle(width: &[u8], height: &[u8], of: &[u8], profile: Profile) -> Result<Area> {
    let width = length(width, "ERR need numeric width", profile)?;
    let height = length(height, "ERR need numeric height", profile)?;
    if width < 0.0 || height < 0.0 {
        return Err(refused("ERR height or width cannot be negative"));
    }
    Ok(Area::Rectangle(width, height, unit(of)?))
}

/// Parses a polygon with that many vertices.
fn polygon(count: &[u8], words: &mut &[&[u8]], profile: Profile) -> Result<Area> {
    let count = int32(count).map_err(|_| refused("ERR invalid number of vertices"))?;
    let split = usize::try_from(count)
        .ok()
        .filter(|&count| count >= 3)
        .and_then(|count| words.split_at_checked(count.checked_mul(2)?));
    let few = || refused("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices");
    let (vertices, rest) = split.ok_or_else(few)?;
    *words = rest;
    let (vertices, _) = vertices.as_chunks::<2>();
    let vertices = vertices.iter().map(|[lon, lat]| place_of(lon, lat, profile));
    Ok(Area::Polygon(vertices.collect::<Result<_>>()?))
}
