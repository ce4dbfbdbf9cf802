//! Allowed dependencies of crates, checked on the manifests.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::problem::Problem;

/// The floors of ARCHITECTURE.md, the lowest first, without `oneport-`. A crate may depend on lower floors only. A new
/// crate is entered here.
const FLOORS: &[&[&str]] = &[
    &["watch", "numbers", "checks", "xtask"],
    &["graph"],
    &["exact", "matching", "platform"],
    &["plan"],
    &["trees", "extract", "programs", "testkit"],
    &["lp", "schedule", "separation"],
    &["period", "referee", "files", "homogeneous", "heterogeneous"],
    &["oneport"],
    &["topologies", "baselines", "drawings", "exports"],
    &["timing"],
    &["questions"],
    &["cli", "python", "papers", "benches", "truth"],
];

/// Lower crates that some crates must not depend on in spite of the order, and the reason.
const NEVER: &[(&[&str], &[&str], &str)] = &[
    (&["exact"], &["graph"], "its input is a linear program"),
    (
        &["plan"],
        &["graph", "matching", "exact"],
        "it contains no algorithm",
    ),
    (
        &["trees", "extract", "schedule", "files"],
        &["exact"],
        "it solves no linear program",
    ),
    (
        &["referee"],
        &[
            "numbers",
            "graph",
            "matching",
            "exact",
            "trees",
            "extract",
            "programs",
            "lp",
            "schedule",
            "separation",
        ],
        "it imports no algorithm: it repeats the arithmetic",
    ),
    (
        &["files", "homogeneous", "heterogeneous"],
        &[
            "graph",
            "matching",
            "trees",
            "extract",
            "programs",
            "lp",
            "schedule",
            "separation",
        ],
        "it needs the vocabulary only",
    ),
    (&["homogeneous"], &["exact"], "it never imports a solver"),
    (&["oneport"], &["separation"], "no answer depends on it"),
    (
        &["topologies", "baselines", "drawings", "exports", "timing"],
        &["exact", "programs", "lp", "period", "oneport", "separation"],
        "no door but the command imports a solver",
    ),
    (
        &["cli", "python"],
        &[
            "exact", "lp", "period", "referee", "schedule", "matching", "graph",
        ],
        "the command and the Python package go through the facade",
    ),
];

/// The floor of a package of this workspace.
fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&short(name)))
}

/// The name of a package without `oneport-`.
fn short(name: &str) -> &str {
    name.strip_prefix("oneport-").unwrap_or(name)
}

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
            "oneport-questions",
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
            "oneport-questions",
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
        .flat_map(check_single)
        .chain(arrows_out(crates))
        .collect()
}

/// No crate of the theory (`crates/`) depends on a door (`doors/`).
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

fn check_single(package: &Crate) -> Vec<Problem> {
    let manifest = format!("{}/Cargo.toml", package.folder);
    let mut messages = Vec::new();
    if !package.licensed {
        messages.push("no licence; add `license.workspace = true` to [package]".to_string());
    }
    messages.extend(arrows_up(package));
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

/// Refuses dependencies on crates of the same floor or above, and those of `NEVER`.
fn arrows_up(package: &Crate) -> Vec<String> {
    let name = &package.name;
    let Some(own) = floor(name) else {
        let text = format!("{name} is new; enter its floor in xtask/src/tidy/dependencies.rs");
        return vec![text];
    };
    let ours = package
        .dependencies
        .iter()
        .filter(|other| other.starts_with("oneport") || *other == "xtask");
    let refused = |other: &String| {
        let why = match floor(other) {
            Some(of_other) if of_other < own => NEVER
                .iter()
                .find(|(some, others, _)| {
                    some.contains(&short(name)) && others.contains(&short(other))
                })
                .map(|(_, _, why)| *why)?,
            Some(_) => "it is not on a lower floor",
            None => "it has no floor",
        };
        Some(format!(
            "{name} must not know {other}: {why} (ARCHITECTURE.md, floors); remove it"
        ))
    };
    ours.filter_map(refused).collect()
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
        let problems = check_single(&package);
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
        check("oneport-exact", &["oneport-graph"], 1);
        check("oneport-referee", &["oneport-numbers"], 1);
        check("oneport-lp", &["oneport-nowhere"], 1);
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

    /// A pair that the floors refuse already is redundant.
    #[test]
    fn each_pair_that_must_not_be_is_one_that_could() {
        for (some, others, _) in NEVER {
            for (one, other) in some
                .iter()
                .flat_map(|one| others.iter().map(move |other| (one, other)))
            {
                assert!(floor(other).unwrap() < floor(one).unwrap(), "{one} {other}");
            }
        }
        let all: Vec<_> = FLOORS.concat();
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(all.len(), once.len());
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
        assert_eq!(check_single(&crates[0]).len(), 1);
    }
}
