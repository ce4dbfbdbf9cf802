//! The format of a platform file by its content.

use std::path::Path;

use oneport_files::PlatformFormat;

use crate::unread::Unread;
use crate::{Format, edges, ibnetdiscover};

/// Number of bytes that are inspected: licences and comments may come first.
const BEGINNING: usize = 16 << 10;
/// Keys of our own files and of graphs. Each such file has at least one.
const OURS: [&str; 9] = [
    "format", "model", "units", "node", "link", "shared", "nodes", "links", "edges",
];
/// Number of rows of a table that are inspected.
const MAX_ROWS: usize = 50;
/// Number of keys of a JSON object that are inspected.
const MAX_KEYS: usize = 100;

impl Format {
    /// The format of a file: by its extension if that decides it (see [`from_extension`](Self::from_extension)), else
    /// by its content. For extensions of matrices the content is inspected: other tables have these extensions, too.
    pub fn detect(path: &Path, bytes: &[u8]) -> Self {
        let json = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        match Self::from_extension(path) {
            Some(matrix @ Format::Own(PlatformFormat::Matrix)) => {
                from_table(&beginning(bytes)).unwrap_or(matrix)
            }
            Some(format) => format,
            None => from_content(bytes, json),
        }
    }
}

/// The text that is inspected.
fn beginning(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    String::from_utf8_lossy(bytes.get(..BEGINNING).unwrap_or(bytes)).into_owned()
}

/// The format of a text of rows and columns, if it is a known one.
fn from_table(text: &str) -> Option<Format> {
    if text.lines().any(is_row_of_gpu0) {
        return Some(Format::NvidiaSmi);
    }
    let is_rocm = |line: &str| {
        let line = line.trim_end();
        line.contains("Link Type between two GPUs") || line.ends_with("LINK TYPE TABLE:")
    };
    if text.lines().any(is_rocm) {
        return Some(Format::Rocm);
    }
    let is_matrix = |line: &str| {
        let between = line.contains("(row)") && line.contains("(column)");
        line.contains("(GB/s)") && (between || line.contains("directional P2P="))
    };
    if text.lines().any(is_matrix) {
        return Some(Format::GpuMatrix);
    }
    if let Some(unread) = text.lines().find_map(Unread::of_line) {
        return Some(Format::Unread(unread));
    }
    edges::is_list(text).then_some(Format::Edges)
}

/// Whether a text may be a matrix: half of its rows are numbers after their names.
fn may_be_matrix(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_row = |line: &str| {
        let cells: Vec<&str> = line
            .split([';', ',', '\t', ' '])
            .map(|cell| cell.trim_matches('"'))
            .filter(|cell| !cell.is_empty())
            .collect();
        let is_number = |cell: &&str| {
            cell.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
                || cell.eq_ignore_ascii_case("n/a")
        };
        cells.len() < 2 || cells.iter().rev().take(cells.len() - 1).all(is_number)
    };
    let (numbers, others): (Vec<&str>, Vec<&str>) =
        rows.take(MAX_ROWS).partition(|row| is_row(row));
    numbers.len() >= others.len()
}

/// Whether a text begins as a platform file of ours in TOML.
fn may_be_toml(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let mut rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = rows.next() else {
        return true;
    };
    let is_word = |word: &str| {
        let word = word.trim().trim_matches(['"', '\'']);
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || "_-.".contains(c))
    };
    match first.split_once('=') {
        Some((key, _)) => is_word(key),
        None => is_word(first.trim_matches(['[', ']'])),
    }
}

/// The format of these bytes. `json` is true if the name promises JSON.
fn from_content(bytes: &[u8], json: bool) -> Format {
    let beginning = beginning(bytes);
    if json || beginning.trim_start().starts_with('{') {
        return from_json(bytes);
    }
    if beginning.trim_start().starts_with('<') {
        return from_xml(&beginning);
    }
    if let Some(format) = from_table(&beginning) {
        return format;
    }
    if is_dot(&beginning) {
        return Format::Dot;
    }
    if let Some(format) = beginning.lines().find_map(from_line) {
        return format;
    }
    let opens_graph = |line: &str| {
        line.strip_prefix("graph")
            .is_some_and(|rest| rest.trim_start().starts_with('['))
    };
    let mut lines = beginning
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.clone().next().unwrap_or_default();
    // yEd writes the bracket on the next line.
    let mut pairs = lines.clone().zip(lines.clone().skip(1));
    let opens_below = pairs.any(|(line, next)| line == "graph" && next.starts_with('['));
    if first == "graph" || opens_below || lines.any(opens_graph) {
        return Format::Gml;
    }
    match PlatformFormat::of_content(bytes) {
        PlatformFormat::Matrix if !may_be_matrix(&beginning) => Format::Unread(Unread::Unknown),
        PlatformFormat::Toml if !may_be_toml(&beginning) => Format::Unread(Unread::Unknown),
        format => Format::Own(format),
    }
}

