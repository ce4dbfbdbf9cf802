//! The examples of the papers.

use oneport_platform::Platform;

use crate::platform;

/// RR-4872, figure 2, with the costs of its slides: a scatter from `Ps` to `P0` and `P1` sustains 1/2.
pub fn scatter() -> Platform {
    let links = [
        ("Ps", "Pa", "1"),
        ("Ps", "Pb", "1"),
        ("Pa", "P0", "2/3"),
        ("Pb", "P0", "4/3"),
        ("Pb", "P1", "4/3"),
    ];
    platform("Ps Pa Pb P0 P1", &links)
}

/// RR-4872, figure 6: an ordered reduction of all values into `P0` sustains 1.
pub fn reduce() -> Platform {
    let links = [
        ("P0", "P1", "1"),
        ("P0", "P2", "1"),
        ("P1", "P0", "1"),
        ("P1", "P2", "1"),
        ("P2", "P0", "1"),
        ("P2", "P1", "1"),
    ];
    platform("P0=1/2 P1 P2", &links)
}

/// RR-2004-32, figure 1, from the numbers of its section 2.3: a broadcast from `Ps` to all sustains 4/5 half-duplex,
/// and 1 full-duplex.
pub fn broadcast() -> Platform {
    let links = [
        ("Ps", "P1", "1"),
        ("Ps", "P2", "1"),
        ("P1", "P2", "1/4"),
        ("P2", "P1", "1/4"),
        ("P1", "P3", "1/2"),
        ("P2", "P4", "1/2"),
    ];
    platform("Ps P1 P2 P3 P4", &links)
}

/// RR-2004-32, figure 2: a broadcast from `P1` to both others sustains 2/3 half-duplex, although the ports alone
/// allow 3/4, and 1 full-duplex.
pub fn odd_set() -> Platform {
    let links = [("P1", "P2", "1"), ("P1", "P3", "1"), ("P2", "P3", "1/2")];
    platform("P1 P2 P3", &links)
}
