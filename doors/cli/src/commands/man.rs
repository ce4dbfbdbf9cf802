//! `oneport man`: pages of the manual.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_mangen::Man;
use oneport::files;

use crate::words::exit::End;
use crate::words::output::{Content, Named, print, try_outputs};

/// Print the page of the manual, or write one for every command.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// A folder for the pages oneport.1, oneport-solve.1, ...
    #[arg(short = 'o', long = "output", value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &ManArguments) -> Result<End> {
    let mut command = crate::command();
    command.build();
    let Some(folder) = &arguments.output else {
        let page = page(command)?;
        print(&String::from_utf8(page).context("a page is text")?)?;
        return Ok(End::Done);
    };
    let mut pages = Vec::new();
    add(command, folder, &mut pages)?;
    let outputs: Vec<Named<'_>> = pages
        .iter()
        .map(|(path, _)| ("--output", path.as_path()))
        .collect();
    std::fs::create_dir_all(folder)
        .with_context(|| format!("--output: cannot make the folder {}", folder.display()))?;
    try_outputs(Content::Other, &[], &outputs)?;
    for (path, page) in &pages {
        files::write_atomically(path, page)
            .with_context(|| format!("cannot write {}", path.display()))?;
        print(&path.display().to_string())?;
    }
    Ok(End::Done)
}

/// The page of a command, and those of its subcommands.
fn add(command: Command, folder: &Path, pages: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    let under: Vec<Command> = command
        .get_subcommands()
        .filter(|one| one.get_name() != "help")
        .cloned()
        .collect();
    let name = command.get_display_name().unwrap_or(command.get_name());
    pages.push((folder.join(format!("{name}.1")), page(command)?));
    for one in under {
        add(one, folder, pages)?;
    }
    Ok(())
}

fn page(command: Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}
