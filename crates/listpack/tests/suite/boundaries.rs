//! Encodings at their limits, and the sizes stated in the documentation.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use listpack::{Entry, ListPack, MAX_BYTES, Refused, Validation};
use testkit::oracle::list_pack::encode;

/// The bytes of the only entry of a list.
fn entry_of(text: &[u8]) -> Vec<u8> {
    let mut list = ListPack::new();
    list.push_back(text).expect("room");
    let blob = list.into_bytes();
    blob[6..blob.len() - 1].to_vec()
}

#[test]
fn integers_have_the_narrowest_encoding_at_each_boundary() {
    let table: [(i64, &[u8]); 22] = [
        (0, b"\x00\x01"),
        (1, b"\x01\x01"),
        (127, b"\x7f\x01"),
        (128, b"\xc0\x80\x02"),
        (-1, b"\xdf\xff\x02"),
        (4_095, b"\xcf\xff\x02"),
        (-4_096, b"\xd0\x00\x02"),
        (4_096, b"\xf1\x00\x10\x03"),
        (-4_097, b"\xf1\xff\xef\x03"),
        (32_767, b"\xf1\xff\x7f\x03"),
        (-32_768, b"\xf1\x00\x80\x03"),
        (32_768, b"\xf2\x00\x80\x00\x04"),
        (-32_769, b"\xf2\xff\x7f\xff\x04"),
        (8_388_607, b"\xf2\xff\xff\x7f\x04"),
        (-8_388_608, b"\xf2\x00\x00\x80\x04"),
        (8_388_608, b"\xf3\x00\x00\x80\x00\x05"),
        (-8_388_609, b"\xf3\xff\xff\x7f\xff\x05"),
        (2_147_483_647, b"\xf3\xff\xff\xff\x7f\x05"),
        (-2_147_483_648, b"\xf3\x00\x00\x00\x80\x05"),
        (2_147_483_648, b"\xf4\x00\x00\x00\x80\x00\x00\x00\x00\x09"),
        (i64::MAX, b"\xf4\xff\xff\xff\xff\xff\xff\xff\x7f\x09"),
        (i64::MIN, b"\xf4\x00\x00\x00\x00\x00\x00\x00\x80\x09"),
    ];
    for (value, bytes) in table {
        let text = value.to_string();
        assert_eq!(entry_of(text.as_bytes()), bytes, "{value}");
        let mut list = ListPack::new();
        list.push_back(value).unwrap();
        assert!(matches!(list.get(0), Some(Entry::Int(read)) if read == value), "{value}");
        assert_eq!(encode(text.as_bytes()), bytes, "the oracle too");
    }
}

#[test]
fn strings_have_the_shortest_header_at_each_boundary() {
    // The bytes before the text, and the length after it.
    let table: [(usize, &[u8], &[u8]); 13] = [
        (0, b"\x80", b"\x01"),
        (1, b"\x81", b"\x02"),
        (63, b"\xbf", b"\x40"),
        (64, b"\xe0\x40", b"\x42"),
        (125, b"\xe0\x7d", b"\x7f"),
        (126, b"\xe0\x7e", b"\x01\x80"),
        (4_095, b"\xef\xff", b"\x20\x81"),
        (4_096, b"\xf0\x00\x10\x00\x00", b"\x20\x85"),
        (16_377, b"\xf0\xf9\x3f\x00\x00", b"\x7f\xfe"),
        (16_378, b"\xf0\xfa\x3f\x00\x00", b"\x00\xff\xff"),
        (16_379, b"\xf0\xfb\x3f\x00\x00", b"\x01\x80\x80"),
        (2_097_145, b"\xf0\xf9\xff\x1f\x00", b"\x7f\xff\xfe"),
        (2_097_146, b"\xf0\xfa\xff\x1f\x00", b"\x00\xff\xff\xff"),
    ];
    for (len, head, backlen) in table {
        let text = vec![b'x'; len];
        let entry = entry_of(&text);
        assert!(entry == [head, &text, backlen].concat(), "{len}");
        assert!(encode(&text) == entry, "the oracle too, {len}");
        // The entry is read from either end.
        let mut list = ListPack::new();
        list.insert_all(list.end(), [Entry::Int(1), Entry::Str(&text), Entry::Int(2)]).unwrap();
        assert_eq!(list.validate(Validation::Deep), Ok(()));
        assert!(list.iter().rev().nth(1) == Some(Entry::Str(&text)), "{len}");
        assert_eq!(list.find(&text), list.seek(1), "{len}");
        assert_eq!(list.find(2), list.seek(2), "{len}");
        assert!(!list.contains(&text[..len.saturating_sub(1)]) || len == 0, "{len}");
    }
}

