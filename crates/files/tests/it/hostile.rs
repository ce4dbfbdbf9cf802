//! Hostile input: each file gives one clear error, fast, and never a panic.

use std::path::Path;

use oneport_files::{
    FormatError, MAX_PLATFORM_BYTES, Mistake, PlatformFormat, parse_platform, plan_from_json,
    read_plan, read_platform,
};

use PlatformFormat::{Json, Matrix, Toml};

/// Longest error message that still counts as one line.
const LINE: usize = 800;

fn check_message(error: &FormatError, file: &str, parts: &[&str]) {
    let message = error.to_string();
    assert!(message.starts_with(file), "names the file: {message}");
    assert!(!message.contains(['\n', '\r']), "one line: {message}");
    assert!(message.chars().count() < LINE, "short: {message}");
    for part in parts {
        assert!(message.contains(part), "says '{part}': {message}");
    }
}

#[track_caller]
fn refused(format: PlatformFormat, bytes: impl AsRef<[u8]>, parts: &[&str]) {
    match parse_platform("bad.file", bytes.as_ref(), format) {
        Ok(_) => panic!("{format} was accepted; expected {parts:?}"),
        Err(error) => check_message(&error, "bad.file", parts),
    }
}

/// A good file of two nodes with the given keys of its link.
fn toml_link(keys: &str) -> String {
    format!(
        "format = \"oneport-platform/1\"\n[[node]]\nname = \"a\"\ncompute = 1\n[[node]]\nname = \"b\"\n\n[[link]]\n{keys}\n"
    )
}

fn json_link(keys: &str) -> String {
    format!(
        "{{\n\"format\": \"oneport-platform/1\",\n\"node\": [{{\"name\": \"a\", \"compute\": 1}}, {{\"name\": \"b\"}}],\n\"link\": [\n{{{keys}}}\n]}}"
    )
}

fn toml_node(keys: &str) -> String {
    format!("format = \"oneport-platform/1\"\n[[node]]\nname = \"first\"\n[[node]]\n{keys}\n")
}

