//! Plan files, `oneport-plan/3`: the whole answer to one question, self-contained, in JSON.
//!
//! Nodes go by name, links by their index in the platform's list, counted from 0 (so a plan's platform lists every
//! directed link by itself), rationals are strings in lowest terms. `fixtures/README.md` documents every field.

mod cells;
mod certificate;
mod chosen;
mod demand;
mod needs;
mod pattern;
mod question;
mod rates_read;
mod rates_write;
mod read;
mod task;
mod write;

use std::path::Path;

use oneport_plan::{Claim, Stated};

use crate::Mistake;
use crate::error::FormatError;
use crate::source::read_bytes;

pub use chosen::{Chosen, ChosenShape};
pub(crate) use question::{flag, read_demands, read_nodes};
pub use rates_read::{RatesFile, rates_from_json, read_rates};
pub use rates_write::rates_to_json;
pub(crate) use read::plan_and_choice;
pub use read::plan_from_json;
pub use write::{plan_to_json, write_chosen_plan, write_plan};

/// Most bytes of a plan file.
pub const MAX_PLAN_BYTES: u64 = 512 << 20;

/// The value of `format`.
const FORMAT: &str = "oneport-plan/3";

/// The value of `format` of a file of rates.
const RATES_FORMAT: &str = "oneport-rates/1";

/// The formats when paths, arborescences and reduction trees had separate keys, and when each kind of inequality had.
const FORMER: [&str; 2] = ["oneport-plan/1", "oneport-plan/2"];

/// Reads a plan file: its claim, with patterns and a schedule, and the numbers that it states. Nothing is checked: see
/// `oneport_referee::verify`.
///
/// # Errors
/// A file that cannot be read or is over [`MAX_PLAN_BYTES`]. Else as [`plan_from_json`].
pub fn read_plan(path: &Path) -> Result<(Claim, Stated), FormatError> {
    let bytes = read_bytes(path, MAX_PLAN_BYTES)?;
    Ok(plan_of(&path.display().to_string(), &bytes)?.0)
}

/// [`plan_from_json`] with the choice of links. A platform is refused as such.
pub(crate) fn plan_of(
    name: &str,
    bytes: &[u8],
) -> Result<((Claim, Stated), Option<Chosen>), FormatError> {
    let is_platform = || crate::parse_platform(name, bytes, crate::PlatformFormat::Toml).is_ok();
    match plan_and_choice(name, bytes) {
        Err(_) if is_platform() => Err(FormatError::new(name, None, None, Mistake::PlatformAsPlan)),
        read => read,
    }
}
