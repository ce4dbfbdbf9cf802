//! The parts: numbers, ticks, colours, texts.

use std::collections::BTreeSet;

use oneport_platform::{Rational, ratio, whole};

use super::samples::q;
use crate::svg::colour::Colour;
use crate::svg::{ticks, xml};
use crate::words;

#[test]
fn short_rationals_are_exact_long_ones_say_that_they_are_not() {
    for (text, shown) in [
        ("2/3", "2/3"),
        ("123456/78901", "123456/78901"),
        ("1234567/78901", "≈15.65"),
        ("-1234567/7890123", "≈-0.1565"),
        ("1e-40", "≈1e-40"),
        ("1234567890123", "≈1.235e12"),
        ("1e400", "≈1e400"),
        ("1e-400", "≈1e-400"),
    ] {
        assert_eq!(words::show(&q(text)), shown, "{text}");
    }
    assert_eq!(words::terse(&q("400/1001099")), "≈0.0004");
    assert_eq!(words::terse(&q("11/234")), "11/234");
}

#[test]
fn coordinates_are_short_and_never_nan() {
    for (value, text) in [
        (1.0, "1"),
        (0.126, "0.13"),
        (-0.001, "0"),
        (10.5, "10.5"),
        (f64::NAN, "0"),
    ] {
        assert_eq!(xml::number(value), text);
    }
}

#[test]
fn fitted_texts_fit() {
    let text = "a name of some length, WITH Capitals – and 机器";
    for room in [20.0, 50.0, 100.0, 200.0, 1000.0] {
        for fitted in [
            words::fit(text, 11.0, room),
            words::fit_name(text, 11.0, room),
        ] {
            assert!(
                words::width(&fitted, 11.0) <= room + 0.01,
                "{fitted:?} in {room}"
            );
            assert_eq!(fitted == text, words::width(text, 11.0) <= room);
        }
    }
    assert!(words::fit_name("host-with-a-long-name-17", 11.0, 90.0).ends_with("17"));
}

#[test]
fn few_marks_are_exact_ticks_many_give_round_ones() {
    let exact = ticks::time_axis(&q("2"), &[q("2/3"), q("1"), q("2")], None, 11.0, 700.0);
    let labels: Vec<&str> = exact.iter().map(|tick| tick.label.as_str()).collect();
    assert_eq!(labels, ["0", "2/3", "1", "2"]);
    for horizon in ["25", "1001099/200", "7/3", "1e-30", "123e40", "10", "1"] {
        let horizon = q(horizon);
        let marks: Vec<Rational> = (1..100).map(|k| &horizon * ratio(k, 100)).collect();
        let ticks = ticks::time_axis(&horizon, &marks, None, 11.0, 700.0);
        assert!(
            (5..=13).contains(&ticks.len()),
            "{horizon}: {} ticks",
            ticks.len()
        );
        let step = &ticks[1].time - &ticks[0].time;
        for (index, tick) in ticks[..ticks.len() - 1].iter().enumerate() {
            assert_eq!(tick.time, &step * whole(index));
        }
        assert_eq!(ticks.last().unwrap().time, horizon);
        let mut digits: String = (step.numer() * step.denom()).to_string();
        digits.retain(|digit| digit != '0');
        assert!(["1", "2", "5"].contains(&digits.as_str()), "step {step}");
    }
}

#[test]
fn tick_labels_do_not_touch() {
    let marks: Vec<Rational> = (1..12).map(|k| ratio(k, 1_000)).collect();
    let ticks = ticks::time_axis(&q("1"), &marks, None, 11.0, 700.0);
    assert_eq!(ticks.len(), 13);
    let mut free = f64::NEG_INFINITY;
    for tick in ticks.iter().filter(|tick| !tick.label.is_empty()) {
        let (at, half) = (
            words::share(&tick.time, &q("1")) * 700.0,
            words::width(&tick.label, 11.0) / 2.0,
        );
        assert!(at - half > free, "{}", tick.label);
        free = at + half;
    }
    assert!(ticks.first().unwrap().label == "0" && ticks.last().unwrap().label == "1");
}

#[test]
fn texts_on_colours_have_contrast_and_colours_differ() {
    let linear = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    let mut seen = BTreeSet::new();
    for index in 0..500 {
        let colour = Colour::category(index);
        seen.insert(colour.hex());
        let luminance =
            0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2);
        let contrast = if colour.text() == "#000000" {
            (luminance + 0.05) / 0.05
        } else {
            1.05 / (luminance + 0.05)
        };
        assert!(contrast >= 4.5, "{} {contrast}", colour.hex());
    }
    assert!(seen.len() > 480, "{} colours of 500", seen.len());
    let first: BTreeSet<String> = (0..60).map(|index| Colour::category(index).hex()).collect();
    assert_eq!(first.len(), 60);
}
