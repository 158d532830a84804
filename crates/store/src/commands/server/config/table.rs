//! The settings of Redis 7.2: names, kind, default, and where the value is stored.

use super::form::{Form, Kind};
use super::special::{BUFFERS, buffers, events, file_name, oom_scores, percentiles, save};
use crate::commands::STRING_MAX;
use crate::limits::Limits;
use crate::store::Shared;

/// A setting, by Redis's name.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) name: &'static str,
    /// The name in older versions, which is an alias.
    pub(super) old: Option<&'static str>,
    pub(super) kind: Kind,
    pub(super) place: Place,
    pub(super) marks: Marks,
}

/// Where the value of a setting is stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In the limits. It takes effect.
    Limit(Field),
    /// In the limits, as a signed number.
    Signed(fn(&mut Limits) -> &mut isize),
    /// Set when the store is built. It takes effect.
    Fixed(fn(&Shared) -> usize),
    /// Recorded without effect, with this default.
    Text(&'static str),
    Number(i64),
}

/// Returns a field of the limits.
pub(super) type Field = fn(&mut Limits) -> &mut usize;

/// What CONFIG refuses or hides for a setting.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each stands for itself")]
pub(super) struct Marks {
    /// CONFIG SET refuses it.
    pub(super) fixed: bool,
    /// CONFIG SET refuses it unless `enable-protected-configs` is set.
    pub(super) protected: bool,
    /// CONFIG GET returns it only for its exact name.
    pub(super) hidden: bool,
    /// The same, in servers of 7.2 only.
    pub(super) hidden_in_72: bool,
    /// Servers before 7.2 do not have it.
    pub(super) since_72: bool,
}

const INT: i64 = i32::MAX as i64;
const UINT: u64 = u32::MAX as u64;
const LONG: i64 = i64::MAX;

const fn new(name: &'static str, kind: Kind, place: Place) -> Setting {
    let marks = Marks {
        fixed: false,
        protected: false,
        hidden: false,
        hidden_in_72: false,
        since_72: false,
    };
    Setting { name, old: None, kind, place, marks }
}

const fn flag(name: &'static str, yes: bool) -> Setting {
    new(name, Kind::Flag, Place::Text(if yes { "yes" } else { "no" }))
}

const fn text(name: &'static str, default: &'static str) -> Setting {
    new(name, Kind::Text, Place::Text(default))
}

const fn one_of(
    name: &'static str,
    names: &'static [&'static str],
    default: &'static str,
) -> Setting {
    new(name, Kind::OneOf(names), Place::Text(default))
}

