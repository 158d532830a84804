//! The `tallis` program.

fn main() {}
