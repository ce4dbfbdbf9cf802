//! The program as a user runs it.

use std::process::{Command, Output};

use anyhow::{Result, ensure};

fn run(arguments: &[&str]) -> Result<Output> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_oneport-papers"));
    Ok(program.args(arguments).output()?)
}

#[test]
#[ignore = "long: the whole report takes a minute; `cargo xtask reproduce` makes it too"]
fn every_verdict_is_the_expected_one() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let output = run(&["--out", &folder.path().to_string_lossy()])?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{errors}");
    let page = std::fs::read_to_string(folder.path().join("index.html"))?;
    assert!(page.contains("</html>"));
    for elsewhere in ["src=", "@import", "url(", "<link", "<script"] {
        assert!(
            !page.contains(elsewhere),
            "the page loads something from elsewhere: {elsewhere}"
        );
    }
    Ok(())
}

#[test]
fn single_rows_are_judged() -> Result<()> {
    let output = run(&["rows", "liu_kuo_wang", "time-ratio", "within-15"])?;
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success()
            && found.contains("time-ratio: 534 (corrected)")
            && found.contains("within-15: 382/25"),
        "{found}"
    );
    // The check of this row reads two other rows.
    let output = run(&["rows", "rr2004_32", "figure-2-costs"])?;
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(found.contains("1, 1, 1/2 (holds)"), "{found}");
    let output = run(&["rows", "RR-7898", "figure-1"])?;
    assert!(output.status.success(), "a paper by its name");
    for wrong in [
        &["rows", "liu_kuo_wang", "nothing"][..],
        &["rows", "005"],
        &["rows"],
        &["no such command"],
    ] {
        assert!(!run(wrong)?.status.success(), "{wrong:?}");
    }
    Ok(())
}
