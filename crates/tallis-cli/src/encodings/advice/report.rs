//! The report of each form: a table, sentences, JSON.

use std::fmt;

use serde::Serialize;

use super::super::form::{Family, Form};
use super::super::measure::{Load, Measured, Times};
use super::super::report::{self, digits};
use super::super::server::OnServer;
use super::super::shape::Work;
use super::choice::{BITMAP, LARGEST_BITMAP, bitmap_bytes};
use super::data::Data;
use crate::bloom::percent;
use crate::machine;
use crate::table::{draw, of_numbers};

/// The measurements of some elements, and the advice. Its JSON form is a stable interface of the program; its
/// [`Display`](fmt::Display) form is a table and sentences.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// The version of the JSON format.
    pub version: u32,
    /// The processor of the measurement.
    pub processor: String,
    /// The description of the elements.
    pub elements: String,
    /// The number of elements.
    pub count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    forms: Vec<Choice>,
    /// The sentences of the advice.
    #[serde(rename = "advice")]
    sentences: Vec<String>,
}

/// The measurements of one form.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Choice {
    /// The form.
    pub form: &'static str,
    /// Whether it is exact.
    pub is_exact: bool,
    /// The result of OBJECT ENCODING; if there are several shards, for one of them.
    pub encoding: &'static str,
    /// Bytes of all elements, with keys, tables and the allocator's overhead.
    pub bytes: u64,
    nanos: Times,
    /// The relative error of a count, or the false positive rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Bytes on the server, by MEMORY USAGE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_bytes: Option<u64>,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "bytes in memory"
)]
fn whole(each: f64, load: &Load) -> u64 {
    (each * load.extent.size() as f64).round() as u64
}

impl Choice {
    pub(super) fn new(
        form: &Form,
        load: &Load,
        measured: &Measured,
        server: Option<OnServer>,
    ) -> Self {
        Self {
            form: form.name,
            is_exact: !matches!(form.family, Family::Hll | Family::Bloom),
            encoding: measured.encoding,
            bytes: whole(measured.bytes, load),
            nanos: measured.times,
            error: measured.error,
            server_bytes: server.map(|server| whole(server.bytes, load)),
        }
    }

    /// Returns its name in a sentence.
    fn named(&self) -> String {
        match (self.form, self.encoding) {
            ("one set", "hashtable") => "one hash table".to_owned(),
            ("one set", encoding) => format!("one {encoding}"),
            ("shards, the book's", _) => "shards as in the book".to_owned(),
            ("shards, splitting", _) => "shards that split".to_owned(),
            ("shards, compact", _) => "compact shards".to_owned(),
            (BITMAP, _) => "a bitmap".to_owned(),
            (form, _) => format!("a {form}"),
        }
    }

    fn cells(&self, count: usize, beside: bool) -> Vec<String> {
        #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
        let each = self.bytes as f64 / count as f64;
        let mut cells = vec![
            self.form.to_owned(),
            self.encoding.to_owned(),
            bytes_of(self.bytes),
            digits(each),
        ];
        if beside {
            cells.push(self.server_bytes.map(bytes_of).unwrap_or_default());
        }
        for work in [Work::Add, Work::Test, Work::Scan, Work::Remove] {
            let time = self.nanos.of(work).map(|time| digits(time.median));
            cells.push(time.unwrap_or_default());
        }
        cells.push(self.error.map(percent).unwrap_or_default());
        cells
    }
}

impl Advice {
    pub(super) fn new(data: &Data, forms: Vec<Choice>, server: Option<String>) -> Self {
        let sentences = sentences(data, &forms);
        let (elements, count) = (data.title.clone(), data.count());
        let processor = machine::processor();
        Self { version: 1, processor, elements, count, server, forms, sentences }
    }

    /// Returns the forms that were measured, exact ones first.
    #[must_use]
    pub fn choices(&self) -> &[Choice] {
        &self.forms
    }
}

/// Formats bytes.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn bytes_of(bytes: u64) -> String {
    report::bytes_of(bytes as f64)
}

