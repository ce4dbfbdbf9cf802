//! The whole report: every printed value and claim of the papers against ours.

use std::path::Path;
use std::process::Command;

#[test]
#[ignore = "takes a minute; `cargo xtask test` runs it"]
fn every_verdict_is_the_expected_one() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reproduce");
    let output = Command::new(env!("CARGO_BIN_EXE_oneport-papers")).arg("--out").arg(&folder).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(page.contains("</html>"));
    for elsewhere in ["src=", "@import", "url(", "<link", "<script"] {
        assert!(!page.contains(elsewhere), "the page loads something from elsewhere: {elsewhere}");
    }
    // The last line is the summary.
    println!("{}", String::from_utf8_lossy(&output.stdout).trim_end());
}
