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

/// The median of the rounds and their extremes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Half of the rounds were below.
    pub median: f64,
    /// The lowest round.
    pub min: f64,
    /// The highest round.
    pub max: f64,
}

impl Sample {
    /// A figure without spread, such as a number of bytes.
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self { median: value, min: value, max: value }
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
        let (half, last) = (figures.len() / 2, figures.len() - 1);
        let median = if figures.len() % 2 == 1 {
            figures[half]
        } else {
            f64::midpoint(figures[half - 1], figures[half])
        };
        Self { median, min: figures[0], max: figures[last] }
    }
}

/// A contender's name and its sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Result {
    /// Who it was.
    pub name: String,
    /// What it took.
    pub sample: Sample,
}

impl Result {
    /// A result, of a race or from elsewhere.
    #[must_use]
    pub fn new(name: &str, sample: Sample) -> Self {
        Self { name: name.to_owned(), sample }
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
///     .contender_from("sort", 1000, || numbers.clone(), |mut numbers| { numbers.sort(); numbers })
///     .run();
/// assert_eq!(results[1].name, "sort");
/// assert!(results[0].sample.min > 0.0);
/// ```
pub struct Race<'a> {
    effort: Effort,
    contenders: Vec<Contender<'a>>,
}

struct Contender<'a> {
    name: String,
    /// Pieces of work in one call.
    pieces: u32,
    /// Makes as many calls as it is told to, and gives the time of all of them.
    turn: Box<dyn FnMut(u32) -> Duration + 'a>,
}

impl<'a> Race<'a> {
    /// A race without contenders.
    #[must_use]
    pub const fn new(effort: Effort) -> Self {
        Self { effort, contenders: Vec::new() }
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

    fn add(mut self, name: &str, pieces: u32, turn: impl FnMut(u32) -> Duration + 'a) -> Self {
        assert!(pieces > 0, "{name}: no work to be timed");
        self.contenders.push(Contender { name: name.to_owned(), pieces, turn: Box::new(turn) });
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
        for round in 0..self.effort.rounds() {
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
            .map(|(contender, figures)| Result::new(&contender.name, Sample::of(figures)))
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
mod tests {
    use std::hint::black_box;

    use super::{Effort, Race, Sample};

    #[test]
    fn a_sample_has_its_median() {
        assert_eq!(Sample::of(vec![3.0, 1.0, 9.0]), Sample { median: 3.0, min: 1.0, max: 9.0 });
        assert_eq!(
            Sample::of(vec![4.0, 1.0, 2.0, 9.0]),
            Sample { median: 3.0, min: 1.0, max: 9.0 }
        );
        assert_eq!(Sample::of(vec![5.0]), Sample::exact(5.0));
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
            let Sample { median, min, max } = result.sample;
            assert!(0.0 < min && min <= median && median <= max, "{result:?}");
        }
        assert!(first >= 5 && second >= 5);
        assert_eq!(made, second, "each call has an input of its own");
    }
}
