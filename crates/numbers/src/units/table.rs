//! The units that are known.

use std::fmt;

use crate::{Rational, ratio, whole};

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

    /// The unit of this name: `MiB`, `Gbit`, or written out, as `MiByte`, `gbits`, `Mi`. Upper and lower case differ
    /// only between bytes and bits.
    pub fn find(name: &str) -> Option<Data> {
        let known = |name: &str| Data::ALL.into_iter().find(|unit| unit.name == name);
        known(name).or_else(|| known(&spelled(name)?))
    }

    /// The unit of this name in front of a time: the names of [`find`](Self::find), and `Gb` for `Gbit`, as usual for
    /// networks.
    pub(super) fn find_in_rate(name: &str) -> Option<Data> {
        let bits = || match name {
            "Kb" => Some("kbit".to_string()),
            _ => Some(format!("{}bit", name.strip_suffix('b')?)),
        };
        Data::find(name).or_else(|| {
            let bits = bits()?;
            Data::ALL.into_iter().find(|unit| unit.name == bits)
        })
    }

    /// Its name, such as `MiB`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// How many bits it is.
    pub fn bits(self) -> Rational {
        whole(self.bits)
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

    /// The unit of this name. Upper and lower case differ. Microseconds are `us`, `µs`, `usec` or `microseconds`.
    pub fn find(name: &str) -> Option<Time> {
        let known = |name: &str| Time::ALL.into_iter().find(|unit| unit.name == name);
        let written = || {
            let word = WRITTEN
                .iter()
                .find(|(_, words)| words.contains(&name.to_ascii_lowercase().as_str()));
            word.and_then(|(name, _)| known(name))
        };
        known(name).or_else(written)
    }

    /// Its name, such as `ms`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// How many seconds it is.
    pub fn seconds(self) -> Rational {
        ratio(self.picoseconds, Time::SECOND.picoseconds)
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

/// Units of time by the words for them, in lower case.
#[rustfmt::skip]
const WRITTEN: [(&str, &[&str]); 7] = [
    ("ps", &["psec", "picosecond", "picoseconds"]),
    ("ns", &["nsec", "nanosecond", "nanoseconds"]),
    // The Greek letter is as common as the micro sign.
    ("us", &["\u{3bc}s", "usec", "usecs", "microsecond", "microseconds"]),
    ("ms", &["msec", "msecs", "millisecond", "milliseconds"]),
    ("s", &["sec", "secs", "second", "seconds"]),
    ("min", &["mins", "minute", "minutes"]),
    ("h", &["hr", "hrs", "hour", "hours"]),
];

/// The name in [`Data::ALL`] of a unit that is written otherwise: `KB`, `Mbits`, `gigabytes` as `GBytes`, `Mi`.
fn spelled(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let word = ["bytes", "byte", "bits", "bit"]
        .into_iter()
        .find(|word| lower.ends_with(word));
    let (prefix, unit) = match word {
        Some(word) => (
            lower[..lower.len() - word.len()].to_string(),
            if word.starts_with("bit") { "bit" } else { "B" },
        ),
        None if name == "KB" || name == "kiB" => (name[..name.len() - 1].to_string(), "B"),
        None if ["Ki", "Mi", "Gi", "Ti"].contains(&name) => (name.to_string(), "B"),
        None => return None,
    };
    let mut letters = prefix.chars();
    let prefix = match (letters.next(), letters.as_str()) {
        (None, _) => String::new(),
        (Some('k' | 'K'), "") => "k".to_string(),
        (Some(first), rest @ ("" | "i")) => format!("{}{rest}", first.to_ascii_uppercase()),
        _ => return None,
    };
    Some(format!("{prefix}{unit}"))
}

/// A rate in one word: `Gbps`, `MBps`, `GiBps`. `GbE` is Ethernet's name for gigabits per second.
pub(super) fn rate_word(word: &str) -> Option<(Data, Time)> {
    let ethernet = ["bE", "E"]
        .into_iter()
        .find_map(|end| word.strip_suffix(end));
    if let Some(prefix) = ethernet.filter(|prefix| ["M", "G", "T"].contains(prefix)) {
        return Some((Data::find(&format!("{prefix}bit"))?, Time::SECOND));
    }
    let unit = word.strip_suffix("ps")?;
    // `gbps` means gigabits, and `mbps` megabits: thousandths of a bit are not in use.
    let bits = unit.strip_suffix('b').map(|prefix| format!("{prefix}bit"));
    let data = bits.map_or_else(|| Data::find(unit), |bits| Data::find(&bits))?;
    Some((data, Time::SECOND))
}

/// Returns the exponent of 1000, or of 1024, that a lone letter means, as in `64M` and `400G`.
pub(super) fn power(letter: &str) -> Option<i32> {
    let position = ["k", "m", "g", "t"]
        .into_iter()
        .position(|known| known.eq_ignore_ascii_case(letter))?;
    i32::try_from(position + 1).ok()
}

/// The unit whose spelling is closest to an unknown one.
pub(super) fn instead_of(unit: &str) -> String {
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
