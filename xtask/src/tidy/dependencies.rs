//! Allowed dependencies of crates, checked on the manifests.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::problem::Problem;

/// The crates of this workspace that each crate may depend on. A new crate is entered here, and in ARCHITECTURE.md.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("oneport-watch", &[]),
    ("oneport-numbers", &[]),
    ("oneport-graph", &["oneport-watch", "oneport-numbers"]),
    (
        "oneport-platform",
        &["oneport-watch", "oneport-numbers", "oneport-graph"],
    ),
    ("oneport-plan", &["oneport-platform"]),
    ("oneport-exact", &["oneport-watch", "oneport-numbers"]),
    (
        "oneport-matching",
        &["oneport-watch", "oneport-numbers", "oneport-graph"],
    ),
    (
        "oneport-trees",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-graph",
            "oneport-platform",
            "oneport-plan",
        ],
    ),
    (
        "oneport-extract",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-graph",
            "oneport-platform",
            "oneport-plan",
        ],
    ),
    (
        "oneport-lp",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-graph",
            "oneport-platform",
            "oneport-plan",
            "oneport-exact",
            "oneport-matching",
            "oneport-trees",
            "oneport-extract",
        ],
    ),
    (
        "oneport-schedule",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-platform",
            "oneport-plan",
            "oneport-matching",
        ],
    ),
    (
        "oneport-period",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-platform",
            "oneport-plan",
            "oneport-exact",
            "oneport-lp",
            "oneport-schedule",
        ],
    ),
    (
        "oneport-homogeneous",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-platform",
            "oneport-plan",
        ],
    ),
    (
        "oneport-heterogeneous",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-platform",
            "oneport-plan",
            "oneport-exact",
        ],
    ),
    (
        "oneport-referee",
        &["oneport-watch", "oneport-platform", "oneport-plan"],
    ),
    (
        "oneport-files",
        &[
            "oneport-numbers",
            "oneport-platform",
            "oneport-plan",
            "oneport-watch",
        ],
    ),
    ("oneport-topologies", &["oneport-platform", "oneport-files"]),
    (
        "oneport",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-graph",
            "oneport-platform",
            "oneport-plan",
            "oneport-exact",
            "oneport-matching",
            "oneport-trees",
            "oneport-extract",
            "oneport-lp",
            "oneport-schedule",
            "oneport-period",
            "oneport-homogeneous",
            "oneport-heterogeneous",
            "oneport-referee",
            "oneport-files",
        ],
    ),
    (
        "oneport-baselines",
        &[
            "oneport-watch",
            "oneport-numbers",
            "oneport-graph",
            "oneport-platform",
            "oneport-plan",
            "oneport-schedule",
            "oneport-homogeneous",
            "oneport-heterogeneous",
        ],
    ),
    (
        "oneport-timing",
        &[
            "oneport-numbers",
            "oneport-graph",
            "oneport-platform",
            "oneport-plan",
            "oneport-schedule",
            "oneport-baselines",
            "oneport-watch",
        ],
    ),
    ("oneport-drawings", &["oneport-platform", "oneport-plan"]),
    ("oneport-checks", &[]),
    (
        "oneport-exports",
        &[
            "oneport-checks",
            "oneport-platform",
            "oneport-plan",
            "oneport-schedule",
        ],
    ),
    (
        "oneport-programs",
        &["oneport-platform", "oneport-plan", "oneport-watch"],
    ),
    ("oneport-testkit", &["oneport-platform", "oneport-plan"]),
    (
        "oneport-cli",
        &[
            "oneport",
            "oneport-baselines",
            "oneport-timing",
            "oneport-checks",
            "oneport-drawings",
            "oneport-exports",
            "oneport-programs",
            "oneport-topologies",
        ],
    ),
    (
        "oneport-papers",
        &[
            "oneport",
            "oneport-baselines",
            "oneport-drawings",
            "oneport-exact",
            "oneport-extract",
            "oneport-graph",
            "oneport-lp",
            "oneport-matching",
            "oneport-numbers",
            "oneport-period",
            "oneport-topologies",
            "oneport-trees",
        ],
    ),
    (
        "oneport-benches",
        &[
            "oneport",
            "oneport-exact",
            "oneport-graph",
            "oneport-lp",
            "oneport-matching",
            "oneport-numbers",
            "oneport-trees",
        ],
    ),
    (
        "oneport-truth",
        &[
            "oneport-platform",
            "oneport-plan",
            "oneport-exact",
            "oneport-lp",
            "oneport-referee",
            "oneport-files",
        ],
    ),
    ("xtask", &[]),
];

