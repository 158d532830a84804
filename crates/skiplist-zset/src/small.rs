//! The encoding of small sets: one listpack of alternating members and scores, in the order of the set.

use core::cmp::Ordering;
use core::ops::Bound;

use listpack::{Entry, ListPack, Position, Refused};

use crate::ScoreText;
use crate::score;

/// The maximum number of positions that a search records while it scans.
const SAMPLES: usize = 64;

/// The positions of the members: of all, or in a long list of every second one, fourth one, and so on.
struct Places {
    kept: [Position; SAMPLES],
    count: usize,
    stride: usize,
    members: usize,
}

impl Places {
    #[inline]
    fn note(&mut self, at: Position) {
        if self.count == SAMPLES {
            self.thin_out();
        }
        // The stride is a power of two.
        if self.members & (self.stride - 1) == 0 {
            self.kept[self.count] = at;
            self.count += 1;
        }
        self.members += 1;
    }

    #[cold]
    fn thin_out(&mut self) {
        self.count /= 2;
        self.stride *= 2;
        for place in 0..self.count {
            self.kept[place] = self.kept[2 * place];
        }
    }
}

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

    /// The position and the score of a member.
    pub(crate) fn find(&self, member: &[u8]) -> Option<(Position, f64)> {
        let at = self.0.find_from(self.0.first()?, member, 1)?;
        Some((at, self.score_behind(at)?))
    }

    fn score_behind(&self, at: Position) -> Option<f64> {
        score::of_entry(self.0.entry(self.0.next(at)?)?)
    }

    /// The number of members before a position.
    pub(crate) fn rank(&self, at: Position) -> usize {
        let mut entries = self.0.iter();
        let mut rank = 0;
        while entries.position() < at {
            entries.nth(1);
            rank += 1;
        }
        rank
    }

    /// Records the positions of the members.
    #[inline]
    fn places(&self) -> Places {
        let mut places = Places { kept: [self.0.end(); SAMPLES], count: 0, stride: 1, members: 0 };
        let mut next = self.0.first();
        while let Some(at) = next {
            places.note(at);
            next = self.0.next(at).and_then(|score| self.0.next(score));
        }
        places
    }

    /// The position and rank of the first member for which `before` returns false; it must be monotone.
    pub(crate) fn partition(
        &self,
        before: impl Fn(Ordering) -> bool,
        score: f64,
    ) -> (Position, usize) {
        self.partition_places(|at| self.compare(at, score).is_some_and(&before))
    }

    /// How the score of the member at a place compares to another one.
    #[inline]
    fn compare(&self, at: Position, score: f64) -> Option<Ordering> {
        score::compare(self.0.entry(self.0.next(at)?)?, score)
    }

    /// A binary search over positions that a scan has recorded: reading the scores costs more than the scan.
    fn partition_places(&self, before: impl Fn(Position) -> bool) -> (Position, usize) {
        let places = self.places();
        let samples = places.kept[..places.count].partition_point(|&at| before(at));
        let Some(last) = samples.checked_sub(1) else { return (first_or_end(&self.0), 0) };
        let mut rank = last * places.stride + 1;
        if places.stride == 1 {
            let next = places.kept.get(rank).filter(|_| rank < places.count);
            return (next.copied().unwrap_or(self.0.end()), rank);
        }
        let mut entries = self.0.iter_from(places.kept[last]);
        entries.nth(1);
        while before(entries.position()) {
            entries.nth(1);
            rank += 1;
        }
        (entries.position(), rank)
    }

    /// Inserts a member that is not present.
    pub(crate) fn insert(
        &mut self,
        member: &[u8],
        score: f64,
        text: ScoreText,
    ) -> Result<(), Refused> {
        let new = Entry::from(member);
        let is_before = |at: Position| match self.compare(at, score) {
            Some(Ordering::Equal) => self.0.entry(at).is_some_and(|entry| entry < new),
            order => order == Some(Ordering::Less),
        };
        // Members that are added in the order of their scores, such as timestamps, need no scan.
        let last = self.0.last().and_then(|score| self.0.prev(score));
        let at = match last {
            Some(last) if !is_before(last) => self.partition_places(is_before).0,
            Some(_) | None => self.0.end(),
        };
        text.with_entry(score, |score| self.0.insert_all(at, [new, score]))
    }

    /// Removes the pair at a position.
    pub(crate) fn remove(&mut self, at: Position) {
        self.0.delete_run(at, 2);
    }

    /// Removes a run of pairs.
    pub(crate) fn remove_range(&mut self, rank: usize, count: usize) {
        self.0.delete_range(2 * rank, 2 * count);
    }

    /// Changes the score of a member: in place if the order holds, else at its new position.
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
            // The text is longer and there is no room for it: the previous pair still fits.
            self.insert(&member, old, text)?;
        }
        result
    }

    /// The ranks of the members in a range of members, found from the front as Redis does it: exact if all scores are
    /// equal.
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

    /// Redis checks the ends first.
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
