"""Bad input is refused by a sentence that names a right value."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from conftest import FIXTURES

import pyoneport as op

NCCL = FIXTURES / "topologies/nccl-topo.xml"


def edges(*attributes: dict[str, Any], kind: type = nx.DiGraph) -> Any:
    graph = kind()
    for place, attribute in enumerate(attributes):
        graph.add_edge(place, place + 1, **attribute)
    return graph


class Stranger:
    """A graph of another library."""

    nodes = edges = property(lambda self: [])


def endless() -> Any:
    """A dict that holds itself."""
    made: dict[str, Any] = {}
    made["again"] = made
    return made


def attributed(**attributes: Any) -> Any:
    """A graph of one edge, whose first node has these attributes."""
    graph = edges({"capacity": 1})
    graph.nodes[0].update(attributes)
    return graph


TRIANGLE = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
from_graph = op.Platform.from_networkx
from_matrix = op.Platform.from_matrix
CASES: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: from_graph(edges({"weight": 1})), ValueError, "edge '0' -> '1' has no 'capacity', .* pass capacity='weight'"),
    (lambda: from_graph(edges({})), ValueError, "it has no attribute"),
    (
        lambda: from_graph(edges({"bandwidth": None})),
        ValueError,
        r"\(it has bandwidth None\); give it one, or pass capacity_default=",
    ),
    (lambda: from_graph(edges({"bandwidth": None, "speed": 3})), ValueError, "pass capacity='speed', or capacity_default="),
    (lambda: op.read(NCCL, fabric="rail"), ValueError, "^fabric= joins several machines; .* as replicate=2, or leave it out"),
    (lambda: op.read(NCCL, fabric_bandwidth="25 GB/s"), ValueError, "^fabric_bandwidth= joins several machines"),
    (lambda: op.read(NCCL, latency="x"), ValueError, 'give latency={"KIND": TIME}, such as latency={"nvlink": "1us"}, or none'),
    (lambda: op.read(NCCL, link_bandwidth="25"), ValueError, 'give link_bandwidth={"KIND": RATE}, such as link_bandwidth='),
    (
        lambda: op.time(op.generate.dgx1(), "barrier", bytes=8, read={"replicate": 2}),
        ValueError,
        "^replicate= has no effect on a platform that was read before; leave it out, or give the path of a file",
    ),
    (
        lambda: op.compare({"generate": "dgx1"}, "barrier", read={"nics": "all"}),
        ValueError,
        "nics= has no effect on a generated platform",
    ),
    (lambda: op.solve(from_matrix(TRIANGLE), "broadcast", source=1.0), TypeError, "source=1.0 is no node"),  # type: ignore[arg-type]
    (lambda: op.solve(from_matrix(TRIANGLE), "broadcast"), ValueError, "source=NODE"),
    (lambda: op.plot_sweep("rows.jsonl"), TypeError, "'rows.jsonl' is no list of rows; give what sweep"),  # type: ignore[arg-type]
    (lambda: op.plot_sweep(3), TypeError, "3 is no list of rows"),  # type: ignore[arg-type]
    (lambda: op.plot_sweep([3]), TypeError, "3 is no row of a sweep"),  # type: ignore[list-item]
    (lambda: from_graph(edges({"capacity": math.nan})), ValueError, "edge '0' -> '1': capacity nan is no bandwidth; give a"),
    (lambda: from_graph(edges({"capacity": math.inf})), ValueError, "capacity inf is no bandwidth; .* or leave the edge out"),
    (lambda: from_graph(edges({"cost": math.nan})), ValueError, "edge '0' -> '1': cost=nan is no number"),
    (lambda: from_graph(edges({"capacity": 1, "bandwidth": 2})), ValueError, "'capacity' 1 and 'bandwidth' 2, which differ"),
    (lambda: from_graph(edges({"capacity": 1, "bandwidth": "1 Gbit/s"})), ValueError, "which differ; remove one of them"),
    (lambda: from_graph(edges({"capacity": 1, "bandwidth": "much"})), ValueError, "edge '0' -> '1': .*much"),
    (lambda: from_graph(attributed(alias=endless())), ValueError, "node '0': alias.again.*does one hold itself"),
    (lambda: from_graph(edges({"capacity": endless()})), TypeError, "is no number"),
    (lambda: from_graph(nx.DiGraph([(0, 1, {"capacity": 1})], shared=endless())), ValueError, "does one hold itself"),
    (lambda: op.Platform.from_dict(endless()), ValueError, "platform.again.*does one hold itself"),
    (lambda: op.Platform.from_dict({"format": "oneport-platform/1", (1, 2): 3}), TypeError, r"\(1, 2\) is no key"),
    (lambda: op.read(NCCL, link_bandwidth=endless()), ValueError, "link_bandwidth.again.*does one hold itself"),
    (lambda: op.generate.ring(3, sped=1), TypeError, r"generate.ring\(\) takes no sped=; did you mean seed="),  # type: ignore[call-arg]
    (lambda: from_graph(edges({"capacity": -1})), ValueError, "edge '0' -> '1': capacity -1 is no bandwidth"),
    (lambda: from_graph(edges({"capacity": 0})), ValueError, "above 0, or leave the edge out"),
    (lambda: from_graph(edges({"capacity": "fast"})), ValueError, "fast"),
    (lambda: from_graph(edges({"capacity": 1, "cost": 1})), ValueError, "keep one"),
    (lambda: from_graph(edges({"capacity": [1]})), TypeError, "is no number"),
    (lambda: from_graph(nx.DiGraph([(1, 1)])), ValueError, "from a node to itself"),
    (lambda: from_graph(nx.DiGraph([(1, "1")])), ValueError, "would both be called '1'; relabel one"),
    (lambda: from_graph(nx.DiGraph()), ValueError, "no nodes"),
    (lambda: from_graph(nx.empty_graph(10**6)), ValueError, "has 1000000 nodes; at most 100000"),
    (lambda: from_graph(edges({"capacity": 1}), model="duplex"), ValueError, "full-duplex"),
    (lambda: from_graph([1]), TypeError, "list is no graph"),
    (lambda: from_matrix([[0, 1, 2], [1, 0, 2]]), ValueError, "2 x 3.*as many rows as columns"),
    (lambda: from_matrix([[0, 1], [1]]), ValueError, "not square"),
    (lambda: from_matrix([]), ValueError, "empty"),
    (lambda: from_matrix("0 1"), TypeError, "is no matrix"),
    (lambda: from_matrix([[1, 1], [1, 0]]), ValueError, "to itself"),
    (lambda: from_matrix([[0, 1], [1, 0]], names=["a"]), ValueError, "1 names for 2 nodes"),
    (lambda: from_matrix([[0, 1], [1, 0]], names=["a", "a"]), ValueError, "two nodes would be called 'a'"),
    (lambda: from_matrix(np.zeros(3)), ValueError, "1 dimensions"),
    (lambda: from_matrix(np.array([[0, None], [1, 0]])), TypeError, "None is no number"),
    (lambda: from_matrix(pd.DataFrame([[0, 1]], index=["a"], columns=["a", "b"])), ValueError, "other labels"),
    (lambda: from_matrix([[0, 1], [1, 0]], units="GB"), ValueError, "GB"),
    (lambda: from_matrix([[0, 1], [1, 0]], compute=[1]), ValueError, "1 numbers for 2 nodes"),
    (lambda: op.Platform.from_dict([]), TypeError, "is no dict"),
    (lambda: op.Platform.from_dict({}), ValueError, "format"),
    (lambda: op.Platform.from_dict({"format": "oneport-platform/1", "node": 3}), ValueError, "node"),
    (lambda: op.read(3), TypeError, "is no path"),
    (lambda: op.read("no-such-file"), FileNotFoundError, "no-such-file"),
    (lambda: op.read("."), IsADirectoryError, "directory"),
    (lambda: op.solve("no-such-file", "barrier"), FileNotFoundError, "no-such-file"),
    (lambda: op.verify("no-such-file"), FileNotFoundError, "no-such-file"),
    (lambda: from_graph(edges({"capacity": "3 GB"})), ValueError, "3 GB"),
    (lambda: from_graph(edges({"cost": "3 GB"})), ValueError, "3 GB"),
    (lambda: op.rings(from_matrix(TRIANGLE), participants=[]), ValueError, "at least 2 processors; here 0"),
    (lambda: op.rings(from_matrix(TRIANGLE), participants="n0,nobody"), ValueError, "no node 'nobody'"),
    (lambda: op.Answer(), TypeError, "is made by"),
    (lambda: op.Answer.load(3), TypeError, "is no path"),
]


@pytest.mark.parametrize("place", range(len(CASES)))
def test_platforms(place: int) -> None:
    call, kind, told = CASES[place]
    with pytest.raises(kind, match=told) as caught:
        call()
    assert "\n" not in str(caught.value)


QUESTIONS: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    (("scater",), {}, ValueError, "did you mean 'scatter'"),
    ((3,), {}, TypeError, "the collectives are"),
    (("scatter",), {}, (ValueError, TypeError), "source"),  # type: ignore[list-item]
    (("scatter",), {"sorce": "Ps"}, TypeError, "did you mean source="),
    (("scatter",), {"colour": "Ps"}, TypeError, r"solve\(\) takes no colour=; it takes source=, "),
    (("scatter-v",), {"source": "Ps", "counts": endless()}, TypeError, "counts=.* is no list"),
    (("scatter-v",), {"source": "Ps", "counts": np.array([[1, 2]])}, ValueError, "counts"),
    (("custom",), {"demands": endless()}, ValueError, "demands.again.*does one hold itself"),
    (("custom",), {"demands": "no-such-file.json"}, OSError, "no-such-file.json"),
    (("scatter",), {"source": "Ps", "size": "@no-such-file"}, OSError, "no-such-file"),
    (("scatter",), {"source": "Ps", "size": lambda a, b: 1}, TypeError, "size= is a function, which all-to-all"),
    (("all-to-all",), {"size": lambda a, b: True}, TypeError, "size of 'Ps' -> 'Pa'=True is no number"),
    (("all-to-all",), {"size": lambda a, b: -1}, ValueError, "size of 'Ps' -> 'Pa' -1 is no size; give 0 or more"),
    (("all-to-all",), {"size": lambda a, b: 0}, ValueError, "size= is 0 for every pair"),
    (("scatter",), {"source": "P9"}, ValueError, "no node 'P9'"),
    (("scatter",), {"source": None, "targets": 3}, TypeError, "targets=3"),
    (("scatter",), {"source": 1.5}, TypeError, "source=1.5 is no node"),
    (("scatter",), {"source": "Ps", "size": math.nan}, ValueError, "size=nan is no number"),
    (("scatter",), {"source": "Ps", "size": True}, TypeError, "size=True is no number"),
    (("scatter",), {"source": "Ps", "size": 0}, ValueError, "0"),
    (("scatter",), {"source": "Ps", "size": -1}, ValueError, "-1"),
    (("scatter",), {"source": "Ps", "model": "duplex"}, ValueError, "full-duplex"),
    (("scatter",), {"source": "Ps", "goal": "best"}, ValueError, "give 'schedule', 'rate' or 'bound'"),
    (("scatter",), {"source": "Ps", "time_limit": "soon"}, ValueError, "number of seconds"),
    (("scatter",), {"source": "Ps", "time_limit": -1}, ValueError, "number of seconds"),
    (("scatter",), {"source": "Ps", "threads": 0}, ValueError, "threads"),
    (("scatter",), {"source": "Ps", "callback": 3}, TypeError, "cannot be called"),
]


@pytest.mark.parametrize("place", range(len(QUESTIONS)))
def test_questions(toy: op.Platform, place: int) -> None:
    given, how, kind, told = QUESTIONS[place]
    with pytest.raises(kind, match=told):
        op.solve(toy, *given, **how)


# The keywords that name nodes, of each collective: those of its definition.
TAKES = {
    "scatter": "source targets participants root",
    "gather": "target participants root",
    "all-to-all": "participants sources targets",
    "reduce": "target participants root",
    "reduce-scatter": "participants",
    "broadcast": "source targets participants root",
    "all-gather": "participants",
    "all-reduce": "participants",
    "reduce-to-several": "participants targets",
    "scan": "participants",
    "barrier": "participants",
    "custom": "",
}
ROLES = ("source", "target", "root", "sources", "targets", "participants")


@pytest.mark.parametrize("collective", TAKES)
def test_a_role_that_a_collective_does_not_take(collective: str, toy: op.Platform) -> None:
    for role in ROLES:
        if role not in TAKES[collective].split():
            how: dict[str, Any] = {role: ["Ps"] if role.endswith("s") else "Ps"}
            with pytest.raises(TypeError, match=f"^{collective} takes no {role}=; it takes "):
                op.solve(toy, collective, **how)


@pytest.mark.parametrize(
    ("collective", "how", "told"),
    [
        ("scatter", {"source": "Ps", "work": 2}, "takes no work=; it takes source="),
        ("scatter", {"source": "Ps", "counts": [1]}, "takes no counts="),
        ("scatter", {"source": "Ps", "commutative": False}, "takes no commutative=False"),
        ("scatter", {"source": "Ps", "demands": {}}, "takes no demands="),
        ("custom", {"demands": {}, "groups": [["Ps", "P0"]]}, "takes no groups="),
        ("all-gather-v", {"counts": [1], "groups": [["Ps", "P0"]]}, "takes no groups="),
    ],
)
def test_what_a_collective_does_not_take(collective: str, how: dict[str, Any], told: str, toy: op.Platform) -> None:
    with pytest.raises(TypeError, match=told):
        op.solve(toy, collective, **how)


@pytest.mark.parametrize("function", [op.rate, op.bound])
def test_an_answer_without_a_schedule_has_no_period(function: Callable[..., object], toy: op.Platform) -> None:
    with pytest.raises(TypeError, match=rf"{function.__name__}\(\) takes no period="):
        function(toy, "all-gather", period=3)


class Quantity:
    """A number of a library of units, or of symbols: it has no ratio."""

    def __float__(self) -> float:
        return 1.0


@pytest.mark.parametrize("given", [True, b"1", [1], {"a": 1}, Quantity(), 1j, np.array([1, 2])])
def test_what_is_no_number(given: Any, toy: op.Platform) -> None:
    for key in ("size", "bytes", "period", "time_limit", "memory_limit"):
        with pytest.raises(TypeError, match=f"{key}=.* is no (real )?number; give an int, a Fraction, or text such as '3/2'"):
            op.solve(toy, "scatter", source="Ps", targets=["P0"], **{key: given})


# A question that no line of JSON can hold is refused where it is made.
def test_what_is_no_line() -> None:
    with pytest.raises(ValueError, match="id=.*cannot be written as JSON: Circular"):
        op.question("x", "barrier", id=endless())
    with pytest.raises(ValueError, match="id=nan cannot be written as JSON"):
        op.question("x", "barrier", id=math.nan)
    with pytest.raises(ValueError, match="platform.again.*does one hold itself"):
        op.question(endless(), "barrier")
    with pytest.raises(ValueError, match="cannot be written as JSON: Circular"):
        list(op.sweep([endless()]))
    with pytest.raises(TypeError, match="question.* takes no function as size="):
        op.question("x", "all-to-all", size=lambda a, b: 1)


# What is wrong with a question; the key that its row names, and a right value or the hint.
ROWS: list[tuple[dict[str, Any], str, str]] = [
    ({"ask": "solv"}, "ask", 'give "solve", "rate" or "bound"'),
    ({"ask": 3}, "ask", 'give "solve", "rate" or "bound"'),
    ({"changes": "a"}, "changes", "give a list of texts"),
    ({"changes": [3]}, "changes", "give a list of texts"),
    ({"model": 3}, "model", '"full-duplex"'),
    ({"idle": "x"}, "idle", 'give "out" or "forward"'),
    ({"collective": 3}, "collective", '"all-reduce"'),
    ({"commutative": "yes"}, "commutative", "give true or false"),
    ({"exact_period": 1}, "exact_period", "give true or false"),
    ({"formulation": "x"}, "formulation", 'give "columns" or "compact"'),
    ({"keep": "all"}, "keep", 'give "numbers", "certificate" or "plan"'),
    ({"size": []}, "size", "[] is neither a number nor a text"),
    ({"read": {"multicast": "x"}}, "multicast", "give true or false"),
    ({"read": {"format": 3}}, "format", "give a text"),
    ({"read": {"reduce_in_switch": 3}}, "reduce_in_switch", 'give true, false, "nvswitch", "ib" or "all"'),
    ({"read": {"replicat": 3}}, "replicat", 'did you mean "replicate"?'),
    ({"colective": 3}, "colective", 'did you mean "collective"?'),
    ({"platform": {"generate": "torus"}}, "sides", "such as [4, 4]"),
    ({"platform": {"generate": "torus", "sides": [2], "side": 2}}, "side", 'did you mean "sides"?'),
    ({"platform": {"generate": "toruss"}}, "toruss", 'did you mean "torus"?'),
    ({"platform": {"generate": 3}}, "generate", "the name of a shape"),
    ({"platform": {"generate": "ring", "nodes": "x"}}, "nodes", "give a whole number"),
    ({"platform": {"generate": "ring", "nodes": -3}}, "nodes", "give a whole number"),
    ({"platform": {"generate": "dgx-h100", "sharp": "x"}}, "sharp", "give true or false"),
    ({"platform": {"generate": "dgx1", "boxes": 2}}, "boxes", "leave it out"),
    ({"platform": {"generate": "ring", "nodes": 3, "cost": [3]}}, "cost", "give a number or a text"),
]


def test_a_row_names_the_key_and_its_values() -> None:
    good = {"platform": {"generate": "ring", "nodes": 3}, "collective": "all-gather"}
    rows = op.sweep({**good, **wrong} for wrong, *_ in ROWS)
    for row, (wrong, key, right) in zip(rows, ROWS, strict=True):
        assert row["status"] == "error", wrong
        assert f'"{key}"' in row["error"]["message"] and right in row["error"]["message"], (wrong, row["error"])
        for word in ("expected", "invalid type", "missing field", "unknown", "usize", "variant", "--"):
            assert word not in row["error"]["message"], (wrong, row["error"])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id":1,"id":2}', "key 'id' is given twice; keep one"),
        ('{"id":{"a":1,"b":[{"c":1,"c":2}]}}', "key 'c' is given twice; keep one"),
        ('{"platform":{"generate":"dgx1","generate":"dgx1"}}', "key 'generate' is given twice; keep one"),
        ('{"id":' + "[" * 200 + "]" * 200 + "}", "nested too deep: at most 127"),
        ('{"id":1', "this is no JSON: the text ends"),
        ("[1]", "a question is a JSON object"),
        ('{"id":1} {"id":2}', "a second JSON value begins"),
    ],
)
def test_a_line_that_is_no_question(line: str, told: str) -> None:
    (row,) = op.sweep([line])
    assert row["status"] == "error" and told in row["error"]["message"], row


# Memory counts from what the process holds at the call, so a limit below that refuses no question by itself.
def test_a_memory_limit_below_what_the_process_holds(dgx1: op.Platform) -> None:
    holds = 1 << 27
    answer = op.solve(dgx1, "all-to-all", memory_limit=holds // 16)
    assert answer.status == "optimal" and answer.ended_by is None
    try:
        answer = op.solve(op.read(FIXTURES / "platforms/dgx-a100-2.toml"), "all-reduce", memory_limit=1)
        assert answer.ended_by == "memory_limit"
    except op.Stopped as stopped:
        assert stopped.limit == "memory_limit" and "the memory limit" in str(stopped)
    with pytest.raises(ValueError, match="memory_limit=: '0' is not a number of bytes"):
        op.solve(dgx1, "all-to-all", memory_limit=0)


@pytest.mark.parametrize("given", [None, 3, object(), pd.DataFrame(), np.zeros((2, 2)), Stranger(), [1], b"x"])
def test_what_is_no_platform(given: Any) -> None:
    with pytest.raises(TypeError, match="is no platform; give a Platform"):
        op.solve(given, "all-reduce")


def test_what_is_no_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("[]")
    with pytest.raises(ValueError, match="plan.json"):
        op.verify(tmp_path / "plan.json")
    with pytest.raises(ValueError, match="plan"):
        op.verify({"format": "oneport-plan/3"})


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_bytes_are_refused_or_read(content: bytes) -> None:
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        for reading in (op.read, op.Answer.load):
            try:
                reading(file.name)
            except (ValueError, op.OneportError):
                pass


# Questions of which all but one thing makes sense.
good: dict[str, Any] = {"source": "Ps", "targets": ["P0", "P1"], "size": "1/2", "model": "links", "time_limit": 60, "threads": 1}
wrong = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.integers(),
    st.text(max_size=5),
    st.binary(max_size=3),
    st.complex_numbers(),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
    st.just(object()),
    st.just(float),
)


@given(st.sampled_from([*good, "work", "target", "participants", "callback", "goal", "commutative", "unknown"]), wrong)
@settings(max_examples=300)
@pytest.mark.filterwarnings("ignore::pyoneport.FloatWarning")
def test_questions_with_one_thing_wrong(key: str, value: Any) -> None:
    toy = op.Platform.from_dict(TOY)
    try:
        answer = op.solve(toy, "scatter", **{**good, key: value})
        assert answer.status == "optimal"
    except (ValueError, TypeError, op.OneportError) as error:
        assert str(error) and getattr(error, "kind", "") != "defect", error


TOY = {
    "format": "oneport-platform/1",
    "node": [{"name": name, "compute": 1} for name in ("Ps", "Pa", "Pb", "P0", "P1")],
    "link": [
        {"from": one, "to": other, "cost": cost}
        for one, other, cost in [("Ps", "Pa", 1), ("Ps", "Pb", 1), ("Pa", "P0", "2/3"), ("Pb", "P0", "4/3"), ("Pb", "P1", "4/3")]
    ],
}
