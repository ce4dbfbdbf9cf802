//! Units in files: a platform is the same for all units of its numbers.

use crate::common;

use common::{platform, units};
use oneport_files::{
    AmountError, Mistake, PlatformFormat, matrix_in_units, parse_amount, parse_platform,
    parse_size, parse_work, write_platform,
};
use oneport_plan::Amount;
use oneport_platform::units::{Data, Time};
use oneport_platform::{Platform, PortModel, Rational, Units, whole};
use oneport_testkit::number;
use proptest::prelude::*;

fn toml(body: &str) -> Result<Platform, Mistake> {
    let text = format!("format = \"oneport-platform/1\"\n{body}");
    parse_platform("text", text.as_bytes(), PlatformFormat::Toml).map_err(|error| *error.mistake)
}

/// Two processors and a link, with these values.
fn pair(top: &str, compute: &str, link: &str) -> Result<Platform, Mistake> {
    toml(&format!(
        "{top}\nnode = [{{ name = \"a\", {compute} }}, {{ name = \"b\" }}]\nlink = [{{ from = \"a\", to = \"b\", {link} }}]"
    ))
}

/// The cost of the link in seconds per byte, and the compute in seconds per unit of work or per byte.
fn meaning(platform: &Platform) -> (Rational, Option<Rational>) {
    let units = platform.units().expect("units");
    let (seconds, bytes) = (units.time.seconds(), units.data.bits() / number("8"));
    let work = if units.work_is_data {
        bytes.clone()
    } else {
        number("1")
    };
    let compute = platform
        .nodes()
        .iter()
        .find_map(|node| node.compute.clone());
    let cost = platform.links().iter().next().expect("a link").cost.clone();
    (
        cost * &seconds / bytes,
        compute.map(|compute| compute * seconds / work),
    )
}

