//! SPOP.

use std::collections::HashSet;

use ahash::RandomState;
use bytes::Bytes;

use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::rules::Rules;
use crate::store::Chance;
use crate::store::door::Scope;
use crate::value::{SetRef, Value};

/// Where taking out so many members leaves so few that Redis makes a new set of them: it then has the encoding of one.
const REBUILD: usize = 5;

/// Takes out `count` random members, or all.
pub(super) fn pop(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    count: usize,
) -> Result<Vec<Bytes>, Error> {
    let rules = scope.rules();
    let chance = scope.shared().chance();
    scope.change(key, |slot| {
        let Some(value) = slot.value_mut() else { return Ok(Vec::new()) };
        let mut set = value.as_set_mut().ok_or_else(Error::wrong_type)?;
        let len = set.as_ref().len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let drawn: Vec<Bytes> =
            set.as_ref().sample(count, chance).into_iter().map(Member::to_bytes).collect();
        let left = len - drawn.len();
        let rebuilt = if left > 0 && left * REBUILD <= count {
            Some(rest(set.as_ref(), &drawn, chance, &rules))
        } else {
            for member in &drawn {
                set.remove(Member::from(member), &rules);
            }
            None
        };
        match rebuilt {
            Some(rest) => *value = rest,
            None if left == 0 => drop(slot.take()),
            None => {}
        }
        slot.changed("SREM", || drawn.clone());
        Ok(drawn)
    })
}

/// A new set of the members that were not drawn, in the encoding that Redis comes to.
fn rest(set: SetRef<'_>, drawn: &[Bytes], chance: &Chance, rules: &Rules<'_>) -> Value {
    let drawn: HashSet<&[u8], RandomState> = drawn.iter().map(|member| &**member).collect();
    let mut kept = Vec::new();
    set.for_each(|member| {
        if !member.with_bytes(|bytes| drawn.contains(bytes)) {
            kept.push(member);
        }
    });
    if matches!(set, SetRef::HashTable(_)) {
        // Redis draws them at random too, and how the new set begins may depend on the first.
        let first = chance.below(kept.len());
        kept.swap(0, first);
    }
    let mut new = Value::set_of_rest(set, kept[0], rules);
    if let Some(mut new) = new.as_set_mut() {
        for member in kept {
            new.add(member, rules);
        }
    }
    new
}
