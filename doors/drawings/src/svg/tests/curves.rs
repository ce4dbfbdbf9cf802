//! Line charts.

use super::parse::{assert_inside, parse};
use crate::svg::{CurveOptions, Measure, Series, curve};

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    Series {
        name: name.to_string(),
        points: points.to_vec(),
    }
}

#[test]
fn points_are_where_their_values_are() {
    for log_x in [false, true] {
        let data = [(1.0, 0.25), (10.0, 0.5), (100.0, 0.75)];
        let options = CurveOptions {
            log_x,
            reference: Some((1.0, "optimum".to_string())),
            ..Default::default()
        };
        let text = curve(
            "ratio & <K>",
            "K",
            "delivered / optimal",
            &[series("toy", &data)],
            &options,
        );
        assert_eq!(
            text,
            curve(
                "ratio & <K>",
                "K",
                "delivered / optimal",
                &[series("toy", &data)],
                &options
            )
        );
        let elements = parse(&text);
        assert_inside(&elements);
        assert!(elements.iter().any(|element| element.text == "ratio & <K>"));
        let dots: Vec<(f64, f64)> = elements
            .iter()
            .filter(|e| e.name == "circle")
            .map(|e| (e.number("cx"), e.number("cy")))
            .collect();
        assert_eq!(dots.len(), 3);
        let (first, second) = (dots[1].0 - dots[0].0, dots[2].0 - dots[1].0);
        let ratio = if log_x { 1.0 } else { 10.0 };
        assert!(
            (second / first - ratio).abs() < 0.02,
            "{first} and {second}"
        );
        assert!(((dots[0].1 - dots[1].1) - (dots[1].1 - dots[2].1)).abs() < 0.02);
        let reference = elements
            .iter()
            .find(|e| e.name == "line" && e.number("stroke-width") == 1.4)
            .unwrap();
        assert!(
            (dots[2].1 - reference.number("y1") - (dots[1].1 - dots[2].1)).abs() < 0.03,
            "the line is at 1"
        );
    }
}

#[test]
fn odd_values_are_left_out_without_a_panic() {
    let odd = [
        (0.0, 1.0),
        (-1.0, 2.0),
        (f64::NAN, 1.0),
        (3.0, f64::INFINITY),
        (2.0, 5.0),
        (4.0, 5.0),
    ];
    let options = CurveOptions {
        log_x: true,
        reference: Some((f64::NAN, "none".to_string())),
        ..Default::default()
    };
    let elements = parse(&curve(
        "",
        "",
        "",
        &[series("odd", &odd), series("", &[])],
        &options,
    ));
    assert_inside(&elements);
    assert_eq!(elements.iter().filter(|e| e.name == "circle").count(), 2);
    for points in [
        vec![],
        vec![(1.0, 1.0)],
        vec![(1e-300, -1e300), (1e300, 1e300)],
        vec![(0.0, 0.0)],
    ] {
        for log_x in [false, true] {
            let options = CurveOptions {
                log_x,
                reference: None,
                ..Default::default()
            };
            assert_inside(&parse(&curve(
                "t",
                "x",
                "y",
                &[series("s", &points)],
                &options,
            )));
        }
    }
}

/// An axis that does not begin at 0 is marked and drawn with a break. One that does, or is logarithmic, is not.
#[test]
fn a_cut_axis_is_marked() {
    let drawn = |points: &[(f64, f64)], log_y| {
        curve(
            "t",
            "x",
            "y",
            &[series("s", points)],
            &CurveOptions {
                log_y,
                ..Default::default()
            },
        )
    };
    let marks = |text: &str| {
        (
            text.contains("does not begin at 0"),
            text.matches("class=\"break\"").count(),
        )
    };
    let narrow = [(1.0, 3.328), (2.0, 3.333)];
    assert_eq!(marks(&drawn(&narrow, false)), (true, 2));
    assert_inside(&parse(&drawn(&narrow, false)));
    assert_eq!(marks(&drawn(&[(1.0, 0.1), (2.0, 3.3)], false)), (false, 0));
    assert_eq!(marks(&drawn(&narrow, true)), (false, 0));
}

#[test]
fn many_series_stay_apart() {
    let lines: Vec<Series> = (0..12)
        .map(|k| series(&format!("line {k}"), &[(0.0, 0.0), (1.0, f64::from(k))]))
        .collect();
    let elements = parse(&curve("t", "x", "y", &lines, &CurveOptions::default()));
    assert_inside(&elements);
    let mut looks: Vec<(String, Option<String>)> = elements
        .iter()
        .filter(|e| e.is("series"))
        .map(|e| {
            (
                e.attributes["stroke"].clone(),
                e.attributes.get("stroke-dasharray").cloned(),
            )
        })
        .collect();
    looks.sort();
    looks.dedup();
    assert_eq!(looks.len(), 12);
}

#[test]
fn both_axes_can_be_logarithmic_and_have_units() {
    let data: Vec<(f64, f64)> = (0..21)
        .map(|k| (1024.0 * 2f64.powi(k), 1e-5 * 2f64.powi(k)))
        .collect();
    let options = CurveOptions {
        log_x: true,
        log_y: true,
        measures: (Measure::Bytes, Measure::Seconds),
        reference: Some((-1.0, "never".to_string())),
    };
    let elements = parse(&curve(
        "time",
        "size",
        "time",
        &[series("ring", &data)],
        &options,
    ));
    assert_inside(&elements);
    let dots: Vec<(f64, f64)> = elements
        .iter()
        .filter(|e| e.name == "circle")
        .map(|e| (e.number("cx"), e.number("cy")))
        .collect();
    assert_eq!(dots.len(), data.len());
    let steps = |pick: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        dots.windows(2)
            .map(|pair| pick(&pair[1]) - pick(&pair[0]))
            .collect()
    };
    for steps in [steps(|dot| dot.0), steps(|dot| -dot.1)] {
        assert!(
            steps
                .iter()
                .all(|step| *step > 0.0 && (step - steps[0]).abs() < 0.03),
            "{steps:?}"
        );
    }
    for wanted in ["1 MiB", "1 ms"] {
        assert!(elements.iter().any(|e| e.text == wanted), "{wanted}");
    }
    assert!(elements.iter().any(|e| e.title == "ring: 1 MiB, 10.24 ms"));
}

#[test]
fn measures_are_shown_in_the_unit_that_suits() {
    for (measure, value, text) in [
        (Measure::Bytes, 67_108_864.0, "64 MiB"),
        (Measure::Bytes, 64e6, "64 MB"),
        (Measure::Bytes, 0.0, "0 B"),
        (Measure::Seconds, 0.0015, "1.5 ms"),
        (Measure::Seconds, 3e-10, "0.3 ns"),
        (Measure::BytesPerSecond, 25e9, "25 GB/s"),
        (Measure::Number, 0.5, "0.5"),
    ] {
        assert_eq!(measure.show(value), text);
    }
    for (low, high) in [(1.0, 2f64.powi(40)), (1000.0, 5000.0), (8.0, 8.0)] {
        let ticks = Measure::Bytes.ticks((low, high), true, 9);
        assert!(
            ticks.len() <= 9 && ticks.iter().all(|tick| (low..=high).contains(tick)),
            "{ticks:?}"
        );
        assert!(!ticks.is_empty());
    }
}
