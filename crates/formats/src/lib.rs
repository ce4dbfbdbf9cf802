#![doc = include_str!("../README.md")]

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
