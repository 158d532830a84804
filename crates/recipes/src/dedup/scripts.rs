//! The scripts of [`Dedup`](super::Dedup).

use bloom::{ItemHash, Settings};
use store::{BloomEntry, Error, Member, Reply, Script, ScriptCall, Tx};

use super::procedures::{InsertTurning, Items, Turn, insert};
use crate::procedure::Procedure;

/// The scripts of [`Dedup`](super::Dedup).
pub(crate) static SCRIPTS: [&Script; 3] = [&INSERT, &INSERT_LAST, &INSERT_WITHIN];

/// BF.INSERT of several items: all of them, or none.
pub(super) static INSERT: Script =
    Script::new(concat!(include_str!("filters.lua"), include_str!("insert.lua")), |tx, call| {
        let [key] = call.keys()?;
        let args = Args::of(call, 2)?;
        Ok(bits(insert(key, args.items(), args.settings).run(tx)?))
    });

/// BF.INSERT of items, with a turn when a filter is full.
pub(super) static INSERT_LAST: Script = Script::new(
    concat!(include_str!("filters.lua"), include_str!("insert_last.lua")),
    |tx, call| {
        let args = Args::of(call, 2)?;
        let turn = Turn::Items(args.settings.capacity());
        args.insert_turning(tx, call, args.settings.non_scaling(), turn)
    },
);

/// BF.INSERT of items, with a turn when half of a period is over.
pub(super) static INSERT_WITHIN: Script = Script::new(
    concat!(include_str!("filters.lua"), include_str!("insert_within.lua")),
    |tx, call| {
        let args = Args::of(call, 3)?;
        args.insert_turning(tx, call, args.settings, Turn::PeriodMs(call.int(2)?))
    },
);

/// The arguments of a script.
struct Args<'c> {
    settings: Settings,
    items: Vec<Member<'c>>,
    hashes: Vec<ItemHash>,
}

impl<'c> Args<'c> {
    /// Parses the capacity, the error rate, and the items from an argument on.
    fn of(call: &ScriptCall<'c>, items_at: usize) -> Result<Self, Error> {
        let capacity = u64::try_from(call.int(0)?).map_err(|_| ScriptCall::wrong())?;
        let rate = str::from_utf8(call.arg(1)?).ok().and_then(|rate| rate.parse().ok());
        let rate: f64 = rate.ok_or_else(ScriptCall::wrong)?;
        let items = call.args.get(items_at..).unwrap_or_default();
        let items: Vec<Member<'_>> = items.iter().map(|&item| item.into()).collect();
        let hashes = items.iter().map(|&item| BloomEntry::hash(item)).collect();
        Ok(Self { settings: Settings::new(capacity, rate), items, hashes })
    }

    fn items(&self) -> Items<'_> {
        Items { items: &self.items, hashes: &self.hashes }
    }

    fn insert_turning(
        &self,
        tx: &Tx<'_>,
        call: &ScriptCall<'_>,
        settings: Settings,
        turn: Turn,
    ) -> Result<Reply, Error> {
        let [key, older] = call.keys()?;
        let insert = InsertTurning { key, older, items: self.items(), settings, turn };
        Ok(bits(insert.procedure().run(tx)?))
    }
}

/// Converts to 1 for a new item and 0 for others.
fn bits(new: Vec<bool>) -> Reply {
    Reply::Array(new.into_iter().map(|new| Reply::Int(new.into())).collect())
}
