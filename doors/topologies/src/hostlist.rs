//! Lists of names as Slurm writes them: `tux[0-3,12]`, `node[01-16]-ib,login`.

use crate::mistakes::{too_many, unexpected};
use oneport_files::error::{Mistake, clip};

/// Longest name with its lists.
const MAX_ITEM: usize = 10_000;
/// Limit on the bytes of one expanded name with its lists.
const MAX_BYTES: usize = 50_000_000;

/// The names. `budget` is the number of further names allowed, in all lists together.
pub(super) fn expand(text: &str, budget: &mut usize) -> Result<Vec<String>, Mistake> {
    let mut names = Vec::new();
    for item in items(text) {
        if item.len() > MAX_ITEM {
            return Err(bad_list(text));
        }
        let mut begun = vec![String::new()];
        let mut rest = item;
        while let Some((before, behind)) = rest.split_once('[') {
            let (inside, after) = behind.split_once(']').ok_or_else(|| bad_list(text))?;
            let numbers = ranges(inside, *budget).ok_or_else(|| bad_list(text))?;
            let count = begun.len().saturating_mul(numbers.len());
            if count > *budget || count.saturating_mul(item.len()) > MAX_BYTES {
                return Err(full());
            }
            begun = begun
                .iter()
                .flat_map(|head| numbers.iter().map(move |n| format!("{head}{before}{n}")))
                .collect();
            rest = after;
        }
        if rest.contains(']') {
            return Err(bad_list(text));
        }
        *budget = budget.checked_sub(begun.len()).ok_or_else(full)?;
        names.extend(
            begun
                .into_iter()
                .map(|head| head + rest)
                .filter(|name| !name.is_empty()),
        );
    }
    Ok(names)
}

fn bad_list(text: &str) -> Mistake {
    let expected = "a list of names, such as tux[0-3,12],login";
    unexpected(format!("'{}'", clip(text)), expected)
}

fn full() -> Mistake {
    too_many("names", 200_000, "give a part of the cluster")
}

/// The parts between commas outside of brackets.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.split(move |c: char| {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            _ => {}
        }
        c == ',' && !inside
    })
}

/// `01-03,7`: 01, 02, 03, 7.
fn ranges(text: &str, most: usize) -> Option<Vec<String>> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let digits = |text: &str| {
            !text.is_empty() && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !digits(first) || !digits(last) {
            return None;
        }
        let (from, to): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if from > to || to - from >= most as u64 || numbers.len() > most {
            return None;
        }
        numbers.extend((from..=to).map(|number| format!("{number:0width$}", width = first.len())));
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_spelt_out() {
        let spelt = |text: &str| expand(text, &mut 20).map(|names| names.join(" "));
        assert_eq!(
            spelt("tux[0-2,12],login").as_deref(),
            Ok("tux0 tux1 tux2 tux12 login")
        );
        assert_eq!(spelt("n[08-10]-ib").as_deref(), Ok("n08-ib n09-ib n10-ib"));
        assert_eq!(spelt("r[0-1]c[1,2]").as_deref(), Ok("r0c1 r0c2 r1c1 r1c2"));
        for text in [
            "a[",
            "a]",
            "a[1",
            "a[x]",
            "a[2-1]",
            "a[1-30]",
            "a[0-4]b[0-4]",
            "a[0-9],b[0-9],c",
            "a[1-99999999999999999999]",
        ] {
            assert!(spelt(text).is_err(), "{text}");
        }
    }
}
