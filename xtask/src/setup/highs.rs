//! HiGHS, compiled once from the source that comes with its Rust binding.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::cache;
use super::folders::Folders;
use super::library::{CXX_LIBRARY, clear, is_complete};
use super::progress::Progress;
use super::tools::{self, Builder, Purpose};
use crate::workspace;

/// HiGHS's configuration: that of the binding's build, so that both give the same library. Sources are compiled in
/// batches, which reads headers once (docs/measurements.md, "Building HiGHS").
const FLAGS: &[&str] = &[
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_CXX_EXE=OFF",
    "-DBUILD_EXAMPLES=OFF",
    "-DBUILD_SHARED_LIBS=OFF",
    "-DBUILD_TESTING=OFF",
    "-DCMAKE_INSTALL_LIBDIR=lib",
    "-DCMAKE_UNITY_BUILD=ON",
    "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16",
    "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=FALSE",
    "-DFAST_BUILD=ON",
    "-DZLIB=OFF",
];

/// The version of `highs-sys` (it is also that of the HiGHS inside) that Cargo.lock names.
pub fn locked_version(folders: &Folders) -> Result<String> {
    let path = folders.root.join("Cargo.lock");
    let lock =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    version_in(&lock).context("Cargo.lock names no package highs-sys; is it complete?")
}

