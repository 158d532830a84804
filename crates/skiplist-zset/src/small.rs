//! The form of small sets: one listpack of members and scores in turn, in the order of the set.

use core::ops::Bound;

use listpack::{Entry, ListPack, Position, Refused};

use crate::ScoreText;
use crate::score;

/// The most places that a search keeps while it walks.
const SAMPLES: usize = 64;

/// A listpack in which each score follows its member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Small(ListPack);

impl Small {
    /// Takes a list that holds pairs in order.
    pub(crate) const fn new(pairs: ListPack) -> Self {
        Self(pairs)
    }

    pub(crate) const fn list(&self) -> &ListPack {
        &self.0
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len() / 2
    }

    /// The place and the score of a member.
    pub(crate) fn find(&self, member: &[u8]) -> Option<(Position, f64)> {
        let at = self.0.find_from(self.0.first()?, member, 1)?;
        Some((at, self.score_behind(at)?))
    }

    fn score_behind(&self, at: Position) -> Option<f64> {
        score::of_entry(self.0.entry(self.0.next(at)?)?)
    }

    /// How many members are in front of a place.
    pub(crate) fn rank(&self, at: Position) -> usize {
        let mut entries = self.0.iter();
        let mut rank = 0;
        while entries.position() < at {
            entries.nth(1);
            rank += 1;
        }
        rank
    }

    /// The place and rank of the first member that is not `before`, which holds for some first ones only.
    ///
    /// One walk notes places, and a binary search over them reads the scores: their texts cost more than the steps.
    pub(crate) fn partition(&self, before: impl Fn(f64, Entry<'_>) -> bool) -> (Position, usize) {
        let mut places = [self.0.end(); SAMPLES];
        let (mut kept, mut stride, mut len) = (0, 1, 0_usize);
        let mut next = self.0.first();
        while let Some(at) = next {
            if kept == SAMPLES {
                kept /= 2;
                stride *= 2;
                for place in 0..kept {
                    places[place] = places[2 * place];
                }
            }
            // The stride is a power of two.
            if len & (stride - 1) == 0 {
                places[kept] = at;
                kept += 1;
            }
            len += 1;
            next = self.0.next(at).and_then(|score| self.0.next(score));
        }
        let is_before = |at: Position| {
            let pair = self.0.entry(at).zip(self.score_behind(at));
            pair.is_some_and(|(member, score)| before(score, member))
        };
        let samples = places[..kept].partition_point(|&at| is_before(at));
        let Some(last) = samples.checked_sub(1) else { return (first_or_end(&self.0), 0) };
        let mut entries = self.0.iter_from(places[last]);
        let mut rank = last * stride;
        while rank < len && is_before(entries.position()) {
            entries.nth(1);
            rank += 1;
        }
        (entries.position(), rank)
    }

    /// Puts a member in that is not there.
    pub(crate) fn insert(
        &mut self,
        member: &[u8],
        score: f64,
        text: ScoreText,
    ) -> Result<(), Refused> {
        let new = Entry::Str(member);
        let before = |other: f64, entry: Entry<'_>| other < score || other == score && entry < new;
        // What comes in the order of its scores, as times do, needs no walk.
        let last = self.0.last().and_then(|at| self.0.entry(self.0.prev(at)?));
        let score_of_last = self.0.get_back(0).and_then(score::of_entry);
        let at = match last.zip(score_of_last) {
            Some((last, other)) if before(other, last) => self.0.end(),
            _ => self.partition(before).0,
        };
        text.with_entry(score, |score| self.0.insert_all(at, [new, score]))
    }

    /// Takes out the pair at a place.
    pub(crate) fn remove(&mut self, at: Position) {
        self.0.delete_run(at, 2);
    }

    /// Takes out a run of pairs.
    pub(crate) fn remove_range(&mut self, rank: usize, count: usize) {
        self.0.delete_range(2 * rank, 2 * count);
    }

    /// Gives a member another score: in place if the order holds, else in its new place.
    pub(crate) fn set_score(
        &mut self,
        at: Position,
        score: f64,
        text: ScoreText,
    ) -> Result<(), Refused> {
        let Some(member) = self.0.entry(at) else { return Ok(()) };
        let Some(behind) = self.0.next(at) else { return Ok(()) };
        let after = |one: (Entry<'_>, f64), other: (Entry<'_>, f64)| {
            one.1 > other.1 || one.1 == other.1 && one.0 > other.0
        };
        let pair = |at: Position| self.0.entry(at).zip(self.score_behind(at));
        let previous = self.0.prev(at).and_then(|at| self.0.prev(at)).and_then(pair);
        let next = self.0.next(behind).and_then(pair);
        let stays = previous.is_none_or(|previous| after((member, score), previous))
            && next.is_none_or(|next| after(next, (member, score)));
        if stays {
            return text.with_entry(score, |entry| self.0.replace(behind, entry));
        }
        let member = member.to_vec();
        let old = self.score_behind(at);
        self.remove(at);
        let result = self.insert(&member, score, text);
        if let (Err(_), Some(old)) = (result, old) {
            // A longer text, and no room for it: what was there still fits.
            self.insert(&member, old, text)?;
        }
        result
    }

    /// The ranks of the members in a range of members, found from the front as Redis does it: exact if all scores are equal.
    pub(crate) fn ranks_by_lex(
        &self,
        min: Bound<&[u8]>,
        max: Bound<&[u8]>,
    ) -> core::ops::Range<usize> {
        let len = self.len();
        if !self.may_meet(min, max) {
            return 0..0;
        }
        let members = || self.0.iter().step_by(2);
        let start = members().position(|member| is_at_least(member, min)).unwrap_or(len);
        let run = members().skip(start).take_while(|&member| is_at_most(member, max));
        start..start + run.count()
    }

    /// As [`ranks_by_lex`](Self::ranks_by_lex), found from the back.
    pub(crate) fn ranks_by_lex_from_back(
        &self,
        min: Bound<&[u8]>,
        max: Bound<&[u8]>,
    ) -> core::ops::Range<usize> {
        if !self.may_meet(min, max) {
            return 0..0;
        }
        let members = || self.0.iter().rev().skip(1).step_by(2);
        let Some(behind) = members().position(|member| is_at_most(member, max)) else {
            return 0..0;
        };
        let end = self.len() - behind;
        let run = members().skip(behind).take_while(|&member| is_at_least(member, min));
        end - run.count()..end
    }

    /// Redis looks at the ends first.
    fn may_meet(&self, min: Bound<&[u8]>, max: Bound<&[u8]>) -> bool {
        let first = self.0.first().and_then(|at| self.0.entry(at));
        let last = self.0.get_back(1);
        first.is_some_and(|first| is_at_most(first, max))
            && last.is_some_and(|last| is_at_least(last, min))
    }
}

fn first_or_end(list: &ListPack) -> Position {
    list.first().unwrap_or(list.end())
}

pub(crate) fn is_at_least(member: Entry<'_>, min: Bound<&[u8]>) -> bool {
    match min {
        Bound::Unbounded => true,
        Bound::Included(min) => member >= Entry::Str(min),
        Bound::Excluded(min) => member > Entry::Str(min),
    }
}

pub(crate) fn is_at_most(member: Entry<'_>, max: Bound<&[u8]>) -> bool {
    match max {
        Bound::Unbounded => true,
        Bound::Included(max) => member <= Entry::Str(max),
        Bound::Excluded(max) => member < Entry::Str(max),
    }
}
