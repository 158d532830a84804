//! Bits: every option, every error, every change of encoding.

use super::scripts::compare;

#[test]
fn bits_are_set_and_read_like_on_the_server() {
    compare(&[
        "setbit k 7 1
         setbit k 7 0
         setbit k 7 0
         get k
         setbit k 100 0
         strlen k
         setbit k 100 2
         setbit k 100 -1
         setbit k 100 01
         setbit k 100 x
         setbit k -1 1
         setbit k -1 x
         setbit k x 1
         setbit k 01 1
         setbit k +1 1
         setbit k 1\\0 1
         setbit k '' 1
         setbit k #1 1
         setbit k 4294967296 1
         setbit k 9223372036854775808 1
         setbit k 1
         setbit k 1 1 1
         getbit k 100
         getbit k 4294967295
         getbit k 4294967296
         getbit k -1
         getbit k x
         getbit k
         getbit k 1 2
         getbit none 5
         exists none",
        "set n 12
         getbit n 3
         object encoding n
         setbit n 3 1
         set n 12
         setbit n 0 0
         incr n
         setbit n 0 1
         incr n
         set e xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         setbit e 0 0
         expire e 100
         setbit e 0 1
         set m xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         setbit m 0 0
         set m xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         bitfield m incrby u8 0 0
         set m xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
         setrange m 0 x
         set t text
         setbit t 1 1
         setbit t 1 1
         sadd s 1
         setbit s 1 1
         setbit s 1 2
         setbit s x 1
         getbit s 1
         getbit s -1",
    ]);
}

#[test]
fn bits_are_counted_and_found_like_on_the_server() {
    compare(&[
        "set f foobar
         bitcount f
         bitcount f 0 0
         bitcount f 1 1
         bitcount f 0 -5
         bitcount f 5 30 bit
         bitcount f 5 30 BIT\\0x
         bitcount f 1 1 Byte
         bitcount f -1 -2
         bitcount f -1 -2 foo
         bitcount f -100 -99
         bitcount f -99 -100
         bitcount f 0 9223372036854775807 bit
         bitcount f -9223372036854775808 9223372036854775807
         bitcount f 0 100 bits
         bitcount f 0
         bitcount f x
         bitcount f x 1
         bitcount f 1 x
         bitcount f 1 x bit
         bitcount f 1 2 bit x
         bitcount
         bitcount none x
         bitcount none 1 2 foo
         set e ''
         bitcount e
         bitcount e 0 -1
         bitcount e 0 -1 bit
         set n 12
         bitcount n
         bitcount n 1 1
         sadd s 1
         bitcount s
         bitcount s x",
        "set f foobar
         setrange o 2 ''
         setbit o 0 1
         setbit o 1 1
         setbit o 2 1
         setbit o 3 1
         setbit o 4 1
         setbit o 5 1
         setbit o 6 1
         setbit o 7 1
         bitpos o 0
         bitpos o 0 0
         bitpos o 0 0 -1
         bitpos o 0 0 -1 bit
         bitpos o 0 1
         bitpos o 0 -1
         bitpos o 1 0
         bitpos o 1 1
         bitpos o 1 3 5 bit
         bitpos o 0 3 5 bit
         bitpos o 1 -99 -100
         bitpos o 1 -1 -2
         bitpos f 1
         bitpos f 0 1 2
         bitpos f 1 17 30 BIT
         bitpos f 1 0 -1 byte
         bitpos f 1 0 -1 foo
         bitpos f 1 0 -1 bit x
         bitpos f 2
         bitpos f -1
         bitpos f x
         bitpos f 01
         bitpos f 1 x
         bitpos f 1 0 x
         bitpos f 1 x 2 foo
         bitpos f 1 0 x foo
         bitpos f
         bitpos none 0
         bitpos none 1
         bitpos none 0 x
         bitpos none 2
         set e ''
         bitpos e 0
         bitpos e 1
         bitpos e 0 0 -1
         set n 12
         bitpos n 0
         bitpos n 1 1
         sadd s 1
         bitpos s 1
         bitpos s 2
         bitpos s 1 x",
    ]);
}

