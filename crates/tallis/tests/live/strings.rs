//! Strings: every option, every error, every change of encoding.

use testkit::live::named;

use super::scripts::{compare, compare_with};

#[test]
fn set_takes_its_options_like_the_server() {
    compare(&[
        "set k v
         set k 12
         set k 012
         set k -0
         set k 9223372036854775807
         set k 9223372036854775808
         set k 12345678901234567890
         set k ''
         set '' v
         set k\\n\\0b v\\0v
         get k\\n\\0b
         set k xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         set k xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "set k v nx
         set k w nx
         set k w NX get
         set k w xx
         set n w xx
         set n w xx get
         set n w nx get
         set n x nx nx
         set n x xx xx
         set n x nx xx
         set n x xx nx
         set n x get get
         set n x NX\\0ignored
         set n x foo
         set n x nxx
         set n x n",
        "set k v ex 100
         set k v keepttl
         pttl none
         set k w keepttl get
         set k 5 keepttl
         set k v keepttl keepttl
         set k v
         set k v ex 10 ex 20000
         set k v px 99999999
         set k v px 1 px 88888888
         set k v exat 4000000000
         set k v pxat 4000000000000
         set k v ex 10 px 10
         set k v ex 10 exat 10
         set k v exat 10 pxat 10
         set k v ex 10 keepttl
         set k v keepttl ex 10
         set k v ex 10 persist
         set k v persist
         set k v ex
         set k v keepttl px
         set k w EX 1000 nx
         set k w nx EX 1000
         set n w nx EX 1000 get
         set k w XX GET EX 30000",
    ]);
}

#[test]
fn set_refuses_what_the_server_refuses() {
    compare(&[
        "set k v ex 0
         set k v ex -1
         set k v ex abc
         set k v ex ''
         set k v ex 1.5
         set k v ex 9223372036854775807
         set k v ex 9223372036854776
         set k v ex 9223372036854775
         set k v px 9223372036854775807
         set k v px 9223372036854775808
         set k v exat 9223372036854775807
         set k v exat 0
         set k v pxat 0
         set k v pxat -5
         set k v exat abc foo
         set k v ex abc nx",
        "set k v pxat 1
         get k
         set k v
         set k v exat 1
         get k
         set k v
         set k w pxat 1 get
         get k
         set k v pxat 1 nx
         set k v pxat 1 xx
         set k v pxat 9223372036854775807
         set l v exat 9223372036854775
         set m v
         getex m pxat 9223372036854775807",
        "sadd s a
         set s v get
         set s v nx get
         set s v xx get
         set s v get ex abc
         set s v get ex 0
         set s v get foo
         set s v nx
         set s v xx
         sadd t a
         set t v
         sadd u a
         set u v ex 100
         sadd w a
         set w v keepttl
         set k
         set",
    ]);
}

#[test]
fn the_other_ways_to_set_are_like_the_server_s() {
    compare(&[
        "setnx k v
         setnx k w
         setnx n 12
         setnx s
         sadd s 1
         setnx s v
         setex k 100 v
         setex k 100 12
         setex k 0 v
         setex k -1 v
         setex k abc v
         setex k 9223372036854775807 v
         setex k 9223372036854776 v
         psetex k 100000 v
         psetex k 0 v
         psetex k -1 v
         psetex k x v
         psetex k 9223372036854775807 v
         setex s 100 v
         setex s 100
         sadd t 1
         psetex t 100000 12345678901234567890123",
        "mset a 1 b xx c ''
         mget a b c none
         mset a 1 a 2 a three
         get a
         mset a
         mset a 1 b
         mset
         mget
         sadd s 1
         mget a s a
         mset s 1 b 2
         msetnx a 1 z 2
         exists z
         msetnx z 1 z 2 y 3
         mget z y
         msetnx z
         msetnx q 1 r
         sadd t 1
         msetnx t 1 u 2
         expire a 100
         mset a 5
         expire a 100
         msetnx a 5 v 5",
        "getset k v
         getset k 12
         expire k 100
         getset k 013
         sadd s 1
         getset s v
         getset s
         getdel k
         getdel k
         getdel s
         getdel
         getdel k k",
    ]);
}

