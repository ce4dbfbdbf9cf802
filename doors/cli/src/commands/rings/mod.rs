//! `oneport rings`: the best rings over the GPUs of one box.

mod boxes;
mod graph;
mod text;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use oneport::{Answer, Goal, files, solve};
use oneport::{
    Collective, NodeId, Options, PackingError, Platform, Problem, ProblemError, RingError, Volumes,
};
use oneport_questions::{LeftOut, listed};
use oneport_topologies::PathType;

use crate::flags::limits::LimitArguments;
use crate::flags::platform::{FileArguments, ReadingArguments};
use crate::words::clock;
use crate::words::exit::End;
use crate::words::objects::{joined, line};
use crate::words::output::{Content, named, print, try_outputs};
use crate::words::progress::Progress;
use crate::words::tables::{FormatArguments, TableFormat};
use crate::words::usage::usage;
use graph::Ranks;
use text::Report;

/// Limit on the rings of an NCCL graph: it has at most 64 channels, and NCCL doubles the rings.
const MOST_RINGS: u32 = 32;

/// Find the best rings over the GPUs of one machine, compare them with trees, write an NCCL graph file.
#[derive(Debug, Args)]
pub struct RingsArguments {
    /// One box of 2 to 16 processors, or boxes with cables between them.
    #[command(flatten)]
    platform: FileArguments,
    /// Model and units.
    #[command(flatten)]
    reading: ReadingArguments,
    /// The processors of the rings by names or patterns (box0.*, gpu0..7), or "all" of the platform (the default);
    /// their ranks are in this order.
    #[arg(long, value_name = "A,B|all")]
    participants: Option<String>,
    /// Limit on the rings of the graph file, 1 to 32; all of them have the same bandwidth.
    #[arg(long, value_name = "K", default_value_t = MOST_RINGS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RINGS)))]
    max_rings: u32,
    /// Compare the rings of this graph file (NCCL_GRAPH_FILE, NCCL_GRAPH_DUMP_FILE) with the best.
    #[arg(long, value_name = "GRAPH.xml")]
    check: Option<PathBuf>,
    /// The graph file's type of paths between GPUs: LOC, NVL, NVB, P2C, PIX, PXB, PXN, PHB, SYS (default: by the links
    /// of a topology; NVL for a platform file).
    #[arg(long, value_name = "TYPE")]
    path_type: Option<String>,
    /// Limits.
    #[command(flatten)]
    limits: LimitArguments,
    /// The format of the answer.
    #[command(flatten)]
    table: FormatArguments,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the equal rings as a graph file for NCCL (NCCL_GRAPH_FILE): rings (id 0) and chains for its tree (id 1).
    /// Several boxes get one file each, GRAPH.box0.xml and so on.
    #[arg(short = 'o', long = "output", value_name = "GRAPH.xml")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &RingsArguments) -> Result<End> {
    let path_type = arguments
        .path_type
        .as_ref()
        .map(|name| name.parse::<PathType>())
        .transpose();
    let path_type = path_type.map_err(|error| usage(format!("--path-type: {error}")))?;
    let progress = Progress::on_terminal();
    let watch = progress.of(&arguments.limits.watch()?);
    let file = arguments.platform.path()?;
    let inputs = [("FILE", file)]
        .into_iter()
        .chain(named(&[("--check", &arguments.check)]));
    try_outputs(
        Content::Other,
        &inputs.collect::<Vec<_>>(),
        &named(&[("--output", &arguments.output)]),
    )?;
    let imported = arguments.reading.read(file)?;
    let gpus = |platform: &Platform| {
        listed(
            platform,
            arguments.participants.as_deref(),
            "--participants",
            None,
        )
    };
    let takers: BTreeSet<NodeId> = gpus(&imported.platform)?.into_iter().collect();
    let takers: Vec<NodeId> = takers.into_iter().collect();
    let left_out = LeftOut::of(&imported.platform, &takers, arguments.reading.idle());
    let imported = imported.without(&left_out.nodes)?;
    let platform = &imported.platform;
    let gpus = gpus(platform)?;
    let ranks = Ranks::new(&imported, &gpus);
    let judged = arguments
        .check
        .as_ref()
        .map(|path| graph::judge(path, &imported, &gpus, &ranks))
        .transpose()?;
    let rings = match oneport::rings(platform, &gpus, arguments.max_rings, &watch.stage(80)) {
        Err(PackingError::Rings(error @ RingError::TooMany { .. })) => {
            bail!("{error} with --participants A,B,...");
        }
        other => other?,
    };
    let trees = trees(
        platform,
        &gpus,
        &Options {
            watch: watch.clone(),
            ..Options::default()
        },
    )?;
    drop(progress);
    let seconds = clock::elapsed();
    let outside: Vec<String> = boxes::outside(platform, &gpus, &rings.equal)
        .into_iter()
        .map(str::to_string)
        .collect();
    let equal = rings.equal.clone();
    let mixed = boxes::mixed(&imported, &equal);
    let report = Report {
        platform,
        gpus: &gpus,
        ranks,
        rings,
        trees,
        judged,
        outside,
        mixed,
        ended_by: watch.ended_by(),
        seconds,
    };
    let path_type = path_type.unwrap_or_else(|| graph::path_type(&imported, &report.rings.equal));
    let written = arguments.output.as_deref().map(|path| {
        let graphs = graph::graphs(
            &imported,
            &gpus,
            &report.ranks,
            &report.rings,
            path_type,
            arguments.max_rings,
        )?;
        write(arguments, path, graphs, path_type)
    });
    let written = written.transpose();
    let shown = written.as_ref().ok().and_then(Option::as_ref);
    print(&match arguments.table.format {
        _ if arguments.json => line(joined([text::json(&report), left_out.json()])),
        TableFormat::Text => left_out.line() + &text::text(&report, shown),
        format => text::sheet(&report).show(format),
    })?;
    written?;
    Ok(End::Done)
}

