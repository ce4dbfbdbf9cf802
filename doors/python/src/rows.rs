//! The file of answers of a sweep, which `oneport batch` reads and resumes, too.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use oneport_questions::rows::{AnswerFile, Lock, RowsError, Start};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A file of answers that is being written. It is locked for each row alone, so that a forked worker keeps no lock.
#[pyclass(name = "Rows", module = "pyoneport._core", frozen)]
pub(crate) struct PyRows {
    rows: Mutex<Option<AnswerFile>>,
}

fn fault(error: RowsError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn closed() -> PyErr {
    PyValueError::new_err("the file of answers is closed")
}

impl PyRows {
    fn held(&self) -> std::sync::MutexGuard<'_, Option<AnswerFile>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyRows {
    /// Opens a file, and keeps its rows if it is resumed.
    #[new]
    fn new(path: PathBuf, resume: bool) -> PyResult<PyRows> {
        let start = if resume { Start::Resume } else { Start::Anew };
        let rows = AnswerFile::open(&path, start, Lock::Row).map_err(fault)?;
        Ok(PyRows {
            rows: Mutex::new(Some(rows)),
        })
    }

    /// Digests of the questions that were answered before, by line.
    fn done(&self) -> PyResult<BTreeMap<u64, String>> {
        let held = self.held();
        Ok(held.as_ref().ok_or_else(closed)?.done().clone())
    }

    /// Writes a row.
    fn write(&self, row: String) -> PyResult<()> {
        let mut held = self.held();
        held.as_mut().ok_or_else(closed)?.write(row).map_err(fault)
    }

    /// Closes the file; sorts it first if rows were added between others.
    fn finish(&self, sort: bool) -> PyResult<()> {
        let rows = self.held().take().ok_or_else(closed)?;
        rows.finish(sort).map(|_| ()).map_err(fault)
    }
}
