//! The builder of a store.

use std::mem;
use std::path::{self, Path};
use std::sync::Arc;

use ahash::RandomState;

use super::locks::Striped;
use super::random::Random;
use super::scripts::Scripts;
use super::shared::Padded;
use super::stripe::Stripe;
use super::time::TimeSource;
use super::{Shared, Sink, Store};
use crate::clock::{Clock, SystemClock};
use crate::commands::begin_with;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limits, Remembered, Settings};
use crate::persist::{Persistence, open};
use crate::processors::processors;
use crate::profile::Profile;
use crate::script::Script;
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use crate::sync::{Mutex, RwLock};

/// Configures and builds a [`Store`]: limits, profile, clock, stripes, sinks and seeds.
#[derive(Debug)]
pub struct StoreBuilder {
    limits: Limits,
    remembered: Remembered,
    profile: Profile,
    databases: u32,
    clock: Arc<dyn Clock>,
    stripe_bits: u8,
    hash_seed: Option<u64>,
    random_seed: Option<u64>,
    sinks: Vec<Arc<dyn Sink>>,
    scripts: Scripts,
    persistence: Persistence,
}

impl Default for StoreBuilder {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            remembered: Remembered::new(),
            profile: Profile::default(),
            databases: 16,
            clock: Arc::new(SystemClock),
            stripe_bits: bits_for(default_stripes()),
            hash_seed: None,
            random_seed: None,
            sinks: Vec::new(),
            scripts: Scripts::default(),
            persistence: Persistence::default(),
        }
    }
}

impl StoreBuilder {
    /// Sets the limits at which values change their encoding. Default: Redis's.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the release series whose bytes and replies the store follows. Default: Redis 7.2.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Sets the number of databases for commands that are called by words: SELECT, MOVE and others refuse higher
    /// numbers. Default: 16, as in Redis. [`Store::db`] and the typed methods accept any number.
    #[must_use]
    pub fn databases(mut self, count: u32) -> Self {
        self.databases = count;
        self
    }