fn version_in(lock: &str) -> Option<String> {
    let mut lines = lock
        .lines()
        .skip_while(|line| *line != r#"name = "highs-sys""#);
    let version = lines.nth(1)?.strip_prefix(r#"version = ""#)?;
    Some(version.strip_suffix('"')?.to_string())
}

/// Content of `highs/stamp` after a build: everything that the library depends on.
pub fn stamp(version: &str) -> String {
    format!("highs-sys {version}\n{}\n", FLAGS.join("\n"))
}

/// Whether the HiGHS of the setup matches the stamp.
pub fn is_built(folders: &Folders, stamp: &str) -> bool {
    is_complete(&folders.path("highs"), stamp)
}

/// Provides HiGHS: a copy compiled earlier on this machine, else compiled now, and prints why (`reasons` exclude
/// the other origins, and without reasons the user chose this one).
pub fn provide(folders: &Folders, version: &str, stamp: &str, reasons: &[String]) -> Result<()> {
    let why = if reasons.is_empty() {
        "as you chose".to_string()
    } else {
        reasons.join("; ")
    };
    if is_built(folders, stamp) {
        eprintln!("HiGHS {version}, compiled before ({why})");
        return Ok(());
    }
    let compiler = tools::compiler()?;
    let cache = cache::of_compiler(version, stamp, &compiler);
    if let Some(cache) = &cache
        && cache.restore(&folders.path("highs"), stamp)
    {
        let folder = cache.folder().display();
        eprintln!(
            "HiGHS {version}, compiled on this machine before ({why}), is copied from {folder}"
        );
        return Ok(());
    }
    let builder = tools::provide(folders, Purpose::BindAndBuild)?;
    eprintln!(
        "Compiling HiGHS {version} once (2-3 minutes on two cores; {why}); every later build uses the result"
    );
    build(folders, &builder, version, stamp)?;
    if cache.is_some_and(|cache| !cache.store(&folders.path("highs"))) {
        eprintln!(
            "HiGHS cannot be kept in the user's cache folder; another clone will compile it again"
        );
    }
    Ok(())
}

/// Compiles HiGHS next to its final folder and moves it there when it is complete, so an interrupted build leaves
/// nothing.
fn build(folders: &Folders, builder: &Builder, version: &str, stamp: &str) -> Result<()> {
    let source = source()?;
    let (tree, staging, log) = (
        folders.path("build"),
        folders.path("staging"),
        folders.path("highs.log"),
    );
    clear(&tree)?;
    clear(&staging)?;
    let mut progress = Progress::new();
    let mut file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    logged(
        configure(builder, &source, &tree, &staging),
        &mut file,
        &log,
        &mut progress,
    )?;
    logged(compile(builder, &tree), &mut file, &log, &mut progress)?;
    fs::write(
        staging.join("lib/pkgconfig/highs.pc"),
        package_config(version),
    )
    .context("cannot write highs.pc")?;
    fs::write(staging.join("stamp"), stamp).context("cannot write the stamp")?;
    clear(&folders.path("highs"))?;
    fs::rename(&staging, folders.path("highs")).context("cannot move HiGHS into place")?;
    clear(&tree)?;
    eprintln!("HiGHS {version} compiled in {}", progress.finish());
    Ok(())
}

/// The HiGHS source inside the package `highs-sys`, in cargo's folder. Cargo downloads it if it is missing.
fn source() -> Result<PathBuf> {
    let host = workspace::host()?;
    let metadata = workspace::metadata(&["--locked", "--filter-platform", &host])?;
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` lists no packages")?;
    let package = packages
        .iter()
        .find(|package| package["name"] == "highs-sys");
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let folder =
        Path::new(manifest.context("no package of the workspace needs highs-sys")?).parent();
    let source = folder.context("highs-sys lies in no folder")?.join("HiGHS");
    if !source.join("CMakeLists.txt").is_file() {
        bail!(
            "{} holds no HiGHS source; remove the folder of highs-sys there and run this again",
            source.display()
        );
    }
    Ok(source)
}

fn configure(builder: &Builder, source: &Path, tree: &Path, staging: &Path) -> Command {
    let mut command = builder.cmake();
    command
        .arg("-S")
        .arg(source)
        .arg("-B")
        .arg(tree)
        .args(builder.generator());
    command
        .args(FLAGS)
        .arg(format!("-DCMAKE_INSTALL_PREFIX={}", staging.display()));
    command
}

fn compile(builder: &Builder, tree: &Path) -> Command {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = builder.cmake();
    command.arg("--build").arg(tree).args([
        "--parallel",
        &cores.to_string(),
        "--target",
        "install",
    ]);
    command
}

/// Runs a step of the build: its output goes to the log, its progress to the user.
fn logged(
    mut command: Command,
    file: &mut File,
    log: &Path,
    progress: &mut Progress,
) -> Result<()> {
    let text = workspace::describe(&command);
    let errors = file.try_clone().context("cannot write the log")?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .with_context(|| format!("cannot run `{text}`"))?;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.context("cannot read what cmake prints")?;
            let line = String::from_utf8_lossy(&line);
            progress.line(&line);
            writeln!(file, "{line}").context("cannot write the log")?;
        }
    }
    let status = child
        .wait()
        .with_context(|| format!("cannot wait for `{text}`"))?;
    if !status.success() {
        eprintln!(
            "\n{}",
            last_lines(&fs::read_to_string(log).unwrap_or_default(), 30)
        );
        bail!(
            "HiGHS does not compile (cmake: {status}); the lines above end the log {}",
            log.display()
        );
    }
    Ok(())
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// The description for pkg-config. Its paths are relative to its own folder, so the folder may be moved.
fn package_config(version: &str) -> String {
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         Name: HiGHS\n\
         Description: linear optimisation, a static library\n\
         Version: {version}\n\
         Libs: -L${{prefix}}/lib -lhighs {CXX_LIBRARY} -lm -lpthread\n\
         Cflags: -I${{prefix}}/include/highs\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_locked_one() {
        let lock = "[[package]]\nname = \"highs\"\nversion = \"2.4.0\"\n\n[[package]]\nname = \"highs-sys\"\nversion = \"1.15.0\"\n";
        assert_eq!(version_in(lock).as_deref(), Some("1.15.0"));
        assert_eq!(
            version_in("[[package]]\nname = \"highs\"\nversion = \"2.4.0\"\n"),
            None
        );
        assert_eq!(version_in("name = \"highs-sys\""), None);
    }

    #[test]
    fn the_stamp_tells_versions_apart() {
        assert_ne!(stamp("1.15.0"), stamp("1.15.1"));
        assert!(FLAGS.iter().all(|flag| stamp("1").contains(flag)));
    }

    #[test]
    fn a_log_is_shown_from_its_end() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines("a\n", 30), "a");
        assert_eq!(last_lines("", 30), "");
    }
}
