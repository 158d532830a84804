//! What a client remembers between commands.

use crate::error::{Error, ErrorKind};
use crate::execute::{Args, run, wrong_arity};
use crate::key::HashedKey;
use crate::reply::Reply;
use crate::store::Store;
use crate::store::door::{Door, Scope, View};
use crate::value::parse_int;

/// One client's side of the command door: its database.
///
/// It has the typed commands too, on the database that was selected last.
///
/// # Examples
///
/// ```
/// use tallis::{Store, prelude::*};
///
/// let store = Store::new();
/// let mut session = store.session();
/// session.execute(&["SELECT", "2"]);
/// session.execute(&["SET", "k", "v"]);
/// assert_eq!(store.db(2).dbsize(), 1);
/// assert_eq!(store.dbsize(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    store: Store,
}

impl Store {
    /// A session that begins on this handle's database.
    #[must_use]
    pub fn session(&self) -> Session {
        Session { store: self.clone() }
    }
}

impl Session {
    /// Runs one command.
    pub fn execute<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Reply {
        let args: Args<'_> = args.iter().map(AsRef::as_ref).collect();
        let answer = match args.split_first() {
            Some((name, rest)) if name.eq_ignore_ascii_case(b"select") => self.select(rest),
            _ => run(&self.store, &args),
        };
        answer.unwrap_or_else(|error| Reply::Error(error.to_string()))
    }

    /// The number of the database that was selected last.
    #[must_use]
    pub fn db_number(&self) -> u32 {
        self.store.db_number()
    }

    fn select(&mut self, args: &[&[u8]]) -> Result<Reply, Error> {
        let [number] = args else { return Err(wrong_arity("select")) };
        let number = parse_int(number).ok_or_else(Error::not_integer)?;
        let number = u32::try_from(number)
            .map_err(|_| Error::new(ErrorKind::Syntax, "ERR DB index is out of range"))?;
        self.store = self.store.db(number);
        Ok(Reply::OK)
    }
}

impl Door for Session {
    fn read<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&View<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.store.read(keys, operation)
    }

    fn write<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.store.write(keys, operation)
    }

    fn dbsize(&self) -> usize {
        self.store.dbsize()
    }
}
