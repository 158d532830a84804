//! An allocator that counts what the system's allocator really holds.
//!
//! # Idea
//!
//! What a program asks for is not what it costs: an allocator rounds up and keeps a header. Under glibc a block costs
//! its `malloc_usable_size` and one word of chunk header, and [`Counting`] adds up just that, so that "bytes a visitor" has
//! the slack in it. On other systems, where there is no such question to ask, it counts the size that was asked for.
//!
//! ```
//! use testkit::alloc::Counting;
//!
//! #[global_allocator]
//! static ALLOCATOR: Counting = Counting::new();
//!
//! let before = ALLOCATOR.live();
//! let bytes = vec![0_u8; 1000];
//! assert!(ALLOCATOR.live() - before >= 1000);
//! drop(bytes);
//! assert_eq!(ALLOCATOR.live(), before);
//! ```
//!
//! # Limits
//!
//! Counts are of the whole process: measure in a program or a test binary with one thread at work. The peak is exact for
//! one thread and may be a little low when several allocate at once.
#![expect(unsafe_code, reason = "a global allocator is an unsafe trait over raw pointers")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, with counters beside it. Each counter is of bytes held, header and slack included.
#[derive(Debug, Default)]
pub struct Counting {
    live: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicU64,
    largest: AtomicUsize,
}

impl Counting {
    /// An allocator that has counted nothing, to be a `#[global_allocator]`.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            live: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: AtomicU64::new(0),
            largest: AtomicUsize::new(0),
        }
    }

    /// The bytes held now.
    #[must_use]
    pub fn live(&self) -> usize {
        self.live.load(Relaxed)
    }

    /// The most bytes held at once since the start or the last [`Counting::reset_peak`].
    #[must_use]
    pub fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }

    /// The largest size asked for in one call since the start or the last [`Counting::reset_peak`], in bytes.
    ///
    /// A decoder that trusts a length shows here even if the system would not have backed the block with memory.
    #[must_use]
    pub fn largest_request(&self) -> usize {
        self.largest.load(Relaxed)
    }

    /// How many blocks were ever asked for; one that grows counts again.
    #[must_use]
    pub fn allocations(&self) -> u64 {
        self.allocations.load(Relaxed)
    }

    /// Lets the peak start anew from what is held now, and the largest request from nothing.
    pub fn reset_peak(&self) {
        self.peak.store(self.live(), Relaxed);
        self.largest.store(0, Relaxed);
    }

    fn add(&self, held: usize) {
        let live = self.live.fetch_add(held, Relaxed) + held;
        self.peak.fetch_max(live, Relaxed);
    }

    fn request(&self, size: usize) {
        self.allocations.fetch_add(1, Relaxed);
        self.largest.fetch_max(size, Relaxed);
    }
}

/// What glibc keeps in front of each block, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEADER: usize = size_of::<usize>();

/// The bytes that a block takes.
///
/// # Safety
///
/// * `block` came from [`System`] with `layout` and is not freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe fn held(block: *mut u8, _layout: Layout) -> usize {
    // SAFETY: under glibc `System` hands out blocks of malloc and its kin, and the caller says that this one is live.
    HEADER + unsafe { libc::malloc_usable_size(block.cast()) }
}

/// The bytes that a block takes, as far as can be told here.
///
/// # Safety
///
/// * None: the twin for glibc has some.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
unsafe fn held(_block: *mut u8, layout: Layout) -> usize {
    layout.size()
}

// SAFETY: every call goes to `System` as it came; the counters touch no block and never allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.request(layout.size());
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`, which is that of `System`.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block was made with this layout just now.
            self.add(unsafe { held(block, layout) });
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.request(layout.size());
        // SAFETY: as in `alloc`.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            // SAFETY: the block was made with this layout just now.
            self.add(unsafe { held(block, layout) });
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller hands over a live block of this allocator with its layout.
        self.live.fetch_sub(unsafe { held(block, layout) }, Relaxed);
        // SAFETY: as above; every block of this allocator is one of `System`.
        unsafe { System.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.request(size);
        // SAFETY: the caller hands over a live block of this allocator with its layout.
        let before = unsafe { held(block, layout) };
        // SAFETY: as above, and the caller keeps the contract of `size`.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            // SAFETY: the alignment came with a valid layout, and `realloc` requires that the size fits it.
            let layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
            self.live.fetch_sub(before, Relaxed);
            // SAFETY: the block was made with this layout just now.
            self.add(unsafe { held(moved, layout) });
        }
        moved
    }
}
