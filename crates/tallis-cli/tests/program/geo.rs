use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use testkit::rng::Rng;

use crate::{Ran, run, run_with};

/// The towns of the example in the README.
pub(crate) fn example_towns() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/towns.csv")
}

const TOWNS: &[u8] = b"\
id,lon,lat
Palermo,13.361389,38.115556
\"Catania\",15.087269,\"37.502669\"

\"edge, of it\",12.758489,38.788135\r
Nowhere,0,0
Nowhere,17.241510,38.788135";

/// Returns the output of a search among the towns.
fn json(args: &[&str], input: &[u8]) -> String {
    let args = [&["geo", "--json", "-"], args].concat();
    let Ran { status, out, err } = run_with(&args, input);
    assert_eq!((status, err.as_str()), (0, ""), "{args:?}");
    out
}

fn ids(printed: &str) -> Vec<String> {
    let found: Vec<Value> = serde_json::from_str(printed).unwrap();
    found.iter().map(|found| found["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn json_is_one_line_with_the_documented_fields() {
    assert_eq!(
        json(&["--radius", "15,37,200km"], TOWNS),
        concat!(
            r#"[{"id":"Catania","dist":56441.2578701582,"lon":15.087267458438873,"lat":37.50266842333162,"dist_m":56441.2578701582},"#,
            r#"{"id":"Palermo","dist":190442.42984775783,"lon":13.361389338970184,"lat":38.1155563954963,"dist_m":190442.42984775783}]"#,
            "\n"
        )
    );
    assert_eq!(ids(&json(&["--box", "15,37,400km,400km"], TOWNS)).len(), 4);
    assert_eq!(ids(&json(&["--box", "15,37,400km,200000m"], TOWNS)), ["Catania"]);
    assert_eq!(
        ids(&json(&["--box", "15,37,400km,400km", "--count", "3"], TOWNS)),
        ["Catania", "Palermo", "Nowhere"]
    );
    assert_eq!(ids(&json(&["--radius=15,37,90ft"], TOWNS)), [""; 0]);
    assert_eq!(json(&["--nearest", "0,0,3"], b""), "[]\n");
    assert_eq!(ids(&json(&["--nearest", "15.1,37.5,1"], TOWNS)), ["Catania"]);
    assert_eq!(ids(&json(&["--nearest", "-170,-80,99"], TOWNS)).len(), 4);
    assert_eq!(ids(&json(&["--nearest", "-170,-80,99", "--count", "2"], TOWNS)).len(), 2);
}

#[test]
fn the_table_shows_the_same_positions() {
    let args = ["geo", "--box", "15,37,400km,400km", "-"];
    let Ran { status, out, err } = run_with(&args, TOWNS);
    assert_eq!((status, err.as_str()), (0, ""));
    let want = "\
id                  km         lon         lat
----------------------------------------------
Catania        56.4413   15.087267   37.502668
Palermo       190.4424   13.361389   38.115556
Nowhere       279.7403   17.241510   38.788135
edge, of it   279.7405   12.758488   38.788135
";
    assert_eq!(out, want);
    let none = run_with(&["geo", "--radius", "0,0,1mi", "-"], TOWNS).out;
    assert_eq!(none, "id   mi   lon   lat\n-------------------\n");
}

/// Rows near the date line, near the poles and anywhere, compared with the haversine formula.
#[test]
fn the_nearest_are_those_of_a_scan() {
    let mut rng = Rng::new(9);
    let mut rows = Vec::new();
    for at in 0..1500 {
        let near = rng.unit().powi(3);
        let (x, y) = (rng.unit() * 360.0 - 180.0, rng.unit() * 170.0 - 85.0);
        let (lon, lat) = match at % 4 {
            0 => (x, y),
            1 => (180.0 - near, y),
            2 => (near - 180.0, y),
            _ => (x, 85.0 - near),
        };
        rows.push(format!("{at},{lon},{lat}\n"));
    }
    let rows = rows.concat();
    let all: Vec<Value> =
        serde_json::from_str(&json(&["--nearest", "0,0,1500"], rows.as_bytes())).unwrap();
    assert_eq!(all.len(), 1500);
    for centre in [(180.0, 0.0), (-180.0, 85.0), (179.99, -60.0), (3.0, 85.05), (20.0, 10.0)] {
        let hav = |x: f64| (x.to_radians() / 2.0).sin().powi(2);
        let apart = |found: &Value| {
            let (lon, lat) = (found["lon"].as_f64().unwrap(), found["lat"].as_f64().unwrap());
            let cosines = lat.to_radians().cos() * f64::to_radians(centre.1).cos();
            2.0 * 6_372_797.560_856
                * (hav(lat - centre.1) + cosines * hav(lon - centre.0)).sqrt().asin()
        };
        let mut want: Vec<_> = all.iter().map(apart).collect();
        want.sort_by(f64::total_cmp);
        for count in [1, 7, 100] {
            let area = format!("{},{},{count}", centre.0, centre.1);
            let found: Vec<Value> =
                serde_json::from_str(&json(&["--nearest", &area], rows.as_bytes())).unwrap();
            assert_eq!(found.len(), count);
            for (found, want) in found.iter().zip(&want) {
                let dist = found["dist"].as_f64().unwrap();
                assert!((dist - want).abs() < 1e-3 && (dist - apart(found)).abs() < 1e-3);
            }
        }
    }
}

#[test]
fn an_invalid_row_ends_the_run_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("towns.csv");
    let file = file.to_str().unwrap();
    let saved = folder.path().join("out.rdb");
    fs::write(&saved, "older").unwrap();
    for (row, what) in [
        ("a,1", "2 fields instead of 3: id,lon,lat"),
        ("a", "1 field instead of 3: id,lon,lat"),
        ("a,1,2,3", "4 fields instead of 3: id,lon,lat"),
        ("a,x,2", "longitude 'x' is not a number"),
        ("a,1,", "latitude '' is not a number"),
        ("a, 1,2", "longitude ' 1' is not a number"),
        ("a,nan,2", "longitude 'nan' is not a number"),
        ("a,1,inf", "latitude 'inf' is not a number"),
        ("a,181,2", "longitude 181 is not between -180 and 180"),
        ("a,1,-85.06", "latitude -85.06 is not between -85.05112878 and 85.05112878"),
        ("id,lon,lat", "longitude 'lon' is not a number"),
        ("a,1,\"2", "a quote is not closed"),
        (&",".repeat(40), "more than 32 fields"),
        (&"x".repeat((1 << 20) + 1), "the line is longer than 1 MiB"),
    ] {
        fs::write(file, format!("b,1,1\n\n{row}\nc,x,x\n")).unwrap();
        let args = ["geo", "--nearest", "0,0,9", "--save", saved.to_str().unwrap(), file];
        let Ran { status, out, err } = run(&args);
        assert_eq!((status, out.as_str()), (2, ""), "{what}");
        assert_eq!(err, format!("tallis: {file}:3: {what}\n"));
        assert_eq!(fs::read(&saved).unwrap(), b"older");
    }
    let Ran { status, out, err } = run_with(
        &["geo", "--json", "--lenient", "--nearest", "0,0,9", "-"],
        b"a\nb,1,1\nc,1,\xff\n",
    );
    assert_eq!(status, 0);
    assert_eq!(ids(&out), ["b"]);
    let want = "\
tallis: -:1: 1 field instead of 3: id,lon,lat
tallis: -:3: latitude '\\xff' is not a number
tallis: 2 lines skipped
";
    assert_eq!(err, want);
}

#[test]
fn a_saved_file_can_be_queried() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("out.rdb");
    let saved = saved.to_str().unwrap();
    let args = ["geo", "--nearest", "15,37,1", "--save", saved, "-"];
    let Ran { status, out, err } = run_with(&args, TOWNS);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.ends_with(&format!("\nsaved to {saved}\n")), "{out}");
    let asked = b"zcard places\ngeodist places Palermo Catania km\ngeopos places Palermo\n";
    assert_eq!(
        run_with(&["cli", "--rdb", saved], asked).out,
        "4\n166.2742\n13.36138933897018433\n38.11555639549629859\n"
    );
    let resp3 = run_with(&["cli", "--rdb", saved, "--no-raw", "-3"], b"geopos places Palermo q\n");
    assert!(resp3.out.contains("(double) 13.36138933897018433"), "{}", resp3.out);
}

