//! The notes' experiment: the largest number of low zero bits of many random numbers estimates how many there are.
//!
//! Here the numbers are the hashes of users, stored in a `HyperLogLog`: each of its registers has the largest number of
//! zeros plus one, after the bits that choose the register, of its hashes. So a server does the same, and the results
//! are read from its value.

use tallis::Store;
use tallis::hll::Hll;

use super::bench::{Bench, in_batches};
use super::row::{Figure, Printed, Row, Source, Unit};
use crate::failure::Failure;

/// The number of numbers in the notes' runs, and the largest number of low zero bits that each printed.
const RUNS: [(u64, u8); 13] = [
    (36_400, 13),
    (36_500, 16),
    (36_600, 13),
    (36_700, 14),
    (36_800, 15),
    (36_900, 18),
    (37_000, 16),
    (37_100, 15),
    (37_200, 13),
    (37_300, 14),
    (37_400, 16),
    (37_500, 14),
    (37_600, 15),
];

const ZEROS: Printed = Printed {
    source: Source::Notes,
    name: "lowest_zeros",
    what: "the largest number of trailing zero bits in 36400 to 37600 numbers",
    unit: Unit::Bits,
    figure: Figure::Part(14.8),
    words: Some("14.8 (13 to 18)"),
    determined: false,
    remark: "the mean of 13 runs; the binary logarithm is 15.2; the numbers are hashes of users, \
             read from the registers of a HyperLogLog",
};

/// The notes' estimates from 1024 numbers of zeros, for each tenth of a million.
const ESTIMATES: [Printed; 10] = [
    estimate("zeros_100000", "100000 numbers by 1024 counts of zeros", 97_287.38, FIRST),
    estimate("zeros_200000", "200000 numbers", 189_369.02, SAME),
    estimate("zeros_300000", "300000 numbers", 287_770.04, SAME),
    estimate("zeros_400000", "400000 numbers", 401_233.52, SAME),
    estimate("zeros_500000", "500000 numbers", 491_704.97, SAME),
    estimate("zeros_600000", "600000 numbers", 604_233.92, SAME),
    estimate("zeros_700000", "700000 numbers", 721_127.67, SAME),
    estimate("zeros_800000", "800000 numbers", 832_308.12, SAME),
    estimate("zeros_900000", "900000 numbers", 870_954.86, SAME),
    estimate("zeros_1000000", "1000000 numbers", 1_075_497.64, SAME),
];

const FIRST: &str = "1024 times 2 to the power of the harmonic mean of the counts, as in the notes; each row adds \
                     numbers to those of the row before";
const SAME: &str = "";

const ERROR: Printed = Printed {
    source: Source::Notes,
    name: "zeros_error",
    what: "the mean error of the ten estimates",
    unit: Unit::Share,
    figure: Figure::Part(0.0326),
    words: None,
    determined: false,
    remark: "PFCOUNT of the same registers has a standard error of 0.81 %",
};

const fn estimate(
    name: &'static str,
    what: &'static str,
    figure: f64,
    remark: &'static str,
) -> Printed {
    Printed {
        source: Source::Notes,
        name,
        what,
        unit: Unit::Count,
        figure: Figure::Part(figure),
        words: None,
        determined: false,
        remark,
    }
}

/// How many numbers of zeros an estimate combines.
const COUNTS: usize = 1024;

/// Returns the rows of the experiment.
pub(super) fn rows(bench: &mut Bench<'_>) -> Result<Vec<Row>, Failure> {
    let mut rows = vec![most(bench)?];
    rows.extend(estimates(bench)?);
    Ok(rows)
}

fn numbers(from: u64, count: u64) -> impl Iterator<Item = String> {
    (from..from + count).map(|number| format!("user{number}"))
}

/// Returns the largest number of zeros of each run; the runs have no user in common.
fn most(bench: &mut Bench<'_>) -> Result<Row, Failure> {
    let store = Store::new();
    let (mut tallis, mut server) = (0, bench.live.as_ref().map(|_| 0));
    let mut from = 0;
    for (count, _) in RUNS {
        let key = format!("zeros:{count}");
        in_batches(numbers(from, count), |numbers| store.pfadd(&*key, numbers))?;
        tallis += u64::from(most_zeros(&store.get(&*key)?.unwrap_or_default())?);
        let theirs = bench.served(|live| {
            live.clear()?;
            live.add_all("PFADD", &key, numbers(from, count))?;
            most_zeros(&live.string(&key)?)
        })?;
        server = server.zip(theirs).map(|(sum, zeros)| sum + u64::from(zeros));
        from += count;
    }
    Ok(ZEROS.row(mean(tallis), server.map(mean)))
}

