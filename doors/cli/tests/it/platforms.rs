//! `oneport convert`, and platform files that mean harm: one line, exit 1 or 2, at once.

use crate::common;

use std::time::Duration;

use common::{Folder, read, toy, unwritable};

#[test]
fn a_platform_survives_every_format() {
    let folder = Folder::new();
    let solve = |platform: &str| {
        let run =
            oneport!("solve scatter --platform {platform} --source Ps --targets P0,P1 --json");
        let mut object = run.ok().object();
        // Time differs from run to run.
        object
            .as_object_mut()
            .unwrap()
            .retain(|key, _| !key.ends_with("seconds"));
        object
    };
    let expected = solve(&toy());
    let mut from = toy();
    for name in ["a.json", "b.csv", "c.toml", "d.json", "e.toml"] {
        let to = folder.path(name);
        let run = oneport!("convert {from} {to}").ok();
        assert!(
            run.stdout.contains(name) && run.stdout.contains("5 nodes"),
            "{run:#?}"
        );
        assert_eq!(solve(&to)["throughput"], expected["throughput"], "{name}");
        from = to;
    }
    // The matrix lists links in row order. After that nothing changes any more.
    assert_eq!(read(folder.path("c.toml")), read(folder.path("e.toml")));
    let back = folder.path("back.json");
    oneport!("convert toy-scatter.toml {back}").ok();
    oneport!("convert {back} {}", folder.path("back.toml")).ok();
    oneport!(
        "convert {} {}",
        folder.path("back.toml"),
        folder.path("again.json")
    )
    .ok();
    assert_eq!(read(&back), read(folder.path("again.json")));
}

#[test]
fn formats_can_be_named() {
    let folder = Folder::new();
    let plain = folder.path("platform");
    oneport!("convert toy-scatter.toml {plain} --to json").ok();
    assert!(read(&plain).trim_start().starts_with('{'));
    oneport!("convert {plain} {} --from json", folder.path("x.toml")).ok();
    oneport!("convert {plain} {}", folder.path("y.toml")).ok();
    assert_eq!(read(folder.path("x.toml")), read(folder.path("y.toml")));
    oneport!("convert toy-scatter.toml {}", folder.path("no-extension"))
        .refused(2, &["--to", "toml", "json"]);
    oneport!("convert toy-scatter.toml {} --to yaml", folder.path("z"))
        .refused(2, &["--to", "yaml", "json"]);
    oneport!("convert toy-scatter.toml {} --from yaml", folder.path("z"))
        .refused(2, &["yaml", "json"]);
    oneport!(
        "convert toy-scatter.toml {} --from json",
        folder.path("z.toml")
    )
    .refused(1, &["toy-scatter.toml", "JSON"]);
    oneport!("convert toy-scatter.toml {}", folder.path("z.gml")).refused(2, &["z.gml", "toml"]);
    oneport!("convert toy-scatter.toml").misused(&["OUT"]);
    // A matrix cannot express routers.
    let refused = oneport!("convert two-racks.toml {}", folder.path("z.csv"));
    refused.refused(1, &["matrix", "toml"]);
    let old = folder.write("old.toml", "oneport: precious");
    oneport!("convert {} {old}", folder.path("no-such-file")).refused(1, &["no-such-file"]);
    assert_eq!(read(&old), "oneport: precious");
    oneport!("convert toy-scatter.toml {} --to toml", unwritable(&folder))
        .refused(1, &["cannot write"]);
    assert_eq!(
        folder.names(),
        ["a-file", "old.toml", "platform", "x.toml", "y.toml"]
    );
}

