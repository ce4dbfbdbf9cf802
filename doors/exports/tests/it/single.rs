//! One reduction in every format: the dates are the file's, and all operands are combined, in order.

use oneport_exports::{FORMATS, Request, SingleRun, format};
use oneport_plan::{
    Broadcast, Concurrency, Dates, Rational, Reduction, SingleAllReduce, SingleBroadcast,
    SingleCosts, SingleReduction,
};
use oneport_testkit::{Dice, ratio};
use serde_json::Value;

/// A tree whose processors hold intervals: `first` receives from the roots of the intervals to its right, in order.
fn tree(first: usize, end: usize, receivers: &mut [u32], dice: &mut Dice) {
    let mut from = first + 1;
    while from < end {
        let to = from + 1 + dice.below(end - from);
        receivers[from] = first as u32;
        tree(from, to, receivers, dice);
        from = to;
    }
}

/// As early as possible, in thirds. `new` renames the processors.
fn reduction(n: usize, equal: bool, dice: &mut Dice) -> SingleReduction {
    let mut receivers = vec![0; n];
    tree(0, n, &mut receivers, dice);
    let (transfer, compute) = (1 + dice.below(4), dice.below(4));
    let times: Vec<usize> = (0..n)
        .map(|_| if equal { transfer } else { 1 + dice.below(4) })
        .collect();
    let compute = if equal { compute } else { 0 };
    let (mut free, mut complete, mut starts, mut merges) =
        (vec![0; n], vec![0; n], vec![0; n], vec![0; n]);
    // Subtrees end at the start of the next: parents have smaller names, and their children ascend.
    fn run(
        at: usize,
        of: &[Vec<usize>],
        times: &[usize],
        compute: usize,
        lists: [&mut Vec<usize>; 4],
    ) {
        let [free, complete, starts, merges] = lists;
        for &child in &of[at] {
            run(child, of, times, compute, [free, complete, starts, merges]);
            starts[child] = free[at].max(complete[child]);
            free[at] = starts[child] + times[child];
            merges[child] = complete[at].max(free[at]);
            complete[at] = merges[child] + compute;
        }
        // A processor that sends takes part in its own receptions before.
        free[at] = free[at].max(complete[at]);
    }
    let mut children = vec![Vec::new(); n];
    for child in 1..n {
        children[receivers[child] as usize].push(child);
    }
    run(
        0,
        &children,
        &times,
        compute,
        [&mut free, &mut complete, &mut starts, &mut merges],
    );
    let length = complete[0];
    let commutative = !equal || dice.below(2) == 0;
    let mut names: Vec<usize> = (0..n).collect();
    if commutative {
        names.rotate_left(dice.below(n));
        names.swap(0, n - 1);
    }
    let by_new_name = |list: &[usize]| {
        let mut dates = vec![Rational::default(); n];
        for old in 0..n {
            dates[names[old]] = ratio(list[old], 3);
        }
        dates
    };
    let root = names[0];
    starts[0] = 0;
    merges[0] = 0;
    let mut renamed = vec![root as u32; n];
    for old in 1..n {
        renamed[names[old]] = names[receivers[old] as usize] as u32;
    }
    let costs = if equal {
        SingleCosts::Equal {
            transfer: ratio(transfer, 3),
            compute: ratio(compute, 3),
        }
    } else {
        SingleCosts::PerSender(by_new_name(&times))
    };
    SingleReduction {
        reduction: Reduction {
            costs,
            root: root as u32,
            receivers: renamed,
            starts: Dates::Exact(by_new_name(&starts)),
            merges: equal.then(|| Dates::Exact(by_new_name(&merges))),
            ready: None,
            length: ratio(length, 3),
        },
        limit: Concurrency::Unlimited,
        commutative,
        lower_bound: ratio(0, 1),
        proof: None,
    }
}

