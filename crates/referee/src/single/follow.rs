//! Following the dates of a schedule, processor by processor.

use oneport_plan::Concurrency;

use super::ticks::{Column, Number};
use super::written_schedule::{Transfer, WrittenSchedule};
use crate::Violation;
use crate::violation::fault;

/// Two neighbours in a list of equally long stretches, one processor at a time.
struct Clash<N> {
    first: usize,
    end: N,
    second: usize,
    start: N,
}

/// Children of one processor by the dates of a list.
fn sorted<N: Number>(children: &[u32], dates: &Column<'_, N>, scratch: &mut Vec<(N, u32)>) {
    scratch.clear();
    scratch.extend(
        children
            .iter()
            .map(|&child| (dates.at(child as usize), child)),
    );
    scratch.sort_unstable();
}

/// The first stretch that starts before the one before it has ended.
fn clash<N: Number>(stretches: &[(N, u32)], end: impl Fn(&N, usize) -> N) -> Option<Clash<N>> {
    stretches.windows(2).find_map(|pair| {
        let [(first_start, first), (start, second)] = pair else {
            return None;
        };
        let end = end(first_start, *first as usize);
        (*start < end).then(|| Clash {
            first: *first as usize,
            end,
            second: *second as usize,
            start: start.clone(),
        })
    })
}

/// Checks all dates of a reduction, its length included. O(n log n).
///
/// # Errors
/// The first rule broken, in the order of the processors.
pub(super) fn follow_reduction<N: Number>(run: &WrittenSchedule<'_, N>) -> Result<(), Violation> {
    let mut scratch = Vec::new();
    let mut end = run.ready(run.tree.root());
    for processor in 0..run.tree.len() {
        let children = run.tree.children(processor);
        check_ports(run, processor, "from", &mut scratch)?;
        let mut complete = run.ready(processor);
        if let Some(merges) = &run.works {
            check_merges(run, processor, merges, &mut scratch)?;
            for &child in children {
                complete = complete.max(merges.at(child as usize).plus(&run.work));
            }
        } else {
            for &child in children {
                complete = complete.max(run.arrival(child as usize));
            }
        }
        if processor == run.tree.root() {
            end = end.max(complete);
            continue;
        }
        let start = run.starts.at(processor);
        if start < complete {
            let (start, complete) = (run.clock.date(&start), run.clock.date(&complete));
            return Err(fault!(
                Single,
                "processor {processor} sends at {start}, but its value is complete only at {complete}"
            ));
        }
        // A transfer ends before its merge does. Only a root that receives nothing comes later than all of them.
        end = end.max(run.arrival(processor));
    }
    check_length(run, &end)
}

/// Checks all dates of a broadcast, its length included. O(n log n).
///
/// # Errors
/// The first rule broken, in the order of the processors.
pub(super) fn follow_broadcast<N: Number>(run: &WrittenSchedule<'_, N>) -> Result<(), Violation> {
    let mut scratch = Vec::new();
    let mut end = N::zero();
    for sender in 0..run.tree.len() {
        let held = if sender == run.tree.root() {
            N::zero()
        } else {
            run.arrival(sender)
        };
        check_ports(run, sender, "to", &mut scratch)?;
        let preparations = run.works.as_ref();
        for receiver in run
            .tree
            .children(sender)
            .iter()
            .map(|&child| child as usize)
        {
            let start = run.starts.at(receiver);
            let (what, first) = match preparations {
                Some(preparations) => ("prepares", preparations.at(receiver)),
                None => ("starts", start.clone()),
            };
            if first < held {
                let (start, held) = (run.clock.date(&first), run.clock.date(&held));
                let when = format!("at {start}, but has the message only from {held}");
                return Err(fault!(
                    Single,
                    "processor {sender} {what} the transfer to processor {receiver} {when}"
                ));
            }
            let prepared = first.plus(&run.work);
            if start < prepared {
                let (start, prepared) = (run.clock.date(&start), run.clock.date(&prepared));
                let when = format!("at {start}, but it is prepared only at {prepared}");
                return Err(fault!(
                    Single,
                    "processor {sender} starts the transfer to processor {receiver} {when}"
                ));
            }
        }
        if let Some(preparations) = preparations {
            sorted(run.tree.children(sender), preparations, &mut scratch);
            if let Some(Clash {
                first,
                end,
                second,
                start,
            }) = clash(&scratch, |start, _| start.plus(&run.work))
            {
                let (end, start) = (run.clock.date(&end), run.clock.date(&start));
                let both = format!(
                    "that to processor {second} from {start} on, that to processor {first} until {end}"
                );
                return Err(fault!(
                    Single,
                    "processor {sender} prepares two transfers at once: {both}"
                ));
            }
        }
        end = end.max(held);
    }
    check_length(run, &end)
}

