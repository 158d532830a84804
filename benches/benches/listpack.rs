//! The listpack compared with a plain vector of byte strings, in the operations of a small set, hash or sorted set.
//!
//! Compare only figures of one run. For each entry the vector holds a pointer, a length, a capacity and an allocated
//! block; the listpack holds two bytes in addition to the text.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use listpack::{Entry, ListPack};
use testkit::rng::Rng;

/// Members of a full set (Redis's default limit), and of a common one.
const SIZES: [usize; 2] = [128, 6];
/// The number of lists that are queried in turn, so that the branch predictor does not learn one.
const LISTS: usize = 64;

/// The kinds of members in a list.
#[derive(Clone, Copy)]
enum Kind {
    Bytes8,
    Bytes40,
    Ints,
    /// Words of different lengths, and a few integers.
    Mixed,
}

impl Kind {
    const ALL: [(&str, Self); 4] = [
        ("8_bytes", Self::Bytes8),
        ("40_bytes", Self::Bytes40),
        ("ints", Self::Ints),
        ("mixed", Self::Mixed),
    ];

    fn member(self, rng: &mut Rng) -> Vec<u8> {
        match self {
            Self::Bytes8 => format!("m{:07x}", rng.below(1 << 28)).into_bytes(),
            Self::Bytes40 => format!("uid:{}", rng.uuid()).into_bytes(),
            Self::Ints => rng.range(-2_000_000_000..=2_000_000_000).to_string().into_bytes(),
            Self::Mixed if rng.chance(1, 4) => rng.below(100_000).to_string().into_bytes(),
            Self::Mixed => {
                let len = rng.range(3..=20).unsigned_abs();
                (0..len).map(|_| b'a' + u8::try_from(rng.below(26)).unwrap_or(0)).collect()
            }
        }
    }

    fn lists(self, rng: &mut Rng, size: usize) -> Vec<Vec<Vec<u8>>> {
        (0..LISTS).map(|_| (0..size).map(|_| self.member(rng)).collect()).collect()
    }
}

fn packed(members: &[Vec<u8>]) -> ListPack {
    let mut list = ListPack::new();
    for member in members {
        list.push_back(member).expect("a short list");
    }
    list
}

fn find(c: &mut Criterion) {
    for size in SIZES {
        for (name, kind) in Kind::ALL {
            let mut rng = Rng::new(1);
            let members = kind.lists(&mut rng, size);
            let lists: Vec<ListPack> = members.iter().map(|members| packed(members)).collect();
            let hits: Vec<(usize, Vec<u8>)> = (0..4_096)
                .map(|_| {
                    let list = rng.index(LISTS);
                    (list, members[list][rng.index(size)].clone())
                })
                .collect();
            let misses: Vec<(usize, Vec<u8>)> = (0..4_096)
                .map(|_| {
                    let list = rng.index(LISTS);
                    let member = kind.member(&mut rng);
                    (list, if members[list].contains(&member) { b"!".to_vec() } else { member })
                })
                .collect();
            for (what, questions) in [("hit", &hits), ("miss", &misses)] {
                let expected = if what == "hit" { questions.len() } else { 0 };
                let mut group = c.benchmark_group(format!("listpack/{what}_{size}_{name}"));
                group.throughput(Throughput::Elements(questions.len() as u64));
                group.bench_function("listpack", |b| {
                    b.iter(|| {
                        let found = questions
                            .iter()
                            .filter(|(list, needle)| lists[*list].contains(black_box(needle)))
                            .count();
                        assert_eq!(found, expected);
                    });
                });
                group.bench_function("vec_of_vecs", |b| {
                    b.iter(|| {
                        let found = questions
                            .iter()
                            .filter(|(list, needle)| members[*list].contains(black_box(needle)))
                            .count();
                        assert_eq!(found, expected);
                    });
                });
                group.finish();
            }
        }
    }
}

fn push(c: &mut Criterion) {
    let [size, _] = SIZES;
    for (name, kind) in Kind::ALL {
        let members = kind.lists(&mut Rng::new(2), size);
        let mut group = c.benchmark_group(format!("listpack/push_{size}_{name}"));
        group.throughput(Throughput::Elements(size as u64));
        let mut turn = members.iter().cycle();
        group.bench_function("listpack", |b| {
            b.iter(|| packed(black_box(turn.next().map_or(&[][..], Vec::as_slice))));
        });
        let mut turn = members.iter().cycle();
        group.bench_function("vec_of_vecs", |b| {
            b.iter(|| black_box(turn.next().map_or(&[][..], Vec::as_slice)).to_vec());
        });
        group.finish();
    }
}

fn walk(c: &mut Criterion) {
    let [size, _] = SIZES;
    for (name, kind) in Kind::ALL {
        let members = kind.lists(&mut Rng::new(3), size);
        let lists: Vec<ListPack> = members.iter().map(|members| packed(members)).collect();
        let bytes: usize = members.iter().flatten().map(Vec::len).sum();
        let mut group = c.benchmark_group(format!("listpack/walk_{size}_{name}"));
        group.throughput(Throughput::Elements((size * LISTS) as u64));
        group.bench_function("listpack", |b| {
            b.iter(|| {
                let walked: usize =
                    black_box(&lists).iter().flat_map(ListPack::iter).map(Entry::text_len).sum();
                assert_eq!(walked, bytes);
            });
        });
        group.bench_function("vec_of_vecs", |b| {
            b.iter(|| {
                let walked: usize = black_box(&members).iter().flatten().map(Vec::len).sum();
                assert_eq!(walked, bytes);
            });
        });
        group.finish();
    }
}

fn middle(c: &mut Criterion) {
    let [size, _] = SIZES;
    let lists = Kind::Bytes8.lists(&mut Rng::new(4), size);
    let mut list = packed(&lists[0]);
    let at = list.seek(size / 2).expect("the middle");
    let mut group =
        c.benchmark_group(format!("listpack/insert_and_delete_in_the_middle_of_{size}"));
    group.bench_function("listpack", |b| {
        b.iter(|| {
            list.insert_all(at, [Entry::from("member"), Entry::from("1.5")]).expect("room");
            assert_eq!(list.delete_run(at, 2), 2);
        });
    });
    let mut vec = lists[0].clone();
    group.bench_function("vec_of_vecs", |b| {
        b.iter(|| {
            vec.splice(size / 2..size / 2, [b"member".to_vec(), b"1.5".to_vec()]);
            assert_eq!(vec.drain(size / 2..size / 2 + 2).count(), 2);
        });
    });
    group.finish();
}

criterion_group!(benches, find, push, walk, middle);
criterion_main!(benches);
