//! The step that changes a counter only.

use store::{KeyRef, Reply, Script};

use crate::kept::KeptUntil;
use crate::procedure::{Procedure, step};
use crate::request::Request;

pub(super) static COUNT: Script = Script::new(include_str!("../count.lua"), |tx, call| {
    let ([counter], by) = (call.keys()?.map(KeyRef::new), call.int(0)?);
    count_in(counter, by, KeptUntil::of_arg(call, 1)?).run(tx).map(|()| Reply::OK)
});

/// INCRBY of a counter, with an expiry.
pub(in crate::visitors) fn count_in(
    counter: KeyRef<'_>,
    by: i64,
    until: KeptUntil,
) -> impl Procedure<Output = ()> {
    step([counter], move |tx| {
        if tx.incr(counter, by)? == by {
            until.begin_keys(tx, [counter.as_bytes()])?;
        }
        Ok(())
    })
    .on_server(move || match until.0 {
        None => Request::command("INCRBY").key(counter).arg(by),
        Some(at) => Request::script(&COUNT).key(counter).arg(by).arg(at),
    })
}