/// Writes the graph files: of one box under the name given, of several with the box's name before the extension.
fn write(
    arguments: &RingsArguments,
    path: &Path,
    graphs: graph::Graphs,
    path_type: PathType,
) -> Result<text::Written> {
    let path_of = |name: &Option<String>| match name {
        None => path.to_path_buf(),
        Some(name) => {
            let extension = path
                .extension()
                .map(|it| format!(".{}", it.to_string_lossy()))
                .unwrap_or_default();
            let mut whole = path.with_extension("").into_os_string();
            whole.push(format!(".{name}{extension}"));
            PathBuf::from(whole)
        }
    };
    let paths: Vec<PathBuf> = graphs.files.iter().map(|(name, _)| path_of(name)).collect();
    let outputs: Vec<(&str, &Path)> = paths
        .iter()
        .map(|path| ("--output", path.as_path()))
        .collect();
    let inputs = [("FILE", arguments.platform.path()?)];
    try_outputs(Content::Other, &inputs, &outputs)?;
    for (path, (_, text)) in paths.iter().zip(&graphs.files) {
        files::write_atomically(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(text::Written {
        paths,
        path_type,
        channels: graphs.channels,
        speed: graphs.speed,
    })
}

/// The best all-gather over any patterns.
fn trees(platform: &Platform, gpus: &[NodeId], options: &Options) -> Result<Option<Answer>> {
    let collective = Collective::all_gather(gpus.to_vec());
    let problem = match Problem::new(platform, collective, Volumes::default()) {
        Err(ProblemError::Unreachable { .. }) => return Ok(None),
        problem => problem?,
    };
    match solve(&problem, &options.clone().goal(Goal::Rate)) {
        Ok(solved) => {
            if let Err(why) = solved.patterns() {
                eprintln!("trees: {why}");
                return Ok(None);
            }
            Ok(Some(solved.answer))
        }
        Err(error) if options.watch.ended_by().is_some() => {
            eprintln!("trees: {error}");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
