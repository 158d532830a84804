//! Parsing of the options of LCS.

use crate::commands::LcsMatches;
use crate::error::{Error, Result};
use crate::execute::{int, refused, take, take_with};
use crate::reply::Reply;

/// The parsed options of LCS.
#[derive(Debug, Default)]
pub(super) struct LcsOptions {
    pub(super) len: bool,
    pub(super) idx: bool,
    pub(super) shortest: usize,
    pub(super) with_lengths: bool,
}

impl LcsOptions {
    pub(super) fn parse(mut words: &[&[u8]]) -> Result<Self> {
        let mut options = Self::default();
        while !words.is_empty() {
            if take(&mut words, "IDX") {
                options.idx = true;
            } else if take(&mut words, "LEN") {
                options.len = true;
            } else if take(&mut words, "WITHMATCHLEN") {
                options.with_lengths = true;
            } else if let Some([shortest]) = take_with(&mut words, "MINMATCHLEN") {
                options.shortest = usize::try_from(int(shortest)?).unwrap_or(0);
            } else {
                return Err(Error::syntax());
            }
        }
        if options.idx && options.len {
            let text = "ERR If you want both the length and indexes, please just use IDX.";
            return Err(refused(text));
        }
        Ok(options)
    }
}

/// Formats the reply of LCS IDX: each run by its first and last byte in both strings.
pub(super) fn matches(found: &LcsMatches, with_lengths: bool) -> Reply {
    let ends = |run: &std::ops::Range<usize>| {
        Reply::Array(vec![Reply::count(run.start), Reply::count(run.end.saturating_sub(1))])
    };
    let runs = found.matches.iter().map(|run| {
        let mut parts = vec![ends(&run.a), ends(&run.b)];
        if with_lengths {
            parts.push(Reply::count(run.a.len()));
        }
        Reply::Array(parts)
    });
    Reply::Map(vec![
        (Reply::text("matches"), Reply::Array(runs.collect())),
        (Reply::text("len"), Reply::count(found.len)),
    ])
}