/// Packages from outside that only some crates may depend on, and why.
const RESERVED: &[(&str, &[&str], &str)] = &[
    (
        "highs",
        &["oneport-exact"],
        "HiGHS is named in oneport-exact alone",
    ),
    (
        "highs-sys",
        &["oneport-exact"],
        "HiGHS is named in oneport-exact alone",
    ),
    (
        "serde",
        &[
            "oneport-files",
            "oneport-checks",
            "oneport-exports",
            "oneport-papers",
        ],
        "model types do not freeze into a file format",
    ),
    (
        "serde_json",
        &[
            "oneport-files",
            "oneport-checks",
            "oneport-exports",
            "oneport-cli",
            "oneport-papers",
            "xtask",
        ],
        "platforms and plans are read and written by oneport-files, other programs' schedules by oneport-checks and oneport-exports",
    ),
    (
        "anyhow",
        &["oneport-cli", "oneport-papers", "xtask"],
        "libraries return error enums of their own",
    ),
];

/// Parts of a manifest.
pub struct Crate {
    /// Name of the package.
    pub name: String,
    /// Path of its folder from the root of the repository.
    pub folder: String,
    /// Names of the packages that it depends on, tests aside.
    pub dependencies: Vec<String>,
    /// Whether the manifest names a licence.
    pub licensed: bool,
}

