//! One counterexample per erratum of Liu-Kuo-Wang 2009.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use num_traits::Signed;
use oneport::Rational;
use oneport::heterogeneous::guided;

use super::brute;
use super::checked::schedule;
use super::exchanges::{self, Stop};
use super::figures::slow_destination;
use super::tables::printed_cells;
use crate::errata::Sides;
use crate::numbers::{number, whole};
use crate::rows::{Paper, Value};

/// E001-1: the start of the first sender, of time 5.
pub fn starts_at_its_start() -> Result<Sides> {
    let start = schedule(&[5])?.starts.get(0).unwrap_or_default();
    Ok(Sides::new(&start + whole(5), start))
}

/// E001-2: the speed ratios for which SNF is not optimal on figure 8's cluster.
pub fn ratio_of_two() -> Result<Sides> {
    let tried = ["5/4", "3/2", "7/4", "2", "9/4", "5/2", "3"];
    let ratios: Vec<Rational> = tried.iter().map(|x| number(x)).collect::<Result<_>>()?;
    let mut fails = Vec::new();
    for ratio in &ratios {
        let [snf, best] = slow_destination(ratio)?;
        if snf > best {
            fails.push(Value::Number(ratio.clone()));
        }
    }
    let printed = ratios
        .into_iter()
        .filter(|ratio| *ratio <= whole(2))
        .map(Value::Number)
        .collect();
    Ok(Sides::new(Value::List(printed), Value::List(fails)))
}

/// E001-11: the seconds for P = 21 in section 6.2, and in table 1.
pub fn within_seconds(paper: &Paper) -> Result<Sides> {
    let cells: Vec<&str> = paper
        .table("table-1")?
        .rows
        .get("21")
        .context("no row 21")?
        .split_whitespace()
        .collect();
    let right = number(cells.get(3).context("row 21 is too short")?)?;
    ensure!(right > whole(15), "{right} is within 15");
    Ok(Sides::new(right.floor(), right))
}

/// E001-4: which length of sequences the printed tree sizes for P = 10 have.
pub fn length_of_sequences() -> Result<Sides> {
    let printed = whole(7852);
    let mut fits = Vec::new();
    for length in 8..=12u64 {
        let sizes = guided::expected(length, 3)?;
        let off = (&printed - &sizes.nodes.mean).abs();
        // Within five standard errors of a mean of 50.
        if &off * &off <= &sizes.nodes.variance / whole(50) * whole(25) {
            fits.push(length);
        }
    }
    ensure!(fits.len() == 1, "{fits:?}");
    Ok(Sides::new(whole(9), whole(fits[0])))
}

/// E001-5: pairs that a program without any insight has to look at, f = s = 150.
pub fn naive_count() -> Result<Sides> {
    let (f, s) = (150usize, 150usize);
    let pairs = (0..f)
        .flat_map(|left| (0..=s).map(move |share| ((left, share), (f - 1 - left, s - share))));
    // A pair of buddies counts once.
    let different = pairs.filter(|(a, b)| a <= b).count();
    Ok(Sides::new((s * (f - 1)).div_ceil(2), different))
}

/// E001-6: cells in which the third algorithm refers to fewer pairs than the second.
pub fn third_algorithm(paper: &Paper) -> Result<Sides> {
    let [second, third] = [
        printed_cells(paper, "table-3")?,
        printed_cells(paper, "table-4")?,
    ];
    let fewer = second
        .iter()
        .zip(&third)
        .filter(|(second, third)| third < second)
        .count();
    Ok(Sides::new(
        Value::Words("many pairs will not be examined".to_string()),
        fewer,
    ))
}

/// E001-7: table 1, P = 21, the quotient of the two times, rounded down as in the other rows.
pub fn time_ratio(paper: &Paper) -> Result<Sides> {
    let table = paper.table("table-1")?;
    let mut misprints = Vec::new();
    for (size, cells) in &table.rows {
        let cells: Vec<&str> = cells.split_whitespace().collect();
        let [.., ours, _, _, generic, _, printed] = cells[..] else {
            anyhow::bail!("row {size} of table 1")
        };
        let (right, printed) = ((number(generic)? / number(ours)?).floor(), number(printed)?);
        if right != printed {
            misprints.push((printed, right));
        }
    }
    ensure!(misprints.len() == 1, "{misprints:?}");
    let (printed, right) = misprints.remove(0);
    Ok(Sides::new(printed, right))
}

/// E001-8: the start of a slowest sender modulo its time, at the point where the proof of theorem 1 stops. 25 senders.
pub fn exchange_breaks_multiples() -> Result<(Sides, Stop)> {
    let times = [[4; 10].as_slice(), &[2, 2, 4, 1, 1, 4, 1, 2, 2, 2], &[1; 5]].concat();
    let stop = stops(&times, false)?;
    Ok((Sides::new(whole(0), whole(stop.start % stop.time)), stop))
}

/// E001-13: levels of fast predecessors of q at the point where the proof of theorem 4 stops. Ratio 7/3, 39 senders.
pub fn no_two_levels() -> Result<(Sides, Stop)> {
    let times: Vec<u64> = "SSSSSSSSSffSSSSSSfSffffSSffffffffffffff"
        .chars()
        .map(|class| if class == 'S' { 7 } else { 3 })
        .collect();
    let stop = stops(&times, true)?;
    Ok((Sides::new(2_usize, stop.levels), stop))
}

