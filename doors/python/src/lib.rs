//! The extension module `pyoneport._core`: platforms and answers behind shared pointers, and questions that run beside
//! the interpreter. The package in `python/pyoneport` has the documented interface.
//!
//! Nothing here outlives a call but values: no thread, no pool, no static state. A process may fork at any time.

mod answer;
mod asking;
mod errors;
mod platform;
mod rows;
mod singles;
mod waiting;

use pyo3::prelude::*;

/// The members of the module.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::answer::PyAnswer;
    #[pymodule_export]
    use super::asking::{
        answer_line, ask, changed, collective, collectives, failed_line, keys, read, tabled,
    };
    #[pymodule_export]
    use super::platform::{PyPlatform, formats, number, rate};

    #[pymodule_export]
    use super::rows::PyRows;
    #[pymodule_export]
    use super::singles::{
        pack_rings, reduce_heterogeneous, reduce_homogeneous, reduction_of, reduction_svg,
    };

    /// The version of the package and of every crate in it.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
