//! A HiGHS that was not compiled here: tried before it is taken.

use std::env;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::folders::Folders;
use super::library::{self, fnv};

/// A program that calls each function of HiGHS that `oneport-exact` needs.
const PROBE: &str = include_str!("probe.c");

/// Origin of the HiGHS.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The system's, found by pkg-config.
    System,
    /// The Python package's.
    Wheel,
}

impl Whose {
    /// Its folder in `target/setup`.
    fn folder(self) -> &'static str {
        match self {
            Whose::System => "system",
            Whose::Wheel => "wheel",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Whose::System => "of this system",
            Whose::Wheel => "of the Python package",
        }
    }
}

/// A HiGHS that was not compiled here.
pub struct Shared {
    pub whose: Whose,
    version: String,
    /// Its description for the binding's pkg-config. Bytes, as pkg-config may escape a letter byte by byte.
    description: Vec<u8>,
}

impl Shared {
    /// The HiGHS of these flags of the compiler and of the linker, in pkg-config's notation. The C++ library is added
    /// to the flags of a system: HiGHS's own description omits it, and a static HiGHS needs it.
    pub fn new(whose: Whose, version: &str, cflags: &[u8], libs: &[u8]) -> Shared {
        let head = format!(
            "Name: HiGHS\nDescription: linear optimisation, {}\nVersion: {version}\n",
            whose.words()
        );
        let tail = match whose {
            Whose::System => format!(" {} -lm -lpthread\n", library::CXX_LIBRARY),
            Whose::Wheel => "\n".to_string(),
        };
        let parts = [
            head.as_bytes(),
            b"Cflags: ",
            cflags,
            b"\nLibs: ",
            libs,
            tail.as_bytes(),
        ];
        Shared {
            whose,
            version: version.to_string(),
            description: parts.concat(),
        }
    }

    /// The folder of the description, from `target/setup`. Another description is another folder: cargo then sees that
    /// the binding has to be built again.
    pub fn folder(&self) -> String {
        format!(
            "{}/{:016x}",
            self.whose.folder(),
            fnv(self.description.escape_ascii())
        )
    }

    /// Whether it was tried and taken before.
    pub fn is_taken(&self, folders: &Folders) -> bool {
        fs::read(folders.path(&self.folder()).join("highs.pc"))
            .is_ok_and(|text| text == self.description)
    }

    /// Tries it: compiles, links and runs the probe as cargo will link, with `cc`. Takes it if that succeeds. The inner
    /// result holds the reason if not.
    pub fn take(&self, folders: &Folders) -> Result<Result<(), String>> {
        let all = folders.path(self.whose.folder());
        let (draft, folder) = (all.join("draft"), folders.path(&self.folder()));
        library::clear(&all)?;
        fs::create_dir_all(&draft).with_context(|| format!("cannot create {}", draft.display()))?;
        fs::write(draft.join("highs.pc"), &self.description).context("cannot write highs.pc")?;
        fs::write(draft.join("probe.c"), PROBE).context("cannot write probe.c")?;
        let verdict = self.probe(folders, &draft);
        for name in ["probe.c", "flags", "probe"] {
            let _ = fs::remove_file(draft.join(name));
        }
        match verdict {
            Ok(()) => fs::rename(&draft, &folder).context("cannot move highs.pc")?,
            Err(_) => library::clear(&all)?,
        }
        Ok(verdict)
    }

    fn probe(&self, folders: &Folders, folder: &Path) -> Result<(), String> {
        let not = |what: &str| format!("HiGHS {} {} {what}", self.version, self.whose.words());
        let mut ask = Command::new(folders.path("bin/pkg-config"));
        ask.args(["--cflags", "--libs", "highs"])
            .env("PKG_CONFIG_PATH", folder);
        let flags = answer(&mut ask).ok_or_else(|| not("cannot be described to pkg-config"))?;
        // A compiler reads a file of arguments with the escapes that pkg-config writes.
        fs::write(folder.join("flags"), flags)
            .map_err(|error| format!("the flags cannot be written ({error})"))?;
        let compiler = env::var_os("CC")
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "cc".into());
        let mut compile = Command::new(compiler);
        compile
            .current_dir(folder)
            .arg(format!("-DVERSION=\"{}\"", self.version))
            .args(["probe.c", "@flags", "-o", "probe"]);
        answer(&mut compile).ok_or_else(|| not("does not link with what oneport needs"))?;
        let ran = answer(&mut Command::new(folder.join("probe")));
        ran.map(|_| ()).ok_or_else(|| {
            not("does not run here, is of another version than it says, or lacks an option (is its folder in LD_LIBRARY_PATH?)")
        })
    }
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "HiGHS {} {}", self.version, self.whose.words())
    }
}

/// Output of a command, if it succeeds.
pub fn answer(command: &mut Command) -> Option<Vec<u8>> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::workspace;

    #[test]
    fn another_description_is_another_folder() {
        let system = |libs: &[u8]| Shared::new(Whose::System, "1.15.1", b"", libs);
        assert_ne!(
            system(b"-L/a -lhighs").folder(),
            system(b"-L/b -lhighs").folder()
        );
        assert!(
            system(b"-L/a -lhighs")
                .description
                .starts_with(b"Name: HiGHS\n")
        );
    }

    /// Functions and options as written in a source.
    fn names(text: &str) -> BTreeSet<String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let functions = text
            .split(|c| !is_name(c))
            .filter(|word| word.starts_with("Highs_"));
        let joined: String = text.split_whitespace().collect();
        let options = joined
            .split(".option(\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        functions.chain(options).map(str::to_string).collect()
    }

    #[test]
    fn the_probe_asks_for_what_is_used() {
        let file = workspace::root().unwrap().join("crates/exact/src/highs.rs");
        let used = names(&fs::read_to_string(file).unwrap());
        assert!(
            used.contains("Highs_run")
                && used.contains("presolve")
                && used.contains("mip_max_nodes"),
            "{used:?}"
        );
        for name in used {
            assert!(PROBE.contains(&name), "probe.c does not ask for {name}");
        }
    }
}