    /// Applies a setting as in Redis's configuration file, also one that CONFIG SET refuses. `databases`, the limits
    /// and, for a store that is [opened](Self::open), those of [`Persistence`] take effect; the others are only
    /// returned by CONFIG GET.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if servers of the profile do not have the setting, or the value
    /// is not valid for it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let builder = Store::builder().setting("zset-max-ziplist-entries", "2")?.setting("port", "7000")?;
    /// let store = builder.build();
    /// assert_eq!(store.limits().zset_max_listpack_entries, 2);
    /// let port: Vec<(String, u16)> = store.execute(&["CONFIG", "GET", "port"]).convert()?;
    /// assert_eq!(port, [("port".to_owned(), 7000)]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn setting(mut self, name: &str, value: impl AsRef<[u8]>) -> Result<Self> {
        let (limits, remembered) = (&mut self.limits, &mut self.remembered);
        let (name, databases) = begin_with(self.profile, name, value.as_ref(), limits, remembered)?;
        self.databases = databases.unwrap_or(self.databases);
        if let Some(value) = self.remembered.get(name) {
            self.persistence.set(name, &String::from_utf8_lossy(value));
        }
        Ok(self)
    }

    /// Sets the source of the time. Default: the system clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the number of lock stripes: rounded up to a power of two, at most 65,536. Default: 16 per CPU, at least 64.
    ///
    /// Commands on keys of different stripes never wait for each other. An empty stripe takes 256 bytes.
    #[must_use]
    pub fn stripes(mut self, count: usize) -> Self {
        self.stripe_bits = bits_for(count);
        self
    }

    /// Fixes the hash seed, and with it the order in which keys and members are iterated.
    ///
    /// By default every store has a random seed, so that clients cannot choose keys that collide. Use this only in
    /// tests.
    #[must_use]
    pub fn hash_seed(mut self, seed: u64) -> Self {
        self.hash_seed = Some(seed);
        self
    }

    /// Fixes the RNG seed of SPOP, SRANDMEMBER and RANDOMKEY. By default every store has a random seed.
    #[must_use]
    pub fn random_seed(mut self, seed: u64) -> Self {
        self.random_seed = Some(seed);
        self
    }

    /// Adds a sink that receives every change.
    #[must_use]
    pub fn sink(mut self, sink: Arc<dyn Sink>) -> Self {
        self.sinks.push(sink);
        self
    }

    /// Registers scripts from the start, as [`Store::add_scripts`] does later. Logs of servers that logged scripts can
    /// only be [opened](Self::open) if their scripts are registered.
    #[must_use]
    pub fn scripts(self, scripts: impl IntoIterator<Item = &'static Script>) -> Self {
        self.scripts.add(scripts);
        self
    }

    /// Sets how the store is kept on disk if it is [opened](Self::open), and the disk for its saves and loads.
    #[must_use]
    pub fn persistence(mut self, persistence: Persistence) -> Self {
        self.persistence = persistence;
        self
    }

    /// Builds an empty store, in memory only.
    #[must_use]
    pub fn build(self) -> Store {
        Store::of(self.into_shared())
    }

    /// Opens the store in a directory and keeps it there: see [`Store::open`].
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn open(mut self, directory: impl AsRef<Path>) -> Result<Store> {
        // Reading the directory is not a change, so sinks do not receive it.
        let sinks = mem::take(&mut self.sinks);
        let path = path::absolute(directory).map_err(|error| {
            Error::caused(ErrorKind::Io, format!("cannot open the directory: {error}"), error)
        })?;
        let persistence = self.persistence.clone();
        let settings = persistence.settings().into_iter();
        let dir = ("dir", path.to_string_lossy().into_owned());
        for (name, value) in settings.chain([dir]) {
            self.remembered.insert(name, value.into_bytes().into());
        }
        let store = self.build();
        let mut open = open(&store, &path, &persistence)?;
        let Striped { mut shared, db, .. } = store.locks;
        let Some(alone) = Arc::get_mut(&mut shared) else {
            unreachable!("the loader keeps no handle on the store")
        };
        alone.sinks = sinks;
        alone.directory = Some(Arc::clone(open.directory()));
        open.start(&shared)?;
        Ok(Store::on(Striped { shared, db, open: Some(Arc::new(open)) }))
    }

    fn into_shared(self) -> Shared {
        /// The number of stores that this process has built, plus one.
        static STORES: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        let stripes = (0..1usize << self.stripe_bits)
            .map(|_| Padded::new(Stripe::new(self.stripe_bits)))
            .collect();
        let hasher = self.hash_seed.map_or_else(RandomState::new, |seed| {
            RandomState::with_seeds(seed, !seed, seed.rotate_left(32), seed ^ 0x9e37_79b9_7f4a_7c15)
        });
        // The hash of any number by a new hasher is as random as its keys.
        let seed = self.random_seed.unwrap_or_else(|| RandomState::new().hash_one(0));
        Shared {
            id: STORES.fetch_add(1, Ordering::Relaxed),
            stripes,
            stripe_bits: self.stripe_bits,
            hasher,
            settings: Settings::new(self.limits, self.remembered),
            profile: self.profile,
            databases: self.databases,
            sessions: AtomicU64::new(0),
            time: TimeSource::new(self.clock),
            random: Random::new(seed),
            sinks: self.sinks,
            scripts: Arc::new(self.scripts),
            swept: Mutex::default(),
            saved: AtomicU64::new(0),
            last_save: AtomicI64::new(0),
            active_expire: AtomicBool::new(true),
            extras: RwLock::default(),
            snapshot: Mutex::default(),
            disk: self.persistence.disk,
            directory: None,
        }
    }
}

/// Enough stripes that threads on different keys seldom share a stripe or its cache lines, and few enough that the
/// tables of each are well filled.
fn default_stripes() -> usize {
    (16 * processors()).max(64)
}

fn bits_for(stripes: usize) -> u8 {
    let stripes = stripes.clamp(1, 1 << 16).next_power_of_two();
    u8::try_from(stripes.trailing_zeros()).unwrap_or(0)
}
