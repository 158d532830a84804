//! Columns of a CSV file by name.

/// The number of fields of a row.
const FIELDS: usize = 3;

/// The columns of the fields of a row, by the names in the first row of a file.
///
/// # Examples
///
/// ```
/// use tallis_cli::Columns;
///
/// let columns = Columns::parse("lon=lng,id=name", ["id", "lon", "lat"], &[])?;
/// let header = ["name", "country", "lat", "lng"];
/// assert_eq!(columns.find(header.map(str::as_bytes))?, [Some(0), Some(3), Some(2)]);
/// assert_eq!(
///     columns.find(["name", "Lng"].map(str::as_bytes)).unwrap_err(),
///     "no column 'lng'; the columns are 'name', 'Lng'"
/// );
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The name of the column of each field; empty if it has none.
    names: [String; FIELDS],
}

impl Columns {
    /// Parses `FIELD=COLUMN,FIELD=COLUMN` for these fields. A field that is left out is in the column of its own name;
    /// an `optional` field may have no column, `FIELD=`.
    ///
    /// # Errors
    ///
    /// A message that describes what is wrong with the text.
    pub fn parse(text: &str, fields: [&str; FIELDS], optional: &[&str]) -> Result<Self, String> {
        let mut names = [const { None }; FIELDS];
        for pair in text.split(',') {
            let (field, column) =
                pair.split_once('=').ok_or_else(|| format!("'{pair}' is not FIELD=COLUMN"))?;
            let of_field = fields.iter().zip(&mut names).find(|(name, _)| **name == field);
            let (_, name) = of_field.ok_or_else(|| {
                format!("'{field}' is not one of the fields {}", fields.join(", "))
            })?;
            if column.is_empty() && !optional.contains(&field) {
                return Err(format!("the field {field} must have a column"));
            }
            if name.replace(column.to_owned()).is_some() {
                return Err(format!("the field {field} is given twice"));
            }
        }
        let mut fields = fields.iter();
        let names = names.map(|name| {
            let own = fields.next().copied().unwrap_or_default();
            name.unwrap_or_else(|| own.to_owned())
        });
        Ok(Self { names })
    }

    /// Returns the indexes of the columns in a file with this first row.
    ///
    /// # Errors
    ///
    /// The name of a missing column, and the names of the existing ones.
    pub fn find<'h>(
        &self,
        header: impl IntoIterator<Item = &'h [u8]>,
    ) -> Result<[Option<usize>; FIELDS], String> {
        let header: Vec<&[u8]> = header.into_iter().collect();
        let mut found = [None; FIELDS];
        for (name, found) in self.names.iter().zip(&mut found) {
            if name.is_empty() {
                continue;
            }
            *found = header.iter().position(|column| *column == name.as_bytes());
            if found.is_none() {
                let there: Vec<_> =
                    header.iter().map(|column| format!("'{}'", column.escape_ascii())).collect();
                return Err(format!("no column '{name}'; the columns are {}", there.join(", ")));
            }
        }
        Ok(found)
    }
}

/// The indexes of the columns of the fields in the rows of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    at: [Option<usize>; FIELDS],
    /// The number of columns.
    columns: usize,
}

impl Places {
    /// The fields in their own order, and no other columns.
    pub(crate) const OWN: Self = Self { at: [Some(0), Some(1), Some(2)], columns: FIELDS };

    /// Finds the fields in a file with this first row.
    pub(crate) fn by_name<'h>(
        columns: &Columns,
        header: impl ExactSizeIterator<Item = &'h [u8]>,
    ) -> Result<Self, String> {
        Ok(Self { columns: header.len(), at: columns.find(header)? })
    }

    /// Returns the fields of a row; `None` for a row of another length. A field without a column is empty.
    pub(crate) fn pick<'r>(
        &self,
        row: &(impl ExactSizeIterator<Item = &'r [u8]> + Clone),
    ) -> Option<[&'r [u8]; FIELDS]> {
        let field = |at: Option<usize>| at.and_then(|at| row.clone().nth(at)).unwrap_or_default();
        (row.len() == self.columns).then(|| self.at.map(field))
    }

    /// Returns the error for a row of another length; `fields` are the names in their own order.
    pub(crate) fn wrong_count(&self, got: usize, fields: &str) -> String {
        let names = if self.columns == FIELDS { format!(": {fields}") } else { String::new() };
        let word = if got == 1 { "field" } else { "fields" };
        format!("{got} {word} instead of {}{names}", self.columns)
    }
}

/// Returns a row without the byte order mark with which some UTF-8 files begin.
pub(crate) fn without_mark(first: &[u8]) -> &[u8] {
    first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELD_NAMES: [&str; 3] = ["user", "country", "region"];

    #[test]
    fn what_names_no_columns_is_refused() {
        let parse = |text| Columns::parse(text, FIELD_NAMES, &["region"]);
        for (text, error) in [
            ("", "'' is not FIELD=COLUMN"),
            ("user", "'user' is not FIELD=COLUMN"),
            ("user=a,", "'' is not FIELD=COLUMN"),
            ("usr=a", "'usr' is not one of the fields user, country, region"),
            ("user=a,user=b", "the field user is given twice"),
            ("user=", "the field user must have a column"),
        ] {
            assert_eq!(parse(text).unwrap_err(), error, "{text}");
        }
        assert_eq!(parse("region=").unwrap().names, ["user", "country", ""]);
        assert_eq!(parse("user=a=b").unwrap().names[0], "a=b");
    }

    #[test]
    fn rows_have_as_many_fields_as_the_first_one() {
        let columns = Columns::parse("user=u,country=c,region=", FIELD_NAMES, &["region"]).unwrap();
        let header = ["x", "c", "u", "u"].map(str::as_bytes);
        let places = Places::by_name(&columns, header.into_iter()).unwrap();
        let row = |fields: &'static [&'static [u8]]| places.pick(&fields.iter().copied());
        assert_eq!(row(&[b"1", b"2", b"3", b"4"]), Some([&b"3"[..], b"2", b""]));
        assert_eq!(row(&[b"1", b"2", b"3"]), None);
        assert_eq!(places.wrong_count(1, "x"), "1 field instead of 4");
        assert_eq!(Places::OWN.wrong_count(2, "a,b,c"), "2 fields instead of 3: a,b,c");
    }
}
