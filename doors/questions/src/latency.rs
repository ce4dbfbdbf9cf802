//! Latencies of a platform's links, for people and as JSON.

use oneport::{Platform, Rational};
use serde_json::{Value, json};

use crate::words::seconds;

/// The latency of links of a kind.
#[derive(Debug, Clone)]
pub struct KindLatency {
    /// Origin of the latency: `stated`, `given` or `assumed`.
    pub origin: &'static str,
    /// The kind of the links.
    pub kind: &'static str,
    /// Latency of each link, in the platform's unit of time.
    pub latency: Rational,
    /// The number of links.
    pub links: usize,
}

/// All latencies above 0, by origin and kind.
#[derive(Debug, Clone, Default)]
pub struct KnownLatencies(pub Vec<KindLatency>);

/// Limit on the characters of a number printed in full, and significant digits of a longer one.
const SHORT: usize = 40;
const DIGITS: usize = 10;

/// The origin of a latency that no file and no user stated.
const ASSUMED: &str = "assumed";

impl KnownLatencies {
    /// Whether any latency is assumed: then a bound on the time is one for that assumption.
    pub fn are_assumed(&self) -> bool {
        self.0.iter().any(|one| one.origin == ASSUMED)
    }

    /// One line, if a latency was given or assumed.
    pub fn line(&self, platform: &Platform) -> Option<String> {
        let time = |value: &Rational| match platform.units() {
            Some(units) => units.show_time(value),
            None => oneport::readable(value, SHORT, DIGITS),
        };
        let part = |origin: &str| {
            let each = self.0.iter().filter(|one| one.origin == origin);
            let each = each.map(|one| format!("{} {}", one.kind, time(&one.latency)));
            let mut each: Vec<String> = each.collect();
            each.dedup();
            (!each.is_empty()).then(|| format!("{origin}: {} per link", each.join(", ")))
        };
        let parts: Vec<String> = ["given", ASSUMED].into_iter().filter_map(part).collect();
        let end = if self.are_assumed() {
            " (the file states none); --latency KIND=TIME or none"
        } else {
            ""
        };
        (!parts.is_empty()).then(|| format!("latency {}{end}", parts.join("; ")))
    }

    /// A list of kinds, with seconds (units of time, on a platform without units) and origin.
    pub fn json(&self, platform: &Platform) -> Value {
        let one = |one: &KindLatency| {
            json!({
                "kind": one.kind,
                "latency": seconds(platform, &one.latency).to_string(),
                "origin": one.origin,
                "links": one.links,
            })
        };
        self.0.iter().map(one).collect::<Vec<_>>().into()
    }
}
