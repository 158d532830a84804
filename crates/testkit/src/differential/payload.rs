//! The value in a DUMP payload, without what may differ between two right ones.

use super::quoted;

/// A value, with compression undone and the members of a hash table in one order.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Payload {
    /// A string.
    Bytes(Vec<u8>),
    /// The blob of an intset.
    IntSet(Vec<u8>),
    /// The blob of a listpack.
    Listpack(Vec<u8>),
    /// The members of a hash table, sorted.
    Members(Vec<Vec<u8>>),
    /// The blob of a sorted set's listpack.
    ZSetListpack(Vec<u8>),
    /// The members of a skip list with the bits of their scores, in order.
    Scores(Vec<(Vec<u8>, u64)>),
    /// The value of a module: its id, and its parts, strings apart from numbers.
    Module(String, Vec<Vec<u8>>),
    /// Another type: its name, and its bytes as they are.
    Other(String, Vec<u8>),
}

impl Payload {
    /// Reads a payload.
    pub(super) fn read(payload: &[u8]) -> Result<Self, String> {
        let mut payload = rdb::dump::decode(payload).map_err(|error| error.to_string())?;
        let value = payload.value().map_err(|error| error.to_string())?;
        Ok(match value {
            rdb::Value::String(string) => Self::Bytes(string.into_bytes()),
            rdb::Value::IntSet(blob) => Self::IntSet(blob),
            rdb::Value::SetListpack(blob) => Self::Listpack(blob),
            rdb::Value::Set(mut members) => {
                let mut all = Vec::new();
                while let Some(member) = members.next().map_err(|error| error.to_string())? {
                    all.push(member.to_vec());
                }
                all.sort_unstable();
                Self::Members(all)
            }
            rdb::Value::ZSetListpack(blob) => Self::ZSetListpack(blob),
            rdb::Value::ZSet(mut scores) => {
                let mut all = Vec::new();
                while let Some((member, score)) =
                    scores.next().map_err(|error| error.to_string())?
                {
                    all.push((member.to_vec(), score.to_bits()));
                }
                Self::Scores(all)
            }
            rdb::Value::ZSetZiplist(blob) => Self::Other("ZSetZiplist".to_owned(), blob),
            rdb::Value::Raw(raw) => match raw.module_parts() {
                Some((id, parts)) => {
                    let parts: Result<_, _> = parts.map(|part| part.map(flat)).collect();
                    Self::Module(format!("{id:?}"), parts.map_err(|error| error.to_string())?)
                }
                None => Self::Other(format!("{:?}", raw.kind()), raw.body().to_vec()),
            },
        })
    }

    /// The name of what holds the value: finer than OBJECT ENCODING where the bytes say more.
    pub(super) fn form(&self, encoding: &str) -> String {
        match self {
            Self::Bytes(bytes) => match bytes.get(..5) {
                Some(b"HYLL\x00") => "hll-dense".to_owned(),
                Some(b"HYLL\x01") => "hll-sparse".to_owned(),
                _ => encoding.to_owned(),
            },
            Self::IntSet(blob) => format!("intset-{}", blob.first().unwrap_or(&0) * 8),
            Self::Listpack(_) | Self::Members(_) => format!("set-{encoding}"),
            Self::ZSetListpack(_) | Self::Scores(_) => format!("zset-{encoding}"),
            Self::Module(id, parts) => format!("{id} of {} parts", parts.len()),
            Self::Other(kind, _) => kind.clone(),
        }
    }
}

/// What a part holds: a string its bytes, a number its text.
fn flat(part: rdb::ModulePart<Vec<u8>>) -> Vec<u8> {
    if let rdb::ModulePart::Bytes(bytes) = part {
        [&b"bytes "[..], &bytes].concat()
    } else {
        format!("{part:?}").into()
    }
}

impl std::fmt::Debug for Payload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 2_000;
        let mut text = match self {
            Self::Bytes(bytes) => format!("string {}", quoted(bytes)),
            Self::IntSet(blob) => format!("intset {}", quoted(blob)),
            Self::Listpack(blob) => format!("listpack {}", quoted(blob)),
            Self::Members(all) => {
                let all: Vec<String> = all.iter().map(|member| quoted(member)).collect();
                format!("members {}", all.join(" "))
            }
            Self::ZSetListpack(blob) => format!("zset listpack {}", quoted(blob)),
            Self::Scores(all) => {
                let pair = |(member, score): &(Vec<u8>, u64)| {
                    format!("{} {:?}", quoted(member), f64::from_bits(*score))
                };
                let all: Vec<String> = all.iter().map(pair).collect();
                format!("scores {}", all.join(" "))
            }
            Self::Module(id, parts) => {
                let all: Vec<String> = parts.iter().map(|part| quoted(part)).collect();
                format!("{id} {}", all.join(" "))
            }
            Self::Other(kind, body) => format!("{kind} {}", quoted(body)),
        };
        if text.len() > SHOWN {
            text.truncate(SHOWN);
            text.push_str("...");
        }
        f.write_str(&text)
    }
}