/// The format, by the keys of the outermost object.
fn from_json(bytes: &[u8]) -> Format {
    let keys = top_keys(bytes);
    let has_key = |key: &str| keys.contains(&key.as_bytes());
    let begins_list = bytes.trim_ascii_start().starts_with(b"[");
    let begins = |name: &str| {
        let text = String::from_utf8_lossy(bytes.get(..BEGINNING).unwrap_or(bytes));
        text.contains(name)
    };
    if has_key("nodes") && (has_key("edges") || has_key("links")) {
        Format::NodeLink
    } else if has_key("nvbandwidth") {
        Format::Unread(Unread::NvBandwidthJson)
    } else if has_key("start") && has_key("intervals") {
        Format::Unread(Unread::OnePair)
    } else if begins("(Topology) ") || begins("\"link_type\"") && begins("\"bdf\"") {
        Format::Unread(Unread::AmdJson)
    } else if begins_list || !keys.is_empty() && !OURS.iter().any(|key| has_key(key)) {
        Format::Unread(Unread::Unknown)
    } else {
        Format::Own(PlatformFormat::Json)
    }
}

/// The keys of the outermost object in their spelling, without parsing the rest of the JSON.
fn top_keys(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut keys, mut depth, mut at) = (Vec::new(), 0_usize, 0);
    let mut text: Option<&[u8]> = None;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let start = at + 1;
                at = start;
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                text = bytes.get(start..at);
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 1 => keys.extend(text.take()),
            _ => {}
        }
        if keys.len() == MAX_KEYS {
            break;
        }
        at += 1;
    }
    keys
}

/// The text after comments and declarations, which are given by their beginnings and ends.
fn behind<'t>(text: &'t str, comments: &[(&str, &str)]) -> &'t str {
    let mut rest = text.trim_start();
    while let Some((_, end)) = comments.iter().find(|(begin, _)| rest.starts_with(begin))
        && let Some((_, behind)) = rest.split_once(end)
    {
        rest = behind.trim_start();
    }
    rest
}

/// The format, by the root element after declarations and comments.
fn from_xml(text: &str) -> Format {
    let rest = behind(text, &[("<!--", "-->"), ("<?", ">"), ("<!", ">")]);
    let name = rest
        .trim_start_matches('<')
        .split(|c: char| c.is_whitespace() || c == '>' || c == '/')
        .next();
    match name {
        Some("graphml") => Format::GraphMl,
        Some("topology") => Format::Hwloc,
        Some("platform") => Format::SimGrid,
        // The reader of NCCL's files refuses other roots, and lists the valid ones.
        _ => Format::Nccl,
    }
}

/// The format, by lines that occur in one format only.
fn from_line(line: &str) -> Option<Format> {
    let line = line.trim();
    let begins = |key: &str| {
        line.get(..key.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(key))
    };
    if line.contains("==>") && line.contains("==(") {
        Some(Format::IbLinkInfo)
    } else if begins("switchguid=")
        || begins("caguid=")
        || is_block(line)
        || ibnetdiscover::is_port_line(line)
    {
        Some(Format::IbNetDiscover)
    } else if begins("SwitchName=")
        || begins("BlockName=")
        || begins("RingName=")
        || begins("TorusName=")
        || begins("AggregatedBlock=")
    {
        Some(Format::SlurmConf)
    } else if begins("npus_count:") {
        Some(Format::AstraSim)
    } else if begins("- topology:") {
        Some(Format::SlurmYaml)
    } else {
        None
    }
}

/// `Switch 36 "S-...`, `Ca 1 "H-...`.
fn is_block(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let kind = words
        .next()
        .is_some_and(|word| matches!(word, "Switch" | "Ca" | "Hca" | "Rt"));
    let ports = words
        .next()
        .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    kind && ports && words.next().is_some_and(|word| word.starts_with('"'))
}

