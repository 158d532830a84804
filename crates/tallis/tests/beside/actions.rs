//! Keys of every type, small and large, and commands that change any of them.

use tallis::Store;

/// Draws a number below another one.
pub(crate) type Below<'b> = &'b mut dyn FnMut(u64) -> u64;

/// The number of small keys, and of members in each large value.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) keys: u64,
    pub(crate) members: u64,
}

/// Large values, one of each kind.
const LARGE: [&str; 8] = ["bitmap", "text", "set", "hash", "zset", "list", "ints", "bloom"];

/// Fills an empty store.
pub(crate) fn fill(store: &Store, sizes: Sizes, below: Below<'_>) {
    let mut bytes = |len: u64| -> Vec<u8> {
        // Bytes that cannot be compressed.
        let mut state = below(u64::MAX);
        let next = |_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state.to_le_bytes()[7]
        };
        (0..len).map(next).collect()
    };
    for number in 0..sizes.keys {
        let key = format!("small:{number}");
        store.set(&key, bytes(number % 60)).unwrap();
        if number % 5 == 0 {
            store.expire(&key, 1 + i64::try_from(number % 100).unwrap()).unwrap();
        }
    }
    store.db(3).mset([("a", "1"), ("b", "2")]).unwrap();
    store.setrange("bitmap", 400_000, "end").unwrap();
    store.set("text", bytes(300_000)).unwrap();
    // It grows while it is filled, and soon again.
    let capacity = (sizes.members / 3).to_string();
    store.execute(&["BF.RESERVE", "bloom", "0.000000000000001", &capacity]);
    for number in 0..i64::try_from(sizes.members).unwrap() {
        let member = format!("member:{number}");
        store.sadd("set", [&member]).unwrap();
        let times = usize::try_from(number % 7).unwrap();
        store.hset("hash", &member, number.to_string().repeat(1 + times)).unwrap();
        store.zadd("zset", &member, number / 3).unwrap();
        store.rpush("list", [&member]).unwrap();
        store.sadd("ints", [number * 1_000_003]).unwrap();
        store.bf_add("bloom", &member).unwrap();
    }
}

/// The words of a command on any key.
pub(crate) fn command(sizes: Sizes, below: Below<'_>) -> Vec<String> {
    line(sizes, below).split(' ').map(str::to_owned).collect()
}

fn line(sizes: Sizes, below: Below<'_>) -> String {
    match below(60) {
        0..8 => format!("SET {} v{}", small(sizes, below), below(1000)),
        8..16 => on_bytes(below),
        16..28 => on_table(sizes, below),
        28..34 => on_zset(sizes, below),
        34..42 => on_list(sizes, below),
        42 => format!("SADD ints {}", below(5000)),
        43 if below(8) == 0 => format!("BF.LOADCHUNK bloom {} hello", 1 + below(40_000)),
        43 => format!("BF.MADD bloom {} {}", member(sizes, below), member(sizes, below)),
        44..56 => on_key(sizes, below),
        56 => format!("SUNIONSTORE {} set ints", any(sizes, below)),
        57 => format!("ZUNIONSTORE {} 2 zset set", large(below)),
        58 => match below(200) {
            0 => "FLUSHDB".to_owned(),
            1 => "FLUSHALL".to_owned(),
            2..12 => format!("SWAPDB {} {}", below(4), below(4)),
            _ => format!("DEL {}", large(below)),
        },
        _ => format!("SET {} {}", any(sizes, below), member(sizes, below)),
    }
}

