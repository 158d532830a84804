//! Time, measured so that ratios can be trusted.
//!
//! # Idea
//!
//! A machine does not keep its speed: it warms, it throttles, a neighbour wakes. Measuring one contender to its end and
//! then the next charges all of that to one of them. So a [`Race`] goes in rounds, and in each round every contender
//! runs once, for some milliseconds, each round beginning with another one. Drift then falls on all alike, and the
//! median over the rounds forgets the disturbances.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few short rounds: shows that everything runs.
    Quick,
    /// Enough for figures to publish.
    Full,
}

impl Effort {
    /// Whether this is [`Effort::Quick`].
    #[must_use]
    pub const fn is_quick(self) -> bool {
        matches!(self, Self::Quick)
    }

    const fn rounds(self) -> usize {
        if self.is_quick() { 5 } else { 31 }
    }

    /// The least time that a contender runs in one round.
    const fn turn(self) -> Duration {
        Duration::from_millis(if self.is_quick() { 1 } else { 10 })
    }
}

/// The median of the rounds and how far they spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Half of the rounds were below.
    pub median: f64,
    /// The lowest round.
    pub min: f64,
    /// A quarter of the rounds were below.
    pub low: f64,
    /// A quarter of the rounds were above.
    pub high: f64,
    /// The highest round.
    pub max: f64,
}

impl Sample {
    /// A figure without spread, such as a number of bytes.
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self { median: value, min: value, low: value, high: value, max: value }
    }

    /// The sample of these figures.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[must_use]
    pub fn of(mut figures: Vec<f64>) -> Self {
        assert!(!figures.is_empty(), "a sample of nothing");
        figures.sort_by(f64::total_cmp);
        let (half, quarter, last) = (figures.len() / 2, figures.len() / 4, figures.len() - 1);
        let median = if figures.len() % 2 == 1 {
            figures[half]
        } else {
            f64::midpoint(figures[half - 1], figures[half])
        };
        let [low, high] = [figures[quarter], figures[last - quarter]];
        Self { median, min: figures[0], low, high, max: figures[last] }
    }

    /// This divided by `other`, of which nothing else is known: each end of the quotient takes the ends that make it
    /// the furthest out.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self {
            median: self.median / other.median,
            min: self.min / other.max,
            low: self.low / other.high,
            high: self.high / other.low,
            max: self.max / other.min,
        }
    }

    /// The five figures, lowest first.
    #[must_use]
    pub const fn figures(&self) -> [f64; 5] {
        [self.min, self.low, self.median, self.high, self.max]
    }
}

/// A contender's name and its sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Result {
    /// Who it was.
    pub name: String,
    /// What it took.
    pub sample: Sample,
    /// Whether it is no work of this project: what it takes differs only with the machine.
    pub rival: bool,
    /// What each round took, in the order of the rounds; empty where there were none.
    pub rounds: Vec<f64>,
}

impl Result {
    /// A result of ours that is not of a race, such as a number of bytes.
    #[must_use]
    pub fn new(name: &str, sample: Sample) -> Self {
        Self { name: name.to_owned(), sample, rival: false, rounds: Vec::new() }
    }

    /// As [`new`](Self::new), of a rival.
    #[must_use]
    pub fn rival(name: &str, sample: Sample) -> Self {
        Self { rival: true, ..Self::new(name, sample) }
    }

    /// A result of these rounds.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[must_use]
    pub fn of(name: &str, rival: bool, rounds: Vec<f64>) -> Self {
        let sample = Sample::of(rounds.clone());
        Self { name: name.to_owned(), sample, rival, rounds }
    }

    /// Pieces a second, from nanoseconds a piece.
    ///
    /// # Panics
    ///
    /// If it is not of a race.
    #[must_use]
    pub fn per_second(&self) -> Self {
        let rates = self.rounds.iter().map(|nanos| 1e9 / nanos).collect();
        Self::of(&self.name, self.rival, rates)
    }

