//! The examples that begin the help of every command.

/// Command and examples, in the order of `oneport --help`.
#[rustfmt::skip]
pub const EXAMPLES: [(&str, &[&str]); 22] = [
    ("solve", &[
        "oneport solve allreduce topo.xml --bytes 64MiB -o plan.json",
        "oneport solve broadcast cluster.toml --source node0 --json",
        "oneport solve all-to-all matrix.csv --change 'a -> b: bandwidth x2'",
    ]),
    ("compare", &[
        "oneport compare allreduce topo.xml",
        "oneport compare bcast cluster.toml --source node0 --format csv",
    ]),
    ("time", &[
        "oneport time allreduce topo.xml --bytes 1MiB",
        "oneport time allgather topo.xml --sizes 8:4GiB:x2 -o sweep.csv",
    ]),
    ("batch", &[
        "oneport batch questions.jsonl -o answers.jsonl --jobs 4",
        "oneport batch questions.jsonl -o part2.jsonl --shard 2/4 --resume",
        "oneport batch --merge part1.jsonl part2.jsonl part3.jsonl part4.jsonl -o answers.jsonl",
    ]),
    ("reduce homogeneous", &["oneport reduce homogeneous --n 20 --transfer 3 --compute 1 --gantt tree.svg"]),
    ("reduce heterogeneous", &["oneport reduce heterogeneous --times 10,5,5,4 --tree tree.svg"]),
    ("verify", &["oneport verify plan.json", "oneport verify plan.json topo.xml --whole-messages"]),
    ("show", &["oneport show plan.json --explain", "oneport show plan.json --gantt period.svg --graph flows.svg"]),
    ("run", &["oneport run plan.json --instances 100", "oneport run plan.json --until '10 s'"]),
    ("convert", &[
        "oneport convert topo.xml topo.toml",
        "oneport convert topo.xml slower.toml --change 'nic3 <-> *: remove'",
    ]),
    ("generate", &[
        "oneport generate dgx-h100 --boxes 4 -o boxes.toml",
        "oneport generate racks --racks 4 --hosts 8 --bandwidth 100Gbps --uplink 400G -o racks.toml",
    ]),
    ("whatif", &[
        "oneport whatif allreduce racks.toml",
        "oneport whatif allreduce racks.toml --change 'rack0.switch <-> spine*: bandwidth x2'",
    ]),
    ("inspect", &["oneport inspect topo.xml", "oneport inspect topology.conf --link-bandwidth node=100Gbps"]),
    ("extract", &["oneport extract rates.json cluster.toml -o plan.json"]),
    ("export", &["oneport export plan.json --to mpi program.c", "oneport export plan.json --to mscclpp plan.mscclpp.json"]),
    ("check", &["oneport check plan.mscclpp.json"]),
    ("rings", &["oneport rings topo.xml -o graph.xml"]),
    ("bound", &["oneport bound topo.xml", "oneport bound topo.xml allreduce alltoall --format md"]),
    ("program", &["oneport program ssr cluster.toml --target node0 -o model.lp"]),
    ("completions", &["oneport completions bash > ~/.local/share/bash-completion/completions/oneport"]),
    ("man", &["oneport man -o man1"]),
    ("", &[
        "oneport inspect topo.xml                     what was understood of a file, and what was assumed",
        "oneport bound topo.xml                       proved bounds, no schedule",
        "oneport solve allreduce topo.xml -o plan.json",
        "oneport compare allreduce topo.xml",
    ]),
];

/// The command with its examples before its help, and so its subcommands.
pub fn added(command: clap::Command) -> clap::Command {
    under(command, "")
}

fn under(command: clap::Command, name: &str) -> clap::Command {
    let known = EXAMPLES.iter().find(|(known, _)| *known == name);
    let command = match known {
        Some((_, lines)) => command.before_help(format!("Examples:\n  {}", lines.join("\n  "))),
        None => command,
    };
    let names: Vec<String> = command
        .get_subcommands()
        .map(|one| one.get_name().to_string())
        .collect();
    names.iter().fold(command, |command, one| {
        let path = format!("{name} {one}");
        command.mut_subcommand(one, |command| under(command, path.trim()))
    })
}
