//! An allocator that counts the memory that the system's allocator holds.
//!
//! # Idea
//!
//! A block takes more memory than was requested: an allocator rounds up and adds a header. With glibc a block takes its
//! `malloc_usable_size` and one word of chunk header, and [`Counting`] adds up exactly these, so that measured bytes
//! include the slack. On other systems, which have no such function, it counts the requested sizes.
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
//! A benchmark that also measures time starts with [`Counting::paused`] and counts only inside [`Counting::counting`]:
//! elsewhere a call has the overhead of one load.
//!
//! [`Counting::around`] counts another allocator, if that can report the size of its blocks: see [`Measured`].
//!
//! # Limits
//!
//! Counts are of the whole process: measure in a program with one active thread. The peak is exact for one thread and
//! may be a little low when several allocate at once. A `#[test]` is not the only thread even in a test binary of its
//! own, because the thread that waits for it allocates too: for an exact count, use [`Counting::this_thread`].
#![expect(unsafe_code, reason = "a global allocator is an unsafe trait over raw pointers")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// An allocator that can report the size of a block.
///
/// # Safety
///
/// [`held`](Self::held) must return the same number for a block each time, from its allocation until it is freed or
/// reallocated.
pub unsafe trait Measured: GlobalAlloc {
    /// Returns the bytes that a block takes, header and slack included.
    ///
    /// # Safety
    ///
    /// * `block` came from this allocator with `layout` and is not freed.
    unsafe fn held(&self, block: *mut u8, layout: Layout) -> usize;
}

/// An allocator that counts the bytes that an inner one, by default the system's, holds, including headers and slack.
#[derive(Debug)]
pub struct Counting<A = System> {
    inner: A,
    on: AtomicBool,
    /// The only thread that is counted, in the form of [`thread`], or 0 for all.
    only: AtomicUsize,
    live: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicU64,
    requested: AtomicU64,
    largest: AtomicUsize,
}

impl Counting {
    /// Creates an allocator that counts from the start, for `#[global_allocator]`.
    #[must_use]
    pub const fn new() -> Self {
        Self::starting(System, true)
    }

    /// Creates an allocator that counts only inside [`Counting::counting`].
    #[must_use]
    pub const fn paused() -> Self {
        Self::starting(System, false)
    }
}

impl<A> Counting<A> {
    /// Creates a paused allocator (see [`Counting::paused`]) around another one than the system's.
    #[must_use]
    pub const fn around(inner: A) -> Self {
        Self::starting(inner, false)
    }

    const fn starting(inner: A, on: bool) -> Self {
        Self {
            inner,
            on: AtomicBool::new(on),
            only: AtomicUsize::new(0),
            live: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: AtomicU64::new(0),
            requested: AtomicU64::new(0),
            largest: AtomicUsize::new(0),
        }
    }

    /// Counts while `work` runs, and returns its result and the bytes that it has left allocated.
    ///
    /// The bytes are exact if `work` does not free a block that was allocated before, uncounted.
    pub fn counting<T>(&self, work: impl FnOnce() -> T) -> (T, usize) {
        let before = self.live();
        let was_on = self.on.swap(true, Relaxed);
        let result = work();
        self.on.store(was_on, Relaxed);
        (result, self.live().wrapping_sub(before))
    }