/// No two transfers between a processor and its children at once. The transfer to its parent comes after (or before,
/// in a broadcast) all of them, for reasons that are checked elsewhere.
fn check_ports<N: Number>(
    run: &WrittenSchedule<'_, N>,
    processor: usize,
    way: &'static str,
    scratch: &mut Vec<(N, u32)>,
) -> Result<(), Violation> {
    sorted(run.tree.children(processor), &run.starts, scratch);
    match clash(scratch, |_, child| run.arrival(child)) {
        None => Ok(()),
        Some(Clash {
            first,
            end,
            second,
            start,
        }) => {
            let (end, start) = (run.clock.date(&end), run.clock.date(&start));
            let second = format!("that {way} processor {second} starts at {start}");
            let both = format!("{second}, that {way} processor {first} lasts until {end}");
            Err(fault!(
                Single,
                "processor {processor} takes part in two transfers at once: {both}"
            ))
        }
    }
}

fn check_merges<N: Number>(
    run: &WrittenSchedule<'_, N>,
    receiver: usize,
    merges: &Column<'_, N>,
    scratch: &mut Vec<(N, u32)>,
) -> Result<(), Violation> {
    let ready = run.ready(receiver);
    let told = |sender| format!("processor {receiver} merges the value of processor {sender}");
    for sender in run
        .tree
        .children(receiver)
        .iter()
        .map(|&child| child as usize)
    {
        let (start, arrival) = (merges.at(sender), run.arrival(sender));
        if start < arrival {
            let (start, arrival) = (run.clock.date(&start), run.clock.date(&arrival));
            return Err(fault!(
                Single,
                "{} at {start}, but that arrives only at {arrival}",
                told(sender)
            ));
        }
        if start < ready {
            let (start, ready) = (run.clock.date(&start), run.clock.date(&ready));
            return Err(fault!(
                Single,
                "{} at {start}, but its own value is there only from {ready}",
                told(sender)
            ));
        }
    }
    sorted(run.tree.children(receiver), merges, scratch);
    match clash(scratch, |start, _| start.plus(&run.work)) {
        None => Ok(()),
        Some(Clash {
            first,
            end,
            second,
            start,
        }) => {
            let (end, start) = (run.clock.date(&end), run.clock.date(&start));
            let second = format!("that of processor {second}'s value starts at {start}");
            let both = format!("{second}, that of processor {first}'s lasts until {end}");
            Err(fault!(
                Single,
                "processor {receiver} runs two merges at once: {both}"
            ))
        }
    }
}

fn check_length<N: Number>(run: &WrittenSchedule<'_, N>, end: &N) -> Result<(), Violation> {
    if *end == run.length {
        return Ok(());
    }
    let (found, right) = (run.clock.date(&run.length), run.clock.date(end));
    Err(fault!(Single, "the length is given as {found}"; "the schedule ends at {right}"))
}

/// Checks a limit. O(n log n) for limited transfers, O(n) for limited reducers.
///
/// # Errors
/// Too many transfers at once, or too many processors that receive (send, in a broadcast).
pub(super) fn check_limit<N: Number>(
    run: &WrittenSchedule<'_, N>,
    limit: Concurrency,
    act: &'static str,
) -> Result<(), Violation> {
    match limit {
        Concurrency::Unlimited => Ok(()),
        Concurrency::Reducers(limit) => {
            let found = run.tree.inner();
            if found <= limit {
                Ok(())
            } else {
                Err(fault!(Single, "{found} processors {act}"; "at most {limit} may"))
            }
        }
        Concurrency::Transfers(limit) => check_transfers(run, limit),
    }
}

fn check_transfers<N: Number>(run: &WrittenSchedule<'_, N>, limit: u64) -> Result<(), Violation> {
    if matches!(&run.transfer, Transfer::Same(time) if *time == N::zero()) {
        return Ok(());
    }
    let mut starts: Vec<N> = run
        .linked()
        .map(|processor| run.starts.at(processor))
        .collect();
    starts.sort_unstable();
    // With equal times, the transfers end in the order in which they start.
    let ends: Option<Vec<N>> = match &run.transfer {
        Transfer::Same(_) => None,
        Transfer::Each(_) => {
            let mut ends: Vec<N> = run
                .linked()
                .map(|processor| run.arrival(processor))
                .collect();
            ends.sort_unstable();
            Some(ends)
        }
    };
    let end = |index: usize| match (&ends, &run.transfer) {
        (Some(ends), _) => ends[index].clone(),
        (None, Transfer::Same(time)) => starts[index].plus(time),
        (None, Transfer::Each(_)) => starts[index].clone(),
    };
    let mut ended = 0;
    for (index, start) in starts.iter().enumerate() {
        while end(ended) <= *start {
            ended += 1;
        }
        let found = (index + 1 - ended) as u64;
        if found > limit {
            let date = run.clock.date(start);
            return Err(
                fault!(Single, "at {date} there are {found} transfers at once"; "at most {limit} are allowed"),
            );
        }
    }
    Ok(())
}
