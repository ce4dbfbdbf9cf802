//! Port models: the simultaneous transfers of a node.

use std::fmt;
use std::str::FromStr;

/// The simultaneous sends and receives that a node allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum PortModel {
    /// Bidirectional one-port: one send and one receive at a time (Legrand, Marchal, Robert).
    #[default]
    FullDuplex,
    /// Unidirectional one-port: one send or one receive at a time (Beaumont, Marchal).
    HalfDuplex,
    /// Up to `k` sends and `k` receives at a time per node, one per link (the Delta-port of
    /// Beaumont, Marchal, section 5). `k` is [`Node::ports`](crate::Node::ports).
    Multiport,
    /// Only links are exclusive: the bandwidth model of the machine-learning synthesizers.
    Links,
}

impl PortModel {
    /// Every model, in the order of the documentation.
    pub const ALL: [PortModel; 4] = [
        PortModel::FullDuplex,
        PortModel::HalfDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ];

    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            PortModel::FullDuplex => "full-duplex",
            PortModel::HalfDuplex => "half-duplex",
            PortModel::Multiport => "multiport",
            PortModel::Links => "links",
        }
    }
}

impl fmt::Display for PortModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no port model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a port model{meant}; the models are full-duplex, half-duplex, multiport, links", text = .0, meant = meant(.0))]
pub struct ParsePortModelError(pub String);

/// The model whose name begins with this text. Hyphens and case do not matter.
fn meant(text: &str) -> String {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let text = plain(text);
    let begins = |model: &PortModel| !text.is_empty() && plain(model.name()).starts_with(&text);
    let model = PortModel::ALL.into_iter().find(begins);
    model.map_or(String::new(), |model| format!(" (did you mean '{model}'?)"))
}

impl FromStr for PortModel {
    type Err = ParsePortModelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PortModel::ALL
            .into_iter()
            .find(|model| model.name() == text)
            .ok_or_else(|| ParsePortModelError(text.to_string()))
    }
}
