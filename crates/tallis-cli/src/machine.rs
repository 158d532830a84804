//! The machine of a measurement.

use std::fs;

/// Returns the model of the processor, as the kernel reports it, or "unknown".
#[must_use]
pub fn processor() -> String {
    or_unknown(&processor_of(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()))
}

/// Returns the text, or "unknown" if it is not available.
#[must_use]
pub fn or_unknown(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "unknown".to_owned() } else { text.to_owned() }
}

/// Returns the model in the text of `/proc/cpuinfo`, whose lines differ between architectures.
fn processor_of(cpuinfo: &str) -> String {
    let value = |name: &str| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        })
    };
    value("model name").or_else(|| value("Model")).unwrap_or_default()
}

/// Returns the vector extensions of this processor that kernels may use.
#[must_use]
#[cfg(target_arch = "x86_64")]
pub fn extensions() -> String {
    let known = [
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("AVX-512F", is_x86_feature_detected!("avx512f")),
        ("AVX-512BW", is_x86_feature_detected!("avx512bw")),
        ("AVX-512VBMI", is_x86_feature_detected!("avx512vbmi")),
    ];
    let names: Vec<&str> = known.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    if names.is_empty() { "none beyond SSE2".to_owned() } else { names.join(", ") }
}

/// Returns the vector extensions of this processor that kernels may use.
#[must_use]
#[cfg(not(target_arch = "x86_64"))]
pub fn extensions() -> String {
    "none used".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_found_on_either_architecture() {
        let x86 = "processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9B14\nprocessor\t: 1\n";
        assert_eq!(processor_of(x86), "AMD EPYC 9B14");
        let arm = "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 4\n";
        assert_eq!(processor_of(arm), "Raspberry Pi 4");
        assert_eq!(processor_of(""), "");
    }

    #[test]
    fn what_cannot_be_found_out_is_unknown() {
        assert_eq!([" EPYC\n", "\n"].map(or_unknown), ["EPYC", "unknown"]);
        assert!(!processor().is_empty() && !extensions().is_empty());
    }
}
