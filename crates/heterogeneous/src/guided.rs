//! The two searches that Liu-Kuo-Wang 2009 compares in Table 1, and the sizes of their trees.
//!
//! Both search depth first through the sequences of the processors. Two sequences are the same if their classes are.
//! They build the earliest-possible schedule, and cut if the latest end so far is above the best length known. They
//! exist for the table and for benchmarks. [`Method::Search`](crate::Method) solves such questions.
//!
//! The paper does not define its count exactly. Two readings come close to its numbers ([`Reading`]), and both counts
//! are kept ([`Count`]).

use std::cmp::Reverse;

use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport_platform::{Rational, ratio};

use crate::problem::Problem;
use crate::{Cluster, Error};

/// Limit: processors of a tree whose size is computed.
const MOST_PROCESSORS: u64 = 64;
/// Limit: classes of an expectation.
const MOST_CLASSES: usize = 4;
/// Limit: processors in a search, the depth of its tree.
const MOST_SEARCHED: u64 = 10_000;

/// The choice of the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// One more processor: all of the cluster send. Table 1's generic column is met by nodes *expanded*.
    Outside,
    /// The last processor of the sequence: it sends nothing, in any class, and the search chooses it. The count of
    /// *generated* nodes meets table 1's generic column, and the slowest-first column zigzags as printed.
    Last,
}

/// Which search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guide {
    /// The generic branch and bound: fast processors first, nothing but the bound.
    Generic,
    /// The paper's (section 6.2): slow processors first, and no sender that is slower than one it has waited for
    /// (Corollary 1). Senders that start at a date wait for all that end then, and also for a sender whose receiver was
    /// left over, alone and idle, until then.
    SlowestFirst,
    /// These rules, with sequences in the order of section 6.2: first those of the highest priority, which is the
    /// number of processors at least as slow as the next one. Depth first among equal priorities, slow processors
    /// first. All postponed beginnings are kept: memory grows with the nodes generated.
    Priority,
}

/// The effort of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The shortest length found. `None` if the limit came before the first schedule.
    pub length: Option<Rational>,
    /// Nodes that no rule cut, the root among them.
    pub expanded: u64,
    /// Nodes looked at, the root among them.
    pub generated: u64,
    /// Whether the search came to its end: the length then is the optimum.
    pub complete: bool,
}

/// Runs one of the searches over the processors of a cluster. `limit` counts the nodes generated.
///
/// With [`Reading::Last`] the cluster counts all processors, the destination too. O(P log P) per node.
///
/// # Errors
/// More than 10,000 processors, times of more than 56 bits in their common unit.
pub fn search(
    cluster: &Cluster,
    guide: Guide,
    reading: Reading,
    limit: u64,
) -> Result<Count, Error> {
    let problem = Problem::new(cluster)?;
    let processors = problem.count();
    if processors > MOST_SEARCHED {
        let purpose = "for a search over sequences";
        return Err(Error::TooMany {
            senders: processors,
            purpose,
            most: MOST_SEARCHED,
        });
    }
    let senders = match reading {
        Reading::Outside => processors as usize,
        Reading::Last => (processors as usize).saturating_sub(1),
    };
    let mut walk = Walk {
        guide,
        senders,
        limit,
        left: problem.senders.clone(),
        times: problem.times.clone(),
        best: None,
        expanded: 1,
        generated: 1,
    };
    let root = Node {
        free: senders + 1,
        now: 0,
        end: 0,
        active: Vec::new(),
        waited: u64::MAX,
        since: u64::MAX,
    };
    let complete = match guide {
        Guide::Priority => walk.by_priority(root, processors as usize),
        Guide::Generic | Guide::SlowestFirst => walk.run(root, processors as usize),
    };
    let length = walk.best.map(|length| problem.date(length));
    Ok(Count {
        length,
        expanded: walk.expanded,
        generated: walk.generated,
        complete,
    })
}

/// An earliest-possible schedule of the first senders of a sequence.
#[derive(Clone)]
struct Node {
    /// Idle processors that hold values.
    free: usize,
    now: u64,
    /// The latest end.
    end: u64,
    /// Ends and times of the running transfers, latest end first.
    active: Vec<(u64, u64)>,
    /// A sender that starts now has waited for senders no faster than this.
    waited: u64,
    /// The fastest of the senders that ended last.
    since: u64,
}