/// Returns the mean of the runs.
#[expect(clippy::cast_precision_loss, reason = "a few hundred")]
const fn mean(sum: u64) -> Figure {
    Figure::Part(sum as f64 / RUNS.len() as f64)
}

fn estimates(bench: &mut Bench<'_>) -> Result<Vec<Row>, Failure> {
    const KEY: &str = "numbers";
    let tenth = bench.million / 10;
    let store = Store::new();
    bench.served(super::super::server::Live::clear)?;
    let mut rows = Vec::with_capacity(ESTIMATES.len() + 1);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for (printed, at) in ESTIMATES.iter().zip(0..) {
        in_batches(numbers(at * tenth, tenth), |numbers| store.pfadd(KEY, numbers))?;
        let tallis = estimated(&store.get(KEY)?.unwrap_or_default())?;
        let server = bench.served(|live| {
            live.add_all("PFADD", KEY, numbers(at * tenth, tenth))?;
            estimated(&live.string(KEY)?)
        })?;
        let count = (at + 1) * tenth;
        ours.push(error(tallis, count));
        theirs.extend(server.map(|server| error(server, count)));
        rows.push(printed.row(Figure::Part(tallis), server.map(Figure::Part)));
    }
    let server = (!theirs.is_empty()).then(|| Figure::Part(mean_of(&theirs)));
    rows.push(ERROR.row(Figure::Part(mean_of(&ours)), server));
    Ok(rows)
}

/// Returns the relative error of an estimate.
#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
const fn error(estimate: f64, count: u64) -> f64 {
    (estimate - count as f64).abs() / count as f64
}

#[expect(clippy::cast_precision_loss, reason = "there are ten")]
fn mean_of(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// Returns the largest number of zeros in the registers of a value.
fn most_zeros(value: &[u8]) -> Result<u8, Failure> {
    Ok(registers(value)?.into_iter().max().unwrap_or(0).saturating_sub(1))
}

/// Computes the notes' estimate: each of the 1024 numbers is the largest of the registers with the same low bits of
/// their index, which are the low bits of the hashes.
fn estimated(value: &[u8]) -> Result<f64, Failure> {
    let mut counts = [0_u8; COUNTS];
    for (register, at) in registers(value)?.into_iter().zip((0..COUNTS).cycle()) {
        counts[at] = counts[at].max(register.saturating_sub(1));
    }
    // A number of zeros of 0 has no inverse, as the notes say too.
    let inverses: f64 = counts.iter().map(|&zeros| 1.0 / f64::from(zeros)).sum();
    Ok((HARMONIC / inverses).exp2() * HARMONIC)
}

/// The number of values in the mean.
const HARMONIC: f64 = 1024.0;

fn registers(value: &[u8]) -> Result<Vec<u8>, Failure> {
    let registers = Hll::new(value).and_then(|hll| hll.registers());
    Ok(registers.map_err(|error| Failure::Trouble(error.to_string()))?.collect())
}

#[cfg(test)]
mod tests {
    use tallis::hll;

    use super::*;

    #[test]
    fn what_is_printed_of_many_figures_is_their_mean() {
        let sum: u64 = RUNS.iter().map(|&(_, zeros)| u64::from(zeros)).sum();
        assert_eq!(mean(sum).show(Unit::Bits), "14.8");
        let errors = ESTIMATES.iter().zip(1..).map(|(printed, tenths)| match printed.figure {
            Figure::Part(figure) => error(figure, tenths * 100_000),
            Figure::Whole(_) => unreachable!(),
        });
        assert_eq!(format!("{:.4}", mean_of(&errors.collect::<Vec<_>>())), "0.0326");
    }

    /// From the hashes themselves, without registers.
    #[test]
    fn registers_tell_what_the_hashes_tell() {
        let mut value = hll::HyperLogLog::new();
        let mut counts = [0; COUNTS];
        let mut most = 0;
        for number in numbers(0, 30_000) {
            value.add(number.as_bytes());
            let hash = hll::hash(number.as_bytes());
            let zeros = (hash >> 14).trailing_zeros();
            let count = &mut counts[usize::try_from(hash % 1024).unwrap()];
            *count = zeros.max(*count);
            most = zeros.max(most);
        }
        assert_eq!(u32::from(most_zeros(value.as_bytes()).unwrap()), most);
        let inverses: f64 = counts.iter().map(|&zeros| 1.0 / f64::from(zeros)).sum();
        let want = (1024.0 / inverses).exp2() * 1024.0;
        assert!((estimated(value.as_bytes()).unwrap() - want).abs() < 1e-6);
        assert!((15_000.0..60_000.0).contains(&want), "{want}");
    }
}
