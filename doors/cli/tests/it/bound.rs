//! `oneport bound`: the bounds of `solve`, without a schedule, and their texts.

use crate::common;

use common::{Folder, fixture};

#[test]
fn bounds_of_a_box_are_its_optima() {
    let all = oneport!("bound dgx1.toml --json").ok().object();
    let bounds = all["bounds"].as_array().expect("a list");
    assert_eq!(bounds.len(), 6);
    for row in bounds {
        let name = row["collective"].as_str().expect("a name");
        let root = match name {
            "broadcast" => "--source box0.gpu0",
            "reduce" => "--target box0.gpu0 --work 0 --commutative",
            "reduce-scatter" | "all-reduce" => "--work 0 --commutative",
            _ => "",
        };
        let solved = oneport!("solve {name} --platform dgx1.toml --json {root}")
            .ok()
            .object();
        assert_eq!(row["bound"], solved["upper_bound"], "{name}");
    }
    assert_eq!(
        (&bounds[0]["busbw"], &bounds[0]["status"]),
        (&"150".into(), &"attained".into())
    );
}

#[test]
fn the_cut_is_a_sentence() {
    let folder = Folder::new();
    let file = folder.write(
        "pair.toml",
        "format = \"oneport-platform/1\"\nmodel = \"links\"\nunits = \"GB/s\"\nnode = [{ name = \"a\", compute = 1 }, \
         { name = \"b\", compute = 1 }, { name = \"c\", compute = 1 }]\nlink = [{ from = \"a\", to = \"b\", cost = \"1/50\", \
         duplex = true }, { from = \"b\", to = \"c\", cost = \"1/10\", duplex = true }]\n",
    );
    let run = oneport!("bound {file} all-gather").ok();
    let sentence = "at least 1 transfer leaves {a, b} for each message: through 1 link (b -> c) of \
                    10 GB/s together no schedule exceeds 10 GB/s / 2 = 5 GB/s per operation";
    assert!(run.stdout.contains(sentence), "{run:#?}");
    assert!(
        run.stdout
            .contains("algbw 15 GB/s, busbw 10 GB/s; attained"),
        "{run:#?}"
    );
    let measured = oneport!("bound {file} all-gather --measured '8 GB/s'").ok();
    assert!(
        measured.stdout.contains("your 8 GB/s is 80 % of the bound"),
        "{measured:#?}"
    );
    // Bus and algorithm bandwidth differ by (n - 1) / n. The time of one operation of 3 GB is 0.2 s at best.
    for same in ["12 GB/s algbw", "0.25 s"] {
        let measured = oneport!("bound {file} all-gather --measured '{same}'").ok();
        assert!(
            measured
                .stdout
                .contains(&format!("your {same} is 80 % of the bound")),
            "{measured:#?}"
        );
    }
    // A measurement above the bound is a line above 100 %.
    let measured = oneport!("bound {file} all-gather --measured '88 Gbit/s'").ok();
    for words in [
        "your 88 Gbit/s is 110 % of the bound",
        "or the measurement is wrong",
    ] {
        assert!(measured.stdout.contains(words), "{words}: {measured:#?}");
    }
}

#[test]
fn large_platforms_are_bounded() {
    let folder = Folder::new();
    let file = folder.path("racks.toml");
    oneport!("generate racks --racks 12 --hosts 3..5 --seed 3 -o {file}").ok();
    let run = oneport!("bound {file} --json").ok().object();
    assert!(
        run["bounds"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|row| row["bound"].is_string()),
        "{run:#}"
    );
    // 1024 or 128 hosts, each behind one cable of 25 GB/s: too many reduction trees to price, and one cut proves the
    // whole bound. Every host gets, or gives, the other hosts' messages over its cable, or two in an all-reduce less
    // one 512th.
    for (ports, name, bound) in [
        ("8", "all-gather", "25/127"),
        ("8", "reduce-scatter", "25/127"),
        ("16", "all-reduce", "12800/1023"),
    ] {
        oneport!("generate fat-tree --ports {ports} -o {file}").ok();
        let run = oneport!("bound {file} {name} --json").ok().object();
        assert_eq!(run["bounds"][0]["bound"], bound, "{name}");
    }
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    oneport!("bound dgx1.toml scatter-v")
        .refused(2, &["needs --counts: 7 counts, for 'box0.gpu1'"]);
    oneport!("bound dgx1.toml --counts 1,2").refused(2, &["name the form that ends in -v"]);
    oneport!("bound dgx1.toml scatter-v scatter --counts 1").refused(2, &["one collective"]);
    oneport!("bound dgx1.toml gossip").refused(2, &["no collective 'gossip'", "barrier"]);
    oneport!("bound dgx1.toml --measured 8").refused(2, &["--measured", "name the collective"]);
    oneport!("bound star.json all-gather --measured '8 GB/s'").refused(2, &["--units GB/s"]);
    oneport!("bound dgx1.toml broadcast --root nobody").refused(1, &["nobody"]);
    let folder = Folder::new();
    let file = folder.write(
        "apart.toml",
        "format = \"oneport-platform/1\"\nmodel = \"links\"\nnode = [{ name = \"a\", compute = 1 }, { name = \"b\", compute = 1 }]\n\
         link = [{ from = \"a\", to = \"b\", cost = 1 }]\n",
    );
    let apart = oneport!("bound {file} all-gather broadcast");
    assert_eq!(apart.code, Some(1), "{apart:#?}");
    assert!(
        apart.stdout.contains("all-gather      infeasible"),
        "{apart:#?}"
    );
    assert!(
        apart
            .stdout
            .contains("at least 1 transfer leaves {a}: through 1 link"),
        "{apart:#?}"
    );
    apart.one_error(&[
        "all-gather is infeasible",
        "from 'b' to 'a'",
        "connect the nodes",
    ]);
}

