"""Platforms: read, made of graphs, matrices and dicts, and back."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from conftest import FIXTURES
from hypothesis import given, settings, strategies as st

import pyoneport as op

FILES = sorted((FIXTURES / "platforms").glob("*")) + sorted((FIXTURES / "topologies").glob("*"))


def readable() -> list[op.Platform]:
    """The fixtures that are read without options."""
    found = []
    for path in FILES:
        try:
            found.append(op.read(path))
        except (ValueError, OSError):
            continue
    return found


def test_every_way_out_leads_back() -> None:
    platforms = readable()
    assert len(platforms) >= 30
    for platform in platforms:
        assert op.Platform.from_networkx(platform.to_networkx()) == platform
        assert op.Platform.from_dict(platform.to_dict()) == platform
        assert pickle.loads(pickle.dumps(platform)) == platform


def test_the_toy(toy: op.Platform) -> None:
    assert len(toy) == 5 and len(toy.links) == 5
    assert toy.nodes[0].name == "Ps" and toy.nodes[0].compute == 1
    assert toy.links[-1].cost == Fraction(4, 3) and toy.links[-1].bandwidth == Fraction(3, 4)
    assert "P0" in toy and "P7" not in toy
    assert toy.model == "full-duplex" and toy.units is None
    assert toy.with_model("links").model == "links" != toy.model
    assert toy.digest == op.read(FIXTURES / "platforms/toy-scatter.toml").digest
    assert len({toy, op.Platform.from_dict(toy.to_dict())}) == 1


def test_a_platform_cannot_change(toy: op.Platform) -> None:
    with pytest.raises(AttributeError, match="^this Platform cannot change; make another one"):
        toy.notes = ()
    with pytest.raises(TypeError, match="is made by"):
        op.Platform()


def test_files_are_saved(toy: op.Platform, tmp_path: Path) -> None:
    for name in ("toy.toml", "toy.json"):
        toy.save(tmp_path / name)
        assert op.read(tmp_path / name) == toy
    with pytest.raises(OSError):
        toy.save(tmp_path / "no/such/folder/toy.toml")


# The platform that docs/topologies.md describes for node-link data: switches forward, links alone limit, GB/s.
def test_a_graph_is_read_as_its_file_is(tmp_path: Path) -> None:
    graph = nx.DiGraph()
    graph.add_node("s", role="switch")
    for name in "ab":
        graph.add_edge(name, "s", capacity="100 Gbit/s")
        graph.add_edge("s", name, capacity=12.5)
    platform = op.Platform.from_networkx(graph)
    (tmp_path / "graph.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    read = op.read(tmp_path / "graph.json")
    assert {(one.source, one.target, one.cost) for one in platform.links} == {
        (one.source, one.target, one.cost) for one in read.links
    }
    assert platform.model == read.model == "links"
    assert {(one.name, one.compute) for one in platform.nodes} == {(one.name, one.compute) for one in read.nodes}
    # Each of two nodes sends 12.5 GB/s: an all-to-all of 1 GB messages runs 12.5 times a second.
    assert op.rate(platform, "all-to-all").throughput == Fraction(25, 2)


def test_attributes_have_the_callers_names() -> None:
    graph = nx.Graph()
    graph.add_edge(0, (1, 2), weight=2, speed=3)
    by_cost = op.Platform.from_networkx(graph, cost="weight")
    assert {one.cost for one in by_cost.links} == {2} and by_cost.units is None and len(by_cost.links) == 2
    by_speed = op.Platform.from_networkx(graph, capacity="speed", units="Gbit/s")
    assert {one.bandwidth for one in by_speed.links} == {3} and by_speed.units == "Gbit/s"
    assert [node.name for node in by_speed.nodes] == ["0", "(1, 2)"]
    default = op.Platform.from_networkx(graph, capacity_default="25 GB/s")
    assert {one.bandwidth for one in default.links} == {25} and any("25 GB/s" in note for note in default.notes)


def test_a_capacity_and_an_equal_bandwidth() -> None:
    graph = nx.DiGraph()
    graph.add_edge("a", "b", capacity="100 Gbit/s", bandwidth=12.5)
    assert op.Platform.from_networkx(graph).links[0].bandwidth == Fraction(25, 2)
    graph.add_edge("b", "a", capacity=1, bandwidth=2)
    assert op.Platform.from_networkx(graph, capacity="bandwidth").links[1].bandwidth == 2


def test_narrow_floats_of_arrays_are_their_decimals() -> None:
    array = np.array([[0, 0.1], [0.2, 0]], dtype=np.float32)
    assert [link.bandwidth for link in op.Platform.from_matrix(array).links] == [Fraction(1, 10), Fraction(1, 5)]
    table = pd.DataFrame(array, index=["x", "y"], columns=["x", "y"])
    assert op.Platform.from_matrix(table).links[0].bandwidth == Fraction(1, 10)


def test_parallel_edges_add_up() -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "b", capacity=2)
    graph.add_edge("a", "b", capacity="8 Gbit/s")
    platform = op.Platform.from_networkx(graph)
    assert platform.links[0].bandwidth == 3 and any("parallel" in note for note in platform.notes)
    by_cost = nx.MultiDiGraph()
    by_cost.add_edge("a", "b", cost=2)
    by_cost.add_edge("a", "b", cost="2")
    assert op.Platform.from_networkx(by_cost).links[0].cost == 1


def test_assumptions_are_noted_and_kept() -> None:
    graph = nx.DiGraph([("a", "b", {"capacity": 12.5}), ("b", "a", {"capacity": "100 Gbit/s"})])
    noted = op.Platform.from_networkx(graph).notes
    assert any("without a unit is in GB/s" in note for note in noted)
    assert any("model='links'" in note for note in noted) and any("1000 GB/s" in note for note in noted)
    for answer in (op.solve(graph, "all-gather"), op.verify(op.solve(graph, "all-gather"))):
        assert answer.platform.notes == noted and pickle.loads(pickle.dumps(answer)).platform.notes == noted
    # What the caller states is no assumption.
    assert not any("model=" in note for note in op.rate(graph, "all-gather", model="full-duplex").platform.notes)
    graph["a"]["b"]["capacity"] = "100 Gbit/s"
    assert not any("without a unit" in note for note in op.Platform.from_networkx(graph).notes)
    file = FIXTURES / "topologies/nccl-topo.xml"
    assert op.rate(file, "all-gather").platform.notes == op.read(file).notes != ()
    # A note is no part of the question or of the plan.
    own = op.solve(op.Platform.from_networkx(graph), "all-gather")
    stated = op.solve(op.Platform.from_dict(own.platform.to_dict()), "all-gather")
    assert own == stated and own.platform.notes != stated.platform.notes == () and own.to_json() == stated.to_json()


def test_a_matrix_of_texts() -> None:
    texts = [["0", "100 Gbit/s"], [12.5, 0]]
    platform = op.Platform.from_matrix(texts)
    assert platform.units == "GB/s" and {link.bandwidth for link in platform.links} == {Fraction(25, 2)}
    assert "assumed: a bandwidth without a unit is in GB/s" in platform.notes
    assert op.Platform.from_matrix(texts, units="Gbit/s").links[0].bandwidth == 100
    for one in ("2", "1e3"):
        plain = op.Platform.from_matrix([["0", one], ["1/2", "0"]])
        assert plain.units is None and any("no unit" in note for note in plain.notes)
    assert not any("bandwidth" in note for note in op.Platform.from_matrix([[0, "1 GB/s"], ["1 GB/s", 0]]).notes)


def test_matrices() -> None:
    lists = [[0, 2, 0], [0, 0, "5/2"], [1.5, 0, 0]]
    platform = op.Platform.from_matrix(lists, names=["a", "b", "c"])
    assert [(one.source, one.target, one.bandwidth) for one in platform.links] == [
        ("a", "b", 2),
        ("b", "c", Fraction(5, 2)),
        ("c", "a", Fraction(3, 2)),
    ]
    array = np.array([[0, 2], [2, 0]])
    assert op.Platform.from_matrix(array) == op.Platform.from_matrix(array.tolist())
    table = pd.DataFrame(array, index=["x", "y"], columns=["x", "y"])
    assert [node.name for node in op.Platform.from_matrix(table, units="GB/s").nodes] == ["x", "y"]
    assert op.Platform.from_matrix(array, compute=[1, "1/2"]).nodes[1].compute == Fraction(1, 2)


names = st.lists(st.text("abcé_0 'ñ\"", min_size=1, max_size=6), min_size=2, max_size=6, unique=True)


@given(names, st.data())
@settings(max_examples=50)
def test_graphs_lead_back(nodes: list[str], data: st.DataObject) -> None:
    graph = nx.DiGraph(model=data.draw(st.sampled_from(["full-duplex", "half-duplex", "multiport", "links"])))
    for name in nodes:
        if data.draw(st.booleans()):
            graph.add_node(name, compute=data.draw(st.fractions(Fraction(1, 9), 9, max_denominator=9)))
        else:
            graph.add_node(name, router=True, replicates=data.draw(st.booleans()))
    costs = st.fractions(0, 9, max_denominator=9)
    for one in nodes:
        for other in nodes:
            if one != other and data.draw(st.booleans()):
                graph.add_edge(one, other, cost=data.draw(costs), latency=data.draw(costs))
    platform = op.Platform.from_networkx(graph)
    again = op.Platform.from_networkx(platform.to_networkx())
    assert again == platform and again.digest == platform.digest
    assert {(one.source, one.target): (one.cost, one.latency) for one in platform.links} == {
        (one, other): (edge["cost"], edge["latency"]) for one, other, edge in graph.edges.data()
    }
    assert op.Platform.from_dict(platform.to_dict()) == platform


def test_roles_of_a_graph_are_understood_or_named() -> None:
    def made(**role: object) -> op.Platform:
        graph = nx.Graph([("x", "s", {"bandwidth": 1}), ("s", "y", {"bandwidth": 1})])
        graph.nodes["s"].update(role)
        return op.Platform.from_networkx(graph)

    for role in ({"router": True}, {"router": "yes"}, {"router": np.True_}, {"router": 1.0}, {"kind": "switch"}):
        assert made(**role).processors == ("x", "y")
    for role in ({"router": False, "type": "spine"}, {"router": None}, {"type": "host"}):
        platform = made(**role)
        assert len(platform.processors) == 3 and not any("take part" in note for note in platform.notes)
    assert any("type='3' take part" in note for note in made(type=3).notes)
    for role in ({"router": [1]}, {"router": "maybe"}, {"type": "spine"}, {"kind": "NVSwitch"}):
        with pytest.raises(ValueError, match=f"node 's': {next(iter(role))}: .*router|neither True nor False"):
            made(**role)
