//! Positions: the transcript of notes on the commands, and searches compared with a scan of all members.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]
#![expect(clippy::unreadable_literal, reason = "coordinates as in the commands")]

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use tallis::geo::{LATITUDES, Point, Shape, Unit, decode, hash_of_score};
use tallis::{
    ErrorKind, GeoCentre, GeoHit, GeoOrder, GeoSearch, GeoStored, Profile, Reply,
    SortedSetAddOptions, Store,
};
use testkit::rng::Rng;

use crate::journal::Journal;

const ZIP_CODES: &str = include_str!("../data/zip_codes.csv");

fn companies() -> Store {
    let store = Store::new();
    let add = |words: &str| {
        let words: Vec<_> = words.split(' ').collect();
        assert!(!store.execute(&words).is_error(), "{words:?}");
    };
    add("GEOADD company 116.48105 39.996794 juejin");
    add("GEOADD company 116.489033 40.007669 meituan");
    add("GEOADD company 116.562108 39.787602 jd 116.334255 40.027400 xiaomi");
    store
}

/// A reply in the form of `redis-cli`, with its parts separated by blanks and in brackets.
fn told(store: &Store, line: &str) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other kind is requested")]
    fn show(reply: &Reply) -> String {
        match reply {
            Reply::Bulk(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            Reply::Int(number) => number.to_string(),
            Reply::Nil | Reply::NullArray => "nil".to_owned(),
            Reply::Error(error) => error.to_string(),
            Reply::Array(parts) => {
                format!("[{}]", parts.iter().map(show).collect::<Vec<_>>().join(" "))
            }
            _ => panic!("{reply:?}"),
        }
    }
    let words: Vec<_> = line.split(' ').collect();
    show(&store.execute(&words).into_resp2(store.profile()))
}

#[test]
fn the_transcript_of_the_notes_is_reproduced_exactly() {
    let store = companies();
    for (line, reply) in [
        ("geodist company juejin meituan km", "1.3878"),
        ("geodist company meituan juejin km", "1.3878"),
        ("geodist company juejin jd km", "24.2739"),
        ("geodist company meituan jd km", "25.2590"),
        ("geodist company jd xiaomi km", "33.0047"),
        ("geodist company meituan xiaomi km", "13.3659"),
        ("geodist company juejin xiaomi km", "12.9606"),
        ("geodist company juejin juejin km", "0.0000"),
        ("geopos company juejin", "[[116.48104995489120483 39.99679348858259686]]"),
        ("geopos company meituan", "[[116.48903220891952515 40.00766997707732031]]"),
        ("geohash company jd juejin", "[wx4fk7jgtf0 wx4gd94yjn0]"),
        ("geohash company meituan", "[wx4gdg0tx40]"),
        ("geohash company jd", "[wx4fk7jgtf0]"),
        ("georadiusbymember company meituan 20 km count 3 asc", "[meituan juejin xiaomi]"),
        (
            "georadiusbymember company meituan 20 km withcoord withdist withhash count 3 asc",
            "[[meituan 0.0000 4069887179083478 [116.48903220891952515 40.00766997707732031]] \
             [juejin 1.3878 4069887154388167 [116.48104995489120483 39.99679348858259686]] \
             [xiaomi 13.3659 4069880904286516 [116.33425265550613403 40.02740024658161389]]]",
        ),
        (
            "georadius company 116.514202 39.905409 20 km withdist count 3 asc",
            "[[juejin 10.5501] [meituan 11.5748] [jd 13.7269]]",
        ),
    ] {
        assert_eq!(told(&store, line), reply, "{line}");
    }
}