/// The files that the rejected ones differ from are accepted.
#[test]
fn the_unperturbed_files_are_accepted() {
    for (format, text) in [
        (Toml, toml_link("from = \"a\"\nto = \"b\"\ncost = 1")),
        (
            Toml,
            toml_node(
                "name = \"second\"\ncompute = 0x10\nports = 2\nreplicates = false\nmodel = \"links\"",
            ),
        ),
        (Json, json_link(r#""from": "a", "to": "b", "cost": 1"#)),
        (Matrix, "0 1\n1 0".to_string()),
    ] {
        let windows = text.replace('\n', "\r\n");
        for text in [text.clone(), format!("\u{feff}{text}"), windows] {
            if let Err(error) = parse_platform("good", text.as_bytes(), format) {
                panic!("{error}\n{text}");
            }
        }
    }
}

#[test]
fn values_of_links() {
    for (value, parts) in [
        ("-1", &["link[0].cost", "-1", "0 or more"][..]),
        ("\"-1/3\"", &["link[0].cost", "\"-1/3\"", "0 or more"]),
        ("\"1/0\"", &["link[0].cost", "1/0", "denominator"]),
        ("\"NaN\"", &["link[0].cost", "NaN", "write an integer"]),
        ("\"\"", &["link[0].cost", "''", "write an integer"]),
        ("\"1e1001\"", &["link[0].cost", "1e1001", "too large"]),
        ("true", &["link[0].cost", "true", "a number"]),
        ("[1]", &["link[0].cost", "an array", "a number"]),
    ] {
        refused(
            Toml,
            toml_link(&format!("from = \"a\"\nto = \"b\"\ncost = {value}")),
            &[&["bad.file:11:"], parts].concat(),
        );
        refused(
            Json,
            json_link(&format!(
                "\"from\": \"a\",\n\"to\": \"b\", \"cost\": {value}"
            )),
            &[&["bad.file:6:"], parts].concat(),
        );
    }
    for value in ["nan", "inf", "-inf", "1979-05-27"] {
        refused(
            Toml,
            toml_link(&format!("from = \"a\"\nto = \"b\"\ncost = {value}")),
            &["bad.file:11:", "cost", "number"],
        );
    }
    refused(
        Json,
        json_link(r#""from": "a", "to": "b", "cost": 1e99999"#),
        &["link[0].cost", "1e99999", "too large"],
    );
    refused(
        Json,
        json_link(r#""from": "a", "to": "b", "cost": null"#),
        &["link[0].cost", "null", "a number"],
    );
    refused(
        Json,
        json_link(r#""from": "a", "to": "b", "bandwidth": 0"#),
        &["link[0].bandwidth", "0", "positive"],
    );
    refused(
        Toml,
        toml_link("from = \"a\"\nto = \"b\"\nbandwidth = -2.5"),
        &["link[0].bandwidth", "-2.5", "positive"],
    );
    let long = "9".repeat(1001);
    refused(
        Toml,
        toml_link(&format!("from = \"a\"\nto = \"b\"\ncost = {long}")),
        &["link[0].cost", "1001 characters"],
    );
    refused(
        Json,
        json_link(&format!(r#""from": "a", "to": "b", "cost": {long}"#)),
        &["link[0].cost", "1001 characters"],
    );
    let hex = format!("0x{}", "f".repeat(2_000_000));
    refused(
        Toml,
        toml_link(&format!("from = \"a\"\nto = \"b\"\ncost = {hex}")),
        &["link[0].cost", "too long"],
    );
}

#[test]
fn keys_and_names_of_links() {
    for (toml, json, parts) in [
        (
            "from = \"a\"\nto = \"b\"",
            r#""from": "a", "to": "b""#,
            &["link[0]", "'cost' is missing", "bandwidth"][..],
        ),
        (
            "to = \"b\"\ncost = 1",
            r#""to": "b", "cost": 1"#,
            &["link[0]", "'from' is missing"],
        ),
        (
            "from = \"a\"\nto = \"b\"\ncost = 1\nbandwidth = 1",
            r#""from": "a", "to": "b", "cost": 1, "bandwidth": 1"#,
            &["link[0]", "'cost'", "'bandwidth'", "keep one"],
        ),
        (
            "from = \"a\"\nto = \"b\"\ncosts = 1",
            r#""from": "a", "to": "b", "costs": 1"#,
            &[
                "link[0]",
                "unknown key 'costs'",
                "from, to, cost, bandwidth, duplex",
            ],
        ),
        (
            "from = \"a\"\nto = \"a\"\ncost = 1",
            r#""from": "a", "to": "a", "cost": 1"#,
            &["link[0]", "a -> a", "itself"],
        ),
        (
            "from = \"a\"\nto = \"c\"\ncost = 1",
            r#""from": "a", "to": "c", "cost": 1"#,
            &["link[0].to", "'c'", "must name one"],
        ),
        (
            "from = 3\nto = \"b\"\ncost = 1",
            r#""from": 3, "to": "b", "cost": 1"#,
            &["link[0].from", "3", "a name"],
        ),
        (
            "from = \"a\"\nto = \"b\"\ncost = 1\nduplex = \"yes\"",
            r#""from": "a", "to": "b", "cost": 1, "duplex": "yes""#,
            &["link[0].duplex", "\"yes\"", "true or false"],
        ),
        (
            "from = \"a\"\nto = \"b\"\ncost = 1\n[[link]]\nfrom = \"a\"\nto = \"b\"\ncost = \"3/2\"",
            r#""from": "a", "to": "b", "cost": 1}, {"from": "a", "to": "b", "cost": "3/2""#,
            &["link[1]", "a -> b", "twice", "cost 1 and 3/2"],
        ),
    ] {
        refused(Toml, toml_link(toml), parts);
        refused(Json, json_link(json), parts);
    }
    refused(
        Json,
        json_link(r#""from": "a", "from": "a", "to": "b", "cost": 1"#),
        &["link[0]", "'from' is given twice"],
    );
    refused(
        Toml,
        toml_link("from = \"a\"\nfrom = \"a\""),
        &["bad.file:10:", "duplicate"],
    );
    refused(
        Toml,
        toml_link("from = \"faraway\"\nto = \"b\"\ncost = 1"),
        &["bad.file:9:", "'faraway'", "must name one"],
    );
}

#[test]
fn nodes_and_heads() {
    for (keys, parts) in [
        (
            "name = \"first\"",
            &["node[1]", "'first' is used twice"][..],
        ),
        ("name = \"\"", &["node[1]", "empty"]),
        ("compute = 1", &["node[1]", "'name' is missing"]),
        ("name = 7", &["node[1].name", "7", "a name"]),
        (
            "name = \"x\"\ncompute = 0",
            &["node[1].compute", "0", "positive", "router"],
        ),
        ("name = \"x\"\nports = 0", &["node[1].ports", "0", "from 1"]),
        (
            "name = \"x\"\nports = 1.5",
            &["node[1].ports", "1.5", "whole"],
        ),
        (
            "name = \"x\"\nports = 4294967296",
            &["node[1].ports", "4294967296", "whole"],
        ),
        (
            "name = \"x\"\nmodel = \"two-port\"",
            &["node[1].model", "'two-port'", "full-duplex"],
        ),
        (
            "name = \"x\"\nreplicates = 1",
            &["node[1].replicates", "1", "true or false"],
        ),
        (
            "name = \"x\"\nspeed = 1",
            &[
                "node[1]",
                "'speed'",
                "name, compute, model, ports, replicates",
            ],
        ),
        ("name = \"x\"\n[node.name]\na = 1", &["bad.file:6:"]),
    ] {
        refused(Toml, toml_node(keys), parts);
    }
    for (format, text, parts) in [
        (
            Toml,
            "[[node]]\nname = \"a\"",
            &["'format' is missing", "oneport-platform/1"][..],
        ),
        (
            Json,
            r#"{"node": [{"name": "a"}]}"#,
            &["'format' is missing", "oneport-platform/1"],
        ),
        (
            Toml,
            "format = \"oneport-platform/2\"",
            &[
                "format",
                "\"oneport-platform/2\"",
                "write \"oneport-platform/1\"",
            ],
        ),
        (
            Json,
            r#"{"format": 1}"#,
            &["format", "1", "write \"oneport-platform/1\""],
        ),
        (
            Toml,
            "format = \"oneport-platform/1\"",
            &["'node' is missing", "[[node]]"],
        ),
        (
            Json,
            r#"{"format": "oneport-platform/1"}"#,
            &["'node' is missing"],
        ),
        (
            Json,
            r#"{"format": "oneport-platform/1", "node": []}"#,
            &["no node"],
        ),
        (
            Toml,
            "format = \"oneport-platform/1\"\n[node]\nname = \"a\"",
            &["bad.file:2: node", "a table", "[[node]]"],
        ),
        (
            Toml,
            "format = \"oneport-platform/1\"\nnode = [1]",
            &["bad.file:2: node[0]", "1", "[[node]]"],
        ),
        (
            Json,
            r#"{"format": "oneport-platform/1", "node": {"a": 1}}"#,
            &["node", "an object", "an array"],
        ),
        (
            Json,
            r#"{"format": "oneport-platform/1", "node": ["a"]}"#,
            &["node[0]", "\"a\"", "an object"],
        ),
        (Json, "[]", &["an array is not an object"]),
        (Json, "7", &["7 is not an object"]),
        (
            Toml,
            "format = \"oneport-platform/1\"\nnodes = 1\nvertex = 2",
            &["bad.file:2:", "'nodes'", "format, model, units, node, link"],
        ),
        (
            Json,
            "{\"format\": \"oneport-platform/1\",\n \"nodes\": 1}",
            &["bad.file:2:", "'nodes'", "format, model, units, node, link"],
        ),
        (
            Json,
            "{\"format\": \"oneport-platform/1\",\n\"format\": \"x\"}",
            &["bad.file:2:", "'format' is given twice"],
        ),
        (
            Json,
            r#"{"$serde_json::private::RawValue": "1"}"#,
            &["unknown key"],
        ),
        (
            Json,
            r#"{"format": "\ud800"}"#,
            &["format", "not valid JSON"],
        ),
        (
            Toml,
            "format = \"oneport-platform/1\"\nmodel = 3",
            &["bad.file:2: model", "3", "half-duplex"],
        ),
    ] {
        refused(format, text, parts);
    }
}

#[test]
fn matrices() {
    for (text, parts) in [
        ("0 1\n1", &["bad.file:2", "1 cells", "2 are expected"][..]),
        ("0 1\n1 0\n0 0", &["3 rows of 2", "as many rows as columns"]),
        (
            "0 1 2\n1 0 2",
            &[
                "2 rows of 3",
                "as many rows as columns",
                "of no format known here",
            ],
        ),
        ("0,1,\n1,0,", &["2 rows of 3"]),
        ("a,b\n", &["0 rows of 2"]),
        (
            "0 -2\n1 0",
            &["bad.file:1", "row 1 (P0), column 2 (P1)", "-2", "positive"],
        ),
        (
            "0 1\n1/0 0",
            &[
                "bad.file:2",
                "row 2 (P1), column 1 (P0)",
                "1/0",
                "denominator",
            ],
        ),
        (
            "0 inf\n1 0",
            &["row 1 (P0), column 2 (P1)", "inf", "finite"],
        ),
        ("0 nan\n1 0", &["row 1 (P0), column 2 (P1)", "nan"]),
        (
            "to,a,b\na,0,x1\nb,1,0",
            &["bad.file:2", "row 1 (a), column 2 (b)", "x1", "a number"],
        ),
        (
            "0;1,5\n1,5;0",
            &["bad.file:1", "row 1 (P0), column 2 (P1)", "1,5"],
        ),
        ("a,a\n0,1\n1,0", &["'a' is used twice"]),
        (
            "to,a,b\na,0,1\nc,1,0",
            &["bad.file:3", "\"c\"", "\"b\"", "column"],
        ),
        (
            "a,b,c\n0,1\n1,0",
            &["row of names", "3 cells", "2 are expected"],
        ),
        ("# nothing\n\n# here", &["is empty", "bandwidths"]),
        ("0 1e2000\n1 0", &["row 1 (P0), column 2 (P1)", "1e2000"]),
    ] {
        refused(Matrix, text, parts);
    }
    refused(
        Matrix,
        "0 ".repeat(20_000_000),
        &["over 2000 columns", "JSON"],
    );
    refused(
        Matrix,
        "0\n".repeat(20_000_000),
        &["over 2000 rows", "JSON"],
    );
    refused(Matrix, "\"".repeat(10_000_000), &["bad.file"]);
    refused(Matrix, ",".repeat(10_000_000), &["over 2000 columns"]);
}

#[test]
fn bytes_that_are_no_text() {
    for format in PlatformFormat::all() {
        refused(format, "", &["is empty"]);
        refused(format, " \n\t\r\n", &["is empty"]);
        refused(format, "\u{feff}", &["is empty"]);
        refused(format, b"\xFF\xFEf\0o\0", &["UTF-16", "UTF-8"]);
        refused(format, b"\xFE\xFF\0f\0o", &["UTF-16", "UTF-8"]);
        refused(
            format,
            b"# one\n# two \xC3\x28\n",
            &["bad.file:2", "byte 12", "UTF-8"],
        );
        refused(format, b"\0\0\0\0", &["bad.file"]);
        refused(format, vec![b'['; 100_000], &["bad.file"]);
        refused(format, vec![b'{'; 100_000], &["bad.file"]);
        refused(format, vec![b'"'; 100_001], &["bad.file"]);
        refused(
            format,
            vec![b' '; (MAX_PLATFORM_BYTES + 1) as usize],
            &["over 67108864 bytes"],
        );
    }
}

#[test]
fn nesting_bombs_and_long_strings() {
    let deep = 100_000;
    let cost = |value: &str| toml_link(&format!("from = \"a\"\nto = \"b\"\ncost = {value}"));
    for text in [
        cost(&"[".repeat(deep)),
        cost(&format!("{}{}", "[".repeat(deep), "]".repeat(deep))),
        cost(&"{a=".repeat(deep)),
        cost(&format!("{}1{}", "{a=".repeat(deep), "}".repeat(deep))),
        format!("{} = 1", vec!["a"; deep].join(".")),
        format!("[{}]", vec!["a"; deep].join(".")),
        (0..deep).map(|i| format!("[[node.a{i}]]\n")).collect(),
        (1..400)
            .map(|depth| format!("[{}]\n", vec!["a"; depth].join(".")))
            .collect(),
        (0..5000)
            .map(|i| format!("{}.b{i} = 1\n", vec!["a"; 60].join(".")))
            .collect(),
        (0..deep).map(|i| format!("k{i} = 1\n")).collect(),
        format!("{}\n", "a.".repeat(20_000_000)),
        "=".repeat(20_000_000),
        "x ".repeat(20_000_000),
        "é ".repeat(10_000_000),
        "\n".repeat(30_000_000) + "x",
        format!("a = [{}", "0,".repeat(10_000_000)),
    ] {
        refused(Toml, text, &["bad.file"]);
    }
    let value = |value: &str| json_link(&format!(r#""from": "a", "to": "b", "cost": {value}"#));
    for text in [
        "[".repeat(30_000_000),
        value(&"[".repeat(deep)),
        value(&format!("{}{}", "[".repeat(deep), "]".repeat(deep))),
        value(&format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep))),
        format!("{{\"node\": [{}0]}}", "0,".repeat(20_000_000)),
        format!("{{{}\"a\": 0}}", "\"a\": 0,".repeat(5_000_000)),
    ] {
        refused(Json, text, &["bad.file"]);
    }
    let long = "x".repeat(10_000_000);
    refused(
        Toml,
        toml_node(&format!("name = \"{long}\"")),
        &["node[1]", "too long"],
    );
    refused(
        Toml,
        toml_node(&format!("name = \"a\"\n{long} = 1")),
        &["unknown key", "(10000000 characters)"],
    );
    refused(
        Toml,
        toml_node(&format!("name = \"{long}")),
        &["bad.file:5", "TOML"],
    );
    refused(
        Toml,
        format!("format = \"{long}\""),
        &["format", "(10000000 characters)"],
    );
    refused(
        Toml,
        toml_link(&format!("from = \"{long}\"\nto = \"b\"\ncost = 1")),
        &["link[0].from", "characters)"],
    );
    refused(
        Json,
        json_link(&format!(r#""from": "{long}", "to": "b", "cost": 1"#)),
        &["link[0].from", "characters)"],
    );
    refused(
        Json,
        json_link(&format!(r#""from": "a", "to": "b", "cost": "{long}""#)),
        &["link[0].cost", "characters)"],
    );
    refused(
        Json,
        json_link(&format!(r#""from": "a", "to": "b", "{long}": 1"#)),
        &["unknown key", "characters)"],
    );
    refused(
        Json,
        format!("{{\"format\": \"{long}"),
        &["JSON", "cut off"],
    );
    refused(
        Json,
        json_link(&format!(
            r#""from": "a", "to": "b", "cost": 1, "duplex": "{long}""#
        )),
        &["characters)"],
    );
    refused(Matrix, format!("0 {long}\n1 0"), &["bad.file"]);
}

/// A good file cut off anywhere is refused (or is still a whole file), and never panics.
#[test]
fn truncated_files() {
    for (format, text) in [
        (
            Toml,
            toml_link("from = \"a\"\nto = \"b\"\ncost = 1.5e-3\nduplex = true"),
        ),
        (
            Json,
            json_link(r#""from": "a", "to": "b", "cost": 1.5e-3, "duplex": true"#),
        ),
        (Matrix, "from,a,b\na,0,\"1\"\nb,\"2\",0".to_string()),
    ] {
        let mut refusals = 0;
        for end in 0..text.len() {
            if let Err(error) = parse_platform("cut", &text.as_bytes()[..end], format) {
                check_message(&error, "cut", &[]);
                refusals += 1;
            }
        }
        assert!(
            refusals > text.len() / 2,
            "{format}: {refusals} of {}",
            text.len()
        );
        if format == Json {
            assert!(
                refusals >= text.trim_end().len(),
                "{format}: a cut file was accepted"
            );
        }
    }
}

/// Every single byte of a good file replaced by each of some nasty ones: the reader answers and never panics.
#[test]
fn mutated_files() {
    for (format, text) in [
        (
            Toml,
            toml_link("from = \"a\"\nto = \"b\"\ncost = 1.5e-3\nduplex = true"),
        ),
        (
            Json,
            json_link(r#""from": "a", "to": "b", "cost": 1.5e-3, "duplex": true"#),
        ),
        (Matrix, "from,a,b\na,0,\"1\"\nb,\"2\",0".to_string()),
    ] {
        for index in 0..text.len() {
            for byte in *b"\0\n\r\"'[]{},.#=-/e9&\\ \xFF\xC3" {
                let mut bytes = text.clone().into_bytes();
                bytes[index] = byte;
                if let Err(error) = parse_platform("mutant", &bytes, format) {
                    check_message(&error, "mutant", &[]);
                }
            }
        }
    }
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let error = read_platform(folder.path()).expect_err("a folder");
    assert_eq!(*error.mistake, Mistake::Directory);
    let missing = folder.path().join("missing.toml");
    let error = read_platform(&missing).expect_err("a missing file");
    assert!(matches!(*error.mistake, Mistake::Unreadable(_)), "{error}");
    check_message(&error, &missing.display().to_string(), &["cannot be read"]);
    let error = read_plan(&missing).expect_err("a missing file");
    assert!(matches!(*error.mistake, Mistake::Unreadable(_)), "{error}");
    // A sparse file: refused by its length, not read.
    let large = folder.path().join("large.json");
    std::fs::File::create(&large)
        .and_then(|file| file.set_len(1 << 40))
        .expect("a sparse file");
    for error in [
        read_platform(&large).expect_err("too large"),
        read_plan(&large).expect_err("too large"),
    ] {
        assert!(
            matches!(*error.mistake, Mistake::TooLarge { .. }),
            "{error}"
        );
    }
    if cfg!(unix) {
        let error = read_platform(Path::new("/dev/zero")).expect_err("endless");
        assert!(
            matches!(*error.mistake, Mistake::TooLarge { .. }),
            "{error}"
        );
    }
}

#[test]
fn plans() {
    for (text, parts) in [
        ("", &["is empty", "a plan"][..]),
        ("{", &["JSON", "cut off"]),
        ("{}", &["'format' is missing", "oneport-plan/3"]),
        (
            r#"{"format": "oneport-platform/1"}"#,
            &["format", "\"oneport-platform/1\"", "\"oneport-plan/3\""],
        ),
        (
            r#"{"format": "oneport-plan/3", "speed": 1}"#,
            &["'speed'", "format, collective, model"],
        ),
        (
            r#"{"format": "oneport-plan/3"}"#,
            &["'platform' is missing"],
        ),
        (
            r#"{"format": "oneport-plan/3", "platform": {"nodes": 1}}"#,
            &["platform", "'nodes'"],
        ),
    ] {
        check_message(
            &plan_from_json("bad.plan", text.as_bytes()).expect_err(text),
            "bad.plan",
            parts,
        );
    }
    for text in [
        "[".repeat(10_000_000),
        format!("{{\"format\":{}", "{\"a\":".repeat(1_000_000)),
    ] {
        check_message(
            &plan_from_json("bad.plan", text.as_bytes()).expect_err("a bomb"),
            "bad.plan",
            &["JSON"],
        );
    }
}
