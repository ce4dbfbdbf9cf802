//! `oneport rings`: what it finds, writes and judges, and what it refuses.

use crate::common;

use common::{Folder, fixture, oneport, read};

#[test]
fn rings_of_a_box_and_its_graph_file() {
    let folder = Folder::new();
    let graph = folder.path("graph.xml");
    let run = oneport(&["rings", &fixture("dgx1.toml"), "-o", &graph]).ok();
    for line in ["rings       150 GB/s on", "together 150 GB/s: attain the optimum", "rings cost nothing"] {
        assert!(run.stdout.contains(line), "{line}: {run:#?}");
    }
    let written = read(&graph);
    assert!(written.contains("<graph id=\"0\" pattern=\"4\""), "{written}");
    assert!(written.contains("<graph id=\"1\" pattern=\"1\""), "{written}");
    // The file itself is judged as good; with one ring left, as what one ring carries.
    let again = oneport(&["rings", &fixture("dgx1.toml"), "--check", &graph, "--json"]).ok().object();
    assert_eq!((&again["checked"]["total"], &again["total"]), (&"150".into(), &"150".into()));
    assert_eq!((&again["status"], &again["trees"]["bus_bandwidth"]), (&"optimal".into(), &"150".into()));
    let channel = |place: usize| written.split("<channel>").nth(place).and_then(|rest| rest.split("</channel>").next());
    let one = format!(
        "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" speedintra=\"25\" \
         speedinter=\"25\" typeintra=\"NVL\" typeinter=\"PIX\" samechannels=\"1\"><channel>{}</channel></graph></graphs>",
        channel(1).expect("a channel")
    );
    let alone = folder.write("one.xml", &one);
    let alone = oneport(&["rings", &fixture("dgx1.toml"), "--check", &alone, "--json"]).ok().object();
    let total: u32 = alone["checked"]["total"].as_str().expect("a number").parse().expect("whole");
    assert!((25..=50).contains(&total), "{alone:#}");
}

#[test]
fn fewer_rings_and_some_processors() {
    let one = oneport(&["rings", &fixture("dgx1.toml"), "--max-rings", "1", "--json"]).ok().object();
    assert_eq!((&one["equal"]["total"], &one["equal"]["upper_bound"]), (&"50".into(), &"50".into()));
    let few = oneport(&["rings", &fixture("dgx1.toml"), "--participants", "box0.gpu0,box0.gpu1,box0.gpu2", "--json"]);
    let few = few.ok().object();
    assert_eq!(few["processors"].as_array().map(Vec::len), Some(3));
    assert_eq!(few["status"], "optimal");
}

#[test]
fn what_is_no_ring_is_refused() {
    let folder = Folder::new();
    oneport(&["rings", &fixture("dgx-a100-4.toml")]).refused(1, &["32 processors", "16", "--participants A,B"]);
    let star = folder.path("star.toml");
    oneport(&["generate", "star", "--leaves", "3", "-o", &star]).ok();
    oneport(&["rings", &star]).refused(1, &["no ring visits all 4 processors"]);
    let dgx1 = fixture("dgx1.toml");
    oneport(&["rings", &dgx1, "--participants", "box0.gpu0"]).refused(1, &["at least 2 processors; here 1"]);
    oneport(&["rings", &dgx1, "--model", "half-duplex"]).refused(1, &["half-duplex", "another port model"]);
    oneport(&["rings", &dgx1, "--max-rings", "33"]).misused(&["--max-rings", "32"]);
    oneport(&["rings", &dgx1, "--path-type", "NVS"]).refused(2, &["--path-type", "NVL"]);
    let graph = |channels: &str| {
        let count = channels.matches("<channel>").count();
        let head = format!(
            "<graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"{count}\" speedintra=\"1\" \
             speedinter=\"1\" typeintra=\"NVL\" typeinter=\"PIX\" samechannels=\"1\">"
        );
        folder.write("graph.xml", format!("<graphs version=\"1\">{head}{channels}</graph></graphs>"))
    };
    let judged = |channels: &str| oneport(&["rings", &dgx1, "--check", &graph(channels)]);
    judged("<channel><gpu dev=\"9\"/></channel>").refused(1, &["channel 0", "device 0x9 is none"]);
    judged("<channel><gpu dev=\"0\"/></channel>").refused(1, &["channel 0 visits 'box0.gpu1' 0 times"]);
    judged("").refused(1, &["has no channels"]);
    // No link between 0 and 5: no hop either.
    let order = [0, 5, 4, 6, 7, 3, 2, 1].map(|dev| format!("<gpu dev=\"{dev}\"/>")).concat();
    judged(&format!("<channel>{order}</channel>")).refused(1, &["no route leads from 'box0.gpu0' to 'box0.gpu5'"]);
}
