//! Prices of classes: `ib*: 900`.

use std::collections::BTreeSet;

use anyhow::Result;
use num_traits::Signed;
use oneport::platform::Pattern;
use oneport::{Rational, parse_rational};

use crate::words::usage::usage;

/// Prices of one member of a class, by patterns of names.
pub struct Prices(Vec<(String, Rational)>);

impl Prices {
    /// Reads `PATTERN: PRICE`.
    ///
    /// # Errors
    /// A usage error: no colon, or no price above 0.
    pub fn read(texts: &[String]) -> Result<Prices> {
        let read = |text: &String| {
            let wrong = |what: &str| {
                usage(format!(
                    "--price '{text}': {what}; write a pattern of names and the price of one, as 'ib*: 900'"
                ))
            };
            let (pattern, price) = text
                .rsplit_once(':')
                .ok_or_else(|| wrong("no ':' before the price"))?;
            let price = parse_rational(price.trim()).map_err(|error| wrong(&error.to_string()))?;
            if !price.is_positive() {
                return Err(wrong("the price is not above 0"));
            }
            Ok((pattern.trim().to_string(), price))
        };
        texts.iter().map(read).collect::<Result<_>>().map(Prices)
    }

    /// Whether no price is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The price of one member of the class of this name: the first whose pattern is the name, or one of its nodes.
    pub fn of(&self, class: &str) -> Option<&Rational> {
        let found = self.0.iter().find(|(pattern, _)| names(pattern, class));
        found.map(|(_, price)| price)
    }

    /// Refuses a price that no class has.
    ///
    /// # Errors
    /// A usage error with the names of the classes.
    pub fn check(&self, classes: &[String]) -> Result<()> {
        let unused =
            |(pattern, _): &&(String, Rational)| !classes.iter().any(|class| names(pattern, class));
        match self.0.iter().find(unused) {
            None => Ok(()),
            Some((pattern, _)) => Err(usage(format!(
                "--price: no class is called '{pattern}'; the classes are {}",
                sorted(classes).join(", ")
            ))),
        }
    }
}

/// The names in ascending order, each once.
fn sorted(names: &[String]) -> Vec<&str> {
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    names.into_iter().collect()
}

/// Whether the pattern is the class's name, or one of the nodes in it: of `ib* <-> gpu*`, `processor of gpu*`.
fn names(pattern: &str, class: &str) -> bool {
    let ends = class.split(" <-> ").flat_map(|end| end.split(" -> "));
    let mut nodes = ends.map(|end| end.rsplit_once(" of ").map_or(end, |(_, node)| node));
    let fits = |name: &str| {
        name == pattern || Pattern::parse(pattern).is_ok_and(|pattern| pattern.matches(name))
    };
    fits(class) || nodes.any(|node| fits(node.trim_matches('\'')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_of_classes() -> Result<()> {
        let prices = Prices::read(&["ib*: 900".to_string(), "processor of *: 7/2".to_string()])?;
        let price = |class| prices.of(class).map(ToString::to_string);
        assert_eq!(price("ib* <-> gpu*"), Some("900".to_string()));
        assert_eq!(price("gpu* -> ib*"), Some("900".to_string()));
        assert_eq!(price("processor of gpu*"), Some("7/2".to_string()));
        assert_eq!(price("gpu* <-> nvswitch"), None);
        let classes = ["ib* <-> gpu*", "processor of gpu*"].map(String::from);
        assert!(prices.check(&classes).is_ok());
        assert!(prices.check(&classes[..1]).is_err());
        for wrong in ["ib*", "ib*: 0", "ib*: many"] {
            assert!(Prices::read(&[wrong.to_string()]).is_err(), "{wrong}");
        }
        Ok(())
    }
}
