//! Merges of platforms that state rates of links, and no rate of merging.

use crate::{Rational, Units, whole};

/// GB/s of result at which a processor merges if no file and no option states its rate. No link of today's machines is
/// as fast, so that links limit the answer. Trades the true time of a merge for an answer about links. Not measured.
pub const DEFAULT_MERGE_RATE: u64 = 1000;

/// These units, with the data of a merge's result as its work.
pub fn work_as_data(units: Units) -> Units {
    Units {
        work_is_data: true,
        ..units
    }
}

/// Units of time to merge one unit of data at [`DEFAULT_MERGE_RATE`].
pub fn default_merge_time(units: Units) -> Rational {
    let gigabytes = units.data.bits() / Units::gigabytes_and_seconds().data.bits();
    gigabytes / units.time.seconds() / whole(DEFAULT_MERGE_RATE)
}
