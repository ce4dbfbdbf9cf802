//! Routes between all pairs of some hosts as sums: a list of the first host, a common list, a list of the second host.

use std::collections::BTreeMap;

/// Number of times that each route passes one link, by the indices of its ends. Pairs that do not pass it are absent.
type Passes = BTreeMap<(usize, usize), i64>;

/// Lists of capacities, each as often as it is passed.
pub(super) struct Sums {
    /// Per host: the capacities of routes from it, and of routes to it.
    pub lists: BTreeMap<usize, [Vec<usize>; 2]>,
    /// The capacities of every route.
    pub middle: Vec<usize>,
}

impl Sums {
    /// `None` if a pair of hosts has no route, or if the routes are not sums. Linear in the links of all routes.
    pub(crate) fn of<'r>(
        hosts: &[usize],
        routes: impl Iterator<Item = ((usize, usize), &'r [usize])>,
    ) -> Option<Self> {
        let indices: BTreeMap<usize, usize> = hosts.iter().copied().zip(0..).collect();
        let mut passes: BTreeMap<usize, Passes> = BTreeMap::new();
        let mut pairs = 0;
        for ((from, to), loads) in routes {
            let (Some(&from), Some(&to)) = (indices.get(&from), indices.get(&to)) else {
                continue;
            };
            pairs += usize::from(!loads.is_empty());
            for load in loads {
                let link = passes.entry(*load).or_default();
                *link.entry((from, to)).or_default() += 1;
            }
        }
        let count = hosts.len();
        if count < 4 || pairs != count * (count - 1) {
            return None;
        }
        let empty = hosts.iter().map(|&host| (host, Default::default()));
        let mut sums = Sums {
            lists: empty.collect(),
            middle: Vec::new(),
        };
        for (link, passes) in passes {
            let [up, down, middle] = split(count, &passes)?;
            for (host, (out, into)) in hosts.iter().zip(up.into_iter().zip(down)) {
                let [leave, enter] = sums.lists.get_mut(host)?;
                add(leave, link, out);
                add(enter, link, into);
            }
            add(&mut sums.middle, link, *middle.first()?);
        }
        Some(sums)
    }
}

fn add(list: &mut Vec<usize>, link: usize, count: i64) {
    list.extend((0..count).map(|_| link));
}

/// Counts by first host, by second host, and of every route, whose sums are the passes of a link.
fn split(count: usize, passes: &Passes) -> Option<[Vec<i64>; 3]> {
    let pass = |from: usize, to: usize| passes.get(&(from, to)).copied().unwrap_or(0);
    // An index that differs from these two.
    let third = |one: usize, other: usize| (0..3).find(|host| *host != one && *host != other);
    let mut up = Vec::with_capacity(count);
    let mut down = Vec::with_capacity(count);
    for host in 0..count {
        let other = third(0, host)?;
        let zero = host == 0;
        up.push(if zero {
            0
        } else {
            pass(host, other) - pass(0, other)
        });
        down.push(if zero {
            0
        } else {
            pass(other, host) - pass(other, 0)
        });
    }
    let mut middle = pass(1, 2) - up.get(1)? - down.get(2)?;
    for list in [&mut up, &mut down] {
        let least = *list.iter().min()?;
        for value in list.iter_mut() {
            *value -= least;
        }
        middle += least;
    }
    let right = passes.iter().all(|(&(from, to), &passes)| {
        let sum = up
            .get(from)
            .zip(down.get(to))
            .map(|(one, other)| one + other + middle);
        sum == Some(passes)
    });
    // Pairs that do not pass the link: both lists lack it.
    let bare = |list: &[i64]| list.iter().filter(|value| **value == 0).count();
    let same = up
        .iter()
        .zip(&down)
        .filter(|ends| *ends == (&0, &0))
        .count();
    let free = if middle == 0 {
        bare(&up) * bare(&down) - same
    } else {
        0
    };
    let all = passes.len() + free == count * (count - 1);
    (right && all && middle >= 0).then(|| [up, down, vec![middle]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases by hand: a link of one host both ways, a bus passed twice, and routes that are not sums.
    #[test]
    fn sums_are_found() {
        let all = |load: &dyn Fn(usize, usize) -> Vec<usize>| {
            let pairs = (0..5).flat_map(|from| (0..5).map(move |to| (from, to)));
            let pairs = pairs.filter(|(from, to)| from != to);
            let routes: Vec<_> = pairs
                .map(|(from, to)| ((from, to), load(from, to)))
                .collect();
            let routes = routes.iter().map(|(ends, loads)| (*ends, loads.as_slice()));
            Sums::of(&[0, 1, 2, 3, 4], routes)
        };
        let sums = all(&|from, to| vec![from, 9, to, 9]).expect("sums");
        assert_eq!(sums.middle, [9, 9]);
        assert_eq!(sums.lists[&3], [vec![3], vec![3]]);
        // One direction only. Link 8 is on all routes from host 0.
        let sums = all(&|from, _| if from == 0 { vec![7, 8] } else { vec![7] }).expect("sums");
        assert_eq!(
            (sums.middle, sums.lists[&0].clone()),
            (vec![7], [vec![8], vec![]])
        );
        // A separate route, a link between two groups, and an absent route.
        assert!(all(&|from, to| vec![if (from, to) == (1, 2) { 5 } else { 6 }]).is_none());
        assert!(all(&|from, to| vec![usize::from((from < 2) != (to < 2))]).is_none());
        assert!(
            all(&|from, to| if (from, to) == (3, 4) {
                vec![]
            } else {
                vec![1]
            })
            .is_none()
        );
    }
}
