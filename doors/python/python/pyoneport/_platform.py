"""Platforms."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, Union

from . import _core, _graphs
from ._display import MOST_NODES, facts, small
from ._frozen import Frozen
from ._numbers import Number, one_warning, shown
from ._values import Link, Node, Shared

if TYPE_CHECKING:
    import networkx as nx
    from typing_extensions import Unpack

    from ._graphs import Graph

PathLike = Union[str, "os.PathLike[str]"]


class Platform(Frozen):
    """Processors, routers and links, with exact costs. It cannot change; `==` compares all of it; it pickles.

    Made by `read`, `Platform.from_networkx`, `Platform.from_matrix`, `Platform.from_dict` and `pyoneport.generate`.

    >>> import pyoneport as op
    >>> pair = op.Platform.from_matrix([[0, 2], [4, 0]], names=["a", "b"])
    >>> pair
    <Platform: 2 nodes, 2 links, full-duplex>
    >>> pair.links[0]
    Link(source='a', target='b', cost=Fraction(1, 2), latency=Fraction(0, 1), overhead=Fraction(0, 1))
    >>> "a" in pair, len(pair)
    (True, 2)
    """

    _held: _core.Platform
    notes: tuple[str, ...]
    """Assumptions, merged parts and omitted parts of the file or graph."""

    def __init__(self) -> None:
        raise TypeError(
            "a platform is made by pyoneport.read, Platform.from_networkx, Platform.from_matrix, Platform.from_dict or "
            "pyoneport.generate"
        )

    @classmethod
    def _of(cls, core: _core.Platform, notes: Iterable[str] = ()) -> Platform:
        made = object.__new__(cls)
        made.__dict__.update(_held=core, notes=tuple(notes))
        return made

    @staticmethod
    def from_networkx(
        graph: Graph,
        /,
        *,
        cost: str = "cost",
        compute: str = "compute",
        capacity: str | None = None,
        capacity_default: Number | None = None,
        units: str | None = None,
        model: str | None = None,
    ) -> Platform:
        """The platform of a graph of networkx, or of any object with its `nodes` and `edges`.

        A node is a router if its attribute `router` is true, or if `type`, `kind` or `role` is `"router"` or `"switch"`;
        other nodes compute: for `compute` of time per unit of work, by default 1000 GB/s, or 1 without units. The name
        of a node is `str(node)`. An edge has a `cost` (time per unit of data), or a `capacity` or `bandwidth`: a number
        of `units` (by default GB/s), or text such as "100 Gbit/s". The attributes may have other names: `cost="weight"`,
        `capacity="speed"`; `capacity_default` is for edges without any. An undirected edge is a link in each direction.
        Parallel edges are one link, their bandwidths added. Further attributes are those of a platform file: `ports`,
        `model`, `replicates`, `accelerator`, `alias`, `reduces` of nodes, `latency` and `overhead` of edges, and `model`,
        `units` and `shared` of the graph. Without a `model`, links alone limit: `"links"`.

        `Platform.from_networkx(platform.to_networkx()) == platform` for every platform.
        """
        with one_warning():
            native, notes = _graphs.native(
                graph,
                _graphs.Names(cost, compute, capacity),
                capacity_default=capacity_default,
                units=units,
                model=model,
            )
            core = _graphs.parsed(native, "graph")
        return Platform._of(core, notes)

    @staticmethod
    def from_matrix(
        bandwidth: Any,
        /,
        *,
        units: str | None = None,
        names: Sequence[object] | None = None,
        compute: Number | Sequence[Number] | None = None,
        model: str | None = None,
    ) -> Platform:
        """The platform of a square matrix: the bandwidth from a row's node to a column's; 0 for no link.

        A numpy array, a pandas `DataFrame` (whose labels are the names) or lists, of numbers in `units`, or of texts such
        as "100 Gbit/s" (then `units` are by default GB/s). `compute` is the time of one unit of
        work: of all nodes or one for each; by default 1000 GB/s if `units` are given, else 1.
        Without `model`, a node sends one message and receives one at a time (`"full-duplex"`). In a box of GPUs every
        link works by itself: give `model="links"`. `notes` names the assumptions.
        """
        with one_warning():
            notes = []
            rows, labels = _graphs.rows_of(bandwidth)
            if units is None and _graphs.has_units(rows):
                units = _graphs.UNITS
            if units is None:
                notes.append("assumed: bandwidths are plain numbers in no unit; units='GB/s' states one")
            elif _graphs.has_units(rows) and _graphs.has_numbers(rows):
                notes.append(f"assumed: a bandwidth without a unit is in {units}")
            if model is None:
                notes.append("assumed: a node sends one message and receives one at a time (model='full-duplex')")
            if compute is None:
                speed = "1" if units is None else _graphs.MERGES
                notes.append(f"assumed: every node computes at {speed}")
            model = "full-duplex" if model is None else model
            native = _graphs.of_matrix(rows, labels, units=units, names=names, compute=compute, model=model)
            return Platform._of(_graphs.parsed(native, "matrix"), notes)

    @staticmethod
    def from_dict(platform: Mapping[str, Any], /) -> Platform:
        """The platform of a dict: the content of a platform file in JSON, as `to_dict` returns it, or node-link data
        of a graph. Numbers may be ints, floats, Fractions, Decimals or text."""
        if not isinstance(platform, Mapping):
            raise TypeError(f"{type(platform).__name__} is no dict; give what to_dict() returns")
        with one_warning():
            plain = _graphs.plain(platform, "platform")
        if "nodes" in plain and "node" not in plain or "generate" in plain:
            return made({"platform": plain})
        return Platform._of(_graphs.parsed(plain, "platform"))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes."""
        return tuple(map(Node._make, self._held.nodes()))

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links, each in one direction."""
        return tuple(map(Link._make, self._held.links()))

    @cached_property
    def shared(self) -> tuple[Shared, ...]:
        """Capacities that links share."""
        return tuple(Shared(name, rate, tuple(links)) for name, rate, links in self._held.shared())

    @property
    def processors(self) -> tuple[str, ...]:
        """The names of the nodes that compute."""
        return tuple(self._held.processors())

    @property
    def model(self) -> str:
        """The port model: `"full-duplex"`, `"half-duplex"`, `"multiport"` or `"links"`."""
        return self._held.model()

    @property
    def units(self) -> str | None:
        """The units of bandwidths, such as `"GB/s"`; `None` without units."""
        return self._held.units()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of `to_json()`, in hexadecimal digits."""
        import hashlib

        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        """The text of a platform file in JSON."""
        return self._held.text("json")

    def to_dict(self) -> dict[str, Any]:
        """The content of a platform file in JSON; exact numbers are text."""
        import json

        content: dict[str, Any] = json.loads(self.to_json())
        return content

    def to_networkx(self) -> nx.DiGraph[str]:
        """A `networkx.DiGraph` with all of the platform: `cost` (a Fraction) of edges, `compute` or `router` of nodes.

        The graph has `model` and, if the platform has them, `units` and `shared`; an edge has its `position` among the
        platform's links.
        """
        return _graphs.to_networkx(self)

    def save(self, path: PathLike, *, format: str | None = None) -> None:
        """Writes a platform file: `"toml"`, `"json"` or `"matrix"`, by default as the file's name says."""
        self._held.save(os.fspath(path), format)

    def with_model(self, model: str) -> Platform:
        """These nodes and links under another port model. A note on an assumed model is dropped."""
        core = self._held.with_model(_name(model, "model"))
        return Platform._of(core, (note for note in self.notes if "(model='" not in note))

    def changed(self, *changes: str) -> Platform:
        """The platform after changes in the grammar of `oneport whatif`.

        >>> import pyoneport as op
        >>> pair = op.Platform.from_matrix([[0, 2], [4, 0]], names=["a", "b"])
        >>> pair.changed("a -> b: bandwidth x2").links[0].bandwidth
        Fraction(4, 1)
        """
        for change in changes:
            _name(change, "change")
        return Platform._of(_core.changed(self._held, list(changes)), self.notes)

    def __len__(self) -> int:
        return self._held.extent()[0]

    def __contains__(self, node: object) -> bool:
        return str(node) in self._held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Platform) and self._held == other._held

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        nodes, links = self._held.extent()
        units = f", {self.units}" if self.units else ""
        return f"<Platform: {nodes} nodes, {links} links, {self.model}{units}>"

    def _repr_svg_(self) -> str | None:
        if len(self) > MOST_NODES:
            return None
        return small(self._held.svg(repr(self)[11:-1]), len(self))

    def _repr_html_(self) -> str:
        links: dict[tuple[object, ...], int] = {}
        for link in self.links:
            key = (link.bandwidth, link.latency)
            links[key] = links.get(key, 0) + 1
        rows: list[tuple[str, object]] = [
            ("nodes", f"{len(self)}, of which {len(self.processors)} compute"),
            ("port model", self.model),
            ("units", self.units or "none"),
        ]
        rows += [
            (f"{count} links of bandwidth", bandwidth)
            for (bandwidth, _), count in sorted(links.items(), key=lambda item: -item[1])[:6]
        ]
        return (self._repr_svg_() or "") + facts(rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return Platform._of, (self._held, self.notes)


def _name(value: object, label: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{label}={value!r} is no text")
    return value


class Reading(TypedDict, total=False):
    """Facts that a file of another program leaves open: the command's options for reading."""

    format: str
    model: str
    units: str
    link_bandwidth: Mapping[str, Number]
    capacity: str
    capacity_default: Number
    latency: Union[str, Mapping[str, str]]
    latency_attribute: str
    merge_bandwidth: Number
    multicast: bool
    reduce_in_switch: Union[bool, str]
    replicate: int
    fabric: str
    fabric_bandwidth: Number
    nics: Union[str, Sequence[str]]


def read(path: PathLike, /, **how: Unpack[Reading]) -> Platform:
    """Reads a platform: a file of ours (TOML, JSON), a matrix of bandwidths, or a topology of another program.

    The format is found from name and content, or given: `op.formats()` lists them. The keywords say what the file leaves
    open: `units`, `model`; `link_bandwidth` by kind of link, `merge_bandwidth`, `multicast`, `reduce_in_switch`, `nics` of
    GPU boxes; `replicate=2, fabric="rail", fabric_bandwidth="50 GB/s"` for several boxes; `capacity`,
    `capacity_default` of graphs; `latency`, `latency_attribute`. `Platform.notes` says what was assumed.

    >>> import pyoneport as op
    >>> cluster = op.read("topology.conf", link_bandwidth={"node": "100 Gbit/s", "leaf": "400 Gbit/s"})  # doctest: +SKIP
    >>> boxes = op.read("topo.xml", replicate=2, fabric="rail", fabric_bandwidth="50 GB/s")  # doctest: +SKIP
    >>> print(*boxes.notes, sep="\\n")  # doctest: +SKIP
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{type(path).__name__} is no path; give the name of a file")
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"{shown(path)} is no text; give the name of a file")
    for key in how:
        if key not in Reading.__annotations__:
            raise TypeError(f"read() takes no {key}=; it takes {', '.join(f'{one}=' for one in Reading.__annotations__)}")
    with open(name, "rb"):
        pass
    with one_warning():
        options = {key: _graphs.plain(value, key) for key, value in how.items() if value is not None}
    return made({"platform": name, "read": options})


def made(source: Mapping[str, Any]) -> Platform:
    """The platform of a question's keys."""
    import json

    core, notes = _core.read(json.dumps({**source, "collective": "barrier"}))
    return Platform._of(core, notes)


PlatformLike = Union[Platform, "Graph", PathLike, Mapping[str, Any]]
"""A platform, or what one is made of: a graph of networkx, the path of a file, a dict."""


def as_platform(given: object) -> Platform:
    """The platform for a graph, a path, a dict or a platform."""
    if isinstance(given, Platform):
        return given
    if isinstance(given, (str, os.PathLike)):
        return read(given)
    if isinstance(given, Mapping):
        return Platform.from_dict(given)
    if _graphs.is_graph(given):
        return Platform.from_networkx(given)
    kind = type(given)
    raise TypeError(
        f"{kind.__module__.split('.')[0]}.{kind.__qualname__} is no platform; give a Platform, a graph of networkx, the path "
        "of a file, a dict, or Platform.from_matrix(...)"
    )
