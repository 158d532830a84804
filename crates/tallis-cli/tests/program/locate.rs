use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Ran, feed, ran, run, run_with, tallis};

/// The users of the example in the README.
pub(crate) fn example_users() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users.csv")
}

/// Runs `tallis locate --json` with these arguments and this input, and returns its output.
fn json(args: &[&str], input: &[u8]) -> String {
    let args = [&["locate", "--json"], args].concat();
    let Ran { status, out, err } = run_with(&args, input);
    assert_eq!((status, err.as_str()), (0, ""), "{args:?}");
    out
}

const USERS: &[u8] = b"\
user,country,region
1,USA,CA
2,\"USA\",\"NY\"

3,FRA,
4,CAN,QC\r
2,USA,TX
5,USA,
70000000,ZWE,";

/// Lines in the format of the file of zip codes: one without coordinates, one with typographic quotes.
const ZIPS: &str = "\
\"00501\",\"+40.922326\",\"-072.637078\",\"HOLTSVILLE\",\"NY\",\"SUFFOLK\",\"UNIQUE\"
\"02228\",,,\"EAST BOSTON\",\"MA\",\"SUFFOLK\",\"STANDARD\"
\"94109\",\"+37.795219\",\"-122.420782\",\"SAN FRANCISCO\",\"CA\",\"SAN FRANCISCO\",\"STANDARD\"
\"94110\",\"+37.748932\",\"-122.416281\u{201d},\u{201d}SAN FRANCISCO\",\"CA\",\"SAN FRANCISCO\",\"STANDARD\"
\"94111\",\"+37.773579\",\"-122.405331\",\"SAN FRANCISCO\",\"CA\",\"SAN FRANCISCO\",\"STANDARD\"
";

#[test]
fn json_is_one_line_with_the_documented_fields() {
    assert_eq!(
        json(&["-"], USERS),
        concat!(
            r#"{"users":6,"unknown":0,"countries":{"CAN":1,"FRA":1,"USA":3,"ZWE":1},"#,
            r#""regions":{"CAN":{"QC":1},"USA":{"CA":1,"TX":1}}}"#,
            "\n"
        )
    );
    // Without a file, standard input is read, too.
    assert_eq!(json(&[], USERS), json(&["-"], USERS));
    let nobody = "{\"users\":0,\"unknown\":0,\"countries\":{},\"regions\":{}}\n";
    assert_eq!(json(&[], b""), nobody);
    assert_eq!(json(&[], b"user,country,region\n"), nobody);
}

#[test]
fn the_table_shows_the_same_numbers() {
    let Ran { status, out, err } = run_with(&["locate"], USERS);
    assert_eq!((status, err.as_str()), (0, ""));
    let want = "\
country   region    users
-------------------------
USA                     3
          CA            1
          TX            1
          unknown       1
CAN                     1
          QC            1
FRA                     1
ZWE                     1
-------------------------
total                   6
";
    assert_eq!(out, want);
}

#[test]
fn several_files_and_gzip_each_have_their_header() {
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join("users.csv.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(USERS).unwrap();
    fs::write(&packed, encoder.finish().unwrap()).unwrap();
    let packed = packed.to_str().unwrap();
    assert_eq!(json(&[packed], b""), json(&[], USERS));
    let out = json(&[packed, "-"], b"user,country,region\n1,DEU,\n9,DEU,\n");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["users"], &report["countries"]["DEU"]), (&7.into(), &2.into()));
    assert_eq!(report["regions"]["USA"], serde_json::json!({"TX": 1}));
}

#[test]
fn the_example_has_the_counts_of_the_simplest_program() {
    let text = fs::read_to_string(example_users()).unwrap();
    let (mut countries, mut regions) = (BTreeMap::new(), BTreeMap::<_, BTreeMap<_, u64>>::new());
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        *countries.entry(fields[1]).or_insert(0) += 1;
        if !fields[2].is_empty() {
            *regions.entry(fields[1]).or_default().entry(fields[2]).or_default() += 1;
        }
    }
    let want = serde_json::json!({
        "users": text.lines().count() - 1,
        "unknown": 0,
        "countries": countries,
        "regions": regions,
    });
    let out = json(&[example_users().to_str().unwrap()], b"");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), want);
    assert!(countries.len() > 10 && regions.len() == 2);
}

