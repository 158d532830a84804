//! An allocator that counts what the system's allocator really holds.
//!
//! # Idea
//!
//! What a program asks for is not what it costs: an allocator rounds up and keeps a header. Under glibc a block costs
//! its `malloc_usable_size` and one word of chunk header, and [`Counting`] adds up just that, so that "bytes a visitor"
//! has the slack in it. On other systems, where there is no such question to ask, it counts the size that was asked
//! for.
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
//! A benchmark that measures time as well starts with [`Counting::paused`] and counts only inside
//! [`Counting::counting`]: elsewhere a call costs one load more than the system's own.
//!
//! Another allocator is counted by [`Counting::around`], if it can say what its blocks take: see [`Measured`].
//!
//! # Limits
//!
//! Counts are of the whole process: measure in a program with one thread at work. The peak is exact for one thread and
//! may be a little low when several allocate at once. A `#[test]` is not alone even in a test binary of its own, because
//! the thread that waits for it allocates too: where a count has to be exact, put it into [`Counting::this_thread`].
#![expect(unsafe_code, reason = "a global allocator is an unsafe trait over raw pointers")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// An allocator that can say what a block takes.
///
/// # Safety
///
/// [`held`](Self::held) gives the same number for a block each time that it is asked, from when the block is made until
/// it is freed or reallocated.
pub unsafe trait Measured: GlobalAlloc {
    /// The bytes that a block takes, header and slack included.
    ///
    /// # Safety
    ///
    /// * `block` came from this allocator with `layout` and is not freed.
    unsafe fn held(&self, block: *mut u8, layout: Layout) -> usize;
}

/// An allocator, the system's by default, with counters beside it. Each counter is of bytes held, header and slack
/// included.
#[derive(Debug)]
pub struct Counting<A = System> {
    inner: A,
    on: AtomicBool,
    /// The only thread that counts, as [`thread`] names it, or 0 where all do.
    only: AtomicUsize,
    live: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicU64,
    requested: AtomicU64,
    largest: AtomicUsize,
}

impl Counting {
    /// An allocator that has counted nothing, to be a `#[global_allocator]`.
    #[must_use]
    pub const fn new() -> Self {
        Self::starting(System, true)
    }

    /// As [`Counting::new`], but it counts only inside [`Counting::counting`].
    #[must_use]
    pub const fn paused() -> Self {
        Self::starting(System, false)
    }
}

impl<A> Counting<A> {
    /// As [`Counting::paused`], around an allocator that is not the system's.
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

    /// Counts while `work` runs, and gives what it gives together with the bytes that it left held.
    ///
    /// The bytes are exact if `work` frees no block that was made outside, uncounted.
    pub fn counting<T>(&self, work: impl FnOnce() -> T) -> (T, usize) {
        let before = self.live();
        let was_on = self.on.swap(true, Relaxed);
        let result = work();
        self.on.store(was_on, Relaxed);
        (result, self.live().wrapping_sub(before))
    }

    /// Counts only what the calling thread allocates and frees while `work` runs; other threads go uncounted.
    ///
    /// A block that another thread frees meanwhile stays in the count. At most one thread at a time may be in here.
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

    /// The bytes that were ever asked for; a block that grows counts again, as a whole.
    #[must_use]
    pub fn requested(&self) -> u64 {
        self.requested.load(Relaxed)
    }

    /// Lets the peak start anew from what is held now, and the largest request from nothing.
    pub fn reset_peak(&self) {
        self.peak.store(self.live(), Relaxed);
        self.largest.store(0, Relaxed);
    }

    fn add(&self, held: usize) {
        // Wrapping: blocks made uncounted may be freed counted, and a panic has no place in an allocator.
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
            // SAFETY: only the methods below call this, with a block that the allocator has just made.
            self.add(unsafe { self.inner.held(block, layout) });
        }
    }
}

impl Default for Counting {
    fn default() -> Self {
        Self::new()
    }
}

/// A name of the calling thread: an address that is its own as long as it lives.
fn thread() -> usize {
    thread_local! {
        // A constant without a destructor: to look at it allocates nothing.
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| ptr::from_ref(here).addr())
}

/// What glibc keeps in front of each block, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEADER: usize = size_of::<usize>();

// SAFETY: glibc keeps the usable size of a block as long as the block is there; the size of a layout is fixed.
unsafe impl Measured for System {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe fn held(&self, block: *mut u8, _layout: Layout) -> usize {
        // SAFETY: under glibc `System` hands out blocks of malloc and the like, and the caller says that this one is live.
        HEADER + unsafe { libc::malloc_usable_size(block.cast()) }
    }

    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    unsafe fn held(&self, _block: *mut u8, layout: Layout) -> usize {
        layout.size()
    }
}

// SAFETY: every call goes to the allocator as it came; the counters touch no block and never allocate.
unsafe impl<A: Measured> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`, which is that of the allocator.
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
            // SAFETY: the caller hands over a live block of this allocator with its layout.
            self.live.fetch_sub(unsafe { self.inner.held(block, layout) }, Relaxed);
        }
        // SAFETY: as above; every block of this one is a block of the allocator.
        unsafe { self.inner.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let before = if self.counts() {
            // SAFETY: the caller hands over a live block of this allocator with its layout.
            unsafe { self.inner.held(block, layout) }
        } else {
            0
        };
        // SAFETY: as above, and the caller keeps the contract of `size`.
        let moved = unsafe { self.inner.realloc(block, layout, size) };
        if !moved.is_null() {
            self.live.fetch_sub(before, Relaxed);
        }
        // SAFETY: the alignment came with a valid layout, and `realloc` requires that the size fits it.
        self.made(moved, unsafe { Layout::from_size_align_unchecked(size, layout.align()) });
        moved
    }
}
