//! Lists in sentences, and numbers as decimals.

use oneport::{Platform, Rational};

/// Significant digits of a rounded number.
const DIGITS: usize = 10;

/// Ten significant digits.
pub fn decimal(value: &Rational) -> String {
    oneport::decimal(value, DIGITS)
}

/// A time of a platform in seconds. If the platform has no units, it is in units of time.
pub fn seconds(platform: &Platform, time: &Rational) -> Rational {
    let units = platform.units();
    units.map_or_else(|| time.clone(), |units| time * units.time.seconds())
}

/// The first `most` of these, with commas between. If there are more, `rest` follows, with their number for `{}`.
pub fn few(names: impl IntoIterator<Item = impl Into<String>>, most: usize, rest: &str) -> String {
    let mut names = names.into_iter();
    let mut text = names
        .by_ref()
        .take(most)
        .map(Into::into)
        .collect::<Vec<String>>()
        .join(", ");
    match names.count() {
        0 => {}
        more => text.push_str(&rest.replace("{}", &more.to_string())),
    }
    text
}
