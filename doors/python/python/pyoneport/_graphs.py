"""Platforms from graphs and matrices, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from . import _core
from ._numbers import Number, exact, plain as plain_number, shown

if TYPE_CHECKING:
    import networkx as nx
    from typing_extensions import TypeGuard

    from ._platform import Platform

FORMAT = "oneport-platform/1"
MOST_NODES = 100_000
MOST_LINKS = 250_000
MERGES = "1000 GB/s"
UNITS = "GB/s"
MOST_LEVELS = 100
# Values of `router`, and words for a node that takes part, as in the graphs of files.
_TRUE = ("true", "yes", "on", "1", "1.0", "t", "y")
_FALSE = ("false", "no", "off", "0", "0.0", "f", "n")
_ABSENT = ("", "none", "null", "nan")
_PROCESSORS = ("processor", "host", "server", "node", "compute", "machine", "gpu", "cpu", "npu", "tpu", "accelerator")
"""Levels of dicts and lists that hold each other. The JSON reader behind takes 127, and a file has a few around them."""
NODE_KEYS = ("model", "ports", "replicates", "accelerator", "alias", "reduces")


@runtime_checkable
class Graph(Protocol):
    """The members that a graph must have, as networkx's classes do."""

    @property
    def nodes(self) -> Any: ...
    @property
    def edges(self) -> Any: ...
    def is_directed(self) -> bool: ...
    def is_multigraph(self) -> bool: ...


class Names(NamedTuple):
    """The names of attributes."""

    cost: str
    compute: str
    capacity: str | None


def is_graph(given: object) -> TypeGuard[Graph]:
    """Whether an object is a graph in the manner of networkx."""
    has = all(hasattr(type(given), name) for name in ("nodes", "edges", "is_directed", "is_multigraph"))
    return has and callable(getattr(given.nodes, "data", None))  # type: ignore[attr-defined]


def parsed(native: Mapping[str, Any], what: str) -> _core.Platform:
    """The platform of native JSON; a refusal does not name a file that does not exist."""
    try:
        return _core.Platform.from_json(encoded(native))
    except ValueError as error:
        text = str(error)
        place, colon, rest = text.partition(": ")
        first = place.split(":")[0]
        raise ValueError(f"{what}: {rest}" if colon and first == "platform" else text) from None


def encoded(content: Mapping[str, Any]) -> bytes:
    """JSON."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def plain(value: Any, label: str, level: int = 0) -> Any:
    """A value in JSON's types, numbers exact.

    A dict or list that holds itself has no end: more than `MOST_LEVELS` levels are refused.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if level > MOST_LEVELS:
        raise ValueError(f"{shown(label)}: over {MOST_LEVELS} dicts and lists hold each other; does one hold itself?")
    if isinstance(value, Mapping):
        return {_key(key, label): plain(one, f"{label}.{key}", level + 1) for key, one in value.items()}
    if isinstance(value, int):
        return value if abs(value) < 2**63 else exact(value, label)
    value = cells(value)
    if isinstance(value, (list, tuple)):
        return [plain(one, f"{label}[{place}]", level + 1) for place, one in enumerate(value)]
    return exact(value, label)


def _key(key: object, label: str) -> str:
    """A key of a dict as JSON has it."""
    if isinstance(key, str):
        return key
    if isinstance(key, (int, float, Fraction)):
        return str(key)
    raise TypeError(f"{shown(label)}: {shown(key)} is no key; give text")


def cells(value: Any) -> Any:
    """The numbers of an array as lists, anything else as it is.

    Floats of less than 64 bits stay numbers of their own, whose decimals are shorter.
    """
    if not getattr(value, "ndim", 0) or not hasattr(value, "tolist"):
        return value
    if str(getattr(value, "dtype", "")) in ("float16", "float32"):
        return [cells(one) for one in value]
    return value.tolist()


