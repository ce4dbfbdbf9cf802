//! Quantities are read exactly, and the text shown for them has the same value.

use super::*;
use crate::ratio;

#[test]
fn quantities_are_exact() -> Result<(), UnitError> {
    let gigabytes = Units::parse("GB/s")?;
    let rate = |text: &str| gigabytes.rate(&Quantity::parse(text)?, text);
    assert_eq!(rate("10 Gbit/s")?, ratio(5, 4));
    assert_eq!(rate("25GB/s")?, ratio(25, 1));
    assert_eq!(rate("1 MiB/ms")?, ratio(1_048_576, 1_000_000));
    assert_eq!(rate("2/3 GB/s")?, ratio(2, 3));
    assert_eq!(rate("1e-3 TB / s")?, ratio(1, 1));
    let cost = |text: &str| gigabytes.cost(&Quantity::parse(text)?, text);
    assert_eq!(cost("80 ms/GB")?, ratio(2, 25));
    assert_eq!(cost("1 ps/bit")?, ratio(8, 1000));
    assert_eq!(cost("25 GB/s")?, ratio(1, 25));
    let bytes = Units::parse("B/us")?;
    assert_eq!(
        bytes.data(&Quantity::parse("64MiB")?, "64MiB")?,
        ratio(67_108_864, 1)
    );
    assert_eq!(
        bytes.time(&Quantity::parse("1 h")?, "1 h")?,
        ratio(3_600_000_000_i64, 1)
    );
    assert_eq!(bytes.time(&Quantity::parse("5 µs")?, "5 µs")?, ratio(5, 1));
    assert_eq!(bytes.time(&Quantity::parse("5 μs")?, "5 μs")?, ratio(5, 1));
    Ok(())
}

/// The right sides are computed by hand, in bits and seconds.
#[test]
fn units_are_read_as_people_write_them() -> Result<(), UnitError> {
    let units = Units::parse("bit/s")?;
    let rate = |text: &str| units.rate(&Quantity::parse(text)?, text);
    for (text, bits) in [
        ("100Gbps", 100_000_000_000_i64),
        ("100 gbps", 100_000_000_000),
        ("100Gb/s", 100_000_000_000),
        ("100 Gbits/sec", 100_000_000_000),
        ("10GbE", 10_000_000_000),
        ("40GE", 40_000_000_000),
        ("400G", 400_000_000_000),
        ("2 MBps", 16_000_000),
        ("1 MiBps", 8_388_608),
        ("1 Kibps", 1024),
        ("3 bps", 3),
        ("1 GByte/second", 8_000_000_000),
        ("5k", 5000),
    ] {
        assert_eq!(rate(text)?, ratio(bits, 1), "{text}");
    }
    let data = |text: &str| units.data(&Quantity::parse(text)?, text);
    for (text, bytes) in [
        ("64M", 64_i64 << 20),
        ("64m", 64 << 20),
        ("64 k", 64 << 10),
        ("1G", 1 << 30),
        ("1Gi", 1 << 30),
        ("2 KB", 2000),
        ("2 kiB", 2048),
        ("3 MBytes", 3_000_000),
        ("1 byte", 1),
        ("8 bits", 1),
    ] {
        assert_eq!(data(text)?, ratio(bytes * 8, 1), "{text}");
    }
    let time = |text: &str| units.time(&Quantity::parse(text)?, text);
    assert_eq!(time("10 sec")?, ratio(10, 1));
    assert_eq!(time("3msec")?, ratio(3, 1000));
    assert_eq!(time("2 minutes")?, ratio(120, 1));
    assert_eq!(units.cost(&Quantity::parse("1k")?, "1k")?, ratio(1, 1000));
    assert_eq!(Units::parse("Gbps")?, Units::parse("Gbit/s")?);
    assert_eq!(Units::parse("Gb/s")?, Units::parse("Gbit/s")?);
    assert!(time("5G").is_err_and(|error| error.to_string().contains("without a unit")));
    Ok(())
}

