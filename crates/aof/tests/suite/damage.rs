//! Truncated and changed bytes give an error or a valid result, and whatever is written can be read again.

use std::io::{self, ErrorKind, Read};

use crate::common::{Owned, Pieces, file, read};
use aof::{LogError, LogReader, LogWriter, Manifest};
use proptest::prelude::*;

const LOGS: &[&str] = &[
    "redis-7.0.15/multi_incr/appendonly.aof.3.incr.aof",
    "redis-7.0.15/timestamps/appendonly.aof.2.base.aof",
    "redis-unstable/norewrite/appendonly.aof.1.incr.aof",
];

const MANIFEST: &[u8] =
    b"# a comment\nfile a.2.base.rdb seq 2 type b\nfile \"a \\x01.aof\" seq 1 type h\n\
    file a.3.incr.aof seq 3 type i\nfile a.4.incr.aof seq 4 type i color 'light blue'\n";

/// The offsets at which a log may be cut, by definition: after each command that leaves no transaction open.
fn ends(records: &[Owned]) -> Vec<u64> {
    let mut inside = false;
    let mut ends = vec![0];
    for record in records {
        if let Owned::Command { end, words, .. } = record {
            inside = words[0].eq_ignore_ascii_case(b"MULTI")
                || inside && !words[0].eq_ignore_ascii_case(b"EXEC");
            if !inside {
                ends.push(*end);
            }
        }
    }
    ends
}

#[test]
fn every_prefix_of_a_log_is_whole_or_torn() {
    for name in LOGS {
        let log = file(name);
        let (records, outcome) = read(&log, usize::MAX);
        assert_eq!(outcome, Ok(()), "{name}");
        let ends = ends(&records);
        for cut in 0..=log.len() {
            let (before, outcome) = read(&log[..cut], 1000);
            assert_eq!(before, records[..before.len()]);
            let next = match records.get(before.len()) {
                None => log.len() as u64,
                Some(Owned::Command { offset, .. } | Owned::Annotation { offset, .. }) => *offset,
            };
            let valid = ends.iter().rev().find(|&&end| end <= cut as u64).copied();
            match outcome {
                Ok(()) => {
                    assert_eq!(next, cut as u64, "{name} cut at {cut}");
                    let note = matches!(before.last(), Some(Owned::Annotation { .. }));
                    assert!(note || valid == Some(cut as u64), "{name} cut at {cut}");
                }
                Err((text, torn)) => assert_eq!(torn, valid, "{name} cut at {cut}: {text}"),
            }
        }
    }
}

/// A reader that fails on every second call.
struct Failing<'a> {
    from: Pieces<'a>,
    fail: Option<ErrorKind>,
}

impl Read for Failing<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(kind) = self.fail.take() {
            return Err(kind.into());
        }
        self.fail = Some(ErrorKind::Interrupted);
        self.from.read(into)
    }
}

#[test]
fn an_input_that_fails_is_read_on_later() {
    let log = file(LOGS[0]);
    let (records, _) = read(&log, usize::MAX);
    let from = Pieces { bytes: &log, piece: 50 };
    let mut reader = LogReader::new(Failing { from, fail: Some(ErrorKind::TimedOut) });
    let error = reader.next_record().map(drop).unwrap_err();
    assert!(matches!(&error, LogError::Io(why) if why.kind() == ErrorKind::TimedOut), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    let mut count = 0;
    while reader.next_record().unwrap().is_some() {
        count += 1;
    }
    assert_eq!((count, reader.offset()), (records.len(), log.len() as u64));
}

#[test]
fn the_limit_of_a_word_can_be_set() {
    let log = b"*1\r\n$4\r\nPING\r\n";
    let mut reader = LogReader::new_at(&log[..], 100).max_bulk(3);
    let error = reader.next_record().map(drop).unwrap_err();
    assert_eq!(error.to_string(), "invalid word length at offset 104");
    let mut reader = LogReader::new(&log[..]).max_bulk(4);
    assert!(reader.next_record().unwrap().is_some());
}

/// Checks that the records are adjacent in the log, and that their bytes are those of the log.
fn check_records(log: &[u8], records: &[Owned]) {
    let mut at = 0;
    for record in records {
        match record {
            Owned::Command { offset, end, words } => {
                assert_eq!(*offset, at);
                let bytes = words.iter().map(Vec::len).sum::<usize>() as u64;
                assert!(!words.is_empty() && *offset + bytes < *end && *end <= log.len() as u64);
                at = *end;
            }
            Owned::Annotation { offset, text } => {
                assert_eq!(*offset, at);
                let start = usize::try_from(at).expect("a short log") + 1;
                assert_eq!(log[start..start + text.len()], text[..]);
                let rest = &log[start + text.len()..];
                at = (start + text.len() + if rest[0] == b'\n' { 1 } else { 2 }) as u64;
            }
        }
    }
}

#[test]
fn a_changed_byte_of_a_log_is_an_error_or_another_log() {
    for name in LOGS {
        let log = file(name);
        let mut changed = log.clone();
        let (mut good, mut bad) = (0, 0);
        for at in 0..log.len() {
            for flip in [0x01, 0x08, 0x20, 0x80, 0xff, log[at], log[at] ^ b'\n', log[at] ^ b'9'] {
                if flip == 0 {
                    continue;
                }
                changed[at] = log[at] ^ flip;
                let (records, outcome) = read(&changed, usize::MAX);
                check_records(&changed, &records);
                if outcome.is_ok() { good += 1 } else { bad += 1 }
            }
            changed[at] = log[at];
        }
        assert!(good > 0 && bad > good, "{name}: {good} and {bad}");
    }
}

#[test]
fn a_manifest_that_is_cut_or_changed_is_refused_or_another_manifest() {
    let whole = Manifest::parse(MANIFEST).expect("it is valid");
    assert_eq!(whole.files().chain(whole.history()).count(), 4);
    for cut in 0..MANIFEST.len() {
        let ends_a_line = cut > 0 && (MANIFEST[cut - 1] == b'\n' || cut < 12);
        assert_eq!(Manifest::parse(&MANIFEST[..cut]).is_ok(), ends_a_line, "cut at {cut}");
    }
    let mut changed = MANIFEST.to_vec();
    let (mut good, mut bad) = (0, 0);
    for at in 0..MANIFEST.len() {
        for byte in 0..=255 {
            changed[at] = byte;
            match Manifest::parse(&changed) {
                Ok(manifest) => {
                    good += 1;
                    check_manifest(&manifest);
                }
                Err(error) => {
                    bad += 1;
                    assert!((1..=6).contains(&error.line), "{error}");
                }
            }
        }
        changed[at] = MANIFEST[at];
    }
    assert!(good > MANIFEST.len() && bad > MANIFEST.len(), "{good} and {bad}");
}

/// A manifest that was read can be written and read again.
fn check_manifest(manifest: &Manifest) {
    let text = manifest.to_bytes();
    if text.is_empty() {
        assert_eq!(manifest.files().chain(manifest.history()).count(), 0);
    } else {
        assert_eq!(Manifest::parse(&text).as_ref(), Ok(manifest));
    }
}

/// The commands of one step.
type Step = Vec<(u32, Vec<Vec<u8>>)>;

fn steps() -> impl Strategy<Value = Vec<(Option<i64>, Step)>> {
    let byte = prop_oneof![prop::num::u8::ANY, prop::sample::select(&b"\r\n*$#0\0"[..])];
    let word = prop::collection::vec(byte, 0..40);
    let words = prop::collection::vec(word, 1..12)
        .prop_filter("these begin and end transactions", |words| !is_multi_or_exec(&words[0]));
    let step = prop::collection::vec((0..3_u32, words), 0..4);
    prop::collection::vec((prop::option::of(0..9_i64), step), 0..12)
}

fn is_multi_or_exec(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"MULTI") || word.eq_ignore_ascii_case(b"EXEC")
}

