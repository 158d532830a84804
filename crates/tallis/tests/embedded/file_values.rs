//! Values of files, measured and rewritten without a store.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use rdb::{Attributes, Reader, Record, Target, ValueType, WriteOptions, Writer};
use tallis::file::{Element, Measured, Meter, Rewrite, RewriteError, ValueError, each_element};
use tallis::{Store, file::has_form};
use testkit::rng::rounds;

/// Every key of a file: its name, whether it expires, and its measurement.
fn measure(file: &Path, whole: bool) -> BTreeMap<Vec<u8>, (bool, Measured)> {
    let (meter, mut found) = (Meter::new(), BTreeMap::new());
    let mut reader = Reader::new(fs::File::open(file).unwrap()).unwrap();
    while let Some(record) = reader.next_record().unwrap() {
        let Record::Key { key, attributes, kind, .. } = record else { continue };
        let measured = if whole {
            meter.measure_whole(&mut reader, kind)
        } else {
            meter.measure(&mut reader, kind)
        };
        found.insert(key, (attributes.expire_at_ms.is_some(), measured.unwrap()));
    }
    found
}

/// A store of one stripe, so that every key has the same share of the table, with the hash seed of the measurement, so
/// that tables are equally full.
fn store() -> Store {
    Store::builder().stripes(1).hash_seed(0).build()
}

/// A store with another hash seed, which writes its tables in another order.
fn writing_store() -> Store {
    Store::builder().hash_seed(1).build()
}

/// The store as loaded from a file: values that were changed in place have spare capacity.
fn reloaded(store: &Store, file: &Path) -> Store {
    store.save(file).unwrap();
    let again = self::store();
    again.load(file).unwrap();
    again
}

#[test]
fn small_values_are_measured_as_the_store_counts_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let store = writing_store();
    let text = |len: usize| "x".repeat(len);
    for len in [0, 1, 5, 20, 21, 22, 23, 24, 44, 45, 100, 1000, 20_000, 100_000] {
        store.set(format!("string:{len}"), text(len)).unwrap();
        store.set(format!("a key whose name has bytes of its own: {len}"), text(len)).unwrap();
        store.rpush(format!("list:one:{len}"), [text(len + 1)]).unwrap();
    }
    for (number, int) in [0, -1, 300, 70_000, i64::MIN, i64::MAX].into_iter().enumerate() {
        store.set(format!("int:{number}"), int).unwrap();
    }
    for count in [1, 2, 100, 128, 129, 512, 513, 2000, 9000] {
        for member in 0..count {
            store.sadd(format!("ints:{count}"), [member * 7]).unwrap();
            store.sadd(format!("set:{count}"), [format!("member:{member}")]).unwrap();
            store.zadd(format!("zset:{count}"), format!("m:{member}"), f64::from(member)).unwrap();
            store.hset(format!("hash:{count}"), format!("f:{member}"), text(9)).unwrap();
            store.rpush(format!("list:{count}"), [format!("element:{member}")]).unwrap();
        }
    }
    store.bf_add("bloom", "x").unwrap();
    // So many keys that the table is as full as that of many keys.
    for number in 0..6000 {
        store.set(format!("filler:{number}"), number).unwrap();
    }
    let store = reloaded(&store, &file);
    let meter = Meter::new();
    let mut differences = BTreeMap::<i64, usize>::new();
    for (key, (expires, found)) in measure(&file, false) {
        let ours = i64::try_from(meter.key_bytes(&key, expires) + found.bytes).unwrap();
        let theirs = i64::try_from(store.memory_usage(&key).unwrap().unwrap()).unwrap();
        *differences.entry(theirs - ours).or_default() += 1;
    }
    // The share of the table is an estimate, the same for each key; everything else is exact.
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert!(differences.keys().all(|share| share.abs() <= 16), "{differences:?}");
}