    /// This divided by `other`. Where both were in the same race, each round has its quotient, so that what disturbed
    /// both in one round is in neither end of the spread.
    #[must_use]
    pub fn over(&self, other: &Self) -> Sample {
        if self.rounds.is_empty() || self.rounds.len() != other.rounds.len() {
            return self.sample.over(other.sample);
        }
        Sample::of(
            self.rounds.iter().zip(&other.rounds).map(|(ours, theirs)| ours / theirs).collect(),
        )
    }
}

/// Contenders that are to be timed side by side. The samples are nanoseconds for one piece of work.
///
/// # Examples
///
/// ```
/// use tallis_benches::report::{Effort, Race};
///
/// let numbers: Vec<u64> = (0..1000).collect();
/// let results = Race::new(Effort::Quick)
///     .contender("sum", 1000, || numbers.iter().sum::<u64>())
///     .rivals()
///     .contender_from("sort", 1000, || numbers.clone(), |mut numbers| { numbers.sort(); numbers })
///     .run();
/// assert_eq!((results[1].name.as_str(), results[1].rival), ("sort", true));
/// assert!(results[0].sample.min > 0.0);
/// ```
pub struct Race<'a> {
    effort: Effort,
    /// How many rounds at most.
    rounds: usize,
    contenders: Vec<Contender<'a>>,
    /// Whether those that are added are rivals.
    rivals: bool,
}

struct Contender<'a> {
    name: String,
    rival: bool,
    /// Pieces of work in one call.
    pieces: u32,
    /// Makes as many calls as it is given, and returns the time of all of them.
    turn: Box<dyn FnMut(u32) -> Duration + 'a>,
}

impl<'a> Race<'a> {
    /// A race without contenders.
    #[must_use]
    pub const fn new(effort: Effort) -> Self {
        Self { effort, rounds: effort.rounds(), contenders: Vec::new(), rivals: false }
    }

    /// Goes no more than so many rounds: for work that takes a second.
    #[must_use]
    pub const fn at_most(mut self, rounds: usize) -> Self {
        if rounds < self.rounds {
            self.rounds = rounds;
        }
        self
    }

    /// From here on those that are added are [rivals](Result::rival).
    #[must_use]
    pub const fn rivals(mut self) -> Self {
        self.rivals = true;
        self
    }

    /// Adds a contender: one call of `work` does `pieces` pieces of work. What it returns is kept from the optimiser.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
    pub fn contender<T>(self, name: &str, pieces: u32, mut work: impl FnMut() -> T + 'a) -> Self {
        self.add(name, pieces, move |calls| {
            let start = Instant::now();
            for _ in 0..calls {
                black_box(work());
            }
            start.elapsed()
        })
    }

    /// Adds a contender that needs a fresh input for each call. Neither `setup` nor the dropping of results is timed.
    ///
    /// The clock is read for each call, which adds some 40 ns: a call should do microseconds of work.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
    pub fn contender_from<S, T>(
        self,
        name: &str,
        pieces: u32,
        mut setup: impl FnMut() -> S + 'a,
        mut work: impl FnMut(S) -> T + 'a,
    ) -> Self {
        self.add(name, pieces, move |calls| {
            let mut time = Duration::ZERO;
            for _ in 0..calls {
                let input = black_box(setup());
                let start = Instant::now();
                let result = black_box(work(input));
                time += start.elapsed();
                drop(result);
            }
            time
        })
    }

    /// Adds a contender that tells its own time, of one call.
    #[must_use]
    pub fn timed(self, name: &str, pieces: u32, mut work: impl FnMut() -> Duration + 'a) -> Self {
        self.add(name, pieces, move |calls| (0..calls).map(|_| work()).sum())
    }

    fn add(mut self, name: &str, pieces: u32, turn: impl FnMut(u32) -> Duration + 'a) -> Self {
        assert!(pieces > 0, "{name}: no work to be timed");
        let (name, rival) = (name.to_owned(), self.rivals);
        self.contenders.push(Contender { name, rival, pieces, turn: Box::new(turn) });
        self
    }

