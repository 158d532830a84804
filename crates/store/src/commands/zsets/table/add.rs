//! ZADD and ZINCRBY.

use super::score_or_nil;
use crate::commands::{SortedSetAddOptions, UpdateCheck};
use crate::error::{Error, Result};
use crate::execute::{Answer, Caller, is, refused};
use crate::reply::Reply;
use crate::text::double::float;

/// The options of ZADD, as they come.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "any of the words may be there")]
struct Flags {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
    ch: bool,
    incr: bool,
}

impl Flags {
    /// Takes one in; `false` if the word is none.
    fn take(&mut self, word: &[u8]) -> bool {
        let flag = match () {
            () if is(word, "nx") => &mut self.nx,
            () if is(word, "xx") => &mut self.xx,
            () if is(word, "gt") => &mut self.gt,
            () if is(word, "lt") => &mut self.lt,
            () if is(word, "ch") => &mut self.ch,
            () if is(word, "incr") => &mut self.incr,
            () => return false,
        };
        *flag = true;
        true
    }

    fn options(self) -> Result<SortedSetAddOptions> {
        if self.nx && self.xx {
            return Err(refused("ERR XX and NX options at the same time are not compatible"));
        }
        if self.nx && (self.gt || self.lt) || self.gt && self.lt {
            return Err(refused(
                "ERR GT, LT, and/or NX options at the same time are not compatible",
            ));
        }
        let update = match (self.gt, self.lt) {
            (true, _) => Some(UpdateCheck::GT),
            (_, true) => Some(UpdateCheck::LT),
            (false, false) => None,
        };
        let options = match (self.nx, self.xx) {
            (true, _) => SortedSetAddOptions::add_only(),
            (_, true) => SortedSetAddOptions::update_only(update),
            (false, false) => SortedSetAddOptions::add_or_update(update),
        };
        Ok(if self.ch { options.include_changed_count() } else { options })
    }
}

pub(super) fn add<'a>(store: Caller<'_, '_>, args: &[&'a [u8]], incr: bool) -> Answer {
    let mut flags = Flags { incr, ..Flags::default() };
    let mut rest = &args[1..];
    while let [word, behind @ ..] = rest
        && flags.take(word)
    {
        rest = behind;
    }
    let (pairs, []) = rest.as_chunks::<2>() else { return Err(Error::syntax()) };
    if pairs.is_empty() {
        return Err(Error::syntax());
    }
    let options = flags.options()?;
    if let ([[text, member]], true) = (pairs, flags.incr) {
        let sum = store.zincr_options(args[0], *member, float(text)?, options)?;
        return Ok(score_or_nil(store, sum));
    }
    if flags.incr {
        return Err(refused("ERR INCR option supports a single increment-element pair"));
    }
    let pair = |&[text, member]: &[&'a [u8]; 2]| Ok((float(text)?, member));
    let pairs = pairs.iter().map(pair).collect::<Result<Vec<(f64, &[u8])>>>()?;
    Ok(Reply::count(store.zadd_multiple_options(args[0], pairs, options)?))
}