const fn several(name: &'static str, names: &'static [&'static str]) -> Setting {
    new(name, Kind::Several(names), Place::Text(names[0]))
}

const fn special(name: &'static str, read: super::special::Read, default: &'static str) -> Setting {
    new(name, Kind::Special(read), Place::Text(default))
}

const fn int(name: &'static str, low: i64, high: i64, default: i64) -> Setting {
    new(name, Kind::Signed(Form::Integer, low, high), Place::Number(default))
}

const fn memory(name: &'static str, low: i64, high: i64, default: i64) -> Setting {
    new(name, Kind::Signed(Form::Memory, low, high), Place::Number(default))
}

const fn uint(name: &'static str, low: u64, high: u64, default: i64) -> Setting {
    new(name, Kind::Unsigned(Form::Integer, low, high), Place::Number(default))
}

const fn umemory(name: &'static str, low: u64, high: u64, default: i64) -> Setting {
    new(name, Kind::Unsigned(Form::Memory, low, high), Place::Number(default))
}

const fn octal(name: &'static str, high: u64) -> Setting {
    new(name, Kind::Unsigned(Form::Octal, 0, high), Place::Number(0))
}

const fn limit(name: &'static str, form: Form, limit: Field) -> Setting {
    new(name, Kind::Unsigned(form, 0, LONG.unsigned_abs()), Place::Limit(limit))
}

impl Setting {
    const fn old(mut self, name: &'static str) -> Self {
        self.old = Some(name);
        self
    }

    const fn percent(mut self) -> Self {
        if let Kind::Signed(_, low, high) = self.kind {
            self.kind = Kind::Signed(Form::MemoryOrPercent, low, high);
        }
        self
    }

    const fn fixed(mut self) -> Self {
        self.marks.fixed = true;
        self
    }

    const fn protected(mut self) -> Self {
        self.marks.protected = true;
        self
    }

    const fn hidden(mut self) -> Self {
        self.marks.hidden = true;
        self
    }

    const fn hidden_in_72(mut self) -> Self {
        self.marks.hidden_in_72 = true;
        self
    }

    const fn since_72(mut self) -> Self {
        self.marks.since_72 = true;
        self
    }
}

const DATABASES: Setting = new(
    "databases",
    Kind::Signed(Form::Integer, 1, INT),
    Place::Fixed(|shared| usize::try_from(shared.databases()).unwrap_or(usize::MAX)),
)
.fixed();

const PROTO_MAX_BULK_LEN: Setting = new(
    "proto-max-bulk-len",
    Kind::Signed(Form::Memory, 1 << 20, LONG),
    Place::Fixed(|_| STRING_MAX),
)
.fixed();

const DISKLESS_LOADS: &[&str] = &["disabled", "on-empty-db", "swapdb"];
const ENDPOINTS: &[&str] = &["ip", "hostname", "unknown-endpoint"];
const FACILITIES: &[&str] =
    &["user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"];
const LOG_LEVELS: &[&str] = &["debug", "verbose", "notice", "warning", "nothing"];
const OOM_SCORES: &[&str] = &["no", "yes", "relative", "absolute"];
const POLICIES: &[&str] = &[
    "volatile-lru",
    "volatile-lfu",
    "volatile-random",
    "volatile-ttl",
    "allkeys-lru",
    "allkeys-lfu",
    "allkeys-random",
    "noeviction",
];
const PROPAGATION: &[&str] = &["ignore", "panic", "panic-on-replicas"];
const PROTECTED_ACTIONS: &[&str] = &["no", "yes", "local"];
const PUBSUB: &[&str] = &["allchannels", "resetchannels"];
const SANITIZED: &[&str] = &["no", "yes", "clients"];
const SHUTDOWNS: &[&str] = &["default", "save", "nosave", "now", "force"];
const SUPERVISORS: &[&str] = &["upstart", "systemd", "auto", "no"];
const SYNCS: &[&str] = &["everysec", "always", "no"];
const TLS_CLIENTS: &[&str] = &["no", "yes", "optional"];

/// Every setting, by name.
#[rustfmt::skip]
pub(super) const SETTINGS: &[Setting] = &[
    one_of("acl-pubsub-default", PUBSUB, "resetchannels"),
    text("aclfile", "").fixed(),
    int("acllog-max-len", 0, LONG, 128),
    int("active-defrag-cycle-max", 1, 99, 25),
    int("active-defrag-cycle-min", 1, 99, 1),
    umemory("active-defrag-ignore-bytes", 1, LONG.unsigned_abs(), 100 << 20),
    int("active-defrag-max-scan-fields", 1, LONG, 1000),
    int("active-defrag-threshold-lower", 0, 1000, 10),
    int("active-defrag-threshold-upper", 0, 1000, 100),
    int("active-expire-effort", 1, 10, 1),
    flag("activedefrag", false),
    flag("activerehashing", true),
    flag("always-show-logo", false).fixed(),
    flag("aof-disable-auto-gc", false).hidden_in_72(),
    flag("aof-load-truncated", true),
    flag("aof-rewrite-incremental-fsync", true),
    flag("aof-timestamp-enabled", false),
    flag("aof-use-rdb-preamble", true),
    text("aof_rewrite_cpulist", "").fixed(),
    text("appenddirname", "appendonlydir").fixed(),
    text("appendfilename", "appendonly.aof").fixed(),
    one_of("appendfsync", SYNCS, "everysec"),
    flag("appendonly", false),
    memory("auto-aof-rewrite-min-size", 0, LONG, 64 << 20),
    int("auto-aof-rewrite-percentage", 0, INT, 100),
    text("bgsave_cpulist", "").fixed(),
    text("bind", "* -::*"),
    text("bind-source-addr", ""),
    text("bio_cpulist", "").fixed(),
    int("busy-reply-threshold", 0, LONG, 5000).old("lua-time-limit"),
    special("client-output-buffer-limit", buffers, BUFFERS),
    umemory("client-query-buffer-limit", 1 << 20, LONG.unsigned_abs(), 1 << 30),
    flag("cluster-allow-pubsubshard-when-down", true),
    flag("cluster-allow-reads-when-down", false),
    flag("cluster-allow-replica-migration", true),
    int("cluster-announce-bus-port", 0, 65_535, 0),
    text("cluster-announce-hostname", ""),
    text("cluster-announce-human-nodename", "").since_72(),
    text("cluster-announce-ip", ""),
    int("cluster-announce-port", 0, 65_535, 0),
    int("cluster-announce-tls-port", 0, 65_535, 0),
    text("cluster-config-file", "nodes.conf").fixed(),
    flag("cluster-enabled", false).fixed(),
    umemory("cluster-link-sendbuf-limit", 0, u64::MAX, 0),
    int("cluster-migration-barrier", 0, INT, 1),
    int("cluster-node-timeout", 0, LONG, 15_000),
    int("cluster-ping-interval", 0, LONG, 0).hidden().since_72(),
    int("cluster-port", 0, 65_535, 0).fixed(),
    one_of("cluster-preferred-endpoint-type", ENDPOINTS, "ip"),
    flag("cluster-replica-no-failover", false).old("cluster-slave-no-failover"),
    int("cluster-replica-validity-factor", 0, INT, 10).old("cluster-slave-validity-factor"),
    flag("cluster-require-full-coverage", true),
    flag("crash-log-enabled", true),
    flag("crash-memcheck-enabled", true),
    flag("daemonize", false).fixed(),
    DATABASES,
    special("dbfilename", file_name, "dump.rdb").protected(),
    text("dir", "").protected(),
    flag("disable-thp", true).fixed(),
    flag("dynamic-hz", true),
    one_of("enable-debug-command", PROTECTED_ACTIONS, "no").fixed(),
    one_of("enable-module-command", PROTECTED_ACTIONS, "no").fixed(),
    one_of("enable-protected-configs", PROTECTED_ACTIONS, "no").fixed(),
    limit("hash-max-listpack-entries", Form::Integer, |all| &mut all.hash_max_listpack_entries).old("hash-max-ziplist-entries"),
    limit("hash-max-listpack-value", Form::Memory, |all| &mut all.hash_max_listpack_value).old("hash-max-ziplist-value"),
    limit("hll-sparse-max-bytes", Form::Memory, |all| &mut all.hll_sparse_max_bytes),
    int("hz", 0, INT, 10),
    text("ignore-warnings", ""),
    int("io-threads", 1, 128, 1).fixed(),
    flag("io-threads-do-reads", false).fixed(),
    flag("jemalloc-bg-thread", true),
    int("key-load-delay", -INT - 1, INT, 0).hidden(),
    int("latency-monitor-threshold", 0, LONG, 0),
    flag("latency-tracking", true),
    special("latency-tracking-info-percentiles", percentiles, "50 99 99.9"),
    flag("lazyfree-lazy-eviction", false),
    flag("lazyfree-lazy-expire", false),
    flag("lazyfree-lazy-server-del", false),
    flag("lazyfree-lazy-user-del", false),
    flag("lazyfree-lazy-user-flush", false),
    int("lfu-decay-time", 0, INT, 1),
    int("lfu-log-factor", 0, INT, 10),
    new("list-compress-depth", Kind::Signed(Form::Integer, 0, INT), Place::Limit(|all| &mut all.list_compress_depth)),
    new("list-max-listpack-size", Kind::Signed(Form::Integer, -INT - 1, INT), Place::Signed(|all| &mut all.list_max_listpack_size)).old("list-max-ziplist-size"),
    int("loading-process-events-interval-bytes", 1024, INT, 2 << 20).hidden(),
    text("locale-collate", "").since_72(),
    text("logfile", "").fixed(),
    one_of("loglevel", LOG_LEVELS, "notice"),
    text("masterauth", ""),
    text("masteruser", ""),
    uint("maxclients", 1, UINT, 10_000),
    umemory("maxmemory", 0, u64::MAX, 0),
    memory("maxmemory-clients", -100, LONG, 0).percent(),
    int("maxmemory-eviction-tenacity", 0, 100, 10),
    one_of("maxmemory-policy", POLICIES, "noeviction"),
    int("maxmemory-samples", 1, INT, 5),
    int("min-replicas-max-lag", 0, INT, 10).old("min-slaves-max-lag"),
    int("min-replicas-to-write", 0, INT, 0).old("min-slaves-to-write"),
    flag("no-appendfsync-on-rewrite", false),
    special("notify-keyspace-events", events, ""),
    one_of("oom-score-adj", OOM_SCORES, "no"),
    special("oom-score-adj-values", oom_scores, "0 200 800"),
    text("pidfile", "").fixed(),
    int("port", 0, 65_535, 6379),
    text("proc-title-template", "{title} {listen-addr} {server-mode}"),
    one_of("propagation-error-behavior", PROPAGATION, "ignore"),
    flag("protected-mode", true),
    PROTO_MAX_BULK_LEN,
    flag("rdb-del-sync-files", false),
    int("rdb-key-save-delay", -INT - 1, INT, 0).hidden(),
    flag("rdb-save-incremental-fsync", true),
    flag("rdbchecksum", true).fixed(),
    flag("rdbcompression", true),
    memory("repl-backlog-size", 1, LONG, 1 << 20),
    int("repl-backlog-ttl", 0, LONG, 3600),
    flag("repl-disable-tcp-nodelay", false),
    one_of("repl-diskless-load", DISKLESS_LOADS, "disabled"),
    flag("repl-diskless-sync", true),
    int("repl-diskless-sync-delay", 0, INT, 5),
    int("repl-diskless-sync-max-replicas", 0, INT, 0),
    int("repl-ping-replica-period", 1, INT, 10).old("repl-ping-slave-period"),
    int("repl-timeout", 1, INT, 60),
    text("replica-announce-ip", "").old("slave-announce-ip"),
    int("replica-announce-port", 0, 65_535, 0).old("slave-announce-port"),
    flag("replica-announced", true),
    flag("replica-ignore-disk-write-errors", false),
    flag("replica-ignore-maxmemory", true).old("slave-ignore-maxmemory"),
    flag("replica-lazy-flush", false).old("slave-lazy-flush"),
    int("replica-priority", 0, INT, 100).old("slave-priority"),
    flag("replica-read-only", true).old("slave-read-only"),
    flag("replica-serve-stale-data", true).old("slave-serve-stale-data"),
    text("replicaof", "").old("slaveof").fixed(),
    text("requirepass", ""),
    one_of("sanitize-dump-payload", SANITIZED, "no"),
    special("save", save, "3600 1 300 100 60 10000"),
    text("server_cpulist", "").fixed(),
    limit("set-max-intset-entries", Form::Integer, |all| &mut all.set_max_intset_entries),
    limit("set-max-listpack-entries", Form::Integer, |all| &mut all.set_max_listpack_entries).since_72(),
    limit("set-max-listpack-value", Form::Integer, |all| &mut all.set_max_listpack_value).since_72(),
    flag("set-proc-title", true).fixed(),
    several("shutdown-on-sigint", SHUTDOWNS),
    several("shutdown-on-sigterm", SHUTDOWNS),
    int("shutdown-timeout", 0, INT, 10),
    int("slowlog-log-slower-than", -1, LONG, 10_000),
    int("slowlog-max-len", 0, LONG, 128),
    uint("socket-mark-id", 0, UINT, 0).fixed(),
    flag("stop-writes-on-bgsave-error", true),
    umemory("stream-node-max-bytes", 0, LONG.unsigned_abs(), 4096),
    int("stream-node-max-entries", 0, LONG, 100),
    one_of("supervised", SUPERVISORS, "no").fixed(),
    flag("syslog-enabled", false).fixed(),
    one_of("syslog-facility", FACILITIES, "local0").fixed(),
    text("syslog-ident", "redis").fixed(),
    int("tcp-backlog", 0, INT, 511).fixed(),
    int("tcp-keepalive", 0, INT, 300),
    int("timeout", 0, INT, 0),
    one_of("tls-auth-clients", TLS_CLIENTS, "yes"),
    text("tls-ca-cert-dir", ""),
    text("tls-ca-cert-file", ""),
    text("tls-cert-file", ""),
    text("tls-ciphers", ""),
    text("tls-ciphersuites", ""),
    text("tls-client-cert-file", ""),
    text("tls-client-key-file", ""),
    text("tls-client-key-file-pass", ""),
    flag("tls-cluster", false),
    text("tls-dh-params-file", ""),
    text("tls-key-file", ""),
    text("tls-key-file-pass", ""),
    int("tls-port", 0, 65_535, 0),
    flag("tls-prefer-server-ciphers", false),
    text("tls-protocols", ""),
    flag("tls-replication", false),
    int("tls-session-cache-size", 0, INT, 20 << 10),
    int("tls-session-cache-timeout", 0, INT, 300),
    flag("tls-session-caching", true),
    uint("tracking-table-max-keys", 0, LONG.unsigned_abs(), 1_000_000),
    text("unixsocket", "").fixed(),
    octal("unixsocketperm", 0o777).fixed(),
    flag("use-exit-on-panic", false).hidden(),
    int("watchdog-period", 0, INT, 0).hidden(),
    limit("zset-max-listpack-entries", Form::Integer, |all| &mut all.zset_max_listpack_entries).old("zset-max-ziplist-entries"),
    limit("zset-max-listpack-value", Form::Memory, |all| &mut all.zset_max_listpack_value).old("zset-max-ziplist-value"),
];