/// The point at which a printed proof stops on an optimal schedule.
fn stops(times: &[u64], lemma_3: bool) -> Result<Stop> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for &time in times {
        *counts.entry(time).or_default() += 1;
    }
    let (classes, counts): (Vec<u64>, Vec<usize>) = counts.into_iter().unzip();
    let length = brute::earliest(times).length;
    let optimum = brute::classes(&classes, &counts).0;
    ensure!(length == optimum, "{length} is not the optimum, {optimum}");
    exchanges::printed_proof(times, lemma_3)?.context("the printed proof reaches its end")
}

/// E001-14: the least pair of T that remains in the column of A = (4, 5) if point C is at ceil((s + 1) / 2), as
/// printed, and if it is at floor((s + 1) / 2). f = 9, s = 8, times 2 and 3.
pub fn point_c() -> Result<Sides> {
    let (f, s, a) = (9, 8, 4);
    let table = brute::table(2, 3, f, s);
    let pair = |share: usize| table[a][share].max(table[f - 1 - a][s - share]);
    let left = |c: usize| {
        // The first case, if A is at C or before: the entries with fewer slow ones than A are left out.
        let from = if a < c { a + 1 } else { 0 };
        (from..=s).map(pair).min().context("an empty column")
    };
    Ok(Sides::new(
        whole(left((s + 1).div_ceil(2))?),
        whole(left(s.div_ceil(2))?),
    ))
}

/// E001-15: whether the clusters of theorem 1 are all the clusters that the summary names: times 1, 3 and 6.
pub fn powers_of_two() -> Sides {
    let times = [1u64, 3, 6];
    let word = |yes: bool| Value::Words(if yes { "covered" } else { "not covered" }.to_string());
    let summary = times.windows(2).all(|pair| pair[1].is_multiple_of(pair[0]));
    let theorem = times.iter().all(|time| time.is_power_of_two());
    Sides::new(word(summary), word(theorem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errata::tests::check;

    #[test]
    fn e001_1_a_sender_starts_when_it_starts() {
        check(starts_at_its_start(), "5", "0");
    }

    #[test]
    fn e001_2_at_a_ratio_of_two_snf_is_optimal() -> Result<()> {
        let sides = ratio_of_two()?;
        assert_eq!(
            (
                sides.printed.list()?.len(),
                sides.right.to_string().as_str()
            ),
            (4, "5/4, 3/2, 7/4")
        );
        Ok(())
    }

    #[test]
    fn e001_4_the_searches_permute_all_processors() -> Result<()> {
        check(length_of_sequences(), "9", "10");
        // All 3^9 clusters of 9 processors one by one.
        let mut total = whole(0);
        for code in 0..3u64.pow(9) {
            let mut counts = [0u64; 3];
            for index in 0..9 {
                counts[(code / 3u64.pow(index) % 3) as usize] += 1;
            }
            let present: Vec<u64> = counts.into_iter().filter(|&count| count > 0).collect();
            total += whole(guided::tree(&present)?.nodes);
        }
        let mean = total / whole(3u64.pow(9));
        assert_eq!(mean, guided::expected(9, 3)?.nodes.mean);
        assert_eq!((mean * whole(100)).round(), whole(285_787));
        Ok(())
    }

    #[test]
    fn e001_5_the_naive_count_is_neither_of_the_two() {
        check(naive_count(), "11175", "11325");
    }

    #[test]
    fn e001_6_the_third_algorithm_saves_next_to_nothing() -> Result<()> {
        assert_eq!(
            third_algorithm(&Paper::load("liu_kuo_wang")?)?.right,
            Value::from(122)
        );
        Ok(())
    }

    #[test]
    fn e001_7_a_quotient_of_times_is_misprinted() -> Result<()> {
        check(time_ratio(&Paper::load("liu_kuo_wang")?), "544", "534");
        Ok(())
    }

    #[test]
    fn e001_9_p_ends_before_q2_starts() -> Result<()> {
        let (holds, tried) = super::super::theorems::order_in_lemma_3()?;
        assert!(holds == 0 && tried > 100, "{holds} of {tried}");
        Ok(())
    }

    #[test]
    fn e001_10_the_text_and_table_4_stop_at_different_points() -> Result<()> {
        let counts = super::super::tables::third_rules(&Paper::load("liu_kuo_wang")?)?;
        assert_eq!(counts.map(|count| count.0), [159, 225, 110]);
        Ok(())
    }

    #[test]
    fn e001_11_fifteen_seconds_are_15_28() -> Result<()> {
        check(within_seconds(&Paper::load("liu_kuo_wang")?), "15", "15.28");
        Ok(())
    }

    #[test]
    fn e001_12_the_saving_is_that_of_one_cell() -> Result<()> {
        let [corner, all] = super::super::tables::savings(&Paper::load("liu_kuo_wang")?)?;
        assert!(corner == 93 && all < corner, "{corner} and {all}");
        Ok(())
    }

    #[test]
    fn e001_8_an_exchange_may_end_all_multiples() -> Result<()> {
        let (sides, stop) = exchange_breaks_multiples()?;
        check(Ok(sides), "0", "1");
        assert_eq!((stop.start, stop.window), (1, [0, 2]));
        Ok(())
    }

    #[test]
    fn e001_13_an_exchange_may_end_all_layers() -> Result<()> {
        let (sides, stop) = no_two_levels()?;
        check(Ok(sides), "2", "0");
        // In thirds of the fast time.
        assert_eq!((stop.start, stop.window), (1, [0, 3]));
        Ok(())
    }

    #[test]
    fn e001_14_point_c_is_one_too_far_for_even_s() {
        check(point_c(), "9", "8");
    }

    #[test]
    fn e001_15_the_summary_claims_more_than_theorem_1() {
        let word = |word: &str| Value::Words(word.to_string());
        assert_eq!(
            powers_of_two(),
            Sides::new(word("covered"), word("not covered"))
        );
    }
}
