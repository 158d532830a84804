//! Runs the command.

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
/// A file that cannot be read or loaded, a malformed row unless these are skipped, a file that cannot be saved. At an
/// interrupt, what was read is saved.
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

/// Returns whether the loaded store has points. Fails if their key has another type.
fn has_places(store: &Store, file: &Path) -> Result<bool, Failure> {
    match store.key_type(KEY)? {
        Some(found) if found == "zset" => Ok(true),
        Some(_) => Err(snapshot::unfit(file, &format!("the key {KEY} does not hold places"))),
        None => Ok(false),
    }
}

/// Runs the query of the command line, in metres, and returns the unit of the output.
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

/// Returns this number of nearest points, from a circle that is enlarged until it has enough.
fn nearest(store: &Store, centre: Point, count: usize) -> Result<Vec<GeoHit>, tallis::Error> {
    let mut radius = 1000.0;
    loop {
        // Half of the circumference is the largest distance. If it is NaN because of rounding, the circle still
        // contains the point.
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
