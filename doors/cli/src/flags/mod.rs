//! Groups of options that several commands take. A group imports no command and reads itself into values of the
//! library.

pub mod change;
pub mod idle;
pub mod limits;
pub mod platform;
pub mod question;
#[cfg(feature = "topologies")]
pub mod topology;
#[cfg(not(feature = "topologies"))]
#[path = "own_files.rs"]
pub mod topology;
