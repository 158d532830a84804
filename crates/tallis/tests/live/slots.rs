//! The distribution of the keys and the visits of a bucket over the nodes of a cluster, and slots compared with a
//! server's.
//!
//! `TALLIS_LONG=1 cargo test -p tallis --features redis --test live slots -- --nocapture` prints the figures of
//! `docs/cluster.md`.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]
#![expect(clippy::cast_precision_loss, reason = "figures of four digits")]

use std::iter::repeat_with;

use redis::Value;
use tallis::{Bucket, Store, Visitors, VisitorsForm, forecast, key_slot, shard_key};
use testkit::live::{Options, command, server_with};
use testkit::rng::{Rng, rounds};

const SLOTS: usize = 16_384;
const NODES: usize = 100;

/// The key names of a bucket's shards.
type Naming = (&'static str, fn(u64) -> String);

const NAMINGS: [Naming; 2] = [
    ("unique:2026-11-20:17", |shard| format!("unique:2026-11-20:{shard}")),
    ("unique:2026-11-20:{17}", |shard| format!("unique:2026-11-20:{{{shard}}}")),
];

#[test]
fn slots_equal_those_of_a_server() {
    // A node that has not joined a cluster.
    let options = Options::new().config("cluster-enabled", "yes");
    let Some(live) = server_with(&options) else { return };
    let mut server = live.connect();
    let mut rng = Rng::new(1);
    let fixed = [
        "",
        "{",
        "}",
        "{}",
        "}{",
        "{user1000}.following",
        "foo{}{bar}",
        "foo{{bar}}zap",
        "foo{bar}{zap}",
    ];
    let random = repeat_with(|| {
        let byte = |rng: &mut Rng| match rng.below(4) {
            0 => b'{',
            1 => b'}',
            _ => u8::try_from(rng.below(256)).unwrap(),
        };
        (0..rng.below(40)).map(|_| byte(&mut rng)).collect::<Vec<u8>>()
    });
    for key in fixed.iter().map(|key| key.as_bytes().to_vec()).chain(random.take(4000)) {
        let slot = command(&mut server, &[b"CLUSTER", &b"KEYSLOT"[..], &key]).unwrap();
        assert_eq!(slot, Value::Int(key_slot(&key).into()), "{}", key.escape_ascii());
    }
}

/// The node of a slot, as redis-cli divides slots: in ranges of equal length, up to rounding.
fn node(slot: u16) -> usize {
    // The last slot of a node, rounded.
    let ends = (1..=NODES).map(|node| (node * SLOTS) as f64 / NODES as f64 - 1.0);
    ends.map(f64::round).position(|last| f64::from(slot) <= last).unwrap()
}

/// The CRC-32 that determines the shard of an id: the number of the shard if there are 2^32.
fn hash(id: u64) -> u32 {
    shard_key("", format!("x{id}"), 1 << 32, 2)[1..].parse().unwrap()
}

/// The minimum, the mean and the maximum.
fn bounds(counts: &[u64]) -> (f64, f64, f64) {
    let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    (*counts.iter().min().unwrap() as f64, mean, *counts.iter().max().unwrap() as f64)
}

#[test]
fn shards_are_on_the_simulated_nodes() {
    for (form, naming) in [VisitorsForm::Forecast, VisitorsForm::Tagged].into_iter().zip(NAMINGS) {
        let store = Store::new();
        let visitors = Visitors::new(store.clone()).form(form).default_yesterday(100_000);
        let mut rng = Rng::new(3);
        for id in repeat_with(|| rng.u64() >> 4).take(500) {
            visitors.count_id(id.cast_signed(), jiff::civil::date(2026, 11, 20)).unwrap();
            let shard = naming.1(u64::from(hash(id)) % 1024);
            assert!(store.sismember(&shard, id).unwrap(), "{shard}");
        }
        assert_eq!(visitors.count(Bucket::All).unwrap(), 0);
    }
    assert_eq!((node(0), node(163), node(164), node(16_383)), (0, 0, 1, NODES - 1));
}

/// A hundred nodes. `TALLIS_SLOT_VISITORS` sets the number of visitors.
#[test]
fn a_cluster_is_filled_evenly() {
    let visitors = std::env::var("TALLIS_SLOT_VISITORS")
        .map_or_else(|_| rounds(1_000_000, 10_000_000), |n| n.parse().unwrap());
    let mut sizes =
        vec![1_000, 8_192, 65_536, 262_144, usize::try_from(forecast(visitors) / 256).unwrap()];
    sizes.sort_unstable();
    sizes.dedup();
    let mut sets: Vec<Vec<u64>> = sizes.iter().map(|&shards| vec![0; shards]).collect();
    let mut rng = Rng::new(2026);
    for _ in 0..visitors {
        let hash = hash(rng.u64() >> 4) as usize;
        for members in &mut sets {
            let shards = members.len();
            members[hash % shards] += 1;
        }
    }
    let nodes: Vec<usize> = (0..SLOTS).map(|slot| node(slot.try_into().unwrap())).collect();
    println!("{visitors} visitors, {NODES} nodes");
    println!(
        "| shards | members of a shard, relative to the mean | names | slots without a shard \
         | shards of a node: least, mean, most | visits of the busiest node, relative to the mean |"
    );
    println!("|---|---|---|---|---|---|");
    for members in sets {
        let shards = members.len();
        let (least, mean, most) = bounds(&members);
        // In standard deviations of a Poisson distribution: even among eight million shards, none is beyond. With an
        // uneven hash, some would be.
        let spread = 6.5 / mean.sqrt();
        assert!(most / mean < 1.0 + spread, "{shards}: {most} of {mean}");
        assert!(least / mean > 1.0 - spread, "{shards}: {least} of {mean}");
        for (name, key) in NAMINGS {
            let (mut slots, mut keys, mut visits) =
                (vec![0_u64; SLOTS], [0_u64; NODES], [0; NODES]);
            for (shard, members) in (0..).zip(&members) {
                let slot = usize::from(key_slot(key(shard)));
                slots[slot] += 1;
                keys[nodes[slot]] += 1;
                visits[nodes[slot]] += members;
            }
            let empty = slots.iter().filter(|&&keys| keys == 0).count();
            let ((fewest, of_node, many), (_, visited, busiest)) = (bounds(&keys), bounds(&visits));
            println!(
                "| {shards} | {:.2} to {:.2} | `{name}` | {empty} | {fewest}, {of_node:.1}, {many} | {:.3} |",
                least / mean,
                most / mean,
                busiest / visited,
            );
            // With random keys, a slot is empty with the probability exp(-shards / slots). CRC-16 is linear, and a
            // digit has ten of sixteen values: so up to twice as many slots are empty. With a tag that is not the
            // number, all slots but one are empty.
            let random = SLOTS as f64 * (-(shards as f64) / SLOTS as f64).exp();
            assert!((empty as f64) < 2.5 * random + 10.0, "{empty} slots of {random}");
            // With random keys, the number of keys on a node has a Poisson distribution, for which five standard
            // deviations suffice with a hundred nodes.
            let slack = 5.0 * of_node.sqrt();
            assert!(
                many < of_node + slack && fewest > of_node - slack,
                "{fewest}, {of_node}, {many}"
            );
            // The visits on a node are proportional to its keys, up to the differences between shards.
            assert!(busiest / visited < many / of_node * (1.0 + spread), "{busiest} of {visited}");
        }
    }
}
