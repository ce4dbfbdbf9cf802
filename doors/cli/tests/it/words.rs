//! Words as people write them: collectives, units, files by argument or option, changes, formats.

use crate::common::{Folder, fixture, read, toy};

/// All notations of the collective and the platform give one answer.
#[test]
fn collective_and_platform_are_named_in_any_way() {
    let asked = |words: &str| {
        let object = oneport!("{words} --work=0 --json").ok().object();
        object["throughput"].clone()
    };
    let usual = asked("solve all-reduce --platform star.json --commutative");
    for words in [
        "solve MPI_Allreduce -p star.json",
        "solve ncclAllReduce --platform star.json",
    ] {
        assert_eq!(asked(words), usual);
    }
    assert_eq!(asked("solve allreduce star.json"), usual);
    assert_eq!(asked("solve star.json all_reduce"), usual);
    oneport!("solve allreduce").refused(2, &["FILE", "--platform"]);
    oneport!("solve allreduce star.json -p toy-scatter.toml -o x").refused(2, &["--platform"]);
    oneport!("compare allreduce star.json -p toy-scatter.toml").refused(2, &["two platforms"]);
    oneport!("solve brodcast star.json").refused(2, &["'broadcast'"]);
    let bounds = oneport!("bound star.json allgather").ok().stdout;
    assert_eq!(
        oneport!("bound -p star.json all-gather").ok().stdout,
        bounds
    );
    assert_eq!(
        oneport!("bound MPI_Allgather star.json").ok().stdout,
        bounds
    );
}

/// 100 Gbit/s are 12.5 GB/s, in every notation. 64M are 64 MiB.
#[test]
fn units_are_read_as_people_write_them() {
    let folder = Folder::new();
    let made = |rate: &str| {
        let path = folder.path("made.json");
        oneport!("generate torus --sides 2x2 --bandwidth '{rate}' -o {path}").ok();
        read(&path)
    };
    let usual = made("12.5");
    for rate in ["100 Gbit/s", "100Gbps", "100Gb/s", "100GbE", "100G"] {
        assert_eq!(made(rate), usual, "{rate}");
    }
    let path = folder.path("made.json");
    let text = |size: &str| {
        let run = oneport!("time bcast {path} --source P0 --bytes {size}").ok();
        run.stdout.lines().next().unwrap_or_default().to_string()
    };
    assert_eq!(text("64M"), text("64MiB"));
    assert!(
        text("64M").ends_with("messages of 64 MiB"),
        "{}",
        text("64M")
    );
}

/// Files that oneport did not write are kept without `--force`. A written file is named.
#[test]
fn files_of_others_are_kept() {
    let folder = Folder::new();
    let notes = folder.write("notes.txt", "mine");
    let question = format!("solve scatter toy-scatter.toml --source Ps -o {notes}");
    oneport!("{question}").refused(2, &["--force", "notes.txt"]);
    assert_eq!(read(&notes), "mine");
    let forced = oneport!("{question} --force").ok().stdout;
    assert!(
        forced.contains(&format!("written     {notes} (in place")),
        "{forced}"
    );
    // A plan of ours is replaced. A platform file with comments was edited by hand.
    oneport!("{question}").ok();
    let own = "# my cluster\nformat = \"oneport-platform/1\"\n";
    let own = folder.write("own.toml", own);
    oneport!("convert toy-scatter.toml {own}").refused(2, &["--force", "own.toml"]);
}

/// Each kind of our own files is replaced by its own kind alone.
#[test]
fn a_plan_never_replaces_a_platform() {
    let folder = Folder::new();
    let [platform, plan] = ["platform.json", "plan.json"].map(|name| folder.path(name));
    let (toy, star) = (toy(), fixture("star.json"));
    let quoted = folder.write("quoted.toml", "format = 'oneport-platform/1'\n");
    let solve = |out: &str| oneport!("solve scatter {toy} --source Ps -o {out}");
    oneport!("convert {toy} {platform}").ok();
    solve(&plan).ok();
    let (before, planned) = (read(&platform), read(&plan));
    for kept in [&platform, &quoted] {
        solve(kept).refused(2, &["--force", "oneport-platform"]);
        oneport!("export {plan} {kept} --to dot").refused(2, &["oneport-platform"]);
    }
    oneport!("convert {star} {plan}").refused(2, &["--force", "oneport-plan"]);
    oneport!("generate star --leaves 3 -o {plan}").refused(2, &["oneport-plan"]);
    oneport!("show {plan} --gantt {platform}").refused(2, &["oneport-platform"]);
    assert_eq!((read(&platform), read(&plan)), (before, planned));
    // A platform is replaced by a platform, a plan by a plan.
    oneport!("convert {star} {platform}").ok();
    solve(&plan).ok();
    oneport!("solve scatter {toy} --source Ps --force -o {platform}").ok();
}

