//! The examples run, and their output matches their files.

#[allow(dead_code)]
#[path = "../../examples/limits.rs"]
mod limits;
#[allow(dead_code)]
#[path = "../../examples/plan.rs"]
mod plan;

use std::path::{Path, PathBuf};
use std::time::Duration;

use oneport::watch::Watch;
use oneport::{files, referee};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/platforms")
        .join(name)
}

#[test]
fn a_file_becomes_a_plan_that_the_referee_accepts() {
    let out = std::env::temp_dir().join(format!("oneport-example-{}.json", std::process::id()));
    let said = plan::plan(&fixture("two-racks.toml"), &out).unwrap();
    let (claim, stated) = files::read_plan(&out).unwrap();
    std::fs::remove_file(&out).unwrap();
    let answer = referee::verify(claim, &stated, &Watch::unlimited()).unwrap();
    assert_eq!(
        said,
        format!("{} per unit of time, optimal", answer.throughput().unwrap())
    );
}

/// NVLinks are the only links of a DGX-1.
#[test]
fn links_limit_a_dgx_1() {
    let said = limits::limits(&fixture("dgx1.toml"), Duration::from_secs(10)).unwrap();
    assert!(
        !said.is_empty() && said.lines().all(|line| line.contains(" x link '")),
        "{said}"
    );
}
