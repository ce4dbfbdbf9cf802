//! All-reduces of the example platforms: proved optimal for any schedule, and verified from the plan.

use crate::common;

use common::Folder;

/// Platforms of bundled examples on which every processor reaches every other.
const CONNECTED: [&str; 14] = [
    "dgx-a100-1.toml",
    "dgx-a100-2.toml",
    "dgx-a100-4.toml",
    "dgx-h100-2.toml",
    "dgx1.toml",
    "dragonfly-5-4-1.toml",
    "fat-tree-4.toml",
    "four-sites.csv",
    "mi250-1.toml",
    "mi250-2.toml",
    "ndv2-2.toml",
    "star.json",
    "torus-4x4.toml",
    "two-racks.toml",
];

#[test]
fn every_example_is_proved_optimal() {
    let folder = Folder::new();
    for name in CONNECTED {
        let plan = folder.path(&format!("{name}.plan.json"));
        let report =
            oneport!("solve all-reduce --commutative --work 0 --json -o {plan} --platform {name}")
                .ok()
                .object();
        assert_eq!(report["status"], "optimal", "{name}: {report}");
        assert_eq!(
            report["throughput"], report["upper_bound"],
            "{name}: {report}"
        );
        oneport!("verify {plan}").ok();
    }
}