#[test]
fn a_list_limits_the_count_to_its_users() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    fs::write(&list, "1\n3\r\n\n3\n6\n1099511627775").unwrap();
    let out = json(&["--users", list.to_str().unwrap()], USERS);
    let want =
        r#"{"users":5,"unknown":2,"countries":{"FRA":2,"USA":1},"regions":{"USA":{"CA":1}}}"#;
    assert_eq!(out.trim_end(), want);

    // The list may be read from a pipe.
    let users = folder.path().join("users.csv");
    fs::write(&users, USERS).unwrap();
    let out = json(&["--users", "-", users.to_str().unwrap()], b"4\n");
    assert!(out.starts_with(r#"{"users":1,"unknown":0,"countries":{"CAN":1}"#), "{out}");
    let twice = run_with(&["locate", "--users", "-"], b"4\n");
    assert_eq!(twice.status, 1);
    assert_eq!(twice.err, "tallis: standard input can be read only once\n");

    fs::write(&list, "1\n1099511627776\n3").unwrap();
    let list = list.to_str().unwrap();
    let bad = run_with(&["locate", "--users", list], USERS);
    assert_eq!((bad.status, bad.out.as_str()), (2, ""));
    let want =
        format!("tallis: {list}:2: user '1099511627776' is not a number from 0 to 1099511627775\n");
    assert_eq!(bad.err, want);
    let borne = run_with(&["locate", "--json", "--lenient", "--users", list], USERS);
    assert_eq!((borne.status, borne.err), (0, format!("{want}tallis: 1 line skipped\n")));
    assert!(borne.out.starts_with(r#"{"users":2,"unknown":0,"#), "{}", borne.out);
}

#[test]
fn an_invalid_row_ends_the_run_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("users.csv");
    let file = file.to_str().unwrap();
    let saved = folder.path().join("out.rdb");
    fs::write(&saved, "older").unwrap();
    let beyond = "is not a number from 0 to 1099511627775";
    for (row, what) in [
        ("7,ZZZ,", "country 'ZZZ' is unknown".to_owned()),
        ("7,usa,CA", "country 'usa' is unknown".to_owned()),
        ("7,,", "country '' is unknown".to_owned()),
        ("7,USA,QQ", "region 'QQ' of USA is unknown".to_owned()),
        (
            "7,DEU,BY",
            "region 'BY' of DEU is unknown: the table has no regions of that country".to_owned(),
        ),
        ("7,USA", "2 fields instead of 3: user,country,region".to_owned()),
        ("7", "1 field instead of 3: user,country,region".to_owned()),
        ("7,USA,CA,", "4 fields instead of 3: user,country,region".to_owned()),
        ("x,USA,CA", format!("user 'x' {beyond}")),
        (",USA,CA", format!("user '' {beyond}")),
        ("-1,USA,CA", format!("user '-1' {beyond}")),
        ("+1,USA,CA", format!("user '+1' {beyond}")),
        (" 1,USA,CA", format!("user ' 1' {beyond}")),
        ("1099511627776,USA,CA", format!("user '1099511627776' {beyond}")),
        ("1000000000000000000,USA,CA", format!("user '1000000000000000000' {beyond}")),
        ("99999999999999999999,USA,CA", format!("user '99999999999999999999' {beyond}")),
        ("user,country,region", format!("user 'user' {beyond}")),
        ("7,USA,\"CA", "a quote is not closed".to_owned()),
        (&",".repeat(40), "more than 32 fields".to_owned()),
        (&"x".repeat((1 << 20) + 1), "the line is longer than 1 MiB".to_owned()),
    ] {
        fs::write(file, format!("1,USA,CA\n\n{row}\n2,ZZZ,\n")).unwrap();
        for json in [&["--json"][..], &[]] {
            let args = [&["locate", "--save", saved.to_str().unwrap(), file], json].concat();
            let Ran { status, out, err } = run(&args);
            assert_eq!((status, out.as_str()), (2, ""), "{what}");
            assert_eq!(err, format!("tallis: {file}:3: {what}\n"));
            assert_eq!(fs::read(&saved).unwrap(), b"older");
        }
    }
    let text = run_with(&["locate"], b"1,USA,CA\n7,\xff,\n");
    assert_eq!(
        (text.status, text.err.as_str()),
        (2, "tallis: -:2: country and region are not UTF-8\n")
    );
}

#[test]
fn lenient_counts_invalid_rows() {
    let rows = b"\
1,USA,CA
2,ZZZ,CA
3,USA,QQ
1,USA
x,USA,CA
4,DEU,BY
5,\xff,

6,USA,\"CA
";
    let Ran { status, out, err } = run_with(&["locate", "--lenient", "--json"], rows);
    assert_eq!(status, 0);
    let said: Vec<_> = err.lines().collect();
    assert_eq!(
        said,
        [
            "tallis: -:2: country 'ZZZ' is unknown",
            "tallis: -:3: region 'QQ' of USA is unknown",
            "tallis: -:4: 2 fields instead of 3: user,country,region",
            "tallis: -:5: user 'x' is not a number from 0 to 1099511627775",
            "tallis: -:6: region 'BY' of DEU is unknown: the table has no regions of that country",
            "tallis: 5 lines counted as unknown location",
            "tallis: 2 lines skipped",
        ]
    );
    // User 1 keeps its location, 2 and 5 have none; 3 and 4 have a country.
    let want =
        r#"{"users":5,"unknown":2,"countries":{"DEU":1,"USA":2},"regions":{"USA":{"CA":1}}}"#;
    assert_eq!(out.trim_end(), want);
}

#[test]
fn zip_codes_are_counted_by_state() {
    let strict = run_with(&["locate", "--zip"], ZIPS.as_bytes());
    assert_eq!((strict.status, strict.out.as_str()), (2, ""));
    let told =
        "tallis: -:4: 6 fields instead of 7: code,latitude,longitude,city,state,county,kind\n";
    assert_eq!(strict.err, told);

    let args = ["locate", "--zip", "--lenient", "--json"];
    let Ran { status, out, err } = run_with(&args, ZIPS.as_bytes());
    assert_eq!((status, err), (0, format!("{told}tallis: 1 line counted as unknown location\n")));
    let want = concat!(
        r#"{"users":5,"unknown":1,"countries":{"USA":4},"#,
        r#""regions":{"USA":{"CA":2,"MA":1,"NY":1}}}"#
    );
    assert_eq!(out.trim_end(), want);

    for (row, what) in [
        ("a,,,b,XX,c,d", "region 'XX' of USA is unknown"),
        ("a,,,b,,c,d", "the state is empty"),
        ("a,\"", "a quote is not closed"),
    ] {
        let bad = run_with(&["locate", "--zip"], row.as_bytes());
        assert_eq!((bad.status, bad.err), (2, format!("tallis: -:1: {what}\n")));
    }
}

#[test]
fn lines_of_zip_codes_are_numbered_through_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.csv");
    fs::write(&first, "a,,,b,NY,c,d\n\na,,,b,CA,c,d\n").unwrap();
    let list = folder.path().join("list");
    fs::write(&list, "1\n2\n3\n4\n").unwrap();
    let args = ["--zip", "--users", list.to_str().unwrap(), first.to_str().unwrap(), "-"];
    let out = json(&args, b"a,,,b,TX,c,d\n");
    let want = concat!(
        r#"{"users":4,"unknown":1,"countries":{"USA":3},"#,
        r#""regions":{"USA":{"CA":1,"NY":1,"TX":1}}}"#
    );
    assert_eq!(out.trim_end(), want);
}

#[test]
fn a_saved_file_can_be_queried() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("out.rdb");
    let saved = saved.to_str().unwrap();
    let Ran { status, out, err } = run_with(&["locate", "--save", saved], USERS);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.ends_with(&format!("\nsaved to {saved}\n")), "{out}");
    // The JSON does not contain the name of the file.
    assert_eq!(json(&["--save", saved], USERS), json(&[], USERS));
    let asked = b"strlen location:0\nstrlen location:66\ntype location:max\nexists location:1\n";
    assert_eq!(run_with(&["cli", "--rdb", saved], asked).out, "12\n1587970\nzset\n0\n");
    let code = run_with(&["cli", "--no-raw", "--rdb", saved], b"getrange location:0 2 3\n");
    assert_eq!(code.out, "\"\\xeb\\t\"\n");
}