#[test]
fn getex_takes_its_options_like_the_server() {
    compare(&[
        "getex k
         set k v
         getex k
         getex k ex 100
         getex k persist
         getex k persist persist
         getex k px 100000 px 200000
         getex k exat 4000000000
         getex k pxat 4000000000000
         getex k PXAT\\0x 4100000000000
         getex k ex 10 px 10
         getex k ex 10 persist
         getex k persist ex 10
         getex k keepttl
         getex k nx
         getex k get
         getex k ex
         getex k foo
         getex",
        "getex none ex abc
         getex none ex 0
         getex none foo
         set k 12
         getex k ex abc
         getex k ex 0
         getex k ex -1
         getex k ex 9223372036854775807
         getex k px 9223372036854775807
         getex k ex 9223372036854776
         sadd s a
         getex s
         getex s ex abc
         getex s ex 0
         getex s foo
         getex k pxat 1
         getex k
         set k v
         getex k exat 1
         exists k",
    ]);
}

#[test]
fn numbers_count_like_on_the_server() {
    compare(&[
        "incr n
         incr n
         decr n
         incrby n 10
         decrby n 5
         incrby n -9223372036854775808
         incrby n -7
         decrby n 1
         incrby n abc
         incrby n 1.5
         incrby n ''
         incrby n 9223372036854775808
         decrby n -9223372036854775808
         decrby n abc
         decrby m 9223372036854775807
         decr m
         decr m
         set n 9223372036854775807
         incr n
         incrby n 1
         decrby n -1
         incr
         incrby n
         decr n n",
        "sadd s a
         incr s
         decr s
         incrby s abc
         incrby s 1
         decrby s -9223372036854775808
         decrby s abc
         incrbyfloat s abc
         incrbyfloat s 1
         append s x
         strlen s",
        "set n \\s1
         incr n
         set n 1\\s
         incr n
         set n 007
         incr n
         set n -0
         incr n
         set n ''
         incr n
         set n 1\\0
         incr n
         set n 10
         append n 5
         incr n
         setrange n 0 9
         decr n
         expire n 100
         incr n
         incrbyfloat n 0.5",
        "incrbyfloat f 1.5
         incrbyfloat f 1.5
         incr f
         incrbyfloat f -4
         incrbyfloat f 3.0e3
         incrbyfloat f 0x10
         incrbyfloat f +5
         incrbyfloat f -0
         incrbyfloat f abc
         incrbyfloat f ''
         incrbyfloat f \\s1
         incrbyfloat f 1\\s
         incrbyfloat f nan
         incrbyfloat f inf
         incrbyfloat f -inf
         incrbyfloat g -0
         incrbyfloat h 1e-17
         incrbyfloat h 1e40
         incrbyfloat h 1e60
         incrbyfloat i 0.1
         incrbyfloat i 0.2
         incrbyfloat i 1e400
         incrbyfloat j 1e5000
         incrbyfloat j 1e-5000
         incrbyfloat l 12345678901234567890
         set m inf
         incrbyfloat m 1
         incrbyfloat m -inf
         set m abc
         incrbyfloat m xyz
         incrbyfloat m 1
         incrbyfloat m",
    ]);
}

