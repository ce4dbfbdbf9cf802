//! Line charts.

use super::parse::{assert_inside, parse};
use crate::svg::{CurveOptions, Series, curve};

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    Series { name: name.to_string(), points: points.to_vec() }
}

#[test]
fn points_are_where_their_values_are() {
    for log_x in [false, true] {
        let data = [(1.0, 0.25), (10.0, 0.5), (100.0, 0.75)];
        let options = CurveOptions { log_x, reference: Some((1.0, "optimum".to_string())) };
        let text = curve("ratio & <K>", "K", "delivered / optimal", &[series("toy", &data)], &options);
        assert_eq!(text, curve("ratio & <K>", "K", "delivered / optimal", &[series("toy", &data)], &options));
        let elements = parse(&text);
        assert_inside(&elements);
        assert!(elements.iter().any(|element| element.text == "ratio & <K>"));
        let dots: Vec<(f64, f64)> =
            elements.iter().filter(|e| e.name == "circle").map(|e| (e.number("cx"), e.number("cy"))).collect();
        assert_eq!(dots.len(), 3);
        let (first, second) = (dots[1].0 - dots[0].0, dots[2].0 - dots[1].0);
        let ratio = if log_x { 1.0 } else { 10.0 };
        assert!((second / first - ratio).abs() < 0.02, "{first} and {second}");
        assert!(((dots[0].1 - dots[1].1) - (dots[1].1 - dots[2].1)).abs() < 0.02);
        let reference = elements.iter().find(|e| e.name == "line" && e.number("stroke-width") == 1.4).unwrap();
        assert!((dots[2].1 - reference.number("y1") - (dots[1].1 - dots[2].1)).abs() < 0.03, "the line is at 1");
    }
}

#[test]
fn odd_values_are_left_out_without_a_panic() {
    let odd = [(0.0, 1.0), (-1.0, 2.0), (f64::NAN, 1.0), (3.0, f64::INFINITY), (2.0, 5.0), (4.0, 5.0)];
    let options = CurveOptions { log_x: true, reference: Some((f64::NAN, "none".to_string())) };
    let elements = parse(&curve("", "", "", &[series("odd", &odd), series("", &[])], &options));
    assert_inside(&elements);
    assert_eq!(elements.iter().filter(|e| e.name == "circle").count(), 2);
    for points in [vec![], vec![(1.0, 1.0)], vec![(1e-300, -1e300), (1e300, 1e300)], vec![(0.0, 0.0)]] {
        for log_x in [false, true] {
            let options = CurveOptions { log_x, reference: None };
            assert_inside(&parse(&curve("t", "x", "y", &[series("s", &points)], &options)));
        }
    }
}

#[test]
fn many_series_stay_apart() {
    let lines: Vec<Series> =
        (0..12).map(|k| series(&format!("line {k}"), &[(0.0, 0.0), (1.0, f64::from(k))])).collect();
    let elements = parse(&curve("t", "x", "y", &lines, &CurveOptions::default()));
    assert_inside(&elements);
    let mut looks: Vec<(String, Option<String>)> = elements
        .iter()
        .filter(|e| e.is("series"))
        .map(|e| (e.attributes["stroke"].clone(), e.attributes.get("stroke-dasharray").cloned()))
        .collect();
    looks.sort();
    looks.dedup();
    assert_eq!(looks.len(), 12);
}
