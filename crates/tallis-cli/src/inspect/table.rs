//! Plain tables.

use std::fmt::{Formatter, Result};

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

/// The side on which the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Writes a table under an empty line, if it has rows.
pub(super) fn write_table(
    f: &mut Formatter<'_>,
    head: &[(&str, Align)],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result {
    let mut table = Table::new();
    let rule = LineStyle::none().fill('-').junction('-');
    table.load_style(TableStyle::new().header_separator(rule));
    table.set_header(head.iter().map(|(name, _)| *name));
    table.add_rows(rows);
    if table.is_empty() {
        return Ok(());
    }
    let last = head.len().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        let padding = (u16::from(index > 0), u16::from(index < last));
        column.set_padding(padding);
        if head.get(index).is_some_and(|&(_, align)| align == Align::Right) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(f)?;
    table.lines().try_for_each(|line| writeln!(f, "{}", line.trim_end()))
}