    /// Counts only what the calling thread allocates and frees while `work` runs.
    ///
    /// A block that another thread frees meanwhile stays in the count. At most one thread at a time may be inside this
    /// function.
    pub fn this_thread<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.only.swap(thread(), Relaxed);
        let result = work();
        self.only.store(before, Relaxed);
        result
    }

    fn counts(&self) -> bool {
        self.on.load(Relaxed) && {
            let only = self.only.load(Relaxed);
            only == 0 || only == thread()
        }
    }

    /// The bytes currently allocated.
    #[must_use]
    pub fn live(&self) -> usize {
        self.live.load(Relaxed)
    }

    /// The maximum of the allocated bytes since the start or the last [`Counting::reset_peak`].
    #[must_use]
    pub fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }

    /// The largest size of a single request since the start or the last [`Counting::reset_peak`], in bytes.
    ///
    /// This shows a decoder that trusts a length, even if the system has not backed the block with memory.
    #[must_use]
    pub fn largest_request(&self) -> usize {
        self.largest.load(Relaxed)
    }

    /// The number of allocations; a reallocation counts as one.
    #[must_use]
    pub fn allocations(&self) -> u64 {
        self.allocations.load(Relaxed)
    }

    /// The total of all requested bytes; a reallocation counts with its new size.
    #[must_use]
    pub fn requested(&self) -> u64 {
        self.requested.load(Relaxed)
    }

    /// Resets the peak to the current bytes, and the largest request to 0.
    pub fn reset_peak(&self) {
        self.peak.store(self.live(), Relaxed);
        self.largest.store(0, Relaxed);
    }

    fn add(&self, held: usize) {
        // Wrapping: a block that was allocated uncounted may be freed counted, and an allocator must not panic.
        let live = self.live.fetch_add(held, Relaxed).wrapping_add(held);
        self.peak.fetch_max(live, Relaxed);
    }
}

impl<A: Measured> Counting<A> {
    /// Counts a request of `layout` that got `block`, which is null if it was refused.
    fn made(&self, block: *mut u8, layout: Layout) {
        if !self.counts() {
            return;
        }
        self.allocations.fetch_add(1, Relaxed);
        self.requested.fetch_add(layout.size() as u64, Relaxed);
        self.largest.fetch_max(layout.size(), Relaxed);
        if !block.is_null() {
            // SAFETY: only the methods below call this, with a block that the allocator has just returned.
            self.add(unsafe { self.inner.held(block, layout) });
        }
    }
}

impl Default for Counting {
    fn default() -> Self {
        Self::new()
    }
}

/// An identifier of the calling thread: an address that is unique while the thread runs.
fn thread() -> usize {
    thread_local! {
        // A constant without a destructor, whose access does not allocate.
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| ptr::from_ref(here).addr())
}

/// The bytes of glibc's header before each block.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEADER: usize = size_of::<usize>();

// SAFETY: glibc keeps the usable size of a block as long as it is allocated; the size of a layout is fixed.
unsafe impl Measured for System {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe fn held(&self, block: *mut u8, _layout: Layout) -> usize {
        // SAFETY: with glibc, the blocks of `System` are from malloc and its variants, and the caller guarantees that
        // this one is live.
        HEADER + unsafe { libc::malloc_usable_size(block.cast()) }
    }

    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    unsafe fn held(&self, _block: *mut u8, layout: Layout) -> usize {
        layout.size()
    }
}

// SAFETY: every call is forwarded to the allocator unchanged; the counters do not access blocks and never allocate.
unsafe impl<A: Measured> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `GlobalAlloc::alloc`, which is that of the allocator.
        let block = unsafe { self.inner.alloc(layout) };
        self.made(block, layout);
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        self.made(block, layout);
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.counts() {
            // SAFETY: the caller passes a live block of this allocator with its layout.
            self.live.fetch_sub(unsafe { self.inner.held(block, layout) }, Relaxed);
        }
        // SAFETY: as above; every block of this one is a block of the allocator.
        unsafe { self.inner.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let before = if self.counts() {
            // SAFETY: the caller passes a live block of this allocator with its layout.
            unsafe { self.inner.held(block, layout) }
        } else {
            0
        };
        // SAFETY: as above, and the caller upholds the contract of `size`.
        let moved = unsafe { self.inner.realloc(block, layout, size) };
        if !moved.is_null() {
            self.live.fetch_sub(before, Relaxed);
        }
        // SAFETY: the alignment came with a valid layout, and `realloc` requires that the size fits it.
        self.made(moved, unsafe { Layout::from_size_align_unchecked(size, layout.align()) });
        moved
    }
}
