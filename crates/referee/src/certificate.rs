//! Computes the upper bound on the throughput that a list of prices proves.
//!
//! In a schedule of throughput `TP`, one unit of time occupies resource `r` for at most its capacity, and the links of
//! an odd set for at most its capacity together, so the priced time is at most `sum_r pi_r cap_r`. Each demand of each
//! instance is executed by some pattern, which costs at least the cheapest pattern under `pi`: `TP * sum_k rate_k
//! cheapest_k <= sum_r pi_r cap_r`. A lower bound of `cheapest_k` proves a larger bound of `TP`.

use num_traits::Zero;
use oneport_plan::{Certificate, Kind, Problem};
use oneport_platform::{Rational, whole};
use oneport_watch::Watch;

use crate::Violation;
use crate::arithmetic::fraction;
use crate::case::Case;
use crate::cheapest::cheapest_combinations;
use crate::copies::cheapest_copies;
use crate::needs::{Least, Needs};
use crate::paths::cheapest_paths;
use crate::prices::Prices;
use crate::violation::fault;

/// Upper bound on the throughput of every schedule, in instances per unit of time: the sum of prices times capacities,
/// over the sum over the demands of the price of the cheapest pattern.
///
/// - **Paths** (one value, one target), exactly, with or without cuts: one run of Dijkstra's algorithm per source (per
///   target for a gather), in machine integers if the scaled prices fit and in big integers otherwise: O(sources
///   (nodes + links) log nodes) operations on numbers of about the length of the prices' common denominator.
/// - **Arborescences** (one value, several targets). If the certificate has cuts for a demand, their total weight,
///   after a check that they charge no link (no route through nodes that do not replicate) for more than it costs. Else
///   exactly if all nodes that replicate are targets (Chu and Liu, Edmonds), or there are at most
///   [`Certificate::SMALL`] targets (Dreyfus and Wagner) or at most that many nodes that replicate and are not targets
///   (all subsets of them): in these cases cuts need not prove the price of an arborescence. Else a lower bound: the
///   larger of the dual ascent of Wong and of the longest of the shortest paths.
/// - **Reduction trees** (several values, one target), exactly: for `n` operands on `P` processors O(n^3 P + n^2 P^2)
///   machine operations and, if prices are longer than machine integers, exact arithmetic for the few partial trees
///   that may be cheapest. For commutative operators all sets of operands are tried, O(3^n P + 2^n P^2) machine
///   operations, if `n <= 12` or these are at most 2^29. Beyond, the trees are priced from below: the larger of two
///   prices, that of a tree that may use the same operand several times, and that of leaving every owner once plus the
///   cheapest merging. Cuts may raise the bound: their weights plus the least cost of merges. If every demand
///   crosses cuts and the trees would take more than 2^24 operations, only the cuts count.
/// - **Schemes** (several values, several targets), from below, by the larger of two bounds: the weight of the cuts
///   plus the least price of the merges; the price of the most expensive of the reduction trees that a scheme contains,
///   one for every goal. Trees are left out if every demand crosses cuts, and replaced by the longest path of a value
///   if there are no cuts and too many partial trees. For an all-reduce also the least price of the exchange
///   ([`Exchange`](oneport_plan::inequality::Exchange)), in which every participant is a separate part and pays all
///   prices.
///
/// [Needs](oneport_plan::inequality::Need) of a demand are added up, after a check that they charge nothing for more
/// than it costs. For a copy they replace the price of the arborescence, for an all-reduce with borders, gatherings or
/// exchanges that of the scheme. Elsewhere the larger one counts.
///
/// The result is an upper bound of every throughput in any case, but perhaps not the least that the prices prove.
///
/// # Errors
/// Prices, odd sets or needs that are malformed or charge too much. A demand
/// that cannot be executed. Prices under which everything is free, which prove nothing. A reduction too large for the
/// memory. An ill-posed question. [`Rule::Stopped`](crate::Rule::Stopped) if the watch ended the search for cheapest
/// patterns.
pub fn bound(
    problem: &Problem,
    certificate: &Certificate,
    watch: &Watch,
) -> Result<Rational, Violation> {
    let proof = proof(problem, certificate, watch)?;
    Ok(proof.supply
        / proof
            .groups
            .iter()
            .map(|group| &group.price)
            .sum::<Rational>())
}

/// The two sums of a bound, in the certificate's prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Priced time per unit of time: the sum of prices times capacities.
    pub supply: Rational,
    /// Lower bounds on the price of an instance, by group. Their sum is above 0.
    pub groups: Vec<GroupPrice>,
    /// The price that each need adds, in the certificate's order. 0 if cheapest patterns prove more.
    pub needs: Vec<Rational>,
}

/// Lower bound on the price of a group's demands per instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupPrice {
    /// Index of the group's first demand in the collective.
    pub first: usize,
    /// Demands of the group.
    pub count: usize,
    /// Their total price per instance, rates included.
    pub price: Rational,
    /// The part of it that cheapest patterns prove, and no need.
    pub cheapest: Rational,
}

/// The proof of [`bound`]: the throughput of every schedule is at most the supply over the sum of the groups' prices.
///
/// # Errors
/// Those of [`bound`].
pub fn proof(
    problem: &Problem,
    certificate: &Certificate,
    watch: &Watch,
) -> Result<Proof, Violation> {
    let case = Case::new(problem).watched(watch);
    let prices = Prices::new(&case, certificate)?;
    let lengths = prices.lengths(&case);
    let needs = Needs::new(&case, &certificate.needs, &lengths)?;
    let (factor, divisor) = &prices.factor;
    let unscaled = fraction(divisor.clone(), factor);
    let (mut groups, mut by_need) = (Vec::new(), vec![Rational::zero(); certificate.needs.len()]);
    for group in case.groups() {
        let least = match group.kind {
            Kind::Route => Least {
                cheapest: cheapest_paths(&group.case, &lengths)?,
                by_need: Vec::new(),
            },
            Kind::Copy => cheapest_copies(&group, &lengths, &needs, &prices)?,
            Kind::Combine | Kind::CombineCopy | Kind::Prefix => {
                cheapest_combinations(&group, &prices, &needs)?
            }
        };
        case.ask()?;
        let times = whole(group.rate) * &unscaled;
        let cheapest = least.cheapest * &times;
        let mut price = cheapest.clone();
        for (need, proved) in least.by_need {
            let proved = proved * &times;
            price += &proved;
            by_need[need] += proved;
        }
        groups.push(GroupPrice {
            first: group.first,
            count: group.case.demands(),
            price,
            cheapest,
        });
    }
    if groups.iter().all(|group| group.price.is_zero()) {
        let prices = certificate.rows.len();
        let found =
            format!("the {prices} prices make every cheapest pattern free, which proves nothing");
        return Err(fault!(NoBound, "{found}"; "some demand must have to pay"));
    }
    Ok(Proof {
        supply: fraction(prices.sum, &1u32.into()) * unscaled,
        groups,
        needs: by_need,
    })
}