#[test]
fn large_values_are_measured_within_a_few_percent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let store = writing_store();
    for (count, _) in [20_000_u32, 70_000, 150_000].into_iter().zip(0..rounds(2, 3)) {
        let name = |kind: &str| format!("{kind}:{count}");
        for from in (0..count).step_by(1000) {
            let numbers = from..from + 1000;
            let text = |number: u32| format!("member:{}", number.wrapping_mul(0x9e37_79b1));
            // Each one longer than the previous one, so that no two parts are equal.
            let long = |number: u32| "x".repeat((number / 2000) as usize) + &text(number);
            store.sadd(name("set"), numbers.clone().map(text).collect::<Vec<_>>()).unwrap();
            store.sadd(name("long"), numbers.clone().map(long).collect::<Vec<_>>()).unwrap();
            store.sadd(name("ints"), numbers.clone().map(|n| n * 3).collect::<Vec<_>>()).unwrap();
            store
                .hset_multiple(
                    name("hash"),
                    numbers.clone().map(|n| (text(n), n.to_string())).collect::<Vec<_>>(),
                )
                .unwrap();
            store
                .zadd_multiple(
                    name("zset"),
                    numbers.clone().map(|n| (f64::from(n) / 7.0, text(n))).collect::<Vec<_>>(),
                )
                .unwrap();
            store.rpush(name("list"), numbers.map(long).collect::<Vec<_>>()).unwrap();
        }
    }
    let store = reloaded(&store, &file);
    let whole = measure(&file, true);
    for (key, (_, found)) in measure(&file, false) {
        let (_, exact) = &whole[&key];
        assert_eq!(
            (found.len, &found.type_name, found.encoding),
            (exact.len, &exact.type_name, exact.encoding)
        );
        let off = found.bytes.abs_diff(exact.bytes) * 1000 / exact.bytes;
        assert!(off <= 30, "{}: {} for {}", key.escape_ascii(), found.bytes, exact.bytes);
        let usage = store.memory_usage(&key).unwrap().unwrap() as u64;
        assert!(exact.bytes <= usage && usage - exact.bytes < 4000, "{usage} {exact:?}");
    }
}

/// The elements of a value in a fixed order.
fn elements<R: Read>(reader: &mut Reader<R>) -> Vec<String> {
    let at = reader.offset();
    let mut found = Vec::new();
    each_element(reader.value().unwrap(), at, |element| {
        let text = |member: tallis::Member<'_>| format!("{:?}", member.to_bytes());
        found.push(match element {
            Element::One(one) => text(one),
            Element::Pair(field, value) => format!("{} {}", text(field), text(value)),
            Element::Expiring(field, value, at_ms) => {
                format!("{} {} {at_ms}", text(field), text(value))
            }
            Element::Scored(member, score) => format!("{} {score}", text(member)),
        });
        Ok::<(), ValueError>(())
    })
    .unwrap();
    found.sort();
    found
}

#[test]
fn rewritten_values_have_the_same_elements_in_every_version() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut seen = BTreeMap::<u8, usize>::new();
    for name in ["old", "redis-7.0.15", "redis-8.6", "redis-unstable"] {
        for entry in fs::read_dir(folder.join(name)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "rdb")
                || path.ends_with("redis-corrupt_ziplist.rdb")
            {
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            for target in Target::ALL {
                for reencode in [false, true] {
                    compare(&bytes, target, reencode, &mut seen);
                }
            }
        }
    }
    assert!(seen.len() >= 14, "{seen:?}");
}