#[test]
fn every_unit_is_read_back() -> Result<(), UnitError> {
    for data in Data::ALL {
        for time in Time::ALL {
            let units = Units {
                data,
                time,
                work_is_data: false,
            };
            assert_eq!(Units::parse(&units.to_string())?, units);
            let (rate, cost) = (format!("3 {data}/{time}"), format!("3 {time}/{data}"));
            assert_eq!(
                units.rate(&Quantity::parse(&rate)?, &rate)?,
                ratio(3, 1),
                "{rate}"
            );
            assert_eq!(
                units.cost(&Quantity::parse(&cost)?, &cost)?,
                ratio(3, 1),
                "{cost}"
            );
        }
    }
    Ok(())
}

#[test]
fn units_that_are_none_get_what_would_be_right() {
    let message = |text: &str| {
        Quantity::parse(text)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    for (text, part) in [
        ("64 Mib", "write MiB (bytes) or Mibit (bits)"),
        ("64 mb", "write MB (bytes) or Mbit (bits)"),
        ("64 Gb", "write GB (bytes) or Gbit (bits)"),
        ("10 gb/s", "write GB (bytes) or Gbit (bits)"),
        ("5 S", "write s"),
        ("5 Mps", "write Mbit/s (bits)"),
        ("5 bE", "units of data are B, kB"),
        ("5 parsec", "units of data are B, kB"),
        ("5 GB/GB", "'GB/GB' is not a unit"),
        ("5 GB/s/s", "'GB/s/s' is not a unit"),
        ("x", "'x' is not a number"),
        ("nan", "'nan' is not a number"),
        ("1..2 GB", "'1..2' is not a number"),
        ("", "'' is not a number"),
    ] {
        assert!(message(text).contains(part), "{text}: {}", message(text));
    }
    assert!(
        Units::parse("GB").is_err()
            && Units::parse("s/GB").is_err()
            && Units::parse("GB/furlong").is_err()
    );
}

#[test]
fn another_dimension_is_refused() -> Result<(), UnitError> {
    let units = Units::gigabytes_and_seconds();
    let error = |text: &str| -> Result<String, UnitError> {
        Ok(units
            .rate(&Quantity::parse(text)?, text)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default())
    };
    assert_eq!(
        error("80 ms/GB")?,
        "'80 ms/GB' is a cost (time per data); here stands a rate (data per time), such as 25 GB/s"
    );
    assert!(error("7")?.starts_with("'7' is a number without a unit"));
    assert!(units.cost(&Quantity::parse("0 GB/s")?, "0 GB/s").is_err());
    Ok(())
}

#[test]
fn quantities_are_shown_in_units_that_fit() -> Result<(), UnitError> {
    let units = Units::gigabytes_and_seconds();
    assert_eq!(units.show_time(&ratio(1, 800)), "1.25 ms");
    assert_eq!(units.show_time(&ratio(5, 1)), "5 s");
    assert_eq!(
        units.show_time(&ratio(1, 3_000_000_000_000_i64)),
        "0.000333333 ns"
    );
    assert_eq!(units.show_time(&ratio(0, 1)), "0 s");
    assert_eq!(units.show_data(&ratio(67_108_864, 1_000_000_000)), "64 MiB");
    assert_eq!(units.show_data(&ratio(1, 1)), "1 GB");
    assert_eq!(units.show_data(&ratio(1, 3)), "333.333 MB");
    assert_eq!(units.show_rate(&ratio(25, 1)), "25 GB/s");
    assert_eq!(units.show_rate(&ratio(4800, 1)), "4800 GB/s");
    assert_eq!(units.show_rate(&ratio(1, 8)), "125 MB/s");
    assert_eq!(
        Units::parse("bit/us")?.show_rate(&ratio(10_000, 1)),
        "10 Gbit/s"
    );
    assert_eq!(
        Units::parse("GB/ms")?.show_frequency(&ratio(1, 3)),
        "333.333 per second"
    );
    Ok(())
}
