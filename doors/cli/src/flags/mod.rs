//! Groups of options that several commands take. A group knows no command and reads itself into values of the library.

pub mod instances;
pub mod limits;
pub mod platform;
pub mod question;
pub mod topology;
