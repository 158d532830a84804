//! `--advise` measures: with an allocator that rounds up further, the bytes are more.

#![cfg(unix)]
#![expect(unsafe_code, reason = "a global allocator is an unsafe trait over raw pointers")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Command;

use serde_json::Value;
use tallis_cli::encodings::{Data, advise};
use testkit::alloc::{Counting, Measured};

/// The system's allocator with sizes rounded up to multiples of 32 bytes; glibc rounds to 16.
struct Rounding;

const PIECE: usize = 32;

fn rounded(layout: Layout) -> Layout {
    let size = layout.size().next_multiple_of(PIECE);
    Layout::from_size_align(size, layout.align()).unwrap_or(layout)
}

// SAFETY: each call is forwarded to `System` with the same layout for the same block.
unsafe impl GlobalAlloc for Rounding {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the rounded layout is not smaller than the caller's, whose contract applies.
        unsafe { System.alloc(rounded(layout)) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block was allocated with the rounded layout.
        unsafe { System.dealloc(block, rounded(layout)) };
    }
}

// SAFETY: the size that `System` reports for a block does not change.
unsafe impl Measured for Rounding {
    unsafe fn held(&self, block: *mut u8, layout: Layout) -> usize {
        // SAFETY: the block is from `System`, with the rounded layout, and by the contract it is not freed.
        unsafe { System.held(block, rounded(layout)) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting<Rounding> = Counting::around(Rounding);

/// Few enough for a listpack: the bytes of a hash table and of shards depend on a random key of the hash, by more
/// than this allocator adds.
const ELEMENTS: &str = "100 names";

#[test]
fn the_bytes_are_those_of_the_allocator() {
    // The same advice from the program, with the system's allocator.
    let run = Command::new(env!("CARGO_BIN_EXE_tallis"))
        .args(["encodings", "--json", "--advise", ELEMENTS])
        .output()
        .unwrap();
    let theirs: Value = serde_json::from_slice(&run.stdout).unwrap();
    let ours = advise(&Data::describe(ELEMENTS).unwrap(), &ALLOCATOR).unwrap();
    let theirs = theirs["forms"].as_array().unwrap();
    assert_eq!(ours.choices().len(), theirs.len());
    for (ours, theirs) in ours.choices().iter().zip(theirs) {
        assert_eq!(theirs["form"], ours.form);
        let bytes = theirs["bytes"].as_u64().unwrap();
        assert!(ours.bytes > bytes, "{}: {} under {bytes}", ours.form, ours.bytes);
    }
}
