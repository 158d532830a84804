//! The commands of the histories, on the store and on a simple model.

#![expect(clippy::wildcard_enum_match_arm, reason = "a reply of any other shape fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use tallis::{CopyOptions, Error, ErrorKind, Locks, Reply, Session, Store};
use testkit::rng::Rng;

/// A key, by number: there are few, so that calls conflict.
pub(crate) type Key = usize;

/// The number of keys.
pub(crate) const KEYS: usize = 4;

#[derive(Clone, Debug)]
pub(crate) enum Command {
    Incr(Key, i64),
    Get(Key),
    /// MSET of the same number to all of these.
    Mset(Vec<Key>, i64),
    Del(Vec<Key>),
    Sadd(Key, i64),
    Smembers(Key),
    Smove(Key, Key, i64),
    Sinterstore(Key, Vec<Key>),
    Sunionstore(Key, Vec<Key>),
    Sdiffstore(Key, Vec<Key>),
    Rename(Key, Key),
    Copy(Key, Key),
}
use Command::{
    Copy, Del, Get, Incr, Mset, Rename, Sadd, Sdiffstore, Sinterstore, Smembers, Smove, Sunionstore,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Done,
    Count(i64),
    Number(Option<i64>),
    Members(BTreeSet<i64>),
    Failed(ErrorKind),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Number(i64),
    Set(BTreeSet<i64>),
}

/// The simple model of the keys.
pub(crate) type Model = BTreeMap<Key, Value>;

