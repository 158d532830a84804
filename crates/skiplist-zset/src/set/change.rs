//! Adding, updating and removing members, and changes of the encoding.

use core::hash::BuildHasher;
use core::ops::Range;

use listpack::{Entry, ListPack};

use super::{Change, Form, ZSet};
use crate::large::Large;
use crate::small::Small;
use crate::{Limits, Refused};

impl<S: BuildHasher + Default> ZSet<S> {
    /// Adds a member with a score, or sets the score of an existing member. O(log n).
    ///
    /// A set becomes a skip list when it would exceed the [`Limits`], and does not turn back by itself. Zero and
    /// negative zero are the same score: the existing one stays.
    ///
    /// # Errors
    ///
    /// [`Refused`]; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use skiplist_zset::{Change, Limits, Refused, ZSet};
    ///
    /// let limits = Limits::default();
    /// let mut set: ZSet = ZSet::new();
    /// assert_eq!(set.add("a", 1.5, &limits), Ok(Change::Added));
    /// assert_eq!(set.add("a", 2.5, &limits), Ok(Change::Updated));
    /// assert_eq!(set.add("a", 2.5, &limits), Ok(Change::Unchanged));
    /// assert_eq!(set.add("a", f64::NAN, &limits), Err(Refused::NotANumber));
    /// ```
    #[inline]
    pub fn add(
        &mut self,
        member: impl AsRef<[u8]>,
        score: f64,
        limits: &Limits,
    ) -> Result<Change, Refused> {
        self.update(member, limits, |_| Some(score))
    }

    /// Adds to the score of a member, or to 0 if there is no such member, and returns the sum. O(log n).
    ///
    /// # Errors
    ///
    /// [`Refused`], also for opposite infinities; the set is unchanged.
    pub fn incr(
        &mut self,
        member: impl AsRef<[u8]>,
        by: f64,
        limits: &Limits,
    ) -> Result<f64, Refused> {
        let mut sum = by;
        self.update(member, limits, |old| {
            sum += old.unwrap_or(0.0);
            Some(sum)
        })?;
        Ok(sum)
    }

    /// Sets the score of a member to the result of `choose`, which is called with the current score, if any. If it
    /// returns `None`, nothing changes. A single lookup serves both. O(log n).
    ///
    /// # Errors
    ///
    /// [`Refused`]; the set is unchanged.
    ///
    /// # Examples
    ///
    /// As ZADD with GT: a score only increases.
    ///
    /// ```
    /// use skiplist_zset::{Change, Limits, ZSet};
    ///
    /// let mut set: ZSet = ZSet::new();
    /// let mut raise = |score: f64| {
    ///     let higher = |old: Option<f64>| old.is_none_or(|old| score > old).then_some(score);
    ///     set.update("a", &Limits::default(), higher)
    /// };
    /// assert_eq!(raise(5.0), Ok(Change::Added));
    /// assert_eq!(raise(4.0), Ok(Change::Unchanged));
    /// assert_eq!(raise(6.0), Ok(Change::Updated));
    /// ```
    pub fn update(
        &mut self,
        member: impl AsRef<[u8]>,
        limits: &Limits,
        choose: impl FnOnce(Option<f64>) -> Option<f64>,
    ) -> Result<Change, Refused> {
        self.change(member.as_ref(), limits, S::default, choose)
    }

    /// Chooses the encoding by the limits, as Redis does for sets that it builds or loads: a listpack within the
    /// limits, else a skip list. O(n).
    ///
    /// # Errors
    ///
    /// [`Refused::Full`] if neither a listpack nor a skip list can hold the set; it is unchanged.
    pub fn fit(&mut self, limits: &Limits) -> Result<(), Refused> {
        self.fit_by(limits, S::default)
    }
}

impl<S: BuildHasher + Clone> ZSet<S> {
    /// [`update`](Self::update) with the hasher to use if the set becomes a skip list. O(log n).
    ///
    /// # Errors
    ///
    /// [`Refused`]; the set is unchanged.
    #[inline]
    pub fn update_with_hasher(
        &mut self,
        member: impl AsRef<[u8]>,
        limits: &Limits,
        hasher: &S,
        choose: impl FnOnce(Option<f64>) -> Option<f64>,
    ) -> Result<Change, Refused> {
        self.change(member.as_ref(), limits, || hasher.clone(), choose)
    }

    /// [`fit`](Self::fit) with the hasher to use if the set becomes a skip list. O(n).
    ///
    /// # Errors
    ///
    /// [`Refused::Full`] if neither a listpack nor a skip list can hold the set; it is unchanged.
    pub fn fit_with_hasher(&mut self, limits: &Limits, hasher: &S) -> Result<(), Refused> {
        self.fit_by(limits, || hasher.clone())
    }