#[test]
fn gml_is_read() {
    let folder = Folder::new();
    let gml = "graph [\n node [ id 0 label \"A\" ]\n node [ id 1 label \"B\" ]\n node [ id 2 label \"C\" ]\n \
               edge [ source 0 target 1 LinkSpeedRaw 1000000000.0 ]\n \
               edge [ source 1 target 2 LinkSpeed \"500\" LinkSpeedUnits \"M\" ]\n]\n";
    let gml = folder.write("net.gml", gml);
    let scatter =
        |platform: &str| oneport!("solve scatter --platform {platform} --source A --json");
    let notes = ["combines values at 1000 GB/s", "--model links"];
    // A sends two gigabits at 1 Gbit/s. B forwards one at 0.5 Gbit/s.
    assert_eq!(scatter(&gml).noted(&notes).object()["throughput"], "1/2");
    let toml = folder.path("net.toml");
    oneport!("convert {gml} {toml}").noted(&notes);
    assert_eq!(scatter(&toml).ok().object()["throughput"], "1/2");
}

/// Two nodes, then the given rest.
fn two(rest: &str) -> String {
    format!(
        "format = \"oneport-platform/1\"\n[[node]]\nname = \"a\"\ncompute = 1\n[[node]]\nname = \"b\"\ncompute = 1\n{rest}"
    )
}

fn link(cost: &str) -> String {
    two(&format!("[[link]]\nfrom = \"a\"\nto = \"b\"\n{cost}\n"))
}

#[test]
fn hostile_platforms_are_refused_in_one_line() {
    let folder = Folder::new();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |name: &str, content: &[u8]| files.push((name.to_string(), content.to_vec()));
    for name in [
        "empty.toml",
        "empty.json",
        "empty.csv",
        "empty.gml",
        "empty",
    ] {
        add(name, b"");
    }
    for name in [
        "zeros.toml",
        "zeros.json",
        "zeros.csv",
        "zeros.gml",
        "zeros",
    ] {
        add(name, &[0; 4096]);
        add(&format!("high-{name}"), &[0xff; 4096]);
        add(&format!("spaces-{name}"), &[b' '; 100_000]);
    }
    add("utf16.toml", b"\xff\xfef\0o\0");
    add("braces.json", b"{}");
    add("deep.json", "[".repeat(200_000).as_bytes());
    add("deeper.json", "{\"a\":".repeat(200_000).as_bytes());
    add(
        "deep.toml",
        format!("a = {}", "[".repeat(100_000)).as_bytes(),
    );
    add(
        "keys.toml",
        format!("a{} = 1", ".a".repeat(100_000)).as_bytes(),
    );
    add("deep.gml", "graph [ ".repeat(100_000).as_bytes());
    add(
        "quotes.csv",
        format!("\"{}", "a,".repeat(100_000)).as_bytes(),
    );
    add("wide.csv", "1,".repeat(1_000_000).as_bytes());
    add("ragged.csv", b"0,1\n1,0,2\n");
    add("text.csv", b"0,x\ny,0\n");
    add("negative.csv", b"0,-1\n1,0\n");
    add(
        "no-format.toml",
        two("").replacen("format", "formal", 1).as_bytes(),
    );
    add("other-format.toml", two("").replace("/1", "/2").as_bytes());
    add("no-nodes.toml", b"format = \"oneport-platform/1\"\n");
    add("twice.toml", two("[[node]]\nname = \"a\"\n").as_bytes());
    add("unknown-key.toml", two("colour = \"red\"\n").as_bytes());
    add(
        "unknown-node.toml",
        two("[[link]]\nfrom = \"a\"\nto = \"z\"\ncost = 1\n").as_bytes(),
    );
    add(
        "loop.toml",
        two("[[link]]\nfrom = \"a\"\nto = \"a\"\ncost = 1\n").as_bytes(),
    );
    add(
        "double.toml",
        (link("cost = 1") + "[[link]]\nfrom = \"a\"\nto = \"b\"\ncost = 2\n").as_bytes(),
    );
    let costs = [
        "0",
        "-1",
        "nan",
        "inf",
        "\"1/0\"",
        "\"abc\"",
        "1e999999999",
        "true",
        "[]",
        "\"\"",
        "1/2",
    ];
    for (index, cost) in costs.iter().enumerate() {
        // A link may cost nothing. No bandwidth is 0.
        if *cost != "0" {
            add(
                &format!("cost-{index}.toml"),
                link(&format!("cost = {cost}")).as_bytes(),
            );
        }
        add(
            &format!("bandwidth-{index}.toml"),
            link(&format!("bandwidth = {cost}")).as_bytes(),
        );
    }
    add(
        "digits.toml",
        link(&format!("cost = \"{}\"", "9".repeat(1_000_000))).as_bytes(),
    );
    add("no-cost.toml", link("").as_bytes());
    add(
        "both-costs.toml",
        link("cost = 1\nbandwidth = 1").as_bytes(),
    );
    add(
        "name.toml",
        two(&format!("[[node]]\nname = \"{}\"\n", "x".repeat(100_000))).as_bytes(),
    );
    add(
        "control.toml",
        two("[[node]]\nname = \"line\\nbreak\\u001b[31m\"\n").as_bytes(),
    );
    add(
        "model.toml",
        format!("model = \"full\\nduplex\"\n{}", two("")).as_bytes(),
    );
    add("ports.toml", two("ports = 0\n").as_bytes());
    for (name, content) in files {
        let path = folder.write(&name, &content);
        let run = oneport!("solve all-to-all --platform {path}");
        assert!(matches!(run.code, Some(1 | 2)), "{name}: {run:#?}");
        assert!(run.time < Duration::from_secs(2), "{name}: {:?}", run.time);
        let code = run.code.unwrap_or_default();
        let run = run.refused(code, &[&name]);
        assert!(
            run.stderr.len() < 2000,
            "{name}: {} characters",
            run.stderr.len()
        );
        assert!(
            !run.stderr.trim_end().contains(char::is_control),
            "{name}: {}",
            run.stderr.escape_debug()
        );
    }
    oneport!("solve all-to-all --platform {}", folder.path("")).refused(1, &["directory"]);
    oneport!(
        "solve all-to-all --platform {}",
        folder.path("no-such-file.toml")
    )
    .refused(1, &["no-such-file.toml"]);
}

