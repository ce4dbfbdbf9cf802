//! The name that a misspelt one is nearest to.

/// Node names that are compared with a misspelt one.
const COMPARED: usize = 20_000;

/// The name nearest to `name`, if it is at most two edits away (one, for short names). Case does not count.
pub fn closest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let length = name.chars().count();
    if length == 0 || length > 40 {
        return None;
    }
    let allowed = if length < 4 { 1 } else { 2 };
    // A name of one letter is like any other.
    let allowed = allowed.min(length - 1);
    names
        .take(COMPARED)
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= allowed)
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate.to_string())
}

/// Levenshtein distance. Upper and lower case count as equal.
fn edits(a: &str, b: &str) -> usize {
    strsim::levenshtein(&a.to_lowercase(), &b.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_levenshteins() {
        for (a, b, distance) in [
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("P1", "p1", 0),
            ("ab", "ba", 2),
        ] {
            assert_eq!(edits(a, b), distance, "{a} {b}");
            assert_eq!(edits(b, a), distance, "{b} {a}");
        }
    }

    #[test]
    fn the_nearest_name_is_suggested_and_nothing_far() {
        let names = ["node-1", "node-12", "gateway"];
        assert_eq!(
            closest("gatewy", names.into_iter()),
            Some("gateway".to_string())
        );
        assert_eq!(
            closest("node1", names.into_iter()),
            Some("node-1".to_string())
        );
        assert_eq!(closest("switch", names.into_iter()), None);
    }
}
