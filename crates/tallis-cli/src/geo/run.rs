//! The command itself: rows in, places out.

use std::path::Path;

use tallis::geo::{EARTH_RADIUS, Point, Unit};
use tallis::{GeoHit, GeoOrder, GeoSearch, Store};

use super::load::{KEY, Loader};
use super::report::Report;
use crate::args::GeoArgs;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::input::size_of_files;
use crate::output::deliver;
use crate::reading::{BadRow, Reading, TOO_LONG};
use crate::snapshot;
use crate::uv::TooLong;

/// Runs `tallis geo`.
///
/// # Errors
///
/// A file that cannot be read or loaded, a bad row unless bad rows are skipped, a file that cannot be saved. An
/// interrupt: what was read is saved then.
pub fn run(args: &GeoArgs) -> Result<(), Failure> {
    let total = size_of_files(&args.files)?;
    let destination = Destination::new(&args.directory, args.save.as_ref())?;
    destination.watch()?;
    let store = destination.open(Store::builder())?;
    if let Some(file) = &args.load {
        snapshot::load(&store, file)?;
        if !has_places(&store, file)? {
            return Err(snapshot::missing(file, KEY));
        }
    } else if let Some(directory) = destination.directory() {
        has_places(&store, directory)?;
    }
    let mut loader = Loader::new(&store).columns(args.columns.clone());
    let mut reading = Reading::new(total, args.lenient);
    for file in &args.files {
        loader.next_file();
        reading.each_line(file, |line| {
            let line = line.map_err(|TooLong| BadRow::skipped(TOO_LONG.to_owned()))?;
            loader.line(line)
        })?;
    }
    loader.finish()?;
    reading.finish();
    destination.save_if_interrupted(&store)?;

    let (hits, unit) = find(&store, args)?;
    let mut report = Report::new(hits, unit);
    deliver(&mut report, &store, &destination, args.json)
}

/// Whether what was loaded has places. It is refused if it has something else in their key.
fn has_places(store: &Store, file: &Path) -> Result<bool, Failure> {
    match store.key_type(KEY)? {
        Some(found) if found == "zset" => Ok(true),
        Some(_) => Err(snapshot::unfit(file, &format!("the key {KEY} holds no places"))),
        None => Ok(false),
    }
}

/// What the command line asks for, in metres, and the unit to show it in.
fn find(store: &Store, args: &GeoArgs) -> Result<(Vec<GeoHit>, Unit), tallis::Error> {
    let most = args.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
    let (search, unit) = if let Some(around) = args.radius {
        let metres = around.unit.to_metres(around.radius);
        (GeoSearch::circle(around.centre, metres, Unit::Metres), around.unit)
    } else if let Some(within) = args.within {
        let [width, height] = [within.width, within.height].map(|side| within.unit.to_metres(side));
        (GeoSearch::rectangle(within.centre, width, height, Unit::Metres), within.unit)
    } else if let Some(of) = args.nearest {
        return Ok((nearest(store, of.centre, of.count.min(most))?, Unit::Metres));
    } else {
        return Ok((Vec::new(), Unit::Metres));
    };
    Ok((store.geo_search_hits(KEY, &search.order(GeoOrder::Asc).count(most))?, unit))
}

/// So many places, those next to another: what a circle has that has enough of them.
fn nearest(store: &Store, centre: Point, count: usize) -> Result<Vec<GeoHit>, tallis::Error> {
    let mut radius = 1000.0;
    loop {
        // Half of the way round is as far as it goes. Where rounding leaves no number there, a circle has it all the
        // same.
        let last = radius > EARTH_RADIUS * core::f64::consts::PI;
        let search =
            GeoSearch::circle(centre, if last { f64::INFINITY } else { radius }, Unit::Metres);
        let hits = store.geo_search_hits(KEY, &search.order(GeoOrder::Asc).count(count))?;
        if hits.len() >= count || last {
            return Ok(hits);
        }
        radius *= 2.0;
    }
}