#[test]
fn texts_that_are_almost_integers_stay_texts() {
    let texts = ["007", "-0", "+1", "1.0", " 1", "1 ", "-", "9223372036854775808", "1e5", "0x1"];
    for text in texts {
        assert_eq!(
            entry_of(text.as_bytes())[0],
            0x80 | u8::try_from(text.len()).unwrap(),
            "{text}"
        );
    }
}

/// The table of the crate documentation.
#[test]
fn an_entry_has_the_documented_size() {
    let table =
        [("7", 2), ("-7", 3), ("4095", 3), ("32767", 4), ("-8388608", 5), ("2147483647", 6)];
    let wider = [("1700000000000", 10), ("", 2), ("member", 8)];
    for (text, bytes) in table.into_iter().chain(wider) {
        assert_eq!(entry_of(text.as_bytes()).len(), bytes, "{text}");
    }
    for (len, bytes) in [(63, 65), (64, 67), (4_095, 4_099), (4_096, 4_103)] {
        assert_eq!(entry_of(&vec![b'x'; len]).len(), bytes, "{len}");
    }
}

#[test]
fn the_struct_takes_two_words() {
    assert_eq!(size_of::<ListPack>(), 16);
    // The niche that keeps an enum of a list and another variant at the same size.
    assert_eq!(size_of::<Option<ListPack>>(), 16);
}

#[test]
fn an_integer_that_is_stored_as_text_is_removed_too() {
    // "5" as text, 5, and "6". Lists of Tallis have integers only, but a file may have both.
    let blob = *b"\x0f\0\0\0\x03\0\x81\x35\x02\x05\x01\x81\x36\x02\xff";
    let list = ListPack::from_bytes(blob, Validation::Deep).unwrap();
    for (removed, front, most, left) in [
        (1, true, 1, &["5", "6"][..]),
        (1, false, 1, &["5", "6"]),
        (2, true, usize::MAX, &["6"]),
        (2, false, usize::MAX, &["6"]),
        (0, true, 0, &["5", "5", "6"]),
        (0, false, 0, &["5", "5", "6"]),
    ] {
        let mut list = list.clone();
        let count = if front { list.remove(5, most) } else { list.remove_back("5", most) };
        assert_eq!(count, removed);
        assert_eq!(list.validate(Validation::Deep), Ok(()));
        assert!(list.iter().eq(left.iter().map(|text| Entry::from(*text))), "{front} {most}");
    }
}

#[test]
fn an_empty_list_holds_no_memory() {
    let mut list = ListPack::new();
    assert_eq!((list.heap_bytes(), list.as_bytes()), (0, &[7, 0, 0, 0, 0, 0, 0xff][..]));
    assert_eq!(
        (list.first(), list.last(), list.get(0), list.get_back(0)),
        (None, None, None, None)
    );
    assert!(!list.contains("") && !list.contains(0) && list.is_empty());
    assert_eq!(list.entry(list.end()), None);
    assert!(!list.delete(list.end()));
    list.retain(|_| false);
    list.shrink_to_fit();
    assert_eq!((list.settle_count(), list.heap_bytes(), list.clone().heap_bytes()), (0, 0, 0));
    list.push_front(5).unwrap();
    assert!(list.delete(list.first().unwrap()));
    list.shrink_to_fit();
    assert_eq!(list.heap_bytes(), 0);
    assert_eq!(list.into_bytes(), [7, 0, 0, 0, 0, 0, 0xff]);
}

