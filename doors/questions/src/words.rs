//! Lists in sentences, and numbers as decimals.

use oneport::explain;
use oneport::plan::Resource;
use oneport::{Platform, Rational};

/// Significant digits of a rounded number.
const DIGITS: usize = 10;

/// Ten significant digits.
pub fn decimal(value: &Rational) -> String {
    oneport::decimal(value, DIGITS)
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

/// The first class of these resources by name, and the number of further classes: `8 x send port of 'gpu*'; and 2
/// more`.
pub fn summary(platform: &Platform, resources: &[Resource]) -> String {
    let classes = explain::alike(platform, resources);
    let Some(first) = classes.first() else {
        return String::new();
    };
    let name = explain::name(platform, first);
    let first = match first.len() {
        1 => name,
        members => format!("{members} x {name}"),
    };
    match classes.len() {
        1 => first,
        all => format!("{first}; and {} more", all - 1),
    }
}
