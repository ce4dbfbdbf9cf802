//! The units that are known.

use std::fmt;

use crate::Rational;

/// A unit of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data {
    name: &'static str,
    bits: u64,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    name: &'static str,
    picoseconds: u64,
}

const fn data(name: &'static str, bits: u64) -> Data {
    Data { name, bits }
}

const fn time(name: &'static str, picoseconds: u64) -> Time {
    Time { name, picoseconds }
}

impl Data {
    /// 10^9 bytes.
    pub const GIGABYTE: Data = data("GB", 8_000_000_000);
    /// 10^9 bits.
    pub const GIGABIT: Data = data("Gbit", 1_000_000_000);
    /// One byte.
    pub const BYTE: Data = data("B", 8);

    /// Every unit of data: bytes and bits, by thousands and by 1024.
    pub const ALL: [Data; 18] = [
        Data::BYTE,
        data("kB", 8_000),
        data("MB", 8_000_000),
        Data::GIGABYTE,
        data("TB", 8_000_000_000_000),
        data("KiB", 8 << 10),
        data("MiB", 8 << 20),
        data("GiB", 8 << 30),
        data("TiB", 8 << 40),
        data("bit", 1),
        data("kbit", 1_000),
        data("Mbit", 1_000_000),
        Data::GIGABIT,
        data("Tbit", 1_000_000_000_000),
        data("Kibit", 1 << 10),
        data("Mibit", 1 << 20),
        data("Gibit", 1 << 30),
        data("Tibit", 1 << 40),
    ];

    /// The unit of this name; upper and lower case differ.
    pub fn find(name: &str) -> Option<Data> {
        Data::ALL.into_iter().find(|unit| unit.name == name)
    }

    /// Its name, such as `MiB`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// How many bits it is.
    pub fn bits(self) -> Rational {
        Rational::from_integer(self.bits.into())
    }

    /// Whether it counts bits and not bytes.
    pub fn is_of_bits(self) -> bool {
        self.name.ends_with("bit")
    }
}

impl Time {
    /// One second.
    pub const SECOND: Time = time("s", 1_000_000_000_000);

    /// Every unit of time.
    pub const ALL: [Time; 8] = [
        time("ps", 1),
        time("ns", 1_000),
        time("us", 1_000_000),
        time("\u{b5}s", 1_000_000),
        time("ms", 1_000_000_000),
        Time::SECOND,
        time("min", 60_000_000_000_000),
        time("h", 3_600_000_000_000_000),
    ];

    /// The unit of this name; upper and lower case differ. Microseconds are `us` or `µs`.
    pub fn find(name: &str) -> Option<Time> {
        // The Greek letter is as common as the micro sign.
        let name = if name == "\u{3bc}s" { "us" } else { name };
        Time::ALL.into_iter().find(|unit| unit.name == name)
    }

    /// Its name, such as `ms`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// How many seconds it is.
    pub fn seconds(self) -> Rational {
        Rational::new(self.picoseconds.into(), Time::SECOND.picoseconds.into())
    }
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The unit that may be meant by an unknown one.
pub(super) fn instead_of(unit: &str) -> String {
    if let Some(prefix) = ["k", "M", "G", "T"]
        .into_iter()
        .find(|prefix| prefix.eq_ignore_ascii_case(unit))
    {
        return format!(
            "; write {prefix}B or {}iB (bytes), or {prefix}bit (bits)",
            prefix.to_ascii_uppercase()
        );
    }
    let fold = |text: &str| {
        text.to_ascii_lowercase()
            .replace("bits", "bit")
            .replace("bytes", "b")
            .replace("byte", "b")
    };
    let alike = |name: &str| fold(name) == fold(unit);
    let with_bits =
        |name: &str| fold(name) == fold(unit).replace("ps", "").replace('b', "") + "bit";
    let mut close: Vec<String> = Vec::new();
    for unit in Data::ALL.into_iter().filter(|known| alike(known.name)) {
        close.push(format!("{unit} (bytes)"));
    }
    for known in Data::ALL
        .into_iter()
        .filter(|known| with_bits(known.name) || alike(known.name))
    {
        if known.is_of_bits() {
            close.retain(|text| !text.starts_with(&format!("{known} ")));
            close.push(format!(
                "{known}{} (bits)",
                if unit.ends_with("ps") { "/s" } else { "" }
            ));
        }
    }
    close.extend(
        Time::ALL
            .into_iter()
            .filter(|known| alike(known.name))
            .map(|known| known.to_string()),
    );
    if !close.is_empty() {
        return format!("; write {}", close.join(" or "));
    }
    "; units of data are B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, bit, kbit, Mbit, Gbit, Tbit (and Kibit, ...), of time ps, \
     ns, us, ms, s, min, h; rates are data/time (25 GB/s), costs time/data (80 ms/GB)"
        .to_string()
}
