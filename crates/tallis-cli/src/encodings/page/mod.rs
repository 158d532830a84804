//! The page: plots and tables in one self-contained file.
//!
//! The plots are SVG in the page, readable on a phone; a style sheet gives them the colours of the reader's light or
//! dark theme.

mod plot;

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use tallis::replace_file;

use self::plot::{Figure, figures};
use super::form::{FORMS, Family};
use super::report::{Report, Row, digits, size};
use super::shape::Work;
use crate::bloom::percent;
use crate::failure::Failure;
use crate::plot::{colour, escaped};

/// The style sheet.
const STYLE: &str = include_str!("style.css");

/// Returns the page of a report.
pub(super) fn page(report: &Report) -> Result<String, Failure> {
    let mut body = head(report);
    for rows in report.rows.chunk_by(|one, next| one.family == next.family) {
        section(&mut body, rows)?;
    }
    let title = "What each encoding costs";
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         {body}</main>\n</body>\n</html>\n"
    ))
}

/// Writes the page to a temporary file, which is renamed when it is complete.
pub(super) fn write(path: &Path, page: &str) -> Result<(), Failure> {
    replace_file(path, |mut file| file.write_all(page.as_bytes()))
        .map_err(|error| Failure::at(path, &error))
}

/// Returns the head of the page, with links to each part.
fn head(report: &Report) -> String {
    let mut text = format!(
        "<p>Measured by <code>tallis encodings</code> {} on {}",
        env!("CARGO_PKG_VERSION"),
        escaped(&report.processor)
    );
    if let Some(server) = &report.server {
        let _ = write!(text, ", compared with {} (dashed)", escaped(server));
    }
    text.push_str(
        ". Bytes are per element, including its share of the key, of all tables and of the allocator's overhead",
    );
    if report.server.is_some() {
        text.push_str("; those of the server are from MEMORY USAGE");
    }
    text.push_str(". Times are nanoseconds per element, medians of several rounds");
    if report.server.is_some() {
        text.push_str(
            "; those of the server are from INFO commandstats, without socket and parsing",
        );
    }
    text.push_str(". Both axes are logarithmic. Compare the curves: the times depend on the machine.</p>\n<nav>");
    for rows in report.rows.chunk_by(|one, next| one.family == next.family) {
        let Some(Row { family, .. }) = rows.first() else { continue };
        let _ = writeln!(text, "<a href=\"#{}\">{}</a>", anchor(*family), family.title());
    }
    text.push_str("</nav>\n");
    text
}

fn anchor(family: Family) -> String {
    family.title().to_lowercase().replace(' ', "-")
}

/// Appends the plots and the table of a family.
fn section(body: &mut String, rows: &[Row]) -> Result<(), Failure> {
    let Some(Row { family, .. }) = rows.first() else { return Ok(()) };
    let _ = writeln!(body, "<section id=\"{}\">\n<h2>{}</h2>", anchor(*family), family.title());
    legend(body, rows);
    body.push_str("<div class=\"plots\">\n");
    for Figure { caption, svg } in figures(rows)? {
        let _ = writeln!(body, "<figure>\n<figcaption>{caption}</figcaption>\n{svg}</figure>");
    }
    body.push_str("</div>\n");
    table(body, rows);
    body.push_str("</section>\n");
    Ok(())
}

/// Appends the legend: the forms with their colours, and the limits that are marked.
fn legend(body: &mut String, rows: &[Row]) {
    body.push_str("<ul class=\"legend\">\n");
    for (number, form) in forms(rows).into_iter().enumerate() {
        let colour = colour(number);
        let _ = writeln!(
            body,
            "<li><svg viewBox=\"0 0 24 12\" aria-hidden=\"true\"><path d=\"M0 6H24\" stroke=\"{colour}\" stroke-width=\"4\"/></svg>{}</li>",
            escaped(form)
        );
    }
    body.push_str("</ul>\n");
    let limits = limits(rows);
    if !limits.is_empty() {
        let texts: Vec<String> = limits.iter().map(|(_, limit)| marked(limit)).collect();
        let _ = writeln!(
            body,
            "<p class=\"limits\">Vertical lines are the default limits: {}.</p>",
            texts.join("; ")
        );
    }
}

/// Returns a limit with its name as code.
fn marked(limit: &str) -> String {
    let (name, rest) = limit.split_once(' ').unwrap_or((limit, ""));
    format!("<code>{name}</code> {rest}")
}

/// Returns the names of the forms, in order.
fn forms(rows: &[Row]) -> Vec<&'static str> {
    rows.chunk_by(|one, next| one.form == next.form)
        .filter_map(|rows| Some(rows.first()?.form))
        .collect()
}

/// Returns the limits at which a form of these rows ends, without duplicates.
fn limits(rows: &[Row]) -> Vec<(usize, &'static str)> {
    let forms = FORMS
        .iter()
        .filter(|form| rows.iter().any(|row| row.family == form.family && row.form == form.name));
    let mut limits: Vec<_> = forms.filter_map(|form| form.until).collect();
    limits.sort_unstable();
    limits.dedup();
    limits
}

const HEAD: [&str; 9] =
    ["form", "size", "bytes", "add", "test", "count", "scan", "remove", "error"];

/// Appends the table of the figures. The title of a time has the lowest and the highest round.
fn table(body: &mut String, rows: &[Row]) {
    body.push_str(
        "<details>\n<summary>The figures</summary>\n<div class=\"scroll\">\n<table>\n<thead><tr>",
    );
    for name in HEAD {
        let _ = write!(body, "<th scope=\"col\">{name}</th>");
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        let mark = if row.is_beyond { " *" } else { "" };
        let form = format!("{}{mark}", escaped(row.form));
        let error = row.error.map(percent).unwrap_or_default();
        line(body, &form, &size(row.size), row.bytes, &row.nanos, &error);
        if let Some(server) = &row.server {
            let name = escaped(&server.named(row.encoding));
            line(body, &name, "", server.bytes, &server.nanos, "");
        }
    }
    body.push_str("</tbody>\n</table>\n</div>\n");
    if rows.iter().any(|row| row.is_beyond) {
        body.push_str("<p>*: larger than the default limits allow for this encoding.</p>\n");
    }
    body.push_str("</details>\n");
}

fn line(
    body: &mut String,
    form: &str,
    size: &str,
    bytes: f64,
    times: &super::measure::Times,
    error: &str,
) {
    let _ =
        write!(body, "<tr><th scope=\"row\">{form}</th><td>{size}</td><td>{}</td>", digits(bytes));
    for work in Work::ALL {
        match times.of(work) {
            Some(time) => {
                let [low, high] = [time.min, time.max].map(digits);
                let _ = write!(body, "<td title=\"{low} to {high}\">{}</td>", digits(time.median));
            }
            None => body.push_str("<td></td>"),
        }
    }
    let _ = writeln!(body, "<td>{error}</td></tr>");
}