/// A second derivation, by hand: 25 GB/s is 40 ps a byte.
#[test]
fn the_same_link_in_every_spelling() {
    let expected = number("1/25000000000");
    for link in [
        "bandwidth = \"25 GB/s\"",
        "bandwidth = \"200 Gbit/s\"",
        "bandwidth = \"25GB/s\"",
        "bandwidth = \"25000 MB/s\"",
        "bandwidth = \"25 MB/ms\"",
        "bandwidth = \"25 kB/us\"",
        "cost = \"40 ms/GB\"",
        "cost = \"40 us/MB\"",
        "cost = \"1/25 s/GB\"",
        "bandwidth = \"48828125/2097152 GiB/s\"",
    ] {
        let platform = pair("", "compute = \"2 ms/GB\"", link).expect(link);
        assert_eq!(
            meaning(&platform),
            (expected.clone(), Some(number("2/1000000000000"))),
            "{link}"
        );
    }
    for (top, link) in [
        ("GB/s", "bandwidth = 25"),
        ("Gbit/s", "bandwidth = 200"),
        ("MB/ms", "cost = \"1/25\""),
        ("B/ns", "cost = 0.04"),
    ] {
        let platform = pair(&format!("units = \"{top}\""), "compute = 1", link).expect(link);
        assert_eq!(meaning(&platform).0, expected, "{top}, {link}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let mistake = |top: &str, compute: &str, link: &str| {
        pair(top, compute, link).expect_err(link).to_string()
    };
    for (top, compute, link, words) in [
        (
            "",
            "compute = 1",
            "bandwidth = \"25 GB/s\"",
            ["25 GB/s", "has a unit"],
        ),
        (
            "",
            "compute = \"1 ms/GB\"",
            "bandwidth = 25",
            ["25", "has no unit"],
        ),
        (
            "",
            "compute = \"1 ms/GB\"",
            "cost = \"25 GB/s\"",
            ["25 GB/s", "bandwidth"],
        ),
        (
            "",
            "compute = \"1 ms/GB\"",
            "bandwidth = \"25 gib/s\"",
            ["gib", "Gibit"],
        ),
        (
            "",
            "compute = \"1 ms/GB\"",
            "bandwidth = \"25 gb/s\"",
            ["gb", "GB"],
        ),
        (
            "",
            "compute = \"1 ms/GB\"",
            "bandwidth = \"25 GB\"",
            ["25 GB", "GB/s"],
        ),
        (
            "",
            "compute = \"1 GB\"",
            "bandwidth = \"25 GB/s\"",
            ["1 GB", "a time"],
        ),
        (
            "",
            "compute = \"0 ms/GB\"",
            "bandwidth = \"25 GB/s\"",
            ["0", "positive"],
        ),
        (
            "",
            "compute = \"1 ms/GB\"",
            "bandwidth = \"-25 GB/s\"",
            ["25", "positive"],
        ),
        (
            "units = \"GB\"",
            "compute = 1",
            "bandwidth = 1",
            ["GB", "GB/s"],
        ),
        (
            "units = \"furlong/s\"",
            "compute = 1",
            "bandwidth = 1",
            ["furlong", "GB"],
        ),
    ] {
        let said = mistake(top, compute, link);
        assert!(
            words.iter().all(|word| said.contains(word)),
            "{top}, {compute}, {link}: {said}"
        );
    }
    let two = "units = \"GB/s\"\nnode = [{ name = \"a\", compute = 1 }, { name = \"b\", compute = \"2 ms/GB\" }]";
    let said = toml(two).expect_err("work of two kinds").to_string();
    assert!(said.contains("2 ms/GB") && said.contains('1'), "{said}");
}

#[test]
fn a_switch_is_three_words_in_one() {
    let node = |keys: &str| {
        toml(&format!("node = [{{ name = \"s\", {keys} }}]"))
            .map(|platform| platform.nodes()[0].clone())
    };
    let long = node("model = \"links\", replicates = false").expect("a node");
    assert_eq!(node("switch = true").expect("a switch"), long);
    assert_eq!(
        node("switch = true, replicates = false").expect("a switch"),
        long
    );
    let copying = node("switch = true, replicates = true").expect("a switch");
    assert_eq!(
        (copying.model, copying.replicates),
        (Some(PortModel::Links), true)
    );
    assert!(!node("switch = false").expect("a router").is_processor());
    let said = node("switch = true, model = \"links\"")
        .expect_err("two words for one thing")
        .to_string();
    assert!(said.contains("switch") && said.contains("model"), "{said}");
}

#[test]
fn a_switch_reduces_at_a_rate_or_in_no_time() {
    let switch = |keys: &str| {
        toml(&format!(
            "units = \"GB/s\"\nnode = [{{ name = \"s\", {keys} }}]"
        ))
        .map(|platform| platform.nodes()[0].clone())
    };
    let time = |keys: &str| switch(keys).expect("a switch").reduces;
    assert_eq!(time("switch = true, reduces = true"), Some(number("0")));
    assert_eq!(time("reduces = \"3600 GB/s\""), Some(number("1/3600")));
    assert_eq!(time("reduces = \"2 ms/GB\""), Some(number("1/500")));
    assert_eq!(time("reduces = 0"), Some(number("0")));
    assert_eq!(time("reduces = false"), None);
    let node = switch("reduces = true").expect("a switch");
    assert_eq!(
        (node.is_processor(), node.merges(), node.replicates),
        (false, true, true)
    );
    for (keys, words) in [
        ("reduces = -1", "must be 0 or more"),
        ("compute = 1, reduces = true", "compute and reduces"),
        ("reduces = [1]", "true, false"),
        ("reduces = \"fast\"", "fast"),
        ("reduces = \"0 GB/s\"", "0 GB/s"),
    ] {
        let said = switch(keys).expect_err(keys).to_string();
        assert!(said.contains(words), "{keys}: {said}");
    }
}

#[test]
fn a_matrix_says_its_units_in_the_corner() {
    let matrix = |text: &str| parse_platform("text", text.as_bytes(), PlatformFormat::Matrix);
    let text = "Gbit/s;a;b\na;;8\nb;4;\n";
    let platform = matrix(text).expect("a matrix");
    assert_eq!(meaning(&platform).0, number("1/1000000000"));
    // The file gives no rate of merging: 1000 GB/s, which are 8000 Gbit/s, are assumed.
    assert_eq!(platform.nodes()[0].compute, Some(number("1/8000")));
    assert!(platform.units().is_some_and(|units| units.work_is_data));
    let plain = matrix(&text.replace("Gbit/s", "from")).expect("a matrix");
    assert_eq!(
        (plain.units(), &plain.nodes()[0].compute),
        (None, &Some(number("1")))
    );
    assert_eq!(
        matrix_in_units(plain, platform.units().expect("units")),
        Ok(platform.clone())
    );
    // Among words, and in a comment above the first row.
    for alike in [
        text.replace("Gbit/s", "bandwidth (Gbit/s)"),
        format!("# iperf, in Gbit/s\n{}", text.replace("Gbit/s", "")),
        format!("#unit=Gbit/s\n{}", text.replace("Gbit/s", "from")),
        format!("# not MB/s\n{text}"),
    ] {
        assert_eq!(matrix(&alike).as_ref(), Ok(&platform), "{alike}");
    }
    let below = format!("{}# in Gbit/s\n", text.replace("Gbit/s", ""));
    assert_eq!(matrix(&below).expect("a matrix").units(), None);
    for (wrong, part) in [
        (text.replace("Gbit/s", "Xbps"), "'Xbps'"),
        (
            "Matrix (GB/s)\n0 1\n1 0\n".to_string(),
            "put # before a title",
        ),
        (text.replace("Gbit/s", "Gbit/fortnight"), "fortnight"),
        (
            format!("# MB/s, or was it Gbit/s?\n{}", text.replace("Gbit/s", "")),
            "top left cell",
        ),
    ] {
        let error = matrix(&wrong).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn the_diagonal_may_hold_anything() {
    let read = |text: &str| {
        parse_platform("text", text.as_bytes(), PlatformFormat::Matrix)
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let plain = read("0,2,3\n4,0,5\n6,N/A,0\n");
    assert_eq!((plain.nodes().len(), plain.links().len()), (3, 5));
    for diagonal in ["N/A", "n/a", "X", "self", "-", "900"] {
        let text = format!("{diagonal},2,3\n4,{diagonal},5\n6,n/a,{diagonal}\n");
        assert_eq!(read(&text), plain, "{diagonal}");
        let spaces = text.replace(',', "  ");
        assert_eq!(read(&spaces), plain, "{diagonal}");
    }
    // As wide as high, but with names on two sides: numbers may be names.
    let named = read("D\\D 0 1\n0 900 2\n1 3 900\n");
    let names: Vec<&str> = named
        .nodes()
        .iter()
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!((names, named.links().len()), (vec!["0", "1"], 2));
}

#[test]
fn sizes_and_work_follow_the_platform() {
    let gigabytes = Some(Units::gigabytes_and_seconds());
    let merged = gigabytes.map(|units| Units {
        work_is_data: true,
        ..units
    });
    let size = parse_size("64 MiB", gigabytes).expect("a size");
    assert_eq!(size, Amount::Constant(number("67108864/1000000000")));
    assert_eq!(
        parse_size("2", gigabytes),
        Ok(Amount::Constant(number("2")))
    );
    let affine = Amount::Affine {
        fixed: number("1/1000000"),
        per_operand: number("8/1000000000"),
    };
    assert_eq!(parse_size("1 kB + 8 B n", gigabytes), Ok(affine));
    // Time per data follows the size, data the computes.
    assert_eq!(
        parse_work("2 ms/GB", gigabytes, &size),
        Ok(Amount::Constant(number("67108864/500000000000")))
    );
    assert_eq!(
        parse_work("500 GB/s", gigabytes, &size),
        parse_work("2 ms/GB", gigabytes, &size)
    );
    assert_eq!(
        parse_work("2 ms", gigabytes, &size),
        Ok(Amount::Constant(number("1/500")))
    );
    assert_eq!(parse_work("64 MiB", merged, &size), Ok(size.clone()));
    assert!(matches!(
        parse_work("2 ms/GB", merged, &size),
        Err(AmountError::WorkTwice(_))
    ));
    assert!(matches!(
        parse_work("64 MiB", gigabytes, &size),
        Err(AmountError::WorkAsData(_))
    ));
    assert!(matches!(
        parse_size("64 MiB", None),
        Err(AmountError::NoUnits(_))
    ));
    assert!(matches!(
        parse_work("2 ms", None, &size),
        Err(AmountError::NoUnits(_))
    ));
    for text in ["64 Mib", "64 mb", "64 ms", "5 GB/s", "MiB"] {
        assert!(parse_size(text, gigabytes).is_err(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Rewritten in other units, every number changes and the platform stays the same.
    #[test]
    fn other_units_say_the_same(platform in platform(), other in units()) {
        let (Some(own), Some(other)) = (platform.units(), other) else { return Ok(()) };
        prop_assume!(!platform.links().is_empty());
        let text = write_platform(&platform, PlatformFormat::Toml).expect("a file");
        let with_units = |units: Units| {
            let body = text.replacen(&format!("units = \"{own}\""), &format!("units = \"{units}\""), 1);
            parse_platform("text", body.as_bytes(), PlatformFormat::Toml).expect("other units")
        };
        let units = Units { work_is_data: own.work_is_data, ..other };
        let (read, same) = (with_units(units), with_units(own));
        prop_assert_eq!(&same, &platform);
        let factor = units.time.seconds() / own.time.seconds() * own.data.bits() / units.data.bits();
        prop_assert_eq!(meaning(&read).0, meaning(&platform).0 * factor);
    }

    /// Sizes in bytes equal plain numbers in the platform's unit.
    #[test]
    fn bytes_are_bytes(bytes in 1..u64::MAX, data in prop::sample::select(Data::ALL.to_vec())) {
        let units = Units { data, time: Time::find("s").expect("seconds"), work_is_data: false };
        let plain = whole(bytes) * number("8") / data.bits();
        prop_assert_eq!(parse_size(&format!("{bytes} B"), Some(units)), parse_amount(&plain.to_string()));
    }
}