/// Rewrites every value of a file individually.
fn compare(bytes: &[u8], target: Target, reencode: bool, seen: &mut BTreeMap<u8, usize>) {
    let options = WriteOptions { target, compression: !reencode, ..WriteOptions::default() };
    let (mut reader, mut original) = (Reader::new(bytes).unwrap(), Reader::new(bytes).unwrap());
    while let Some(record) = reader.next_record().unwrap() {
        let expected = original.next_record().unwrap();
        let Record::Key { key, kind, .. } = record else { continue };
        assert!(matches!(expected, Some(Record::Key { .. })));
        let mut writer = Writer::new(Vec::new(), options).unwrap();
        let rewrite = Rewrite::new().reencode(reencode);
        let written = rewrite.value(&mut reader, kind, writer.key(&key, Attributes::default()));
        if has_form(kind, target) {
            written.unwrap();
        } else {
            let refused = matches!(
                written.unwrap_err(),
                RewriteError::NoForm { .. } | RewriteError::Write(_)
            );
            assert!(refused);
            continue;
        }
        *seen.entry(kind.byte()).or_default() += 1;
        let file = writer.finish().unwrap();
        let mut again = Reader::new(&file[..]).unwrap();
        let Some(Record::Key { kind: kept, .. }) = again.next_record().unwrap() else { panic!() };
        assert!(target.has(kept) && kept.type_name() == kind.type_name());
        if target.has(kind) && !reencode {
            assert_eq!(again.raw_value().unwrap(), original.raw_value().unwrap());
        } else {
            assert_eq!(elements(&mut again), elements(&mut original), "{kind:?} {target:?}");
        }
    }
}

#[test]
fn copied_values_are_never_held_completely() {
    // A set of a million members and a string of 50 MB pass through a reader that generates their bytes.
    let (members, string) = (1_000_000, 50_000_000_u32);
    let row = b"\x10member-of-a-set.";
    let source = b"REDIS0010\xfe\x00\x02\x01s\x80\x00\x0f\x42\x40"
        .chain(Repeat { row, left: members * row.len() })
        .chain(&b"\x00\x01k\x80\x02\xfa\xf0\x80"[..])
        .chain(io::repeat(b'x').take(u64::from(string)))
        .chain(&b"\xff\0\0\0\0\0\0\0\0"[..]);
    let mut reader = Reader::new(source).unwrap();
    let mut writer = Writer::new(Counted(0), WriteOptions::default()).unwrap();
    let mut sizes = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        if let Record::Key { key, attributes, kind, .. } = record {
            let before = reader.offset();
            Rewrite::new().value(&mut reader, kind, writer.key(&key, attributes)).unwrap();
            sizes.push(reader.offset() - before);
        }
    }
    assert_eq!(sizes, [5 + 17_000_000, 5 + u64::from(string)]);
    let Counted(written) = writer.finish().unwrap();
    assert_eq!(written, 9 + 3 + sizes[0] + 3 + sizes[1] + 9);
}

/// The same bytes repeatedly.
struct Repeat {
    row: &'static [u8],
    left: usize,
}

impl Read for Repeat {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let from = (self.row.len() - self.left % self.row.len()) % self.row.len();
        let size = (self.row.len() - from).min(out.len()).min(self.left);
        out[..size].copy_from_slice(&self.row[from..from + size]);
        self.left -= size;
        Ok(size)
    }
}

/// Counts the written bytes.
struct Counted(u64);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(bytes.len() <= 128 << 10, "{}", bytes.len());
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn values_that_can_be_decoded_have_a_form_in_every_version() {
    let versions =
        |kind| Target::ALL.into_iter().filter(|&target| has_form(kind, target)).collect::<Vec<_>>();
    for kind in
        [ValueType::String, ValueType::ListQuicklist2, ValueType::SetListpack, ValueType::Module]
    {
        assert_eq!(versions(kind), Target::ALL, "{kind:?}");
    }
    assert_eq!(versions(ValueType::Stream2), Target::ALL[1..]);
    // Both lines of servers have a form for fields that expire.
    let timed = Target::ALL
        .into_iter()
        .filter(|&target| target.has(ValueType::HashTtl) || target.has(ValueType::ValkeyHashTtl));
    assert_eq!(versions(ValueType::HashTtl), timed.clone().collect::<Vec<_>>());
    assert_eq!(versions(ValueType::ValkeyHashTtl), timed.collect::<Vec<_>>());
    assert_eq!(versions(ValueType::Stream4), [Target::V13]);
}
