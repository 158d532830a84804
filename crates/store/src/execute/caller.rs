//! What runs a command of the table.

use crate::store::Store;
use crate::store::locks::Dispatch;

/// What runs a command of the table.
pub(crate) type Caller<'c, 't> = Store<Dispatch<'c, 't>>;
