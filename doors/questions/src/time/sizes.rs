//! Parses sequences of sizes.

use num_traits::{One, Signed};
use oneport::{Rational, parse_rational};

use crate::error::{Result, usage};
use crate::quantity::bytes;

/// Limit on the number of sizes.
const MOST: usize = 200;

/// Sizes of `8:4GiB:x2` (from 8 bytes to 4 GiB, each twice the size before, 4 GiB in any case) or of the
/// list `8,1KiB,64M`.
///
/// # Errors
/// A text of another form, a size that is not above 0, more than 200 sizes.
pub(crate) fn read(text: &str) -> Result<Vec<String>> {
    let wrong = |what: &str| {
        usage(format!(
            "--sizes: '{text}' {what}; write FROM:TO:xFACTOR, such as 8:4GiB:x2, or sizes with commas between"
        ))
    };
    if text.contains(',') {
        let mut sizes = text
            .split(',')
            .map(|size| bytes("--sizes", size.trim()))
            .collect::<Result<Vec<_>>>()?;
        sizes.sort();
        sizes.dedup();
        if sizes.len() > MOST || !sizes.iter().all(Signed::is_positive) {
            return Err(wrong(&format!(
                "is not a list of at most {MOST} sizes above 0"
            )));
        }
        return Ok(sizes.iter().map(|size| format!("{size} B")).collect());
    }
    let parts: Vec<&str> = text.split(':').collect();
    let [from, to, factor] = parts[..] else {
        return Err(wrong("has not three parts"));
    };
    let factor = factor
        .strip_prefix('x')
        .and_then(|factor| parse_rational(factor).ok());
    let factor = factor
        .filter(|factor| *factor > Rational::one())
        .ok_or_else(|| wrong("has no factor above 1"))?;
    let (mut size, last) = (bytes("--sizes", from)?, bytes("--sizes", to)?);
    if !size.is_positive() || size > last {
        return Err(wrong("does not go from a size above 0 to a larger one"));
    }
    let mut sizes = Vec::new();
    loop {
        if sizes.len() == MOST {
            return Err(wrong(&format!("lists more than {MOST} sizes")));
        }
        sizes.push(format!("{} B", (&size).min(&last)));
        if size >= last {
            return Ok(sizes);
        }
        size *= &factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_a_factor() -> Result<()> {
        assert_eq!(read("8:64:x2")?, ["8 B", "16 B", "32 B", "64 B"]);
        assert_eq!(
            read("1KiB:3KiB:x3/2")?,
            ["1024 B", "1536 B", "2304 B", "3072 B"]
        );
        assert_eq!(read("1KiB, 8,8,64k")?, ["8 B", "1024 B", "65536 B"]);
        for text in [
            "8,0",
            "8,",
            "8,16 us",
            "8",
            "8:64",
            "8:64:2",
            "8:64:x1",
            "64:8:x2",
            "0:8:x2",
            "8:64 us:x2",
            "1:1e300:x2",
        ] {
            assert!(
                read(text).is_err_and(|error| error.to_string().contains("--sizes")),
                "{text}"
            );
        }
        Ok(())
    }
}
