//! The path of the repository, and a program's run in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A text file of the repository.
pub struct Source {
    /// Path from the root of the repository, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// The root of the repository, from what cargo says about this run. The folder may have moved since xtask was compiled.
pub fn root() -> Result<PathBuf> {
    let manifest =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let root = Path::new(&manifest)
        .parent()
        .context("xtask lies in no folder")?;
    Ok(root.to_path_buf())
}

/// The folder of what cargo builds: `target`, unless the environment or a configuration names another.
pub fn target() -> Result<PathBuf> {
    target_in(&metadata(&["--no-deps"])?)
}

/// That folder, from what `cargo metadata` says.
pub fn target_in(metadata: &Value) -> Result<PathBuf> {
    let folder = metadata["target_directory"]
        .as_str()
        .context("`cargo metadata` names no target directory")?;
    Ok(PathBuf::from(folder))
}

/// A call of the cargo that runs this xtask, from the root of the repository.
pub fn cargo(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()?).args(arguments);
    Ok(command)
}

/// Runs a command whose output the user sees. An error names the command and how it ended.
pub fn run(mut command: Command) -> Result<()> {
    let text = describe(&command);
    let status = command
        .status()
        .with_context(|| format!("cannot run `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}

/// Output of `cargo metadata` for the workspace.
pub fn metadata(arguments: &[&str]) -> Result<Value> {
    let mut command = cargo(&["metadata", "--format-version", "1"])?;
    command
        .args(arguments)
        .stderr(std::process::Stdio::inherit());
    let output = command.output().context("cannot run `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed ({})", output.status);
    }
    serde_json::from_slice(&output.stdout)
        .context("`cargo metadata` printed something that is not JSON")
}

/// The text files of the repository, without build output, version control (a work tree has a file `.git`) and editors'
/// folders.
pub fn sources() -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    walk(&root()?, "", &mut sources)?;
    Ok(sources)
}

/// Collects the text files under a folder.
fn walk(root: &Path, folder: &str, sources: &mut Vec<Source>) -> Result<()> {
    let path = root.join(folder);
    let entries = fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() {
            name.clone()
        } else {
            format!("{folder}/{name}")
        };
        let kind = entry
            .file_type()
            .with_context(|| format!("cannot read {path}"))?;
        if kind.is_dir() {
            let ours =
                !name.starts_with('.') || [".cargo", ".ci", ".github"].contains(&name.as_str());
            if ours && name != "target" {
                walk(root, &path, sources)?;
            }
        } else if kind.is_file() && !["Cargo.lock", ".git"].contains(&path.as_str()) {
            // Other encodings are not text.
            if let Ok(text) = fs::read_to_string(entry.path()) {
                sources.push(Source { path, text });
            }
        }
    }
    Ok(())
}

/// The platform that cargo compiles for, such as `x86_64-unknown-linux-gnu`.
pub fn host() -> Result<String> {
    let output = cargo(&["--version", "--verbose"])?
        .output()
        .context("cannot run `cargo --version`")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host
        .context("`cargo --version --verbose` names no host")?
        .to_string())
}

/// The command as a user would type it: the program's file name and the arguments.
pub fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A time for people: `0.4 s`, `42.0 s`, `3 min 20 s`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 100 {
        return format!("{:.1} s", time.as_secs_f64());
    }
    format!("{} min {} s", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_read_as_typed() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["test", "--workspace"]);
        assert_eq!(describe(&command), "cargo test --workspace");
    }

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(Duration::from_millis(420)), "0.4 s");
        assert_eq!(duration(Duration::from_secs(200)), "3 min 20 s");
    }

    #[test]
    fn the_target_directory_is_what_cargo_says() {
        let metadata = serde_json::json!({"target_directory": "/else where/ü"});
        assert_eq!(target_in(&metadata).unwrap(), Path::new("/else where/ü"));
        assert!(target_in(&Value::Null).is_err());
        // This test was compiled there.
        let target = std::fs::canonicalize(target().unwrap()).unwrap();
        assert!(
            std::fs::canonicalize(env::current_exe().unwrap())
                .unwrap()
                .starts_with(target)
        );
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().unwrap().join("xtask/Cargo.toml").is_file());
    }
}
