//! Platforms.

use std::path::PathBuf;
use std::sync::Arc;

use oneport::files::{self, PlatformFormat};
use oneport::units::{Dimension, Quantity};
use oneport::{NodeId, Platform, PortModel, Rational, Units, parse_rational};
use oneport_topologies::Format;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::errors::{of_question, value};

/// A platform. Numbers are fractions, nodes are names.
#[pyclass(name = "Platform", module = "pyoneport._core", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct PyPlatform {
    pub(crate) inner: Arc<Platform>,
}

/// Name, compute, model, ports, replicates, accelerator, alias, reduces.
type Node<'p> = (
    &'p str,
    Option<&'p Rational>,
    Option<&'static str>,
    Option<u32>,
    bool,
    bool,
    Option<&'p str>,
    Option<&'p Rational>,
);

/// Source, target, cost, latency, overhead.
type Link<'p> = (&'p str, &'p str, &'p Rational, Rational, Rational);

/// Name, bandwidth, and source, target and weight of every link.
type Shared<'p> = (&'p str, &'p Rational, Vec<(&'p str, &'p str, u32)>);

impl PyPlatform {
    pub(crate) fn of(inner: Arc<Platform>) -> Self {
        PyPlatform { inner }
    }
}

#[pymethods]
impl PyPlatform {
    /// Reads the JSON of a platform.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &[u8]) -> PyResult<PyPlatform> {
        let read = py.detach(|| files::parse_platform("platform", text, PlatformFormat::Json));
        Ok(PyPlatform::of(Arc::new(read.map_err(value)?)))
    }

    /// The text of a platform file: toml, json or matrix.
    fn text(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format = format.parse::<PlatformFormat>().map_err(value)?;
        let platform = &self.inner;
        py.detach(|| files::write_platform(platform, format))
            .map_err(value)
    }

    /// Writes a platform file in a format, or in that which its name announces.
    fn save(&self, py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<()> {
        let told = format.map(str::parse::<PlatformFormat>).transpose();
        let format = told.map_err(value)?.or(PlatformFormat::to_write(&path));
        let format = format.unwrap_or(PlatformFormat::Toml);
        let text = self.text(py, format.name())?;
        let written = py.detach(|| files::write_atomically(&path, text.as_bytes()));
        written.map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))
    }

    /// The nodes.
    fn nodes(&self) -> Vec<Node<'_>> {
        let nodes = self.inner.nodes().iter();
        nodes
            .map(|node| {
                (
                    node.name.as_str(),
                    node.compute.as_ref(),
                    node.model.map(PortModel::name),
                    node.ports,
                    node.replicates,
                    node.accelerator,
                    node.alias.as_deref(),
                    node.reduces.as_ref(),
                )
            })
            .collect()
    }

    /// The links.
    fn links(&self) -> Vec<Link<'_>> {
        let platform = &self.inner;
        let ids = platform.link_ids();
        ids.map(|id| {
            let link = platform.link(id);
            let (from, to) = (platform.name(link.from), platform.name(link.to));
            (from, to, &link.cost, link.latency(), link.overhead())
        })
        .collect()
    }

    /// The cost that every link has of its own, and whether it shares capacities.
    fn own_costs(&self) -> Vec<(&Rational, bool)> {
        let platform = &self.inner;
        let links = platform.link_ids();
        links
            .map(|link| {
                let shares = !platform.shared_by(link).is_empty();
                (platform.own_cost(link), shares)
            })
            .collect()
    }

    /// Name, bandwidth, and the links with the number of times that each counts, of every shared capacity.
    fn shared(&self) -> Vec<Shared<'_>> {
        let platform = &self.inner;
        let ends = |(&link, &weight)| {
            let link = platform.link(link);
            (platform.name(link.from), platform.name(link.to), weight)
        };
        let shared = platform.shared().iter();
        shared
            .map(|one| {
                let links = one.weights.iter().map(ends).collect();
                (one.name.as_str(), &one.rate, links)
            })
            .collect()
    }

    /// The names of the nodes that compute.
    fn processors(&self) -> Vec<&str> {
        let platform = &self.inner;
        let processors = platform.processors();
        processors.map(|node| platform.name(node)).collect()
    }

    /// The names of the participants that a text or a list names.
    fn listed(&self, text: Option<&str>, names: Vec<String>) -> PyResult<Vec<&str>> {
        let platform = &self.inner;
        let listed = |text| oneport_questions::listed(platform, Some(text), "--participants", None);
        let found: Result<Vec<Vec<NodeId>>, _> = match text {
            Some(text) => listed(text).map(|found| vec![found]),
            None => names.iter().map(|name| listed(name)).collect(),
        };
        let found = found.map_err(|error| of_question(&error))?;
        let nodes = found.into_iter().flatten();
        Ok(nodes.map(|node| platform.name(node)).collect())
    }

    /// Whether a node has this name.
    fn __contains__(&self, name: &str) -> bool {
        self.inner.find(name).is_some()
    }

    /// Number of nodes and of links.
    fn extent(&self) -> (usize, usize) {
        (self.inner.nodes().len(), self.inner.links().len())
    }

    /// The port model.
    fn model(&self) -> &'static str {
        self.inner.model().name()
    }

    /// The units of bandwidths.
    fn units(&self) -> Option<String> {
        self.inner.units().map(|units| units.to_string())
    }

    /// This platform under another port model.
    fn with_model(&self, model: &str) -> PyResult<PyPlatform> {
        let model = model.parse::<PortModel>().map_err(value)?;
        let platform = Platform::clone(&self.inner).with_model(model);
        platform.check_shared().map_err(value)?;
        Ok(PyPlatform::of(Arc::new(platform)))
    }

    /// A drawing of the nodes and links.
    fn svg(&self, py: Python<'_>, title: &str) -> String {
        let platform = &self.inner;
        py.detach(|| oneport_drawings::svg::platform(platform, title, ""))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let make = slf.get_type().getattr("from_json")?;
        let text = slf.get().text(py, "json")?;
        (make, (PyBytes::new(py, text.as_bytes()),)).into_pyobject(py)
    }
}

/// Name and description of every format that is read.
#[pyfunction]
pub(crate) fn formats() -> Vec<(&'static str, &'static str)> {
    Format::all()
        .map(|format| (format.name(), format.about()))
        .collect()
}

/// The number that a text states.
#[pyfunction]
pub(crate) fn number(text: &str) -> PyResult<Rational> {
    parse_rational(text).map_err(value)
}

/// The bandwidth that a text states, in these units; a plain number if they are empty.
#[pyfunction]
pub(crate) fn rate(text: &str, units: &str) -> PyResult<Rational> {
    if units.is_empty() {
        return number(text);
    }
    let units = Units::parse(units).map_err(value)?;
    let quantity = Quantity::parse(text).map_err(value)?;
    match quantity.dimension {
        Dimension::Number => number(text),
        _ => units.rate(&quantity, text).map_err(value),
    }
}
