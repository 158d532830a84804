//! The machine on which a report was made.

use std::process::Command;
use std::thread::available_parallelism;
use std::{env, fs};

use serde::{Deserialize, Serialize};
use tallis_cli::machine::{extensions, or_unknown, processor};

use super::Caches;

/// The machine and the tools, on which every figure depends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model, as the kernel knows it.
    pub processor: String,
    /// Vector extensions that the kernels may use.
    pub extensions: String,
    /// The number of hardware threads.
    pub threads: usize,
    /// The operating system and its version.
    pub kernel: String,
    /// The compiler's version.
    pub rustc: String,
    /// The caches of one processor; unknown in older runs.
    #[serde(default)]
    pub caches: Caches,
}

impl Machine {
    /// Returns this machine. A value that cannot be read is "unknown".
    #[must_use]
    pub fn here() -> Self {
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Self {
            processor: processor(),
            extensions: extensions(),
            threads: available_parallelism().map_or(1, usize::from),
            kernel: format!("{} {}, {}", env::consts::OS, or_unknown(&kernel), env::consts::ARCH),
            rustc: or_unknown(&output_of("rustc", &["--version"])),
            caches: Caches::here(),
        }
    }

    /// Returns `true` if the other machine is the same, as far as both are known.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let caches = [&self.caches, &other.caches];
        let known = !caches.iter().any(|caches| caches.are_unknown());
        let same = Self { caches: self.caches.clone(), ..other.clone() };
        *self == same && (!known || caches[0] == caches[1])
    }

    /// Returns names and values for display.
    #[must_use]
    pub fn lines(&self) -> [(&'static str, String); 5] {
        [
            ("processor", format!("{}, {} threads", self.processor, self.threads)),
            ("caches", self.caches.to_string()),
            ("vector extensions", self.extensions.clone()),
            ("system", self.kernel.clone()),
            ("compiler", self.rustc.clone()),
        ]
    }
}

fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{Cache, Caches};
    use super::Machine;

    #[test]
    fn unknown_caches_are_not_a_difference() {
        let of = |caches: &[u64]| {
            let caches = caches.iter().map(|&bytes| Cache { level: 1, bytes }).collect();
            Machine { caches: Caches::new(caches), ..Machine::here() }
        };
        assert!(of(&[]).is_like(&of(&[32])) && of(&[32]).is_like(&of(&[])));
        assert!(of(&[32]).is_like(&of(&[32])) && !of(&[32]).is_like(&of(&[48])));
        let other = Machine { threads: 77, ..of(&[]) };
        assert!(!of(&[]).is_like(&other));
    }

    #[test]
    fn this_machine_has_a_name_for_everything() {
        let machine = Machine::here();
        assert!(machine.threads >= 1);
        assert!(machine.rustc.starts_with("rustc 1."), "{}", machine.rustc);
        for (name, value) in machine.lines() {
            assert!(!value.is_empty() && !value.contains('\n'), "{name}: {value:?}");
        }
    }
}
