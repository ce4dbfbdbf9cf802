#![doc = include_str!("../README.md")]

mod algorithm;
mod amount;
mod atomic;
mod closest;
mod demands;
pub mod error;
pub mod json;
mod matrix;
mod native;
mod nodes;
pub mod number;
mod plan;
mod platform;
pub mod scalar;
mod single;
pub mod source;
mod tasks;

pub use algorithm::{
    ListedAlgorithm, ListedSend, ListedSteps, MAX_ALGORITHM_BYTES, read_algorithm,
};
pub use amount::{MAX_AMOUNT_BYTES, parse_amount, parse_size, parse_work, read_amount, read_work};
pub use atomic::{destination, try_writing, write_atomically, write_atomically_with};
pub use closest::closest;
pub use demands::{MAX_DEMANDS_BYTES, parse_demands, read_demands_file};
pub use error::{AmountError, FormatError, Location, Mistake};
pub use matrix::matrix_in_units;
pub use oneport_plan::{Claim, Collective, Plan, SingleReduction, Stated};
pub use oneport_platform::{Platform, Rational};
pub use plan::{
    Chosen, ChosenShape, MAX_PLAN_BYTES, RatesFile, plan_from_json, plan_to_json, rates_from_json,
    rates_to_json, read_plan, read_rates, write_chosen_plan, write_plan,
};
pub use platform::{
    MAX_PLATFORM_BYTES, ParseFormatError, PlatformFormat, parse_platform,
    parse_platform_with_any_ports, read_platform, read_platform_with_any_ports, write_platform,
};
pub use single::{
    AnswerFile, broadcast_to_json, one_all_reduce_from_json, one_all_reduce_to_json, read_answer,
    read_receivers, read_starts, receivers_from_json, reduction_to_json,
    single_broadcast_from_json, single_broadcast_to_json, single_reduction_from_json,
    single_reduction_to_json, starts_from_json,
};