#[test]
fn a_user_with_a_large_id_needs_one_string() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("out.rdb");
    let saved = saved.to_str().unwrap();
    json(&["--save", saved], b"1099511627775,USA,CA\n");
    let asked = b"strlen location:1048575\ndbsize\n";
    assert_eq!(run_with(&["cli", "--rdb", saved], asked).out, "2097152\n2\n");
    // Zeros are compressed in a file.
    assert!(fs::metadata(saved).unwrap().len() < 100_000);
}

#[test]
fn files_that_cannot_be_read_are_reported_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none");
    for (file, what) in
        [(&*missing, "No such file or directory"), (folder.path(), "is a directory")]
    {
        let file = file.to_str().unwrap();
        for args in [&["locate", "-", file][..], &["locate", "--users", file]] {
            // The file before it has an invalid row.
            let Ran { status, out, err } = run_with(args, b"bad\n");
            assert_eq!((status, out.as_str()), (1, ""));
            assert_eq!(err, format!("tallis: {file}: {what}\n"));
        }
    }
    let folder = folder.path().to_str().unwrap();
    let found = run_with(&["locate", "--save", folder], b"bad\n");
    assert_eq!((found.status, found.err), (1, format!("tallis: {folder}: is a directory\n")));
}

#[test]
fn a_file_that_cannot_be_saved_sets_the_exit_status_but_keeps_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("out.rdb");
    // A limit on the size of files simulates a full disk.
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]);
    shell.arg(tallis().get_program()).args(["locate", "--json", "--save"]).arg(&saved);
    let found = ran(&feed(&mut shell, USERS));
    assert_eq!(found.status, 1);
    let want = format!("tallis: {}: File too large\n", saved.display());
    assert_eq!(found.err, want);
    assert_eq!(found.out, json(&[], USERS));
    assert!(!saved.exists());
}

