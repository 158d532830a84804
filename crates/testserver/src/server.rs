//! A server: its listeners, its connections, and its shutdown.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use store::{Store, Sweeper};

use crate::connection::Connection;
use crate::listen::{Listen, Listener, Stream};

/// The interval at which expired keys are removed: Redis's default.
const SWEEP: Duration = Duration::from_millis(100);

/// A running server. Dropping it stops accepting connections and closes those of all clients.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    listeners: Vec<Arc<Listener>>,
    accepting: Vec<JoinHandle<()>>,
    _sweeper: Sweeper,
}

/// The state that the threads of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Store,
    streams: Mutex<HashMap<u64, Stream>>,
    last_id: AtomicU64,
    ending: AtomicBool,
    shut_down: Mutex<bool>,
    changed: Condvar,
}

impl Server {
    /// Serves `store` on these addresses.
    ///
    /// # Errors
    ///
    /// If the server cannot listen on a socket, or a thread cannot be started.
    pub fn start(store: &Store, listen: &Listen) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            store: store.clone(),
            streams: Mutex::default(),
            last_id: AtomicU64::new(0),
            ending: AtomicBool::new(false),
            shut_down: Mutex::new(false),
            changed: Condvar::new(),
        });
        let listeners: Vec<Arc<Listener>> = listen.open()?.into_iter().map(Arc::new).collect();
        let sweeper = store.sweeper(SWEEP).map_err(io::Error::other)?;
        let mut server = Self { shared, listeners, accepting: Vec::new(), _sweeper: sweeper };
        for listener in &server.listeners {
            let (shared, listener) = (server.shared.clone(), listener.clone());
            let accept = move || accept(&shared, &listener);
            server.accepting.push(thread::Builder::new().name("accept".to_owned()).spawn(accept)?);
        }
        Ok(server)
    }

    /// The port that it listens on, if any.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.listeners.iter().find_map(|listener| listener.port())
    }

    /// Waits until a client sends SHUTDOWN.
    pub fn wait(&self) {
        let mut shut_down = self.shared.shut_down.lock();
        while !*shut_down {
            self.shared.changed.wait(&mut shut_down);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::SeqCst);
        for listener in &self.listeners {
            listener.knock();
        }
        for thread in self.accepting.drain(..) {
            // The panic of a thread has printed its message.
            let _ = thread.join();
        }
        for stream in self.shared.streams.lock().values() {
            stream.hang_up();
        }
    }
}

impl Shared {
    /// Ends [`Server::wait`].
    pub(crate) fn shut_down(&self) {
        *self.shut_down.lock() = true;
        self.changed.notify_all();
    }
}

fn accept(shared: &Arc<Shared>, listener: &Listener) {
    loop {
        let stream = listener.accept();
        if shared.ending.load(Ordering::SeqCst) {
            return;
        }
        // The client may have disconnected before it was accepted.
        let Ok(stream) = stream else { continue };
        let id = shared.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let Ok(kept) = stream.try_clone() else { continue };
        shared.streams.lock().insert(id, kept);
        let of_thread = shared.clone();
        let serve = move || {
            Connection::new(&of_thread, stream).run();
            of_thread.streams.lock().remove(&id);
        };
        if thread::Builder::new().name(format!("client {id}")).spawn(serve).is_err() {
            shared.streams.lock().remove(&id);
        }
    }
}
