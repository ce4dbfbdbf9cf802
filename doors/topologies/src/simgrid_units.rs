//! SimGrid's bandwidths (`125MBps`, `10Gbps`, `1000EBps`) and times (`50us`).
//!
//! Facts from simgrid.org, `xbt_parse_units.cpp`: a number as C's `strtod` reads it, a prefix (`k` to `Y`, `Ki` to
//! `Yi`), a unit.

use num_traits::Signed;
use oneport_files::error::{Mistake, clip};
use oneport_platform::units::{Data, Time};
use oneport_platform::{Rational, Units, parse_rational, whole};

use crate::graph::rate_in;
use crate::mistakes::unexpected;

/// Fact: the prefixes of 1000 and 1024, in steps of one power.
const PREFIXES: [&str; 8] = ["k", "M", "G", "T", "P", "E", "Z", "Y"];
/// Fact: bytes of a gigabyte.
const GIGABYTE: u64 = 1_000_000_000;

/// A bandwidth in GB/s. A plain number is in bytes per second.
pub(super) fn bandwidth(text: &str) -> Result<Rational, Mistake> {
    let text = text.trim();
    let (number, unit) = split(text);
    let (prefix, bits) = match (unit.strip_suffix("Bps"), unit.strip_suffix("bps")) {
        (Some(prefix), _) => (prefix, 8),
        (None, Some(prefix)) => (prefix, 1),
        // Unlike SimGrid's own files: 10 GB/s.
        (None, None) => {
            let bytes = Units {
                data: Data::BYTE,
                time: Time::SECOND,
                work_is_data: false,
            };
            return rate_in(text, bytes);
        }
    };
    let Some(factor) = factor(prefix) else {
        let expected = "a bandwidth, such as 125MBps, 10Gbps or 2GiBps";
        return Err(unexpected(clip(text), expected));
    };
    let bits = whole(bits) * factor;
    let rate = parse_rational(number)? * bits / whole(8 * GIGABYTE);
    if rate.is_positive() {
        return Ok(rate);
    }
    Err(Mistake::NotPositive {
        what: "a bandwidth",
        value: clip(text),
    })
}

/// A time in seconds. A plain number is in seconds.
pub(super) fn time(text: &str) -> Result<Rational, Mistake> {
    /// Fact: seconds of a minute, an hour, a day, a week.
    const LONG: [(&str, u32); 5] = [
        ("", 1),
        ("m", 60),
        ("h", 3600),
        ("d", 86_400),
        ("w", 604_800),
    ];
    /// Fact: units of a second.
    const SHORT: [(&str, u64); 5] = [
        ("s", 1),
        ("ms", 1_000),
        ("us", 1_000_000),
        ("ns", 1_000_000_000),
        ("ps", 1_000_000_000_000),
    ];
    let text = text.trim();
    let (number, unit) = split(text);
    let long = LONG.iter().find(|(name, _)| *name == unit);
    let short = SHORT.iter().find(|(name, _)| *name == unit);
    let factor = match (long, short) {
        (Some((_, seconds)), _) => whole(*seconds),
        (None, Some((_, parts))) => whole(*parts).recip(),
        (None, None) => {
            return Err(unexpected(clip(text), "a time, such as 50us or 1ms"));
        }
    };
    let time = parse_rational(number)? * factor;
    if time.is_negative() {
        return Err(unexpected(clip(text), "a time of 0 or more"));
    }
    Ok(time)
}

/// The number and the text after it. An `e` or `E` is an exponent only before digits: in `1000EBps` it is a prefix.
fn split(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let sign = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        match byte {
            b'0'..=b'9' | b'.' => at += 1,
            b'+' | b'-' if at == 0 => at += 1,
            b'e' | b'E' if digit(at + 1) || (sign && digit(at + 2)) => at += 2,
            _ => break,
        }
    }
    let (number, unit) = text.split_at(at);
    (number, unit.trim())
}

/// The factor of a prefix. 1 for none.
fn factor(prefix: &str) -> Option<Rational> {
    let (name, base) = match prefix.strip_suffix('i') {
        Some("K") => ("k", 1024),
        Some("k") => return None,
        Some(name) => (name, 1024),
        None if prefix.is_empty() => return Some(whole(1)),
        None => (prefix, 1000),
    };
    let exponent = PREFIXES.iter().position(|known| *known == name)?;
    let base = whole(base);
    Some((0..=exponent).fold(whole(1), |all, _| all * &base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn rate(text: &str, numerator: i64, denominator: i64) {
        let expected = Rational::new(numerator.into(), denominator.into());
        assert_eq!(bandwidth(text).ok(), Some(expected), "{text}");
    }

    #[test]
    fn bandwidths_have_prefixes_and_exponents() {
        rate("125MBps", 1, 8);
        rate("1Gbps", 1, 8);
        rate("1.25E8Bps", 1, 8);
        rate("1000EBps", 1_000_000_000_000, 1);
        rate("1E3EBps", 1_000_000_000_000, 1);
        rate("1e+9bps", 1, 8);
        rate("2GiBps", 2 << 30, 1_000_000_000);
        rate("1Kibps", 128, 1_000_000_000);
        rate("1YBps", 1_000_000_000_000_000, 1);
        rate("1000000000", 1, 1);
        rate("10 GB/s", 10, 1);
        for wrong in [
            "12",
            "1kiBps",
            "1XBps",
            "GBps",
            "-1MBps",
            "0Bps",
            "",
            "1e999999Bps",
        ] {
            assert!(wrong == "12" || bandwidth(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units() {
        let second = |numerator: i64, denominator: i64| {
            Some(Rational::new(numerator.into(), denominator.into()))
        };
        assert_eq!(time("50us").ok(), second(1, 20_000));
        assert_eq!(time("1.5ms").ok(), second(3, 2_000));
        assert_eq!(time("2m").ok(), second(120, 1));
        assert_eq!(time("0").ok(), second(0, 1));
        assert_eq!(time("1E-4").ok(), second(1, 10_000));
        assert!(time("1lightyear").is_err() && time("-1s").is_err());
    }
}