#[test]
fn users_are_added_to_those_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("locations.rdb");
    let file = file.to_str().unwrap();
    json(&["--save", file], b"1,USA,CA\n2,FRA,\n70000000,ZWE,\n");
    // The loaded and the saved file may be the same. A later row of a user replaces the earlier one.
    let args = ["locate", "--json", "--lenient", "--load", file, "--save", file];
    let Ran { status, out, .. } = run_with(&args, b"2,USA,NY\n3,CAN,QC\n4,ZZZ,\n2\n");
    assert_eq!(status, 0);
    let want = concat!(
        r#"{"users":5,"unknown":1,"countries":{"CAN":1,"USA":2,"ZWE":1},"#,
        r#""regions":{"CAN":{"QC":1},"USA":{"CA":1,"NY":1}}}"#
    );
    assert_eq!(out.trim_end(), want);
    // A file does not contain users without a location.
    let known = want.replace(r#""users":5,"unknown":1"#, r#""users":4,"unknown":0"#);
    assert_eq!(json(&["--load", file, "/dev/null"], b"").trim_end(), known);
    let list = folder.path().join("list");
    fs::write(&list, "1\n2\n9\n").unwrap();
    let listed = json(&["--load", file, "--users", list.to_str().unwrap(), "/dev/null"], b"");
    assert!(listed.starts_with(r#"{"users":3,"unknown":1,"countries":{"USA":2}"#), "{listed}");

    // Lines of zip codes continue after the last user of the file.
    let file = folder.path().join("zip.rdb");
    let file = file.to_str().unwrap();
    json(&["--zip", "--save", file], b"a,,,b,NY,c,d\na,,,b,CA,c,d\n");
    let out = json(&["--zip", "--load", file], b"a,,,b,CA,c,d\n");
    assert!(out.starts_with(r#"{"users":3,"unknown":0,"countries":{"USA":3}"#), "{out}");
}

#[test]
fn a_file_without_locations_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.rdb");
    let file = file.to_str().unwrap();
    for (command, what) in [
        (["SET", "k", "v"], "the key location:max does not exist"),
        (["SET", "location:max", "v"], "the key location:max does not hold the largest user"),
    ] {
        run(&[&["cli", "--save", file][..], &command].concat());
        let ran = run_with(&["locate", "--load", file], USERS);
        assert_eq!((ran.status, ran.out.as_str()), (1, ""));
        assert_eq!(ran.err, format!("tallis: {file}: {what}\n"));
    }
    let missing = run(&["locate", "--load", "/nonesuch.rdb"]);
    assert_eq!(missing.err, "tallis: /nonesuch.rdb: No such file or directory\n");
}

#[test]
fn columns_are_found_by_name() {
    let rows =
        b"\xef\xbb\xbfname,Land,uid,region,user\nann,USA,1,CA,x\n\nbob,FRA,2,,x\ncy,USA,3,NY,x\n";
    let args = ["--columns", "user=uid,country=Land"];
    let want = json(&[], b"1,USA,CA\n2,FRA,\n3,USA,NY\n");
    assert_eq!(json(&args, rows), want);
    // Each file has its own header.
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.csv");
    fs::write(&other, "uid,Land,region\n4,CAN,QC\n").unwrap();
    let both = json(&[&args[..], &["-", other.to_str().unwrap()]].concat(), rows);
    assert!(both.starts_with(r#"{"users":4,"unknown":0,"countries":{"CAN":1,"FRA":1,"USA":2}"#));
    let none = json(&["--columns", "user=uid,country=Land,region="], rows);
    assert!(none.trim_end().ends_with(r#""countries":{"FRA":1,"USA":2},"regions":{}}"#), "{none}");

    for (columns, input, what) in [
        (
            "user=Uid,country=Land",
            &rows[..],
            "tallis: -:1: no column 'Uid'; the columns are 'name', 'Land', 'uid', 'region', 'user'\n",
        ),
        (
            "country=Land",
            b"user,Land,region\n1,USA\n",
            "tallis: -:2: 2 fields instead of 3: user,country,region\n",
        ),
        ("country=Land", b"user,Land,region,x\n1,USA\n", "tallis: -:2: 2 fields instead of 4\n"),
    ] {
        // A file cannot be read without its header, even if invalid rows are skipped.
        let lenient: &[&str] = if what.contains("no column") { &["--lenient"] } else { &[] };
        let args = [&["locate", "--columns", columns], lenient].concat();
        let Ran { status, out, err } = run_with(&args, input);
        assert_eq!((status, out.as_str(), err.as_str()), (2, "", what));
    }
    let lenient = ["locate", "--json", "--lenient", "--columns", "country=Land"];
    let ran = run_with(&lenient, b"user,Land,region,x\n1,USA\n2,USA,CA,y\n");
    assert!(ran.out.starts_with(r#"{"users":1,"unknown":0,"#), "{}", ran.out);
    assert!(ran.err.ends_with("tallis: 1 line skipped\n"), "{}", ran.err);
    for args in [&["locate", "--columns", "usr=x"][..], &["locate", "--zip", "--columns", "user=x"]]
    {
        assert_eq!(run(args).status, 2, "{args:?}");
    }
}

#[test]
fn invalid_command_lines_are_reported() {
    for args in [&["locate", "--users"][..], &["locate", "--zips", "-"], &["locate", "--by", "x"]] {
        let Ran { status, out, err } = run(args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains("--help") || err.contains("Usage"), "{err}");
    }
    let help = run(&["locate", "--help"]);
    assert_eq!(help.status, 0);
    for word in ["--zip", "--users", "--json", "--save", "--lenient", "1099511627775"] {
        assert!(help.out.contains(word), "{word}");
    }
}
