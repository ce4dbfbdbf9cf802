//! In-network reduction: switches that combine and duplicate (NVLS, SHARP), as set by `generate`, platform files, other
//! programs' files and `--change`.

use crate::common;

use common::{Folder, each};

/// A star of GPUs round an NVSwitch in NCCL's words.
fn dump(gpus: usize, sm: u32) -> String {
    let gpu = |gpu: usize| {
        format!(
            "<pci busid=\"0000:{:02x}:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\
             <gpu dev=\"{gpu}\" sm=\"{sm}\" rank=\"{gpu}\" gdr=\"1\">\
             <nvlink target=\"0000:05:00.0\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>",
            16 + gpu
        )
    };
    let gpus: String = (0..gpus).map(gpu).collect();
    format!(
        "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">{gpus}</cpu></system>"
    )
}

/// Each of eight H100 sends its own data once and receives the sum once, 450 GB/s, which is 2 x 7/8 of that on the bus.
/// Without in-network reduction 14/8 of its data leave the GPU that keeps it least, and as much enters.
#[test]
fn eight_gpus_round_a_switch_that_combines() {
    let folder = Folder::new();
    let file = folder.path("box.toml");
    for (sharp, bandwidths) in [
        ("--sharp", "algbw 450 GB/s, busbw 787.5 GB/s; attained"),
        ("", "algbw 257.143 GB/s, busbw 450 GB/s; attained"),
    ] {
        oneport!("generate dgx-h100 -o {file} {sharp}").ok();
        let bound = oneport!("bound {file} all-reduce").ok().stdout;
        assert!(bound.contains(bandwidths), "{bound}");
        std::fs::remove_file(&file).expect("removed");
    }
    oneport!("generate dgx-h100 --sharp -o {file}").ok();
    let text = std::fs::read_to_string(&file).expect("written");
    assert!(text.contains("reduces = true"), "{text}");
    let plan = folder.path("plan.json");
    let solved = oneport!("solve all-reduce --commutative --platform {file} -o {plan}").ok();
    assert!(
        solved.stdout.contains("optimal") && solved.stdout.contains("787.5 GB/s"),
        "{solved:#?}"
    );
    assert!(
        solved
            .stdout
            .contains("1 router may combine and duplicate values"),
        "{solved:#?}"
    );
    oneport!("verify {plan}").ok();
    // A switch has no rank.
    for target in ["msccl", "mscclpp", "mpi", "chakra"] {
        let out = folder.path(target);
        oneport!("export --to {target} {plan} {out}")
            .refused(1, &["box0.nvswitch", "no rank runs there"]);
    }
}