/// The crates of the workspace, from `cargo metadata --no-deps`.
pub fn crates(metadata: &Value, root: &Path) -> Result<Vec<Crate>> {
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` lists no packages")?;
    packages
        .iter()
        .map(|package| read(package, root).context("`cargo metadata` lacks a field"))
        .collect()
}

fn read(package: &Value, root: &Path) -> Option<Crate> {
    let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
    let folder = folder
        .strip_prefix(root)
        .unwrap_or(folder)
        .to_string_lossy()
        .replace('\\', "/");
    let dependencies = package["dependencies"].as_array()?.iter();
    let dependencies = dependencies.filter(|dependency| dependency["kind"] != "dev");
    Some(Crate {
        name: package["name"].as_str()?.to_string(),
        folder,
        dependencies: dependencies
            .filter_map(|dependency| Some(dependency["name"].as_str()?.to_string()))
            .collect(),
        licensed: package["license"].is_string() || package["license_file"].is_string(),
    })
}

/// Checks every manifest.
pub fn check(crates: &[Crate]) -> Vec<Problem> {
    crates
        .iter()
        .flat_map(check_one)
        .chain(arrows_out(crates))
        .collect()
}

/// The theory (`crates/`) knows no door (`doors/`).
fn arrows_out(crates: &[Crate]) -> Vec<Problem> {
    let is_door = |name: &String| {
        crates
            .iter()
            .any(|other| other.name == *name && other.folder.starts_with("doors/"))
    };
    let arrows = |package: &Crate| -> Vec<Problem> {
        let manifest = format!("{}/Cargo.toml", package.folder);
        let doors = package.dependencies.iter().filter(|name| is_door(name));
        let say = |door| {
            format!(
                "{} is theory (crates/) and must not know {door}, a door (doors/)",
                package.name
            )
        };
        doors
            .map(|door| Problem::new(&manifest, 0, say(door)))
            .collect()
    };
    crates
        .iter()
        .filter(|package| package.folder.starts_with("crates/"))
        .flat_map(arrows)
        .collect()
}

fn check_one(package: &Crate) -> Vec<Problem> {
    let manifest = format!("{}/Cargo.toml", package.folder);
    let mut messages = Vec::new();
    if !package.licensed {
        messages.push("no licence; add `license.workspace = true` to [package]".to_string());
    }
    match MAY_KNOW.iter().find(|(name, _)| *name == package.name) {
        None => messages.push(format!(
            "{} is new; say in xtask/src/tidy/dependencies.rs whom it may know",
            package.name
        )),
        Some((name, known)) => {
            let ours = package
                .dependencies
                .iter()
                .filter(|other| other.starts_with("oneport") || *other == "xtask");
            for other in ours.filter(|other| !known.contains(&other.as_str())) {
                messages.push(format!(
                    "{name} must not know {other} (ARCHITECTURE.md, who knows whom); remove it"
                ));
            }
        }
    }
    for (name, allowed, why) in RESERVED {
        if package.dependencies.iter().any(|other| other == name)
            && !allowed.contains(&package.name.as_str())
        {
            messages.push(format!("{} must not depend on {name}: {why}", package.name));
        }
    }
    messages
        .into_iter()
        .map(|message| Problem::new(&manifest, 0, message))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, dependencies: &[&str], expected: usize) {
        let dependencies = dependencies.iter().map(|name| name.to_string()).collect();
        let package = Crate {
            name: name.to_string(),
            folder: name.to_string(),
            dependencies,
            licensed: true,
        };
        let problems = check_one(&package);
        assert_eq!(problems.len(), expected, "{problems:?}");
    }

    #[test]
    fn only_allowed_crates_are_known() {
        check(
            "oneport-referee",
            &["oneport-platform", "oneport-plan", "thiserror"],
            0,
        );
        check("oneport-referee", &["oneport-lp"], 1);
        check("oneport-exact", &["oneport-platform"], 1);
        check("oneport-lp", &["oneport-trees"], 0);
        check("oneport-trees", &["oneport-lp"], 1);
        check("xtask", &["oneport"], 1);
        check("oneport-new", &[], 1);
    }

    #[test]
    fn the_theory_knows_no_door() {
        let package = |folder: &str, dependencies: &[&str]| Crate {
            name: folder.replace('/', "-"),
            folder: folder.to_string(),
            dependencies: dependencies.iter().map(|name| name.to_string()).collect(),
            licensed: true,
        };
        let all = |of_theory: &[&str]| {
            let (theory, door) = (
                package("crates/a", of_theory),
                package("doors/b", &["crates-a", "doors-c"]),
            );
            arrows_out(&[
                theory,
                door,
                package("doors/c", &[]),
                package("papers", &["doors-b"]),
            ])
            .len()
        };
        assert_eq!(
            (
                all(&["serde"]),
                all(&["doors-b"]),
                all(&["doors-b", "doors-c"])
            ),
            (0, 1, 2)
        );
    }

    #[test]
    fn some_packages_are_reserved() {
        check("oneport-exact", &["highs-sys"], 0);
        check("oneport-lp", &["highs-sys"], 1);
        check("oneport-files", &["serde", "serde_json"], 0);
        check("oneport-cli", &["serde_json"], 0);
        check("oneport-cli", &["serde"], 1);
        check("oneport-platform", &["serde", "anyhow"], 2);
    }

    #[test]
    fn nobody_is_known_in_a_circle() {
        // Removing crates that know only removed ones must remove all.
        let mut left: Vec<_> = MAY_KNOW.to_vec();
        while let Some(at) = left
            .iter()
            .position(|(_, known)| !left.iter().any(|(name, _)| known.contains(name)))
        {
            left.remove(at);
        }
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn manifests_are_read() {
        let metadata = serde_json::json!({"packages": [{
            "name": "oneport-lp", "manifest_path": "/r/crates/lp/Cargo.toml", "license": null, "license_file": null,
            "dependencies": [{"name": "thiserror", "kind": null}, {"name": "proptest", "kind": "dev"},
                             {"name": "cc", "kind": "build"}],
        }]});
        let crates = crates(&metadata, Path::new("/r")).unwrap();
        assert_eq!(crates.len(), 1);
        assert_eq!(
            (crates[0].folder.as_str(), crates[0].licensed),
            ("crates/lp", false)
        );
        assert_eq!(crates[0].dependencies, ["thiserror", "cc"]);
        assert_eq!(check_one(&crates[0]).len(), 1);
    }
}