#[test]
fn several_files_and_gzip_each_have_their_header() {
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join("towns.csv.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(TOWNS).unwrap();
    fs::write(&packed, encoder.finish().unwrap()).unwrap();
    let args = ["--nearest", "20,40,9", packed.to_str().unwrap()];
    assert_eq!(ids(&json(&args, b"id,lon,lat\nTirana,19.82,41.33\n")).len(), 5);
    let twice = run_with(&["geo", "--nearest", "1,1,1", "-", "-"], TOWNS);
    assert_eq!(twice.status, 1);
    assert_eq!(twice.err, "tallis: standard input can be read only once\n");
}

#[test]
fn the_example_has_the_nearest_first() {
    let towns = example_towns();
    let Ran { status, out, .. } =
        run(&["geo", towns.to_str().unwrap(), "--nearest", "8.54,47.37,3", "--json"]);
    assert_eq!(status, 0);
    assert_eq!(ids(&out), ["Zurich", "Bern", "Milan"]);
}

#[test]
fn positions_are_added_to_those_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("places.rdb");
    let file = file.to_str().unwrap();
    json(&["--nearest", "0,0,1", "--save", file], TOWNS);
    let args = ["--nearest", "15,37,9", "--load", file, "--save", file];
    // A later row with the same id replaces the earlier one.
    let found = ids(&json(&args, b"Etna,14.99,37.75\nPalermo,0,0\n"));
    assert_eq!(found, ["Catania", "Etna", "Nowhere", "edge, of it", "Palermo"]);
    let again = run(&["geo", "--json", "--nearest", "15,37,1k", "--load", file, "/dev/null"]);
    assert_eq!(ids(&again.out), found);

    let other = folder.path().join("other.rdb");
    let other = other.to_str().unwrap();
    for (key, what) in
        [("k", "the key places does not exist"), ("places", "the key places does not hold places")]
    {
        run(&["cli", "--save", other, "SET", key, "v"]);
        let ran = run_with(&["geo", "--nearest", "0,0,1", "--load", other], TOWNS);
        assert_eq!((ran.status, ran.out.as_str()), (1, ""));
        assert_eq!(ran.err, format!("tallis: {other}: {what}\n"));
    }
}

