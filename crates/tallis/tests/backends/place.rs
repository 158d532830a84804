//! The keys of a backend, read past the recipes.

use std::collections::BTreeMap;

use redis::Connection;
use tallis::Store;
use testkit::live::{Cluster, Server, as_bytes, command};

/// What is at a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// As DUMP has it, or where that has an order by chance, as DEBUG DIGEST-VALUE.
    pub(crate) value: String,
    /// When it expires, in milliseconds since the epoch; -1 for never.
    pub(crate) expires: i64,
}

/// The keys, by name.
pub(crate) type Keys = BTreeMap<String, Held>;

/// Whether what the key holds goes by the time at which it was written.
fn goes_by_time(key: &str) -> bool {
    key.starts_with("limit:") || key.starts_with("hist:")
}

fn held(key: &str, dump: &[u8], digest: String, encoding: &str, expires: i64) -> Held {
    if goes_by_time(key) {
        return Held { value: String::new(), expires: 0 };
    }
    // On a cluster the set of open buckets has had texts for a moment, and is no intset then.
    let by_digest = encoding == "hashtable" || key.ends_with(":open");
    let value = if by_digest { digest } else { dump.escape_ascii().to_string() };
    Held { value, expires }
}

pub(crate) fn of_store(store: &Store) -> Keys {
    let keys = store.keys("*").unwrap();
    let one = |key: &bytes::Bytes| {
        let text = |reply: tallis::Reply| reply.convert::<Vec<String>>().unwrap().concat();
        let name = String::from_utf8(key.to_vec()).unwrap();
        let dump = store.dump(key).unwrap().unwrap();
        let digest = text(store.execute(&[&b"DEBUG"[..], b"DIGEST-VALUE", key]));
        let expires = store.execute(&[&b"PEXPIRETIME"[..], key]).as_int().unwrap();
        let encoding = store.object_encoding(key).unwrap().unwrap();
        let held = held(&name, &dump, digest, encoding, expires);
        (name, held)
    };
    keys.iter().map(one).collect()
}

pub(crate) fn of_server(connection: &mut Connection) -> Keys {
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(connection).unwrap();
    let mut all = Keys::new();
    for key in keys {
        let dump = command(connection, &["DUMP", &key]).unwrap();
        let digest: Vec<String> =
            redis::cmd("DEBUG").arg("DIGEST-VALUE").arg(&key).query(connection).unwrap();
        let expires: i64 = redis::cmd("PEXPIRETIME").arg(&key).query(connection).unwrap();
        let encoding: String =
            redis::cmd("OBJECT").arg("ENCODING").arg(&key).query(connection).unwrap();
        let dump = as_bytes(&dump).unwrap();
        let held = held(&key, dump, digest.concat(), &encoding, expires);
        all.insert(key, held);
    }
    all
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

/// A server that says what its values are.
pub(crate) fn server(name: &str) -> Option<Server> {
    let options = testkit::live::Options::new().config("enable-debug-command", "yes");
    testkit::live::named_with(name, &options)
}