#[test]
fn reserved_capacity_is_used() {
    let mut list = ListPack::with_capacity(1_000);
    assert_eq!((list.heap_bytes(), list.is_empty()), (1_000, true));
    for number in 0..100 {
        list.push_back(number).unwrap();
    }
    assert_eq!(list.heap_bytes(), 1_000);
    list.reserve(500);
    assert_eq!(list.heap_bytes(), 1_000);
    list.reserve(1_200);
    assert_eq!(list.heap_bytes(), 1_200);
    list.shrink_to_fit();
    assert_eq!(list.heap_bytes(), list.as_bytes().len());
    assert_eq!(ListPack::with_capacity(7).heap_bytes(), 0);
}

#[test]
fn equality_and_hash_depend_on_the_values_of_entries() {
    let mut list = ListPack::new();
    list.insert_all(list.end(), [Entry::Int(7), Entry::Str(b"a"), Entry::Int(-5)]).unwrap();
    // An unknown count; 7 in 64 bits; "a" with a long header; -5 as text.
    let odd = b"\x21\0\0\0\xff\xff\xf4\x07\0\0\0\0\0\0\0\x09\xf0\x01\0\0\0a\x06\xe0\x02-5\x04\x82-5\x03\xff";
    let odd = ListPack::from_bytes(odd.as_slice(), Validation::Deep).unwrap();
    list.push_back(-5).unwrap();
    assert_eq!(odd, list);
    assert_ne!(odd.as_bytes(), list.as_bytes());
    assert_eq!((odd.len(), odd.get(3), odd.get_back(3)), (4, Some(Entry::Int(-5)), list.get(0)));
    let state = RandomState::new();
    assert_eq!(state.hash_one(&odd), state.hash_one(&list));
    assert_eq!(HashSet::from([odd.clone(), list.clone()]).len(), 1);
    for (index, needle) in ["7", "a", "-5"].into_iter().enumerate() {
        assert_eq!(odd.find(needle), odd.seek(index), "{needle}");
    }
    assert_eq!(odd.find_from(odd.seek(3).unwrap(), -5, 0), odd.seek(3));
    assert!(list.delete(list.first().unwrap()));
    assert_ne!(odd, list);
    assert_eq!(format!("{list:?} {:?}", list.iter()), r#"["a", -5, -5] ["a", -5, -5]"#);
}

#[test]
fn iterators_meet_in_the_middle() {
    let mut list = ListPack::new();
    for text in ["a", "1", "b", "2"] {
        list.push_back(text).unwrap();
    }
    let mut iter = list.iter();
    assert_eq!((iter.next(), iter.next_back()), (Some("a".into()), Some(2.into())));
    assert_eq!(iter.position(), list.seek(1).unwrap());
    assert_eq!(
        (iter.next_back(), iter.next(), iter.next()),
        (Some("b".into()), Some(1.into()), None)
    );
    assert_eq!((iter.next_back(), iter.next()), (None, None));
    let (low, high) = list.iter().size_hint();
    assert!(low <= 4 && high >= Some(4));
    assert_eq!((list.iter().nth(4), list.iter().last()), (None, Some(2.into())));
    assert_eq!(list.iter_from(list.end()).next(), None);
}

/// Up to 65,534 entries are counted in the header. With one more, they are not counted until the length is queried.
#[test]
fn the_header_counts_to_65534() {
    let count = |list: &ListPack| u16::from_le_bytes([list.as_bytes()[4], list.as_bytes()[5]]);
    let mut list = ListPack::with_capacity(140_000);
    for _ in 0..65_533 {
        list.push_back(1).unwrap();
    }
    assert_eq!((count(&list), list.len()), (65_533, 65_533));
    let mut at_once = list.clone();
    list.push_back(2).unwrap();
    assert_eq!((count(&list), list.len()), (65_534, 65_534));
    list.push_back(3).unwrap();
    assert_eq!((count(&list), list.len()), (65_535, 65_535));
    at_once.insert_all(at_once.end(), [Entry::Int(2), Entry::Int(3)]).unwrap();
    assert_eq!(at_once.as_bytes(), list.as_bytes());
    list.push_back(4).unwrap();
    assert_eq!((count(&list), list.len(), list.settle_count()), (65_535, 65_536, 65_536));
    assert_eq!((list.get(65_535), list.get_back(65_534)), (Some(4.into()), Some(1.into())));
    assert_eq!((list.get(65_536), list.get_back(65_536)), (None, None));
    assert_eq!(list.validate(Validation::Deep), Ok(()));

    assert_eq!(list.delete_range(65_530, 100), 6);
    assert_eq!((count(&list), list.len()), (65_535, 65_530));
    assert_eq!(list.settle_count(), 65_530);
    assert_eq!((count(&list), list.len()), (65_530, 65_530));
    assert_eq!(list.validate(Validation::Deep), Ok(()));
    list.clear();
    assert_eq!(count(&list), 0);
}

#[test]
fn a_list_does_not_grow_beyond_its_limit() {
    // The text is never copied: these are zeroed pages of the system that are never touched.
    let text = vec![0; MAX_BYTES];
    let mut list = ListPack::new();
    list.push_back("a").unwrap();
    let before = list.clone();
    let need = (10 + MAX_BYTES + 5 + 5) as u64;
    assert_eq!(list.push_back(&text), Err(Refused::TooLarge { need }));
    assert_eq!(list.push_front(&text), Err(Refused::TooLarge { need }));
    let first = list.first().unwrap();
    assert_eq!(list.replace(first, &text), Err(Refused::TooLarge { need: need - 3 }));
    let error = list.insert(first, &text).unwrap_err();
    assert_eq!(error.to_string(), "listpack would take 1073741844 bytes, more than 1073741824");
    assert_eq!(list, before);
    assert_eq!(list.heap_bytes(), 24);
}

#[test]
fn a_place_without_an_entry_is_refused() {
    let mut list = ListPack::new();
    list.push_back("abc").unwrap();
    list.push_back("def").unwrap();
    let [first, last, end] = [list.seek(0), list.seek(1), Some(list.end())].map(Option::unwrap);
    assert_eq!(list.replace(end, "x"), Err(Refused::NoEntry { offset: 16 }));
    assert!(list.delete(first) && list.delete(first));
    assert!(!list.delete(first));
    for stale in [last, end] {
        let offset = stale.offset();
        assert_eq!(list.insert(stale, "x"), Err(Refused::NoEntry { offset }));
        assert_eq!(list.replace(stale, "x"), Err(Refused::NoEntry { offset }));
        assert!(!list.delete(stale));
        assert_eq!(
            (list.entry(stale), list.next(stale), list.iter_from(stale).count()),
            (None, None, 0)
        );
    }
    assert_eq!(
        list.replace(last, "x").unwrap_err().to_string(),
        "listpack has no entry at offset 11"
    );
    assert_eq!(list.as_bytes(), ListPack::new().as_bytes());
}

#[test]
fn a_panic_in_retain_leaves_a_whole_list() {
    let mut list = ListPack::new();
    for number in 0..10 {
        list.push_back(number).unwrap();
    }
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        list.retain(|entry| match entry {
            Entry::Int(7) => panic!("on purpose"),
            Entry::Int(number) => number > 2,
            Entry::Str(_) => unreachable!("only numbers"),
        });
    }));
    assert!(run.is_err());
    assert_eq!(list.validate(Validation::Deep), Ok(()));
    assert_eq!(format!("{list:?}"), "[3, 4, 5, 6, 7, 8, 9]");
}

