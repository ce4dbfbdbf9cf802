//! The bandwidths that NCCL and RCCL give to links their files do not measure, in GB/s per direction.

use oneport_files::error::{FormatError, clip};
use oneport_files::source::Source;
use oneport_platform::{Rational, whole};
use roxmltree::Node;

use crate::xml::integer;

/// Within a device, or between a card and its NUMA node: no bottleneck.
pub(super) fn local() -> Rational {
    whole(5000)
}

fn tenths(value: u32) -> Rational {
    Rational::new(value.into(), 10.into())
}

/// One NVLink of a GPU of this compute capability, and the text of its note: some 80 % of the nominal rate.
pub(super) fn nvlink(sm: Option<i64>) -> (Rational, String) {
    let rate = match sm.unwrap_or(0) {
        107.. => 312,
        100.. => 401,
        90.. => 206,
        86 => 120,
        70.. => 200,
        60.. => 180,
        _ => 200,
    };
    let gpu = sm.map_or("of unknown sm".to_string(), |sm| format!("of sm {sm}"));
    (
        tenths(rate),
        format!("per NVLink of a GPU {gpu}, NCCL's table"),
    )
}

/// One xGMI link of a GPU of this architecture (`906`, `gfx942`), and the text of its note.
pub(super) fn xgmi(architecture: Option<&str>) -> (Rational, String) {
    let name = architecture.unwrap_or_default().trim_start_matches("gfx");
    let rate = match name {
        // Older dumps call gfx90a 910.
        "90a" | "910" => 360,
        _ if name.starts_with("94") || name.starts_with("95") => 480,
        _ if name.starts_with("125") => 640,
        _ => 240,
    };
    let gpu = architecture.map_or("of unknown gcn".to_string(), |name| {
        format!("of gcn {}", clip(name))
    });
    (
        tenths(rate),
        format!("per xGMI link of a GPU {gpu}, RCCL's table"),
    )
}

/// The PCI link above a function, and a remark if its speed is unknown.
pub(super) fn pci(
    source: &Source<'_>,
    element: Node<'_, '_>,
) -> Result<(Rational, Option<String>), FormatError> {
    let width = integer(source, element, "link_width")?.filter(|&width| width > 0);
    let text = element.attribute("link_speed").unwrap_or_default();
    let speed = speed(text);
    let remark = match (width, speed) {
        (Some(_), Some(_)) => None,
        (None, Some(_)) => {
            Some("pci: 16 lanes where the file states none, as NCCL has it".to_string())
        }
        (_, None) => {
            let text = if text.is_empty() {
                "none".to_string()
            } else {
                format!("'{}'", clip(text))
            };
            Some(format!(
                "pci: 8 GT/s where the speed is not known (the file has {text}), as NCCL has it"
            ))
        }
    };
    let lanes = width.unwrap_or(16);
    Ok((
        Rational::new((lanes * speed.unwrap_or(60)).into(), 80.into()),
        remark,
    ))
}

/// `16.0 GT/s PCIe`, in units of 100 Mbit/s per lane.
fn speed(text: &str) -> Option<i64> {
    let (number, _) = text.split_once("GT/s")?;
    Some(match number.trim().trim_end_matches(".0") {
        "2.5" => 15,
        "5" => 30,
        "8" => 60,
        "16" => 120,
        "32" => 240,
        "64" => 480,
        _ => return None,
    })
}

/// From one NUMA node to every other of its machine, and the text of its note.
pub(super) fn between_cpus(
    source: &Source<'_>,
    cpu: Node<'_, '_>,
) -> Result<(Rational, String), FormatError> {
    let family = integer(source, cpu, "familyid")?.unwrap_or(-1);
    let model = integer(source, cpu, "modelid")?.unwrap_or(-1);
    let vendor = cpu.attribute("vendor").unwrap_or_default().trim();
    let (rate, name) = match (cpu.attribute("arch").unwrap_or_default(), vendor) {
        ("ppc64", _) => (32, "POWER".to_string()),
        ("arm64" | "aarch64", _) => (6, "Arm".to_string()),
        ("x86_64", "GenuineIntel") => intel(family, model),
        ("x86_64", "AuthenticAMD") => amd(family),
        ("x86_64", "CentaurHauls" | "Shanghai") => (
            if (family, model) == (7, 0x5b) { 9 } else { 6 },
            "Zhaoxin".into(),
        ),
        _ => (5000, "a processor that NCCL does not know".to_string()),
    };
    Ok((
        whole(rate),
        format!("between NUMA nodes of {name}, NCCL's table"),
    ))
}

fn intel(family: i64, model: i64) -> (u32, String) {
    let (rate, name) = match model {
        0xad..=0xaf => (40, "Granite Rapids or Sierra Forest"),
        0xcf.. => (40, "Emerald Rapids or later"),
        0x8f.. => (22, "Sapphire Rapids"),
        0x55.. => (10, "Skylake or later"),
        _ => (6, "Broadwell or earlier"),
    };
    if family == 6 {
        (rate, format!("Intel {name}"))
    } else {
        (6, "Intel, unknown model".to_string())
    }
}

/// The rate and name of a family. Older files hold it in another form.
fn amd(family: i64) -> (u32, String) {
    let (rate, name) = match family {
        26 | 0xbf => (32, "Zen 5"),
        25 | 0xaf => (24, "Zen 3 or 4"),
        _ => (16, "Zen 1 or 2"),
    };
    (rate, format!("AMD {name}"))
}
