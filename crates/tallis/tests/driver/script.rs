//! A script that the stores have registered.

use arbitrary::{Result, Unstructured};
use tallis::{Error, Reply, Script, ScriptCall, Tx};

use super::line::KEYS;

/// Reads a key that its argument names, deletes the first of its keys, and writes the types of all keys into each of
/// the others. It fails before it has changed anything, or not at all.
pub(super) static GATHER: Script = Script::new("a text that no server can run", gather);

fn gather(tx: &Tx<'_>, call: &ScriptCall<'_>) -> std::result::Result<Reply, Error> {
    let was_there = tx.exists(call.arg(0)?)?;
    let mut types = Vec::new();
    for key in call.keys {
        types.push(tx.key_type(key)?.unwrap_or_default());
    }
    let text = types.join(" ");
    let (first, others) = call.keys.split_first().ok_or_else(ScriptCall::wrong)?;
    tx.del(first)?;
    for key in others {
        tx.set(key, &text)?;
    }
    let end = if was_there { Reply::Nil } else { Reply::Int(tx.now_us()) };
    Ok(Reply::Array(vec![Reply::Bulk(text.into()), end]))
}

/// Turns a command into a call of the script, with keys.
pub(super) fn call(u: &mut Unstructured<'_>, words: &mut Vec<Vec<u8>>) -> Result<()> {
    let name = words[0].clone();
    let script = if name.starts_with(b"evalsha") { GATHER.digest() } else { GATHER.text() };
    let count = u.int_in_range(0..=4_usize)?;
    *words = vec![name, script.into(), count.to_string().into_bytes()];
    // In addition, the key that the argument names.
    for _ in 0..=count {
        words.push(u.choose(KEYS)?.to_vec());
    }
    Ok(())
}