#[test]
fn columns_are_found_by_name() {
    let rows = b"\"city\",city_ascii,lat,lng\nPalermo,p,38.115556,13.361389\nCatania,c,37.502669,15.087269\n";
    let args = ["--radius", "15,37,200km", "--columns", "lon=lng,id=city"];
    let want = json(
        &["--radius", "15,37,200km"],
        b"Palermo,13.361389,38.115556\nCatania,15.087269,37.502669\n",
    );
    assert_eq!(json(&args, rows), want);
    let Ran { status, out, err } =
        run_with(&["geo", "--lenient", "--nearest", "0,0,1", "--columns", "lon=lng"], rows);
    let want = "tallis: -:1: no column 'id'; the columns are 'city', 'city_ascii', 'lat', 'lng'\n";
    assert_eq!((status, out.as_str(), err.as_str()), (2, "", want));
    assert_eq!(json(&["--nearest", "0,0,1", "--columns", "lon=lng"], b""), "[]\n");
}

#[test]
fn numbers_may_be_abbreviated() {
    let want = json(&["--radius", "15,37,1000km", "--count", "3"], TOWNS);
    for args in
        [["--nearest", "15,37,1k", "--count", "3"], ["--nearest", "15,37,3", "--count", "1e3"]]
    {
        assert_eq!(json(&args, TOWNS), want, "{args:?}");
    }
    assert_eq!(json(&["--nearest", "15,37,1_000", "--count", "3"], TOWNS), want);
}

#[test]
fn invalid_command_lines_are_reported() {
    for (args, what) in [
        (&["geo", "-"][..], "required"),
        (&["geo", "--nearest", "1,1,1", "--radius", "1,1,1m", "-"], "cannot be used"),
        (&["geo", "--nearest", "1,1", "-"], "2 comma-separated parts instead of 3"),
        (&["geo", "--radius", "1,1,5", "-"], "'5' is not a length"),
        (&["geo", "--radius", "-181,1,5m", "-"], "longitude -181 is not between"),
        (&["geo", "--box", "1,1,5m", "-"], "3 comma-separated parts instead of 4"),
        (&["geo", "--nearest", "1,1,1", "--count", "0", "-"], "--count"),
        (&["geo", "--nearest", "1,1,0", "-"], "'0' is not a count of at least 1"),
        (
            &["geo", "--nearest", "1,1,1", "--columns", "x=y", "-"],
            "'x' is not one of the fields id, lon",
        ),
    ] {
        let Ran { status, out, err } = run(args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(what), "{args:?}: {err}");
    }
    let help = run(&["geo", "--help"]);
    assert_eq!(help.status, 0);
    for word in ["--radius", "--box", "--nearest", "--count", "--save", "--json", "500m"] {
        assert!(help.out.contains(word), "{word}");
    }
}