#[test]
fn a_panic_while_an_entry_is_read_leaves_the_list_unchanged() {
    let mut list = ListPack::new();
    list.insert_all(list.end(), [Entry::from("a"), Entry::from("b")]).unwrap();
    let before = list.clone();
    for back in [true, false] {
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let read = |_: Entry<'_>| panic!("on purpose");
            if back { list.pop_back_with(read) } else { list.pop_front_with(read) }
        }));
        assert!(run.is_err());
        assert_eq!(list, before);
    }
    assert_eq!(list.pop_front_with(|entry| entry == Entry::from("a")), Some(true));
    assert_eq!(format!("{list:?}"), r#"["b"]"#);
}

#[test]
fn memory_comes_and_goes_tightly() {
    let mut list = ListPack::new();
    for number in 0..1_000_i64 {
        list.push_back(number << 40).unwrap();
        let (held, used) = (list.heap_bytes(), list.as_bytes().len());
        assert_eq!(held % 16, 8, "a chunk of glibc is used up");
        assert!(held - used < (used / 16).max(16), "{held} held for {used}");
    }
    while let Some(last) = list.last() {
        assert!(list.delete(last));
        let (held, used) = (list.heap_bytes(), list.as_bytes().len());
        assert!(held - used < 2 * (held / 16).max(16), "{held} held for {used}");
    }
    assert_eq!(list.as_bytes(), ListPack::new().as_bytes());
}