/// A changed platform is the one that is solved and the one that is written.
#[test]
fn every_command_asks_about_the_changed_platform() {
    let folder = Folder::new();
    let (star, out) = (fixture("star.json"), folder.path("twice.toml"));
    let change = "--change '* <-> *: bandwidth x2'";
    let bound = |words: &str| {
        let run = oneport!("bound --json {words} all-gather").ok();
        run.object()["bounds"][0]["bound_number"]
            .as_f64()
            .unwrap_or_default()
    };
    oneport!("convert {star} {out} {change}").ok();
    assert!((bound(&star) * 2.0 - bound(&out)).abs() < 1e-9);
    assert!((bound(&format!("{star} {change}")) - bound(&out)).abs() < 1e-9);
}

/// Cells of a CSV table are plain numbers, of one unit in a column, for any rows.
#[test]
fn csv_holds_plain_numbers() {
    for words in [
        "whatif allreduce two-racks.toml",
        "whatif allreduce star.json",
        "whatif allgather two-racks.toml --change 'core <-> switch-b: remove'",
        "whatif allgather two-racks.toml --change 'core <-> switch-b: bandwidth x2'",
    ] {
        let run = oneport!("{words} --format csv");
        let mut lines = run.stdout.lines();
        let header = lines.next().unwrap_or_default();
        assert!(header.split(',').all(|name| !name.is_empty()), "{header}");
        for line in lines {
            // The name may hold a comma, and is quoted then.
            let rest = line.trim_start_matches('"');
            let (_, cells) = rest
                .split_once(if rest == line { "," } else { "\"," })
                .unwrap_or_default();
            let is_plain = |cell: &str| cell.is_empty() || cell.parse::<f64>().is_ok();
            assert!(cells.split(',').all(is_plain), "{line}");
        }
    }
}

/// The table of links, too: bandwidths in GB/s, a number of links, 1 or 2 directions.
#[test]
fn links_are_counted_in_plain_numbers() {
    let csv = oneport!("inspect two-racks.toml --format csv").ok().stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "links,bandwidth (GB/s),between,number,directions");
    assert_eq!(lines[1], "link,1.25,processor - router,4,2");
    assert_eq!(lines.len(), 5, "{csv}");
}

/// `--quiet` leaves every note out, and `--work 0` the rate of merges, which is not used then.
#[test]
fn quiet_is_quiet_and_the_headline_says_what_holds() {
    let folder = Folder::new();
    let plain = folder.write("m.csv", ",a,b\na,0,1\nb,1,0\n");
    let units = format!("bound {plain} all-reduce --units GB/s");
    oneport!("{units}").noted(&["assumed"]);
    oneport!("{units} -q").ok();
    let box8 = fixture("dgx-a100-1.toml");
    let asked = format!("bound {box8} all-gather --participants box0.gpu0,box0.gpu1");
    oneport!("{asked} -q").ok();
    let title = |more: &str| {
        let run = oneport!("solve all-reduce {plain} --units GB/s -q {more}").ok();
        run.stdout.lines().next().unwrap_or_default().to_string()
    };
    assert!(title("").contains("merges at 1000 GB/s"), "{}", title(""));
    assert!(
        !title("--work 0").contains("merges at"),
        "{}",
        title("--work 0")
    );
}

/// `--root` is the source or the target of any collective, `--source` and `--target` are the root of `bound`. Receivers
/// may be named with the source.
#[test]
fn the_root_is_named_in_any_way() {
    let rate = |words: &str| {
        oneport!("solve {words} two-racks.toml --json")
            .ok()
            .object()["throughput"]
            .clone()
    };
    let usual = rate("broadcast --source a2 --targets b0,b1");
    assert_eq!(rate("bcast --root a2 --targets b0,b1"), usual);
    assert_eq!(rate("bcast --root a2 --participants b0,b1,a2"), usual);
    let all = rate("scatter --source a2");
    assert_eq!(rate("scatter --root a2 --participants all"), all);
    let usual = rate("reduce --target b1 --participants a0,b1");
    assert_eq!(rate("reduce --root b1 --participants a0,b1"), usual);
    let bound = |root: &str| {
        oneport!("bound two-racks.toml bcast reduce {root} b2")
            .ok()
            .stdout
    };
    assert_eq!(bound("--source"), bound("--root"));
    assert_eq!(bound("--target"), bound("--root"));
    let refused = |more: &str, words: &[&str]| {
        oneport!("solve bcast two-racks.toml --root a0 {more}").refused(2, words);
    };
    refused("--targets b0 --participants a0,b0", &["no --participants"]);
    oneport!("solve bcast two-racks.toml --root a0 --source a0").misused(&["--source"]);
    oneport!("solve all-gather two-racks.toml --root a0").refused(2, &["no --root"]);
}

