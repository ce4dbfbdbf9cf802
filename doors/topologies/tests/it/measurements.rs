//! Logs of nccl-tests and of the OSU benchmarks.

use oneport_testkit::ratio;
use oneport_topologies::{Measurement, Measurements, Rational, parse_measurements};

use crate::fixture;

#[track_caller]
fn read(text: &str) -> Measurements {
    parse_measurements("log", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn refused(text: &str, part: &str) {
    let error = parse_measurements("log", text.as_bytes()).expect_err(part);
    assert!(error.to_string().contains(part), "{error}");
}

/// Bytes, bus bandwidth, in place.
fn short(row: &Measurement) -> (u64, Option<Rational>, bool) {
    (row.bytes, row.busbw.clone(), row.in_place)
}

#[test]
fn labels_of_launchers_are_skipped() {
    let log = read(&fixture("nccl-tests-srun-label.log"));
    assert_eq!(
        (log.program, log.collective, log.ranks),
        ("nccl-tests", None, Some(4))
    );
    let rows: Vec<_> = log.rows.iter().map(short).collect();
    let bus = |tenths| Some(ratio(tenths, 10));
    assert_eq!(
        rows,
        [
            (67_108_864, bus(750), false),
            (67_108_864, bus(720), true),
            (1_073_741_824, bus(825), false),
            (1_073_741_824, bus(840), true),
        ]
    );
    let last = &log.rows[3];
    assert_eq!(last.time, Some(ratio(191_739, 10_000_000)));
    assert_eq!(
        (last.operator.as_deref(), last.root),
        (Some("sum"), Some(-1))
    );
    // Lines without a label, and lines with other programs' labels.
    let bare = fixture("nccl-tests-srun-label.log").replace(" 0: ", "");
    assert_eq!(read(&bare), log);
    for label in [
        "[1,0]<stdout>: ",
        "node1: 2026-01-02 10:00:00 ",
        "[0] ",
        "pod-0 main ",
    ] {
        let labelled: String = bare
            .lines()
            .map(|line| format!("{label}{line}\n"))
            .collect();
        assert_eq!(read(&labelled).rows, log.rows, "{label}");
    }
    // Pasted text may lose a mark.
    let pasted = bare
        .replacen("#  Rank  0", "Rank  0", 1)
        .replacen("#  Rank  1", "", 1);
    assert_eq!(read(&pasted).ranks, Some(4));
    // An element of one rank is 4 B. 16 times that size is 65536 elements of each of 4 ranks.
    let tagged = read(&fixture("nccl-tests-tag-output.log"));
    assert_eq!((tagged.rows.len(), tagged.ranks), (2, Some(4)));
    assert_eq!(tagged.rows[0].operator.as_deref(), Some("none"));
}

#[test]
fn wrong_results_never_count() {
    let text = fixture("nccl-tests-wrong.log");
    let log = read(&text);
    assert_eq!((log.collective, log.wrong), (Some("all-reduce"), 1));
    let rows: Vec<_> = log.rows.iter().map(short).collect();
    assert_eq!(rows, [(1_073_741_824, Some(ratio(60, 1)), false)]);
    let twice = format!("{text}{}", text.replace("all_reduce", "all_gather"));
    refused(&twice, "all-reduce and of all-gather");
    assert_eq!(read(&format!("{text}{text}")).rows.len(), 2);
    refused(
        &text.replace("60.00      0", "60.00      3"),
        "all 2 results in it are wrong",
    );
    // Old versions print an error in place of the number of wrong values, and `N/A` if results are not checked.
    for fine in ["4e-07", "0e+00", "N/A"] {
        let old = read(&text.replace("26843545\n#", &format!("{fine}\n#")));
        assert_eq!((old.rows.len(), old.wrong), (2, 0), "{fine}");
    }
    let json = |wrong: &str| {
        format!(
            "{{\"args\": [\"all_reduce_perf\"], \"results\": [{{\"size\": 8, \"redop\": \"sum\", \"root\": -1, \"out_of_place\": \
             {{\"time\": 2, \"alg_bw\": 1, \"bus_bw\": 2, \"nwrong\": {wrong}}}, \"in_place\": null}}]}}"
        )
    };
    let row = &read(&json("0")).rows[0];
    assert_eq!((row.operator.as_deref(), row.root), (Some("sum"), Some(-1)));
    assert_eq!(row.time, Some(ratio(1, 500_000)));
    assert_eq!(read(&json("\"N/A\"")).rows.len(), 1);
    refused(&json("5"), "all 1 results in it are wrong");
}

/// The Intel MPI Benchmarks: the table of all processes, the time of the last one.
#[test]
fn tables_of_imb() {
    let text = "\
#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.03         0.03         0.03
      1048576           40       100.00       120.00       110.00
#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.03         0.03         0.03
         1024         1000         3.00         4.00         3.50
      1048576           40       380.00       400.00       390.00

# All processes entering MPI_Finalize
";
    let log = read(text);
    assert_eq!(
        (log.program, log.collective, log.ranks, log.by_message),
        ("IMB", Some("all-reduce"), Some(4), false)
    );
    assert_eq!(log.rows.len(), 2);
    assert_eq!(
        (log.rows[1].bytes, &log.rows[1].time),
        (1 << 20, &Some(ratio(1, 2500)))
    );
    let labelled: String = text.lines().map(|line| format!("0: {line}\n")).collect();
    assert_eq!(read(&labelled).rows, log.rows);
    let gather = read(&text.replace("Allreduce", "Allgather"));
    assert_eq!(
        (gather.collective, gather.bytes(&gather.rows[1], 4)),
        (Some("all-gather"), 4 << 20)
    );
    refused(&text.replace("Allreduce", "PingPong"), "'PingPong'");
    refused(
        &text.replacen("Allreduce", "Bcast", 1),
        "Bcast and Allreduce",
    );
    refused("# Benchmarking Reduce\n# #processes = 4\n", "without rows");
}

#[test]
fn tables_of_osu() {
    let log = read(&fixture("osu-allreduce.txt"));
    assert_eq!(
        (log.program, log.collective, log.ranks, log.by_message),
        ("OSU", Some("all-reduce"), None, false)
    );
    assert_eq!(log.rows.len(), 2);
    let last = &log.rows[1];
    assert_eq!((last.bytes, &last.time), (1 << 20, &Some(ratio(1, 2500))));
    assert_eq!(log.bytes(last, 4), 1 << 20);
    // Each of the 4 ranks gives 1 MiB.
    let gather = read(&fixture("osu-allgather.txt"));
    assert_eq!(
        (gather.collective, gather.by_message),
        (Some("all-gather"), true)
    );
    assert_eq!(gather.bytes(&gather.rows[1], 4), 4 << 20);
    let other = fixture("osu-allreduce.txt");
    for (title, name) in [
        ("OSU MPI-CUDA Broadcast Latency Test v7.3", "broadcast"),
        (
            "OSU MPI All-to-All Personalized Exchange Latency Test v5.9",
            "all-to-all",
        ),
        ("OSU NCCL Reduce_scatter Latency Test", "reduce-scatter"),
    ] {
        let text = other.replace("OSU MPI Allreduce Latency Test v5.9", title);
        assert_eq!(read(&text).collective, Some(name), "{title}");
    }
    let pair = other.replace("OSU MPI Allreduce Latency Test", "OSU MPI Bandwidth Test");
    refused(&pair, "measures no collective");
    refused(
        "# OSU MPI Reduce Latency Test v5.9\n",
        "a title without rows",
    );
    refused("# nothing\n", "text without rows");
}