    /// Converts the set to a skip list with this hasher, whatever its size, unless it is one. O(n log n).
    ///
    /// # Errors
    ///
    /// [`Refused::Full`]; the set is unchanged.
    pub fn make_skip_list(&mut self, hasher: &S) -> Result<(), Refused> {
        self.enlarge(|| hasher.clone()).map(|_| ())
    }
}

impl<S: BuildHasher> ZSet<S> {
    fn change(
        &mut self,
        member: &[u8],
        limits: &Limits,
        hasher: impl FnOnce() -> S,
        choose: impl FnOnce(Option<f64>) -> Option<f64>,
    ) -> Result<Change, Refused> {
        let set = match &mut self.form {
            Form::Small(set) => set,
            Form::Large(set) => return set.update(member, choose),
        };
        let found = set.find(member);
        let Some(score) = choose(found.map(|(_, score)| score)) else {
            return Ok(Change::Unchanged);
        };
        if score.is_nan() {
            return Err(Refused::NotANumber);
        }
        let result = match found {
            Some((_, old)) if old == score => return Ok(Change::Unchanged),
            Some((at, _)) => set.set_score(at, score, limits.text).map(|()| Change::Updated),
            None if member.len() <= limits.value && set.len() < limits.entries => {
                set.insert(member, score, limits.text).map(|()| Change::Added)
            }
            None => return self.enlarge(hasher)?.update(member, |_| Some(score)),
        };
        match result {
            Ok(change) => Ok(change),
            // A listpack of the greatest length.
            Err(_) => self.enlarge(hasher)?.update(member, |_| Some(score)),
        }
    }

    /// Makes the set a skip list.
    #[cold]
    fn enlarge(&mut self, hasher: impl FnOnce() -> S) -> Result<&mut Large<S>, Refused> {
        if let Form::Small(_) = &self.form {
            let entries = self.iter().map(|(member, score)| (member.to_vec(), score));
            let large = Large::of(entries, hasher()).map_err(|_| Refused::Full)?;
            self.form = Form::Large(Box::new(large));
        }
        match &mut self.form {
            Form::Large(set) => Ok(set),
            Form::Small(_) => Err(Refused::Full),
        }
    }

    fn fit_by(&mut self, limits: &Limits, hasher: impl FnOnce() -> S) -> Result<(), Refused> {
        let fits = self.len() <= limits.entries
            && self.iter().all(|(member, _)| member.text_len() <= limits.value);
        match (&self.form, fits) {
            (Form::Small(_), true) | (Form::Large(_), false) => {}
            (Form::Small(_), false) => {
                self.enlarge(hasher)?;
            }
            (Form::Large(_), true) => {
                let mut list = ListPack::new();
                for (member, score) in self.iter() {
                    let pair = |score: Entry<'_>| list.insert_all(list.end(), [member, score]);
                    if limits.text.with_entry(score, pair).is_err() {
                        return Ok(());
                    }
                }
                list.shrink_to_fit();
                self.form = Form::Small(Small::new(list));
            }
        }
        Ok(())
    }
}

impl<S: BuildHasher> ZSet<S> {
    /// Removes a member and returns its score. O(log n).
    pub fn remove(&mut self, member: impl AsRef<[u8]>) -> Option<f64> {
        match &mut self.form {
            Form::Small(set) => {
                let (at, score) = set.find(member.as_ref())?;
                set.remove(at);
                Some(score)
            }
            Form::Large(set) => set.remove(member.as_ref()),
        }
    }

    /// Removes the members with these ranks, cut at the number of members, and returns how many. O(log n + k), at
    /// most O(n).
    pub fn remove_range(&mut self, ranks: Range<usize>) -> usize {
        let ranks = self.clamped(&ranks);
        let count = ranks.len();
        match &mut self.form {
            Form::Small(set) => set.remove_range(ranks.start, count),
            Form::Large(set) => set.remove_range(ranks.start, count),
        }
        count
    }

    /// Removes and returns the member with the lowest score. O(log n).
    pub fn pop_first(&mut self) -> Option<(Vec<u8>, f64)> {
        let (member, score) = self.first()?;
        let member = member.to_vec();
        self.remove_range(0..1);
        Some((member, score))
    }

    /// Removes and returns the member with the highest score. O(log n).
    pub fn pop_last(&mut self) -> Option<(Vec<u8>, f64)> {
        let (member, score) = self.last()?;
        let member = member.to_vec();
        let last = self.len() - 1;
        self.remove_range(last..last + 1);
        Some((member, score))
    }
}
