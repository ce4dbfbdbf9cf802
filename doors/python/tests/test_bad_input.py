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

import pyoneport as op


def edges(*attributes: dict[str, Any], kind: type = nx.DiGraph) -> Any:
    graph = kind()
    for place, attribute in enumerate(attributes):
        graph.add_edge(place, place + 1, **attribute)
    return graph


class Stranger:
    """A graph of another library."""

    nodes = edges = property(lambda self: [])


from_graph = op.Platform.from_networkx
from_matrix = op.Platform.from_matrix
CASES: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: from_graph(edges({"weight": 1})), ValueError, "edge '0' -> '1' has no 'capacity', .* pass capacity='weight'"),
    (lambda: from_graph(edges({})), ValueError, "it has no attribute"),
    (lambda: from_graph(edges({"capacity": math.nan})), ValueError, "edge '0' -> '1': capacity=nan is no number"),
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
