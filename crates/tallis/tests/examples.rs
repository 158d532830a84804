//! The examples, run.

#[path = "../examples/votes.rs"]
mod votes;

#[test]
fn votes_count_once() {
    votes::main().unwrap();
}