/// The table has every transfer at its date, and its tasks combine every operand once: in the order of the processors
/// unless the operator commutes.
#[test]
fn the_table_is_the_schedule() {
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let n = 2 + dice.below(9);
        let one = reduction(n, seed % 2 == 0, &mut dice);
        let run = SingleRun::new(&one).unwrap();
        let text = format("events")
            .unwrap()
            .write(&run.request())
            .unwrap()
            .files[0]
            .text()
            .into_owned();
        let table: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(table["period"], one.reduction.length.to_string());
        assert_eq!(
            (table["depth"].clone(), table["instances"].clone()),
            (1.into(), 1.into())
        );
        let order: Vec<usize> = match table["patterns"][0].get("order") {
            Some(order) => serde_json::from_value(order.clone()).unwrap(),
            None => (0..n).collect(),
        };
        assert!(one.commutative || order.is_sorted());
        let tasks = table["tasks"].as_array().unwrap();
        assert_eq!(tasks.len(), 2 * (n - 1));
        let mut words: Vec<Vec<usize>> = Vec::new();
        let mut sent = 0;
        for task in tasks {
            let number = |value: &Value| value.as_u64().unwrap() as usize;
            let (first, last) = (number(&task["part"][0]), number(&task["part"][1]));
            let input = |index: usize, operand: usize| match &task["inputs"][index] {
                Value::Null => vec![order[operand]],
                made => words[number(made)].clone(),
            };
            let piece = &task["pieces"][0];
            let date =
                |key: &str| oneport_platform::parse_rational(piece[key].as_str().unwrap()).unwrap();
            let word = match task.get("send") {
                Some(send) => {
                    let from: usize = send["from"].as_str().unwrap()[1..].parse().unwrap();
                    let to: usize = send["to"].as_str().unwrap()[1..].parse().unwrap();
                    assert_eq!(one.reduction.receivers[from] as usize, to);
                    assert_eq!(Some(date("start")), one.reduction.starts.get(from));
                    assert_eq!(
                        &(date("end") - date("start")),
                        one.reduction.costs.transfer(from).unwrap()
                    );
                    sent += 1;
                    input(0, first)
                }
                None => {
                    let split = number(&task["merge"]["split"]);
                    [input(0, first), input(1, split + 1)].concat()
                }
            };
            assert_eq!(word, order[first..=last]);
            // Nothing starts before its inputs have ended.
            for made in task["inputs"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|made| !made.is_null())
            {
                let end = tasks[number(made)]["pieces"][0]["end"].as_str().unwrap();
                assert!(date("start") >= oneport_platform::parse_rational(end).unwrap());
            }
            words.push(word);
        }
        assert_eq!(sent, n - 1);
        let mut whole = words.pop().unwrap();
        whole.sort_unstable();
        assert_eq!(whole, (0..n).collect::<Vec<_>>());
    }
}

/// A broadcast along a random tree: every processor sends to its children in sequence, in thirds.
fn broadcast(times: &[Rational], root: usize, dice: &mut Dice) -> Broadcast {
    let n = times.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.swap(0, root);
    let (mut senders, mut starts) = (vec![root as u32; n], vec![ratio(0, 1); n]);
    let mut free: Vec<Rational> = starts.clone();
    for index in 1..n {
        let (sender, receiver) = (order[dice.below(index)], order[index]);
        senders[receiver] = sender as u32;
        starts[receiver] = free[sender].clone();
        let end = &free[sender] + &times[sender];
        (free[sender], free[receiver]) = (end.clone(), end);
    }
    let arrival = |to: usize| &starts[to] + &times[senders[to] as usize];
    let length = (0..n).filter(|&to| to != root).map(arrival).max().unwrap();
    Broadcast {
        costs: SingleCosts::PerSender(times.to_vec()),
        root: root as u32,
        senders,
        starts: Dates::Exact(starts),
        preparations: None,
        length,
    }
}

