//! Compressed payloads: the same bytes as the server's.

use tallis::{Profile, Store};
use testkit::live::{as_bytes, server};
use testkit::rng::Rng;

use super::run;

#[test]
fn dumps_of_compressed_strings_have_the_servers_bytes() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let store = Store::builder().profile(Profile::Redis70).build();
    let mut rng = Rng::new(3);
    let (mut compressed, mut differ) = (0, 0);
    for round in 0..3000 {
        let letters = 1 + rng.below(if round % 3 == 0 { 256 } else { 12 });
        let max = if round % 50 == 0 { 40_000 } else { 300 };
        let len = rng.below(max);
        let mut value: Vec<u8> = (0..len).map(|_| rng.below(letters).to_le_bytes()[0]).collect();
        for _ in 0..rng.below(4) {
            let from = rng.index(value.len() + 1);
            let part = value[from..].iter().copied().take(rng.index(400)).collect::<Vec<_>>();
            value.extend(part);
        }
        run(&mut connection, &[&b"SET"[..], b"k", &value]);
        store.set("k", &value).unwrap();
        let theirs = run(&mut connection, &["DUMP", "k"]);
        let ours = store.dump("k").unwrap().unwrap();
        let theirs = as_bytes(&theirs).unwrap();
        compressed += usize::from(ours[1] == 0xc3);
        // The previous content of the server's memory may sometimes let it find another match.
        differ += usize::from(ours != theirs);
    }
    assert!(compressed > 1000, "{compressed}");
    assert!(differ <= 3, "{differ}");
}