    /// Runs the rounds and gives the results in the order in which the contenders were added.
    #[must_use]
    pub fn run(mut self) -> Vec<Result> {
        let least = self.effort.turn();
        // Finding the number of calls warms caches and predictors as well.
        let calls: Vec<u32> =
            self.contenders.iter_mut().map(|contender| contender.calls(least)).collect();
        let mut figures = vec![Vec::new(); calls.len()];
        for round in 0..self.rounds {
            for step in 0..calls.len() {
                let at = (round + step) % calls.len();
                let contender = &mut self.contenders[at];
                let time = (contender.turn)(calls[at]);
                let pieces = f64::from(calls[at]) * f64::from(contender.pieces);
                figures[at].push(time.as_secs_f64() * 1e9 / pieces);
            }
        }
        let named = self.contenders.iter().zip(figures);
        named
            .map(|(contender, figures)| Result::of(&contender.name, contender.rival, figures))
            .collect()
    }
}

impl Contender<'_> {
    /// How many calls take at least `least`.
    fn calls(&mut self, least: Duration) -> u32 {
        let mut calls = 1_u32;
        while (self.turn)(calls) < least && calls < u32::MAX / 2 {
            calls *= 2;
        }
        calls
    }
}

impl fmt::Debug for Race<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.contenders.iter().map(|contender| &contender.name);
        f.debug_list().entries(names).finish()
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the quotients of these figures are exact")]
mod tests {
    use std::hint::black_box;

    use super::{Effort, Race, Result, Sample};

    #[test]
    fn a_sample_has_its_median_and_its_quarters() {
        assert_eq!(Sample::of(vec![3.0, 1.0, 9.0]).figures(), [1.0, 1.0, 3.0, 9.0, 9.0]);
        assert_eq!(Sample::of(vec![4.0, 1.0, 2.0, 9.0]).figures(), [1.0, 2.0, 3.0, 4.0, 9.0]);
        let rounds = (1..=31).rev().map(f64::from).collect();
        assert_eq!(Sample::of(rounds).figures(), [1.0, 8.0, 16.0, 24.0, 31.0]);
        assert_eq!(Sample::of(vec![5.0]), Sample::exact(5.0));
    }

    #[test]
    fn rounds_of_one_race_are_divided_one_by_one() {
        let ours = Result::of("ours", false, vec![10.0, 40.0, 20.0]);
        let theirs = Result::of("theirs", true, vec![5.0, 20.0, 10.0]);
        assert_eq!(ours.over(&theirs), Sample::exact(2.0));
        let measured_once = Result::rival("server", Sample::exact(10.0));
        assert_eq!(ours.over(&measured_once).figures(), [1.0, 1.0, 2.0, 4.0, 4.0]);
        assert_eq!(measured_once.over(&ours).figures(), [0.25, 0.25, 0.5, 1.0, 1.0]);
        assert_eq!(ours.per_second().sample.median, 5e7);
    }

    #[test]
    fn every_contender_runs_in_every_round() {
        let (mut first, mut second, mut made) = (0_u64, 0_u64, 0_u64);
        let results = Race::new(Effort::Quick)
            .contender("first", 1, || first = black_box(first) + 1)
            .contender_from("second", 2, || made += 1, |()| second = black_box(second) + 1)
            .run();
        assert_eq!(results.len(), 2);
        assert_eq!((results[0].name.as_str(), results[1].name.as_str()), ("first", "second"));
        for result in results {
            let figures = result.sample.figures();
            assert!(figures[0] > 0.0 && figures.is_sorted(), "{result:?}");
            assert_eq!(result.rounds.len(), 5);
        }
        assert!(first >= 5 && second >= 5);
        assert_eq!(made, second, "each call has an input of its own");
    }
}
