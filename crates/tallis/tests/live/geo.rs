//! Searches at the edge of the map, near the poles and across the date line, where a server omits results.

use redis::Value;
use tallis::geo::{LATITUDES, Point, Shape, Unit, hash_of_score};
use tallis::{GeoSearch, Profile, Store};
use testkit::live::server;
use testkit::rng::Rng;

use super::run;

/// The server returns the members in the cells that it searches, in their order; further members are only in our reply.
#[test]
fn a_server_finds_what_its_cells_have() {
    let Some(server) = server() else { return };
    let mut server = server.connect();
    let store = Store::builder().profile(Profile::Redis70).build();
    let north = *LATITUDES.end();
    let mut rng = Rng::new(5);
    let mut add = vec!["GEOADD".to_owned(), "rim".to_owned()];
    let mut places = Vec::new();
    for at in 0..600 {
        let near = rng.unit().powi(5) * 20.0;
        let (x, y) = (rng.unit() * 360.0 - 180.0, (rng.unit() * 2.0 - 1.0) * north);
        let (lon, lat) = match at % 8 {
            0 => (180.0 - near, y),
            1 => (near - 180.0, y),
            2 => (x, north - near),
            3 => (x, near - north),
            4 => (180.0, y),
            5 => (x, north),
            6 => (-180.0, y),
            _ => (x, -north),
        };
        places.push(Point::new(lon, lat).unwrap());
        add.extend([lon.to_string(), lat.to_string(), format!("place:{at}")]);
    }
    run(&mut server, &add);
    assert!(!store.execute(&add).is_error());

    let (mut told, mut missed) = (0, 0);
    for _ in 0..500 {
        let centre = places[rng.index(places.len())];
        let km = 10_f64.powf(4.2 * rng.unit());
        let (search, shape, words) = if rng.chance(1, 2) {
            (
                GeoSearch::circle(centre, km, Unit::Kilometres),
                Shape::circle(centre, km, Unit::Kilometres).unwrap(),
                format!("BYRADIUS {km} km"),
            )
        } else {
            (
                GeoSearch::rectangle(centre, km, km / 2.0, Unit::Kilometres),
                Shape::rectangle(centre, km, km / 2.0, Unit::Kilometres).unwrap(),
                format!("BYBOX {km} {} km", km / 2.0),
            )
        };
        let line = format!("GEOSEARCH rim FROMLONLAT {} {} {words}", centre.lon(), centre.lat());
        let Value::Array(theirs) = run(&mut server, &line.split(' ').collect::<Vec<_>>()) else {
            panic!("{line}")
        };
        let theirs: Vec<_> =
            theirs.iter().map(|member| testkit::live::as_bytes(member).unwrap().to_vec()).collect();
        let cells = shape.redis_cells();
        let ours = store.geo_search_hits("rim", &search).unwrap();
        let all = ours.len();
        let ours: Vec<_> = ours
            .into_iter()
            .filter(|hit| cells.position(hash_of_score(hit.score)).is_some())
            .map(|hit| hit.member.to_vec())
            .collect();
        (told, missed) = (told + ours.len(), missed + all - ours.len());
        assert_eq!(ours, theirs, "{line}");
    }
    assert!(told > 1000 && missed > 100, "{told} {missed}");
}

/// Members at equal distances have the order of the server's sorts, with and without a count.
#[test]
fn members_at_equal_distances_have_the_order_of_a_servers_sorts() {
    let Some(server) = server() else { return };
    let mut server = server.connect();
    let store = Store::builder().profile(Profile::Redis70).build();
    let mut rng = Rng::new(6);
    let (mut cut, mut whole) = (0, 0);
    for round in 0..60 {
        let key = format!("ties:{round}");
        let places = 1 + rng.index(40);
        let mut add = vec!["GEOADD".to_owned(), key.clone()];
        for at in 0..5 + rng.index(400) {
            // A few positions, some of which are as far to the west as others to the east.
            let place = rng.index(places);
            let (x, y) = (place % 7, place / 7);
            let lon = [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3][x];
            let lat = f64::from(u32::try_from(y).unwrap()) / 20.0;
            add.extend([lon.to_string(), lat.to_string(), format!("place:{at}")]);
        }
        run(&mut server, &add);
        assert!(!store.execute(&add).is_error());
        for _ in 0..20 {
            let order = if rng.chance(1, 2) { "ASC" } else { "DESC" };
            let line = format!("GEOSEARCH {key} FROMLONLAT 0 0.1 BYRADIUS 50 km {order}");
            let count = (1 + rng.index(100)).to_string();
            let mut words: Vec<_> = line.split(' ').collect();
            if rng.chance(4, 5) {
                words.extend(["COUNT", &count]);
                words.extend(rng.chance(1, 8).then_some("ANY"));
                cut += 1;
            } else {
                whole += 1;
            }
            let theirs = run(&mut server, &words);
            let ours = store.execute(&words);
            assert!(super::same_value(&ours, &theirs), "{words:?}\n{ours:?}\n{theirs:?}");
        }
    }
    assert!(cut > 500 && whole > 100);
}
