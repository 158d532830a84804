//! Settings with a syntax of their own.

use std::env;

use crate::execute::shown;
use crate::text::double;
use crate::text::memory;
use crate::value::parse_int;

/// Maps the words of a value, and the current value, to what CONFIG GET then returns.
pub(super) type Read = fn(&[&[u8]], &[u8]) -> Result<Vec<u8>, &'static str>;

/// The limits of output buffers, by client class.
pub(super) const BUFFERS: &str =
    "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60";

/// A file name without a directory.
pub(super) fn file_name(words: &[&[u8]], _: &[u8]) -> Result<Vec<u8>, &'static str> {
    let name = words.join(&b' ');
    if name.contains(&b'/') {
        return Err("dbfilename can't be a path, just a filename");
    }
    Ok(shown(&name, usize::MAX).to_vec())
}

/// The default of `dir`.
pub(super) fn current_folder() -> Vec<u8> {
    env::current_dir()
        .map(|path| path.to_string_lossy().into_owned().into_bytes())
        .unwrap_or_default()
}

/// Pairs of seconds and changes, or nothing.
pub(super) fn save(words: &[&[u8]], _: &[u8]) -> Result<Vec<u8>, &'static str> {
    const WRONG: &str = "Invalid save parameters";
    let (pairs, []) = words.as_chunks::<2>() else { return Err(WRONG) };
    for [seconds, changes] in pairs {
        let least = |word: &[u8], least: i64| number(word).is_some_and(|number| number >= least);
        if !least(seconds, 1) || !least(changes, 0) {
            return Err(WRONG);
        }
    }
    Ok(numbers(words))
}

/// The class of clients, the hard limit, the soft limit and its duration, for some of the classes.
pub(super) fn buffers(words: &[&[u8]], old: &[u8]) -> Result<Vec<u8>, &'static str> {
    let (fours, []) = words.as_chunks::<4>() else {
        return Err("Wrong number of arguments in buffer limit configuration.");
    };
    let mut limits: Vec<Vec<u8>> = old.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect();
    for [class, hard, soft, seconds] in fours {
        let at = match &class.to_ascii_lowercase()[..] {
            b"normal" => 0,
            b"slave" | b"replica" => 4,
            b"pubsub" => 8,
            _ => return Err("Invalid client class specified in buffer limit configuration."),
        };
        let seconds = number(seconds).filter(|&seconds| seconds >= 0);
        let (Some(hard), Some(soft), Some(seconds)) =
            (memory::parse(hard), memory::parse(soft), seconds)
        else {
            let why = "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
            return Err(why);
        };
        let new = [hard.to_string(), soft.to_string(), seconds.to_string()];
        for (limit, new) in limits.iter_mut().skip(at + 1).zip(new) {
            *limit = new.into_bytes();
        }
    }
    Ok(limits.join(&b' '))
}

pub(super) fn oom_scores(words: &[&[u8]], _: &[u8]) -> Result<Vec<u8>, &'static str> {
    if words.len() != 3 {
        return Err("wrong number of arguments");
    }
    let all = words.iter().map(|word| number(word));
    if all.into_iter().any(|number| number.is_none_or(|number| !(-2000..=2000).contains(&number))) {
        return Err("Invalid oom-score-adj-values, elements must be between -2000 and 2000.");
    }
    Ok(numbers(words))
}

/// Letters, each for a class of events.
pub(super) fn events(words: &[&[u8]], _: &[u8]) -> Result<Vec<u8>, &'static str> {
    const ALL: &[u8] = b"g$lshzxetd";
    const CLASSES: &[u8] = b"g$lshzxetdnKEm";
    let letters = words.join(&b' ');
    let letters = shown(&letters, usize::MAX);
    if letters.iter().any(|letter| *letter != b'A' && !CLASSES.contains(letter)) {
        return Err("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
    }
    let has =
        |letter: &u8| letters.contains(letter) || letters.contains(&b'A') && ALL.contains(letter);
    if !ALL.iter().all(has) {
        return Ok(CLASSES.iter().copied().filter(|letter| has(letter)).collect());
    }
    // If all are set, that of new keys is not shown.
    Ok([b"A", &b"KEm"[..]]
        .concat()
        .into_iter()
        .filter(|letter| *letter == b'A' || has(letter))
        .collect())
}

/// Percentiles, or nothing.
pub(super) fn percentiles(words: &[&[u8]], _: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut all = Vec::new();
    for word in words {
        let Some(percentile) = double::parse(word) else {
            return Err("Invalid latency-tracking-info-percentiles parameters");
        };
        if !(0.0..=100.0).contains(&percentile) {
            return Err(
                "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]",
            );
        }
        let text = format!("{percentile:.6}");
        all.push(text.trim_end_matches('0').trim_end_matches('.').to_owned());
    }
    Ok(all.join(" ").into_bytes())
}

/// Parses a number as C does: a plus sign and leading zeros are allowed.
fn number(word: &[u8]) -> Option<i64> {
    let text = word.trim_ascii_start();
    if text.is_empty() && word.is_empty() {
        return Some(0);
    }
    str::from_utf8(text).ok()?.parse().ok()
}

/// Formats numbers in their canonical form.
fn numbers(words: &[&[u8]]) -> Vec<u8> {
    let all =
        words.iter().map(|word| parse_int(word).or_else(|| number(word)).unwrap_or(0).to_string());
    all.collect::<Vec<_>>().join(" ").into_bytes()
}