def _switches(attributes: Mapping[str, Any], label: str, notes: list[str]) -> bool:
    """Whether the attributes mark a node that only forwards, as in the graphs of files (docs/topologies.md)."""
    told = {key: str(attributes.get(key)).strip() for key in ("router", "type", "kind", "role")}
    words = {key: word for key, word in told.items() if word.lower() not in _ABSENT}
    router = words.pop("router", "none").lower()
    if router not in (*_TRUE, *_FALSE, *_ABSENT):
        raise ValueError(
            f"{label}: router: {shown(attributes['router'])} is neither True nor False; True marks a node that only forwards"
        )
    if router in _TRUE or any(word.lower() in ("switch", "router") for word in words.values()):
        return True
    if router in _FALSE:
        return False
    for key, word in words.items():
        if word.lower() in ("spine", "leaf", "tor") or "switch" in word.lower():
            raise ValueError(
                f"{label}: {key}: {shown(word)} does not say whether the node only forwards; give router=True for a node"
                " that only forwards, router=False for one that takes part"
            )
        if word.lower() not in _PROCESSORS:
            _note(notes, f"assumed: nodes with {key}={shown(word)} take part; router=True marks a node that only forwards")
    return False
    for key, word in words.items():
        if word.lower() in ("spine", "leaf", "tor") or "switch" in word.lower():
            raise ValueError(
                f"{label}: {key}: {shown(word)} does not say whether the node only forwards; give router=True for a node"
                " that only forwards, router=False for one that takes part"
            )
        if word and word.lower() not in _PROCESSORS:
            _note(
                notes,
                f"assumed: nodes with {key}={shown(word)} take part; router=True marks a node that only forwards",
            )
    return False


def _sizes(nodes: int, links: int) -> None:
    if nodes > MOST_NODES:
        raise ValueError(f"the graph has {nodes} nodes; at most {MOST_NODES}: give a part of it")
    if links > MOST_LINKS:
        raise ValueError(f"the graph has {links} links; at most {MOST_LINKS}: give a part of it")
    if nodes == 0:
        raise ValueError("the graph has no nodes; add nodes and edges with a capacity")


def _names(nodes: Iterable[object]) -> dict[object, str]:
    names: dict[object, str] = {}
    taken: dict[str, object] = {}
    for node in nodes:
        name = str(node)
        if name in taken:
            raise ValueError(f"nodes {taken[name]!r} and {node!r} would both be called {name!r}; relabel one")
        taken[name] = node
        names[node] = name
    return names


def native(
    graph: Graph,
    attribute: Names,
    *,
    capacity_default: Number | None,
    units: str | None,
    model: str | None,
) -> tuple[dict[str, Any], list[str]]:
    """The platform file of a graph, and notes."""
    if not is_graph(graph):
        raise TypeError(f"{type(graph).__name__} is no graph of networkx: it lacks nodes, edges or is_directed()")
    ways = 1 if graph.is_directed() else 2
    _sizes(len(graph.nodes), ways * len(graph.edges))
    whole: Mapping[str, Any] = getattr(graph, "graph", {})
    names = _names(graph.nodes)
    read = _Edges(attribute, capacity_default, units or whole.get("units"), names)
    links = read.all(graph)
    notes = read.notes
    used = read.units
    nodes = []
    for node, attributes in graph.nodes.data():
        label = f"node {names[node]!r}"
        entry: dict[str, Any] = {"name": names[node]}
        if attributes.get(attribute.compute) is not None:
            entry["compute"] = exact(attributes[attribute.compute], f"{label}: {attribute.compute}")
        elif not _switches(attributes, label, notes):
            entry["compute"] = MERGES if used else 1
            _note(notes, f"assumed: every node computes at {MERGES}" if used else "assumed: every node computes, at 1")
        for key in NODE_KEYS:
            if attributes.get(key) is not None:
                entry[key] = plain(attributes[key], f"{label}: {key}")
        nodes.append(entry)
    chosen = model or whole.get("model")
    if chosen is None:
        _note(notes, "assumed: links alone limit (model='links')")
    made: dict[str, Any] = {"format": FORMAT, "model": chosen or "links"}
    if used:
        made["units"] = used
    made["node"] = nodes
    made["link"] = links
    if whole.get("shared"):
        made["shared"] = plain(whole["shared"], "graph: shared")
    return made, notes