#[test]
fn typed_calls_return_the_same() {
    let store = companies();
    let apart = store.geo_dist("company", "meituan", "xiaomi", Unit::Kilometres).unwrap().unwrap();
    assert_eq!(format!("{apart:.4}"), "13.3659");
    assert_eq!(store.geo_dist("company", "meituan", "nobody", Unit::Metres).unwrap(), None);
    assert_eq!(store.geo_dist("nothing", "a", "b", Unit::Metres).unwrap(), None);
    let places = store.geo_pos("company", ["jd", "nobody"]).unwrap();
    assert_eq!((places[0].unwrap().lon(), places[1]), (116.56210631132126, None));
    assert_eq!(store.geo_hash("nothing", ["a"]).unwrap(), [None]);

    let hits = store.geo_radius_by_member("company", "meituan", 20.0, Unit::Kilometres, 3).unwrap();
    let names: Vec<_> = hits.iter().map(|hit| &hit.member[..]).collect();
    assert_eq!(names, [&b"meituan"[..], b"juejin", b"xiaomi"]);
    assert_eq!(hash_of_score(hits[1].score), 4_069_887_154_388_167);
    assert_eq!(hits[1].place, store.geo_pos("company", ["juejin"]).unwrap()[0].unwrap());
    let hits = store.geo_radius("company", 116.514202, 39.905409, 20.0, Unit::Kilometres, 0);
    assert_eq!(hits.unwrap().len(), 3);

    let refusal = |search| store.geo_search("company", &search).unwrap_err();
    let error = refusal(GeoSearch::circle("nobody", 1.0, Unit::Metres));
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.to_string(), "ERR could not decode requested zset member");
    let centre = || GeoCentre::at(0.0, 0.0).unwrap();
    for length in [-1.0, f64::NAN] {
        let error = refusal(GeoSearch::circle(centre(), length, Unit::Metres));
        assert_eq!(error.to_string(), "ERR radius cannot be negative");
        let error = refusal(GeoSearch::rectangle(centre(), 1.0, length, Unit::Metres));
        assert_eq!(error.to_string(), "ERR height or width cannot be negative");
    }
    let error = refusal(GeoSearch::polygon([Point::new(0.0, 0.0).unwrap(); 2]));
    assert_eq!(error.to_string(), "ERR GEOSEARCH BYPOLYGON must have at least 3 vertices");
    let error = store.geo_add("company", [(0.0, 90.0, "pole")]).unwrap_err();
    assert_eq!(error.to_string(), "ERR invalid longitude,latitude pair 0.000000,90.000000");
    assert!(GeoCentre::at(-181.0, 0.0).is_err());
    store.set("text", "x").unwrap();
    let error = store.geo_pos("text", ["a"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
}

#[test]
fn options_of_adding_depend_on_existing_members() {
    let store = Store::new();
    let add = |lon, options| store.geo_add_options("k", [(lon, 1.0, "a")], options).unwrap();
    assert_eq!(add(1.0, SortedSetAddOptions::update_only(None)), 0);
    assert!(!store.exists("k").unwrap());
    assert_eq!(add(1.0, SortedSetAddOptions::add_only()), 1);
    assert_eq!(add(2.0, SortedSetAddOptions::add_only()), 0);
    assert_eq!(add(2.0, SortedSetAddOptions::default()), 0);
    assert_eq!(add(3.0, SortedSetAddOptions::default().include_changed_count()), 1);
    let place = store.geo_pos("k", ["a"]).unwrap()[0].unwrap();
    assert!((place.lon() - 3.0).abs() < 1e-5);
    // An invalid position prevents adding those before it as well.
    assert!(store.geo_add("k", [(4.0, 1.0, "b"), (400.0, 1.0, "c")]).is_err());
    assert_eq!(store.zcard("k").unwrap(), 1);
}

/// Members whose positions are given by their scores.
type Places = BTreeMap<Bytes, f64>;

fn scan(places: &Places, shape: &Shape) -> Vec<(u64, Bytes)> {
    let hit = |(name, &score): (&Bytes, &f64)| {
        let distance = shape.contains(decode(hash_of_score(score)))?;
        Some((shape.unit().of_metres(distance).to_bits(), name.clone()))
    };
    let mut found: Vec<_> = places.iter().filter_map(hit).collect();
    found.sort_unstable();
    found
}

fn found(hits: Vec<GeoHit>) -> Vec<(u64, Bytes)> {
    let mut found: Vec<_> =
        hits.into_iter().map(|hit| (hit.distance.to_bits(), hit.member)).collect();
    found.sort_unstable();
    found
}

/// A search, and the same area for the scan.
fn search(rng: &mut Rng, centre: Point, reach: f64) -> (GeoSearch, Shape) {
    let unit = [Unit::Metres, Unit::Kilometres, Unit::Feet, Unit::Miles][rng.index(4)];
    let mut length = || unit.of_metres(reach * (0.1 + rng.unit()));
    let (a, b) = (length(), length());
    match rng.index(3) {
        0 => (GeoSearch::circle(centre, a, unit), Shape::circle(centre, a, unit).unwrap()),
        1 => (
            GeoSearch::rectangle(centre, a, b, unit),
            Shape::rectangle(centre, a, b, unit).unwrap(),
        ),
        _ => {
            let side = reach / 1e5;
            let edge = *LATITUDES.end();
            let mut near = |at: f64, most: f64| (at + (rng.unit() - 0.5) * side).clamp(-most, most);
            let vertices: Vec<_> = (0..3 + unit.name().len() * 2)
                .map(|_| Point::new(near(centre.lon(), 180.0), near(centre.lat(), edge)).unwrap())
                .collect();
            (GeoSearch::polygon(vertices.clone()), Shape::polygon(vertices).unwrap())
        }
    }
}

/// Searches around many centres in all ways, and compares with a scan.
fn compare(store: &Store, key: &str, centres: &[Point], seed: u64) {
    let places: Places = store.zrange_withscores(key, 0, -1).unwrap().into_iter().collect();
    let mut rng = Rng::new(seed);
    let mut hits = 0;
    for round in 0..600 {
        let centre = centres[rng.index(centres.len())];
        let reach = 10_f64.powf(3.0 + 4.3 * rng.unit());
        let (search, shape) = search(&mut rng, centre, reach);
        let all = scan(&places, &shape);
        let ours = store.geo_search_hits(key, &search).unwrap();
        assert_eq!(found(ours.clone()), all, "{search:?}");
        hits += all.len();

        // Without distances, the same members in the same order.
        let names: Vec<_> = ours.iter().map(|hit| hit.member.clone()).collect();
        assert_eq!(store.geo_search(key, &search).unwrap(), names);
        // In the order of a server, as far as a server finds them.
        let cells = shape.redis_cells();
        let cell = |hit: &GeoHit| {
            let cell = cells.position(hash_of_score(hit.score));
            (cell.unwrap_or(usize::MAX), hit.score.to_bits(), hit.member.clone())
        };
        assert!(ours.is_sorted_by_key(cell), "{search:?}");

        let order = if round % 2 == 0 { GeoOrder::Asc } else { GeoOrder::Desc };
        let count = 1 + rng.index(20);
        let some = store.geo_search_hits(key, &search.clone().order(order).count(count)).unwrap();
        let mut distances: Vec<_> = all.iter().map(|&(distance, _)| distance).collect();
        if order == GeoOrder::Desc {
            distances.reverse();
        }
        distances.truncate(count);
        assert!(some.iter().map(|hit| hit.distance.to_bits()).eq(distances), "{search:?}");
        let any = store.geo_search(key, &search.clone().any(count)).unwrap();
        assert_eq!(any, names[..count.min(names.len())]);

        let stored = if round % 3 == 0 { GeoStored::Distances } else { GeoStored::Positions };
        let kept = store.geo_search_store("kept", key, &search, stored).unwrap();
        assert_eq!(kept, all.len());
        let scores: Places = store.zrange_withscores("kept", 0, -1).unwrap().into_iter().collect();
        for hit in ours {
            let score = if stored == GeoStored::Distances { hit.distance } else { hit.score };
            assert_eq!(scores[&hit.member].to_bits(), score.to_bits());
        }
    }
    assert!(hits > 1000, "{hits}");
}

fn point(lon: f64, lat: f64) -> Point {
    Point::new(lon, lat).unwrap()
}

#[test]
fn searches_among_zip_codes_equal_a_scan() {
    let store = Store::new();
    let rows = ZIP_CODES.lines().map(|line| {
        let mut fields = line.split(',');
        let code = fields.next().unwrap();
        let mut degrees = || fields.next().unwrap().parse::<f64>().unwrap();
        (degrees(), degrees(), code)
    });
    assert!(store.geo_add("zip", rows).unwrap() > 3000);
    let towns = [(-73.9, 40.7), (-118.2, 34.0), (-149.9, 61.2), (144.8, 13.5), (-170.7, -14.3)];
    let mut centres: Vec<_> = towns.iter().map(|&(lon, lat)| point(lon, lat)).collect();
    centres.extend([point(180.0, 20.0), point(-180.0, 60.0), point(0.0, 85.0)]);
    compare(&store, "zip", &centres, 1);
}

#[test]
fn searches_at_the_edges_of_the_map_equal_a_scan() {
    let north = *LATITUDES.end();
    let mut rng = Rng::new(2);
    let mut places = Vec::new();
    for at in 0..4000 {
        let (x, y) = (rng.unit() * 360.0 - 180.0, (rng.unit() * 2.0 - 1.0) * north);
        let near = |rng: &mut Rng| rng.unit().powi(6);
        let (lon, lat) = match at % 5 {
            0 => (x, y),
            1 => (180.0 - near(&mut rng), y),
            2 => (near(&mut rng) - 180.0, y),
            3 => (x, north - near(&mut rng)),
            _ => (x, near(&mut rng) - north),
        };
        places.push((lon, lat, at.to_string()));
    }
    for (at, lon) in [-180.0, 0.0, 180.0].into_iter().enumerate() {
        for (row, lat) in [-north, 0.0, north].into_iter().enumerate() {
            places.push((lon, lat, format!("corner:{at}:{row}")));
        }
    }
    let centres: Vec<_> = places.iter().step_by(3).map(|place| point(place.0, place.1)).collect();
    let store = Store::new();
    let add = |key: &str, some: &[(f64, f64, String)]| {
        store.geo_add(key, some.iter().map(|(lon, lat, name)| (*lon, *lat, name))).unwrap();
    };
    add("all", &places);
    compare(&store, "all", &centres, 3);
    // The same in a listpack.
    let few: Vec<_> = places.iter().rev().step_by(40).cloned().collect();
    add("few", &few);
    assert_eq!(store.object_encoding("few").unwrap(), Some("listpack"));
    compare(&store, "few", &centres, 4);
}

#[test]
fn the_result_of_a_stored_search_is_reported() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    store.geo_add("k", [(1.0, 1.0, "a"), (1.0, 2.0, "b")]).unwrap();
    store.set("near", "text").unwrap();
    let search = GeoSearch::circle("a", 1.0, Unit::Kilometres);
    store.geo_search_store("near", "k", &search, GeoStored::Distances).unwrap();
    store.geo_search_store("near", "none", &search, GeoStored::Distances).unwrap();
    store.geo_search_store("near", "none", &search, GeoStored::Distances).unwrap();
    let told: Vec<String> = journal.take().iter().map(ToString::to_string).collect();
    assert_eq!(told[2..], ["DEL near", "ZADD near 0 a", "DEL near"]);
}