proptest! {
    #[test]
    fn what_is_written_is_read(steps in steps(), piece in 1..200_usize, cut in 0.0..1.0) {
        let mut writer = LogWriter::new();
        let mut log = Vec::new();
        let mut ends = vec![0];
        for (time, step) in &steps {
            if let Some(seconds) = time {
                writer.timestamp(*seconds, &mut log);
            }
            let len = log.len();
            writer.append(step.iter().map(|(db, words)| (*db, &words[..])), &mut log);
            if log.len() > len {
                ends.push(log.len() as u64);
            }
        }
        let (records, outcome) = read(&log, piece);
        prop_assert_eq!(outcome, Ok(()));
        check_records(&log, &records);

        // The same steps, each with its database.
        let mut database = None;
        let mut inside = false;
        let mut got: Vec<Step> = Vec::new();
        for record in &records {
            let Owned::Command { words, .. } = record else { continue };
            match (&words[0][..], inside) {
                (b"SELECT", _) => database = std::str::from_utf8(&words[1]).unwrap().parse().ok(),
                (b"MULTI", _) => (inside, ()) = (true, got.push(Step::new())),
                (b"EXEC", _) => inside = false,
                (_, true) => got.last_mut().unwrap().push((database.unwrap(), words.clone())),
                (_, false) => got.push(vec![(database.unwrap(), words.clone())]),
            }
        }
        let want: Vec<_> =
            steps.iter().map(|(_, step)| step).filter(|step| !step.is_empty()).cloned().collect();
        prop_assert_eq!(got, want);

        // Wherever the log is cut, whole steps are left, and perhaps the SELECT that follows the last one.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
            reason = "a place in a short log")]
        let cut = (log.len() as f64 * cut) as usize;
        let mut reader = LogReader::new(&log[..cut]);
        while let Ok(Some(_)) = reader.next_record() {}
        let valid = reader.valid_up_to();
        prop_assert!(valid <= cut as u64);
        let last = ends.iter().rev().find(|&&end| end <= cut as u64).copied().unwrap();
        prop_assert!(valid >= last);
        let selects = read(&log[usize::try_from(last).unwrap()..usize::try_from(valid).unwrap()], 9);
        prop_assert!(selects.1.is_ok());
        for record in selects.0 {
            let selects = match record {
                Owned::Command { words, .. } => words[0] == b"SELECT",
                Owned::Annotation { .. } => true,
            };
            prop_assert!(selects);
        }
    }

    #[test]
    fn pieces_make_no_difference(
        log in prop::collection::vec(prop::sample::select(&b"*$#13\r\nab"[..]), 0..60),
        piece in 1..5_usize,
    ) {
        let whole = read(&log, usize::MAX);
        check_records(&log, &whole.0);
        prop_assert_eq!(read(&log, piece), whole);
    }

    #[test]
    fn any_bytes_are_a_manifest_or_none(
        text in prop::collection::vec(prop::sample::select(&[
            "file a", "seq 1", "seq 2", "type b", "type i", "type h", " ", " ", " ", "\n", "#", "\"", "'",
            "\\", "\0", "\x0b", "file b seq 1 type b\n", "file c seq 3 type i\n", "file d seq 4 type h\n",
        ][..]), 0..12),
    ) {
        if let Ok(manifest) = Manifest::parse(text.concat().as_bytes()) {
            check_manifest(&manifest);
        }
    }
}
