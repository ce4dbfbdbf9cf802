//! The parts of `general` apart, each against enumeration.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::blossom::{NONE, Rest};
use super::cuts::odd_cuts;
use super::odd::{Ports, violated};

/// The elements of a set given by its bits.
fn bits(set: usize) -> Vec<usize> {
    (0..usize::BITS as usize)
        .filter(|bit| set >> bit & 1 == 1)
        .collect()
}

/// A graph with up to `vertices` vertices, and times. Parallel edges occur, loops do not.
fn graph(
    vertices: usize,
    most: usize,
    longest: u64,
) -> impl Strategy<Value = (usize, Vec<[usize; 2]>, Vec<u64>)> {
    let edge = (0..vertices, 1..vertices, 1..=longest);
    prop::collection::vec(edge, 1..=most).prop_map(move |edges| {
        let ends = edges
            .iter()
            .map(|&(a, away, _)| [a, (a + away) % vertices])
            .collect();
        (vertices, ends, edges.iter().map(|edge| edge.2).collect())
    })
}

/// All matchings, the empty one too.
fn matchings(ends: &[[usize; 2]]) -> Vec<Vec<usize>> {
    let are_disjoint = |e: usize, f: usize| e == f || !ends[e].iter().any(|v| ends[f].contains(v));
    let sets = (0..1usize << ends.len()).map(bits);
    sets.filter(|set| set.iter().all(|&e| set.iter().all(|&f| are_disjoint(e, f))))
        .collect()
}

fn degrees(vertices: usize, ends: &[[usize; 2]], times: &[u64]) -> Vec<u64> {
    let degree = |v: usize| {
        ends.iter()
            .zip(times)
            .filter(move |(ends, _)| ends.contains(&v))
            .map(|(_, &time)| time)
            .sum()
    };
    (0..vertices).map(degree).collect()
}

