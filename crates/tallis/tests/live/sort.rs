//! SORT: the replies and the stored lists equal the server's.

use super::scripts::compare;

#[test]
fn sorting_replies_like_the_server() {
    compare(&[
        "RPUSH l 3 1 2 10 -5 1.5
        SORT l
        SORT l DESC
        SORT l DESC ASC
        SORT l ALPHA
        SORT l ALPHA DESC
        SORT l LIMIT 1 2
        SORT l LIMIT -3 2
        SORT l LIMIT 1 -1
        SORT l LIMIT 9 1
        SORT l LIMIT 0 0
        SORT l LIMIT 2 9223372036854775807
        SORT l LIMIT x 1
        SORT l LIMIT 1 x
        SORT l LIMIT 1
        SORT l UP
        SORT l BY
        SORT l GET
        SORT l STORE
        SORT none
        SORT none LIMIT 1 2 GET #
        SORT none STORE d
        SORT l BY nosort
        SORT l BY nosort DESC
        SORT l BY nosort LIMIT 1 2
        SORT l BY nosort DESC LIMIT 1 2
        SORT l BY nosort DESC LIMIT 9 2
        SORT l BY # DESC
        SORT_RO l
        SORT_RO l DESC LIMIT 0 2
        SORT_RO l STORE d
        SORT l STORE d
        SORT l DESC STORE d STORE e
        LRANGE d 0 -1
        SORT l LIMIT 9 1 STORE d
        EXISTS d
        SORT l STORE l",
        "RPUSH l 1 2 3 4
        MSET w:1 40 w:2 30 w:3 20
        HSET u:1 name ann age 7
        HSET u:2 name bob age 5
        HSET u:4 name dan
        SORT l BY w:*
        SORT l BY w:* DESC
        SORT l BY w:* GET w:* GET #
        SORT l BY u:*->age
        SORT l BY u:*->age GET u:*->name
        SORT l BY u:*->name ALPHA
        SORT l BY u:*->name ALPHA DESC
        SORT l GET u:*->none
        SORT l GET u:*
        SORT l GET u:*->
        SORT l GET none GET # GET ##
        SORT l BY u:* GET w:*->name
        SORT l BY nosort GET w:* STORE d
        SORT l BY u:*->name
        SORT l BY w:* LIMIT 1 2 GET #
        SET x1y a
        SET x3y* b
        SORT l GET x*y
        SORT l GET x*y*",
        "SADD s 5 4 3
        SADD t c b a
        ZADD z 3 a 1 b 2 c
        ZADD n 1 3 2 1 3 2
        SORT s
        SORT t
        SORT t ALPHA
        SORT t ALPHA STORE d
        SORT t BY nosort STORE d
        SORT s BY nosort DESC STORE d
        SORT z ALPHA
        OBJECT ENCODING z
        SORT z
        SORT z BY nosort
        SORT z BY nosort DESC
        SORT z BY nosort LIMIT 1 1
        SORT z BY nosort DESC LIMIT 0 2
        SORT n
        SORT n DESC
        SORT_RO n LIMIT 1 1
        OBJECT ENCODING n",
    ]);
}

#[test]
fn unsortable_values_are_refused_like_by_the_server() {
    compare(&[
        "SET k v
        HSET h f v
        SORT k
        SORT h
        SORT k LIMIT x 1
        SORT k BY nosort
        SORT k STORE d
        SORT_RO h
        RPUSH l 1 2
        SORT l STORE k
        TYPE k",
        "RPUSH l 1 '' 0x10 1e2
        SORT l
        RPUSH m 1 \\s2 3\\0x
        SORT m
        RPUSH m 4\\s
        SORT m
        RPUSH f inf -inf 1e308
        SORT f
        RPUSH i nan
        SORT i
        RPUSH j abc
        SORT j
        SORT j ALPHA
        RPUSH e 0 -0 0.0 00
        SORT e
        RPUSH c b\\0a a\\0b b\\0
        SORT c ALPHA
        SORT c ALPHA STORE d
        LRANGE d 0 -1",
        // Out-of-range numbers are last, because they also make the server's next SORT fail.
        "RPUSH g 1e-400 1
        SORT g",
        "RPUSH f 1 1e309
        SORT f",
    ]);
}

/// A list created by SORT is a single node if its elements fit, however its length was counted during the sort.
#[test]
fn stored_lists_have_the_servers_nodes() {
    let long = "x".repeat(3000);
    let numbers: Vec<String> = (0..3000).map(|n| (n * 7919 % 100_000).to_string()).collect();
    let script = format!(
        "RPUSH l {}
        SORT l STORE d
        SORT l LIMIT 0 2000 DESC STORE e
        RPUSH m {long} {long} 1
        SORT m ALPHA STORE d
        RPUSH m {long}
        SORT m ALPHA STORE d",
        numbers.join(" ")
    );
    compare(&[&script]);
}
