//! The background thread of a store in a directory: saves and rewrites that were requested or are due.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Directory;
use super::log::now;
use crate::persist::save::Control;
use crate::store::Shared;
use crate::sync::{Condvar, Mutex};

/// How often the thread checks whether a save is due.
const LOOK: Duration = Duration::from_millis(100);

/// The number of seconds after which a failed automatic save is retried: Redis's.
const RETRY: i64 = 5;

/// A task of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Saves the snapshot of the directory.
    Save,
    /// Rewrites the log.
    Rewrite,
}

/// The result of requesting a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// It starts now.
    Started,
    /// It starts once the other has ended, or after the transaction.
    Scheduled,
    /// It is already running.
    Running,
    /// The other task is running.
    OtherRunning,
}

/// The state of a task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    /// Whether it is requested.
    asked: bool,
    /// When it started, if it is running.
    since: Option<Instant>,
    /// Its progress, and its cancellation.
    pub(crate) control: Arc<Control>,
    /// How often it has succeeded, and how often in a row it has failed since.
    pub(crate) done: u64,
    pub(crate) failed: u64,
    /// The duration of the last run.
    pub(crate) took: Option<Duration>,
}

impl Job {
    /// Returns whether it is running, or about to start.
    pub(crate) const fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// Returns whether it waits for the other to end.
    pub(crate) const fn is_scheduled(&self) -> bool {
        self.asked && self.since.is_none()
    }

    /// Returns for how long it has been running.
    pub(crate) fn running(&self) -> Option<Duration> {
        self.since.map(|since| since.elapsed())
    }
}

/// The thread's state.
#[derive(Debug, Default)]
pub(crate) struct Background {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Debug, Default)]
struct State {
    save: Job,
    rewrite: Job,
    /// Whether there may be new work.
    woken: bool,
    closing: bool,
}

impl State {
    const fn job(&mut self, task: Task) -> &mut Job {
        match task {
            Task::Save => &mut self.save,
            Task::Rewrite => &mut self.rewrite,
        }
    }
}

impl Background {
    /// Wakes the thread to check for work.
    pub(super) fn wake(&self) {
        self.state.lock().woken = true;
        self.work.notify_one();
    }

    /// Makes the thread end, and cancels its task.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closing = true;
        for job in [&state.save, &state.rewrite] {
            job.control.cancel();
        }
        self.work.notify_one();
    }

    /// The state of a task.
    pub(crate) fn job(&self, task: Task) -> Job {
        self.state.lock().job(task).clone()
    }

    /// Requests a task. If it cannot start at once, it is scheduled if `schedule`; with `later` it is always scheduled.
    pub(crate) fn ask(&self, task: Task, schedule: bool, later: bool) -> Asked {
        let mut state = self.state.lock();
        let other = match task {
            Task::Save => state.rewrite.is_running(),
            Task::Rewrite => state.save.is_running(),
        };
        let job = state.job(task);
        if job.is_running() {
            return Asked::Running;
        }
        if other && !schedule && !later {
            return Asked::OtherRunning;
        }
        job.asked = true;
        if !other && !later {
            job.since = Some(now());
        }
        let asked = if other || later { Asked::Scheduled } else { Asked::Started };
        state.woken = true;
        self.work.notify_one();
        asked
    }

    /// Runs a task in the current thread.
    pub(super) fn run<R, E>(
        &self,
        task: Task,
        work: impl FnOnce(&Control) -> Result<R, E>,
    ) -> Result<R, E> {
        let control = {
            let mut state = self.state.lock();
            let closing = state.closing;
            let job = state.job(task);
            job.asked = false;
            job.since.get_or_insert_with(now);
            job.control = Arc::default();
            if closing {
                job.control.cancel();
            }
            Arc::clone(&job.control)
        };
        let done = work(&control);
        let mut state = self.state.lock();
        let job = state.job(task);
        job.took = job.since.take().map(|since| since.elapsed());
        if done.is_ok() {
            job.done += 1;
            job.failed = 0;
        } else {
            job.failed += 1;
        }
        done
    }

    /// The next requested task: one that was reported as started comes before scheduled ones.
    fn next(&self) -> Option<Task> {
        let state = self.state.lock();
        let asked = |job: &Job, begun: bool| job.asked && job.is_running() == begun;
        [true, false].into_iter().find_map(|begun| {
            let save = asked(&state.save, begun).then_some(Task::Save);
            save.or_else(|| asked(&state.rewrite, begun).then_some(Task::Rewrite))
        })
    }

    fn is_closing(&self) -> bool {
        self.state.lock().closing
    }

    /// Waits until there may be work.
    fn wait(&self, at_most: Option<Duration>) {
        let mut state = self.state.lock();
        if !state.closing && !state.woken {
            match at_most {
                Some(time) => {
                    self.work.wait_for(&mut state, time);
                }
                None => self.work.wait(&mut state),
            }
        }
        state.woken = false;
    }
}

impl Directory {
    /// Runs requested and due tasks until the directory is closed.
    pub(super) fn work(&self, shared: &Shared) {
        let mut failed_at = None;
        while !self.background.is_closing() {
            let due = || {
                let save = self.save_is_due(shared, failed_at).then_some(Task::Save);
                save.or_else(|| self.rewrite_is_due().then_some(Task::Rewrite))
            };
            // Errors are reported by INFO, and by the state of the log.
            match self.background.next().or_else(due) {
                Some(Task::Save) => {
                    let failed = self.save(shared).is_err();
                    failed_at = failed.then(|| shared.now_secs());
                }
                Some(Task::Rewrite) => {
                    if self.rewrite(shared).is_err()
                        && let Some(log) = &self.log
                    {
                        log.put_off();
                    }
                }
                None => {}
            }
            if self.background.next().is_none() {
                self.background.wait(self.look_again());
            }
        }
        self.end(shared);
    }

    /// Writes to disk what no log has.
    fn end(&self, shared: &Shared) {
        // An error was reported when the operation was tried before, or would have been by SAVE.
        match &self.log {
            Some(log) if log.is_cut_short() => {
                let _ = self.try_rewrite(shared, &Control::default());
            }
            None if shared.unsaved_changes() > 0 => {
                let _ = self.try_save(shared, &Control::default());
            }
            _ => {}
        }
    }

    /// When to check again, unless the thread is woken.
    fn look_again(&self) -> Option<Duration> {
        let saves = !self.settings.lock().save_points.is_empty();
        let retries = self.log.as_ref().is_some_and(super::Log::is_cut_short);
        (saves || retries).then_some(LOOK)
    }

    fn save_is_due(&self, shared: &Shared, failed_at: Option<i64>) -> bool {
        let now = shared.now_secs();
        if failed_at.is_some_and(|at| now.saturating_sub(at) <= RETRY) {
            return false;
        }
        let (changes, since) = (shared.unsaved_changes(), now.saturating_sub(shared.last_save()));
        self.settings.lock().save_points.iter().any(|point| {
            changes > 0
                && changes >= point.changes
                && u64::try_from(since).is_ok_and(|since| since > point.seconds)
        })
    }

    fn rewrite_is_due(&self) -> bool {
        self.log.as_ref().is_some_and(super::Log::is_to_be_rewritten)
    }
}