/// The tables of `solve`, `show`, `run` and `rings` alone.
#[test]
fn answers_and_plans_are_tables() {
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    let (toy, racks) = (toy(), fixture("two-racks.toml"));
    let csv = |words: &str| {
        let run = oneport!("{words} --format csv").ok();
        let rows = run
            .stdout
            .lines()
            .map(|line| line.split(',').map(str::to_string).collect());
        rows.collect::<Vec<Vec<String>>>()
    };
    // Figure 2 of RR-4872 has throughput 1/2 for two receivers, 1/4 for all four.
    let solved = csv(&format!("solve scatter {toy} --source Ps -o {plan}"));
    let column = |rows: &[Vec<String>], name: &str| -> Vec<String> {
        let at = rows[0].iter().position(|known| known.starts_with(name));
        let at = at.unwrap_or_else(|| panic!("no {name} in {rows:?}"));
        rows[1..].iter().map(|row| row[at].clone()).collect()
    };
    assert_eq!(column(&solved, "throughput (per unit of time)"), ["0.25"]);
    assert_eq!(
        (column(&solved, "status"), column(&solved, "gap (%)")),
        (vec!["optimal".into()], vec!["0".into()])
    );
    let two = csv(&format!("solve all-gather -p {racks} -p {racks}"));
    assert_eq!(
        column(&two, "throughput (per second)"),
        ["0.0178571", "0.0178571"]
    );
    // A schedule of depth 2 loses one instance of the 25 that the bound allows in 100 units.
    let run = csv(&format!("run {plan} --until 100"));
    assert_eq!(column(&run, "instances by 100"), ["25", "24", "24", "24"]);
    assert_eq!(
        column(&csv(&format!("show {plan} --prices")), "share"),
        ["100"]
    );
    let lengths = column(&csv(&format!("show {plan} --slots")), "length");
    let total: f64 = lengths
        .iter()
        .filter_map(|one| one.parse::<f64>().ok())
        .sum();
    assert!((total - 4.0).abs() < 1e-6, "{lengths:?}");
    assert_eq!(csv(&format!("show {plan} --patterns")).len(), 5);
    oneport!("show {plan} --format md").refused(2, &["--prices, --patterns, --slots"]);
    let rings = oneport!("rings dgx1.toml --format md").ok().stdout;
    assert!(
        rings.starts_with("| ring | times | bandwidth of each |"),
        "{rings}"
    );
    assert_eq!(rings.matches("| 1 | 25 GB/s |").count(), 6, "{rings}");
}

/// Without --size a message is one unit of the platform's data, and the headline states its amount.
#[test]
fn the_usual_size_is_said() {
    let folder = Folder::new();
    let title = |unit: &str| {
        let text = format!("{unit},a,b\na,,100\nb,100,\n");
        let path = folder.write("matrix.csv", text);
        let shown = oneport!("solve bcast {path} --root a -q").ok().stdout;
        shown.lines().next().unwrap_or_default().to_string()
    };
    for (unit, size) in [
        ("Gbit/s", "messages of 125 MB (1 Gbit)"),
        ("GB/s", "messages of 1 GB"),
    ] {
        assert!(title(unit).ends_with(size), "{}", title(unit));
        let path = folder.path("matrix.csv");
        let bound = oneport!("bound {path} bcast -q").ok().stdout;
        assert!(bound.contains(&format!(", {size}: ")), "{bound}");
    }
}

/// The table alone, with plain numbers, and prices next to the gains.
#[test]
fn tables_have_formats_and_prices() {
    let csv = oneport!("whatif allgather two-racks.toml --price '*: 900' --format csv");
    let csv = csv.ok().stdout;
    let header = csv.lines().next().unwrap_or_default();
    assert!(
        header.starts_with("what,members,bandwidth (GB/s),") && header.ends_with("per price"),
        "{csv}"
    );
    // Plain numbers: the cards of b*, 125 MB/s each, are the only gain, 100 %.
    let first = csv.lines().nth(1).unwrap_or_default();
    assert!(
        first.starts_with("b* <-> switch-b,4,0.125,,100,2,-50,-100,3600,"),
        "{csv}"
    );
    let columns = header.split(',').count();
    assert!(csv.lines().count() > 2, "{csv}");
    assert!(
        csv.lines().all(|line| line.split(',').count() == columns),
        "{csv}"
    );
    let md = oneport!("bound two-racks.toml --format md").ok().stdout;
    assert!(md.starts_with("| collective | algbw |"), "{md}");
    oneport!("whatif allgather two-racks.toml --price 'nothing*: 1'")
        .refused(2, &["no class is called 'nothing*'"]);
    oneport!("bound two-racks.toml --format md --json").misused(&["--json"]);
}