/// Returns the sentences that follow from the figures.
fn sentences(data: &Data, forms: &[Choice]) -> Vec<String> {
    let mut said = Vec::new();
    let mut exact: Vec<&Choice> = forms.iter().filter(|form| form.is_exact).collect();
    exact.sort_by_key(|form| form.bytes);
    let each: Vec<_> =
        exact.iter().map(|form| format!("{} in {}", bytes_of(form.bytes), form.named())).collect();
    if !each.is_empty() {
        said.push(format!("Exactly: {}.", each.join(", ")));
    }
    let reckoned = bitmap_bytes(data.sort()).filter(|&bytes| bytes > LARGEST_BITMAP);
    if let Some(bytes) = reckoned {
        said.push(format!(
            "A bitmap would take {}, with a bit for every id up to the largest, but a string has at most 512 MiB.",
            bytes_of(bytes)
        ));
    }
    if let [smallest, _, ..] = *exact {
        let test = |form: &Choice| form.nanos.test.map_or(f64::INFINITY, |time| time.median);
        let fastest = exact.iter().min_by(|one, other| test(one).total_cmp(&test(other)));
        if let Some(&fastest) = fastest {
            said.push(if fastest.form == smallest.form {
                format!("The smallest exact form, {}, is also the fastest to query.", smallest.named())
            } else {
                format!(
                    "To test an element takes {} ns in {}, the fastest exact form, and {} ns in {}, the smallest one.",
                    digits(test(fastest)),
                    fastest.named(),
                    digits(test(smallest)),
                    smallest.named()
                )
            });
        }
    }
    for form in forms.iter().filter(|form| !form.is_exact) {
        let (bytes, name) = (bytes_of(form.bytes), form.named());
        if form.nanos.test.is_some() {
            // It is unknown if there was no other element to look up.
            let error =
                form.error.map(|error| format!(", with {} false positives", percent(error)));
            let error = error.unwrap_or_default();
            said.push(format!("To check whether an element was seen{error}: {bytes} in {name}."));
        } else {
            said.push(format!(
                "Only to count them, with a standard error of 0.8 %: {bytes} in {name}."
            ));
        }
    }
    said
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.elements)?;
        let beside = self.server.is_some();
        let mut head = vec!["", "encoding", "in all", "bytes"];
        if beside {
            head.push("on server");
        }
        head.extend(["add", "test", "scan", "remove", "error"]);
        draw(f, &of_numbers(&head), self.forms.iter().map(|form| form.cells(self.count, beside)))?;
        writeln!(f)?;
        for sentence in &self.sentences {
            writeln!(f, "{sentence}")?;
        }
        writeln!(f, "\nmeasured on: {}", self.processor)?;
        writeln!(
            f,
            "bytes: per element, including the key, the tables and the allocator's overhead"
        )?;
        writeln!(f, "add, test, scan, remove: nanoseconds per element")?;
        if let Some(server) = &self.server {
            writeln!(f, "on server: total bytes in {server}, from MEMORY USAGE")?;
        }
        Ok(())
    }
}

impl crate::output::Report for Advice {
    /// Nothing is saved.
    fn saved_to(&mut self, _: String) {}
}

#[cfg(test)]
mod tests {
    use super::super::super::measure::Spread;
    use super::*;

    fn choice(form: &'static str, encoding: &'static str, bytes: u64, test: f64) -> Choice {
        let spread = |median| Some(Spread { median, min: median, max: median });
        let is_exact = !form.contains("Hyper") && !form.contains("Bloom");
        let test = if form.contains("Hyper") { None } else { spread(test) };
        let nanos = Times { add: spread(100.0), test, ..Times::default() };
        let error = (!is_exact).then_some(0.0097);
        Choice { form, is_exact, encoding, bytes, nanos, error, server_bytes: None }
    }

    fn advice(text: &str, forms: &[Choice]) -> Advice {
        Advice::new(&Data::describe(text).unwrap(), forms.to_vec(), None)
    }

    #[test]
    fn the_sentences_say_what_was_measured() {
        let forms = [
            choice("one set", "hashtable", 5_400_000, 90.0),
            choice("shards, compact", "intset", 1_190_000, 200.0),
            choice("HyperLogLog", "raw", 12_368, 0.0),
            choice("Bloom filter, 1 %", "raw", 240_000, 50.0),
        ];
        assert_eq!(
            advice("200k random ids", &forms).sentences,
            [
                "Exactly: 1.19 MB in compact shards, 5.40 MB in one hash table.",
                "A bitmap would take 144 PB, with a bit for every id up to the largest, but a string has at most 512 MiB.",
                "To test an element takes 90.0 ns in one hash table, the fastest exact form, and 200 ns in compact shards, the smallest one.",
                "Only to count them, with a standard error of 0.8 %: 12.4 kB in a HyperLogLog.",
                "To check whether an element was seen, with 0.970 % false positives: 240 kB in a Bloom filter, 1 %.",
            ]
        );
        let forms = [choice("one set", "hashtable", 9, 90.0), choice(BITMAP, "raw", 5, 20.0)];
        assert_eq!(
            advice("2k small ids", &forms).sentences,
            [
                "Exactly: 5 B in a bitmap, 9 B in one hash table.",
                "The smallest exact form, a bitmap, is also the fastest to query."
            ]
        );
    }

    #[test]
    fn json_has_the_agreed_shape() {
        let mut advice = advice("9 names", &[choice("one set", "listpack", 70, 30.0)]);
        advice.processor = "EPYC".into();
        let json = serde_json::to_value(advice).unwrap();
        let spread = |ns: f64| serde_json::json!({"median": ns, "min": ns, "max": ns});
        assert_eq!(
            json,
            serde_json::json!({
                "version": 1,
                "processor": "EPYC",
                "elements": "9 names of 14 bytes",
                "count": 9,
                "forms": [{
                    "form": "one set", "is_exact": true, "encoding": "listpack", "bytes": 70,
                    "nanos": {"add": spread(100.0), "test": spread(30.0), "count": null, "scan": null, "remove": null},
                }],
                "advice": ["Exactly: 70 B in one listpack."],
            })
        );
    }
}
