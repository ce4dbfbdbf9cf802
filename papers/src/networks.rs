//! The pipeline on real networks, if the data folder next to the repository exists, and on our platforms.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use oneport::plan::Form;
use oneport::watch::Watch;
use oneport::{Answer, Options, Plan, Platform, referee, solve};

use crate::cases::{self, Case};
use crate::figures::{self, Figure};
use crate::numbers::{digits, pixels, short, whole};
use crate::rows::root;

/// Platforms with at most this many links are drawn.
const DRAWN: usize = 2000;
/// Platforms with at most this many links are drawn small.
const SMALL: usize = 100;

/// A network and the path of its file, from the data folder or from the repository.
struct Network {
    name: &'static str,
    file: &'static str,
    shared: bool,
    about: &'static str,
}

const NETWORKS: &[Network] = &[
    Network {
        name: "Abilene",
        file: "topology_zoo/Abilene.gml",
        shared: true,
        about: "Internet Topology Zoo; costs in seconds per gigabit",
    },
    Network {
        name: "Geant2001",
        file: "topology_zoo/Geant2001.gml",
        shared: true,
        about: "Internet Topology Zoo; costs in seconds per gigabit",
    },
    Network {
        name: "WAN_3",
        file: "tiers/WAN_3.platform.joined.json",
        shared: true,
        about: "Tiers topology with measured links; costs in seconds per megabyte",
    },
    Network {
        name: "two racks",
        file: "two-racks.toml",
        shared: false,
        about: "Our own example; costs in seconds per gigabyte",
    },
    Network {
        name: "four sites",
        file: "four-sites.csv",
        shared: false,
        about: "Our own example; costs in seconds per megabyte",
    },
    Network {
        name: "star",
        file: "star.json",
        shared: false,
        about: "Our own example",
    },
];

/// One collective on one network.
#[derive(Debug, Clone)]
pub struct Solved {
    /// Network.
    pub network: String,
    /// Collective, with its number of messages or values.
    pub collective: String,
    /// Cells under [`HEADER`].
    pub cells: Vec<String>,
}

/// Results of all networks.
#[derive(Debug, Clone, Default)]
pub struct Networks {
    /// One row per collective and network.
    pub rows: Vec<Solved>,
    /// Skipped networks, with reasons.
    pub notes: Vec<String>,
    /// A drawing per network.
    pub figures: Vec<Figure>,
}

/// Heads of the columns after network and collective.
pub const HEADER: [&str; 10] = [
    "nodes",
    "links",
    "TP",
    "bound",
    "period",
    "instances",
    "slots",
    "attains",
    "referee",
    "seconds",
];

/// Solves scatter, gather, all-to-all and reduce on every network.
///
/// # Errors
/// The referee objects, or a platform of ours cannot be read. Refusals of shared files become notes.
pub fn run() -> Result<Networks> {
    let mut networks = Networks::default();
    let data = data_folder();
    if data.is_none() {
        networks.notes.push(format!(
            "skipped: the real networks; {DATA} names no folder"
        ));
    }
    for network in NETWORKS {
        let folder = match &data {
            Some(data) if network.shared => data.clone(),
            None if network.shared => continue,
            _ => root().join("fixtures/platforms"),
        };
        match oneport_topologies::read_platform(folder.join(network.file)) {
            Ok(platform) => networks.add(network, &platform)?,
            Err(error) if network.shared => networks
                .notes
                .push(format!("skipped: {}: {error}", network.name)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(networks)
}

/// The environment variable that names the folder with the data of other people.
pub const DATA: &str = "ONEPORT_DATA";

/// The data folder. `None` if the variable is not set to a folder.
pub fn data_folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(DATA)?);
    folder.is_dir().then_some(folder)
}

impl Networks {
    fn add(&mut self, network: &Network, platform: &Platform) -> Result<()> {
        let cases = [
            cases::scatter_to_all(network.name, platform.clone())?,
            cases::gather_from_all(network.name, platform.clone())?,
            cases::all_to_all_of_all(network.name, platform.clone())?,
            cases::reduce_of_all(network.name, platform.clone())?,
        ];
        for case in cases {
            let started = Instant::now();
            let found = solve(&case.problem(), &Options::default())?;
            let seconds = started.elapsed().as_secs_f64();
            let Ok(plan) = found.plan() else {
                self.notes.push(format!(
                    "skipped: {}: {} is not possible",
                    case.name,
                    case.collective.name()
                ));
                continue;
            };
            self.rows.push(solved(&case, &found.answer, seconds)?);
            if case.collective.is(Form::SCATTER) && platform.links().len() <= DRAWN {
                self.figures.push(drawing(&case, &plan, network));
            }
        }
        Ok(())
    }
}

fn solved(case: &Case, answer: &Answer, seconds: f64) -> Result<Solved> {
    // Checks the final plan once more, so that all printed values are checked.
    let verdict = referee::verify(
        answer.claim().clone(),
        &answer.stated(),
        &Watch::unlimited(),
    )?;
    let plan = verdict.plan().context("no schedule")?;
    let (throughput, bound) = (&plan.steady_state.throughput, plan.upper_bound);
    ensure!(
        bound >= throughput,
        "{}: the bound is below the throughput",
        case.name
    );
    let schedule = plan.schedule;
    let share = schedule.throughput() / throughput;
    let attains = if share == whole(1) {
        "TP".to_string()
    } else {
        format!(
            "{} % less",
            digits(pixels(&((whole(1) - share) * whole(100))))
        )
    };
    let messages = if case.collective.combines() {
        case.collective.most_operands()
    } else {
        case.collective.commodities().len()
    };
    let shown_bound = if bound == throughput {
        "= TP".to_string()
    } else {
        short(bound)
    };
    Ok(Solved {
        network: case.name.clone(),
        collective: format!("{} of {messages}", case.collective.name()),
        cells: vec![
            case.platform.nodes().len().to_string(),
            case.platform.links().len().to_string(),
            short(throughput),
            shown_bound,
            short(&schedule.period),
            schedule.instances.to_string(),
            schedule.slots.len().to_string(),
            attains,
            plan.status.name().to_string(),
            format!("{seconds:.3}"),
        ],
    })
}

fn drawing(case: &Case, plan: &Plan<'_>, network: &Network) -> Figure {
    let &[&[source], targets] = &case.collective.cast()[..] else {
        return Figure::svg(case.name.clone(), "", String::new());
    };
    let caption = format!(
        "Scatter from {} to {} processors: links in use, the wider the busier. {}.",
        case.platform.name(source),
        targets.len(),
        network.about
    );
    let figure = Figure::svg(
        format!("{}: scatter", case.name),
        caption,
        figures::graph(case, Some(plan.steady_state)),
    );
    Figure {
        wide: case.platform.links().len() > SMALL,
        ..figure
    }
}