/// NCCL's NVLS passes 9/8 of the operation each way: 450/(9/8) = 400, 700 on the bus, 8/9 of the optimum. A switch that
/// merges 2520 GB/s makes 7 merges for each of 360 GB/s, 630 on the bus. NCCL's model expects 476. If the switch only
/// forwards, there is no such row, and the line about the model gives the reason.
#[test]
fn nvls_is_a_row_where_the_switch_combines() {
    let folder = Folder::new();
    let file = folder.path("box.toml");
    oneport!("generate dgx-h100 -o {file}").ok();
    let compare = |changes: &[&str]| {
        let changes = each("--change", changes);
        let answer = oneport!("compare all-reduce {file} {changes}");
        answer
            .ok()
            .stdout
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let plain = compare(&[]);
    for words in [
        "NVLS (Simple): its own model expects busbw 476 GB/s",
        "and 'box0.nvswitch' only forwards here",
        "--reduce-in-switch --multicast",
    ] {
        assert!(plain.contains(words), "{words}: {plain}");
    }
    assert!(!plain.contains("NCCL NVLS 7"), "{plain}");
    let copies = "box0.nvswitch: replicates = true";
    for (reduces, row) in [
        ("true", "NCCL NVLS 700 GB/s 88.9 % 476 GB/s"),
        ("2520 GB/s", "NCCL NVLS 630 GB/s"),
    ] {
        let able = compare(&[&format!("box0.nvswitch: reduces = {reduces}"), copies]);
        assert!(able.contains(row), "{reduces}: {able}");
        assert!(!able.contains("only forwards here"), "{able}");
    }
}

/// The counting theorem over `k` boxes with their switches gives k x 400 / 2 (k - 1).
#[test]
fn boxes_on_a_plain_switch_are_bounded() {
    let folder = Folder::new();
    for (boxes, rate) in [
        ("2", "400 GB/s"),
        ("3", "300 GB/s"),
        ("4", "266.667 GB/s"),
        ("8", "228.571 GB/s"),
    ] {
        let file = folder.path(&format!("boxes{boxes}.toml"));
        oneport!("generate dgx-h100 --boxes {boxes} --sharp -o {file}").ok();
        let bound = oneport!("bound {file} all-reduce --time-limit 2")
            .ok()
            .stdout;
        assert!(bound.contains(&format!("algbw {rate}")), "{boxes}: {bound}");
    }
}

/// 480 GB/s is the value that nccl-tests print on eight H100 (NVIDIA/nccl-tests, issue 212): above the limit of rings,
/// and 61 % of the switch's limit.
#[test]
fn a_measurement_with_nvls_is_a_row_above_the_bound() {
    let folder = Folder::new();
    let file = folder.path("box.toml");
    oneport!("generate dgx-h100 -o {file}").ok();
    let bound = oneport!("bound {file} all-reduce --measured '480 GB/s'")
        .ok()
        .stdout;
    for words in [
        "your 480 GB/s is 107 % of the bound",
        "SHARP, NVLS",
        "if box0.nvswitch combines and duplicates in no time (in-network reduction: NVLS, SHARP), the bound is",
        "busbw 787.5 GB/s: your 480 GB/s is 61 % of it",
    ] {
        assert!(bound.contains(words), "{words}: {bound}");
    }
    let question = format!("compare all-reduce --commutative --platform {file} --measured");
    let text = oneport!("{question} '480 GB/s'").ok().stdout;
    for words in [
        "your 480 GB/s is 107 % of the proved optimum",
        "in network",
        "61 % of it",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let json = oneport!("{question} '480 GB/s' --json").ok().object();
    let measured = &json["measured"];
    assert_eq!(
        (
            &measured["possible"],
            &measured["share"],
            &measured["in_network"]["share"]
        ),
        (&false.into(), &"16/15".into(), &"64/105".into())
    );
    // Below the bound, the row is listed next to it if the links have the speed of an H100's: an A100 has no NVLS.
    let below = |shape: &str| {
        let file = folder.path(&format!("{shape}.toml"));
        oneport!("generate {shape} -o {file}").ok();
        oneport!("bound {file} all-reduce --measured '200 GB/s'")
            .ok()
            .stdout
    };
    assert!(below("dgx-b200").contains("in-network reduction"));
    assert!(!below("dgx-a100").contains("in-network reduction"));
}

#[test]
fn files_of_other_programs_and_changes_say_it_too() {
    let folder = Folder::new();
    let file = folder.write("box8.xml", dump(8, 90));
    // Each GPU has 370.8 GB/s to the switch and 48 to the CPU, which only forwards. By the counting theorem: eight GPUs
    // are entered 14 times without, and seven GPUs and one with the switch 14 times with in-network reduction.
    let plain = oneport!("bound {file} all-reduce").noted(&["--reduce-in-switch --multicast"]);
    assert!(plain.stdout.contains("busbw 418.8 GB/s"), "{plain:#?}");
    let both = oneport!("bound {file} all-reduce --reduce-in-switch --multicast")
        .noted(&["combines and duplicates what passes through it"]);
    assert!(
        both.stdout.contains("busbw 696.9 GB/s; attained"),
        "{both:#?}"
    );
    let converted = folder.path("converted.toml");
    oneport!("convert {file} {converted} --reduce-in-switch").noted(&["nvswitch combines"]);
    let text = std::fs::read_to_string(&converted).expect("written");
    assert!(
        text.contains("reduces = true") && text.contains("replicates = false"),
        "{text}"
    );
    // 450 in place of 257.14 GB/s.
    let box_ = folder.path("box.toml");
    oneport!("generate dgx-h100 -o {box_}").ok();
    let whatif = |reduces: &str| {
        oneport!(
            "whatif all-reduce --commutative --platform {box_} --change 'box0.nvswitch: reduces = \
             {reduces}' --change 'box0.nvswitch: replicates = true'"
        )
    };
    let better = whatif("true").ok().stdout;
    assert!(better.contains("+75 %"), "{better}");
    whatif("fast").refused(2, &["neither true nor false"]);
    whatif("-1").refused(2, &["-1", "negative"]);
    // Seven merges of 450 GB/s are 3150 GB/s.
    let timed = whatif("3150 GB/s").ok().stdout;
    assert!(timed.contains("+75 %"), "{timed}");
    let older = folder.write("older.xml", dump(8, 80).replace("18", "12"));
    let older = oneport!("bound {older} all-reduce").noted(&["sm 80"]);
    assert!(!older.stderr.contains("--reduce-in-switch"), "{older:#?}");
}
