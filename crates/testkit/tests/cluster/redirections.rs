//! The behaviour of clients while a slot is moving.

use std::thread;

use redis::{AsyncCommands, Commands, RedisResult, Value};
use testkit::live::{Cluster, command};

use crate::{client, kind, runtime, tag_of};

pub(crate) fn check(cluster: &Cluster) {
    let masters = cluster.masters();
    let [from, to, third] = &masters[..] else { panic!("{masters:?}") };
    let (tag, slot) = tag_of(cluster, from);
    let [stays, moves, new] = [0, 1, 2].map(|number| format!("{tag}{number}"));
    let (old_address, new_address) = (address(from), address(to));
    let error = |code: &str, address: &str| Err(format!("{code} {slot} {address}"));
    let try_again = Err("TRYAGAIN Multiple keys request during rehashing of slot".to_owned());
    let value = |bytes: &str| Ok(Value::BulkString(bytes.as_bytes().to_vec()));
    let [mut old_master, mut new_master, mut other] =
        [from, to, third].map(|url| cluster.connect(url));
    let runtime = runtime();
    let (plain, following) =
        (client(cluster).retries(0).build().unwrap(), client(cluster).build().unwrap());
    let mut plain_async = runtime.block_on(plain.get_async_connection()).unwrap();
    let mut following_async = runtime.block_on(following.get_async_connection()).unwrap();
    let mut plain = plain.get_connection().unwrap();
    let mut following = following.get_connection().unwrap();

    // Before the move, the wrong node redirects clients.
    assert_eq!(command(&mut old_master, &["SET", &stays, "s"]), Ok(Value::Okay));
    assert_eq!(command(&mut old_master, &["SET", &moves, "m"]), Ok(Value::Okay));
    assert_eq!(command(&mut new_master, &["GET", &stays]), error("MOVED", old_address));
    let (elsewhere, _) = tag_of(cluster, third);
    assert_eq!(
        command(&mut old_master, &["MGET", &stays, &elsewhere]),
        Err("CROSSSLOT Keys in request don't hash to the same slot".to_owned())
    );

    // During the move, the old master has one of the keys, the new one the other.
    let moving = cluster.begin_slot_move(slot, to);
    assert_eq!((moving.from(), moving.to()), (from.as_str(), to.as_str()));
    moving.move_key(moves.as_bytes());
    assert_eq!(cluster.owner(slot), *from);
    assert_eq!(command(&mut old_master, &["GET", &stays]), value("s"));
    assert_eq!(command(&mut old_master, &["GET", &moves]), error("ASK", new_address));
    assert_eq!(command(&mut old_master, &["SET", &new, "n"]), error("ASK", new_address));
    assert_eq!(command(&mut old_master, &["MGET", &stays, &moves]), try_again);
    assert_eq!(command(&mut new_master, &["GET", &moves]), error("MOVED", old_address));
    assert_eq!(command(&mut new_master, &["ASKING"]), Ok(Value::Okay));
    assert_eq!(command(&mut new_master, &["GET", &moves]), value("m"));
    assert_eq!(command(&mut new_master, &["ASKING"]), Ok(Value::Okay));
    assert_eq!(command(&mut new_master, &["MGET", &stays, &moves]), try_again);
    let reply: RedisResult<String> = plain.get(&moves);
    assert_eq!(kind::of(&reply), "ASK");
    let reply: RedisResult<String> = runtime.block_on(plain_async.get(&moves));
    assert_eq!(kind::of(&reply), "ASK");
    let reply: RedisResult<Vec<String>> = plain.mget(&[&stays, &moves]);
    assert_eq!(kind::of(&reply), "TRYAGAIN");
    let reply: RedisResult<Vec<String>> = runtime.block_on(plain_async.mget(&[&stays, &moves]));
    assert_eq!(kind::of(&reply), "TRYAGAIN");
    assert_eq!(following.get(&moves), Ok("m".to_owned()));
    assert_eq!(following.set(&new, "n"), Ok(()));
    assert_eq!(runtime.block_on(following_async.get(&new)), Ok("n".to_owned()));

    // A client that retries gets its reply when the slot has moved.
    let both = [&stays, &moves];
    thread::scope(|scope| {
        let sync_reply = scope.spawn(|| following.mget::<_, Vec<String>>(&both));
        let async_reply = scope.spawn(|| {
            runtime.block_on(AsyncCommands::mget::<_, Vec<String>>(&mut following_async, &both))
        });
        moving.finish();
        for reply in [sync_reply.join(), async_reply.join()] {
            assert_eq!(reply.unwrap(), Ok(vec!["s".to_owned(), "m".to_owned()]));
        }
    });
    assert_eq!(cluster.owner(slot), *to);
    for connection in [&mut old_master, &mut other] {
        assert_eq!(command(connection, &["GET", &stays]), error("MOVED", new_address));
    }
    for (key, bytes) in [(&stays, "s"), (&moves, "m"), (&new, "n")] {
        assert_eq!(command(&mut new_master, &["GET", key]), value(bytes));
    }
    let reply: RedisResult<String> = plain.get(&stays);
    assert_eq!(kind::of(&reply), "MOVED");
    let reply: RedisResult<String> = runtime.block_on(plain_async.get(&stays));
    assert_eq!(kind::of(&reply), "MOVED");
    assert_eq!(following.get(&stays), Ok("s".to_owned()));
    assert_eq!(runtime.block_on(following_async.get(&stays)), Ok("s".to_owned()));

    // Back again, in one step, with more keys than are moved at a time.
    for number in 3..250 {
        assert_eq!(
            command(&mut new_master, &["SET", &format!("{tag}{number}"), ""]),
            Ok(Value::Okay)
        );
    }
    cluster.move_slot(slot, from);
    let count = command(&mut old_master, &["CLUSTER", "COUNTKEYSINSLOT", &slot.to_string()]);
    assert_eq!(count, Ok(Value::Int(250)));
}

fn address(url: &str) -> &str {
    url.strip_prefix("redis://").unwrap()
}
