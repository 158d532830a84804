//! Where a report was made.

use std::process::Command;
use std::thread::available_parallelism;
use std::{env, fs};

use serde::{Deserialize, Serialize};

use super::Caches;

/// The machine and the tools: without them a figure says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model, as the kernel knows it.
    pub processor: String,
    /// Vector extensions that the kernels may use.
    pub extensions: String,
    /// How many threads run at once.
    pub threads: usize,
    /// The operating system and its version.
    pub kernel: String,
    /// The compiler's version.
    pub rustc: String,
    /// The caches of one processor; those of older runs are not known.
    #[serde(default)]
    pub caches: Caches,
}

impl Machine {
    /// This machine. What cannot be found out is "unknown".
    #[must_use]
    pub fn here() -> Self {
        let read = |file| fs::read_to_string(file).unwrap_or_default();
        let kernel = read("/proc/sys/kernel/osrelease");
        Self {
            processor: or_unknown(&processor_of(&read("/proc/cpuinfo"))),
            extensions: extensions(),
            threads: available_parallelism().map_or(1, usize::from),
            kernel: format!("{} {}, {}", env::consts::OS, or_unknown(&kernel), env::consts::ARCH),
            rustc: or_unknown(&output_of("rustc", &["--version"])),
            caches: Caches::here(),
        }
    }

    /// Whether the other is the same, as far as both are known.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let caches = [&self.caches, &other.caches];
        let known = !caches.iter().any(|caches| caches.are_unknown());
        let same = Self { caches: self.caches.clone(), ..other.clone() };
        *self == same && (!known || caches[0] == caches[1])
    }

    /// Names and values, to be shown.
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

fn or_unknown(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "unknown".to_owned() } else { text.to_owned() }
}

/// The model in the text of `/proc/cpuinfo`, whose lines differ between architectures.
fn processor_of(cpuinfo: &str) -> String {
    let value = |name: &str| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        })
    };
    value("model name").or_else(|| value("Model")).unwrap_or_default()
}

#[cfg(target_arch = "x86_64")]
fn extensions() -> String {
    let known = [
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("AVX-512F", is_x86_feature_detected!("avx512f")),
        ("AVX-512BW", is_x86_feature_detected!("avx512bw")),
        ("AVX-512VBMI", is_x86_feature_detected!("avx512vbmi")),
    ];
    let names: Vec<&str> = known.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    if names.is_empty() { "none beyond SSE2".to_owned() } else { names.join(", ") }
}

#[cfg(not(target_arch = "x86_64"))]
fn extensions() -> String {
    "none used".to_owned()
}

fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{Cache, Caches};
    use super::{Machine, processor_of};

    #[test]
    fn what_is_not_known_of_caches_is_no_difference() {
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
    fn the_model_is_found_on_either_architecture() {
        let x86 = "processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9B14\nprocessor\t: 1\n";
        assert_eq!(processor_of(x86), "AMD EPYC 9B14");
        let arm = "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 4\n";
        assert_eq!(processor_of(arm), "Raspberry Pi 4");
        assert_eq!(processor_of(""), "");
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
