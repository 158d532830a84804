//! What a store that is kept in a directory does by a thread of its own: saves and rewrites that were asked for, or that are due.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Directory;
use super::log::now;
use crate::persist::save::Control;
use crate::store::Shared;
use crate::sync::{Condvar, Mutex};

/// How often it is looked whether a save is due.
const LOOK: Duration = Duration::from_millis(100);

/// After how many seconds a save that failed is tried again by itself: Redis's.
const RETRY: i64 = 5;

/// What the thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Saves the snapshot of the directory.
    Save,
    /// Rewrites the log.
    Rewrite,
}

/// What becomes of a task that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// It begins now.
    Started,
    /// It begins once the other has ended, or after the transaction.
    Scheduled,
    /// It runs already.
    Running,
    /// The other runs.
    OtherRunning,
}

/// What is known of a task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    /// It is to be done.
    asked: bool,
    /// Since when it runs.
    since: Option<Instant>,
    /// How far it is, and how it is ended.
    pub(crate) control: Arc<Control>,
    /// How often it has been done, and how often in a row it has failed since.
    pub(crate) done: u64,
    pub(crate) failed: u64,
    /// How long the last one took.
    pub(crate) took: Option<Duration>,
}

impl Job {
    /// Whether it runs, or is about to.
    pub(crate) const fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// Whether it waits for the other to end.
    pub(crate) const fn is_scheduled(&self) -> bool {
        self.asked && self.since.is_none()
    }

    /// For how long it has run.
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
    /// There may be something new to do.
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
    /// Lets the thread look for what is to be done.
    pub(super) fn wake(&self) {
        self.state.lock().woken = true;
        self.work.notify_one();
    }

    /// Lets the thread end, and what it does with it.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closing = true;
        for job in [&state.save, &state.rewrite] {
            job.control.cancel();
        }
        self.work.notify_one();
    }

    /// What is known of a task.
    pub(crate) fn job(&self, task: Task) -> Job {
        self.state.lock().job(task).clone()
    }

    /// Asks for a task. It is scheduled where it cannot begin at once if `schedule`, and in any case if `later`.
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

    /// Does a task, in whatever thread this is.
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

    /// The next task that was asked for: one that has been answered to have begun before the others.
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

    /// Waits until there may be something to do.
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
    /// Does what is asked for or due until the directory is closed.
    pub(super) fn work(&self, shared: &Shared) {
        let mut failed_at = None;
        while !self.background.is_closing() {
            let due = || {
                let save = self.save_is_due(shared, failed_at).then_some(Task::Save);
                save.or_else(|| self.rewrite_is_due().then_some(Task::Rewrite))
            };
            // What fails is told by INFO, and by what the log does then.
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

    /// Puts on the disk what no log has.
    fn end(&self, shared: &Shared) {
        // What cannot be done has been told when it was tried before, or would have been by SAVE.
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

    /// When it is to be looked again, if nothing wakes the thread.
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