/// `GPU0  X  NV4 ...`, as nvidia-smi prints it.
fn is_row_of_gpu0(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("GPU0") && words.next() == Some("X")
}

/// `strict`, `digraph`, or `graph` before a brace.
fn is_dot(text: &str) -> bool {
    let rest = behind(text, &[("/*", "*/"), ("//", "\n"), ("#", "\n")]);
    let word = rest
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    match word.as_str() {
        "strict" | "digraph" => rest.contains('{'),
        "graph" => rest
            .find(['{', '['])
            .is_some_and(|at| rest[at..].starts_with('{')),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_detected() {
        for (name, content, format) in [
            ("a.toml", "", Format::Own(PlatformFormat::Toml)),
            ("a.JSON", "", Format::Own(PlatformFormat::Json)),
            ("a.json", "[{\"id\": 1}]", Format::Unread(Unread::Unknown)),
            ("a.json", "{\"id\": 1}", Format::Unread(Unread::Unknown)),
            ("a.joined.json", "", Format::Joined),
            ("a.csv", "", Format::Own(PlatformFormat::Matrix)),
            ("a.mat", "{", Format::Own(PlatformFormat::Matrix)),
            ("a.txt", "<!-- c -->\n<system/>", Format::Nccl),
            ("a.gml", "", Format::Gml),
            (
                "stdin",
                "\u{feff}# c\nformat = \"oneport-platform/1\"",
                Format::Own(PlatformFormat::Toml),
            ),
            ("stdin", "[[node]]", Format::Own(PlatformFormat::Toml)),
            ("stdin", "  {\"format\"", Format::Own(PlatformFormat::Json)),
            ("stdin", "Creator \"x\"\r\ngraph [\r\n", Format::Gml),
            ("stdin", "graph\n[\n", Format::Gml),
            ("stdin", "Creator\t\"yFiles\"\ngraph\n[\n", Format::Gml),
            ("stdin", "0 1\n1 0\n", Format::Own(PlatformFormat::Matrix)),
            ("a.json", "{\"nodes\": [], \"edges\": []}", Format::NodeLink),
            (
                "a.json",
                "{\"directed\": false, \"graph\": {\"node\": 1}, \"nodes\": [], \"links\": []}",
                Format::NodeLink,
            ),
            (
                "stdin",
                "{\"a\\\"nodes\": [{\"nodes\":1, \"edges\":2}], \"node\": 1",
                Format::Own(PlatformFormat::Json),
            ),
            (
                "stdin",
                "<?xml version=\"1.0\"?>\n<!-- <a> -->\n<graphml xmlns=\"\">",
                Format::GraphMl,
            ),
            (
                "stdin",
                "/* c */ // d\n strict digraph \"a [\" {",
                Format::Dot,
            ),
            ("stdin", "graph{a--b}", Format::Dot),
            (
                "stdin",
                "\t\u{1b}[4mGPU0\tGPU1\u{1b}[0m\nGPU0\t X \tNV4",
                Format::NvidiaSmi,
            ),
            (
                "a.yml",
                "# c\ntopology: [ Ring ]\nnpus_count: [ 8 ]\n",
                Format::AstraSim,
            ),
            ("a.yaml", "---\n- topology: t\n  tree:\n", Format::SlurmYaml),
            (
                "topology.conf",
                "# c\nswitchname=s0 Nodes=a",
                Format::SlurmConf,
            ),
            (
                "net",
                "vendid=0x2c9\nswitchguid=0x1(1)\n",
                Format::IbNetDiscover,
            ),
            ("net", "Switch 8 \"S-1\"\n", Format::IbNetDiscover),
            (
                "links",
                "CA: n HCA-1:\n 0x1 4 1[ ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 2 1[ ] \"s\"",
                Format::IbLinkInfo,
            ),
            (
                "a.xml",
                "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">",
                Format::Hwloc,
            ),
            ("a.xml", "<platform version=\"4.1\">", Format::SimGrid),
            (
                "no.extension.here",
                ",a,b\na,0,1\nb,1,0",
                Format::Own(PlatformFormat::Matrix),
            ),
        ] {
            assert_eq!(
                Format::detect(Path::new(name), content.as_bytes()),
                format,
                "{name} {content:?}"
            );
        }
    }
}