impl Node {
    /// Starts one more sender as early as possible.
    fn start(&mut self, time: u64) {
        while self.free < 2 {
            let left_over = self.free == 1;
            let Some(&(end, _)) = self.active.last() else {
                break;
            };
            let before = self.since;
            self.now = end;
            self.since = u64::MAX;
            while let Some((_, done)) = self.active.pop_if(|(other, _)| *other == end) {
                self.free += 1;
                self.since = self.since.min(done);
            }
            self.waited = if left_over {
                self.since.min(before)
            } else {
                self.since
            };
        }
        self.free = self.free.saturating_sub(2);
        let end = self.now + time;
        let index = self.active.partition_point(|&(other, _)| other > end);
        self.active.insert(index, (end, time));
        self.end = self.end.max(end);
    }
}

/// A depth-first walk.
struct Walk {
    guide: Guide,
    senders: usize,
    limit: u64,
    /// Per class.
    left: Vec<u64>,
    times: Vec<u64>,
    best: Option<u64>,
    expanded: u64,
    generated: u64,
}

impl Walk {
    /// Walks the whole tree. Returns false if the limit ends it.
    fn run(&mut self, root: Node, depth: usize) -> bool {
        // Per depth: the node, and the next child to look at.
        let mut path: Vec<(Node, usize)> = vec![(root, 0)];
        let mut taken: Vec<usize> = Vec::new();
        let classes = self.times.len();
        while let Some((node, next)) = path.last_mut() {
            if taken.len() == depth && *next == 0 {
                self.best = Some(self.best.map_or(node.end, |best| best.min(node.end)));
            }
            let class = match self.guide {
                Guide::Generic => *next,
                Guide::SlowestFirst | Guide::Priority => classes.wrapping_sub(*next + 1),
            };
            if *next >= classes || taken.len() == depth {
                path.pop();
                if let Some(class) = taken.pop() {
                    self.left[class] += 1;
                }
                continue;
            }
            *next += 1;
            if self.left[class] == 0 {
                continue;
            }
            if self.generated >= self.limit {
                return false;
            }
            self.generated += 1;
            let mut child = node.clone();
            let mut allowed = true;
            if taken.len() < self.senders {
                child.start(self.times[class]);
                allowed = self.guide == Guide::Generic || self.times[class] <= child.waited;
            }
            if allowed && self.best.is_none_or(|best| child.end <= best) {
                self.expanded += 1;
                self.left[class] -= 1;
                taken.push(class);
                path.push((child, 0));
            }
        }
        true
    }

    /// [`Walk::run`] in the order of the number of positions at which a slower processor follows, fewest first. Returns
    /// false if the limit ends it.
    fn by_priority(&mut self, root: Node, depth: usize) -> bool {
        // Per number of such positions: nodes put off, the last processor's class, and the processors left.
        let mut open: Vec<Vec<(Node, usize, Vec<u64>)>> = vec![Vec::new(); depth + 1];
        let classes = self.times.len();
        open[0].push((root, classes, self.left.clone()));
        // The root is counted already.
        self.expanded -= 1;
        while let Some(rises) = open.iter().position(|nodes| !nodes.is_empty()) {
            let Some((node, last, left)) = open[rises].pop() else {
                continue;
            };
            if self.best.is_some_and(|best| node.end > best) {
                continue;
            }
            self.expanded += 1;
            let taken = depth - left.iter().sum::<u64>() as usize;
            if taken == depth {
                self.best = Some(self.best.map_or(node.end, |best| best.min(node.end)));
            }
            for class in (0..classes).filter(|&class| left[class] > 0) {
                if self.generated >= self.limit {
                    return false;
                }
                self.generated += 1;
                let mut child = node.clone();
                if taken < self.senders {
                    child.start(self.times[class]);
                    if self.times[class] > child.waited {
                        continue;
                    }
                }
                let mut left = left.clone();
                left[class] -= 1;
                open[rises + usize::from(class > last)].push((child, class, left));
            }
        }
        true
    }
}

