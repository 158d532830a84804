use std::collections::{BTreeMap, BTreeSet};

use super::{DAYS, LINES, PAGE, generate};
use crate::tree;

#[test]
fn the_committed_log_is_the_generated_one() {
    let committed = tree::read(&tree::root().join(PAGE)).expect("the log");
    assert!(committed == generate(), "run: cargo xtask access-log --write");
}

#[test]
fn the_log_looks_realistic() {
    let log = generate();
    assert!(log.len() < 1 << 20 && log.is_ascii() && log.ends_with('\n'));
    assert_eq!(log.lines().count(), LINES);

    let mut visits: BTreeMap<&str, usize> = BTreeMap::new();
    let mut agents = BTreeSet::new();
    let mut last = (0, "");
    for line in log.lines() {
        let (address, rest) = line.split_once(" - ").expect("an address");
        *visits.entry(address).or_default() += 1;
        let (_, time) = rest.split_once('[').expect("a time");
        let (day, clock) = time.split_at(11);
        let day = DAYS.iter().position(|&(name, _)| name == day).expect("a day of the log");
        assert_eq!(&clock[9..16], " +0000]", "{line}");
        let now = (day, &clock[..9]);
        assert!(now >= last, "the lines are in order of time: {line}");
        last = now;
        agents.insert(line.rsplit_once(" \"").expect("an agent").1);
    }
    assert_eq!(last.0, DAYS.len() - 1, "every day is there");
    assert!(visits.len() > 400, "{} addresses", visits.len());
    assert!(visits.keys().any(|address| address.starts_with("2001:db8:")));
    assert!(visits.keys().any(|address| address.starts_with("203.0.113.")));
    let most = visits.values().max().expect("visitors");
    assert!(*most > 30, "the tail is heavy: {most}");
    assert!(agents.len() >= 12, "{agents:?}");
    for part in ["\\\"", " 304 - ", " 404 ", "\"POST /contact HTTP/1.1\" 303"] {
        assert!(log.contains(part), "{part}");
    }
}