/// The longest step with this matching: until an edge is used up or a vertex can wait no longer.
fn allowed(
    degrees: &[u64],
    ends: &[[usize; 2]],
    times: &[u64],
    total: u64,
    matching: &[usize],
) -> u64 {
    let idle = (0..degrees.len()).filter(|v| !matching.iter().any(|&e| ends[e].contains(v)));
    let waits = idle.map(|v| total - degrees[v]);
    waits
        .chain(matching.iter().map(|&e| times[e]))
        .min()
        .unwrap_or(total)
        .min(total)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// For every step: no matching allows a longer one, none whose edges last as long has more edges, and the rest is
    /// the part that the steps did not take.
    #[test]
    fn steps_are_longest_and_matchings_largest((vertices, ends, mut times) in graph(6, 9, 6), spare in 0u64..4) {
        let mut total = degrees(vertices, &ends, &times).into_iter().max().unwrap_or(0) + spare;
        let mut rest = Rest::new(vertices, ends.clone(), times.clone(), total);
        let all = matchings(&ends);
        while total > 0 {
            let degrees = degrees(vertices, &ends, &times);
            let lasts = |matching: &Vec<usize>| allowed(&degrees, &ends, &times, total, matching);
            let longest = all.iter().map(lasts).max().unwrap_or(0);
            // Where an odd set is overloaded, tight vertices need not have a matching.
            prop_assert_eq!(rest.longest(), longest > 0);
            if longest == 0 {
                break;
            }
            let matching = rest.matching();
            prop_assert!(all.contains(&matching), "{:?} is no matching of {:?}", matching, ends);
            prop_assert_eq!(lasts(&matching), longest);
            let heavy = |matching: &&Vec<usize>| matching.iter().all(|&e| times[e] >= longest);
            prop_assert_eq!(Some(matching.len()), all.iter().filter(heavy).map(Vec::len).max());
            rest.take(&longest);
            total -= longest;
            for &e in &matching {
                times[e] -= longest;
            }
            prop_assert_eq!(&rest.time, &times);
            prop_assert_eq!((&rest.degree, rest.total), (&self::degrees(vertices, &ends, &times), total));
            let is_served = |e: usize| times[e] == 0;
            prop_assert!(rest.mate.iter().all(|&e| e == NONE || !is_served(e)));
            prop_assert!(rest.incident.iter().flatten().all(|&e| !is_served(e)));
        }
    }

    /// Every cut found is an odd cut, lighter than the limit, on the side without the last vertex, and no cut is found
    /// twice. If nothing is found, enumeration finds nothing.
    #[test]
    fn odd_cuts_are_those_of_enumeration(
        (vertices, ends, weights) in graph(7, 14, 9), parity in 0usize..64, limit in 1u64..30,
    ) {
        let mut odd: Vec<bool> = (0..vertices - 1).map(|v| parity >> v & 1 == 1).collect();
        odd.push(odd.iter().filter(|odd| **odd).count() % 2 == 1);
        let weight = |set: &[usize]| -> u64 {
            let leaves = |ends: &[usize; 2]| set.contains(&ends[0]) != set.contains(&ends[1]);
            ends.iter().zip(&weights).filter(|(ends, _)| leaves(ends)).map(|(_, weight)| weight).sum()
        };
        let light = |set: &[usize]| set.iter().filter(|&&v| odd[v]).count() % 2 == 1 && weight(set) < limit;
        let links = ends.iter().zip(&weights).map(|(&[a, b], &weight)| (a, b, weight)).collect();
        let found = odd_cuts(odd.clone(), links, &limit);
        let any = (1..1usize << (vertices - 1)).any(|set| light(&bits(set)));
        prop_assert_eq!(!found.is_empty(), any);
        for cut in &found {
            prop_assert!(cut.is_sorted_by(|a, b| a < b) && !cut.contains(&(vertices - 1)), "{:?}", cut);
            prop_assert!(light(cut), "{:?}", cut);
        }
    }

    /// A reported inequality is violated by its stated amount, and no other choice of links `F` for its set is violated
    /// more. Nothing is reported only if all inequalities hold.
    #[test]
    fn each_set_comes_with_its_best_further_links(
        (vertices, ends, times) in graph(5, 8, 9), capacities in prop::collection::vec(1u64..4, 5), wide in 0u64..3,
    ) {
        let uses = |v: usize| degrees(vertices, &ends, &times)[v].div_ceil(capacities[v]);
        let total = (0..vertices).map(uses).chain(times.iter().copied()).max().unwrap_or(0) + wide;
        let limited: Vec<[Option<usize>; 2]> = ends.iter().map(|ends| ends.map(Some)).collect();
        // The overload of a set with further links.
        let excess = |set: &[usize], further: &[usize]| -> Option<i64> {
            let offered = set.iter().map(|&v| capacities[v]).sum::<u64>() + further.len() as u64;
            let inside = (0..ends.len()).filter(|&e| ends[e].iter().all(|v| set.contains(v)));
            let load: u64 = inside.chain(further.iter().copied()).map(|e| times[e]).sum();
            (offered % 2 == 1).then_some(load as i64 - (offered / 2 * total) as i64)
        };
        let leaving = |set: &[usize]| -> Vec<usize> {
            let once = |e: &usize| ends[*e].iter().filter(|v| set.contains(v)).count() == 1;
            (0..ends.len()).filter(once).collect()
        };
        let most = |set: &[usize]| {
            let leaving = leaving(set);
            let chosen = |mask: usize| bits(mask).into_iter().map(|i| leaving[i]).collect::<Vec<usize>>();
            (0..1usize << leaving.len()).filter_map(|mask| excess(set, &chosen(mask))).max()
        };
        let found = violated(&Ports { capacities: &capacities, ends: &limited }, &times, &total);
        let any = (1..1usize << vertices).any(|set| most(&bits(set)) > Some(0));
        prop_assert_eq!(!found.is_empty(), any);
        for set in found {
            let by = excess(&set.vertices, &set.edges);
            prop_assert_eq!(Some(set.load as i64 - (set.capacity * total) as i64), by);
            prop_assert_eq!(by, most(&set.vertices));
            prop_assert!(set.edges.iter().all(|e| leaving(&set.vertices).contains(e)));
            prop_assert!(by > Some(0));
        }
    }

    /// Integers of any length find the same.
    #[test]
    fn big_integers_find_the_same_cuts((vertices, ends, weights) in graph(6, 12, 9), limit in 1u64..20) {
        let odd = vec![true; vertices];
        let links = |scale: &BigUint| -> Vec<(usize, usize, BigUint)> {
            ends.iter().zip(&weights).map(|(&[a, b], &weight)| (a, b, scale * weight)).collect()
        };
        let small = ends.iter().zip(&weights).map(|(&[a, b], &weight)| (a, b, weight)).collect();
        let expected = odd_cuts(odd.clone(), small, &limit);
        let scale = BigUint::from(1u8) << 200;
        prop_assert_eq!(odd_cuts(odd, links(&scale), &(&scale * limit)), expected);
    }
}
