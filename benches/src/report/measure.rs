//! Time measurements whose ratios are reliable.
//!
//! # Idea
//!
//! The speed of a machine is not constant: it changes with the temperature, with throttling and with the load of other
//! programs. If one contender were measured to its end before the next one, such a change would affect only one of
//! them. A [`Race`] therefore runs in rounds. In each round every contender runs once, for some milliseconds, and each
//! round begins with another contender. Slow changes then affect all contenders alike, and short disturbances do not
//! affect the median over the rounds.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// How much to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Two short rounds, to check that everything runs.
    Quick,
    /// Enough rounds for figures to publish.
    Full,
}

impl Effort {
    /// Returns `true` if this is [`Effort::Quick`].
    #[must_use]
    pub const fn is_quick(self) -> bool {
        matches!(self, Self::Quick)
    }

    const fn rounds(self) -> usize {
        if self.is_quick() { 2 } else { 31 }
    }

    /// Returns the minimum time that a contender runs in one round.
    const fn turn(self) -> Duration {
        Duration::from_millis(if self.is_quick() { 1 } else { 10 })
    }
}

/// The median of the rounds, and their spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Half of the rounds are below.
    pub median: f64,
    /// The lowest round.
    pub min: f64,
    /// A quarter of the rounds are below.
    pub low: f64,
    /// A quarter of the rounds are above.
    pub high: f64,
    /// The highest round.
    pub max: f64,
}

impl Sample {
    /// Creates a sample without spread, such as a number of bytes.
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self { median: value, min: value, low: value, high: value, max: value }
    }

    /// Creates the sample of these figures.
    ///
    /// # Panics
    ///
    /// If `figures` is empty.
    #[must_use]
    pub fn of(mut figures: Vec<f64>) -> Self {
        assert!(!figures.is_empty(), "a sample without figures");
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

    /// Divides this by `other`, whose rounds are not known: each end of the quotient combines the ends that make it
    /// most extreme.
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

    /// Returns the five figures, lowest first.
    #[must_use]
    pub const fn figures(&self) -> [f64; 5] {
        [self.min, self.low, self.median, self.high, self.max]
    }
}

/// The name of a contender, and its sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Result {
    /// The name of the contender.
    pub name: String,
    /// The figures, usually times.
    pub sample: Sample,
    /// Whether the contender is not part of this project, so that its figures differ only with the machine.
    pub rival: bool,
    /// The figure of each round, in order. Empty for a result without rounds.
    pub rounds: Vec<f64>,
}

impl Result {
    /// Creates a result of ours that is not from a race, such as a number of bytes.
    #[must_use]
    pub fn new(name: &str, sample: Sample) -> Self {
        Self { name: name.to_owned(), sample, rival: false, rounds: Vec::new() }
    }

    /// As [`new`](Self::new), for a rival.
    #[must_use]
    pub fn rival(name: &str, sample: Sample) -> Self {
        Self { rival: true, ..Self::new(name, sample) }
    }

    /// Creates a result from its rounds.
    ///
    /// # Panics
    ///
    /// If `rounds` is empty.
    #[must_use]
    pub fn of(name: &str, rival: bool, rounds: Vec<f64>) -> Self {
        let sample = Sample::of(rounds.clone());
        Self { name: name.to_owned(), sample, rival, rounds }
    }

    /// Converts nanoseconds per piece to pieces per second.
    ///
    /// # Panics
    ///
    /// If the result is not from a race.
    #[must_use]
    pub fn per_second(&self) -> Self {
        let rates = self.rounds.iter().map(|nanos| 1e9 / nanos).collect();
        Self::of(&self.name, self.rival, rates)
    }

    /// Divides this by `other`. If both were in the same race, the rounds are divided one by one, so that a disturbance
    /// of both in one round does not widen the spread.
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

/// Contenders to be timed in the same rounds. The samples are nanoseconds per piece of work.
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
    /// The maximum number of rounds.
    rounds: usize,
    contenders: Vec<Contender<'a>>,
    /// Whether contenders that are added now are rivals.
    rivals: bool,
}

struct Contender<'a> {
    name: String,
    rival: bool,
    /// Pieces of work per call.
    pieces: u32,
    /// Makes the given number of calls, and returns their total time.
    turn: Box<dyn FnMut(u32) -> Duration + 'a>,
}

impl<'a> Race<'a> {
    /// Creates a race without contenders.
    #[must_use]
    pub const fn new(effort: Effort) -> Self {
        Self { effort, rounds: effort.rounds(), contenders: Vec::new(), rivals: false }
    }

    /// Limits the number of rounds, for work that takes a second.
    #[must_use]
    pub const fn at_most(mut self, rounds: usize) -> Self {
        if rounds < self.rounds {
            self.rounds = rounds;
        }
        self
    }

    /// Makes the contenders that are added from here on [rivals](Result::rival).
    #[must_use]
    pub const fn rivals(mut self) -> Self {
        self.rivals = true;
        self
    }

    /// Adds a contender: one call of `work` does `pieces` pieces of work. The optimiser cannot remove its return value.
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

    /// Adds a contender that needs a new input for each call. The time of `setup` and of dropping the results is not
    /// counted.
    ///
    /// The clock is read for each call, which adds some 40 ns, so a call should take microseconds.
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

    /// Adds a contender that returns its own time for one call.
    #[must_use]
    pub fn timed(self, name: &str, pieces: u32, mut work: impl FnMut() -> Duration + 'a) -> Self {
        self.add(name, pieces, move |calls| (0..calls).map(|_| work()).sum())
    }

    fn add(mut self, name: &str, pieces: u32, turn: impl FnMut(u32) -> Duration + 'a) -> Self {
        assert!(pieces > 0, "{name}: no work to time");
        let (name, rival) = (name.to_owned(), self.rivals);
        self.contenders.push(Contender { name, rival, pieces, turn: Box::new(turn) });
        self
    }

    /// Runs the rounds, and returns the results in the order in which the contenders were added.
    #[must_use]
    pub fn run(mut self) -> Vec<Result> {
        let least = self.effort.turn();
        // Finding the number of calls also warms caches and predictors.
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
    /// Returns the number of calls that take at least `least`.
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
            assert_eq!(result.rounds.len(), 2);
        }
        assert!(first >= 2 && second >= 2);
        assert_eq!(made, second, "each call has its own input");
    }
}
