//! Numbers with units, as options give them.

use num_traits::Signed;
use oneport::units::{Dimension, Quantity, UnitError};
use oneport::{Rational, Units, parse_rational};

use crate::error::{Result, usage};

/// A size in bytes: a number, `64 MiB`, or `64M`, which is the same.
pub fn bytes(option: &str, text: &str) -> Result<Rational> {
    let unit = |quantity: &Quantity| Units::bytes_and_seconds().data(quantity, text);
    read(option, text, unit)
}

/// A bandwidth above 0 in GB/s: a number, `400 Gbit/s`, `400Gbps` or `400G`, which are the same.
pub fn rate(option: &str, text: &str) -> Result<Rational> {
    let unit = |quantity: &Quantity| Units::gigabytes_and_seconds().rate(quantity, text);
    let value = read(option, text, unit)?;
    if value.is_positive() {
        return Ok(value);
    }
    Err(usage(format!(
        "{option}: '{text}' is not a bandwidth above 0, such as 25 (GB/s) or 400Gbit/s"
    )))
}

/// A time in seconds: a number, `10 s`, `2 min`.
pub fn seconds(option: &str, text: &str) -> Result<Rational> {
    let unit = |quantity: &Quantity| Units::bytes_and_seconds().time(quantity, text);
    read(option, text, unit)
}

/// A time on a platform of these units: a number in its unit of time, or `3 ms`.
pub fn time(option: &str, text: &str, units: Option<Units>) -> Result<Rational> {
    let Some(units) = units else {
        return parse_rational(text).map_err(|error| {
            let unitless = Quantity::parse(text).is_ok();
            usage(if unitless {
                format!(
                    "{option}: '{text}' has a unit, but the platform has none; give a plain number"
                )
            } else {
                format!("{option}: {error}")
            })
        });
    };
    read(option, text, |quantity| units.time(quantity, text))
}

/// A plain number, or the number in the unit.
fn read(
    option: &str,
    text: &str,
    unit: impl Fn(&Quantity) -> std::result::Result<Rational, UnitError>,
) -> Result<Rational> {
    let quantity = Quantity::parse(text);
    let value = quantity.and_then(|quantity| match quantity.dimension {
        Dimension::Number => Ok(parse_rational(text)?),
        _ => unit(&quantity),
    });
    value.map_err(|error| usage(format!("{option}: {error}")))
}

#[cfg(test)]
mod tests {
    use oneport::platform::whole;

    use super::*;

    #[test]
    fn options_take_numbers_and_units() -> std::result::Result<(), Box<dyn std::error::Error>> {
        assert_eq!(bytes("--bytes", "64M")?, whole(64 << 20));
        assert_eq!(rate("--bandwidth", "400Gbps")?, whole(50));
        assert_eq!(rate("--bandwidth", "400G")?, whole(50));
        assert_eq!(rate("--bandwidth", "25")?, whole(25));
        assert_eq!(seconds("--time-limit", "2 min")?, whole(120));
        let units = Some(Units::parse("GB/ms")?);
        assert_eq!(time("--until", "2 s", units)?, whole(2000));
        assert_eq!(time("--until", "7", units)?, whole(7));
        for (text, units, word) in [
            ("2 s", None, "has a unit"),
            ("2 GB", units, "a time"),
            ("soon", None, "--until"),
        ] {
            let error = time("--until", text, units)
                .err()
                .map(|error| error.to_string());
            assert!(error.is_some_and(|error| error.contains(word)), "{text}");
        }
        assert!(rate("--bandwidth", "0").is_err());
        Ok(())
    }
}
