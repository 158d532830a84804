//! The printed and the measured figures, as tables and as JSON.

use std::fmt;

use serde::Serialize;

use super::row::{Figure, Row};
use crate::table::{draw, of_numbers};

/// All rows. Its JSON form is a stable interface of the program; its [`Display`](fmt::Display) form is a table for each
/// source, with its remarks below.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Report {
    /// The version of the JSON format.
    pub(super) version: u32,
    /// The server, and its version; `None` if there is no `redis-server`.
    pub(super) server: Option<String>,
    pub(super) rows: Vec<Row>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = self.server.as_deref().unwrap_or("no redis-server");
        let mut remarks = Vec::new();
        for rows in self.rows.chunk_by(|one, next| one.source == next.source) {
            let Some(first) = rows.first() else { continue };
            let head = [first.source.title(), "printed", "Tallis", server, "remark"];
            let lines = rows.iter().map(|row| {
                let mut cells = self.cells(row);
                if !row.remark.is_empty() {
                    remarks.push(row.remark);
                    cells.push(format!("[{}]", remarks.len()));
                }
                cells
            });
            draw(f, &of_numbers(&head), lines.collect::<Vec<_>>())?;
            writeln!(f)?;
        }
        for (remark, number) in remarks.iter().zip(1..) {
            writeln!(f, "[{number}] {remark}")?;
        }
        writeln!(f, "=: determined by the elements alone, and equal to the printed figure")
    }
}

impl Report {
    fn cells(&self, row: &Row) -> Vec<String> {
        let show = |figure: Figure| {
            let mark = if row.determined && figure == row.printed { "= " } else { "" };
            format!("{mark}{}", figure.show(row.unit))
        };
        // If there is a server, only the figures of RedisBloom can be missing.
        let missing = if self.server.is_some() { "no RedisBloom" } else { "-" };
        let server = row.server.map_or_else(|| missing.to_owned(), show);
        vec![row.what.to_owned(), row.printed_as.clone(), show(row.tallis), server]
    }
}

impl crate::output::Report for Report {
    /// Nothing of it is saved.
    fn saved_to(&mut self, _: String) {}
}
