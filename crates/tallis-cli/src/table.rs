//! Plain tables: a head, a rule, and columns two spaces apart.

use std::fmt::{Formatter, Result};

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

/// The alignment of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Returns the head of a table whose first column is text and whose others are numbers.
pub(crate) fn of_numbers<'h>(head: &[&'h str]) -> Vec<(&'h str, Align)> {
    let align = |at| if at == 0 { Align::Left } else { Align::Right };
    head.iter().enumerate().map(|(at, &name)| (name, align(at))).collect()
}

/// Returns the lines of a table: its head, the rule, its rows.
pub(crate) fn drawn<C: Into<comfy_table::Cell>>(
    head: &[(&str, Align)],
    rows: impl IntoIterator<Item = impl IntoIterator<Item = C>>,
) -> Vec<String> {
    let mut table = Table::new();
    let rule = LineStyle::none().fill('-').junction('-');
    table.load_style(TableStyle::new().header_separator(rule));
    table.set_header(head.iter().map(|(name, _)| *name));
    for row in rows {
        table.add_row(row);
    }
    let last = head.len().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(index > 0), u16::from(index < last)));
        if head.get(index).is_some_and(|&(_, align)| align == Align::Right) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Writes a table.
pub(crate) fn draw<C: Into<comfy_table::Cell>>(
    f: &mut Formatter<'_>,
    head: &[(&str, Align)],
    rows: impl IntoIterator<Item = impl IntoIterator<Item = C>>,
) -> Result {
    drawn(head, rows).into_iter().try_for_each(|line| writeln!(f, "{line}"))
}
