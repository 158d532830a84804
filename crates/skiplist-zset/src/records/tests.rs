use super::*;

fn one_heap() -> Records {
    let mut records = Records::new();
    records.open(0);
    records
}

#[test]
fn members_of_every_length_come_back() {
    let mut records = one_heap();
    for (block, len) in [0, 1, 2, 16, 17, 253, 254, 255, 256, 70_000].into_iter().enumerate() {
        let block = u32::try_from(block).unwrap();
        records.open(block);
        let member = vec![b'm'; len];
        let record = records.add(block, -1.5, Body::New(&member));
        assert_eq!(records.get(record), (&member[..], -1.5));
        assert_eq!(records.long(record).is_some(), len >= 255, "{len}");
        assert_eq!(block_of(record), block);
        records.set_score(record, 2.5);
        assert_eq!(records.get(record), (&member[..], 2.5));
        assert_eq!(records.verify(block, [record].into_iter()), usize::from(len >= 255));
    }
}

#[test]
fn a_record_takes_the_hole_of_its_size() {
    let mut records = one_heap();
    let add =
        |records: &mut Records, member: &str| records.add(0, 1.0, Body::New(member.as_bytes()));
    let [a, b, c, d] = ["aaa", "bbbbb", "ccc", "ddd"].map(|member| add(&mut records, member));
    records.remove(a);
    records.remove(b);
    records.remove(c);
    assert_eq!(records.bytes_of(0), (12, 12 + 14 + 12));
    assert_eq!(records.verify(0, [d].into_iter()), 0);
    // The last hole of the size first; then the other one, behind the hole of another size.
    assert_eq!(add(&mut records, "eee"), c);
    assert_eq!(add(&mut records, "fff"), a);
    assert_eq!(records.bytes_of(0).1, 14);
    let g = add(&mut records, "ggg");
    assert!(g > d);
    // The last record leaves no hole.
    records.remove(g);
    assert_eq!(records.bytes_of(0).1, 14);
    assert_eq!(add(&mut records, "hhh"), g);
    assert_eq!(add(&mut records, "iiiii"), b);
    assert_eq!(records.bytes_of(0), (4 * 12 + 14, 0));
    records.verify(0, [a, b, c, d, g].into_iter());
}

#[test]
fn a_heap_has_a_maximum_size_and_holes_count() {
    let mut records = one_heap();
    let (member, size) = ([b'm'; 23], 32);
    let all: Vec<u32> = (0..HEAP_MAX / size)
        .map(|_| {
            assert!(records.has_room(0, size));
            records.add(0, 0.0, Body::New(&member))
        })
        .collect();
    assert!(!records.has_room(0, size) && !records.has_room(0, 10));
    records.remove(all[7]);
    assert!(records.has_room(0, size) && !records.has_room(0, size - 2));
    let moves = records.refill(0, all.iter().copied().filter(|&record| record != all[7]).rev());
    assert_eq!((moves.len(), records.bytes_of(0)), (all.len() - 1, (HEAP_MAX - size, 0)));
    assert_eq!(moves[0], (all[all.len() - 1], all[0]));
    assert!(records.has_room(0, 10));
    records.verify(0, moves.iter().map(|&(_, new)| new));
}

#[test]
fn a_long_member_stays_when_its_record_goes() {
    let mut records = one_heap();
    let [a, b] = [[b'a'; 300], [b'b'; 300]];
    let first = records.add(0, 1.0, Body::New(&a));
    let long = records.long(first).unwrap();
    records.remove(first);
    records.open(1);
    let moved = records.add(1, 2.0, Body::Long(long));
    assert_eq!(records.get(moved), (&a[..], 2.0));
    records.verify_counts(1, 2);
    records.remove(moved);
    records.remove_long(long);
    records.verify_counts(0, 2);
    // Its number is free.
    let other = records.add(1, 3.0, Body::New(&b));
    assert_eq!((records.long(other), records.member(other)), (Some(long), &b[..]));
    assert!(records.heap_bytes() >= 300);
}
