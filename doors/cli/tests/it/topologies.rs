//! Topologies of other programs on the command line.

use crate::common::{Folder, read};

/// Two GPUs behind one processor, an NVLink between them.
const DUMP: &str = r#"<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD" familyid="25">
<pci busid="0000:01:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="0" sm="80" rank="0">
<nvlink target="0000:02:00.0" count="1" tclass="0x030200"/></gpu></pci>
<pci busid="0000:02:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="1" sm="80" rank="1">
<nvlink target="0000:01:00.0" count="1" tclass="0x030200"/></gpu></pci>
</cpu></system>
"#;

#[test]
fn a_dump_is_a_platform() {
    let folder = Folder::new();
    let dump = folder.write("topo.xml", DUMP);
    let solve = format!("solve all-gather --platform {dump}");
    let run = oneport!("{solve} --json").noted(&["assumed: nvlink: 20 GB/s per NVLink"]);
    // 20 GB/s of NVLink and 24 GB/s of PCI each way.
    assert_eq!(run.object()["throughput"], "44");
    let run = oneport!("{solve} --link-bandwidth nvlink=200Gbit/s --json");
    assert_eq!(
        run.noted(&["nvlink: 25 GB/s", "as given"]).object()["throughput"],
        "49"
    );
    let toml = folder.path("topo.toml");
    oneport!("convert {dump} {toml} --replicate 2 --fabric switch,400Gbit/s")
        .noted(&["net: 50 GB/s for every network port, as given"]);
    assert!(read(&toml).contains("name = \"box1.gpu0\""));
    let run = oneport!("solve broadcast --source box0.gpu0 --platform {toml} --json").ok();
    // Each GPU has a separate port: 50 GB/s more.
    assert_eq!(run.object()["throughput"], "94");
}

#[test]
fn inspect_says_what_was_understood() {
    let folder = Folder::new();
    let dump = folder.write("topo.xml", DUMP);
    let svg = folder.path("topo.svg");
    let run = oneport!("inspect {dump} -o {svg}").ok();
    for words in [
        "2 GPUs, 1 CPU",
        "nvlink  20 GB/s",
        "GPU - GPU",
        "1, per direction",
        "assumed: nvlink: 20 GB/s per NVLink",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    // The picture is of the file, not of a collective.
    let picture = read(&svg);
    assert!(
        picture.starts_with("<svg")
            && picture.contains("topo.xml")
            && picture.contains("2 GPUs, 1 CPU")
    );
    assert!(
        !picture.contains("ll-gather")
            && !picture.contains("participant")
            && picture.contains(">processor<"),
        "{picture}"
    );
    let object = oneport!("inspect {dump} --json").ok().object();
    assert_eq!(
        (object["format"].as_str(), object["units"].as_str()),
        (Some("nccl"), Some("GB/s"))
    );
    assert_eq!(object["accelerators"][1]["node"], "gpu1");
    let toml = folder.path("topo.toml");
    oneport!("convert {dump} {toml}").noted(&[]);
    oneport!("inspect {toml}").ok();
    oneport!("inspect {toml} --link-bandwidth pci=1")
        .refused(1, &["topo.toml", "says everything itself"]);
    oneport!("inspect {dump} -o {dump}").misused(&["topo.xml"]);
    oneport!("inspect {dump} --link-bandwidth pci").misused(&["KIND=RATE"]);
    oneport!("inspect {dump} --link-bandwidth pci=-1").misused(&["--link-bandwidth", "-1"]);
    oneport!("inspect {dump} --link-bandwidth 'pci=1 GB'").misused(&["--link-bandwidth", "rate"]);
    oneport!("inspect {dump} --replicate 2").misused(&["--fabric"]);
    oneport!("inspect {dump} --replicate 2 --fabric ring")
        .misused(&["'ring'", "switch, rail or full"]);
    oneport!("inspect {dump} --replicate 2 --fabric rail").refused(1, &["--fabric switch,25"]);
}

#[test]
fn a_graph_takes_its_capacities_from_an_attribute() {
    let folder = Folder::new();
    let edges = "\"edges\": [{\"source\": 0, \"target\": 1, \"weight\": 8}]";
    let graph = folder.write(
        "g.json",
        format!("{{\"nodes\": [{{\"id\": 0}}, {{\"id\": 1}}], {edges}}}"),
    );
    let solve = format!("solve broadcast --source 0 --platform {graph} --json");
    oneport!("{solve}").refused(1, &["edges[0] (0 -- 1)", "there is weight", "--capacity"]);
    let run = oneport!("{solve} --capacity weight,Gbit/s");
    assert_eq!(
        run.noted(&["weight is the bandwidth, in Gbit/s"]).object()["throughput"],
        "1"
    );
    oneport!("{solve} --capacity weight,apples").misused(&["--capacity", "apples"]);
    oneport!("{solve} --capacity-default 0").misused(&["--capacity-default", "above 0"]);
}

/// A matrix of nvidia-smi has no rates: the assumed ones are reported, with the option to change them.
#[test]
fn assumed_rates_can_be_changed() {
    let folder = Folder::new();
    let matrix = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\tPIX\t0-31\t0\n\
        GPU1\tNV4\t X \tSYS\t32-63\t1\nNIC0\tPIX\tSYS\t X \t\t\n";
    let file = folder.write("topo.txt", matrix);
    let text = oneport!("inspect {file}").ok().stdout;
    assert!(
        text.contains("assumed: nvlink: 20 GB/s") && text.contains("--link-bandwidth KIND=RATE"),
        "{text}"
    );
    assert!(
        text.contains("left out: net: 1 port of unknown speed leads out"),
        "{text}"
    );
    let text = oneport!("inspect {file} --replicate 2 --fabric rail,25")
        .ok()
        .stdout;
    assert!(
        !text.contains("left out: net") && text.contains("25 GB/s"),
        "{text}"
    );
}

/// A matrix does not state the speed of a merge: links decide, and the headline reports that.
#[test]
fn merges_of_a_matrix_with_units_take_no_second() {
    let folder = Folder::new();
    let named = folder.write("named.csv", "GB/s,a,b\na,0,5\nb,5,0\n");
    let plain = folder.write("plain.csv", ",a,b\na,0,5\nb,5,0\n");
    let solve =
        |file: &str, more: &str| oneport!("solve all-reduce --platform {file} {more}").noted(&[]);
    // Each of the two sends 1 GB to the other: 5 per second. A merge of 1 GB takes 1 ms.
    for (file, more) in [(&named, ""), (&plain, "--units GB/s")] {
        let answer = solve(file, more);
        assert!(
            answer.stdout.contains("merges at 1000 GB/s")
                && answer.stdout.contains("throughput  5 per second"),
            "{answer:#?}"
        );
        assert!(
            answer
                .stderr
                .contains("assumed: every processor combines values at 1000 GB/s"),
            "{answer:#?}"
        );
    }
    // Without units, a processor has compute 1, as ever: of two instances each merges one.
    let bare = solve(&plain, "");
    assert!(!bare.stdout.contains("merges at"), "{bare:#?}");
    assert!(
        bare.stdout.contains("throughput  2 per unit of time"),
        "{bare:#?}"
    );
}
