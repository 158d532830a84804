//! Any words as the command line of `tallis`: they parse, request the help, or are refused with exit status 2.
//!
//! The first byte chooses an option whose value is the rest of the input; otherwise each line of the rest is one word.
//! The value of an option is within its bounds, and a value that can be displayed parses again to an equal value.
#![no_main]

use std::ffi::OsString;
use std::fmt::{Debug, Display};
use std::os::unix::ffi::OsStringExt;
use std::str::FromStr;

use libfuzzer_sys::fuzz_target;
use tallis_cli::geo::{Around, Nearest, Within};
use tallis_cli::uv::{By, JsonPath, Stamp, WindowEnd, WindowLength};
use tallis_cli::{Args, BloomCommand, Columns, Command};

/// Words that precede the value of an option.
const OPTIONS: [&[&str]; 20] = [
    &["uv", "--window"],
    &["uv", "--window=1h", "--at"],
    &["uv", "--by"],
    &["uv", "--format=json", "--time"],
    &["uv", "--expected"],
    &["uv", "--threads"],
    &["uv", "--form"],
    &["locate", "--columns"],
    &["geo", "--count=3", "--radius"],
    &["geo", "--nearest"],
    &["geo", "--box"],
    &["geo", "--radius=1,2,3km", "--columns"],
    &["bloom", "plan", "-n", "5", "-p"],
    &["bloom", "plan", "-n", "5", "-m"],
    &["dedup", "--capacity"],
    &["dedup", "--error"],
    &["dedup", "--rotate"],
    &["merge", "out", "in", "--location-bytes"],
    &["inspect", "--depth"],
    &["cli", "--rdb-version"],
];

/// Parses the words and checks the exit status of a failure.
fn read(words: impl IntoIterator<Item = OsString>) -> Option<Args> {
    let words = [OsString::from("tallis")].into_iter().chain(words);
    match Args::read_from(words) {
        Ok(args) => {
            bounds(&args);
            Some(args)
        }
        Err(failure) => {
            assert!(matches!(failure.status(), 0 | 2), "{failure:?}");
            None
        }
    }
}

/// Checks the bounds that the help states.
fn bounds(args: &Args) {
    let is_share = |share: f64| share > 0.0 && share < 1.0;
    match &args.command {
        Command::Uv(uv) => {
            assert!(uv.threads.get() <= 256 && uv.expected != Some(0));
            assert!(uv.window.is_some() || uv.at.is_none());
        }
        Command::Geo(geo) => {
            let areas = [geo.radius.is_some(), geo.within.is_some(), geo.nearest.is_some()];
            assert_eq!(areas.into_iter().filter(|&there| there).count(), 1);
            assert_ne!(geo.count, Some(0));
        }
        Command::Bloom(bloom) => {
            let BloomCommand::Plan(plan) = &bloom.command else { return };
            assert!(plan.error.is_none_or(is_share));
            assert!(plan.items != Some(0) && plan.bits != Some(0));
        }
        Command::Dedup(dedup) => {
            assert!((1..=1 << 30).contains(&dedup.capacity) && is_share(dedup.error));
            assert!(dedup.rotate.is_none_or(|rotate| (1..=1 << 31).contains(&rotate)));
        }
        Command::Merge(merge) => {
            assert!((1..=16).contains(&merge.location_bytes) && !merge.files.is_empty());
        }
        _ => {}
    }
}

/// A parsed value is displayed as a text that parses to an equal value.
fn comes_back<T: FromStr<Err: Debug> + Display + Debug + PartialEq>(text: &str) {
    let Ok(value) = text.parse::<T>() else { return };
    assert_eq!(value.to_string().parse::<T>().expect("its own text"), value);
}

fn values(text: &str) {
    comes_back::<By>(text);
    comes_back::<JsonPath>(text);
    comes_back::<WindowEnd>(text);
    if let Ok(length) = text.parse::<WindowLength>() {
        assert!(length.minutes() > 0);
    }
    let _ = Stamp::from_text(text);
    let _ = (text.parse::<Around>(), text.parse::<Within>(), text.parse::<Nearest>());
    let _ = Columns::parse(text, ["user", "country", "region"], &["region"]);
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&option, bytes)) = bytes.split_first() else { return };
    let word = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    match OPTIONS.get(usize::from(option)) {
        Some(before) => {
            if let Ok(text) = str::from_utf8(bytes) {
                values(text);
            }
            read(before.iter().map(OsString::from).chain([word(bytes)]));
        }
        None => drop(read(bytes.split(|&byte| byte == b'\n').map(word))),
    }
});