#[test]
fn polygons_are_those_of_valkey() {
    let store = Store::new();
    told(&store, "GEOADD Sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania");
    let inside = "BYPOLYGON 4 13 38 14 38 14 39 13 39";
    assert_eq!(
        told(&store, &format!("GEOSEARCH Sicily {inside} WITHDIST")),
        "[[Palermo 44552.3676]]"
    );
    assert_eq!(told(&store, &format!("GEOSEARCHSTORE near Sicily {inside} STOREDIST")), "1");
    for (options, error) in [
        ("BYPOLYGON", "ERR syntax error"),
        ("BYPOLYGON 3", "ERR syntax error"),
        ("BYPOLYGON x 1", "ERR invalid number of vertices"),
        ("BYPOLYGON 2 1 1 2 2", "ERR GEOSEARCH BYPOLYGON must have at least 3 vertices"),
        ("BYPOLYGON 3 1 1 2 2 3", "ERR GEOSEARCH BYPOLYGON must have at least 3 vertices"),
        ("BYPOLYGON 3 1 1 2 2 3 x", "ERR value is not a valid float"),
        ("BYPOLYGON 3 1 1 2 2 3 99", "ERR invalid longitude,latitude pair 3.000000,99.000000"),
        ("BYPOLYGON 3 1 1 2 2 3 3 FROMLONLAT 1 1", "ERR syntax error"),
        ("FROMLONLAT 1 1 BYPOLYGON 3 1 1 2 2 3 3", "ERR syntax error"),
        ("BYRADIUS 1 m BYPOLYGON 3 1 1 2 2 3 3", "ERR syntax error"),
        ("BYPOLYGON 3 1 1 2 2 3 3 BYRADIUS 1 m", "ERR syntax error"),
        (
            "FROMLONLAT 1 1 ASC ASC ASC",
            "ERR exactly one of BYRADIUS and BYBOX can be specified for GeoSearch",
        ),
    ] {
        // The command table requires five more words.
        let pad = " ASC".repeat(5_usize.saturating_sub(options.split(' ').count()));
        let line = match options.strip_suffix("BYPOLYGON") {
            Some(before) => format!("GeoSearch Sicily{pad} {before}BYPOLYGON"),
            None if options == "BYPOLYGON 3" => format!("GeoSearch Sicily{pad} {options}"),
            None => format!("GeoSearch Sicily {options}{pad}"),
        };
        assert_eq!(told(&store, &line), error, "{line}");
    }
    let old = Store::builder().profile(Profile::Redis70).build();
    assert_eq!(told(&old, &format!("GEOSEARCH Sicily {inside}")), "ERR syntax error");
    assert_eq!(
        told(&old, "GEOSEARCH Sicily FROMLONLAT 1 1 ASC ASC"),
        "ERR exactly one of BYRADIUS and BYBOX can be specified for GEOSEARCH"
    );
}

