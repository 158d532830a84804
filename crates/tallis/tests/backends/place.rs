//! The keys of a backend, read without the recipes.

use std::collections::BTreeMap;

use redis::Connection;
use tallis::Store;
use testkit::live::Cluster;

/// A value and its expiry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// The payload of DUMP, or the members if their order in the payload is random.
    pub(crate) value: String,
    /// The expiry in milliseconds since the epoch; -1 for none, 1 for one that depends on the time of the write.
    pub(crate) expires: i64,
}

/// The keys, by name.
pub(crate) type Keys = BTreeMap<String, Held>;

/// Whether the value of a key depends on the time at which it was written.
fn goes_by_time(key: &str) -> bool {
    key.starts_with("limit:") || key.starts_with("hist:")
}

/// Whether only the expiry of a key depends on the time at which it was written.
fn expires_by_time(key: &str) -> bool {
    key.contains("dedup:within")
}

/// The value of a key with that encoding and expiry; `ask` reads it.
fn held(
    key: &str,
    encoding: &str,
    expires: i64,
    ask: impl FnOnce(&'static str) -> Vec<Vec<u8>>,
) -> Held {
    if goes_by_time(key) {
        return Held { value: String::new(), expires: 0 };
    }
    // On a cluster, the set of open buckets has temporarily contained texts, so it is no longer an intset.
    let is_set = encoding == "hashtable" || key.ends_with(":open");
    let command = match (is_set, key) {
        (false, _) => "DUMP",
        (true, key) if key.starts_with("hash:") => "HGETALL",
        (true, _) => "SMEMBERS",
    };
    let mut values = ask(command);
    values.sort();
    let values = values.iter().map(|value| value.escape_ascii().to_string());
    let expires = if expires_by_time(key) { expires.signum() } else { expires };
    Held { value: values.collect::<Vec<_>>().join(" "), expires }
}

pub(crate) fn of_store(store: &Store) -> Keys {
    let keys = store.keys("*").unwrap();
    let one = |key: &bytes::Bytes| {
        let name = String::from_utf8(key.to_vec()).unwrap();
        let expires = store.execute(&[&b"PEXPIRETIME"[..], key]).as_int().unwrap();
        let encoding = store.object_encoding(key).unwrap().unwrap();
        let held = held(&name, encoding, expires, |command| match command {
            "DUMP" => vec![store.dump(key).unwrap().unwrap().to_vec()],
            command => store.execute(&[command.as_bytes(), key]).convert().unwrap(),
        });
        (name, held)
    };
    keys.iter().map(one).collect()
}

pub(crate) fn of_server(connection: &mut Connection) -> Keys {
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(connection).unwrap();
    let one = |key: String| {
        let held = of_key(connection, &key)?;
        Some((key, held))
    };
    keys.into_iter().filter_map(one).collect()
}

/// The value of a key; `None` if it was deleted after it was listed: a replica deletes keys when its master says so.
fn of_key(connection: &mut Connection, key: &str) -> Option<Held> {
    let expires: i64 = redis::cmd("PEXPIRETIME").arg(key).query(connection).unwrap();
    let encoding: Option<String> =
        redis::cmd("OBJECT").arg("ENCODING").arg(key).query(connection).unwrap();
    let dump: Option<Vec<u8>> = redis::cmd("DUMP").arg(key).query(connection).unwrap();
    let (encoding, dump) = (encoding?, dump?);
    Some(held(key, &encoding, expires, |name| match name {
        "DUMP" => vec![dump],
        name => redis::cmd(name).arg(key).query(connection).unwrap(),
    }))
}

pub(crate) fn of_cluster(cluster: &Cluster) -> Keys {
    let masters = cluster.masters();
    masters.iter().flat_map(|url| of_server(&mut cluster.connect(url))).collect()
}

/// Compares keys.
pub(crate) fn same(name: &str, keys: &Keys, wanted: &Keys) {
    let names = |keys: &Keys| keys.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(keys), names(wanted), "{name}");
    for (key, held) in keys {
        assert_eq!(held, &wanted[key], "{name}: {key}");
    }
}