/// A broadcast and an all-reduction: every transfer is at its date, and every processor gets all values.
#[test]
fn broadcasts_and_all_reductions_are_runs() {
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let n = 2 + dice.below(7);
        let reduction = reduction(n, false, &mut dice).reduction;
        let SingleCosts::PerSender(times) = &reduction.costs else {
            panic!()
        };
        let broadcast = broadcast(times, reduction.root as usize, &mut dice);
        let one = SingleBroadcast {
            broadcast: broadcast.clone(),
            limit: Concurrency::Unlimited,
            lower_bound: ratio(0, 1),
            proof: None,
        };
        let all = SingleAllReduce {
            reduction: reduction.clone(),
            broadcast: broadcast.clone(),
            lower_bound: ratio(0, 1),
            proof: None,
        };
        for (run, from) in [
            (SingleRun::of_broadcast(&one).unwrap(), None),
            (SingleRun::of_all_reduce(&all).unwrap(), Some(&reduction)),
        ] {
            let written = format("events").unwrap().write(&run.request()).unwrap();
            let table: Value = serde_json::from_str(&written.files[0].text()).unwrap();
            let (length, transfers) = match from {
                None => (broadcast.length.clone(), n - 1),
                Some(reduction) => (&reduction.length + &broadcast.length, 2 * (n - 1)),
            };
            assert_eq!(table["period"], length.to_string());
            let sends: Vec<(usize, usize, Rational)> = table["tasks"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|task| {
                    let send = task.get("send")?;
                    let end = |key: &str| send[key].as_str().unwrap()[1..].parse().unwrap();
                    let start = task["pieces"][0]["start"].as_str().unwrap();
                    Some((
                        end("from"),
                        end("to"),
                        oneport_platform::parse_rational(start).unwrap(),
                    ))
                })
                .collect();
            assert_eq!(sends.len(), transfers);
            let offset = from.map_or(ratio(0, 1), |reduction| reduction.length.clone());
            for to in (0..n).filter(|&to| to != broadcast.root as usize) {
                let sender = broadcast.senders[to] as usize;
                let start = &offset + broadcast.starts.get(to).unwrap();
                assert!(sends.contains(&(sender, to, start)));
                if let Some(reduction) = from {
                    let receiver = reduction.receivers[to] as usize;
                    assert!(sends.contains(&(to, receiver, reduction.starts.get(to).unwrap())));
                }
            }
            for name in ["mpi", "simgrid", "goal"] {
                assert!(
                    format(name).unwrap().write(&run.request()).is_ok(),
                    "{name}"
                );
            }
        }
    }
}

/// Every format carries it, or gives the reason for refusing it.
#[test]
fn every_format_carries_one_reduction() {
    let one = reduction(7, true, &mut Dice(4));
    let run = SingleRun::new(&one).unwrap();
    for format in FORMATS {
        match format.write(&run.request()) {
            Ok(written) => assert!(!written.files.is_empty()),
            // Their libraries have no reduction to one.
            Err(error) => assert!(
                format.name.starts_with("msccl") && error.to_string().contains("reduce"),
                "{error}"
            ),
        }
    }
    let goal = format("goal").unwrap().write(&run.request()).unwrap().files[0]
        .text()
        .into_owned();
    let units: u64 = goal
        .split("// ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let end: u64 = goal
        .split("the run ends at ")
        .nth(1)
        .unwrap()
        .split('.')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(ratio(end as usize, units as i64), one.reduction.length);
    let pieces = Request {
        pieces: oneport_exports::Pieces::Number(3),
        ..run.request()
    };
    for name in ["events", "mpi"] {
        let refused = format(name)
            .unwrap()
            .write(&pieces)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("leave --pieces out"), "{refused}");
    }
}

#[test]
fn what_is_no_run_is_refused() {
    let one = reduction(5, true, &mut Dice(8));
    let told = |one: &SingleReduction| SingleRun::new(one).unwrap_err().to_string();
    let mut alone = one.clone();
    alone.reduction.receivers = vec![0];
    assert!(told(&alone).contains("1 processors"));
    let mut free = one.clone();
    free.reduction.costs = SingleCosts::Equal {
        transfer: ratio(0, 1),
        compute: ratio(1, 1),
    };
    assert!(told(&free).contains("takes no time"));
    let mut nowhere = one.clone();
    nowhere.reduction.receivers[1] = 77;
    nowhere.reduction.root = 0;
    assert!(!told(&nowhere).is_empty());
    // The referee refuses a circle first. Nothing loops here.
    let mut circle = one;
    circle.reduction.root = 0;
    circle.reduction.receivers = vec![0, 2, 1, 0, 0];
    assert!(told(&circle).contains("it is not a tree"));
}
