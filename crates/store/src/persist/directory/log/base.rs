//! Continuing a log after a new base, also after it was truncated.

use std::io;
use std::mem;
use std::sync::Arc;

use aof::LogWriter;

use super::super::cut::Cut;
use super::super::settings::OnLogError;
use super::super::tail::Tail;
use super::{Held, Log, SECOND, now};
use crate::sync::atomic::Ordering;

impl Log {
    /// Switches the following effects to another file, which `list` adds to the manifest. Every stripe of the store is
    /// locked.
    pub(in crate::persist::directory) fn cut(
        &self,
        tail: Tail,
        list: impl FnMut() -> io::Result<()> + Send + 'static,
    ) {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        // The new file starts without a selected database.
        state.writer = LogWriter::new();
        if mem::take(&mut state.is_cut_short) {
            state.held = Some(Held { tail, before: mem::take(&mut state.buffer) });
        } else {
            state.cut = Some(Cut::new(state.buffer.len(), tail, Box::new(list)));
        }
    }

    /// Ends the log before a change that is not in it: it cannot be written until it is rewritten.
    pub(crate) fn cut_short(&self, why: &'static str) {
        let mut state = self.state.lock();
        state.is_cut_short = true;
        state.error = Some(Arc::new(io::Error::other(why)));
        self.refuses.store(self.on_error == OnLogError::RefuseWrites, Ordering::Relaxed);
        self.background.wake();
    }

    /// Notes that a base is in the manifest, its size, and the size of the log at which to rewrite it next. A truncated
    /// log continues after it.
    pub(in crate::persist::directory) fn has_base(&self, size: u64, rewrite_at: u64) {
        let mut state = self.state.lock();
        let mut tail = loop {
            if let Some(tail) = state.tail.take() {
                break tail;
            }
            self.done.wait(&mut state);
        };
        if let Some(held) = state.held.take() {
            tail = held.tail;
            if !state.is_cut_short {
                state.error = None;
                self.refuses.store(false, Ordering::Relaxed);
            }
        }
        state.base = size;
        state.size = size + tail.len() + state.buffer.len() as u64;
        state.rewrite_at = rewrite_at;
        state.tail = Some(tail);
        self.done.end(&state);
    }

    /// Notes that writing a base failed: a truncated log stays truncated.
    pub(in crate::persist::directory) fn has_no_base(&self) {
        let mut state = self.state.lock();
        if let Some(held) = state.held.take() {
            state.is_cut_short = true;
            state.buffer = held.before;
            self.background.wake();
        }
    }

    /// Returns whether the log is truncated, until it is rewritten.
    pub(in crate::persist::directory) fn is_cut_short(&self) -> bool {
        self.state.lock().is_cut_short
    }

    /// Returns whether the log has grown so much that it should be rewritten, or is truncated.
    pub(in crate::persist::directory) fn is_to_be_rewritten(&self) -> bool {
        let state = self.state.lock();
        if state.is_cut_short {
            state.not_rewritten.is_none_or(|at| at.elapsed() >= SECOND)
        } else {
            state.size >= state.rewrite_at
        }
    }

    /// Doubles the size at which the log is rewritten, after a failed rewrite.
    pub(in crate::persist::directory) fn put_off(&self) {
        let mut state = self.state.lock();
        state.not_rewritten = Some(now());
        state.rewrite_at = state.size.saturating_mul(2);
    }

    /// Sets the size at which the log is rewritten, in bytes.
    pub(in crate::persist::directory) fn set_rewrite_at(&self, rewrite_at: u64) {
        self.state.lock().rewrite_at = rewrite_at;
        self.background.wake();
    }

    /// Finishes an earlier rewrite: switches to its new file, or discards that if the log ends before it.
    pub(in crate::persist::directory) fn end_cut(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        while state.tail.is_none() {
            self.done.wait(&mut state);
        }
        if state.is_cut_short {
            state.cut = None;
            return Ok(());
        }
        drop(state);
        self.pass_cut()
    }

    /// Switches to the file that a cut has begun.
    pub(in crate::persist::directory) fn pass_cut(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        let mut tried = false;
        while state.cut.is_some() || state.tail.is_none() {
            if state.tail.is_none() {
                self.done.wait(&mut state);
                continue;
            }
            if tried && let Some(error) = &state.error {
                return Err(io::Error::new(error.kind(), Arc::clone(error)));
            }
            tried = true;
            self.flush(&mut state, true);
        }
        Ok(())
    }
}
