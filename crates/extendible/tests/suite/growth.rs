//! The maximum cost of one insertion, the total cost of many, and the unused memory of a table.

use std::cell::Cell;
use std::collections::BTreeSet;

use extendible::{Bucket, Extendible, MemberBucket, SplitMix64};
use testkit::rng::Rng;

/// A hash for tests: FNV, with its bits mixed.
fn hash(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    SplitMix64::mix(bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

fn insert(table: &mut Extendible<MemberBucket>, member: &[u8], hash: &impl Fn(&[u8]) -> u64) {
    let of = hash(member);
    table.insert(of, hash, |bucket| bucket.insert(of, member));
}

fn contains(table: &Extendible<MemberBucket>, hash: u64, member: &[u8]) -> bool {
    table.bucket(hash).is_some_and(|bucket| bucket.contains(hash, member))
}

#[test]
fn an_insertion_rehashes_one_bucket_and_doublings_copy_less_than_the_directory_in_all() {
    const COUNT: usize = 300_000;
    let rehashed = Cell::new(0);
    let counting = |member: &[u8]| {
        rehashed.set(rehashed.get() + 1);
        hash(member)
    };
    let mut table: Extendible<MemberBucket> = Extendible::new(0);
    let (mut all, mut copied, mut doublings) = (0, 0, 0);
    for number in 0..COUNT {
        let member = number.to_string().into_bytes();
        let of = hash(&member);
        let (depth, buckets) = (table.depth(), table.bucket_count());
        rehashed.set(0);
        table.insert(of, &counting, |bucket| bucket.insert(of, &member));
        assert!(rehashed.get() <= MemberBucket::FULL, "{} rehashed at once", rehashed.get());
        assert!(table.bucket_count() <= buckets + 1 && table.depth() <= depth + 1);
        all += rehashed.get();
        if table.depth() > depth && depth > 0 {
            copied += 1 << depth;
            doublings += 1;
        }
        // The number of words that the only step that is not O(1) has to copy.
        assert!(1 << table.depth() <= 8 * table.bucket_count(), "{number}");
    }
    let words = 1 << table.depth();
    assert!(all < 2 * COUNT, "{all} rehashed in all");
    assert!(copied < words, "{copied} words copied for {words}");
    assert!(doublings < 20, "{doublings}");
    assert!(words <= COUNT / 15, "{words} words for {COUNT} entries");
}

#[test]
fn entries_by_hash_need_reserved_room() {
    let mut members: Vec<Vec<u8>> = (0..50_000_u32).map(|n| n.to_le_bytes().to_vec()).collect();
    members.sort_by_key(|member| hash(member));
    let mut table: Extendible<MemberBucket> = Extendible::with_room(0, members.len());
    let buckets = table.bucket_count();
    for member in &members {
        let of = hash(member);
        table.insert_unsplit(of, |bucket| bucket.insert(of, member));
    }
    table.verify();
    assert_eq!((table.len(), table.bucket_count()), (50_000, buckets));
    assert!(members.iter().all(|member| contains(&table, hash(member), member)));
    assert!(table.buckets().all(|bucket| bucket.len() < 2 * MemberBucket::FULL));
    // Without reserved room it has to create the first bucket itself.
    let mut small: Extendible<MemberBucket> = Extendible::default();
    small.insert_unsplit(1, |bucket| bucket.insert(1, b"a"));
    assert_eq!((small.len(), small.bucket_count(), small.is_empty()), (1, 1, false));
}

#[test]
fn a_bucket_without_members_has_no_heap_memory() {
    let mut bucket = MemberBucket::default();
    for round in 0..3 {
        (0..50_u8).for_each(|n| bucket.insert(hash(&[n]), &[n, round]));
        assert!(bucket.heap_bytes() > 0);
        let rehash = |member: &[u8]| hash(&member[..1]);
        assert!((0..50_u8).all(|n| bucket.remove(hash(&[n]), &[n, round], &rehash)));
        assert_eq!((bucket.len(), bucket.heap_bytes()), (0, 0));
    }
}

#[test]
fn announced_entries_may_come_in_hash_order() {
    for count in [0, 100, 1000, 20_000, 500_000_u32] {
        let mut members: Vec<Vec<u8>> = (0..count).map(|n| n.to_le_bytes().to_vec()).collect();
        members.sort_by_key(|member| hash(member));
        let mut table: Extendible<MemberBucket> = Extendible::to_load(0, members.len());
        for member in &members {
            insert(&mut table, member, &hash);
        }
        table.verify();
        assert!(members.iter().all(|member| contains(&table, hash(member), member)));
        let fullest = table.buckets().map(Bucket::len).max().unwrap_or(0);
        assert!(fullest <= MemberBucket::FULL, "{fullest} of {count}");
    }
    let lie: Extendible<MemberBucket> = Extendible::to_load(0, usize::MAX);
    assert!(lie.heap_bytes() < 600_000, "{}", lie.heap_bytes());
    let few: Extendible<MemberBucket> = Extendible::to_load(0, 500);
    assert_eq!((few.heap_bytes(), few.bucket_count()), (0, 0));
}

#[test]
fn a_table_needs_little_memory_in_addition_to_its_members() {
    let members: Vec<String> = (0..100_000).map(|n| format!("USER{n}")).collect();
    let kept: usize = members.iter().map(|member| member.len() + 1).sum();
    let hashed: Vec<(u64, &[u8])> =
        members.iter().map(|member| (hash(member.as_bytes()), member.as_bytes())).collect();
    let mut grown: Extendible<MemberBucket> = Extendible::new(0);
    for member in &members {
        insert(&mut grown, member.as_bytes(), &hash);
    }
    for table in [grown, Extendible::of_hashed(&hashed)] {
        let buckets = table.bucket_count();
        let cost = (table.heap_bytes() - kept) / members.len();
        assert!(cost < 9, "{cost} bytes a member in {buckets} buckets");
        assert_eq!((size_of::<Extendible<MemberBucket>>(), size_of::<MemberBucket>()), (88, 240));
        table.verify();
        table.buckets().for_each(MemberBucket::verify);
        let crowded = table.buckets().filter(|bucket| bucket.len() > MemberBucket::FULL).count();
        assert!(crowded * 20 < buckets, "{crowded} of {buckets}");
    }
}

#[test]
fn long_members_and_members_with_a_common_hash_prefix_are_found() {
    let crowded = |bytes: &[u8]| hash(bytes) & 0xffff;
    for (count, long) in [(40, 5_000), (200, 10), (300, 700)] {
        let mut table: Extendible<MemberBucket> = Extendible::new(0);
        let members: Vec<Vec<u8>> =
            (0..count).map(|n| format!("{n:>0$}", long + n % 7).into_bytes()).collect();
        for member in &members {
            insert(&mut table, member, &crowded);
        }
        assert!(table.depth() <= 8, "{}", table.depth());
        // Every third member is removed, which leaves holes to close.
        for (n, member) in members.iter().enumerate() {
            let hashed = crowded(member);
            let bucket = table.bucket_mut(hashed).unwrap();
            assert!(bucket.contains(hashed, member));
            assert!(n % 3 != 0 || bucket.remove(hashed, member, &crowded));
        }
        for (n, member) in members.iter().enumerate() {
            assert_eq!(contains(&table, crowded(member), member), n % 3 != 0, "{n} of {count}");
        }
    }
}

#[test]
fn members_are_found_through_growth_holes_and_shrinking() {
    for (seed, universe, longest) in [(1, 300, 12), (2, 8_000, 40), (3, 500, 400)] {
        let mut rng = Rng::new(seed);
        let mut table: Extendible<MemberBucket> = Extendible::new(0);
        let mut model: BTreeSet<Vec<u8>> = BTreeSet::new();
        for step in 0..30_000 {
            let mut member = rng.below(universe).to_le_bytes().to_vec();
            member.resize(8 + usize::from(member[0]) % longest, b'.');
            let hashed = hash(&member);
            assert_eq!(contains(&table, hashed, &member), model.contains(&member));
            if rng.below(3) < if step < 15_000 { 2 } else { 1 } {
                if model.insert(member.clone()) {
                    insert(&mut table, &member, &hash);
                }
            } else {
                let removed = table
                    .bucket_mut(hashed)
                    .is_some_and(|bucket| bucket.remove(hashed, &member, &hash));
                assert_eq!(removed, model.remove(&member));
                if removed {
                    table.removed();
                }
            }
        }
        table.verify();
        let all = table.buckets().flat_map(|bucket| (0..bucket.len()).map(|at| bucket.nth(at)));
        let all: Vec<&[u8]> = all.map(Option::unwrap).collect();
        assert_eq!(all.len(), model.len());
        assert!(all.iter().all(|member| model.contains(*member)));
        // Holes are at most a quarter, and slack is small: memory is proportional to the members.
        let kept: usize = model.iter().map(|member| member.len() + 2).sum();
        assert!(table.heap_bytes() < 2 * kept + 64 * 1024, "{} for {kept}", table.heap_bytes());
    }
}

#[test]
fn draws_are_fair_though_buckets_differ_in_depth_and_in_fill() {
    const DRAWS: u32 = 100;
    for (count, removed) in [(1_u32, 0), (64, 0), (700, 0), (3_000, 0), (3_000, 2_500)] {
        let mut table: Extendible<MemberBucket> = Extendible::new(0);
        for number in 0..count {
            insert(&mut table, &number.to_le_bytes(), &hash);
        }
        for number in 0..removed {
            let member = u32::to_le_bytes(number);
            let of = hash(&member);
            assert!(table.bucket_mut(of).unwrap().remove(of, &member, &hash));
            table.removed();
        }
        let mut random = SplitMix64::new(u64::from(count));
        let mut drawn = vec![0_u32; count as usize];
        let left = count - removed;
        for _ in 0..left * DRAWS {
            let member = table.random(&mut || random.bits(), MemberBucket::nth).unwrap();
            drawn[u32::from_le_bytes(member.try_into().unwrap()) as usize] += 1;
        }
        assert!(drawn[..removed as usize].iter().all(|&times| times == 0));
        // Poisson: 100 with a deviation of 10.
        let drawn = &drawn[removed as usize..];
        assert!(drawn.iter().all(|times| (45..160).contains(times)), "{drawn:?}");
        let square = |times: &u32| (f64::from(*times) - f64::from(DRAWS)).powi(2);
        let chi = drawn.iter().map(square).sum::<f64>() / f64::from(DRAWS);
        let bound = f64::from(left) + 6.0 * (2.0 * f64::from(left)).sqrt();
        assert!(chi <= bound, "chi-squared {chi} over {bound}");
    }
    let empty: Extendible<MemberBucket> = Extendible::new(3);
    assert!(empty.random(&mut || 5, MemberBucket::nth).is_none());
}

#[test]
fn a_table_that_was_almost_emptied_still_draws() {
    let mut table: Extendible<MemberBucket> = Extendible::new(0);
    for number in 0..20_000_u32 {
        insert(&mut table, &number.to_le_bytes(), &hash);
    }
    for number in 1..20_000_u32 {
        let of = hash(&number.to_le_bytes());
        assert!(table.bucket_mut(of).unwrap().remove(of, &number.to_le_bytes(), &hash));
        table.removed();
    }
    let mut random = SplitMix64::new(1);
    for _ in 0..20 {
        let drawn = table.random(&mut || random.bits(), MemberBucket::nth);
        assert_eq!(drawn, Some(&[0; 4][..]));
    }
}

/// Where few bits of the hashes are left, there are few buckets, however many entries are announced.
#[test]
fn room_ends_with_the_bits_of_the_hashes() {
    for (skip, buckets) in [(32, 1), (31, 2), (29, 8)] {
        let table: Extendible<MemberBucket> = Extendible::with_room(skip, 1_000_000);
        assert_eq!((table.bucket_count(), table.depth()), (buckets, 32 - skip));
    }
    let table: Extendible<MemberBucket> = Extendible::with_room(0, 1_000_000);
    let average = 1_000_000 / table.bucket_count();
    assert!((MemberBucket::FULL * 3 / 8..=MemberBucket::FULL * 3 / 4).contains(&average));
}

/// A false number takes little memory, and a true one saves most of the splits.
#[test]
fn a_table_to_load_has_room_for_a_sixteenth() {
    let buckets = |announced: usize| {
        let table: Extendible<MemberBucket> = Extendible::to_load(0, announced);
        table.bucket_count()
    };
    assert_eq!((buckets(0), buckets(8 * MemberBucket::FULL)), (0, 0));
    assert_eq!(buckets(16 * MemberBucket::FULL), 2);
    assert!(buckets(1_000_000) > 1_000_000 / 16 / MemberBucket::FULL);
    assert_eq!(buckets(usize::MAX), buckets(16 << 16));
    assert!(buckets(usize::MAX) < 4 * (1 << 16) / MemberBucket::FULL);
}