/// The numbers of a sentence are a division that a reader can repeat. If they are not the bound, prices are named.
#[test]
fn sentences_are_true_of_the_platform() {
    let folder = Folder::new();
    let head = "format = \"oneport-platform/1\"\n";
    let processors = "{ name = \"a\", compute = 1 }, { name = \"b\", compute = 1 }";
    // The send port of a is the limit, not the two links out of it.
    let triangle = folder.write(
        "triangle.toml",
        format!(
            "{head}node = [{processors}, {{ name = \"r\" }}]\nlink = [\n\
             {{ from = \"a\", to = \"b\", cost = 1, duplex = true }}, {{ from = \"a\", to = \"r\", cost = 1, duplex = true }},\n\
             {{ from = \"b\", to = \"r\", cost = 1, duplex = true }}]\n"
        ),
    );
    let run = oneport!("bound {triangle} all-reduce").ok();
    assert!(
        run.stdout.contains("by the prices of ") && !run.stdout.contains("at least"),
        "{run:#?}"
    );
    // Only one link leads to d. The others lead to a router and a switch that lead nowhere else, and bring nothing
    // anywhere.
    let dead_end = folder.write(
        "dead-end.toml",
        format!(
            "{head}model = \"links\"\nnode = [{{ name = \"a\", compute = 1 }}, {{ name = \"r\" }}, \
             {{ name = \"s\", replicates = false, model = \"full-duplex\" }}, {{ name = \"d\", compute = 1 }}]\nlink = [\n\
             {{ from = \"a\", to = \"r\", cost = 3, duplex = true }}, {{ from = \"a\", to = \"s\", cost = \"1/2\", duplex = true }},\n\
             {{ from = \"a\", to = \"d\", cost = \"2/3\", duplex = true }}]\n"
        ),
    );
    let bound = &oneport!("bound {dead_end} all-gather --json").ok().object()["bounds"][0];
    assert_eq!(bound["bound"], "3/2", "{bound:#}");
    let cut = &bound["cut"];
    assert!(
        cut.is_null() || (&cut["messages"], &cut["capacity"]) == (&"1".into(), &"3/2".into()),
        "{bound:#}"
    );
    assert!(
        !bound["sentence"]
            .as_str()
            .expect("a sentence")
            .contains("a -> s, a -> d"),
        "{bound:#}"
    );
}

/// A processor that does not keep the messages it forwards takes part in few collectives. Those have bounds.
#[test]
fn who_keeps_nothing_is_bounded() {
    let folder = Folder::new();
    let file = folder.write(
        "pair.toml",
        "format = \"oneport-platform/1\"\nmodel = \"links\"\nnode = [{ name = \"a\", compute = 1 }, { name = \"b\", compute = 1, \
         replicates = false }]\nlink = [{ from = \"a\", to = \"b\", cost = 1, duplex = true }]\n",
    );
    for collective in ["reduce-scatter", "all-to-all"] {
        let run = oneport!("bound {file} {collective}").ok();
        assert!(run.stdout.contains("algbw 2 per unit of time"), "{run:#?}");
    }
    oneport!("bound {file} all-gather").refused(1, &["'b'", "replicates = false"]);
    oneport!("rings {file}").refused(1, &["'b'", "replicates = false"]);
}

/// With counts, too, the bound is at least the optimum of `solve`, and on small platforms it is the optimum.
#[test]
fn forms_with_counts_are_bounded_by_their_optimum() {
    let mut tight = 0;
    for name in ["star.json", "two-racks.toml", "toy-broadcast.toml"] {
        let file = fixture(name);
        for (form, counts) in [
            ("scatter-v", "3,0,1"),
            ("all-gather-v", "2,1,5,1"),
            ("reduce-scatter-v", "1,4,0,1"),
        ] {
            let platform = oneport::files::read_platform(&file).unwrap();
            let wanted = counts.split(',').count();
            let nodes = platform
                .processors()
                .map(|node| platform.name(node).to_string());
            let all: Vec<String> = nodes
                .take(wanted + usize::from(form == "scatter-v"))
                .collect();
            let (first, some) = (all[0].clone(), all.join(","));
            let bound =
                oneport!("bound {file} {form} --participants {some} --counts {counts} --json");
            let Some(0) = bound.code else {
                assert!(bound.stderr.contains("infeasible"), "{bound:#?}");
                continue;
            };
            let roles = match form {
                "scatter-v" => format!("--source {first} --targets {}", all[1..].join(",")),
                "reduce-scatter-v" => format!("--participants {some} --commutative --work 0"),
                _ => format!("--participants {some}"),
            };
            let solved =
                oneport!("solve {form} --platform {file} --counts {counts} --json {roles}")
                    .ok()
                    .object();
            let rational = |value: &serde_json::Value| {
                oneport::parse_rational(value.as_str().unwrap()).unwrap()
            };
            let [bound, optimum] = [
                &bound.object()["bounds"][0]["bound"],
                &solved["upper_bound"],
            ]
            .map(rational);
            assert!(bound >= optimum, "{name} {form}: {bound} {optimum}");
            tight += usize::from(bound == optimum);
        }
    }
    assert!(tight >= 6, "{tight}");
}
