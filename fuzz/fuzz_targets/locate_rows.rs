//! Lines of a CSV file from raw bytes, in strict and in lenient mode. Each row counts its user once or is skipped, the
//! counts agree with the stored locations, and a batch of rows leaves the same store as single rows.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tallis::{Locations, Store};
use tallis_cli::locate::{Fields, Format, Loader};

/// Sets a key of the locations before the load: no value, bytes (an odd number of bytes is not a list of codes), or a
/// set.
fn hold(store: &Store, key: &str, what: u8) {
    match what % 4 {
        0 => {}
        1 => store.set(key, [0xeb, 0x09]).unwrap(),
        2 => store.set(key, "odd").unwrap(),
        _ => drop(store.sadd(key, [1]).unwrap()),
    }
}

/// Loads one row of `user,country,region` without batching. Returns whether the row is refused.
fn one_by_one(locations: &Locations, line: &[u8], lenient: bool) -> bool {
    let mut fields = Fields::new();
    let Ok(row) = fields.of(line) else { return true };
    let row: Vec<&[u8]> = row.collect();
    let [user, country, region] = row[..] else { return true };
    let digits = user.iter().all(u8::is_ascii_digit);
    let user = str::from_utf8(user).ok().filter(|_| digits).and_then(|it| it.parse().ok());
    let Some(user) = user.filter(|user| *user <= Locations::MAX_USER) else { return true };
    let (Ok(country), Ok(region)) = (str::from_utf8(country), str::from_utf8(region)) else {
        return true;
    };
    let refused = locations.set(user, country, region).is_err();
    if refused && lenient {
        drop(locations.set_lenient(user, country, region));
    }
    refused
}

fn payloads(store: &Store) -> Vec<(bytes::Bytes, Option<bytes::Bytes>)> {
    let mut keys = store.keys("*").unwrap();
    keys.sort_unstable();
    keys.into_iter().map(|key| (key.clone(), store.dump(&key).unwrap())).collect()
}

fuzz_target!(|input: (u8, &[u8])| {
    let (mode, text) = input;
    let (zip, lenient) = (mode & 1 != 0, mode & 32 != 0);
    let (shard, largest) = (mode >> 1, mode >> 6);
    let [many, one] = [(); 2].map(|()| Store::new());
    for store in [&many, &one] {
        hold(store, "location:0", shard);
        hold(store, "location:max", largest);
    }
    let locations = Locations::new(many.clone());
    let single = Locations::new(one.clone());
    let format = if zip { Format::Zip } else { Format::Users };
    let mut loader = Loader::new(&locations, format, lenient);
    let mut fields = Fields::new();
    let mut first = true;
    // Each row may allocate a string of 2 MiB.
    for line in text.split(|&byte| byte == b'\n').take(50) {
        let before = loader.users();
        let read = loader.line(line);
        let more = loader.users() - before;
        assert!(more <= u64::from(read.as_ref().map_or_else(|row| row.is_counted(), |()| true)));
        if !zip && !line.is_empty() {
            let line =
                if first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
            let mut named = fields.of(line).into_iter().flatten();
            let header = first && named.by_ref().eq([&b"user"[..], b"country", b"region"]);
            first = false;
            let refused = !header && one_by_one(&single, line, lenient);
            assert_eq!(read.is_err(), refused, "{}", line.escape_ascii());
        }
        if read.is_err() && !lenient {
            break;
        }
        if let Ok(fields) = fields.of(line) {
            // The fields may lose quotes but gain no bytes.
            assert!(fields.clone().map(<[u8]>::len).sum::<usize>() <= line.len());
            let commas = line.iter().filter(|&&byte| byte == b',').count();
            assert!(fields.len() <= commas + 1);
            assert!(line.contains(&b'"') || line.is_empty() || fields.len() == commas + 1);
        }
    }
    loader.finish().unwrap();
    if !zip {
        assert_eq!(payloads(&many), payloads(&one));
    }
    if shard % 4 == 0 && largest % 4 == 0 {
        let everyone = locations.aggregate().unwrap();
        assert!(everyone.users() <= loader.users() && everyone.unknown() == 0);
    }
});