def _note(notes: list[str], text: str) -> None:
    if text not in notes:
        notes.append(text)


class _Edges:
    """Edges as links."""

    def __init__(self, attribute: Names, default: Number | None, units: str | None, names: Mapping[object, str]) -> None:
        self.attribute = attribute
        self.names = names
        self.notes: list[str] = []
        self.units = units
        self.default = None if default is None else exact(default, "capacity_default")

    def all(self, graph: Graph) -> list[dict[str, Any]]:
        edges = list(graph.edges.data())
        if all(isinstance(attributes.get("position"), int) for *_, attributes in edges):
            # A graph lists its edges by their sources; the order of a platform's links is its own.
            edges.sort(key=lambda edge: int(edge[2]["position"]))
        if self.units is None and self._have_units(edges):
            self.units = UNITS
            if has_numbers([self._capacities(edges)]):
                _note(self.notes, f"assumed: a capacity without a unit is in {UNITS} (units='{UNITS}')")
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for source, target, attributes in edges:
            ends = self.names[source], self.names[target]
            label = f"edge {ends[0]!r} -> {ends[1]!r}"
            if source == target:
                raise ValueError(f"{label} leads from a node to itself; remove it")
            link = self._link(label, attributes)
            for one, other in (ends,) if graph.is_directed() else (ends, ends[::-1]):
                self._add(found, one, other, link)
        return list(found.values())

    def _have_units(self, edges: Sequence[tuple[object, object, Mapping[str, Any]]]) -> bool:
        """Whether the edges state capacities: those are in GB/s unless the caller gives other units."""
        for *_, attributes in edges:
            if self._capacity(attributes) is not None:
                return True
        return self.default is not None

    def _capacities(self, edges: Sequence[tuple[object, object, Mapping[str, Any]]]) -> list[object]:
        """The capacities of the edges, and the default."""
        found = [attributes[key] for *_, attributes in edges if (key := self._capacity(attributes)) is not None]
        return found if self.default is None else [*found, self.default]

    def _capacity(self, attributes: Mapping[str, Any]) -> str | None:
        own = self.attribute.capacity
        keys = ("capacity", "bandwidth") if own is None else (own,)
        return next((key for key in keys if attributes.get(key) is not None), None)

    def _link(self, label: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
        link: dict[str, Any] = {}
        cost, capacity = self.attribute.cost, self._capacity(attributes)
        has_cost = attributes.get(cost) is not None
        if has_cost and capacity is not None:
            raise ValueError(f"{label} has {cost!r} and {capacity!r}; keep one: a cost is the time of one unit of data")
        if capacity == "capacity" and self.attribute.capacity is None and attributes.get("bandwidth") is not None:
            self._agree(label, attributes)
        if has_cost:
            link["cost"] = exact(attributes[cost], f"{label}: {cost}")
        elif capacity is not None:
            link["bandwidth"] = self._rate(attributes[capacity], f"{label}: {capacity}")
        elif self.default is not None:
            link["bandwidth"] = self.default
            _note(self.notes, f"assumed: {self.default} for edges without a capacity, as given")
        elif not attributes.get("shared"):
            self._missing(label, attributes)
        for key in ("latency", "overhead"):
            if attributes.get(key) is not None:
                link[key] = exact(attributes[key], f"{label}: {key}")
        return link

    def _agree(self, label: str, attributes: Mapping[str, Any]) -> None:
        """Refuses an edge whose two attributes state different bandwidths."""
        texts = [self._rate(attributes[key], f"{label}: {key}") for key in ("capacity", "bandwidth")]
        try:
            one, other = (_core.rate(text, self.units or "") for text in texts)
        except ValueError as error:
            raise ValueError(f"{label}: {error}") from None
        if one != other:
            raise ValueError(
                f"{label} has 'capacity' {texts[0]} and 'bandwidth' {texts[1]}, which differ; remove one of them, or name the "
                "attribute: capacity='bandwidth'"
            )

    def _rate(self, value: Any, label: str) -> str:
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{label} {value} is no bandwidth; give a number above 0, or leave the edge out")
        text = exact(value, label)
        if not isinstance(value, str) and plain_number(value, label) <= 0:
            raise ValueError(f"{label} {text} is no bandwidth; give a number above 0, or leave the edge out")
        return text

    def _missing(self, label: str, attributes: Mapping[str, Any]) -> None:
        own = self.attribute.capacity
        named = "'capacity', 'bandwidth' or 'cost'" if own is None else f"{own!r}"
        has = ", ".join(f"{key} None" if value is None else str(key) for key, value in list(attributes.items())[:8])
        other = [key for key, value in attributes.items() if value is not None and key != own]
        remedy = f"pass capacity={other[0]!r}, or " if other else "give it one, or pass "
        raise ValueError(f"{label} has no {named} (it has {has or 'no attribute'}); {remedy}capacity_default='25 GB/s'")

    def _add(self, found: dict[tuple[str, str], dict[str, Any]], source: str, target: str, link: dict[str, Any]) -> None:
        before = found.get((source, target))
        if before is None:
            found[source, target] = {"from": source, "to": target, **link}
            return
        label = f"edge {source!r} -> {target!r}"
        if "bandwidth" in link and "bandwidth" in before:
            units = self.units or ""
            try:
                total = sum(_core.rate(str(one["bandwidth"]), units) for one in (before, link))
            except ValueError as error:
                raise ValueError(f"{label}: {error}") from None
            before["bandwidth"] = str(total)
        elif "cost" in link and "cost" in before:
            costs = [plain_number(one["cost"], label) for one in (before, link)]
            if not all(costs):
                raise ValueError(f"{label} is parallel to another, and one of them costs 0; keep that one")
            before["cost"] = str(1 / sum((1 / cost for cost in costs), Fraction(0)))
        else:
            raise ValueError(f"{label} is parallel to another; give both a capacity, or both a cost")
        _note(self.notes, "merged: parallel edges are one link, their bandwidths added")


def to_networkx(platform: Platform) -> nx.DiGraph[str]:
    """The graph of a platform."""
    try:
        import networkx
    except ImportError:
        raise ImportError("to_networkx() needs networkx: pip install 'pyoneport[graphs]'") from None
    content = platform.to_dict()
    graph: nx.DiGraph[str] = networkx.DiGraph(model=content["model"])
    for key in ("units", "shared"):
        if key in content:
            graph.graph[key] = content[key]
    for node, entry in zip(platform.nodes, content["node"]):
        attributes: dict[str, Any] = {key: entry[key] for key in NODE_KEYS if key in entry}
        if node.compute is None:
            attributes["router"] = True
        else:
            attributes["compute"] = _number(entry["compute"])
        graph.add_node(node.name, **attributes)
    for position, (link, (cost, is_shared)) in enumerate(zip(platform.links, platform._held.own_costs())):
        attributes = {"position": position, **({"shared": True} if is_shared and not cost else {"cost": cost})}
        for key in ("latency", "overhead"):
            if getattr(link, key):
                attributes[key] = getattr(link, key)
        graph.add_edge(link.source, link.target, **attributes)
    return graph


def _number(text: str) -> Fraction | str:
    """A number; text with a unit, as "1/1000 s/GB", stays as it is."""
    return text if " " in text else Fraction(text)


def has_units(rows: Sequence[Sequence[object]]) -> bool:
    """Whether a bandwidth is a text with a unit."""
    return any(isinstance(cell, str) and _has_unit(cell) for row in rows for cell in row)


def has_numbers(rows: Sequence[Sequence[object]]) -> bool:
    """Whether a bandwidth other than 0 has no unit."""
    cells = (cell for row in rows for cell in row)
    return any(not _has_unit(cell) and cell.strip() not in ("0", "0.0", "") if isinstance(cell, str) else cell for cell in cells)


def _has_unit(text: str) -> bool:
    """Whether a text has letters and is no number: 1e3 is one."""
    if not any(letter.isalpha() for letter in text):
        return False
    try:
        _core.number(text.strip())
    except ValueError:
        return True
    return False


def of_matrix(
    rows: Sequence[Sequence[Any]],
    labels: Sequence[object] | None,
    *,
    units: str | None,
    names: Sequence[object] | None,
    compute: Number | Sequence[Number] | None,
    model: str,
) -> dict[str, Any]:
    """The platform file of a matrix."""
    size = len(rows)
    if size == 0:
        raise ValueError("the matrix is empty; a platform needs a row and a column for every node")
    for place, row in enumerate(rows):
        if len(row) != size:
            what = f"row {place} has {len(row)}" if any(len(row) != len(rows[0]) for row in rows) else f"it is {size} x {len(row)}"
            raise ValueError(f"the matrix is not square ({what}); a platform needs as many rows as columns")
    chosen = labels if names is None else list(names)
    if chosen is None:
        chosen = [f"n{place}" for place in range(size)]
    if len(chosen) != size:
        raise ValueError(f"there are {len(chosen)} names for {size} nodes; give a name for every row")
    called = list(_names(chosen).values()) if len(set(map(str, chosen))) == size else _twice(chosen)
    _sizes(size, 0)
    links = []
    for source, row in zip(called, rows):
        for target, value in zip(called, row):
            label = f"row {source!r}, column {target!r}"
            text = exact(value, label)
            zero = not isinstance(value, str) and not value
            if zero or text in ("0", "0.0", ""):
                continue
            if source == target:
                raise ValueError(f"{label}: a node has no link to itself; write 0 on the diagonal")
            if not isinstance(value, str) and plain_number(value, label) < 0:
                raise ValueError(f"{label}: {text} is no bandwidth; give a number above 0, or 0 for no link")
            links.append({"from": source, "to": target, "bandwidth": text})
    _sizes(size, len(links))
    computes = _computes(compute, size, units)
    made: dict[str, Any] = {"format": FORMAT, "model": model}
    if units is not None:
        made["units"] = units
    made["node"] = [{"name": name, "compute": one} for name, one in zip(called, computes)]
    made["link"] = links
    return made


def _twice(chosen: Sequence[object]) -> list[str]:
    texts = [str(one) for one in chosen]
    name = next(one for one in texts if texts.count(one) > 1)
    raise ValueError(f"two nodes would be called {name!r}; give every row a name of its own")


def rows_of(matrix: Any) -> tuple[list[list[Any]], list[object] | None]:
    """The cells, and the labels of a frame."""
    if hasattr(matrix, "iloc") and hasattr(matrix, "columns"):
        if list(matrix.index) != list(matrix.columns):
            raise ValueError("the rows and columns of the frame have other labels; both list the same nodes in one order")
        return cells(matrix.values), list(matrix.columns)
    if hasattr(matrix, "tolist"):
        if getattr(matrix, "ndim", 2) != 2:
            raise ValueError(f"the array has {matrix.ndim} dimensions; a matrix of bandwidths has 2")
        matrix = cells(matrix)
    wrong = f"{type(matrix).__name__} is no matrix; give lists of rows, a numpy array, or a DataFrame"
    if isinstance(matrix, (str, bytes, Mapping)) or not isinstance(matrix, Sequence):
        raise TypeError(wrong)
    rows = []
    for row in matrix:
        if isinstance(row, (str, bytes)) or not isinstance(row, Sequence):
            raise TypeError(wrong)
        rows.append(list(row))
    return rows, None


def _computes(compute: Any, size: int, units: str | None) -> list[str]:
    if compute is None:
        return [MERGES if units is not None else "1"] * size
    if isinstance(compute, str) or not isinstance(compute, Sequence) and not hasattr(compute, "tolist"):
        return [exact(compute, "compute")] * size
    if len(compute) != size:
        raise ValueError(f"compute has {len(compute)} numbers for {size} nodes; give one for every node, or one for all")
    return [exact(one, f"compute of row {place}") for place, one in enumerate(compute)]