fn large(below: Below<'_>) -> &'static str {
    LARGE[usize::try_from(below(LARGE.len() as u64)).unwrap()]
}

fn small(sizes: Sizes, below: Below<'_>) -> String {
    format!("small:{}", below(sizes.keys + sizes.keys / 20))
}

fn member(sizes: Sizes, below: Below<'_>) -> String {
    format!("member:{}", below(sizes.members + sizes.members / 10))
}

fn any(sizes: Sizes, below: Below<'_>) -> String {
    if below(8) == 0 { large(below).to_owned() } else { small(sizes, below) }
}

fn on_bytes(below: Below<'_>) -> String {
    match below(9) {
        0..3 => format!("SETBIT bitmap {} {}", below(3_400_000), below(2)),
        3..5 => format!("SETRANGE text {} hello", below(310_000)),
        5 => "APPEND text more".to_owned(),
        6 => {
            let source = ["bitmap", "text"][usize::from(below(2) == 0)];
            format!("BITOP NOT {source} bitmap")
        }
        _ => {
            let (first, second) = (below(3_000_000), below(3_000_000));
            format!("BITFIELD bitmap INCRBY u13 {first} 5 SET i64 {second} -2")
        }
    }
}

fn on_table(sizes: Sizes, below: Below<'_>) -> String {
    let (a, b) = (member(sizes, below), member(sizes, below));
    match below(12) {
        0..3 => format!("SADD set {a} {b}"),
        3..6 => format!("SREM set {a} {b}"),
        6 if below(20) == 0 => format!("SPOP set {}", below(sizes.members)),
        6 => format!("SPOP set {}", below(4)),
        7..10 => format!("HSET hash {a} x {b} y"),
        10 if below(4) == 0 => format!("HPEXPIREAT hash {} FIELDS 2 {a} {b}", expiry(below)),
        10 => format!("HDEL hash {a} {b}"),
        _ => format!("HINCRBY hash n{} 3", below(9)),
    }
}

/// The expiry of a field: soon, or long after.
fn expiry(below: Below<'_>) -> u64 {
    if below(2) == 0 { 1_700_000_000_000 + below(3000) } else { 4_000_000_000_000 + below(9) }
}

fn on_zset(sizes: Sizes, below: Below<'_>) -> String {
    let (a, b) = (member(sizes, below), member(sizes, below));
    match below(7) {
        0..3 => format!("ZADD zset {} {a} {} {b}", below(99), below(99)),
        3 => format!("ZINCRBY zset 2 {a}"),
        4 => format!("ZREM zset {a}"),
        5 => format!("ZPOPMIN zset {}", below(5)),
        _ => format!("ZREMRANGEBYRANK zset 10 {}", 10 + below(20)),
    }
}

fn on_list(sizes: Sizes, below: Below<'_>) -> String {
    let (a, b) = (member(sizes, below), member(sizes, below));
    match below(20) {
        0..6 => format!("LPUSH list {a} {b}"),
        6..12 => format!("RPUSH list {a}"),
        12..14 => format!("LPOP list {}", below(200)),
        14..16 => format!("RPOP list {}", below(200)),
        16 => format!(
            "LSET list {} {}",
            below(sizes.members),
            "changed".repeat(usize::try_from(below(30)).unwrap())
        ),
        17 => "LMOVE list list LEFT RIGHT".to_owned(),
        18 => format!("LINSERT list BEFORE {a} new"),
        _ if below(20) == 0 => format!("LTRIM list {} {}", below(sizes.members), sizes.members),
        _ if below(4) == 0 => "LTRIM list 5 -5".to_owned(),
        _ => format!("LREM list 1 {a}"),
    }
}

fn on_key(sizes: Sizes, below: Below<'_>) -> String {
    match below(14) {
        0..3 => format!("DEL {}", small(sizes, below)),
        3 => format!("EXPIRE {} 50", any(sizes, below)),
        4 => format!("PERSIST {}", any(sizes, below)),
        5..8 => format!("RENAME {} {}", any(sizes, below), any(sizes, below)),
        8 => format!("COPY {} {} REPLACE", any(sizes, below), any(sizes, below)),
        9 => format!("MOVE {} {}", any(sizes, below), 1 + below(3)),
        10 => format!("GETDEL {}", small(sizes, below)),
        11 => format!("INCR counter:{}", below(20)),
        _ => format!("PFADD hll:{} {}", below(9), member(sizes, below)),
    }
}