#[test]
fn a_transaction_includes_the_destination_of_a_search() {
    let store = companies();
    let session = &mut store.session();
    for (line, reply) in [
        ("MULTI", "OK"),
        ("GEORADIUS company 116.5 39.9 20 km STORE a STOREDIST b", "QUEUED"),
        ("GEORADIUSBYMEMBER company jd 20 km storedist c", "QUEUED"),
        ("GEOSEARCHSTORE d company FROMMEMBER jd BYBOX 90 90 km", "QUEUED"),
    ] {
        assert_eq!(
            session.execute(&line.split(' ').collect::<Vec<_>>()),
            Reply::Status(reply.into())
        );
    }
    let counts = [3, 1, 4].map(Reply::Int).to_vec();
    assert_eq!(session.execute(&["EXEC"]), Reply::Array(counts));
    assert_eq!(store.exists_many(["a", "b", "c", "d"]).unwrap(), 3);
}

#[test]
fn the_keys_of_a_search_are_reported() {
    let store = Store::new();
    for (line, keys) in [
        ("georadius k 1 1 1 m STORE a storedist b", "[k a b]"),
        ("georadius k 1 1 1 m asc store", "[k]"),
        ("georadius k 1 1 1 m storedist a store", "[k a]"),
        ("georadius k 1 1 1 store a", "[k]"),
        ("georadiusbymember k store 1 m store a", "[k a]"),
        ("geosearchstore a k 1 2 3 4 5", "[a k]"),
    ] {
        assert_eq!(told(&store, &format!("COMMAND GETKEYS {line}")), keys, "{line}");
    }
}

