//! The packages of the workspace and their dependencies, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::run::{Outcome, cargo, output_of};

/// The output of `cargo metadata`, as far as it is used.
#[derive(Debug)]
pub(crate) struct Metadata {
    packages: BTreeMap<String, Package>,
    /// The packages that each package needs to be built: its dependencies without those for tests.
    needs: BTreeMap<String, Vec<String>>,
    /// The target directory of cargo.
    pub(crate) target: PathBuf,
}

/// A package.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) rust_version: Option<String>,
    /// Whether it belongs to this workspace.
    own: bool,
    /// Whether it belongs to this workspace and may be published.
    published: bool,
    /// The features, and what each of them enables.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    pub(crate) targets: Vec<Target>,
}

/// A target of a package.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) name: String,
    /// `lib`, `bin`, `test`, `example` or `bench`; another one if it has several.
    pub(crate) kind: String,
    /// The features that it requires.
    pub(crate) needs: Vec<String>,
}

impl Metadata {
    /// Runs `cargo metadata`.
    pub(crate) fn read() -> Outcome<Self> {
        let text = output_of(&mut cargo(["metadata", "--format-version", "1", "--locked"]))?;
        Self::parse(&text).ok_or_else(|| "cargo metadata has an unexpected format".to_owned())
    }

    fn parse(text: &str) -> Option<Self> {
        let all: Value = serde_json::from_str(text).ok()?;
        let packages = all["packages"].as_array()?.iter();
        let packages = packages.map(|one| Some((text_of(&one["id"])?, Package::parse(one)?)));
        let nodes = all["resolve"]["nodes"].as_array()?.iter();
        let needs = nodes.map(|node| Some((text_of(&node["id"])?, needs(node)?)));
        Some(Self {
            packages: packages.collect::<Option<_>>()?,
            needs: needs.collect::<Option<_>>()?,
            target: text_of(&all["target_directory"])?.into(),
        })
    }

    /// Returns the packages of the workspace that may be published.
    pub(crate) fn published(&self) -> impl Iterator<Item = &Package> {
        self.packages.values().filter(|package| package.published)
    }

    /// Returns the package of the workspace with this name.
    pub(crate) fn own(&self, name: &str) -> Option<&Package> {
        self.packages.values().find(|package| package.own && package.name == name)
    }

    /// Returns the published packages and their dependencies.
    fn built_from(&self) -> impl Iterator<Item = &Package> {
        let published = self.packages.iter().filter(|(_, package)| package.published);
        let mut open: Vec<&String> = published.map(|(id, _)| id).collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(self.needs.get(id).into_iter().flatten());
            }
        }
        seen.into_iter().filter_map(|id| self.packages.get(id))
    }
}

impl Package {
    fn parse(one: &Value) -> Option<Self> {
        let features = one["features"].as_object()?.iter();
        let features = features.map(|(name, enables)| (name.clone(), texts_of(enables)));
        let own = one["source"].is_null();
        Some(Self {
            name: text_of(&one["name"])?,
            version: text_of(&one["version"])?,
            rust_version: text_of(&one["rust_version"]),
            own,
            published: own && one["publish"].is_null(),
            features: features.collect(),
            targets: one["targets"].as_array()?.iter().map(Target::parse).collect::<Option<_>>()?,
        })
    }
}

impl Target {
    fn parse(one: &Value) -> Option<Self> {
        Some(Self {
            name: text_of(&one["name"])?,
            kind: text_of(&one["kind"][0])?,
            needs: texts_of(&one["required-features"]),
        })
    }
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Returns the strings of a list, which may be absent.
fn texts_of(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(text_of).collect()
}

fn needs(node: &Value) -> Option<Vec<String>> {
    let is_needed = |one: &&Value| {
        one["dep_kinds"]
            .as_array()
            .is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
    };
    let needed = node["deps"].as_array()?.iter().filter(is_needed);
    needed.map(|one| text_of(&one["pkg"])).collect()
}

/// Checks that the `rust-version` of the published packages is sufficient for them and their dependencies. Clippy's
/// `incompatible_msrv` checks their code.
pub(crate) fn rust_version() -> Outcome {
    let metadata = Metadata::read()?;
    let own = metadata.published().filter_map(|package| package.rust_version.as_deref());
    let own: BTreeSet<&str> = own.collect();
    let &[own] = own.iter().copied().collect::<Vec<_>>().as_slice() else {
        return Err(format!(
            "all packages must have the same `rust-version`, but there are {own:?}"
        ));
    };
    let mut newer = Vec::new();
    let mut highest = (Vec::new(), String::new());
    for package in metadata.built_from() {
        let Some(asked) = &package.rust_version else { continue };
        let Package { name, version, .. } = package;
        if parts(asked) > parts(own) {
            newer.push(format!("{name} {version} requires Rust {asked}, the workspace {own}"));
        }
        if !package.published && parts(asked) > highest.0 {
            highest = (parts(asked), format!("{asked}, of {name} {version}"));
        }
    }
    println!(
        "the workspace requires Rust {own}; the newest required by a dependency is {}",
        highest.1
    );
    if newer.is_empty() { Ok(()) } else { Err(newer.join("\n")) }
}

/// Returns the numbers of a version: `1.89` is equal to `1.89.0`.
fn parts(version: &str) -> Vec<u64> {
    let mut parts: Vec<u64> = version.split('.').map(|part| part.parse().unwrap_or(0)).collect();
    parts.resize(3, 0);
    parts
}

#[cfg(test)]
mod tests {
    use super::{Metadata, parts};

    #[test]
    fn dependencies_of_tests_are_not_part_of_a_package() {
        let text = r#"{
            "packages": [
                {"id": "a", "name": "ours", "version": "0.1.0", "rust_version": "1.89", "source": null, "publish": null, "features": {}, "targets": []},
                {"id": "b", "name": "kit", "version": "0.1.0", "rust_version": null, "source": null, "publish": [], "features": {}, "targets": []},
                {"id": "c", "name": "dep", "version": "1.2.3", "rust_version": "1.60", "source": "r", "publish": null, "features": {}, "targets": []}
            ],
            "resolve": {"nodes": [
                {"id": "a", "deps": [
                    {"pkg": "b", "dep_kinds": [{"kind": "dev"}]},
                    {"pkg": "c", "dep_kinds": [{"kind": "dev"}, {"kind": null}]}
                ]},
                {"id": "b", "deps": []},
                {"id": "c", "deps": []}
            ]},
            "target_directory": "/t"
        }"#;
        let metadata = Metadata::parse(text).expect("as cargo writes it");
        assert!(metadata.published().map(|package| &package.name).eq(["ours"]));
        assert!(metadata.built_from().map(|package| &package.name).eq(["ours", "dep"]));
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(parts("1.100") > parts("1.89.9"));
        assert_eq!(parts("1.89"), parts("1.89.0"));
    }
}