impl Command {
    /// A random command. Keys 0 and 1 begin as numbers, the others as sets; RENAME and COPY exchange them.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        let mut below = |bound: usize| usize::try_from(rng.below(bound as u64)).unwrap();
        let (any, number, set) = (below(KEYS), below(2), 2 + below(KEYS - 2));
        let (other, member) = (2 + below(KEYS - 2), i64::try_from(below(3)).unwrap());
        match below(24) {
            0..5 => Incr(number, member + 1),
            5..7 => Get(any),
            7 => Mset(vec![0, any], member),
            8 => Del(vec![any, other]),
            9..12 => Sadd(set, member),
            12..14 => Smembers(any),
            14..18 => Smove(set, other, member),
            18 => Sinterstore(set, vec![2, 3]),
            19..21 => Sunionstore(any, vec![2, 3]),
            21 => Sdiffstore(set, vec![other, set]),
            22 => Rename(any, other),
            _ => Copy(any, other),
        }
    }

    /// Returns the keys that it names.
    pub(crate) fn keys(&self) -> Vec<Key> {
        match self {
            Incr(key, _) | Get(key) | Sadd(key, _) | Smembers(key) => vec![*key],
            Mset(keys, _) | Del(keys) => keys.clone(),
            Smove(from, to, _) | Rename(from, to) | Copy(from, to) => vec![*from, *to],
            Sinterstore(to, of) | Sunionstore(to, of) | Sdiffstore(to, of) => {
                [&[*to], &of[..]].concat()
            }
        }
    }

    /// Runs it by the typed calls, on a store or in a transaction.
    pub(crate) fn call(&self, store: &Store<impl Locks>, name: impl Fn(Key) -> String) -> Answer {
        let names = |keys: &[Key]| keys.iter().map(|&key| name(key)).collect::<Vec<_>>();
        let count = |count: usize| Answer::Count(i64::try_from(count).unwrap());
        let done = match self {
            Incr(key, by) => store.incr(name(*key), *by).map(Answer::Count),
            Get(key) => store.get(name(*key)).map(|text| {
                Answer::Number(
                    text.map(|text| std::str::from_utf8(&text).unwrap().parse().unwrap()),
                )
            }),
            Mset(keys, to) => {
                let pairs: Vec<_> = keys.iter().map(|&key| (name(key), *to)).collect();
                store.mset(&pairs).map(|()| Answer::Done)
            }
            Del(keys) => store.del(names(keys)).map(count),
            Sadd(key, member) => store.sadd(name(*key), [*member]).map(count),
            Smembers(key) => store.smembers(name(*key)).map(|members| {
                let number = |member: &bytes::Bytes| {
                    std::str::from_utf8(member).unwrap().parse::<i64>().unwrap()
                };
                Answer::Members(members.iter().map(number).collect())
            }),
            Smove(from, to, member) => {
                store.smove(name(*from), name(*to), *member).map(usize::from).map(count)
            }
            Sinterstore(to, of) => store.sinterstore(name(*to), names(of)).map(count),
            Sunionstore(to, of) => store.sunionstore(name(*to), names(of)).map(count),
            Sdiffstore(to, of) => store.sdiffstore(name(*to), names(of)).map(count),
            Rename(from, to) => store.rename(name(*from), name(*to)).map(|()| Answer::Done),
            Copy(from, to) => store
                .copy(name(*from), name(*to), CopyOptions::default().replace(true))
                .map(usize::from)
                .map(count),
        };
        done.unwrap_or_else(|error: Error| Answer::Failed(error.kind()))
    }

    /// Returns its words for the store.
    pub(crate) fn words(&self, name: impl Fn(Key) -> String) -> Vec<String> {
        let several = |first: &str, keys: &[Key]| {
            std::iter::once(first.to_owned()).chain(keys.iter().map(|&key| name(key))).collect()
        };
        let with = |words: Vec<String>, more: &str| [words, vec![more.to_owned()]].concat();
        match self {
            Incr(key, by) => with(several("INCRBY", &[*key]), &by.to_string()),
            Get(key) => several("GET", &[*key]),
            Mset(keys, to) => std::iter::once("MSET".to_owned())
                .chain(keys.iter().flat_map(|&key| [name(key), to.to_string()]))
                .collect(),
            Del(keys) => several("DEL", keys),
            Sadd(key, member) => with(several("SADD", &[*key]), &member.to_string()),
            Smembers(key) => several("SMEMBERS", &[*key]),
            Smove(from, to, member) => with(several("SMOVE", &[*from, *to]), &member.to_string()),
            Sinterstore(to, of) => several("SINTERSTORE", &[&[*to], &of[..]].concat()),
            Sunionstore(to, of) => several("SUNIONSTORE", &[&[*to], &of[..]].concat()),
            Sdiffstore(to, of) => several("SDIFFSTORE", &[&[*to], &of[..]].concat()),
            Rename(from, to) => several("RENAME", &[*from, *to]),
            Copy(from, to) => with(several("COPY", &[*from, *to]), "REPLACE"),
        }
    }

    /// Converts a reply of the store.
    pub(crate) fn answer(&self, reply: &Reply) -> Answer {
        let number =
            |text: &bytes::Bytes| std::str::from_utf8(text).unwrap().parse::<i64>().unwrap();
        match reply {
            Reply::Status(_) => Answer::Done,
            Reply::Int(number) => Answer::Count(*number),
            Reply::Bulk(text) => Answer::Number(Some(number(text))),
            Reply::Nil => Answer::Number(None),
            Reply::Array(members) => Answer::Members(
                members
                    .iter()
                    .map(|member| match member {
                        Reply::Bulk(text) => number(text),
                        other => panic!("{other:?} for {self:?}"),
                    })
                    .collect(),
            ),
            Reply::Error(error) => Answer::Failed(error.kind()),
            other => panic!("{other:?} for {self:?}"),
        }
    }

    /// Runs it on the model.
    pub(crate) fn apply(&self, model: &mut Model) -> Answer {
        self.try_apply(model).unwrap_or_else(Answer::Failed)
    }

    fn try_apply(&self, model: &mut Model) -> Result<Answer, ErrorKind> {
        fn set(model: &Model, key: Key) -> Result<BTreeSet<i64>, ErrorKind> {
            match model.get(&key) {
                None => Ok(BTreeSet::new()),
                Some(Value::Set(set)) => Ok(set.clone()),
                Some(Value::Number(_)) => Err(ErrorKind::WrongType),
            }
        }
        fn put(model: &mut Model, key: Key, set: BTreeSet<i64>) -> Answer {
            let count = i64::try_from(set.len()).unwrap();
            if set.is_empty() {
                model.remove(&key);
            } else {
                model.insert(key, Value::Set(set));
            }
            Answer::Count(count)
        }
        let number = |model: &Model, key: Key| match model.get(&key) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(*number)),
            Some(Value::Set(_)) => Err(ErrorKind::WrongType),
        };
        let folded = |model: &Model, of: &[Key], with: fn(&mut BTreeSet<i64>, &BTreeSet<i64>)| {
            let sets = of.iter().map(|&key| set(model, key)).collect::<Result<Vec<_>, _>>()?;
            let (first, others) = sets.split_first().unwrap();
            Ok(others.iter().fold(first.clone(), |mut all, set| {
                with(&mut all, set);
                all
            }))
        };
        Ok(match self {
            Incr(key, by) => {
                let new = number(model, *key)?.unwrap_or(0) + by;
                model.insert(*key, Value::Number(new));
                Answer::Count(new)
            }
            Get(key) => Answer::Number(number(model, *key)?),
            Mset(keys, to) => {
                model.extend(keys.iter().map(|&key| (key, Value::Number(*to))));
                Answer::Done
            }
            Del(keys) => {
                let gone = keys.iter().filter(|&key| model.remove(key).is_some()).count();
                Answer::Count(i64::try_from(gone).unwrap())
            }
            Sadd(key, member) => {
                let mut set = set(model, *key)?;
                let new = set.insert(*member);
                put(model, *key, set);
                Answer::Count(new.into())
            }
            Smembers(key) => Answer::Members(set(model, *key)?),
            Smove(from, to, member) => {
                if !model.contains_key(from) {
                    return Ok(Answer::Count(0));
                }
                let (mut source, _) = (set(model, *from)?, set(model, *to)?);
                if !source.remove(member) {
                    return Ok(Answer::Count(0));
                }
                if from != to {
                    put(model, *from, source);
                    let mut target = set(model, *to)?;
                    target.insert(*member);
                    put(model, *to, target);
                }
                Answer::Count(1)
            }
            Sinterstore(to, of) => {
                let made = folded(model, of, |all, set| *all = &*all & set)?;
                put(model, *to, made)
            }
            Sunionstore(to, of) => {
                let made = folded(model, of, |all, set| *all = &*all | set)?;
                put(model, *to, made)
            }
            Sdiffstore(to, of) => {
                let made = folded(model, of, |all, set| *all = &*all - set)?;
                put(model, *to, made)
            }
            Rename(from, to) => {
                let value = model.remove(from).ok_or(ErrorKind::NoSuchKey)?;
                model.insert(*to, value);
                Answer::Done
            }
            Copy(from, to) if from == to => return Err(ErrorKind::InvalidArgument),
            Copy(from, to) => match model.get(from).cloned() {
                None => Answer::Count(0),
                Some(value) => {
                    model.insert(*to, value);
                    Answer::Count(1)
                }
            },
        })
    }
}

/// Runs MULTI, the commands and EXEC; returns the reply of EXEC to each.
pub(crate) fn in_one(
    session: &mut Session,
    commands: &[Command],
    name: impl Fn(Key) -> String,
) -> Vec<Answer> {
    session.execute(&["MULTI"]);
    for command in commands {
        let queued = session.execute(&command.words(&name));
        assert_eq!(queued, Reply::Status("QUEUED".into()), "{command:?}");
    }
    match session.execute(&["EXEC"]) {
        Reply::Array(replies) => {
            commands.iter().zip(&replies).map(|(command, reply)| command.answer(reply)).collect()
        }
        other => panic!("{other:?}"),
    }
}