/// Sums and other scores that GEOADD does not create represent positions, too, on the edge of the map and in its
/// corner.
#[test]
fn searches_find_members_that_were_not_added_as_positions() {
    let scores = [
        f64::NEG_INFINITY,
        -1e19,
        -1.0,
        0.0,
        14335005383086992.0,
        26015865027157136.0,
        4503599627370496.0,
        9e18,
        2e19,
        f64::INFINITY,
    ];
    for limit in [0, 128] {
        let store = Store::builder()
            .limits(tallis::Limits {
                zset_max_listpack_entries: limit,
                ..tallis::Limits::default()
            })
            .build();
        store.geo_add("g", [(2.3522, 48.8566, "paris"), (179.999, 85.05, "corner")]).unwrap();
        for (number, score) in scores.into_iter().enumerate() {
            store.zadd("g", &*format!("odd:{number}"), score).unwrap();
        }
        let members = store.zrange_withscores("g", 0, -1).unwrap();
        for (centre, of_centre) in &members {
            for metres in [1.0, 1_000.0, 1e6, 1.5e7] {
                let at = decode(hash_of_score(*of_centre));
                let shape = Shape::circle(at, metres, Unit::Metres).unwrap();
                let mut scanned: Vec<_> = members
                    .iter()
                    .filter(|(_, score)| shape.contains_hash(hash_of_score(*score)).is_some())
                    .map(|(member, _)| member.clone())
                    .collect();
                scanned.sort_unstable();
                let words = [&b"GEOSEARCH"[..], b"g", b"FROMMEMBER", centre, b"BYRADIUS"];
                let metres = metres.to_string();
                let words = words.into_iter().chain([metres.as_bytes(), b"m"]);
                let mut found: Vec<Bytes> =
                    store.execute(&words.collect::<Vec<_>>()).convert().unwrap();
                found.sort_unstable();
                assert!(found.contains(centre), "{centre:?} {metres}");
                assert_eq!(found, scanned, "{centre:?} {metres}");
            }
        }
    }
}