/// A list that is popped until it is empty is reallocated each time that half of it is gone, not each time that an
/// eighth is.
#[test]
fn pops_reallocate_rarely_and_leave_half_idle_at_most() {
    for back in [true, false] {
        let mut list = ListPack::new();
        for number in 0..1_000_i64 {
            list.push_back(number << 40).unwrap();
        }
        let mut held = vec![list.heap_bytes()];
        while if back { list.pop_back_with(|_| ()) } else { list.pop_front_with(|_| ()) }.is_some()
        {
            let used = list.as_bytes().len();
            assert!(list.heap_bytes() < (2 * used).max(48), "{} for {used}", list.heap_bytes());
            if held.last() != Some(&list.heap_bytes()) {
                held.push(list.heap_bytes());
            }
        }
        let pairs = held.windows(2).all(|pair| pair[1] <= pair[0] / 2 + 256);
        assert!(pairs && held.len() < 12, "{held:?}");
        // Another deletion leaves as little as always.
        let mut list = ListPack::new();
        for number in 0..1_000_i64 {
            list.push_back(number).unwrap();
        }
        for _ in 0..400 {
            list.pop_back_with(|_| ()).unwrap();
        }
        assert!(list.delete(list.first().unwrap()));
        let (held, used) = (list.heap_bytes(), list.as_bytes().len());
        assert!(held - used < 2 * (held / 16).max(16), "{held} held for {used}");
    }
}

#[test]
fn entries_of_one_size_are_found_by_their_index() {
    let long = [1, 16, 63, 64, 124, 125, 126, 4095, 4096].map(|len| "x".repeat(len));
    let numbers = ["7", "-5", "700", "40000", "1234567890", "1234567890123"].map(String::from);
    for text in numbers.into_iter().chain(long) {
        let mut list = ListPack::new();
        assert_eq!(list.fixed_size(), None);
        for index in 0..20 {
            list.push_back(text.as_str()).unwrap();
            assert_eq!(list.fixed_size(), Some(entry_of(text.as_bytes()).len()), "{text}");
            let size = list.fixed_size().unwrap();
            for index in 0..=index + 1 {
                list.prefetch_fixed(index, 2, size);
                assert_eq!(list.seek_fixed(index, size), list.seek(index), "{index} of {text}");
            }
        }
        for index in [0, 1, 10, 20] {
            let mut other = list.clone();
            other.insert(other.seek(index).unwrap_or(other.end()), "other").unwrap();
            assert_eq!(other.fixed_size(), None, "{index} of {text}");
        }
    }
}

#[test]
fn entries_have_one_size_only_if_each_of_them_has_it() {
    // The mean is the size of the first.
    let mut list = ListPack::new();
    list.insert_all(list.end(), ["four", "five5", "try"].map(Entry::from)).unwrap();
    assert_eq!((list.fixed_size(), list.as_bytes().len()), (None, 7 + 3 * 6));
    // A header that counts more or fewer entries, or none.
    let mut list = ListPack::new();
    list.insert_all(list.end(), ["four", "five"].map(Entry::from)).unwrap();
    for count in [0, 1, 2, 3, u8::MAX] {
        let mut blob = list.as_bytes().to_vec();
        blob[4] = count;
        let list = ListPack::from_bytes(blob, Validation::Shallow).unwrap();
        assert_eq!(list.fixed_size(), (count == 2).then_some(6), "{count}");
    }
    for (index, count, size) in [(0, 0, 0), (usize::MAX, usize::MAX, usize::MAX), (1, 1, 0)] {
        list.prefetch_fixed(index, count, size);
    }
    assert_eq!((list.seek_fixed(usize::MAX, 6), list.seek_fixed(2, 6)), (None, None));
}
