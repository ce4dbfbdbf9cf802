//! `--measured` with logs: the requested row, and files that measured something else.

use crate::common;

use common::{Folder, fixture};

/// Four processors around a switch, 100 GB/s each way: an all-gather is bounded by busbw 100.
fn star(folder: &Folder) -> String {
    let nodes: String = (0..4)
        .map(|n| format!("[[node]]\nname = \"g{n}\"\ncompute = \"1000 GB/s\"\n"))
        .collect();
    let links: String = (0..4)
        .map(|n| format!("[[link]]\nfrom = \"g{n}\"\nto = \"s\"\nbandwidth = 100\nduplex = true\n"))
        .collect();
    let head = "format = \"oneport-platform/1\"\nmodel = \"links\"\nunits = \"GB/s\"\n";
    folder.write(
        "star.toml",
        format!("{head}{nodes}[[node]]\nname = \"s\"\nswitch = true\n{links}"),
    )
}

fn log(name: &str) -> String {
    fixture(&format!("../topologies/{name}"))
}

#[test]
fn the_row_that_counts() {
    let folder = Folder::new();
    let star = star(&folder);
    let bound = |collective: &str, measured: &str| {
        oneport!("bound {star} {collective} --measured {measured}").noted(&[])
    };
    // A wrong result never counts, however fast.
    let wrong = bound("all-reduce", &log("nccl-tests-wrong.log"));
    assert!(
        wrong
            .stdout
            .contains("your 60 GB/s (busbw of nccl-tests, 1 GiB, out of place)"),
        "{wrong:#?}"
    );
    assert!(
        wrong
            .stderr
            .contains("1 result is left out, with wrong values"),
        "{wrong:#?}"
    );
    let labelled = bound("all-reduce", &log("nccl-tests-srun-label.log"));
    assert!(
        labelled
            .stdout
            .contains("your 84 GB/s (busbw of nccl-tests, 1 GiB, in place)"),
        "{labelled:#?}"
    );
    // 4 ranks of 1 MiB in 200 us are 20.97 GB/s, of which 3/4 are on the bus: 15.73 of 100.
    let osu = bound("all-gather", &log("osu-allgather.txt"));
    assert!(
        osu.stdout
            .contains("your 200 us (average of OSU, 4 MiB) is 15.7 % of the bound"),
        "{osu:#?}"
    );
    assert!(
        osu.stderr.contains("4 are assumed, as in the question"),
        "{osu:#?}"
    );
    // The Intel MPI Benchmarks count until the last rank ends, after 200 us.
    let imb = "# Benchmarking Allgather\n# #processes = 4\n\
               #bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n1048576 40 190.0 200.0 195.0\n";
    let imb = folder.write("imb.txt", imb);
    let read = bound("all-gather", &imb);
    assert!(
        read.stdout
            .contains("your 200 us (t_max of IMB, 4 MiB) is 15.7 % of the bound"),
        "{read:#?}"
    );
    oneport!("bound {star} all-reduce --measured {imb}").refused(1, &["all-gather"]);
    oneport!("solve all-gather {imb}").refused(1, &["--measured"]);
    // 4 GB at 133.33 GB/s are 33.33 operations per second.
    let plain = bound("all-gather", "10");
    assert!(
        plain
            .stdout
            .contains("your 10 operations per s (a number without a unit")
            && plain.stdout.contains("is 30 % of the bound"),
        "{plain:#?}"
    );
}

#[test]
fn the_size_that_is_asked_for() {
    let folder = Folder::new();
    let star = star(&folder);
    let file = log("nccl-tests-srun-label.log");
    let compare = |size: &str| {
        oneport!(
            "compare all-reduce --commutative --platform {star} --bytes {size} --measured {file}"
        )
    };
    let sized = compare("64MiB").ok();
    assert!(
        sized
            .stdout
            .contains("your 75 GB/s (busbw of nccl-tests, 64 MiB, out of place)"),
        "{sized:#?}"
    );
    compare("1MiB").refused(1, &["no row of 1 MiB", "are 64 MiB, 1 GiB"]);
}

#[test]
fn files_that_measured_something_else() {
    let folder = Folder::new();
    let star = star(&folder);
    let refused = |question: &str, name: &str, parts: &[&str]| {
        let file = log(name);
        oneport!("bound {star} {question} --measured {file}").refused(1, parts);
    };
    refused(
        "all-gather",
        "nccl-tests-srun-label.log",
        &["combines values (sum), and all-gather combines none"],
    );
    refused(
        "all-reduce --participants g0,g1,g2",
        "nccl-tests-srun-label.log",
        &["of 4 ranks, and the question of 3", "--participants"],
    );
    refused(
        "all-reduce",
        "nccl-tests-tag-output.log",
        &["(15 GB/s busbw)", "redop none"],
    );
    refused(
        "broadcast",
        "nccl-tests-tag-output.log",
        &["has no root, and broadcast has one"],
    );
    refused(
        "all-gather",
        "nccl-tests-wrong.log",
        &["measures all-reduce"],
    );
    refused("all-reduce", "osu-allgather.txt", &["measures all-gather"]);
}