#[test]
fn parts_of_strings_are_like_on_the_server() {
    compare(&[
        "append a ''
         append a 12
         append b 12
         append b 34
         append b ''
         append c 12
         append c ''
         append d xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         append d y
         append e xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         expire e 100
         append e \\0\\n
         append e
         strlen a
         strlen b
         strlen e
         strlen none
         set n -1234
         strlen n
         sadd s a
         strlen s
         strlen",
        "setrange k 0 ''
         exists k
         setrange k 5 x
         get k
         setrange k 0 hello
         setrange k 3 ''
         setrange k 10 world
         setrange n 0 12
         setrange n 1 3
         set i 1234
         setrange i 1 x
         set j 1234
         setrange j 0 ''
         setrange j 2 99
         setrange j 4 5
         setrange j 600 ''
         setrange j 536870912 ''
         setrange k -1 x
         setrange k -1 ''
         setrange k abc x
         setrange k 9223372036854775808 x
         setrange k 536870912 x
         setrange k 536870911 xx
         setrange k 9223372036854775807 xyz
         setrange none 536870912 x
         setrange none 9223372036854775807 xyz
         setrange none 536870912 ''
         sadd s a
         setrange s 0 x
         setrange s 0 ''
         setrange s -1 x
         setrange s 536870912 x
         setrange k 1",
        "set k Hello\\sWorld
         getrange k 0 4
         getrange k -5 -1
         getrange k -100 100
         getrange k 5 2
         getrange k -1 -5
         getrange k 0 -100
         getrange k 11 20
         getrange k 10 10
         getrange k 9223372036854775807 -9223372036854775808
         getrange k -9223372036854775808 9223372036854775807
         getrange none 0 -1
         getrange k a b
         getrange k 0 b
         getrange k 0 9223372036854775808
         set n 12345
         getrange n 1 -2
         getrange n 1 x
         substr n 1 2
         substr k 0 4
         substr k 0
         getrange k 0
         sadd s a
         getrange s 0 1
         getrange s a 1
         substr s 0 1",
    ]);
}

#[test]
fn lcs_replies_like_the_server() {
    compare(&[
        "mset a ohmytext b mynewtext n 12345 m 2234 e ''
         lcs a b
         lcs a b len
         lcs a b idx
         lcs a b idx minmatchlen 4
         lcs a b idx minmatchlen 5
         lcs a b idx withmatchlen
         lcs a b IDX MINMATCHLEN 4 WITHMATCHLEN
         lcs a b idx minmatchlen -5
         lcs a b idx minmatchlen 0 minmatchlen 4
         lcs a b withmatchlen
         lcs a b minmatchlen 4
         lcs a b len withmatchlen minmatchlen 99
         lcs a b len idx
         lcs a b len idx foo
         lcs a b minmatchlen
         lcs a b minmatchlen x
         lcs a b minmatchlen 9223372036854775808
         lcs a b foo
         lcs n m
         lcs n m idx
         lcs a a idx withmatchlen
         lcs a none
         lcs none none idx
         lcs none none len
         lcs e a idx
         lcs a
         sadd s x
         lcs s a
         lcs a s
         lcs s none foo
         lcs s none len idx",
        // 11586 squared, times four bytes, is just above 512 MiB.
        "setrange a 11583 x
         setrange b 11583 y
         lcs a b len
         append a x
         append b y
         lcs a b len
         lcs a b
         lcs a none idx",
    ]);
}

/// In Valkey, the result depends on the value that was replaced.
#[test]
fn strings_share_their_block_with_their_key_like_in_newer_servers() {
    const LONG: &str = "a-key-of-35-bytes------------------";
    // With a long key and an expiry, the result in Redis depends on its allocator (docs/decisions/0021).
    for (name, keys) in [("redis-8.2.3", &["k"][..]), ("valkey-9.1.2", &["k", LONG])] {
        let Some(server) = named(name) else { continue };
        for len in [32, 33, 34, 40, 41, 42, 103, 104, 105, 106, 111, 112, 113, 114] {
            for key in keys {
                let new = "x".repeat((len - key.len().min(len)).max(1));
                let script = format!(
                    "set {key} {new}
                     set {key} v ex 1000
                     set {key} {new}
                     set {key} {new}
                     set {key} {new} ex 1000
                     set {key} {new} keepttl
                     persist {key}
                     set {key} v ex 1000
                     getset {key} {new}
                     set {key} v ex 1000
                     mset {key} {new} other 1
                     rpush list{key} a
                     expire list{key} 1000
                     set list{key} {new}
                     set {key} 12 ex 1000
                     incrbyfloat {key} 1.5"
                );
                compare_with(&server, &[&script]);
            }
        }
    }
}