/// Section 5 of RR-2004-32 as a file: half-duplex nodes, relays if ports are fewer than links, the same throughputs.
#[test]
fn a_gadget_is_a_platform() {
    let folder = Folder::new();
    let mut text = "format = \"oneport-platform/1\"\nmodel = \"multiport\"\n".to_string();
    for name in ["a", "b", "c", "d"] {
        text += &format!("[[node]]\nname = \"{name}\"\ncompute = \"1\"\nports = 2\n");
    }
    for (ends, cost) in [
        ("ab", 1),
        ("ac", 1),
        ("ad", 1),
        ("bc", 1),
        ("bd", 1),
        ("cb", 5),
        ("db", 5),
    ] {
        let (from, to) = ends.split_at(1);
        text += &format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\ncost = \"{cost}\"\n");
    }
    let (native, written) = (
        folder.write("native.toml", text),
        folder.path("gadget.toml"),
    );
    let said = oneport!("convert --gadget {native} {written}").ok().stdout;
    for words in [
        "4 nodes under their names",
        "'a out 2' sends for 'a'",
        "'b in 1' receives for 'b'",
        "'a -> b relay' is on the link 'a -> b'",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let throughput = |platform: &str, question: &str| {
        let answer = oneport!("solve {question} --platform {platform} --json")
            .ok()
            .object();
        assert_eq!(answer["status"], "optimal");
        answer["throughput"].clone()
    };
    for (question, right) in [
        ("scatter --source a --targets b", Some("6/5")),
        ("broadcast --source a", None),
    ] {
        let found = throughput(&written, question);
        assert_eq!(found, throughput(&native, question));
        assert!(right.is_none_or(|right| found == right), "{found}");
    }
    // A half-duplex c closes an odd cycle with a -> b.
    let odd = read(&native).replacen(
        "name = \"c\"\ncompute = \"1\"\nports = 2",
        "name = \"c\"\ncompute = \"1\"\nmodel = \"half-duplex\"",
        1,
    );
    oneport!(
        "convert --gadget {} {written}",
        folder.write("odd.toml", odd)
    )
    .refused(1, &["'a -> b'", "odd cycle"]);
}