/// The size of a search tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Nodes: the distinct beginnings of all sequences, the empty one (the root) and the whole ones among them.
    pub nodes: BigUint,
    /// Leaves: the sequences.
    pub leaves: BigUint,
}

/// The tree of all sequences of `counts` processors per class: `L = P!/(a! b! ...)` leaves, and one node per distinct
/// beginning. O(k (a + 1) (b + 1) ...).
///
/// # Errors
/// More than 64 processors.
pub fn tree(counts: &[u64]) -> Result<Tree, Error> {
    let processors = counts
        .iter()
        .fold(0u64, |sum, &count| sum.saturating_add(count));
    if processors > MOST_PROCESSORS {
        let purpose = "for the size of a search tree";
        return Err(Error::TooMany {
            senders: processors,
            purpose,
            most: MOST_PROCESSORS,
        });
    }
    // The beginnings with given counts per class are the lattice paths from the origin to that point of a box.
    let sizes: Vec<usize> = counts.iter().map(|&count| count as usize + 1).collect();
    let mut ways: Vec<BigUint> = vec![BigUint::one()];
    for point in 1..sizes.iter().product() {
        let mut stride = 1;
        let mut sum = BigUint::zero();
        for &size in &sizes {
            if point / stride % size > 0 {
                sum += &ways[point - stride];
            }
            stride *= size;
        }
        ways.push(sum);
    }
    let leaves = ways.last().cloned().unwrap_or_default();
    Ok(Tree {
        nodes: ways.into_iter().sum(),
        leaves,
    })
}

/// Mean and variance of one quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moments {
    /// The mean.
    pub mean: Rational,
    /// The variance. That of the mean of `r` clusters is `1/r` of it.
    pub variance: Rational,
}

/// The expected size of the trees of random clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Nodes.
    pub nodes: Moments,
    /// Leaves.
    pub leaves: Moments,
}

/// The moments of [`tree`] over clusters in which each processor belongs to each of `classes` classes with the same
/// probability, independently: Table 1's columns N and L are means of 50 such clusters. Exact: a sum over all
/// divisions of the processors among the classes.
///
/// # Errors
/// More than 64 processors, more than 4 classes or none.
pub fn expected(processors: u64, classes: usize) -> Result<Expectation, Error> {
    if processors > MOST_PROCESSORS {
        let purpose = "for the expected size of a search tree";
        return Err(Error::TooMany {
            senders: processors,
            purpose,
            most: MOST_PROCESSORS,
        });
    }
    if !(1..=MOST_CLASSES).contains(&classes) {
        let why = format!("the expectation is over 1 to {MOST_CLASSES} classes, not {classes}");
        return Err(Error::Method {
            method: "tree size",
            why,
        });
    }
    let mut sums: [BigUint; 4] = Default::default();
    for counts in divisions(processors, classes) {
        let Tree { nodes, leaves } = tree(&counts)?;
        // The number of the `classes^processors` clusters with these counts: one per sequence.
        let clusters = &leaves;
        sums[0] += clusters * &nodes;
        sums[1] += clusters * &nodes * &nodes;
        sums[2] += clusters * &leaves;
        sums[3] += clusters * &leaves * &leaves;
    }
    let clusters = BigUint::from(classes).pow(processors as u32);
    let [nodes, nodes_squared, leaves, leaves_squared] =
        sums.map(|sum| ratio(sum, clusters.clone()));
    let moments = |mean: Rational, squared: Rational| Moments {
        variance: squared - &mean * &mean,
        mean,
    };
    Ok(Expectation {
        nodes: moments(nodes, nodes_squared),
        leaves: moments(leaves, leaves_squared),
    })
}

/// All divisions of the processors among distinct classes, in order.
fn divisions(processors: u64, classes: usize) -> Vec<Vec<u64>> {
    if classes == 1 {
        return vec![vec![processors]];
    }
    let mut all: Vec<Vec<u64>> = (0..=processors)
        .flat_map(|first| {
            divisions(processors - first, classes - 1)
                .into_iter()
                .map(move |mut rest| {
                    rest.push(first);
                    rest
                })
        })
        .collect();
    all.sort_by_key(|counts| Reverse(counts.clone()));
    all
}
