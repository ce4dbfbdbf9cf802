//! Every file format of oneport, in and out.
//!
//! | format | read | write | what it is |
//! |---|---|---|---|
//! | `toml`, `json` | yes | yes | the native platform file, `oneport-platform/1`: the same keys in both |
//! | `matrix` | yes | where representable | a square table of bandwidths, CSV or white space |
//! | `gml` | yes | no | networks of the Internet Topology Zoo |
//! | `joined` | yes | no | measured grids: the JSON that joins a Tiers topology to its link table |
//! | plan | yes | yes | [`plan_to_json`]: the self-contained answer, `oneport-plan/1` |
//! | demands | yes | no | [`read_demands_file`]: a collective without a name, `oneport-demands/1` |
//! | amount | yes | no | [`read_amount`]: sizes of messages or work of merges, by the operands combined |
//!
//! Every number means exactly what its text says: none passes through a float. Every refusal is one
//! [`FormatError`]: one line that names the file, the line or key, the value, and what would be right.
//! Input is not trusted: whatever the bytes are, reading ends with a value or an error, in time and memory
//! linear in the file. `fixtures/README.md` documents every field.
//!
//! ```
//! use oneport_formats::{PlatformFormat, parse_platform, write_platform};
//! let text = br#"
//! format = "oneport-platform/1"
//! node = [{ name = "a", compute = 1 }, { name = "b" }]
//! link = [{ from = "a", to = "b", cost = 0.1 }]
//! "#;
//! let platform = parse_platform("example.toml", text, PlatformFormat::Toml)?;
//! assert_eq!(platform.links()[0].cost.to_string(), "1/10");
//! let json = write_platform(&platform, PlatformFormat::Json)?;
//! assert_eq!(parse_platform("example.json", json.as_bytes(), PlatformFormat::Json)?, platform);
//! # Ok::<(), oneport_formats::FormatError>(())
//! ```

mod amount;
mod atomic;
mod demands;
mod error;
mod gml;
mod joined;
mod json;
mod matrix;
mod native;
mod number;
mod once;
mod plan;
mod platform;
mod source;

pub use amount::{MAX_AMOUNT_BYTES, parse_amount, read_amount};
pub use atomic::{try_writing, write_atomically};
pub use demands::{MAX_DEMANDS_BYTES, parse_demands, read_demands_file};
pub use error::{AmountError, FormatError, Mistake, Place};
pub use joined::read_joined_tiers;
pub use once::{broadcast_to_json, reduction_to_json};
pub use plan::{MAX_PLAN_BYTES, plan_from_json, plan_to_json, read_plan};
pub use platform::{
    MAX_PLATFORM_BYTES, ParseFormatError, PlatformFormat, parse_platform, read_platform, read_platform_as,
    write_platform,
};
