//! The filter of keys.

use tallis::Glob;
use tallis::rdb::ValueType;

use super::scan::Key;
use crate::args::FilterArgs;

/// Selects the keys of a file for a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filter<'a> {
    db: &'a [u32],
    pattern: Option<Glob<'a>>,
    types: &'a [String],
}

impl<'a> Filter<'a> {
    pub(crate) fn new(args: &'a FilterArgs) -> Self {
        let pattern = args.pattern.as_ref().map(|pattern| Glob::new(pattern.as_encoded_bytes()));
        Self { db: &args.db, pattern, types: &args.types }
    }

    /// Returns whether every key matches.
    pub(crate) const fn is_open(&self) -> bool {
        self.db.is_empty() && self.pattern.is_none() && self.types.is_empty()
    }

    /// Returns whether a key may match. For a value of a module, [`takes_type`](Self::takes_type) decides once its name
    /// was read.
    pub(crate) fn takes(&self, key: &Key) -> bool {
        (self.db.is_empty() || self.db.contains(&key.db))
            && self.pattern.is_none_or(|pattern| pattern.matches(&key.name))
            && (key.kind == ValueType::Module || self.takes_type(key.kind.type_name()))
    }

    /// Returns whether a type matches.
    pub(crate) fn takes_type(&self, name: &str) -> bool {
        self.types.is_empty() || self.types.iter().any(|wanted| wanted == name)
    }
}