#[test]
fn strings_are_combined_like_on_the_server() {
    compare(&[
        "mset a foobar b abcdef c xy
         bitop and d a b
         bitop or d a b c
         bitop xor d a b c
         bitop not d a
         bitop not d a b
         bitop AND d a
         bitop Or\\0x d a c
         bitop foo d a
         bitop '' d a
         bitop diff d a b
         bitop one d a
         bitop and d
         bitop and
         expire d 100
         bitop or d c
         expire d 100
         bitop or d d a
         ttl d
         bitop xor d a d b
         bitop not d d
         get d
         bitop or d none
         exists d
         bitop or d none
         bitop not d none
         set e ''
         bitop or d e
         bitop or d e c",
        "mset n 12 m 345
         bitop or d n m
         incr d
         bitop and d n
         bitop or n n
         incr n
         sadd s 1
         bitop and d n s
         bitop foo d s
         bitop not d s s
         bitop or s n
         type s
         setrange long 3000 x
         bitop or long n
         strlen long
         bitop or d long n
         setrange long 20000 y
         bitop xor long n long d
         bitop and long long n
         bitop and long n long",
    ]);
}

#[test]
fn fields_are_read_and_written_like_on_the_server() {
    compare(&[
        // The transcript of the notes.
        "set w hello
         bitfield w get u4 0
         bitfield w get u3 2
         bitfield w get i4 0
         bitfield w get i3 2
         bitfield w set u8 8 97
         get w
         set w hello
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2 1
         bitfield w incrby u4 2
         get w",
        "bitfield k set u4 0 15 incrby u4 0 1 overflow sat incrby u4 4 100 overflow fail incrby u4 4 1 get u4 4
         bitfield k overflow fail set u8 80 1000
         strlen k
         bitfield n overflow fail set u8 80 1000 incrby i5 3 99
         strlen n
         bitfield m set u8 #2 7 get u8 #2 get u8 16
         bitfield m overflow sat set u8 0 -1 set i8 8 -1000 set i8 16 1000 set i64 0 9223372036854775807
         bitfield m overflow sat set i8 0 -9223372036854775808
         bitfield m overflow wrap set u1 0 2 incrby u63 1 9223372036854775807 incrby i64 0 -9223372036854775808
         bitfield m incrby u4 0 16
         bitfield m set u4 0 0 get u4 0
         bitfield m incrby i1 0 -1
         bitfield m
         bitfield none
         bitfield none get u8 0
         bitfield none get u8 4294967295
         exists none",
    ]);
}

#[test]
fn invalid_fields_are_refused_like_on_the_server() {
    compare(&[
        "set k hello
         bitfield k get
         bitfield k get u8
         bitfield k set u8 0
         bitfield k incrby u8 0
         bitfield k foo
         bitfield k foo u8 0
         bitfield k '' u8 0
         bitfield k overflow
         bitfield k overflow foo
         bitfield k overflow fail
         bitfield k overflow Sat\\0x get\\0x u8\\0x 0
         bitfield k get u64 0
         bitfield k get i65 0
         bitfield k get u0 0
         bitfield k get U8 0
         bitfield k get u08 0
         bitfield k get '' 0
         bitfield k get x8 x
         bitfield k get u8 x
         bitfield k get u8 -1
         bitfield k get u8 01
         bitfield k get u8 0\\0
         bitfield k get u8 4294967295
         bitfield k get u8 4294967296
         bitfield k get u8 #536870912
         bitfield k get u8 #536870911
         bitfield k get u8 #
         bitfield k get u8 #-1
         bitfield k get u8 #01
         bitfield k get u8 #2305843009213693952
         bitfield k get u8 #9223372036854775807
         bitfield k get u8 #9223372036854775808
         bitfield k get u7 #1317624576693539402
         bitfield k set u8 x y
         bitfield k set u8 0 y
         bitfield k set u8 0 9223372036854775808
         bitfield k set u8 0 1 set u8 8 y
         bitfield k set u8 0 1 get u8
         get k
         bitfield
         sadd s 1
         bitfield s
         bitfield s get u8 0
         bitfield s set u8 0 1
         bitfield s set u8 0 y",
        "set n 12
         bitfield n get u8 0
         object encoding n
         bitfield n set u8 0 49
         set n 12
         bitfield n overflow fail set u8 0 1000
         set n 12
         bitfield n incrby u8 0 0
         expire n 100
         bitfield n incrby u8 8 1
         bitfield_ro n get u8 0 get i8 #1
         bitfield_ro n
         bitfield_ro none get u8 0
         bitfield_ro n overflow sat get u8 0
         bitfield_ro n set u8 0 1
         bitfield_ro n set u8 0 y
         bitfield_ro n incrby u8 0 1 get u8
         bitfield_ro n get u8
         bitfield_ro n overflow x
         bitfield_ro
         sadd s 1
         bitfield_ro s
         bitfield_ro s get u8 0
         bitfield_ro s set u8 0 1",
    ]);
}
