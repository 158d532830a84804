//! Rate limits compared with the keys of a server that runs the same steps: a script for the funnel and for the
//! counter, the four commands of the notes for the window.
//!
//! The clock here is an hour ahead of the machine's, so that nothing expires on the server meanwhile.

use std::sync::Arc;
use std::time::Duration;

use redis::{Connection, Value};
use tallis::{
    Clock, Funnel, ManualClock, Profile, Quota, SlidingCounter, SlidingWindow, Store, SystemClock,
    Throttle,
};
use testkit::live::server;
use testkit::rng::Rng;

use super::run;

/// GCRA as a Lua script, for a client without this store. Its numbers have 53 bits.
const FUNNEL: &str = "
local capacity, interval, quantity, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local tat = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local depth, after = capacity * interval, tat + quantity * interval
local limited, retry = 0, -1
if after - now > depth then
  limited = 1
  if quantity <= capacity then retry = after - depth - now end
else
  tat = after
  if quantity > 0 then
    redis.call('SET', KEYS[1], string.format('%.0f', tat), 'PXAT', string.format('%.0f', math.ceil(tat / 1000)))
  end
end
local seconds = function(us) if us < 0 then return -1 else return math.ceil(us / 1000000) end end
local remaining = math.max(math.floor((depth - (tat - now)) / interval), 0)
return {limited, capacity, remaining, seconds(retry), seconds(tat - now)}
";

/// Two counts in one string.
const COUNTER: &str = "
local limit, period, quantity, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local text = redis.call('GET', KEYS[1])
local start, before, count = now - now % period, 0, 0
if text then
  local s, b, c = string.match(text, '^(%d+):(%d+):(%d+)$')
  s = tonumber(s)
  if now < s + period then
    start, before, count = s, tonumber(b), tonumber(c)
  elseif now < s + 2 * period then
    start, before = s + period, tonumber(c)
  end
end
local overlap = period - (now - start)
if before * overlap + (count + quantity) * period > limit * period then return 1 end
if quantity > 0 then
  local form = '%.0f:%.0f:%.0f'
  redis.call('SET', KEYS[1], string.format(form, start, before, count + quantity),
    'PXAT', string.format('%.0f', start + 2 * period))
end
return 0
";

/// An hour from now, in milliseconds.
fn later() -> i64 {
    SystemClock.now_ms() + 3_600_000
}

fn store() -> (Store, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(later()));
    (Store::builder().profile(Profile::Redis70).clock(clock.clone()).build(), clock)
}

fn eval(server: &mut Connection, script: &str, key: &str, args: [i64; 4]) -> Value {
    let args = args.map(|arg| arg.to_string());
    run(server, &["EVAL", script, "1", key, &args[0], &args[1], &args[2], &args[3]])
}

fn number(server: &mut Connection, words: &[&str]) -> i64 {
    let Value::Int(number) = run(server, words) else { panic!("{words:?}") };
    number
}

fn bytes(value: Value) -> Option<Vec<u8>> {
    if let Value::BulkString(bytes) = value { Some(bytes) } else { None }
}

/// Checks that value and expiry are equal, or that the key does not exist if it has expired on the server by the clock
/// here.
fn assert_same(store: &Store, clock: &ManualClock, server: &mut Connection, key: &str) {
    let theirs = number(server, &["PEXPIRETIME", key]);
    if theirs >= 0 && theirs <= clock.now_ms() {
        assert!(!store.exists(key).unwrap(), "{key}");
        run(server, &["DEL", key]);
        return;
    }
    assert_eq!(store.expire_time(key).unwrap().millis(), theirs, "{key}");
    let ours = store.dump(key).unwrap();
    let theirs = bytes(run(server, &["DUMP", key]));
    assert_eq!(ours.map(Vec::from), theirs, "{key}");
    let encoding = bytes(run(server, &["OBJECT", "ENCODING", key]));
    let encoding = encoding.map(|name| String::from_utf8(name).unwrap());
    assert_eq!(store.object_encoding(key).unwrap(), encoding.as_deref(), "{key}");
}

