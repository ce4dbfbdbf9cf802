//! `cargo xtask package`: checks the packages that users get. Every library is packed as for publishing, unpacked in
//! another folder, and built in an empty project, without HiGHS: so on a machine without cmake.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{tree, workspace};

/// A published package: its name, and the name of its archive without the ending.
struct Package {
    name: String,
    archive: String,
}

/// The user's program: the example of the facade's README.
const README: &str = "crates/oneport/README.md";

/// Packs, unpacks, builds and runs.
///
/// # Errors
/// A package lacks something, or needs HiGHS without the feature for it.
pub fn run() -> Result<()> {
    let metadata = workspace::metadata(&["--no-deps"])?;
    let (packages, target) = (published(&metadata)?, workspace::target_in(&metadata)?);
    pack(&packages)?;
    let project = target.join("stranger");
    unpack(&packages, &target.join("package"), &project)?;
    tree::write(&project.join("Cargo.toml"), manifest(&packages).as_bytes())?;
    make(&project.join("src"))?;
    tree::write(
        &project.join("src/main.rs"),
        program(&workspace::root()?)?.as_bytes(),
    )?;
    let mut build = in_project(&project, &["run", "--quiet"])?;
    build.arg("--target-dir").arg(project.join("target"));
    workspace::run(build)?;
    without_highs(&project)?;
    eprintln!(
        "package: {} packages, unpacked elsewhere, build and run without HiGHS",
        packages.len()
    );
    Ok(())
}

/// Unpacks every archive into `packages` of the project. A file that equals that of the last time stays in place, so
/// that cargo builds only changed files. A changed file gets a new date, but an archive gives all files one date.
fn unpack(packages: &[Package], archives: &Path, project: &Path) -> Result<()> {
    let (fresh, unpacked) = (project.join("fresh"), project.join("packages"));
    if fresh.exists() {
        fs::remove_dir_all(&fresh).with_context(|| format!("cannot remove {}", fresh.display()))?;
    }
    make(&fresh)?;
    for package in packages {
        let mut tar = Command::new("tar");
        tar.arg("-xzf")
            .arg(archives.join(format!("{}.crate", package.archive)))
            .arg("-C")
            .arg(&fresh);
        workspace::run(tar)?;
    }
    make(&unpacked)?;
    tree::prune(&unpacked, &fresh)?;
    tree::copy(&fresh, &unpacked, None)?;
    fs::remove_dir_all(&fresh).with_context(|| format!("cannot remove {}", fresh.display()))
}

/// The libraries that may be published.
fn published(metadata: &Value) -> Result<Vec<Package>> {
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` lists no packages")?;
    let is_library = |package: &Value| {
        let targets = package["targets"].as_array().into_iter().flatten();
        targets
            .flat_map(|target| target["kind"].as_array())
            .flatten()
            .any(|kind| kind == "lib")
    };
    let public = packages
        .iter()
        .filter(|package| package["publish"].is_null() && is_library(package));
    let read = |package: &Value| {
        let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
        Some(Package {
            name: name.to_string(),
            archive: format!("{name}-{version}"),
        })
    };
    public
        .map(|package| read(package).context("`cargo metadata` lacks a name"))
        .collect()
}

fn pack(packages: &[Package]) -> Result<()> {
    let mut command = workspace::cargo(&["package", "--quiet", "--no-verify", "--allow-dirty"])?;
    for package in packages {
        command.args(["--package", &package.name]);
    }
    workspace::run(command)
}

/// An empty project that takes every package, by its published name, from the folder to which it was unpacked.
fn manifest(packages: &[Package]) -> String {
    let mut text =
        "[package]\nname = \"stranger\"\nedition = \"2024\"\n\n[workspace]\n\n".to_string();
    // The program runs only briefly: debug information and incremental builds would not pay off.
    text.push_str("[profile.dev]\ndebug = false\nincremental = false\n\n[dependencies]\n");
    for Package { name, .. } in packages {
        let _ = writeln!(
            text,
            "{name} = {{ version = \"*\", default-features = false }}"
        );
    }
    text.push_str("\n[patch.crates-io]\n");
    for Package { name, archive } in packages {
        let _ = writeln!(text, "{name} = {{ path = \"packages/{archive}\" }}");
    }
    text
}

/// The example of the README as a program.
fn program(root: &Path) -> Result<String> {
    let readme =
        fs::read_to_string(root.join(README)).with_context(|| format!("cannot read {README}"))?;
    let (_, example) = readme
        .split_once("```rust\n")
        .with_context(|| format!("{README} has no example"))?;
    let (example, _) = example
        .split_once("```")
        .with_context(|| format!("{README}: the example does not end"))?;
    let lines = example
        .lines()
        .map(|line| line.strip_prefix("# ").unwrap_or(line));
    let body: String = lines.map(|line| format!("    {line}\n")).collect();
    Ok(format!(
        "fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}}}\n"
    ))
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

fn in_project(project: &Path, arguments: &[&str]) -> Result<Command> {
    let mut command = workspace::cargo(arguments)?;
    command
        .current_dir(project)
        .arg("--manifest-path")
        .arg(project.join("Cargo.toml"));
    Ok(command)
}

fn without_highs(project: &Path) -> Result<()> {
    let output = in_project(project, &["tree", "--prefix", "none"])?
        .output()
        .context("cannot run `cargo tree`")?;
    let tree = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !tree.starts_with("stranger") || tree.contains("highs-sys") {
        bail!("a package draws in HiGHS though nobody asked for the feature `highs`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_holds_a_program() {
        let program = program(&workspace::root().unwrap()).unwrap();
        assert!(
            program.starts_with("fn main")
                && program.contains("solve(")
                && program.contains("    Ok::<()")
        );
    }

    #[test]
    fn a_manifest_takes_what_was_unpacked() {
        let package = Package {
            name: "oneport-plan".to_string(),
            archive: "oneport-plan-0.1.0".to_string(),
        };
        let text = manifest(&[package]);
        assert!(
            text.contains("oneport-plan = { version = \"*\", default-features = false }"),
            "{text}"
        );
        assert!(
            text.contains("oneport-plan = { path = \"packages/oneport-plan-0.1.0\" }"),
            "{text}"
        );
    }
}