#[test]
fn a_funnel_leaves_the_same_key_as_a_script() {
    let Some(server) = server() else { return };
    let mut server = server.connect();
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let (store, clock) = store();
        run(&mut server, &["FLUSHALL"]);
        let mut small = || 1 + rng.below(20);
        let (capacity, count, period) = (small(), small(), Duration::from_micros(small() * 10_007));
        let quota = Quota::new(capacity, count, period).unwrap();
        let interval = i64::try_from(quota.interval().as_micros()).unwrap();
        let funnel = Funnel::new(store.clone(), quota);
        for _ in 0..300 {
            clock.advance_us(rng.range(0..=3 * interval));
            let (key, quantity) = (format!("user:{}", rng.below(3)), rng.below(capacity + 2));
            // A key that has expired here still exists on the server, where the script reads a time that has passed.
            let ours: Throttle = funnel.take(&key, quantity).unwrap();
            let args = [capacity.cast_signed(), interval, quantity.cast_signed(), clock.now_us()];
            let theirs = eval(&mut server, FUNNEL, &key, args);
            let want = Value::Array(ours.to_reply().map(Value::Int).to_vec());
            assert_eq!(theirs, want, "{seed} {key} {args:?}");
            assert_same(&store, &clock, &mut server, &key);
            if let Some(time) = store.get(&key).unwrap() {
                assert_eq!(run(&mut server, &["GET", &key]), Value::BulkString(time.into()));
            }
        }
    }
}

#[test]
fn a_counter_leaves_the_same_key_as_a_script() {
    let Some(server) = server() else { return };
    let mut server = server.connect();
    for seed in 0..4 {
        let mut rng = Rng::new(seed);
        let (store, clock) = store();
        run(&mut server, &["FLUSHALL"]);
        let (limit, period) = (1 + rng.below(50), rng.range(1..=2000));
        let length = Duration::from_millis(period.unsigned_abs());
        let counter = SlidingCounter::new(store.clone(), limit, length).unwrap();
        for _ in 0..300 {
            clock.advance(rng.range(0..=period / 4));
            let quantity = rng.below(limit / 2 + 2);
            let ours = counter.take("api", quantity).unwrap();
            let args = [limit.cast_signed(), period, quantity.cast_signed(), clock.now_ms()];
            let theirs = eval(&mut server, COUNTER, "api", args);
            assert_eq!(theirs, Value::Int(i64::from(ours.limited)), "{seed} {args:?}");
            assert_same(&store, &clock, &mut server, "api");
        }
    }
}

/// The steps of [`SlidingWindow`] as commands; with `notes` in the order of the notes, which also count refused
/// actions.
fn act(
    server: &mut Connection,
    key: &str,
    (now, period): (i64, i64),
    most: i64,
    notes: bool,
) -> bool {
    let [over, expires] = [now - period, now + period + 1000].map(|time| time.to_string());
    let score = now.to_string();
    let same = number(server, &["ZCOUNT", key, &score, &score]);
    let member = if same == 0 { score.clone() } else { format!("{now}-{same}") };
    if notes {
        number(server, &["ZADD", key, &score, &member]);
        number(server, &["ZREMRANGEBYSCORE", key, "0", &over]);
        let count = number(server, &["ZCARD", key]);
        number(server, &["PEXPIREAT", key, &expires]);
        return count <= most;
    }
    number(server, &["ZREMRANGEBYSCORE", key, "-inf", &over]);
    let allowed = number(server, &["ZCARD", key]) < most;
    if allowed {
        number(server, &["ZADD", key, &score, &member]);
        number(server, &["PEXPIREAT", key, &expires]);
    }
    allowed
}

#[test]
fn a_window_leaves_the_same_key_as_the_four_commands() {
    let Some(server) = server() else { return };
    let mut server = server.connect();
    for (seed, notes) in (0..8).zip([false, true].into_iter().cycle()) {
        let mut rng = Rng::new(seed);
        let (store, clock) = store();
        run(&mut server, &["FLUSHALL"]);
        // With more than 128 members the set is a skip list, which happens one action earlier in the order of the
        // notes.
        let most = if notes { rng.range(1..=9) } else { rng.range(1..=160) };
        let period = rng.range(1..=120);
        let limits = SlidingWindow::new(store.clone()).count_refused(notes);
        for step in 0..400 {
            clock.advance(rng.range(0..=6) * rng.range(0..=1) * rng.range(0..=1));
            let key = "hist:Lei:reply";
            if !store.exists(key).unwrap() {
                // Expired here.
                run(&mut server, &["DEL", key]);
            }
            let length = Duration::from_millis(period.unsigned_abs());
            let ours = limits.can_reply("Lei", "reply", length, most.unsigned_abs()).unwrap();
            let theirs = act(&mut server, key, (clock.now_ms(), period), most, notes);
            assert_eq!(ours, theirs, "{seed} {step}");
            let pairs = store.zrange_withscores(key, 0, -1).unwrap();
            let text = |score| Profile::Redis70.double(score).into_bytes();
            let pairs =
                pairs.into_iter().flat_map(|(member, score)| [member.to_vec(), text(score)]);
            let pairs = pairs.map(Value::BulkString).collect();
            let listed = run(&mut server, &["ZRANGE", key, "0", "-1", "WITHSCORES"]);
            assert_eq!(listed, Value::Array(pairs), "{seed} {step}");
            assert_same(&store, &clock, &mut server, key);
        }
    }
}
